//! Where the host's tensors lie in memory: planes of words as the machine has them, so that few transfers move them.

use std::collections::BTreeMap;

use heddle_arch::image::{Element, LOOPS, Tensor, TensorLoop, WORK};
use heddle_arch::transfer::{Space, Transfer};
use heddle_arch::word::WORD_BYTES;
use heddle_network::Network;

use super::form::{Range, UserForm};
use super::words::UNSIGNED;
use crate::emit::Program;
use crate::layout::{HostPlanes, Kind, MatrixPlace, MatrixTensor, Piece, TensorPlan, folded};
use crate::memory::{INPUT, OUTPUT};

/// Tensors that have places.
pub(super) struct Tensors<'a> {
    program: &'a Program,
    network: &'a Network,
    form: &'a UserForm,
    pub entries: Vec<Tensor>,
    /// Numbers of the first entries of those that have a place behind the runs.
    numbers: BTreeMap<usize, u32>,
}

/// A tensor in memory.
struct Layout {
    bytes: u32,
    /// Byte and number of each element, by bytes. Numbers are in the order channel, row, column.
    elements: Vec<(u32, u32)>,
    /// The words that move.
    pieces: Vec<Piece>,
}

/// Elements that loops reach, the outermost last.
#[derive(Debug, Clone)]
struct Nest {
    memory: u32,
    user: u32,
    loops: Vec<TensorLoop>,
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
            numbers: BTreeMap::new(),
        }
    }

    /// An input and the LOADs that bring it.
    pub fn input(&mut self, tensor: usize, is_input: bool) -> Vec<Transfer> {
        self.region(tensor, INPUT, [is_input, false])
    }

    /// A tensor that is read behind the last run, and the STOREs that bring it.
    pub fn output(&mut self, tensor: usize, is_output: bool) -> Vec<Transfer> {
        self.numbers.insert(tensor, self.entries.len() as u32);
        self.region(tensor, OUTPUT, [false, is_output])
    }

    fn region(&mut self, tensor: usize, region: u32, [input, output]: [bool; 2]) -> Vec<Transfer> {
        let plan = &self.program.tensors[tensor];
        let host = self.program.host.iter().find(|own| own.tensor == tensor);
        let layout = match (host, &plan.matrices) {
            (Some(host), _) => Layout {
                bytes: host.planes.bytes(),
                elements: host.planes.elements(),
                pieces: Vec::new(),
            },
            (None, Some(matrices)) => of_matrices(matrices),
            (None, None) => of_planes(plan, region == OUTPUT),
        };
        let own = self.user(tensor);
        let base = host.map_or_else(|| self.end(region), |host| host.offset);
        let nests = self.nests(tensor, &layout.elements);
        let ends = nests.iter().skip(1).map(|next| next.memory);
        let ends: Vec<u32> = ends.chain([layout.bytes]).collect();
        for (nest, end) in nests.into_iter().zip(ends) {
            self.entries.push(Tensor {
                name: self.name(tensor),
                input,
                output,
                element: own.element,
                region,
                offset: u64::from(base + nest.memory),
                bytes: u64::from(end - nest.memory),
                scale: own.scale,
                zero_point: own.zero_point,
                padding: plan.zero_point as u8 ^ own.moved,
                extents: self.extents(tensor),
                loops: nest.loops.into_iter().rev().collect(),
                first: nest.user,
            });
        }
        let kind = Kind {
            space: Space::Buffer,
            region,
            zero: plan.zero_point as u8 ^ own.moved,
        };
        let pieces = layout.pieces.iter().map(|piece| Piece {
            memory: base + piece.memory,
            ..*piece
        });
        kind.transfers(&pieces.collect::<Vec<_>>())
    }

    /// A tensor that the host makes, in the order of the user; gives its number.
    pub fn work(&mut self, tensor: usize, output: bool) -> u32 {
        let own = self.user(tensor);
        let number = self.host(tensor, self.name(tensor), own, [false, output]);
        self.numbers.insert(tensor, number);
        number
    }

    /// The real numbers that bytes stand for, in the order of the user; gives their number.
    pub fn real(&mut self, tensor: usize, name: String, flags: [bool; 2]) -> u32 {
        let own = UserTensor {
            element: Element::Float32,
            zero_point: 0,
            scale: 0.0,
            moved: 0,
        };
        self.host(tensor, name, own, flags)
    }

    fn host(
        &mut self,
        tensor: usize,
        name: String,
        own: UserTensor,
        [input, output]: [bool; 2],
    ) -> u32 {
        let extents = self.extents(tensor);
        let elements: u32 = extents.iter().product();
        let element = own.element;
        let bytes = element.bytes() as u32;
        self.entries.push(Tensor {
            name,
            input,
            output,
            element,
            region: WORK,
            offset: self.end(WORK).into(),
            // What the user gives stays where it is.
            bytes: match input {
                true => 0,
                false => u64::from((elements * bytes).next_multiple_of(WORD_BYTES)),
            },
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
        (end.unwrap_or(0) as u32).max(self.program.host_end(region))
    }

    /// Number of the first entry of a tensor that has a place behind the runs.
    pub fn number(&self, tensor: usize) -> Option<u32> {
        self.numbers.get(&tensor).copied()
    }

    pub fn name(&self, tensor: usize) -> String {
        self.form.names[tensor].clone()
    }

    fn user(&self, tensor: usize) -> UserTensor {
        let range = self.form.ranges.get(&tensor).copied();
        let Range { scale, zero_point } = range.unwrap_or_else(|| Range {
            scale: 0.0,
            zero_point: self.network.tensor(tensor).1,
        });
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
                moved: if unsigned { UNSIGNED } else { 0 },
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

    /// Elements as few nests of loops, by bytes.
    fn nests(&self, tensor: usize, elements: &[(u32, u32)]) -> Vec<Nest> {
        let elements = elements.iter().map(|&(memory, element)| Nest {
            memory,
            user: self.user_elements(tensor, element),
            loops: Vec::new(),
        });
        let distance = |a: &Nest, b: &Nest| {
            let user = b.user.checked_sub(a.user)?;
            (a.loops == b.loops).then_some((b.memory - a.memory, user))
        };
        let mut nests: Vec<Nest> = elements.collect();
        for _ in 0..LOOPS {
            nests = folded(nests, distance, |nest, count, (memory, user)| {
                nest.loops.push(TensorLoop {
                    count,
                    memory,
                    user,
                });
            });
        }
        let once = TensorLoop {
            count: 1,
            memory: 0,
            user: 0,
        };
        for nest in nests.iter_mut().filter(|nest| nest.loops.is_empty()) {
            nest.loops.push(once);
        }
        nests
    }
}

/// Planes of all channels.
fn of_planes(plan: &TensorPlan, once: bool) -> Layout {
    let planes = HostPlanes::of(plan.shape, plan.order.steps()[1]);
    Layout {
        bytes: planes.bytes(),
        elements: planes.elements(),
        pieces: planes.pieces(plan, [0, 0], once),
    }
}

/// Rows of matrices as they are stored; columns behind the last whole group stand behind the others if groups have gaps.
fn of_matrices(tensor: &MatrixTensor) -> Layout {
    let of = tensor.matrices;
    let [row, col] = match tensor.turned {
        true => [1, of.cols],
        false => [of.cols, 1],
    };
    let mut layout = Layout {
        bytes: 0,
        elements: Vec::new(),
        pieces: Vec::new(),
    };
    let first = tensor.places.first();
    for (first, groups, width) in first.map_or(Vec::new(), MatrixPlace::column_groups) {
        let bytes = width.next_multiple_of(WORD_BYTES);
        for (matrix, place) in (0..).zip(&tensor.places) {
            for (at, group) in
                (0..place.shape.rows).flat_map(|at| (0..groups).map(move |g| (at, g)))
            {
                let column = first + group * width;
                let (partition, address) = place.element(at, column);
                let memory = layout.bytes;
                layout.pieces.push(Piece {
                    partition,
                    place: address / WORD_BYTES,
                    count: bytes / WORD_BYTES,
                    memory,
                });
                let element = matrix * of.rows * of.cols + at * row + column * col;
                let columns = (0..width).map(|at| (memory + at, element + at * col));
                layout.elements.extend(columns);
                layout.bytes += bytes;
            }
        }
    }
    layout
}
