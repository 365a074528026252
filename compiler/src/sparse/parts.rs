//! A program in parts: commands with what each of them takes or gives.

use heddle_arch::isa::sparse::{SparseCommand, SparseDrain, SparseWeights};
use heddle_arch::word::WORD_BYTES;

use super::axis::Span;
use super::passed::{MapPart, ResultPart};
use super::program::Program;

/// A command, and what belongs to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    /// A load takes a part of the input.
    Load(SparseCommand, MapPart),
    /// A drain gives a part of the output.
    Drain(SparseDrain, ResultPart),
    /// Weights have these words.
    Weights(SparseCommand, Vec<u64>),
    /// Nothing does.
    Alone(SparseCommand),
}

impl Program {
    /// All commands in their order.
    pub(crate) fn parts(&self) -> Vec<Part> {
        let (mut maps, mut results) = (self.maps.iter(), self.results.iter());
        let mut weights = &self.weights[..];
        let channels = self.plan.section.channels;
        let mut part = |command: &SparseCommand| match command {
            SparseCommand::Load(_) => {
                Part::Load(command.clone(), maps.next().expect("of each load").clone())
            }
            SparseCommand::Drain(drain) => Part::Drain(
                drain.clone(),
                results.next().expect("of each drain").clone(),
            ),
            SparseCommand::Weights(SparseWeights { words, .. }) => {
                let (own, rest) = weights.split_at(record_words(*words, channels));
                weights = rest;
                Part::Weights(command.clone(), own.to_vec())
            }
            _ => Part::Alone(command.clone()),
        };
        self.commands.iter().map(&mut part).collect()
    }
}

/// Words of the stream for so many weight words: a word of indices for each four of them.
fn record_words(words: u32, channels: u32) -> usize {
    (words.div_ceil(4) + words * channels.div_ceil(WORD_BYTES)) as usize
}

/// Some groups of a drain, all of them or those of one share at most.
pub(crate) fn of_groups(drain: &SparseDrain, groups: &Span) -> SparseDrain {
    SparseDrain {
        groups: groups.len() as u32,
        each: match groups.start {
            0 => drain.each,
            _ => groups.len() as u32,
        },
        group: (drain.group + groups.start) % 16,
        share: groups.start / drain.each,
        tile: drain.tile + groups.start,
        ..drain.clone()
    }
}
