//! Functions of one byte.

use heddle_network::file::{LayerFile, TableFile};

use super::Lowering;
use super::layers::{Made, Refused, Source, layer_of, made};
use crate::exact::{Function, table, table_exact};
use crate::model::{Element, Kind, Operator, Quantised};
use crate::report::{Row, Runs};
use crate::scale::bounds;

impl Lowering<'_> {
    /// The function that an operator is of each byte.
    pub(super) fn function(&self, operator: &Operator) -> Option<Function> {
        let int8 = |tensor: &usize| self.model.tensors[*tensor].element == Element::Int8;
        let reads_bytes = operator
            .inputs
            .first()
            .and_then(Option::as_ref)
            .is_some_and(int8);
        match &operator.kind {
            Kind::Table(function) => Some(*function),
            Kind::Host if operator.name.starts_with("QUANTIZE") => {
                let makes_bytes = operator.outputs.iter().all(int8);
                (reads_bytes && makes_bytes).then_some(Function::Quantize)
            }
            Kind::Prelu => {
                let slope = self.operand(operator, 1)?;
                let &[value] = &slope.int8()?[..] else {
                    return None;
                };
                Some(Function::Prelu(value, slope.quantised().ok()?))
            }
            _ => None,
        }
    }

    /// The layer with the table of a function: that which makes what the operator reads, or one of its own.
    pub(super) fn tabled(
        &mut self,
        operator: &Operator,
        function: Function,
        output: usize,
    ) -> Result<Made, Refused> {
        let output = self.model.tensors[output].quantised()?;
        let made = self.table(operator, function, output)?;
        Ok(self.fold_table(operator, made))
    }

    fn table(
        &self,
        operator: &Operator,
        function: Function,
        output: Quantised,
    ) -> Result<Made, Refused> {
        let source = self.plane_source(operator, 0)?;
        let (min, max) = bounds(operator.activation, output)?;
        let values = table(function, source.quantised, output)?;
        let exact = table_exact(function, source.quantised, output, &values)?;
        let values = values.map(|value| value.clamp(min, max));
        Ok(Made {
            exact,
            ..table_layer(&source, values.to_vec(), output)
        })
    }

    /// Puts a table into the layer that makes what it reads, if nobody else does.
    fn fold_table(&mut self, operator: &Operator, made: Made) -> Made {
        let Some(&Some(input)) = operator.inputs.first() else {
            return made;
        };
        let operators = self.model.operators.iter();
        let readers = operators.filter(|other| other.inputs.contains(&Some(input)));
        let is_alone = readers.count() == 1 && !self.model.outputs.contains(&input);
        let name = self.values.get(&input).map(|value| value.name.clone());
        let last = self
            .layers
            .last()
            .filter(|layer| layer.takes_table() && Some(&layer.name) == name.as_ref());
        let (tensor, index) = self.shown(input);
        let made_by =
            |row: &&mut Row| row.layer == name && row.tensor == tensor && row.index == index;
        let row = self.rows.iter_mut().find(made_by);
        let (Some(row), true, true) = (row, is_alone, last.is_some()) else {
            return made;
        };
        let layer = self.layers.pop().expect("it was there");
        let zero_point = layer
            .output_zero_point
            .unwrap_or(self.values[&input].zero_point);
        let text = format!("{}, table", row.runs.text());
        row.layer = None;
        row.runs = Runs::Folded("into its table".to_string());
        Made {
            text,
            exact: row.exact.and(made.exact),
            layer: LayerFile {
                table: made.layer.table,
                table_zero_point: Some(zero_point),
                output_zero_point: made.layer.output_zero_point,
                output_scale: made.layer.output_scale,
                ..layer
            },
            ..made
        }
    }
}

/// A layer of a table alone.
pub(super) fn table_layer(source: &Source<'_>, values: Vec<i8>, output: Quantised) -> Made {
    let layer = LayerFile {
        table: Some(values),
        ..layer_of(&[source], output, TableFile {})
    };
    made(layer, "table", source.plane, output)
}
