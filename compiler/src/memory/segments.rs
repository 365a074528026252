//! Networks that do not fit at once: cut into segments, runs of consecutive layers that do.
//!
//! Tensors stay where they are as long as they are needed. Between two segments the host replaces weights, column parameters, row offsets, tables and the program, but
//! only those of a memory that is too small for all layers.

use std::ops::Range;
use std::rc::Rc;

use heddle_arch::params::ProgramMemory;
use heddle_arch::word::WORD_BYTES;

use super::memories::Memories;
use super::needs::Needs;
use super::parts::Cut;
use super::{matrices, planes};
use crate::error::{CompileError, Memory, Shortage};
use crate::ways::{Addresses, Candidate};

/// Segments of a network whose tensors may get other addresses to join two of them.
const FEW: usize = 64;

/// What must fit at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Room {
    /// All layers.
    AtOnce,
    /// Each layer by itself.
    Alone,
}

/// Segments of a combination that fit.
#[derive(Debug, Clone)]
pub(crate) struct Fit {
    pub cut: Cut,
    /// Addresses of the tensors of planes; none with matrices, which are placed with all else.
    pub addresses: Option<Rc<Addresses>>,
    /// Clocks for an image: cycles of the layers, each alone, and a clock for each word that the host loads between segments.
    pub clocks: u64,
}

impl Fit {
    /// All layers at once, of which some are of matrices.
    pub fn whole(layers: Range<usize>) -> Self {
        Self {
            cut: Cut::none(layers),
            addresses: None,
            clocks: 0,
        }
    }
}

/// Instruction words of the layers.
pub(crate) struct Words<'a> {
    memories: &'a Memories<'a>,
    /// Without HALT.
    of_layers: Vec<u64>,
    /// A run of the machine must begin with the layer, whatever the segments are: if all layers up to the next one of the host are one, and
    /// if the host starts each of them.
    begins: [Vec<bool>; 2],
}

impl<'a> Words<'a> {
    pub fn of(memories: &'a Memories<'a>, of_layers: Vec<u64>) -> Self {
        let constants = &memories.graph.constants;
        let (hosts, kept) = (&constants.hosts, &constants.kept);
        let outputs = &memories.graph.network.outputs;
        let is_read = |tensor: usize| outputs.contains(&tensor) || kept.get(tensor) == Some(&true);
        let follows = |layer: usize| layer > 0 && hosts[layer - 1].is_none() && !is_read(layer);
        let layers = || (0..hosts.len()).map(|layer| (layer, hosts[layer].is_none()));
        let single = layers().map(|(_, machine)| machine);
        let joined = layers().map(|(layer, machine)| machine && !follows(layer));
        Self {
            memories,
            of_layers,
            begins: [single.collect(), joined.collect()],
        }
    }

    /// What the program memory lacks for a segment.
    fn shortage(&self, layers: &Range<usize>) -> Option<Shortage> {
        let options = self.memories.options;
        let room = self.memories.params.program.words.into();
        let all = 0..self.of_layers.len();
        // Written once if they fit whatever the runs are.
        let copies = match options.double_buffered && self.needed(&all, false) > room {
            true => 2,
            false => 1,
        };
        Shortage::of(
            Memory::Program,
            copies * self.needed(layers, options.whole),
            room,
        )
    }

    fn needed(&self, layers: &Range<usize>, whole: bool) -> u64 {
        let own: u64 = self.of_layers[layers.clone()].iter().sum();
        // Each run of the machine ends with HALT, a word.
        let is_of_machine = self.begins[0][layers.start];
        let begins = self.begins[usize::from(whole)][layers.start + 1..layers.end].iter();
        let halts = begins.filter(|&&begins| begins).count() + usize::from(is_of_machine);
        own + halts as u64
    }
}

impl<'a> Memories<'a> {
    /// How much of the memories is missing, in millionths of what there is: for all layers, or for each of them; 0 if all fits.
    pub fn lacks(&self, candidate: &Candidate, room: Room) -> Vec<u64> {
        if room == Room::AtOnce && self.graph.has_matrices() {
            let lack = match matrices::place(self, candidate) {
                Ok(_) => 0,
                Err(CompileError::DoesNotFit { shortages, .. }) => {
                    shortages.iter().map(Shortage::share).sum()
                }
                Err(_) => u64::MAX,
            };
            return vec![lack];
        }
        let cut = self.least(room);
        let needs = Needs::of(self, candidate, &cut);
        let share = |layers: &Range<usize>| {
            let shortages = needs.shortages(layers);
            shortages.iter().map(Shortage::share).sum()
        };
        cut.segments.iter().map(share).collect()
    }

    /// The segments that need least.
    fn least(&self, room: Room) -> Cut {
        match room {
            Room::AtOnce => Cut::none(self.graph.layers()),
            Room::Alone => Cut::alone(self.graph.layers(), true, self.options.double_buffered),
        }
    }

    /// The layers that do not fit alone, and what each of them lacks. If nothing but instruction words are missing, the first one: cutting
    /// it may give others a mapping of fewer words.
    pub fn too_large(&self, candidate: &Candidate, words: &Words) -> Vec<(usize, Vec<Shortage>)> {
        let cut = self.least(Room::Alone);
        let needs = Needs::of(self, candidate, &cut);
        let layers = || cut.segments.iter().enumerate();
        let lacks = layers().map(|(layer, layers)| (layer, needs.shortages(layers)));
        let lacks: Vec<_> = lacks.filter(|(_, lacks)| !lacks.is_empty()).collect();
        if !lacks.is_empty() {
            return lacks;
        }
        let mut words = layers().filter_map(|(layer, layers)| {
            let lack = words.shortage(layers)?;
            Some((layer, vec![lack]))
        });
        words.next().into_iter().collect()
    }

    /// The segments of a combination whose layers have so many instruction words and cycles, and where its tensors lie.
    ///
    /// # Errors
    /// What does not fit.
    pub fn fit(
        &self,
        candidate: &Candidate,
        room: Room,
        words: Vec<u64>,
        cycles: u64,
    ) -> Result<Fit, CompileError> {
        let words = Words::of(self, words);
        let (cut, addresses) = match room {
            Room::AtOnce => self.whole(candidate, &words)?,
            Room::Alone => {
                let joined = self.joined(candidate, &words);
                joined.map_err(|error| error.with_two(self.options.double_buffered))?
            }
        };
        let loads = match &addresses {
            Some(addresses) if cut.segments.len() > 1 => {
                let needs = Needs::with(self, candidate, &cut, addresses.clone());
                self.host_words(candidate, &needs, &words, &cut)
            }
            _ => 0,
        };
        Ok(Fit {
            clocks: cycles.saturating_add(loads),
            cut,
            addresses,
        })
    }

    fn does_not_fit(&self, layers: &Range<usize>, lacks: Vec<Shortage>) -> CompileError {
        let network = &*self.graph.network;
        CompileError::does_not_fit(network, self.params, lacks).of(layers, network)
    }

    /// All layers at once.
    fn whole(
        &self,
        candidate: &Candidate,
        words: &Words,
    ) -> Result<(Cut, Option<Rc<Addresses>>), CompileError> {
        let all = self.graph.layers();
        let cut = Cut::none(all.clone());
        let (mut lacks, addresses) = match self.graph.has_matrices() {
            true => (Vec::new(), None),
            false => {
                let needs = Needs::of(self, candidate, &cut);
                (needs.shortages(&all), Some(needs.addresses))
            }
        };
        if lacks.is_empty() {
            let needed = words.needed(&all, self.options.whole);
            let room = self.params.program.words.into();
            lacks.extend(Shortage::of(Memory::Program, needed, room));
        }
        match lacks.is_empty() {
            true => Ok((cut, addresses)),
            false => Err(self.does_not_fit(&all, lacks)),
        }
    }

    /// Segments with as many layers as fit. Halos are cleared between segments only if it needs that: it takes host words.
    fn joined(
        &self,
        candidate: &Candidate,
        words: &Words,
    ) -> Result<(Cut, Option<Rc<Addresses>>), CompileError> {
        if self.options.double_buffered {
            let (network, constants) = (&self.graph.network, &self.graph.constants);
            constants.check_tables(network, self.params)?;
        }
        if let Some((layer, lacks)) = self.too_large(candidate, words).into_iter().next() {
            return Err(self.does_not_fit(&(layer..layer + 1), lacks));
        }
        let kept = self.join(candidate, words, false);
        let (cut, addresses) = kept.or_else(|_| self.join(candidate, words, true))?;
        Ok((cut, Some(addresses)))
    }

    /// Joins layers to segments, from the first one on, as long as everything fits.
    fn join(
        &self,
        candidate: &Candidate,
        words: &Words,
        clears: bool,
    ) -> Result<(Cut, Rc<Addresses>), CompileError> {
        let mut cut = Cut::alone(self.graph.layers(), clears, self.options.double_buffered);
        let mut addresses = self.addresses(&candidate.layout, &cut);
        let lacks = |cut: &Cut, addresses: &Rc<Addresses>, near: Range<usize>| {
            let needs = Needs::with(self, candidate, cut, addresses.clone());
            cut.segments[near].iter().find_map(|layers| {
                let mut lacks = needs.shortages(layers);
                lacks.extend(words.shortage(layers));
                (!lacks.is_empty()).then(|| (layers.clone(), lacks))
            })
        };
        if let Some((layers, lacks)) = lacks(&cut, &addresses, 0..cut.segments.len()) {
            return Err(self.does_not_fit(&layers, lacks));
        }
        let mut number = 0;
        while number + 1 < cut.segments.len() {
            let next = cut.segments[number + 1].clone();
            // Functions of one byte have other numbers from here on.
            let mut tables = self.graph.constants.tables.iter();
            if tables.any(|part| part.first == next.start) {
                number += 1;
                continue;
            }
            let mut joined = cut.clone();
            joined.segments.remove(number + 1);
            joined.segments[number].end = next.end;
            let near = number.saturating_sub(1)..joined.segments.len().min(number + 2);
            let bases = addresses.bases.as_deref().unwrap_or_default();
            let stays = !clears || self.may_stay(&candidate.layout, &joined, bases, &next);
            if stays && lacks(&joined, &addresses, near).is_none() {
                cut = joined;
                continue;
            }
            // They may also lie in another way. In a large network it takes too long to look for it.
            let all = 0..joined.segments.len();
            let moved =
                (clears && all.len() < FEW).then(|| self.addresses(&candidate.layout, &joined));
            match moved.filter(|moved| lacks(&joined, moved, all).is_none()) {
                Some(moved) => (cut, addresses) = (joined, moved),
                None => number += 1,
            }
        }
        // What is cleared later may lie closer together.
        let closer = self.addresses(&candidate.layout, &cut);
        if lacks(&cut, &closer, 0..cut.segments.len()).is_none() {
            addresses = closer;
        }
        Ok((cut, addresses))
    }

    /// Words that the host loads for an image between segments.
    fn host_words(&self, candidate: &Candidate, needs: &Needs, words: &Words, cut: &Cut) -> u64 {
        let parts = planes::parts(needs, cut);
        let bases: Vec<u32> = (0..parts.weights.len())
            .map(|part| planes::weight_base(needs, cut, &parts, part, self.params))
            .collect();
        let halos = planes::halos(needs, cut, &bases);
        let all = self.graph.layers();
        let room = u64::from(self.params.program.words);
        let of_program = words.needed(&all, self.options.whole) > room;
        let segments = cut.segments.iter().zip(halos).enumerate();
        let of_segment = |(number, (layers, halos)): (usize, (&Range<usize>, Vec<u32>))| {
            let own = |parts: &[Range<usize>]| parts.len() > 1;
            let weights = own(&parts.weights).then(|| bases[number]);
            let mut found = self.image_words(candidate, layers, &halos, weights);
            let plans = || candidate.weights[layers.clone()].iter().flatten();
            if own(&parts.column_tiles) {
                let tiles = plans().flat_map(|plan| {
                    (0..plan.column_tiles).map(|tile| u64::from(plan.columns(tile)))
                });
                found += 2 * tiles.sum::<u64>();
            }
            if own(&parts.row_offsets) {
                found += needs.tables(layers).offsets().len() as u64;
            }
            let tables = &self.graph.constants.tables;
            if tables.len() > 1 {
                let tables = tables.iter().filter(|part| layers.contains(&part.first));
                found += tables
                    .map(|part| part.tables.len() as u64 * 256)
                    .sum::<u64>();
            }
            if of_program {
                let words = words.needed(layers, self.options.whole);
                found += match self.params.program.memory {
                    ProgramMemory::Separate => words,
                    ProgramMemory::Banks => words.div_ceil(2),
                };
            }
            found
        };
        segments.map(of_segment).sum()
    }

    /// Words of the state buffer: halos in every partition, weights in those that have rows. A word counts once.
    fn image_words(
        &self,
        candidate: &Candidate,
        layers: &Range<usize>,
        halos: &[u32],
        weights: Option<u32>,
    ) -> u64 {
        let tensors = candidate.layout.tensors.iter().flatten();
        let partitions = tensors
            .map(|layout| layout.partitions() as u64)
            .max()
            .unwrap_or(0);
        let mut words = halos.len() as u64 * partitions;
        let Some(base) = weights else {
            return words;
        };
        let mut first = base / WORD_BYTES;
        for plan in candidate.weights[layers.clone()].iter().flatten() {
            let end = first + (plan.bytes() / u64::from(WORD_BYTES)) as u32;
            let [low, high] = [first, end].map(|word| halos.partition_point(|&halo| halo < word));
            let rows = u64::from(plan.rows).min(partitions);
            words += rows * (u64::from(end - first) - (high - low) as u64);
            first = end;
        }
        words
    }
}
