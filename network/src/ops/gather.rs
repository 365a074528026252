//! Elements of other places: parts, orders and copies of any kind. Values pass unchanged.

use super::prelude::*;

/// What a file says of elements of other places. The output takes at a channel, row and column the element of the input whose number
/// is the sum of three numbers; elements are counted in the order channel, row, column.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GatherFile {
    /// The number that each channel of the output adds.
    #[schemars(length(min = 1, max = 65536))]
    pub channels: Vec<u32>,
    /// The same of its rows.
    #[schemars(length(min = 1, max = 65536))]
    pub rows: Vec<u32>,
    /// The same of its columns.
    #[schemars(length(min = 1, max = 65536))]
    pub columns: Vec<u32>,
}

impl OperatorFile for GatherFile {
    const COMMON: Common = Common::MOVED;

    fn read(self, draft: &mut Draft<'_>) -> Option<LayerKind> {
        let sources = [self.channels, self.rows, self.columns];
        let largest = |list: &Vec<u32>| u64::from(list.iter().copied().max().unwrap_or(0));
        let (last, has) = (
            sources.iter().map(largest).sum::<u64>(),
            draft.shapes[0].elements() as u64,
        );
        if last >= has {
            let message = format!("reach element {last} with rows and columns, expected less than {has}");
            draft.fault("channels", message);
            return None;
        }
        let sides = [0, 1, 2].map(|i| sources[i].len() as u64);
        draft.layer.output = draft.bounded(sides, "channels")?;
        draft.layer.sources = sources;
        Some(LayerKind::Gather)
    }
}

/// What a layer does.
pub(super) struct Op;

impl Operator for Op {
    fn moves(&self) -> bool {
        true
    }

    fn run(&self, layer: &Layer, inputs: &[&Tensor]) -> Result<Vec<i8>, NetworkError> {
        let [channels, rows, columns] = &layer.sources;
        Ok(Tensor::values_of(layer.output, |[channel, y, x]| {
            let number = channels[channel as usize] + rows[y as usize] + columns[x as usize];
            inputs[0].values[number as usize]
        }))
    }
}
