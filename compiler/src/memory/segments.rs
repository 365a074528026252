//! Networks that do not fit at once: cut into segments, runs of consecutive layers that do.
//!
//! Tensors stay where they are as long as they are needed. Between two segments the host replaces weights, column parameters, row offsets, tables and the program, but
//! only those of a memory that is too small for all layers.

use std::ops::Range;
use std::rc::Rc;

use heddle_arch::params::ProgramMemory;
use heddle_arch::word::WORD_BYTES;

use super::memories::{Lacks, Memories};
use super::moves::Moves;
use super::needs::Needs;
use super::parts::Cut;
use super::planes;
use crate::error::{CompileError, Memory, Shortage};
use crate::ways::{Addresses, Candidate};

/// Segments of a network whose tensors may get other addresses to join two of them.
const FEW: usize = 64;
/// The bus has a clock to spare for so many words of a program that loads.
const SPARE: u64 = 4;

/// What must fit at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Room {
    /// All layers.
    AtOnce,
    /// All layers but for weights, which the program loads; of these each layer by itself.
    Moving,
    /// Each layer by itself.
    Alone,
}

/// Segments of a combination that fit.
#[derive(Debug, Clone)]
pub(crate) struct Fit {
    pub cut: Cut,
    /// Addresses of the tensors of planes; none with matrices, which are placed with all else.
    pub addresses: Option<Rc<Addresses>>,
    /// What the program loads.
    pub moves: Option<Moves>,
    /// Clocks for an image: cycles of the layers, each alone, and a clock for each word that the host loads between segments, or for
    /// which a program waits.
    pub clocks: u64,
}

/// Instruction words of the layers.
pub(crate) struct Words<'a> {
    memories: &'a Memories<'a>,
    /// Without HALT.
    of_layers: Vec<u64>,
    /// Words that some layers may have besides.
    margin: u64,
    /// A run of the machine must begin with the layer, whatever the segments are: if all layers up to the next one of the host are one, and
    /// if the host starts each of them.
    begins: [Vec<bool>; 2],
}

impl<'a> Words<'a> {
    pub fn of(memories: &'a Memories<'a>, of_layers: Vec<u64>) -> Self {
        let graph = memories.graph;
        let is_host = |layer: usize| graph.is_of_host(layer);
        let follows =
            |layer: usize| layer > 0 && !is_host(layer - 1) && !graph.is_read_behind(layer);
        let layers = || graph.layers().map(|layer| (layer, !is_host(layer)));
        let single = layers().map(|(_, machine)| machine);
        let joined = layers().map(|(layer, machine)| machine && !follows(layer));
        Self {
            memories,
            of_layers,
            margin: 0,
            begins: [single.collect(), joined.collect()],
        }
    }

    /// The same with more words of each layer.
    fn with(&self, more: &[u64]) -> Self {
        let of_layers = self.of_layers.iter().zip(more);
        Self {
            of_layers: of_layers.map(|(own, more)| own + more).collect(),
            // They may stand in a neighbour.
            margin: 2 * more.iter().max().copied().unwrap_or(0),
            begins: self.begins.clone(),
            ..*self
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

    /// The segments for which the program memory is too small.
    fn shortages(&self, cut: &Cut) -> Lacks {
        let segments = cut.segments.iter().enumerate();
        let lacks = segments.filter_map(|(at, layers)| Some((at, vec![self.shortage(layers)?])));
        lacks.collect()
    }

    fn needed(&self, layers: &Range<usize>, whole: bool) -> u64 {
        let own: u64 = self.of_layers[layers.clone()].iter().sum();
        // Each run of the machine ends with HALT, a word.
        let is_of_machine = self.begins[0][layers.start];
        let begins = self.begins[usize::from(whole)][layers.start + 1..layers.end].iter();
        let halts = begins.filter(|&&begins| begins).count() + usize::from(is_of_machine);
        own + halts as u64 + self.margin
    }
}

impl<'a> Memories<'a> {
    /// How much of the memories is missing, in millionths of what there is: for all layers, or for each of them; 0 if all fits.
    pub fn lacks(&self, candidate: &Candidate, room: Room) -> Vec<u64> {
        let cut = self.least(room);
        let mut shares = vec![0; cut.segments.len()];
        match self.shortages(candidate, &cut) {
            Ok(lacks) => {
                for (segment, lacks) in lacks {
                    shares[segment] = lacks.iter().map(Shortage::share).sum();
                }
            }
            Err(_) => shares[0] = u64::MAX,
        }
        shares
    }

    /// The segments for which a memory is too small, whatever instruction words they have.
    ///
    /// # Errors
    /// Matrices cannot be parted.
    fn shortages(&self, candidate: &Candidate, cut: &Cut) -> Result<Lacks, CompileError> {
        if self.graph.has_matrices() {
            return self.lacks_of_matrices(candidate, cut);
        }
        let needs = Needs::of(self, candidate, cut);
        let segments = cut.segments.iter().enumerate();
        let lacks = segments.map(|(segment, layers)| (segment, needs.shortages(layers)));
        Ok(lacks.filter(|(_, lacks)| !lacks.is_empty()).collect())
    }

    /// A program that moves tensors clears halos as well.
    fn clears(&self) -> bool {
        !self.graph.homes.are_none()
    }

    /// The segments that need least.
    fn least(&self, room: Room) -> Cut {
        match room {
            Room::AtOnce => Cut::none(self.graph.layers()),
            Room::Moving => Cut::moving(self.graph.layers(), self.clears()),
            Room::Alone => Cut::alone(self.graph.layers(), true, self.options.double_buffered),
        }
    }

    /// The layers that do not fit alone, and what each of them lacks. If nothing but instruction words are missing, the first one: cutting
    /// it may give others a mapping of fewer words. Matrices get no places before their words fit: there may be thousands.
    ///
    /// # Errors
    /// Matrices cannot be parted.
    pub fn too_large(&self, candidate: &Candidate, words: &Words) -> Result<Lacks, CompileError> {
        let cut = self.least(Room::Alone);
        let words = words.shortages(&cut);
        if self.graph.has_matrices() && !words.is_empty() {
            return Ok(words);
        }
        let mut lacks = self.shortages(candidate, &cut)?;
        if self.options.moves && !self.graph.has_matrices() {
            // Tensors of another layer, which may become smaller, may only lie in the way.
            let needs = Needs::of(self, candidate, &cut);
            let own = lacks.iter().filter(|(layer, lacks)| {
                let of_tensors = |lack: &Shortage| lack.memory == Memory::Activations;
                !lacks.iter().all(of_tensors) || needs.exceed_room(&(*layer..layer + 1))
            });
            let own: Lacks = own.cloned().collect();
            if !own.is_empty() {
                lacks = own;
            }
        }
        Ok(match lacks.is_empty() {
            true => words.into_iter().take(1).collect(),
            false => lacks,
        })
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
        let (cut, mut addresses) = match room {
            Room::AtOnce => self.whole(candidate, &words, self.least(room))?,
            Room::Moving => {
                let whole = |clears| {
                    let cut = Cut::moving(self.graph.layers(), clears);
                    self.whole(candidate, &words, cut)
                };
                match (whole(false), self.clears()) {
                    (Err(_), true) => whole(true).or_else(|_| self.moving(candidate, &words))?,
                    (whole, _) => whole?,
                }
            }
            Room::Alone => {
                let joined = self.joined(candidate, &words);
                joined.map_err(|error| error.with_two(self.options.double_buffered))?
            }
        };
        if let Some(before) = addresses.as_mut().filter(|_| self.options.stream)
            && let Some(apart) = self.apart_from_inputs((candidate, cycles), &words, (&cut, before))
        {
            *before = apart;
        }
        let needs = addresses.clone();
        let needs = needs.map(|addresses| Needs::with(self, candidate, &cut, addresses));
        let loads = |needs| self.waiting((candidate, cycles), needs, &words, &cut);
        Ok(Fit {
            clocks: cycles.saturating_add(needs.as_ref().map_or(0, loads)),
            moves: needs.filter(|_| cut.moves).and_then(|needs| needs.moves()),
            cut,
            addresses,
        })
    }

    /// All layers at once.
    fn whole(
        &self,
        candidate: &Candidate,
        words: &Words,
        cut: Cut,
    ) -> Result<(Cut, Option<Rc<Addresses>>), CompileError> {
        let all = self.graph.layers();
        let constants = &self.graph.constants;
        constants.check_tables(&self.graph.network, self.params)?;
        let of_planes = !self.graph.has_matrices();
        let mut needed = words.needed(&all, self.options.whole);
        if cut.moves {
            let needs = Needs::of(self, candidate, &cut);
            needed += needs.move_words(candidate).iter().sum::<u64>();
        }
        let room = self.params.program.words.into();
        let words = Shortage::of(Memory::Program, needed, room);
        let mut lacks: Vec<Shortage> = match of_planes || words.is_none() {
            true => {
                let lacks = self.shortages(candidate, &cut)?.into_iter();
                lacks.flat_map(|(_, lacks)| lacks).collect()
            }
            false => Vec::new(),
        };
        if lacks.is_empty() {
            lacks.extend(words);
        }
        if !lacks.is_empty() {
            return Err(self.does_not_fit(&all, lacks));
        }
        let addresses = of_planes.then(|| self.addresses(&candidate.layout, &cut));
        Ok((cut, addresses))
    }

    /// Segments that differ in their instructions and numbers alone, with as many layers as fit: the program loads weights, and clears halos.
    fn moving(
        &self,
        candidate: &Candidate,
        words: &Words,
    ) -> Result<(Cut, Option<Rc<Addresses>>), CompileError> {
        let mut cut = Cut {
            moves: true,
            ..Cut::alone(self.graph.layers(), true, false)
        };
        let addresses = self.addresses(&candidate.layout, &cut);
        let moves = Needs::with(self, candidate, &cut, addresses.clone()).move_words(candidate);
        let words = &words.with(&moves);
        let lacks = |cut: &Cut, layers: &Range<usize>| {
            let needs = Needs::with(self, candidate, cut, addresses.clone());
            let mut lacks = needs.shortages(layers);
            lacks.extend(words.shortage(layers));
            lacks
        };
        for layers in &cut.segments {
            let lacks = lacks(&cut, layers);
            if !lacks.is_empty() {
                return Err(self.does_not_fit(layers, lacks));
            }
        }
        let mut number = 0;
        while number + 1 < cut.segments.len() {
            match cut.with_next(number, &self.graph.constants.tables) {
                Some(joined) if lacks(&joined, &joined.segments[number]).is_empty() => cut = joined,
                _ => number += 1,
            }
        }
        Ok((cut, Some(addresses)))
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
        if let Some((layer, lacks)) = self.too_large(candidate, words)?.into_iter().next() {
            return Err(self.does_not_fit(&(layer..layer + 1), lacks));
        }
        let join = |clears| match self.graph.has_matrices() {
            true => Ok((self.join_matrices(candidate, words, clears)?, None)),
            false => {
                let (cut, addresses) = self.join(candidate, words, clears)?;
                Ok((cut, Some(addresses)))
            }
        };
        join(false).or_else(|_| join(true))
    }

    /// The same for a network of matrices, in which everything gets other addresses.
    fn join_matrices(
        &self,
        candidate: &Candidate,
        words: &Words,
        clears: bool,
    ) -> Result<Cut, CompileError> {
        let lacks = |cut: &Cut| {
            let mut lacks = words.shortages(cut);
            if lacks.is_empty() {
                lacks = self.lacks_of_matrices(candidate, cut)?;
            }
            match lacks.into_iter().next() {
                Some((at, lacks)) => Err(self.does_not_fit(&cut.segments[at], lacks)),
                None => Ok(()),
            }
        };
        let mut cut = Cut::alone(self.graph.layers(), clears, self.options.double_buffered);
        lacks(&cut)?;
        let mut number = 0;
        while number + 1 < cut.segments.len() {
            match cut.with_next(number, &self.graph.constants.tables) {
                Some(joined) if lacks(&joined).is_ok() => cut = joined,
                _ => number += 1,
            }
        }
        Ok(cut)
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
            let Some(joined) = cut.with_next(number, &self.graph.constants.tables) else {
                number += 1;
                continue;
            };
            let near = number.saturating_sub(1)..joined.segments.len().min(number + 2);
            let bases = addresses.bases.as_deref().unwrap_or_default();
            // Halos of these are cleared earlier than before; behind the next segment they are if it is beside this one.
            let next = cut.segments[number + 1].start;
            let last = cut.segments.len().min(number + 1 + cut.copies() as usize) - 1;
            let earlier = next..cut.segments[last].end;
            let stays = !clears || self.may_stay(&candidate.layout, &joined, bases, &earlier);
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

    /// Addresses of the tensors at which nothing else ever lies where an input does; none if they do not fit or the host has to load more.
    fn apart_from_inputs(
        &self,
        (candidate, cycles): (&Candidate, u64),
        words: &Words,
        (cut, before): (&Cut, &Rc<Addresses>),
    ) -> Option<Rc<Addresses>> {
        let kept = Memories::of(self.graph, self.params, self.options).keeping_inputs();
        let addresses = Rc::new(kept.allocated(&candidate.layout, cut));
        let needs = Needs::with(&kept, candidate, cut, addresses.clone());
        let lacks = |layers| !needs.shortages(layers).is_empty();
        let fits = addresses.bases.is_some() && !cut.segments.iter().any(lacks);
        let loads = |needs: &Needs| self.waiting((candidate, cycles), needs, words, cut);
        let before = || loads(&Needs::with(self, candidate, cut, before.clone()));
        (fits && loads(&needs) <= before()).then_some(addresses)
    }

    /// Clocks in which the machine waits for words of an image.
    fn waiting(
        &self,
        (candidate, cycles): (&Candidate, u64),
        needs: &Needs,
        words: &Words,
        cut: &Cut,
    ) -> u64 {
        match (cut.moves, cut.segments.len()) {
            (true, _) => needs.moves().map_or(u64::MAX, |moves| {
                let layers = self.graph.layers();
                let tensors = layers.flat_map(|layer| needs.tensor_words(layer));
                let moved = moves.words() + self.input_words(candidate) + tensors.sum::<u64>();
                let bus = moved + moved / SPARE;
                // What a segment needs comes when the one before has ended.
                let of_segments = match cut.segments.len() {
                    1 => 0,
                    _ => self.host_words(candidate, needs, words, cut),
                };
                moves.waiting.max(bus.saturating_sub(cycles)) + of_segments
            }),
            (false, 1) => 0,
            (false, _) => self.host_words(candidate, needs, words, cut),
        }
    }

    /// Words of the inputs, with all copies.
    fn input_words(&self, candidate: &Candidate) -> u64 {
        let inputs = self.graph.network.inputs();
        let layouts = inputs.filter_map(|input| candidate.layout.tensors[input].as_ref());
        layouts.map(|layout| layout.words()).sum()
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
