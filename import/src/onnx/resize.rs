//! Planes of another size: of the nearest elements, or between the two nearest of each dimension.

use heddle_network::Network;
use heddle_network::ops::float32::{Pair, Step};

use super::constant::Constant;
use super::reader::Reader;
use super::schema::Node;
use crate::reals::Made;

/// For each place of a dimension two of the input, and the shares of both.
type Between = Vec<([u32; 2], [f32; 2])>;

impl<'a> Reader<'a> {
    /// The places of the nearest elements of a plane of another size, as they are counted and rounded in single precision.
    pub fn nearest(&self, node: &'a Node, shape: &[u32]) -> Result<Vec<Vec<usize>>, String> {
        let mode = node.text("mode");
        if !matches!(mode, "" | "nearest") {
            return Err(format!("has mode {mode:?}, expected nearest or linear"));
        }
        let sides = self.resized(node, shape)?.into_iter();
        let places = sides.map(|side| (0..side.to).map(|at| side.nearest(node, at)).collect());
        places.collect()
    }

    /// The dimensions of a tensor that becomes larger or smaller.
    fn resized(&self, node: &'a Node, shape: &[u32]) -> Result<Vec<Side>, String> {
        let named = ["axes", "keep_aspect_ratio_policy"];
        if named.iter().any(|name| node.attribute(name).is_some()) {
            let mode = node.text("mode");
            return Err(format!(
                "has mode {mode:?}, axes or a policy, expected nearest or linear alone"
            ));
        }
        // In version 10 scales are the second input, and each place of the output is divided by them.
        let is_old = node.inputs.len() == 2;
        let scales = self.constant(node, if is_old { 1 } else { 2 })?;
        let scales = scales.and_then(Constant::floats).unwrap_or_default();
        let sizes = self.list(node, 3, "sizes")?.unwrap_or_default();
        let wrong = || format!("makes scales {scales:?} or sizes {sizes:?} of {shape:?}");
        if shape.len() != scales.len().max(sizes.len()) {
            return Err(wrong());
        }
        let sides = shape.iter().enumerate().map(|(axis, &from)| {
            let (to, scale) = match scales.get(axis) {
                Some(&scale) => ((from as f32 * scale).floor() as u32, scale),
                None => {
                    let to = u32::try_from(sizes[axis]).map_err(|_| wrong())?;
                    (to, to as f32 / from as f32)
                }
            };
            let is_size = (1..=Network::SIZE_MAX).contains(&to);
            if from == 0 || !is_size || !scale.is_finite() || axis < 2 && to != from {
                return Err(wrong());
            }
            Ok(Side {
                is_old,
                from,
                to,
                scale,
            })
        });
        sides.collect()
    }

    /// A plane of another size: the sum of four elements, each with its share, in the order in which onnxruntime adds.
    pub fn linear(&mut self, node: &'a Node, x: u32) -> Result<u32, String> {
        let shape = self.reals.shape(x).to_vec();
        let sides = self.resized(node, &shape)?;
        let (Some([down, across]), true) = (sides.last_chunk::<2>(), shape.len() > 2) else {
            return Err(format!(
                "resizes {shape:?}, expected batch, channels, height and width"
            ));
        };
        let [rows, columns] = [between(node, down)?, between(node, across)?];
        let (height, width) = (rows.len() as u32, columns.len() as u32);
        let from = [shape[shape.len() - 2], shape[shape.len() - 1]];
        let planes = shape[..shape.len() - 2].iter().product();
        let flat = self.reals.reshape(x, vec![planes, from[0], from[1]])?;
        let shares = |list: &Between, place: usize| {
            let shares = list.iter().map(|(_, shares)| shares[place]);
            Made::Numbers(shares.collect())
        };
        let mut sum = None;
        for (y, x) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let sources = vec![
                (0..planes).map(|plane| plane * from[0] * from[1]).collect(),
                rows.iter().map(|(places, _)| places[y] * from[1]).collect(),
                columns.iter().map(|(places, _)| places[x]).collect(),
            ];
            let taken = self.reals.step(Step::Gather {
                of: [flat],
                sources,
            })?;
            let down = self.reals.push(shares(&rows, y), vec![height, 1])?;
            let across = self.reals.push(shares(&columns, x), vec![width])?;
            let shares = self.reals.pair(Pair::Mul, across, down)?;
            let part = self.reals.pair(Pair::Mul, shares, taken)?;
            sum = Some(match sum {
                None => part,
                Some(sum) => self.reals.pair(Pair::Add, sum, part)?,
            });
        }
        let to = [&shape[..shape.len() - 2], &[height, width]].concat();
        self.reals.reshape(sum.unwrap_or(flat), to)
    }
}

fn between(node: &Node, side: &Side) -> Result<Between, String> {
    let last = side.from - 1;
    let place = |at: u32| {
        let found = side.place(node, at)?.max(0.0).min(last as f32);
        let first = (found as u32).min(last);
        let second = (first + 1).min(last);
        let shares = match first == second {
            true => [0.5; 2],
            false => [(found - second as f32).abs(), (found - first as f32).abs()],
        };
        Ok(([first, second], shares))
    };
    (0..side.to).map(place).collect()
}

/// A dimension of a plane that becomes another one.
struct Side {
    is_old: bool,
    from: u32,
    to: u32,
    scale: f32,
}

impl Side {
    /// Where a place of the output lies in the input.
    fn place(&self, node: &Node, at: u32) -> Result<f32, String> {
        let &Side {
            is_old,
            from,
            to,
            scale,
        } = self;
        let at = at as f32;
        let half = |at: f32| (at + 0.5) / scale - 0.5;
        let mode = node.text("coordinate_transformation_mode");
        Ok(match mode {
            _ if is_old || scale == 1.0 => at / scale,
            "" | "half_pixel" => half(at),
            "pytorch_half_pixel" => {
                if to > 1 {
                    half(at)
                } else {
                    0.0
                }
            }
            "asymmetric" => at / scale,
            "align_corners" => {
                if to > 1 {
                    at * (from - 1) as f32 / (to - 1) as f32
                } else {
                    0.0
                }
            }
            _ => return Err(format!("has coordinate_transformation_mode {mode:?}")),
        })
    }

    /// The place of the element that is nearest to one of the output.
    fn nearest(&self, node: &Node, at: u32) -> Result<usize, String> {
        let (found, is_old) = (self.place(node, at)?, self.is_old);
        let mode = node.text("nearest_mode");
        let found = match mode {
            _ if is_old && self.scale < 1.0 => found.ceil(),
            _ if is_old => found.trunc(),
            "" | "round_prefer_floor" if found == found.trunc() + 0.5 => found.trunc(),
            "" | "round_prefer_floor" | "round_prefer_ceil" => found.round(),
            "floor" => found.floor(),
            "ceil" => found.ceil(),
            _ => return Err(format!("has nearest_mode {mode:?}")),
        };
        Ok((found.max(0.0) as usize).min(self.from as usize - 1))
    }
}
