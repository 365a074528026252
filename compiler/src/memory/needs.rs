//! What runs of consecutive layers of a network of planes need of each memory.

use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

use heddle_arch::transfer::WORDS_OF_TRANSFER;
use heddle_arch::word::WORD_BYTES;

use super::allocate::{SpaceRequest, agree, allocate};
use super::host;
use super::memories::{Memories, numbers};
use super::moves::{Item, Moves, moves};
use super::parts::Cut;
use crate::error::{Memory, Shortage};
use crate::layout::fills;
use crate::product::RowTables;
use crate::ways::{Addresses, Candidate, Layout, TensorLayout};

impl Memories<'_> {
    /// The input of a network of planes lies in banks of its own.
    pub(super) fn apart(&self) -> usize {
        usize::from(self.params.state_buffer.input_banks > 0 && !self.graph.has_matrices())
    }

    /// The tensors of a network of planes.
    fn tensors<'l>(&self, layout: &'l Layout) -> impl Iterator<Item = &'l Rc<TensorLayout>> {
        layout.tensors.iter().flatten()
    }

    /// Addresses of the tensors of a network that is cut so.
    pub(super) fn addresses(&self, layout: &Layout, cut: &Cut) -> Rc<Addresses> {
        let made = || Rc::new(self.allocated(layout, cut));
        let layers = self.graph.network.layers.len();
        let kind = match (cut.clears, cut.moves) {
            (false, _) => Some(0),
            (true, false) => (cut.segments.len() == layers).then_some(1),
            (true, true) => Some(2),
        };
        match kind {
            Some(kind) => layout.addresses[kind].get_or_init(made).clone(),
            None => made(),
        }
    }

    /// What the tensors behind the input banks ask for, with their numbers.
    fn requests<'l>(
        &'l self,
        layout: &'l Layout,
        cut: &'l Cut,
    ) -> impl Iterator<Item = (usize, SpaceRequest)> + 'l {
        let tensors = self.tensors(layout).enumerate().skip(self.apart());
        let whole = tensors.filter(|(tensor, _)| self.graph.joined.part(*tensor).is_none());
        whole.map(|(tensor, layout)| (tensor, self.request(tensor, layout, cut)))
    }

    fn request(&self, tensor: usize, layout: &TensorLayout, cut: &Cut) -> SpaceRequest {
        SpaceRequest {
            steps: self.lifetimes[tensor].clone(),
            written: layout.written().clone(),
            cleared: match cut.clears && cut.moves {
                true if self.graph.is_cleared(tensor) => self.lifetimes[tensor].start,
                true => 0,
                false => cut.cleared(tensor),
            },
            from: 0,
            align: 1,
        }
    }

    /// The tensors that some layers make may stay at their addresses when the network is cut so.
    pub(super) fn may_stay(
        &self,
        layout: &Layout,
        cut: &Cut,
        bases: &[u32],
        made: &Range<usize>,
    ) -> bool {
        let tensors = || self.tensors(layout).enumerate().skip(self.apart());
        let word = |tensor: usize| (bases[tensor] / WORD_BYTES) as usize;
        let mut made = tensors().filter(|(tensor, _)| made.contains(&tensor.saturating_sub(1)));
        made.all(|(a, own)| {
            let one = self.request(a, own, cut);
            let end = word(a) + one.written.len();
            // Most lie elsewhere: only of the others it is asked what they are.
            tensors().all(|(b, layout)| {
                let apart = word(b) >= end || word(b) + layout.written().len() <= word(a);
                a == b || apart || agree((&one, word(a)), (&self.request(b, layout, cut), word(b)))
            })
        })
    }

    pub(super) fn allocated(&self, layout: &Layout, cut: &Cut) -> Addresses {
        let apart = self.apart();
        let bases = layout.rows.is_some().then(|| {
            self.allocations.set(self.allocations.get() + 1);
            let (tensors, requests): (Vec<_>, Vec<_>) = self.requests(layout, cut).unzip();
            let mut bases = vec![self.params.work_bytes(); self.tensors(layout).count()];
            for (tensor, word) in tensors.into_iter().zip(allocate(&requests)) {
                bases[tensor] = WORD_BYTES * word as u32;
            }
            for (whole, parts) in self.graph.joined.wholes() {
                parts
                    .iter()
                    .for_each(|&(part, _)| bases[part] = bases[whole]);
            }
            bases
        });
        let mut ends = vec![0; self.graph.network.layers.len() + 2];
        for (tensor, layout) in self.tensors(layout).enumerate().skip(apart) {
            let bytes = layout.footprint.bytes;
            for end in &mut ends[self.lifetimes[tensor].clone()] {
                match &bases {
                    Some(bases) => *end = (*end).max(u64::from(bases[tensor]) + bytes),
                    None => *end += bytes,
                }
            }
        }
        Addresses { bases, ends }
    }
}

/// What layers of a combination need.
pub(crate) struct Needs<'a> {
    memories: &'a Memories<'a>,
    candidate: &'a Candidate,
    cut: &'a Cut,
    pub addresses: Rc<Addresses>,
}

impl<'a> Needs<'a> {
    pub fn of(memories: &'a Memories<'a>, candidate: &'a Candidate, cut: &'a Cut) -> Self {
        let addresses = memories.addresses(&candidate.layout, cut);
        Self::with(memories, candidate, cut, addresses)
    }

    /// Of tensors at these addresses.
    pub fn with(
        memories: &'a Memories<'a>,
        candidate: &'a Candidate,
        cut: &'a Cut,
        addresses: Rc<Addresses>,
    ) -> Self {
        Self {
            memories,
            candidate,
            cut,
            addresses,
        }
    }

    /// Address of each tensor of a network that fits.
    pub fn bases(&self) -> &[u32] {
        let bases = self.addresses.bases.as_deref();
        bases.expect("every tensor fits a partition")
    }

    /// All layers.
    pub fn all(&self) -> Range<usize> {
        self.memories.graph.layers()
    }

    /// Bytes of a partition from its first one on, up to the end of all tensors that must be there; of all of them together if one is too large.
    fn activation_bytes(&self, layers: &Range<usize>) -> u64 {
        let ends = &self.addresses.ends[self.memories.steps(layers)];
        match self.addresses.bases {
            Some(_) => ends.iter().copied().max().unwrap_or(0),
            None => self.bytes_alive(layers),
        }
    }

    fn bytes_alive(&self, layers: &Range<usize>) -> u64 {
        let steps = self.memories.steps(layers);
        let memories = self.memories;
        let tensors = memories.tensors(&self.candidate.layout).enumerate();
        let alive = tensors.skip(memories.apart()).filter(|(tensor, _)| {
            let needed = &memories.lifetimes[*tensor];
            needed.start < steps.end && steps.start < needed.end
        });
        alive.map(|(_, layout)| layout.footprint.bytes).sum()
    }

    /// The tensors of some layers have no room, wherever they lie.
    pub fn exceed_room(&self, layers: &Range<usize>) -> bool {
        let params = self.memories.params;
        let banks = u64::from(params.work_banks()) - 1;
        self.bytes_alive(layers) > banks * u64::from(params.bank_bytes())
    }

    /// Bytes of the banks that hold activations. Weights, which begin behind them, keep at least one.
    pub fn activation_room(&self, layers: &Range<usize>) -> u64 {
        // Where the program loads weights, those of all layers begin in one place.
        let all = self.all();
        let layers = if self.cut.moves { &all } else { layers };
        let params = self.memories.params;
        let bank = u64::from(params.bank_bytes());
        let banks = self.activation_bytes(layers).div_ceil(bank);
        banks.min(u64::from(params.work_banks()) - 1) * bank
    }

    /// Offset tables of the rows.
    pub fn tables(&self, layers: &Range<usize>) -> RowTables {
        let rows = self.candidate.layout.rows.as_ref();
        rows.map_or(RowTables::default(), |rows| RowTables::of(rows, layers))
    }

    /// How many entries they have.
    fn entries(&self, layers: &Range<usize>) -> usize {
        match (&self.candidate.layout.rows, layers.len()) {
            (None, _) => 0,
            (Some(rows), 1) => rows[layers.start].count,
            (Some(_), _) => self.tables(layers).entries.len(),
        }
    }

    /// Bytes of weights of some layers in a partition.
    pub fn weight_bytes(&self, layers: &Range<usize>) -> u64 {
        let of = |layers: &Range<usize>| self.candidate.weight_bytes(layers);
        match self.cut.moves {
            false => of(layers),
            true => {
                let each = layers.clone().map(|layer| of(&(layer..layer + 1)));
                each.max().unwrap_or(0)
            }
        }
    }

    /// Where the weights of some layers take each other's places: these, and what the program loads.
    pub fn moves(&self) -> Option<Moves> {
        let Memories { graph, params, .. } = self.memories;
        let room = u64::from(params.work_bytes()) - self.activation_room(&self.all());
        let mut items: Vec<Item> = Vec::new();
        for layer in self
            .all()
            .filter(|&layer| graph.constants.hosts[layer].is_none())
        {
            let clocks = self.candidate.cost(layer).map_or(0, |cost| cost.cycles);
            match (&self.candidate.weights[layer], items.last_mut()) {
                (Some(plan), _) => items.push(Item {
                    layer,
                    words: u32::try_from(plan.bytes() / u64::from(WORD_BYTES)).ok()?,
                    rows: plan.rows,
                    clocks,
                    tensors: self.tensor_words(layer),
                }),
                (None, Some(last)) => last.clocks += clocks,
                (None, None) => {}
            }
        }
        if self.cut.clears {
            // Whoever reads a tensor needs its halos.
            for (tensor, words, partitions) in self.cleared() {
                let next = items.iter_mut().find(|item| item.layer >= tensor);
                let words = words.len() as u64 * u64::from(partitions);
                next.into_iter().for_each(|next| next.tensors[0] += words);
            }
        }
        let words = (room / u64::from(WORD_BYTES)) as u32;
        // One more is under way.
        moves(&items, words, params.dma()?.queue as usize + 1)
    }

    /// Words of the tensors that are loaded for a layer, and of the one that is stored behind it.
    pub fn tensor_words(&self, layer: usize) -> [u64; 2] {
        let graph = self.memories.graph;
        let words = |tensor: usize| {
            let layout = self.candidate.layout.tensors[tensor].as_ref();
            layout.map_or(0, |layout| layout.words())
        };
        let inputs = graph.network.layers[layer].inputs.iter();
        let loaded = inputs.filter(|input| graph.is_loaded(input.tensor));
        let stored = graph
            .homes
            .tensor(layer + 1)
            .map_or(0, |_| words(layer + 1));
        [loaded.map(|input| words(input.tensor)).sum(), stored]
    }

    /// Words of LOADs and STOREs of a program that moves weights: those of each layer's weights, of the tensor that it makes, and of those that it
    /// reads.
    pub fn move_words(&self, candidate: &Candidate) -> Vec<u64> {
        const WORDS: u64 = 1 + WORDS_OF_TRANSFER as u64;
        let Memories { graph, params, .. } = self.memories;
        let mut counts = vec![0; self.all().len()];
        let room = u64::from(params.operand_bytes());
        if self.addresses.bases.is_none() || self.activation_bytes(&self.all()) > room {
            return counts;
        }
        for load in self.moves().map_or_else(Vec::new, |moves| moves.loads) {
            counts[load.slot.layer()] += 1;
        }
        let mut of_tensor = |tensor: usize, count: usize| {
            let mut readers = graph.readers[tensor].iter().copied();
            let machine = |layer: &usize| graph.constants.hosts[*layer].is_none();
            let made = tensor.checked_sub(1).filter(machine);
            let layer = made.or_else(|| readers.find(machine)).unwrap_or(0);
            counts[layer] += count as u64;
        };
        let at_home = (0..=self.all().len()).filter(|&tensor| graph.homes.tensor(tensor).is_some());
        for tensor in at_home.filter(|&tensor| graph.is_of_machine(tensor)) {
            if let Some(layout) = &candidate.layout.tensors[tensor] {
                let plan = layout.at(&graph.network, tensor, self.bases()[tensor]);
                of_tensor(tensor, host::count(graph, &plan, tensor));
            }
        }
        if self.cut.clears {
            for (tensor, words, partitions) in self.cleared() {
                let partitions: Vec<u32> = (0..partitions).collect();
                of_tensor(tensor, fills(&words, &partitions).len());
            }
        }
        counts.iter().map(|count| WORDS * count).collect()
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
        let (memories, params) = (self.memories, self.memories.params);
        let (steps, apart) = (self.memories.steps(around), memories.apart() > 0);
        let input_bytes = match memories.tensors(&self.candidate.layout).next() {
            Some(input) if apart && steps.start < memories.lifetimes[0].end => {
                input.footprint.bytes
            }
            _ => 0,
        };
        let input_room = params.operand_bytes() - params.work_bytes();
        let room = self.activation_room(around);
        let weight_room = u64::from(params.work_bytes()) - room;
        let [column_tiles, row_offsets] = numbers(
            memories.graph,
            self.candidate,
            (layers, copies),
            self.entries(layers),
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
    pub fn halos(&self, layers: &Range<usize>, weights: u32, written: &[bool]) -> Vec<u32> {
        let first = layers.start + usize::from(layers.start > 0);
        let made = self.words(first..layers.end + 1);
        let words = made.filter(|&(_, is_written)| !is_written);
        let words = words.map(|(word, _)| word);
        let mut words: Vec<u32> = words
            .filter(|&word| word >= weights || written[word as usize])
            .collect();
        words.sort_unstable();
        words.dedup();
        words
    }

    /// The tensors whose halos the program clears, with the words of these in each of so many partitions.
    pub fn cleared(&self) -> Vec<(usize, BTreeSet<u32>, u32)> {
        let graph = self.memories.graph;
        let written = self.written();
        let tensors = 0..graph.network.layers.len() + 1;
        let tensors = tensors.filter(|&tensor| graph.joined.part(tensor).is_none());
        let tensors = tensors.filter(|&tensor| graph.is_cleared(tensor));
        let cleared = tensors.map(|tensor| {
            let layout = self.candidate.layout.tensors[tensor].as_ref();
            let partitions = layout.map_or(0, |layout| layout.partitions() as u32);
            (tensor, self.dirty(tensor, &written), partitions)
        });
        cleared.filter(|(_, words, _)| !words.is_empty()).collect()
    }

    /// Words of the halos of a tensor where others are written.
    fn dirty(&self, tensor: usize, written: &[bool]) -> BTreeSet<u32> {
        let words = self.words(tensor..tensor + 1);
        let halos = words.filter(|&(word, is_written)| !is_written && written[word as usize]);
        halos.map(|(word, _)| word).collect()
    }

    /// For each word whether a tensor is written there.
    pub fn written(&self) -> Vec<bool> {
        let mut written = vec![false; (self.memories.params.operand_bytes() / WORD_BYTES) as usize];
        let all = 0..self.memories.graph.network.layers.len() + 1;
        for (word, _) in self.words(all).filter(|(_, is_written)| *is_written) {
            written[word as usize] = true;
        }
        written
    }

    /// All words of some tensors: the word of a partition, and whether it is written.
    fn words(&self, tensors: Range<usize>) -> impl Iterator<Item = (u32, bool)> {
        let first = tensors.start.max(self.memories.apart());
        let layouts = self.candidate.layout.tensors[first..tensors.end].iter();
        let layouts = (first..)
            .zip(layouts)
            .filter_map(|(tensor, layout)| Some((tensor, layout.as_ref()?)));
        layouts.flat_map(|(tensor, layout)| {
            let words = self.bases()[tensor] / WORD_BYTES..;
            words.zip(layout.written().iter().copied())
        })
    }
}
