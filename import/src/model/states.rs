//! What a network keeps from one image to the next, and what it needs.

use std::collections::BTreeSet;

use heddle_network::Network;

use super::{Model, Operator};

/// A tensor that is kept from one image to the next.
#[derive(Debug, Clone)]
pub struct State {
    /// The tensor that has what was kept.
    pub input: usize,
    /// The tensor that is kept.
    pub output: usize,
    /// What the first image finds, in the order of the file.
    pub initial: Vec<i8>,
}

impl State {
    /// Most elements of all of them.
    pub const ELEMENTS_MAX: usize = Network::STATES_MAX;
    /// Most of them.
    pub const COUNT_MAX: usize = 63;
}

impl Model<'_> {
    /// Lets the network end with a tensor; what it does not need is kept no more.
    pub fn end_with(&mut self, tensor: Option<usize>) {
        let count = self.states.len();
        self.inputs.truncate(self.inputs.len() - count);
        self.outputs.truncate(self.outputs.len() - count);
        self.outputs = tensor.map_or(std::mem::take(&mut self.outputs), |tensor| vec![tensor]);
        let own = self.outputs.clone();
        let mut states = std::mem::take(&mut self.states);
        loop {
            let (_, read) = self.needed();
            let (kept, rest): (Vec<State>, Vec<State>) = states
                .into_iter()
                .partition(|state| read.contains(&state.input));
            let is_done = kept.is_empty();
            self.outputs.extend(kept.iter().map(|state| state.output));
            self.states.extend(kept);
            states = rest;
            if is_done {
                break;
            }
        }
        self.inputs
            .extend(self.states.iter().map(|state| state.input));
        self.outputs = own;
        self.outputs
            .extend(self.states.iter().map(|state| state.output));
    }

    /// The operators that the outputs need, and the tensors.
    fn needed(&self) -> (BTreeSet<usize>, BTreeSet<usize>) {
        let mut tensors: BTreeSet<usize> = self.outputs.iter().copied().collect();
        let mut found = BTreeSet::new();
        for (index, operator) in self.operators.iter().enumerate().rev() {
            let mut outputs = operator.outputs.iter();
            if outputs.any(|output| tensors.contains(output)) {
                found.insert(index);
                tensors.extend(operator.inputs.iter().flatten());
            }
        }
        (found, tensors)
    }

    /// The operators that the outputs need, those that assign states, and those that may and cannot run.
    pub fn needed_or_kept(&self) -> BTreeSet<usize> {
        let (mut found, _) = self.needed();
        let operators = self.operators.iter().enumerate();
        let others = operators.filter(|(_, operator)| self.may_assign(operator));
        found.extend(others.map(|(index, _)| index));
        found
    }

    fn may_assign(&self, operator: &Operator) -> bool {
        let has_states = !self.states.is_empty();
        match (&operator.inputs[..], &operator.outputs[..]) {
            _ if !operator.kind.runs() && has_states => {
                let word = operator.name.split(' ').next().unwrap_or_default();
                operator.outputs.is_empty() || ["CALL", "IF", "WHILE"].contains(&word)
            }
            ([], []) => has_states || !operator.kind.runs(),
            (&[_, value], []) => self.states.iter().any(|state| Some(state.output) == value),
            _ => false,
        }
    }
}
