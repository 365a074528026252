//! The ways of the layers, found by the clocks of the whole network, since the neighbours of a layer change with it.

use std::collections::BTreeMap;
use std::ops::Range;

use heddle_arch::word::WORD_BYTES;

use crate::memory::{Memories, Room};
use crate::product::Mapping;
use crate::ways::{BlockGroup, Builder, Candidate, Part, Switches, Ways, block_layers};

/// Words that a program loads for each clock that they are worth: most come beside its work.
const HIDDEN: u64 = 4;

/// What the search looks at: whether combinations fit, and the clocks that they take for an image.
#[derive(Clone, Copy)]
pub(crate) struct Goal<'a> {
    pub memory: &'a Memories<'a>,
    /// What must fit at the same time.
    pub room: Room,
}

impl Goal<'_> {
    /// How much of the memories is missing, in millionths of what there is, and the layers that lack something by themselves, if that is
    /// what counts.
    fn lack(&self, candidate: &Candidate) -> (u64, Vec<bool>) {
        let lacks = self.memory.lacks(candidate, self.room);
        let lacking = match self.room {
            Room::AtOnce | Room::Moving => vec![true; candidate.weights.len()],
            Room::Alone => lacks.iter().map(|&lack| lack > 0).collect(),
        };
        (lacks.into_iter().fold(0, u64::saturating_add), lacking)
    }

    /// Clocks for an image. What does not fit at once is loaded again for each image, by a program beside its work.
    pub fn clocks(&self, candidate: &Candidate) -> u64 {
        let weights = candidate.weights.iter().flatten();
        let bytes = match self.room {
            Room::AtOnce => 0,
            Room::Moving | Room::Alone => weights.map(|plan| plan.bytes()).sum(),
        };
        candidate.cycles().saturating_add(self.load(bytes))
    }

    /// Clocks in which the host loads weights of so many bytes in each partition.
    fn load(&self, bytes: u64) -> u64 {
        let words = bytes / u64::from(WORD_BYTES) * u64::from(self.memory.params.array.rows);
        match self.room {
            Room::AtOnce => 0,
            Room::Moving => words / HIDDEN,
            Room::Alone => words,
        }
    }
}

/// The layers that can make several pixels at a time.
pub(super) struct Groups<'a> {
    builder: &'a Builder<'a>,
    all: Vec<BlockGroup>,
}

impl<'a> Groups<'a> {
    pub fn of(builder: &'a Builder<'a>) -> Self {
        let all = block_layers(builder.graph, builder.params);
        Self { builder, all }
    }

    /// There are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Ways with another mapping of a group; where a neighbour could not read or write so, of those behind it or in front of it as well,
    /// as few as it takes.
    fn with(&self, ways: &Ways, group: usize, mapping: Mapping, lacking: &[bool]) -> Vec<Ways> {
        let changed = |groups: Range<usize>| {
            let mut changed = ways.clone();
            let parts = groups.flat_map(|group| those_of(&self.all[group], lacking));
            for (layers, _) in parts.filter(|(_, mappings)| is_one(mapping, mappings)) {
                layers
                    .iter()
                    .for_each(|&layer| changed.mappings[layer] = mapping);
            }
            self.builder.fits(&changed.mappings).then_some(changed)
        };
        let behind = (group + 1..=self.all.len()).find_map(|end| changed(group..end));
        let in_front = (0..=group)
            .rev()
            .find_map(|begin| changed(begin..group + 1));
        let mut found: Vec<Ways> = behind.into_iter().chain(in_front).collect();
        found.dedup();
        found
    }

    /// As many layers as can have this mapping have it.
    pub fn with_all(&self, ways: Ways, mapping: Mapping) -> Ways {
        let can = |group: &BlockGroup| {
            group
                .iter()
                .any(|(_, mappings)| mappings.contains(&mapping))
        };
        let groups = (0..self.all.len()).filter(|&group| can(&self.all[group]));
        groups.fold(ways, |ways, group| {
            self.with(&ways, group, mapping, &[]).pop().unwrap_or(ways)
        })
    }

    /// Ways that differ in the mappings of a group, and of those that have to change with it.
    fn changes(
        &self,
        ways: &Ways,
        (lacking, only_these): (&[bool], bool),
        allowed: impl Fn(Mapping, Mapping) -> bool,
    ) -> Vec<Ways> {
        let mut found = Vec::new();
        for (number, group) in self.all.iter().enumerate() {
            let lacks = |(layers, _): &Part| layers.iter().any(|&layer| lacking[layer]);
            if only_these && !group.iter().any(lacks) {
                continue;
            }
            let Some((layers, mappings)) = those_of(group, lacking).next() else {
                continue;
            };
            let now = ways.mappings[layers[0]];
            let others = [Mapping::Channel].iter().chain(mappings);
            for &other in others.filter(|&&other| other != now && allowed(now, other)) {
                found.extend(self.with(ways, number, other, lacking));
            }
        }
        found
    }
}

/// The search for the ways of a network.
pub(super) struct Search<'a> {
    pub builder: &'a Builder<'a>,
    pub goal: Goal<'a>,
    pub groups: &'a Groups<'a>,
}

impl Search<'_> {
    /// The combination with the fewest clocks, as far as changes of a group lead to it; changes of mappings only if they may.
    pub fn fastest(&self, switches: Switches, begin: Ways, maps: bool) -> Candidate {
        let mut best = self.streamed_where_faster(switches, begin);
        if !maps {
            return best;
        }
        loop {
            let changes = self
                .groups
                .changes(&best.ways, (&[], false), |_, _| true)
                .into_iter();
            let changed = changes.map(|ways| self.streamed_where_faster(switches, ways));
            match changed.min_by_key(|changed| self.goal.clocks(changed)) {
                Some(better) if self.goal.clocks(&better) < self.goal.clocks(&best) => {
                    best = better;
                }
                _ => return best,
            }
        }
    }

    /// Weights are streamed where that saves clocks: each layer for itself, since it changes nothing for others.
    fn streamed_where_faster(&self, switches: Switches, mut ways: Ways) -> Candidate {
        ways.streams.fill(switches.streamed);
        let candidate = self.builder.candidate(switches, ways);
        let clocks = |layer: usize, streamed: bool| {
            let (cost, bytes) = self.builder.other(&candidate, layer, streamed)?;
            Some(cost.mapping.cycles + self.goal.load(bytes))
        };
        let slower: Vec<usize> = (self.builder.graph.layers())
            .filter(|&layer| candidate.streams(layer))
            .filter(
                |&layer| match [true, false].map(|streamed| clocks(layer, streamed)) {
                    [Some(streamed), Some(loaded)] => loaded < streamed,
                    _ => false,
                },
            )
            .collect();
        match slower.is_empty() {
            true => candidate,
            false => self
                .builder
                .candidate(switches, unstreamed(&candidate, &slower)),
        }
    }

    /// Takes back what saves the fewest clocks for what it needs, until the rest fits or nothing is left; taps laid over the rows only if
    /// they may.
    pub fn reduced(&self, begin: Candidate, unflattens: bool) -> Candidate {
        let mut best = begin;
        let (mut missing, mut lacking) = self.goal.lack(&best);
        while missing > 0 {
            // Mostly a layer that lacks something can do with less.
            let these = [true, false].into_iter();
            let found = these
                .skip(usize::from(!self.builder.graph.is_large()))
                .find_map(|only_these| {
                    let changes = self.smaller(&best, (&lacking, only_these), unflattens);
                    self.cheapest(changes, &best, missing)
                });
            let Some(next) = found else {
                break;
            };
            ((missing, lacking), best) = next;
        }
        best
    }

    /// Ways that take less room: of layers that lack something, or of all.
    fn smaller(&self, best: &Candidate, lacking: (&[bool], bool), unflattens: bool) -> Vec<Ways> {
        let fewer = |from: Mapping, to: Mapping| to.phases() < from.phases();
        let mut changes = self.groups.changes(&best.ways, lacking, fewer);
        changes.extend(self.unstreamed_pieces(best, lacking.0));
        if unflattens {
            changes.extend(self.unflattened(&best.ways, lacking.0));
        }
        changes
    }

    /// The change with the fewest clocks for each part that is no longer missing; of those that fit, the fewest. Gives what is still missing.
    fn cheapest(
        &self,
        changes: Vec<Ways>,
        best: &Candidate,
        missing: u64,
    ) -> Option<((u64, Vec<bool>), Candidate)> {
        let goal = self.goal;
        let clocks = goal.clocks(best);
        let changed = changes.into_iter();
        let changed = changed.map(|ways| self.builder.candidate(best.switches, ways));
        let changed = changed.map(|changed| (goal.lack(&changed), changed));
        let helps = changed.filter(|((left, _), _)| *left < missing);
        helps.min_by_key(|((left, _), changed)| {
            let own = goal.clocks(changed);
            let more = u128::from(own.saturating_sub(clocks));
            let each = more * 1_000_000 / u128::from(missing - left);
            (*left > 0, each, own)
        })
    }

    /// Layers, those together that go the same way; of those of which some lack something only these.
    fn pieces(&self, layers: impl Iterator<Item = usize>, lacking: &[bool]) -> Vec<Vec<usize>> {
        let mut found = BTreeMap::<usize, Vec<usize>>::new();
        for layer in layers {
            let kin = self.builder.graph.kin(layer);
            found.entry(kin).or_default().push(layer);
        }
        let mut found: Vec<Vec<usize>> = found.into_values().collect();
        for layers in &mut found {
            if layers.iter().any(|&layer| lacking[layer]) {
                layers.retain(|&layer| lacking[layer]);
            }
        }
        found
    }

    /// Ways in which one layer less has its taps laid over the rows.
    fn unflattened(&self, ways: &Ways, lacking: &[bool]) -> Vec<Ways> {
        let layers = (0..ways.mappings.len()).filter(|&l| ways.mappings[l] == Mapping::Flattened);
        let without = self.pieces(layers, lacking).into_iter().map(|layers| {
            let mut ways = ways.clone();
            layers
                .iter()
                .for_each(|&layer| ways.mappings[layer] = Mapping::Channel);
            ways
        });
        without.collect()
    }

    /// Ways in which the weights of one layer less are streamed.
    fn unstreamed_pieces(&self, candidate: &Candidate, lacking: &[bool]) -> Vec<Ways> {
        let layers = (0..candidate.weights.len()).filter(|&layer| candidate.streams(layer));
        let pieces = self.pieces(layers, lacking).into_iter();
        pieces
            .map(|layers| unstreamed(candidate, &layers))
            .collect()
    }
}

/// Ways in which the weights of some layers are not streamed.
fn unstreamed(candidate: &Candidate, layers: &[usize]) -> Ways {
    let mut ways = candidate.ways.clone();
    layers.iter().for_each(|&layer| ways.streams[layer] = false);
    ways
}

/// The parts of a group; if only some of them lack something only these.
fn those_of<'g>(group: &'g BlockGroup, lacking: &[bool]) -> impl Iterator<Item = &'g Part> {
    let lacks = |layers: &[usize]| {
        layers
            .iter()
            .any(|&layer| lacking.get(layer) == Some(&true))
    };
    let parts: Vec<&Part> = group.iter().filter(|(layers, _)| lacks(layers)).collect();
    let all = parts.is_empty();
    let others = group.iter().filter(move |_| all);
    parts.into_iter().chain(others)
}

/// Layers with these further mappings can have the mapping.
fn is_one(mapping: Mapping, further: &[Mapping]) -> bool {
    mapping == Mapping::Channel || further.contains(&mapping)
}
