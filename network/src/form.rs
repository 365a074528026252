//! What the schema of a network file says of its layers, and files that are held against it.

use std::sync::LazyLock;

use heddle_arch::fault::Fault;
use heddle_arch::json;
use schemars::Schema;
use serde_json::{Map, Value, json};

use crate::file::{FORMAT_1, KindFile, LayerFile, NetworkFile, StateFile};

/// Whether a layer must, may or cannot have a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// It must.
    Required,
    /// It may.
    Optional,
    /// It cannot.
    Foreign,
}

/// Which of the fields of all layers a kind has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Common {
    /// `inputs`: required of what reads several tensors.
    pub inputs: Need,
    /// `output_zero_point`.
    pub zero_point: Need,
    /// `output_scale`.
    pub scale: Need,
    /// `table`, and with it `table_zero_point`.
    pub table: Need,
}

impl Common {
    /// Of one tensor whose sums are scaled.
    pub const SCALED: Common = Common {
        inputs: Need::Optional,
        zero_point: Need::Required,
        scale: Need::Optional,
        table: Need::Optional,
    };

    /// Of one tensor whose values pass unchanged.
    pub const MOVED: Common = Common {
        zero_point: Need::Foreign,
        table: Need::Foreign,
        ..Common::SCALED
    };

    /// The same of several tensors.
    #[must_use]
    pub const fn of_several(self) -> Common {
        Common {
            inputs: Need::Required,
            ..self
        }
    }

    fn fields(self) -> [(&'static str, Need); 5] {
        let behind = match self.table {
            Need::Required => Need::Optional,
            other => other,
        };
        [
            ("inputs", self.inputs),
            ("output_zero_point", self.zero_point),
            ("output_scale", self.scale),
            ("table", self.table),
            ("table_zero_point", behind),
        ]
    }
}

/// Makes of the schema of what all layers have one for each kind, with the fields of its own.
pub(crate) fn one_of_each_kind(schema: &mut Schema) {
    let kinds = KindFile::schemas()
        .into_iter()
        .map(|(name, what, mut own, common)| {
            let mut properties = schema.get("properties").cloned().unwrap_or_default();
            let mut required = vec![json!("kind"), json!("name")];
            for (field, need) in common.fields() {
                match need {
                    Need::Required => required.push(json!(field)),
                    Need::Optional => {}
                    Need::Foreign => drop(properties.as_object_mut().map(|all| all.remove(field))),
                }
            }
            properties["kind"] = json!({ "const": name, "description": "What the layer does." });
            let fields = own["properties"].as_object().into_iter().flatten();
            fields.for_each(|(field, allowed)| properties[field] = allowed.clone());
            required.extend(
                own["required"]
                    .as_array_mut()
                    .map(std::mem::take)
                    .unwrap_or_default(),
            );
            json!({
                "type": "object",
                "description": what,
                "properties": properties,
                "required": required,
                "additionalProperties": false,
            })
        });
    let kinds: Vec<Value> = kinds.collect();
    *schema = Map::from_iter([
        ("description".to_string(), json!("A layer.")),
        ("oneOf".to_string(), json!(kinds)),
    ])
    .into();
}

/// Makes a document of the present version of one of the version before.
pub(super) fn update(document: &mut Value) {
    if document["format"] != FORMAT_1 {
        return;
    }
    let layers = document.get_mut("layers").and_then(Value::as_array_mut);
    for layer in layers.into_iter().flatten() {
        if layer["kind"] == "add" {
            layer["kind"] = json!("weighted_sum");
        }
    }
}

/// Checks what the schema says of a file that was never text. Long lists are left out of it: their elements have types.
pub(super) fn check_limits(file: &mut NetworkFile) -> Result<(), Vec<Fault>> {
    let taken = |layer: &mut LayerFile| layer.kind.weights_mut().map(std::mem::take);
    let weights: Vec<Option<Vec<i8>>> = file.layers.iter_mut().map(taken).collect();
    let images = std::mem::take(&mut file.test.images);
    let taken = |state: &mut StateFile| state.initial.take();
    let initial: Vec<Option<Vec<i8>>> = file.states.iter_mut().map(taken).collect();
    let faults = json::faults_of(file, schema());
    for (state, initial) in file.states.iter_mut().zip(initial) {
        state.initial = initial;
    }
    file.test.images = images;
    for (layer, weights) in file.layers.iter_mut().zip(weights) {
        if let (Some(place), Some(weights)) = (layer.kind.weights_mut(), weights) {
            *place = weights;
        }
    }
    match faults.is_empty() {
        true => Ok(()),
        false => Err(faults),
    }
}

pub(super) fn schema() -> &'static Value {
    static SCHEMA: LazyLock<Value> = LazyLock::new(json::schema_of::<NetworkFile>);
    &SCHEMA
}
