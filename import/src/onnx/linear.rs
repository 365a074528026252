//! Resize between the two nearest places of each dimension, in the order in which onnxruntime adds.

use heddle_network::ops::float32::{Pair, Step};

use super::moves::Side;
use super::reader::Reader;
use super::schema::Node;

/// For each place of a dimension two of the input, and the shares of both.
type Between = Vec<([u32; 2], [f32; 2])>;

impl<'a> Reader<'a> {
    /// A plane of another size: the sum of four elements, each with its share.
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
        let mut sum = None;
        for (y, x) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let sources = vec![
                (0..planes).map(|plane| plane * from[0] * from[1]).collect(),
                rows.iter().map(|(places, _)| places[y] * from[1]).collect(),
                columns.iter().map(|(places, _)| places[x]).collect(),
            ];
            let share = |(_, down): &([u32; 2], [f32; 2])| {
                let down = down[y];
                columns.iter().map(move |(_, across)| across[x] * down)
            };
            let shares = rows.iter().flat_map(share).collect();
            let taken = self.reals.step(Step::Gather {
                of: [flat],
                sources,
            })?;
            let shares = self.reals.numbers(shares, vec![height, width]);
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
