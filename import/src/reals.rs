//! Results in float32 between bytes and bytes: how each is made of others, so that one layer can make them.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use heddle_network::Network;
use heddle_network::ops::float32::{ELEMENTS_MAX, Function, Over, Pair, Step, Stored};

use crate::fold::{Array, Elements, Folder, Step as Fold, View};
use crate::model::Tensor;
use crate::onnx::Constant;
use crate::ops::bytes::OfReal;
use crate::ops::float32::Steps;

/// Most tensors of a layer: operands, constants and steps.
const NEEDED_MAX: usize = 256;

/// What makes a result.
#[derive(Debug)]
pub enum Made<'a> {
    /// It is what the bytes of a tensor stand for.
    Tensor(usize),
    /// It is a constant of the file.
    Constant(Rc<Constant<'a>>),
    /// It is these numbers.
    Numbers(Vec<f32>),
    /// A step, which reads results by their numbers here.
    Step(Step),
}

/// Results in float32, in the order in which they are made.
#[derive(Debug, Default)]
pub struct Reals<'a> {
    all: Vec<(Made<'a>, Vec<u32>)>,
    /// The result of each name.
    pub names: BTreeMap<&'a str, u32>,
}

impl<'a> Reals<'a> {
    pub fn shape(&self, real: u32) -> &[u32] {
        &self.all[real as usize].1
    }

    /// One more result.
    ///
    /// # Errors
    /// If it has no elements, or more than a layer may have.
    pub fn push(&mut self, made: Made<'a>, shape: Vec<u32>) -> Result<u32, String> {
        let count = shape.iter().map(|&size| u64::from(size));
        let count = count.fold(1, u64::saturating_mul);
        if !(1..=ELEMENTS_MAX).contains(&count) {
            return Err(format!(
                "reads or makes {shape:?} in float32, expected 1 to {ELEMENTS_MAX} elements"
            ));
        }
        Ok(self.put(made, shape))
    }

    fn put(&mut self, made: Made<'a>, shape: Vec<u32>) -> u32 {
        self.all.push((made, shape));
        self.all.len() as u32 - 1
    }

    pub fn tensor(&mut self, index: usize, shape: &[u32]) -> Result<u32, String> {
        self.push(Made::Tensor(index), shape.to_vec())
    }

    pub fn number(&mut self, number: f32) -> u32 {
        self.put(Made::Numbers(vec![number]), vec![])
    }

    /// One more step.
    pub fn step(&mut self, step: Step) -> Result<u32, String> {
        let of = step.of().iter().map(|&of| self.shape(of));
        let shape = step.shape(&of.collect::<Vec<_>>())?;
        self.push(Made::Step(step), shape)
    }

    /// Elements of other places, as a step on constants moves them.
    pub fn moved(
        &mut self,
        of: u32,
        step: &Fold,
        others: &[Array],
        folder: &mut Folder,
    ) -> Result<u32, String> {
        let shape = self.shape(of);
        if shape.iter().any(|&size| size > Network::SIZE_MAX) {
            let most = Network::SIZE_MAX;
            return Err(format!("moves {shape:?}, expected sides of at most {most}"));
        }
        let apart = |(axis, &size): (usize, &u32)| (size, shape[axis + 1..].iter().product());
        let apart: Vec<(u32, u32)> = shape.iter().enumerate().map(apart).collect();
        let made = folder.moved(step, &View::new(&apart), others);
        let made = made.ok_or("moves no elements")??;
        let to = made.shape().to_vec();
        let sources = made.sources().ok_or("takes elements that there are not")?;
        let found = self.step(Step::Gather { of: [of], sources })?;
        match self.shape(found) == to {
            true => Ok(found),
            false => self.reshape(found, to),
        }
    }

    pub fn pair(&mut self, pair: Pair, one: u32, other: u32) -> Result<u32, String> {
        let of = [one, other];
        self.step(Step::Pair { of, pair })
    }

    pub fn function(&mut self, function: Function, of: u32) -> Result<u32, String> {
        self.step(Step::Function {
            of: [of],
            function,
            numbers: [0.0; 2],
        })
    }

    pub fn reduce(&mut self, over: Over, of: u32, axes: &[usize]) -> Result<u32, String> {
        let axes = axes.iter().map(|&axis| axis as u32).collect();
        self.step(Step::Reduce {
            of: [of],
            over,
            axes,
        })
    }

    pub fn reshape(&mut self, of: u32, shape: Vec<u32>) -> Result<u32, String> {
        self.step(Step::Reshape { of: [of], shape })
    }

    /// One step of another function, with two numbers.
    pub fn function_of(&mut self, (function, numbers): OfReal, of: u32) -> Result<u32, String> {
        self.step(Step::Function {
            of: [of],
            function,
            numbers,
        })
    }

    /// Exponentials by their sum over these dimensions, or the logarithms of these.
    pub fn shares(&mut self, x: u32, axes: &[usize], is_log: bool) -> Result<u32, String> {
        let most = self.reduce(Over::Max, x, axes)?;
        let below = self.pair(Pair::Sub, x, most)?;
        let powers = self.function(Function::Exp, below)?;
        let sum = self.reduce(Over::Sum, powers, axes)?;
        if is_log {
            let sum = self.function(Function::Log, sum)?;
            return self.pair(Pair::Sub, below, sum);
        }
        self.pair(Pair::Div, powers, sum)
    }

    /// Numbers from 0 on, and those below it times a slope.
    pub fn sloped(&mut self, x: u32, slope: u32) -> Result<u32, String> {
        let zero = self.number(0.0);
        let above = self.pair(Pair::Max, x, zero)?;
        let below = self.pair(Pair::Min, x, zero)?;
        let below = self.pair(Pair::Mul, below, slope)?;
        self.pair(Pair::Add, above, below)
    }

    /// The steps that make a result, and the tensors that they read.
    ///
    /// # Errors
    /// If they are too many for a layer, or read what a layer cannot.
    pub fn steps(
        &self,
        real: u32,
        all: &[Tensor<'_>],
        folder: &mut Folder,
    ) -> Result<(Steps, Vec<usize>), String> {
        let needed = self.needed(real)?;
        let (mut found, mut tensors) = (Steps::default(), Vec::new());
        let mut places = BTreeMap::new();
        for &real in &needed {
            let (made, shape) = &self.all[real as usize];
            if let Made::Tensor(index) = *made
                && all[index].data.is_none()
            {
                let place = tensors.iter().position(|&tensor| tensor == index);
                places.insert(real, place.unwrap_or(tensors.len()));
                if place.is_none() {
                    tensors.push(index);
                    found.operands.push(shape.clone());
                }
            }
        }
        for &real in &needed {
            if !places.contains_key(&real)
                && let Some(stored) = self.stored(real, all, folder)?
            {
                places.insert(real, tensors.len() + found.constants.len());
                found.constants.push(stored);
            }
        }
        for &real in &needed {
            if let Made::Step(step) = &self.all[real as usize].0 {
                let mut step = step.clone();
                step.of_mut()
                    .iter_mut()
                    .for_each(|of| *of = places[of] as u32);
                places.insert(
                    real,
                    tensors.len() + found.constants.len() + found.steps.len(),
                );
                found.steps.push(step);
            }
        }
        match tensors.is_empty() || found.steps.is_empty() {
            true => Err("reads constants alone, expected a result".to_string()),
            false => Ok((found, tensors)),
        }
    }

    /// All that a result is made of, in the order in which it is made.
    fn needed(&self, real: u32) -> Result<BTreeSet<u32>, String> {
        let (mut needed, mut open) = (BTreeSet::new(), vec![real]);
        while let Some(next) = open.pop() {
            if needed.insert(next)
                && let Made::Step(step) = &self.all[next as usize].0
            {
                open.extend(step.of());
            }
            if needed.len() > NEEDED_MAX {
                return Err(format!(
                    "needs more than {NEEDED_MAX} tensors in float32 without a QuantizeLinear between"
                ));
            }
        }
        Ok(needed)
    }

    /// The numbers of a constant; none of anything else.
    fn stored(
        &self,
        real: u32,
        all: &[Tensor<'_>],
        folder: &mut Folder,
    ) -> Result<Option<Stored>, String> {
        let (made, shape) = &self.all[real as usize];
        if matches!(made, Made::Step(_)) {
            return Ok(None);
        }
        folder.spend(shape)?;
        let values = match made {
            Made::Numbers(numbers) => numbers.clone(),
            Made::Constant(constant) => constant.reals(),
            Made::Tensor(index) => all[*index].reals()?,
            Made::Step(_) => vec![],
        };
        match values.iter().find(|value| !value.is_finite()) {
            Some(value) => Err(format!(
                "reads a constant with {value}, expected numbers alone"
            )),
            None => Ok(Some(Stored {
                shape: shape.clone(),
                values,
            })),
        }
    }
}
