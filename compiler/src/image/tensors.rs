//! Where the host's tensors lie in memory: planes of words as the machine has them, so that few transfers move them.

use std::collections::BTreeSet;

use heddle_arch::image::{Element, LOOPS, Tensor, TensorLoop, WORK};
use heddle_arch::transfer::{Space, Transfer};
use heddle_arch::word::WORD_BYTES;
use heddle_network::Network;

use super::nest::{Kind, Piece};
use super::{INPUT, NoImage, OUTPUT, UserForm};
use crate::emit::Program;
use crate::layout::{MatrixTensor, TensorPlan};

/// Tensors that have places.
pub(super) struct Tensors<'a> {
    program: &'a Program,
    network: &'a Network,
    form: &'a UserForm,
    pub entries: Vec<Tensor>,
}

/// A loop over elements: turns, bytes of memory, elements in the order channel, row, column.
#[derive(Debug, Clone, Copy)]
struct Walk {
    count: u32,
    memory: u32,
    elements: u32,
}

/// A part of a tensor whose elements one nest of loops reaches.
#[derive(Debug)]
struct Area {
    /// First byte, from that of the tensor on.
    begin: u32,
    bytes: u32,
    walks: Vec<Walk>,
    /// First element, in the order channel, row, column.
    first: u32,
}

/// The areas of a tensor, and the words that move.
struct Layout {
    areas: Vec<Area>,
    pieces: Vec<Piece>,
}

/// A tensor as the user has it.
struct UserTensor {
    element: Element,
    zero_point: i32,
    scale: f32,
    /// Bits that a byte of the network differs in.
    moved: u8,
}

impl<'a> Tensors<'a> {
    pub fn new(program: &'a Program, network: &'a Network, form: &'a UserForm) -> Self {
        Self {
            program,
            network,
            form,
            entries: Vec::new(),
        }
    }

    /// An input and the LOADs that bring it.
    pub fn input(&mut self, tensor: usize) -> Result<Vec<Transfer>, NoImage> {
        self.region(tensor, INPUT, [true, false])
    }

    /// A tensor that is read behind the last run, and the STOREs that bring it.
    pub fn output(&mut self, tensor: usize, is_output: bool) -> Result<Vec<Transfer>, NoImage> {
        self.region(tensor, OUTPUT, [false, is_output])
    }

    fn region(
        &mut self,
        tensor: usize,
        region: u32,
        [input, output]: [bool; 2],
    ) -> Result<Vec<Transfer>, NoImage> {
        let plan = &self.program.tensors[tensor];
        let layout = match &plan.matrices {
            Some(matrices) => of_matrices(matrices),
            None => of_planes(plan, region == OUTPUT),
        };
        let own = self.user(tensor);
        let base = self.end(region);
        for area in &layout.areas {
            let loops = self.loops(tensor, &area.walks);
            let loops = loops.filter(|loops| loops.len() <= LOOPS);
            let loops = loops.ok_or_else(|| NoImage::Order(self.name(tensor)))?;
            self.entries.push(Tensor {
                name: self.name(tensor),
                input,
                output,
                element: own.element,
                region,
                offset: u64::from(base + area.begin),
                bytes: area.bytes.into(),
                scale: own.scale,
                zero_point: own.zero_point,
                padding: plan.zero_point as u8 ^ own.moved,
                extents: self.extents(tensor),
                loops,
                first: self.user_elements(tensor, area.first),
            });
        }
        let kind = Kind {
            space: Space::Buffer,
            region,
            fill: false,
            zero: plan.zero_point as u8 ^ own.moved,
        };
        let pieces = layout.pieces.iter().map(|piece| Piece {
            memory: base + piece.memory,
            ..*piece
        });
        Ok(kind.transfers(&pieces.collect::<Vec<_>>()))
    }

    /// A tensor of the host, in the order of the user; gives its number.
    pub fn work(&mut self, tensor: usize, output: bool) -> u32 {
        let own = self.user(tensor);
        let extents = self.extents(tensor);
        let elements: u32 = extents.iter().product();
        let element = own.element;
        let bytes = element.bytes() as u32;
        self.entries.push(Tensor {
            name: self.name(tensor),
            input: false,
            output,
            element,
            region: WORK,
            offset: self.end(WORK).into(),
            bytes: u64::from((elements * bytes).next_multiple_of(WORD_BYTES)),
            scale: own.scale,
            zero_point: own.zero_point,
            padding: 0,
            extents,
            loops: vec![TensorLoop {
                count: elements,
                memory: bytes,
                user: 1,
            }],
            first: 0,
        });
        self.entries.len() as u32 - 1
    }

    /// Bytes of a region that have a tensor.
    fn end(&self, region: u32) -> u32 {
        let own = self.entries.iter().filter(|entry| entry.region == region);
        let end = own.map(|entry| entry.offset + entry.bytes).max();
        end.unwrap_or(0) as u32
    }

    /// Number of the first entry of a tensor that has a place behind the runs.
    pub fn number(&self, tensor: usize) -> Option<u32> {
        let name = self.name(tensor);
        let is_own = |entry: &Tensor| entry.name == name && entry.region != INPUT;
        let found = self.entries.iter().position(is_own);
        found.map(|index| index as u32)
    }

    pub fn name(&self, tensor: usize) -> String {
        self.form.names[tensor].clone()
    }

    fn user(&self, tensor: usize) -> UserTensor {
        let (_, zero_point) = self.network.tensor(tensor);
        let scale = self.form.scales.get(tensor).copied().flatten();
        let scale = scale.unwrap_or(0.0);
        match (
            self.network.places(tensor),
            self.form.unsigned.contains(&tensor),
        ) {
            (Some(_), _) => UserTensor {
                element: Element::Int32,
                zero_point: 0,
                scale: 0.0,
                moved: 0,
            },
            (None, unsigned) => UserTensor {
                element: if unsigned {
                    Element::Uint8
                } else {
                    Element::Int8
                },
                zero_point: i32::from(zero_point) + if unsigned { 128 } else { 0 },
                scale,
                moved: if unsigned { 0x80 } else { 0 },
            },
        }
    }

    /// Dimensions in the order of the user, the outermost first; that of places is the last one.
    pub fn axes(&self, tensor: usize) -> [usize; 3] {
        let mut axes = match self.form.interleaved {
            true => [1, 2, 0],
            false => [0, 1, 2],
        };
        if let Some(axis) = self.network.places(tensor) {
            axes.sort_by_key(|&other| other == axis.index());
        }
        axes
    }

    /// Sizes of the user's tensor, places one each: with one pixel of channels alone.
    fn extents(&self, tensor: usize) -> Vec<u32> {
        let mut sides = self.network.tensor(tensor).0.sides();
        if let Some(axis) = self.network.places(tensor) {
            sides[axis.index()] = 1;
        }
        match sides {
            [channels, 1, 1] => vec![channels],
            sides => match self.form.interleaved {
                true => [1, 2, 0].map(|axis: usize| sides[axis]).to_vec(),
                false => sides.to_vec(),
            },
        }
    }

    /// Elements of the user from one place to the next along each dimension.
    pub fn strides(&self, tensor: usize) -> [u32; 3] {
        let sides = self.network.tensor(tensor).0.sides();
        let mut strides = [0; 3];
        let mut stride = 1;
        for axis in self.axes(tensor).into_iter().rev() {
            strides[axis] = stride;
            stride *= sides[axis];
        }
        strides
    }

    /// The number that an element in the order channel, row, column has for the user.
    fn user_elements(&self, tensor: usize, element: u32) -> u32 {
        let [_, height, width] = self.network.tensor(tensor).0.sides();
        let [c, h, w] = self.strides(tensor);
        let plane = height * width;
        element / plane * c + element % plane / width * h + element % width * w
    }

    /// Loops in the order of the user: each is cut where it goes from one dimension to the next; none if it does so elsewhere.
    fn loops(&self, tensor: usize, walks: &[Walk]) -> Option<Vec<TensorLoop>> {
        let [_, height, width] = self.network.tensor(tensor).0.sides();
        let mut loops = Vec::new();
        for &walk in walks {
            let mut inner = walk;
            let mut parts = Vec::new();
            for border in [width, height * width] {
                let all = inner.elements * inner.count;
                if inner.elements >= border || all <= border {
                    continue;
                }
                if border % inner.elements != 0 || all % border != 0 {
                    return None;
                }
                let turns = border / inner.elements;
                parts.push(Walk {
                    count: turns,
                    ..inner
                });
                inner = Walk {
                    count: inner.count / turns,
                    memory: inner.memory * turns,
                    elements: border,
                };
            }
            parts.push(inner);
            let parts = parts.into_iter().rev().filter(|part| part.count > 1);
            loops.extend(parts.map(|part| TensorLoop {
                count: part.count,
                memory: part.memory,
                user: self.user_elements(tensor, part.elements),
            }));
        }
        if loops.is_empty() {
            loops.push(TensorLoop {
                count: 1,
                memory: 0,
                user: 0,
            });
        }
        Some(loops)
    }
}

/// Planes of all channels; those columns of a row that lie in words of their own are areas of their own.
fn of_planes(plan: &TensorPlan, once: bool) -> Layout {
    let [channels, height, width] = plan.shape.sides();
    let apart = plan.order.steps()[1];
    let mut areas: Vec<Area> = Vec::new();
    for first in (0..apart).filter(|&first| first < width) {
        let columns = (width - first).div_ceil(apart);
        let row = columns.next_multiple_of(WORD_BYTES);
        let begin = areas.last().map_or(0, |area| area.begin + area.bytes);
        let walk = |count, memory, elements| Walk {
            count,
            memory,
            elements,
        };
        areas.push(Area {
            begin,
            bytes: channels * height * row,
            walks: vec![
                walk(channels, height * row, height * width),
                walk(height, row, width),
                walk(columns, 1, apart),
            ],
            first,
        });
    }
    let mut found = BTreeSet::new();
    let mut pieces = Vec::new();
    for plane in 0..plan.groups() {
        for (partition, planes) in (0..).zip(&plan.planes) {
            let held = planes.get(plane as usize).copied();
            let Some(channel) = held.filter(|&channel| channel < channels) else {
                continue;
            };
            for y in 0..height {
                let Some((words, first)) = plan.words_of_row(partition, plane, y) else {
                    continue;
                };
                // Of a channel in several partitions one copy is read.
                if words.is_empty() || (once && !found.insert((channel, y, first))) {
                    continue;
                }
                let area = &areas[first as usize];
                let row = WORD_BYTES * words.len() as u32;
                pieces.push(Piece {
                    partition,
                    place: words.start,
                    count: words.len() as u32,
                    memory: area.begin + (channel * height + y) * row,
                });
            }
        }
    }
    Layout { areas, pieces }
}

/// Rows of matrices as they are stored; columns behind the last whole group are an area of their own if groups have gaps.
fn of_matrices(tensor: &MatrixTensor) -> Layout {
    let (of, turned) = (tensor.matrices, tensor.turned);
    let mut layout = Layout {
        areas: Vec::new(),
        pieces: Vec::new(),
    };
    let Some(one) = tensor.places.first() else {
        return layout;
    };
    let (rows, cols) = (one.shape.rows, one.shape.cols);
    let [row, col] = match turned {
        true => [1, of.cols],
        false => [of.cols, 1],
    };
    for (first, groups, width) in one.column_groups() {
        let bytes = width.next_multiple_of(WORD_BYTES);
        let begin = layout
            .areas
            .last()
            .map_or(0, |area| area.begin + area.bytes);
        let walk = |count, memory, elements| Walk {
            count,
            memory,
            elements,
        };
        let line = groups * bytes;
        layout.areas.push(Area {
            begin,
            bytes: of.count * rows * line,
            walks: vec![
                walk(of.count, rows * line, of.rows * of.cols),
                walk(rows, line, row),
                walk(groups, bytes, width * col),
                walk(width, 1, col),
            ],
            first: first * col,
        });
        for (matrix, place) in (0..).zip(&tensor.places) {
            for group in 0..groups {
                for at in 0..rows {
                    let (partition, address) = place.element(at, first + group * width);
                    layout.pieces.push(Piece {
                        partition,
                        place: address / WORD_BYTES,
                        count: bytes / WORD_BYTES,
                        memory: begin + (matrix * rows + at) * line + group * bytes,
                    });
                }
            }
        }
    }
    debug_assert!(cols > 0);
    layout
}
