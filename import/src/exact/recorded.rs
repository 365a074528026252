//! What the reference kernels gave: arrays of `tests/data`.

use std::fs::File;
use std::io::Read;

use zip::ZipArchive;

use crate::model::{Model, Operator, Quantised};
use crate::scale::bounds;
use crate::tflite;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/");

/// A file of NumPy arrays.
pub struct Recorded(ZipArchive<File>);

impl Recorded {
    pub fn open(name: &str) -> Recorded {
        let file = File::open(format!("{FOLDER}{name}")).unwrap();
        Recorded(ZipArchive::new(file).unwrap())
    }

    /// Names of the arrays that end in this, without it.
    pub fn names(&self, end: &str) -> Vec<String> {
        let names = self.0.file_names();
        let mut found: Vec<String> = names
            .filter_map(|name| name.strip_suffix(&format!("{end}.npy")))
            .map(str::to_string)
            .collect();
        found.sort();
        found
    }

    /// The bytes of an array: what follows the header of its .npy file.
    pub fn bytes(&mut self, name: &str) -> Vec<u8> {
        let mut file = Vec::new();
        let mut member = self.0.by_name(&format!("{name}.npy")).unwrap();
        member.read_to_end(&mut file).unwrap();
        let header = u16::from_le_bytes([file[8], file[9]]);
        file.split_off(10 + usize::from(header))
    }

    /// Gives the only operator of every model in the file, with its name.
    pub fn each_operator(&mut self, mut see: impl FnMut(&mut Recorded, &str, &Case<'_>)) {
        for name in self.names("/model") {
            let file = self.bytes(&format!("{name}/model"));
            let model = tflite::read(&file).unwrap();
            let case = Case::new(&model, &model.operators[0], |index| {
                let number = model.inputs.iter().position(|&input| input == index);
                self.int8(&format!("{name}/input{}", number.unwrap()))
            });
            see(self, &name, &case);
        }
    }

    pub fn int8(&mut self, name: &str) -> Vec<i8> {
        self.bytes(name)
            .into_iter()
            .map(|byte| byte as i8)
            .collect()
    }

    pub fn words(&mut self, name: &str) -> Vec<[u8; 4]> {
        let bytes = self.bytes(name);
        bytes
            .chunks_exact(4)
            .map(|word| word.try_into().unwrap())
            .collect()
    }

    pub fn float32(&mut self, name: &str) -> Vec<f32> {
        self.words(name)
            .into_iter()
            .map(f32::from_le_bytes)
            .collect()
    }
}

/// Gives every operator of a network, with what it made.
pub fn each_of_a_network(name: &str, mut see: impl FnMut(&Case<'_>, &[i8])) {
    let mut recorded = Recorded::open(&format!("{name}.npz"));
    let file = std::fs::read(format!("{FOLDER}{name}.tflite")).unwrap();
    let model = tflite::read(&file).unwrap();
    let mut tensor = |index: usize| recorded.int8(&format!("tensor/{index}"));
    for operator in &model.operators {
        let case = Case::new(&model, operator, &mut tensor);
        see(&case, &tensor(operator.outputs[0]));
    }
}

/// An operator and what it reads.
pub struct Case<'a> {
    pub model: &'a Model<'a>,
    pub operator: &'a Operator,
    pub inputs: Vec<Vec<i8>>,
}

impl<'a> Case<'a> {
    /// `values` are those of a tensor that is no constant.
    pub fn new(
        model: &'a Model<'a>,
        operator: &'a Operator,
        mut values: impl FnMut(usize) -> Vec<i8>,
    ) -> Case<'a> {
        let inputs = operator
            .inputs
            .iter()
            .flatten()
            .map(|&index| match &model.tensors[index] {
                tensor if tensor.data.is_some() => tensor.int8().unwrap_or_default(),
                _ => values(index),
            });
        let inputs = inputs.collect();
        Case {
            model,
            operator,
            inputs,
        }
    }

    pub fn input(&self, number: usize) -> Quantised {
        let index = self.operator.inputs[number].unwrap();
        self.model.tensors[index].quantised().unwrap()
    }

    /// Sizes of what is read.
    pub fn shape(&self, number: usize) -> Vec<usize> {
        let index = *self.operator.inputs.iter().flatten().nth(number).unwrap();
        let shape = &self.model.tensors[index].shape;
        shape.iter().map(|&size| size as usize).collect()
    }

    pub fn output(&self) -> Quantised {
        let index = self.operator.outputs[0];
        self.model.tensors[index].quantised().unwrap()
    }

    pub fn bounds(&self) -> (i8, i8) {
        bounds(self.operator.activation, self.output()).unwrap()
    }
}
