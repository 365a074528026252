//! The larger of two tensors, element by element, or the smaller; sides of 1 are broadcast. Values pass unchanged.

use super::prelude::*;

/// What a file says of the larger of two tensors, whose zero points are equal.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MaximumFile {
    /// The smaller one instead. Default: false.
    #[serde(default)]
    pub smaller: bool,
    /// What takes the place of an input. Default: two inputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constant: Option<ConstantFile>,
}

impl OperatorFile for MaximumFile {
    const COMMON: Common = Common::MOVED.of_several();

    fn reads(&self) -> Reads {
        pairs::reads(self.constant.as_ref())
    }

    fn read(self, draft: &mut Draft<'_>) -> Option<LayerKind> {
        draft.broadcast(self.constant.as_ref())?;
        let inputs = draft.layer.inputs.iter();
        let zero_points = inputs.map(|input| input.zero_point);
        let held = self.constant.as_ref().map(|constant| constant.zero_point);
        let all: Vec<i8> = zero_points.chain(held).collect();
        if all[0] != all[1] {
            let message = format!("have the zero points {} and {}, expected equal ones", all[0], all[1]);
            draft.fault("inputs", message);
        }
        Some(LayerKind::Maximum(Maximum {
            smaller: self.smaller,
            constant: self.constant.map(|constant| draft.constant(constant)),
        }))
    }
}

/// The larger of two, or the smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Maximum {
    /// The smaller one.
    pub smaller: bool,
    /// What stands for one of the two.
    pub constant: Option<Constant>,
}

/// What a layer does.
pub(super) struct Op(pub Maximum);

impl Operator for Op {
    fn moves(&self) -> bool {
        true
    }

    fn words(&self, _layer: &Layer) -> Vec<String> {
        match self.0.smaller {
            true => vec!["the smaller one".to_string()],
            false => Vec::new(),
        }
    }

    fn constant(&self) -> Option<Constant> {
        self.0.constant
    }

    fn run(&self, layer: &Layer, inputs: &[&Tensor]) -> Result<Vec<i8>, NetworkError> {
        let zero_point = i32::from(layer.inputs[0].zero_point);
        Ok(pairs::each(layer, inputs, self.0.constant, |[first, second]| {
            let found = match self.0.smaller {
                true => first.min(second),
                false => first.max(second),
            };
            (found + zero_point) as i8
        }))
    }
}
