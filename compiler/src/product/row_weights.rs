//! What the rows of the array hold in each K tile.

use heddle_network::{Layer, Work};

use super::flatten::Tap;
use super::weights::{WeightPlan, planes};

impl WeightPlan {
    /// What a row holds in each K tile of a column tile.
    pub(super) fn row_weights(&self, layer: &Layer, row: u32, column_tile: u32) -> Vec<RowWeight> {
        if let Some(flattening) = self.flattening {
            let k_tiles = 0..flattening.k_tiles;
            let taps = k_tiles.map(|k_tile| flattening.tap(row, k_tile));
            return taps.map(RowWeight::Tap).collect();
        }
        let (part, tile) = (self.part(column_tile), self.tile_of_part(column_tile));
        let [height, width] = layer.kernel;
        if let Some(blocks) = self.blocks {
            let channel = tile * self.lanes + self.lane_of_row(row, part, 0);
            let phase = self.plane_of_row(row, part, 0);
            let [down, right] = blocks.steps();
            let steps = (0..down).flat_map(|y| (0..right).map(move |x| [y, x]));
            let taps = steps.map(|step| {
                let tap = |output| {
                    let [y, x] = blocks.place(step, phase, output)?;
                    Some(Tap { channel, y, x })
                };
                RowWeight::Phases(
                    [0, 1, 2, 3].map(|output| match output < blocks.phases.count() {
                        true => tap(output),
                        false => None,
                    }),
                )
            });
            return taps.collect();
        }
        let mut weights = Vec::new();
        for plane in planes(layer, self.lanes, tile) {
            let channel = |input| {
                let channel = plane * self.lanes + self.lane_of_row(row, part, input);
                (channel < layer.input.channels).then_some(channel)
            };
            let same = |input, factor: i8| match channel(input) {
                Some(channel) => RowWeight::Same(channel, factor),
                None => RowWeight::Tap(None),
            };
            match layer.work() {
                _ if self.pooling.is_some() => {
                    weights.push(same(0, layer.weights.first().copied().unwrap_or(1)));
                }
                Work::Terms(_) => {
                    let terms = self.constants.terms(layer).into_iter();
                    weights.extend(terms.map(|(input, factor)| same(input, factor)));
                }
                _ => {
                    let places = (0..height).flat_map(|y| (0..width).map(move |x| (y, x)));
                    let tap = |(y, x)| channel(0).map(|channel| Tap { channel, y, x });
                    weights.extend(places.map(|place| RowWeight::Tap(tap(place))));
                }
            }
        }
        weights
    }
}

/// The weights of a row in a K tile.
#[derive(Debug, Clone, Copy)]
pub(super) enum RowWeight {
    /// Those of a tap, 0 without.
    Tap(Option<Tap>),
    /// Those of a tap for columns that make the pixels of one phase, of another one for those of the next.
    Phases([Option<Tap>; 4]),
    /// A factor for the output of the same number, 0 for the others.
    Same(u32, i8),
}

impl RowWeight {
    pub fn at(self, layer: &Layer, (output, phase): (u32, u32)) -> i8 {
        match self {
            _ if output >= layer.output.channels => 0,
            RowWeight::Tap(tap) => weight(layer, tap, output),
            RowWeight::Phases(taps) => weight(layer, taps[phase as usize], output),
            RowWeight::Same(channel, factor) if channel == output => factor,
            RowWeight::Same(..) => 0,
        }
    }
}

/// The weight that leads from a tap to an output channel.
fn weight(layer: &Layer, tap: Option<Tap>, output: u32) -> i8 {
    let group = output / layer.group_outputs();
    let weight = tap.and_then(|Tap { channel, y, x }| {
        let input = channel.checked_sub(group * layer.group_inputs())?;
        (input < layer.group_inputs()).then(|| layer.weight(output, input, y, x))
    });
    weight.unwrap_or(0)
}
