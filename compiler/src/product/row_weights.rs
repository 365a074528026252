//! What the rows of the array hold in each K tile.

use heddle_network::Layer;

use super::flatten::{Tap, places};
use super::reduction::Reduction;
use super::weights::{WeightPlan, planes};

impl WeightPlan {
    /// What a row holds in each K tile of a column tile.
    pub(super) fn row_weights(&self, layer: &Layer, row: u32, column_tile: u32) -> Vec<RowWeight> {
        let (part, tile) = (self.part(column_tile), self.tile_of_part(column_tile));
        match self.reduction {
            Reduction::Rows(flattening) => {
                let taps = (0..flattening.k_tiles).map(|k_tile| flattening.tap(row, k_tile));
                taps.map(RowWeight::Tap).collect()
            }
            Reduction::Blocks(blocks) => {
                let channel = tile * self.lanes + self.lane_of_row(row, part, 0);
                let phase = self.plane_of_row(row, part, 0);
                let tap = |step, output| {
                    let is_made = output < blocks.phases.count();
                    let [y, x] = blocks.place(step, phase, output).filter(|_| is_made)?;
                    Some(Tap { channel, y, x })
                };
                let taps = |step| [0, 1, 2, 3].map(|output| tap(step, output));
                let taps = places(blocks.steps()).map(taps);
                taps.map(RowWeight::Phases).collect()
            }
            _ => planes(layer, self.lanes, tile)
                .flat_map(|plane| self.of_plane(layer, row, part, plane))
                .collect(),
        }
    }

    /// What a row holds in the K tiles of a plane.
    fn of_plane(&self, layer: &Layer, row: u32, part: u32, plane: u32) -> Vec<RowWeight> {
        let channel = |input| {
            let channel = plane * self.lanes + self.lane_of_row(row, part, input);
            (channel < layer.input.channels).then_some(channel)
        };
        let same = |(input, factor): (usize, i8)| match channel(input) {
            Some(channel) => RowWeight::Same(channel, factor),
            None => RowWeight::Tap(None),
        };
        match self.reduction {
            Reduction::Window(_) => {
                vec![same((0, layer.weights.first().copied().unwrap_or(1)))]
            }
            Reduction::Terms => self.constants.terms(layer).into_iter().map(same).collect(),
            _ => {
                let tap = |[y, x]: [u32; 2]| channel(0).map(|channel| Tap { channel, y, x });
                let taps = places(layer.kernel).map(tap);
                taps.map(RowWeight::Tap).collect()
            }
        }
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
