//! The clocked state buffer: a chain of partitions.

use super::partition::{PartitionModel, PartitionShape};
use super::slots::{DrainWord, Events, HostRequest, OperandSlot, PartitionInputs, WeightSlot};

/// Inputs of one clock cycle: the waves as they enter the first partition.
#[derive(Debug, Clone, Default)]
pub struct StateBufferInputs {
    /// Operand wave.
    pub operand: OperandSlot,
    /// Fault entering the chain, one cycle after its slot.
    pub fault: bool,
    /// Weight wave.
    pub weight: WeightSlot,
    /// Word address of the copy of the weight slot six cycles ago.
    pub destination: u16,
    /// Drain word of each row.
    pub drain: Vec<Option<DrainWord>>,
    /// Host access.
    pub host: HostRequest,
    /// Host read answer entering the chain.
    pub answer: Option<u64>,
    /// Events entering the chain.
    pub events: Events,
}

/// Outputs of one clock cycle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateBufferOutputs {
    /// Operand slot leaving the last partition.
    pub operand: OperandSlot,
    /// A slot two cycles after it entered the last partition: it has no address in some partition.
    pub fault: bool,
    /// Weight slot leaving the last partition.
    pub weight: WeightSlot,
    /// Destination leaving the last partition.
    pub destination: u16,
    /// Host access leaving the last partition.
    pub host: HostRequest,
    /// Host read answer leaving the last partition.
    pub answer: Option<u64>,
    /// Events leaving the last partition.
    pub events: Events,
    /// The last operand of each row that was not zero; none before the first.
    pub x: Vec<Option<i16>>,
    /// The slot of each row holds an operand that is not zero.
    pub nz: Vec<bool>,
    /// Swap flag of each row.
    pub swap: Vec<bool>,
    /// Shift enable of each row.
    pub shift: Vec<bool>,
    /// Weight word of each row; none where the hardware may drive anything.
    pub w: Vec<Option<u64>>,
}

/// The chain of partitions.
#[derive(Debug, Clone)]
pub struct StateBufferModel {
    partitions: Vec<PartitionModel>,
}

impl StateBufferModel {
    /// `rows` partitions of one shape.
    pub fn new(rows: usize, shape: PartitionShape) -> Self {
        Self {
            partitions: vec![PartitionModel::new(shape); rows],
        }
    }

    /// Content of a word, for checks.
    pub fn word(&self, row: usize, word: u16) -> u64 {
        self.partitions[row].word(word)
    }

    /// As [`PartitionModel::met`], of all partitions.
    pub fn met(&self) -> u64 {
        self.partitions.iter().map(PartitionModel::met).sum()
    }

    /// One clock cycle: returns the outputs of this cycle, then takes the clock edge.
    ///
    /// # Panics
    /// If `inputs.drain` does not have one entry per row.
    pub fn step(&mut self, inputs: &StateBufferInputs) -> StateBufferOutputs {
        let mut travelling = PartitionInputs {
            operand: inputs.operand,
            fault: inputs.fault,
            weight: inputs.weight,
            destination: inputs.destination,
            drain: None,
            host: inputs.host,
            answer: inputs.answer,
            events: inputs.events,
        };
        let mut outputs = StateBufferOutputs {
            operand: OperandSlot::default(),
            fault: false,
            weight: WeightSlot::default(),
            destination: 0,
            host: HostRequest::default(),
            answer: None,
            events: Events::default(),
            x: Vec::new(),
            nz: Vec::new(),
            swap: Vec::new(),
            shift: Vec::new(),
            w: Vec::new(),
        };
        for (r, partition) in self.partitions.iter_mut().enumerate() {
            travelling.drain = inputs.drain[r];
            let row = partition.step(&travelling);
            outputs.x.push(row.x);
            outputs.nz.push(row.nz);
            outputs.swap.push(row.swap);
            outputs.shift.push(row.shift);
            outputs.w.push(row.w);
            travelling = PartitionInputs {
                operand: row.operand,
                fault: row.fault,
                weight: row.weight,
                destination: row.destination,
                drain: None,
                host: row.host,
                answer: row.answer,
                events: row.events,
            };
        }
        outputs.operand = travelling.operand;
        outputs.fault = travelling.fault;
        outputs.weight = travelling.weight;
        outputs.destination = travelling.destination;
        outputs.host = travelling.host;
        outputs.answer = travelling.answer;
        outputs.events = travelling.events;
        outputs
    }
}
