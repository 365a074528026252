//! What runs of consecutive layers of a network of planes need of each memory.

use std::ops::Range;

use heddle_arch::params::Params;
use heddle_network::Network;

use super::allocate::{SpaceRequest, allocate};
use super::row_tables::RowTables;
use super::{Cut, lifetime, numbers, row_tables};
use crate::error::{Memory, Shortage};
use crate::map::{Candidate, TensorLayout};
use crate::product::WeightPlan;

/// A network of planes whose tensors have addresses.
pub(crate) struct Needs<'a> {
    network: &'a Network,
    candidate: &'a Candidate,
    params: &'a Params,
    cut: &'a Cut,
    /// Steps in which each tensor is needed.
    lifetimes: Vec<Range<usize>>,
    /// Address of each tensor; none if one is larger than any partition: it has no map of its words, and no offset leads to its planes.
    bases: Option<Vec<u32>>,
}

impl<'a> Needs<'a> {
    pub fn of(
        network: &'a Network,
        candidate: &'a Candidate,
        params: &'a Params,
        cut: &'a Cut,
    ) -> Self {
        let mut needs = Self {
            network,
            candidate,
            params,
            cut,
            lifetimes: (0..candidate.layouts.len())
                .map(|tensor| lifetime(network, candidate, tensor))
                .collect(),
            bases: None,
        };
        let largest = needs.layouts().map(|layout| layout.footprint.bytes).max();
        if largest.unwrap_or(0) <= u64::from(params.operand_bytes()) {
            needs.bases = Some(needs.addresses());
        }
        needs
    }

    fn layouts(&self) -> impl Iterator<Item = &'a TensorLayout> + use<'a> {
        self.candidate.layouts.iter().flatten()
    }

    /// The input of the network lies in banks of its own.
    fn apart(&self) -> usize {
        usize::from(self.params.state_buffer.input_banks > 0)
    }

    fn addresses(&self) -> Vec<u32> {
        let apart = self.apart();
        let layouts = self.layouts().enumerate().skip(apart);
        let requests: Vec<SpaceRequest> = layouts
            .map(|(tensor, layout)| SpaceRequest {
                steps: self.lifetimes[tensor].clone(),
                written: layout.footprint.written(),
                cleared: self.cut.cleared(tensor),
            })
            .collect();
        let words = allocate(&requests).into_iter();
        let input = std::iter::repeat_n(self.params.work_bytes(), apart);
        input.chain(words.map(|word| 8 * word as u32)).collect()
    }

    /// Address of each tensor of a network that fits.
    pub fn bases(&self) -> &[u32] {
        self.bases
            .as_deref()
            .expect("every tensor fits a partition")
    }

    /// All layers.
    pub fn all(&self) -> Range<usize> {
        0..self.network.layers.len()
    }

    /// Whether a tensor must be there while some layers run.
    fn is_live(&self, tensor: usize, layers: &Range<usize>) -> bool {
        let last = self.network.layers.len();
        // The host writes the input in the step before the first layer, and reads outputs behind the last one.
        let start = if layers.start == 0 {
            0
        } else {
            layers.start + 1
        };
        let end = if layers.end == last {
            last + 2
        } else {
            layers.end + 1
        };
        let needed = &self.lifetimes[tensor];
        needed.start < end && start < needed.end
    }

    /// Bytes of a partition from its first one on, up to the end of all tensors that must be there; of all of them together if one is too large.
    fn activation_bytes(&self, layers: &Range<usize>) -> u64 {
        let live = self.layouts().enumerate().skip(self.apart());
        let live = live.filter(|(tensor, _)| self.is_live(*tensor, layers));
        match &self.bases {
            None => live.map(|(_, layout)| layout.footprint.bytes).sum(),
            Some(bases) => {
                let ends =
                    live.map(|(tensor, layout)| u64::from(bases[tensor]) + layout.footprint.bytes);
                ends.max().unwrap_or(0)
            }
        }
    }

    /// Bytes of the banks that hold activations. Weights, which begin behind them, keep at least one.
    pub fn activation_room(&self, layers: &Range<usize>) -> u64 {
        let bank = u64::from(self.params.bank_bytes());
        let banks = self.activation_bytes(layers).div_ceil(bank);
        banks.min(u64::from(self.params.work_banks()) - 1) * bank
    }

    /// Offset tables of the rows.
    pub fn tables(&self, layers: &Range<usize>) -> RowTables {
        match self.bases {
            None => RowTables::default(),
            Some(_) => row_tables(self.network, self.candidate, layers),
        }
    }

    /// Bytes of weights of some layers in a partition.
    pub fn weight_bytes(&self, layers: &Range<usize>) -> u64 {
        let weights = self.candidate.weights[layers.clone()].iter().flatten();
        weights.map(WeightPlan::bytes).sum()
    }

    /// The memories that are too small for these layers at once; of a segment that has others beside it, those without room for two.
    pub fn shortages(&self, layers: &Range<usize>) -> Vec<Shortage> {
        let beside = self.cut.neighbours(layers);
        let copies = 1 + u64::from(!beside.is_empty());
        let around = self.cut.around(layers);
        let own = self.weight_bytes(layers);
        let others = beside.iter().filter(|other| *other != layers);
        let others = others.map(|other| self.weight_bytes(other));
        let weights = own + others.max().unwrap_or(0);
        let shortages = self.lacks((layers, copies), &around, weights);
        if shortages.is_empty() || beside.is_empty() {
            return shortages;
        }
        // What has room for all layers is written once.
        let all = self.shortages(&self.all());
        let lacks = |memory| all.iter().any(|lack| lack.memory == memory);
        let shortages = shortages.into_iter();
        shortages.filter(|lack| lacks(lack.memory)).collect()
    }

    /// What so many copies of the data of some layers lack, with weights of so many bytes, behind the tensors that these and others need.
    fn lacks(
        &self,
        (layers, copies): (&Range<usize>, u64),
        around: &Range<usize>,
        weights: u64,
    ) -> Vec<Shortage> {
        let params = self.params;
        let input_bytes = match self.layouts().next() {
            Some(input) if self.apart() > 0 && self.is_live(0, around) => input.footprint.bytes,
            _ => 0,
        };
        let input_room = params.operand_bytes() - params.work_bytes();
        let room = self.activation_room(around);
        let weight_room = u64::from(params.work_bytes()) - room;
        let [column_tiles, row_offsets] = numbers(
            self.candidate,
            (layers, copies),
            &self.tables(layers),
            params,
        );
        let shortages = [
            Shortage::of(Memory::Input, input_bytes, input_room.into()),
            Shortage::of(Memory::Activations, self.activation_bytes(around), room),
            Shortage::of(Memory::Weights, weights, weight_room),
            column_tiles,
            row_offsets,
        ];
        shortages.into_iter().flatten().collect()
    }

    /// Words of halos of the tensors that are made while some layers run, where other tensors are written or, from a word on, weights lie.
    pub fn halos(&self, layers: &Range<usize>, weights: u32) -> Vec<u32> {
        let written = self.written();
        let made = self.words().filter(|&(tensor, _, is_written)| {
            !is_written && layers.contains(&usize::saturating_sub(tensor, 1))
        });
        let words = made.map(|(_, word, _)| word);
        let mut words: Vec<u32> = words
            .filter(|&word| word >= weights || written[word as usize])
            .collect();
        words.sort_unstable();
        words.dedup();
        words
    }

    /// For each word whether a tensor is written there.
    fn written(&self) -> Vec<bool> {
        let mut written = vec![false; self.params.operand_bytes() as usize / 8];
        for (_, word, _) in self.words().filter(|(.., is_written)| *is_written) {
            written[word as usize] = true;
        }
        written
    }

    /// All words of tensors: the tensor, the word of a partition, and whether it is written.
    fn words(&self) -> impl Iterator<Item = (usize, u32, bool)> {
        let layouts = self.layouts().enumerate().skip(self.apart());
        layouts.flat_map(|(tensor, layout)| {
            let words = (self.bases()[tensor] / 8..).zip(layout.footprint.written());
            words.map(move |(word, written)| (tensor, word, written))
        })
    }
}
