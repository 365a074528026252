//! What the reference kernels gave: arrays of `tests/data`.

use std::fs::File;
use std::io::Read;

use zip::ZipArchive;

use crate::model::{Model, Operator, Quantised};
use crate::scale::bounds;
use crate::tflite;

/// A file of NumPy arrays.
pub struct Recorded(ZipArchive<File>);

impl Recorded {
    pub fn open(name: &str) -> Recorded {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/");
        let file = File::open(format!("{folder}{name}")).unwrap();
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

/// The only operator of a model, what it reads and what it gave.
pub struct Case<'a> {
    pub model: Model<'a>,
    pub inputs: Vec<Vec<i8>>,
}

impl Case<'_> {
    /// Of the model `name` in a file whose bytes are `file`; constants are inputs too.
    pub fn new<'a>(recorded: &mut Recorded, name: &str, file: &'a [u8]) -> Case<'a> {
        let model = tflite::read(file).unwrap();
        let inputs = model.operators[0].inputs.iter().flatten().map(|&index| {
            match model.inputs.iter().position(|&input| input == index) {
                Some(number) => recorded.int8(&format!("{name}/input{number}")),
                None => model.tensors[index].int8().unwrap_or_default(),
            }
        });
        let inputs = inputs.collect();
        Case { model, inputs }
    }

    pub fn operator(&self) -> &Operator {
        &self.model.operators[0]
    }

    pub fn input(&self, number: usize) -> Quantised {
        let index = self.operator().inputs[number].unwrap();
        self.model.tensors[index].quantised().unwrap()
    }

    /// Sizes of what is read.
    pub fn shape(&self, number: usize) -> Vec<usize> {
        let index = self.operator().inputs[number].unwrap();
        let shape = &self.model.tensors[index].shape;
        shape.iter().map(|&size| size as usize).collect()
    }

    pub fn output(&self) -> Quantised {
        let index = self.operator().outputs[0];
        self.model.tensors[index].quantised().unwrap()
    }

    pub fn bounds(&self) -> (i8, i8) {
        bounds(self.operator().activation, self.output()).unwrap()
    }
}
