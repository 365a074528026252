//! Where the parts of a network of matrices lie, group by group.

use std::ops::Range;

use heddle_arch::word::WORD_BYTES;

use super::allocate::{SpaceRequest, allocate};
use super::colour::{Colours, balanced, colours};
use super::memories::{Lacks, Memories, numbers};
use super::parts::Cut;
use super::regions::{Matrices, Regions};
use crate::error::{CompileError, Memory, Shortage};
use crate::ir::{Id, MatrixWork};
use crate::layout::MatrixPlace;
use crate::options::IdentitySource;
use crate::product::RowTables;
use crate::ways::{Candidate, Helper, Wanted, helpers};

/// Gives addresses to what a combination needs.
pub(super) struct Placer<'a> {
    memories: &'a Memories<'a>,
    candidate: &'a Candidate,
    pub work: &'a MatrixWork,
    pub colours: Colours,
    wanted: Wanted<'a>,
}

/// Who asks for space in a group.
#[derive(Debug, Clone, Copy)]
enum Owner {
    Helper(Helper, usize),
    Matrix(Id),
    /// A tensor of planes.
    Tensor(usize),
    /// The weights of a part of the layers of planes.
    Weights(usize),
}

/// Requests for space, and who asks.
type Requests = Vec<(Owner, SpaceRequest)>;

/// Bytes behind the last of some groups for each segment, in whole banks.
type Ends = Vec<u64>;

impl<'a> Placer<'a> {
    pub fn of(memories: &'a Memories<'a>, candidate: &'a Candidate) -> Result<Self, CompileError> {
        let work = candidate.matrices(memories.graph);
        Ok(Self {
            memories,
            candidate,
            work,
            colours: colours(&memories.graph.network, work, memories.params)?,
            wanted: Wanted {
                options: memories.options.matrices,
                params: memories.params,
            },
        })
    }

    /// What is missing of column tiles and table entries for so many copies of those of some layers.
    pub fn numbers(&self, layers: &Range<usize>, copies: u64) -> [Option<Shortage>; 2] {
        let rows = self.candidate.layout.rows.as_ref();
        let entries = rows.map_or(0, |rows| RowTables::of(rows, layers).entries.len());
        let Memories { graph, params, .. } = self.memories;
        numbers(graph, self.candidate, (layers, copies), entries, params)
    }

    /// Addresses if the weights of these parts of the layers are written one after the other; or the segments that do not fit.
    pub fn place(&self, cut: &Cut, weights: &[Range<usize>]) -> Result<Regions, Lacks> {
        let lacks = self.too_long(cut, weights);
        if !lacks.is_empty() {
            return Err(lacks);
        }
        let first = self.try_place(cut, weights, self.colours.of.clone());
        match cut.segments.len() {
            // The other way round what is bound together may fill the groups more evenly.
            1 => first.or_else(|lacks| {
                let groups = balanced(self.work, &self.colours, self.memories.params);
                self.try_place(cut, weights, groups).map_err(|_| lacks)
            }),
            _ => first,
        }
    }

    /// Segments with something that is longer than the memory.
    fn too_long(&self, cut: &Cut, weights: &[Range<usize>]) -> Lacks {
        let params = self.memories.params;
        let room = u64::from(params.work_bytes());
        let segments = cut.segments.iter().enumerate();
        let lacks = segments.filter_map(|(segment, layers)| {
            let steps = self.memories.steps(layers);
            let needed = |other: &Range<usize>| other.start < steps.end && steps.start < other.end;
            let tensors = self.candidate.layout.tensors.iter().enumerate();
            let tensors = tensors.filter(|(tensor, _)| needed(&self.memories.lifetimes[*tensor]));
            let tensors = tensors.filter_map(|(_, layout)| Some(layout.as_ref()?.footprint.bytes));
            let items = self.work.items.iter().filter(|item| needed(&item.steps));
            let items: Vec<u64> = items.map(|item| item.bytes(params)).collect();
            let items = items
                .iter()
                .any(|&bytes| bytes > room)
                .then(|| items.iter().sum());
            let parts = weights.iter().filter(|part| meet(part, layers));
            let parts = parts.map(|part| self.candidate.weight_bytes(part));
            let found = [
                (Memory::Activations, tensors.max()),
                (Memory::Weights, parts.max()),
                (Memory::Matrices, items),
            ];
            let found = found.into_iter().find_map(|(memory, bytes)| {
                let memory = match cut.segments.len() {
                    1 => Memory::Matrices,
                    _ => memory,
                };
                Shortage::of(memory, bytes?, room)
            });
            Some((segment, vec![found?]))
        });
        lacks.collect()
    }

    fn try_place(
        &self,
        cut: &Cut,
        weights: &[Range<usize>],
        groups: Vec<usize>,
    ) -> Result<Regions, Lacks> {
        let params = self.memories.params;
        let built = self.wanted.options.identity == IdentitySource::Built;
        let helpers = helpers(self.work, &groups, built);
        let align = align(&self.wanted, &helpers);
        let bank = u64::from(params.bank_bytes());
        let bytes = |word: usize| u64::from(WORD_BYTES) * word as u64;
        let steps = cut.segments.iter().map(|of| self.memories.steps(of));
        let steps: Vec<Range<usize>> = steps.collect();
        let mut ends: Vec<Ends> = vec![vec![0; steps.len()]];
        let (mut found, mut zeros) = (Vec::new(), Vec::new());
        for group in 0..self.colours.count {
            let before = ends.last().expect("there is one");
            let mut requests = self.requests(cut, weights, (&helpers, &groups), group);
            for (_, request) in &mut requests {
                request.align = (align / WORD_BYTES) as usize;
                let behind = steps.iter().zip(before);
                let behind = behind.filter(|(steps, _)| meet(steps, &request.steps));
                request.from = (behind.map(|(_, &end)| end).max().unwrap_or(0)
                    / u64::from(WORD_BYTES)) as usize;
            }
            let (owners, requests): (Vec<Owner>, Vec<SpaceRequest>) = requests.into_iter().unzip();
            let at = allocate(&requests);
            let places = || at.iter().zip(&requests);
            let words = places().map(|(&at, request)| at..at + request.written.len());
            let own = steps.iter().zip(before).map(|(steps, &before)| {
                let here = places().filter(|(_, request)| meet(&request.steps, steps));
                let last = here.map(|(&at, request)| bytes(at + request.written.len()));
                last.max()
                    .unwrap_or(before)
                    .max(before)
                    .next_multiple_of(bank)
            });
            let own = own.collect();
            zeros.extend(span(words, &requests));
            ends.push(own);
            found.extend(owners.into_iter().zip(at.iter().map(|&at| bytes(at))));
        }
        let lacks = self.shortages(cut, &ends);
        match lacks.is_empty() {
            true => Ok(self.regions(weights, groups, found, zeros)),
            false => Err(lacks),
        }
    }

    /// What the parts of a group ask for.
    fn requests(
        &self,
        cut: &Cut,
        weights: &[Range<usize>],
        (helpers, groups): (&[(Helper, usize)], &[usize]),
        group: usize,
    ) -> Requests {
        let memories = self.memories;
        let whole_time = memories.steps(&memories.graph.layers());
        // What a part of the layers reads is there as long as the parts beside it run.
        let of_part = |part: &Range<usize>| match weights.len() {
            1 => whole_time.clone(),
            _ => memories.steps(&cut.around(part)),
        };
        // Nor is it where something of a segment beside it is cleared meanwhile.
        let beside = |steps: &Range<usize>| {
            let of = cut.segments.iter().map(|of| (of, memories.steps(of)));
            let of = of.filter(|(_, of)| cut.beside && meet(of, steps));
            let around = of.map(|(of, _)| memories.steps(&cut.around(of)));
            around.fold(steps.clone(), |all, one| {
                all.start.min(one.start)..all.end.max(one.end)
            })
        };
        let own = helpers.iter().filter(|helper| helper.1 == group);
        let own = own.map(|&(helper, _)| {
            let bytes = self.wanted.place(helper, 0).bytes();
            let request = whole(bytes.into(), whole_time.clone(), 0);
            (Owner::Helper(helper, group), request)
        });
        let ids = (0..groups.len()).filter(|&id| groups[id] == group);
        let matrices = ids.map(|id| {
            let item = &self.work.items[id];
            let layer = item.steps.start.saturating_sub(1);
            let part = weights.iter().find(|part| part.contains(&layer));
            let steps = match (&item.content, part) {
                (Some(_), Some(part)) => of_part(part),
                _ => beside(&item.steps),
            };
            let cleared = cut.cleared(item.steps.start);
            let bytes = item.bytes(memories.params);
            (Owner::Matrix(id), whole(bytes, steps, cleared))
        });
        let tensors = self.candidate.layout.tensors.iter().enumerate();
        let tensors = tensors
            .filter(|_| group == 0)
            .filter_map(|(tensor, layout)| {
                let request = SpaceRequest {
                    steps: memories.lifetimes[tensor].clone(),
                    written: layout.as_ref()?.written().clone(),
                    cleared: cut.cleared(tensor),
                    from: 0,
                    align: 1,
                };
                Some((Owner::Tensor(tensor), request))
            });
        let weights = weights.iter().enumerate().filter(|_| group == 1);
        let weights = weights.filter_map(|(number, part)| {
            let bytes = self.candidate.weight_bytes(part);
            let request = || whole(bytes, of_part(part), 0);
            (bytes > 0).then(|| (Owner::Weights(number), request()))
        });
        own.chain(matrices).chain(tensors).chain(weights).collect()
    }

    /// The segments whose groups end behind the memory.
    fn shortages(&self, cut: &Cut, ends: &[Ends]) -> Lacks {
        let params = self.memories.params;
        let room = u64::from(params.work_bytes());
        let bank = u64::from(params.bank_bytes());
        let segments = cut.segments.iter().enumerate();
        let lacks = segments.filter_map(|(segment, layers)| {
            let [tensors, all] = [1, ends.len() - 1].map(|groups| ends[groups][segment]);
            let mut operations = layers.clone().flat_map(|layer| self.work.operations(layer));
            let is_of_matrices = cut.segments.len() == 1 || operations.next().is_some();
            let lack = match (is_of_matrices, tensors > room - bank) {
                (true, _) => Shortage::of(Memory::Matrices, all, room),
                // Weights keep a bank.
                (false, true) => Shortage::of(Memory::Activations, tensors, room - bank),
                (false, false) => Shortage::of(Memory::Weights, all - tensors, room - tensors),
            };
            Some((segment, vec![lack.filter(|_| all > room)?]))
        });
        lacks.collect()
    }

    /// Everything where it was found to fit.
    fn regions(
        &self,
        weights: &[Range<usize>],
        groups: Vec<usize>,
        found: Vec<(Owner, u64)>,
        zeros: Vec<Range<u32>>,
    ) -> Regions {
        let params = self.memories.params;
        let items = vec![self.wanted.place(Helper::Loaded, 0); self.work.items.len()];
        let mut regions = Regions {
            tensors: vec![0; self.work.tensors.len()],
            weights: vec![0; weights.len()],
            zeros,
            halos: Vec::new(),
            matrices: Matrices {
                items,
                groups,
                ..Matrices::default()
            },
        };
        for (owner, base) in found {
            let base = u32::try_from(base).expect("everything fits a partition");
            let matrices = &mut regions.matrices;
            match owner {
                Owner::Helper(helper, group) => {
                    let place = self.wanted.place(helper, base);
                    matrices.helpers.insert((helper, group), place);
                    let content = self.wanted.content(helper);
                    let written = content.map(|content| (place, content));
                    matrices.written.extend(written);
                }
                Owner::Matrix(id) => {
                    let shape = self.work.items[id].shape;
                    matrices.items[id] = MatrixPlace::new(shape, base, params);
                }
                Owner::Tensor(tensor) => regions.tensors[tensor] = base,
                Owner::Weights(part) => regions.weights[part] = base,
            }
        }
        regions
    }
}

fn meet(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

/// Space for something that has no halo.
fn whole(bytes: u64, steps: Range<usize>, cleared: usize) -> SpaceRequest {
    SpaceRequest {
        steps,
        written: vec![true; (bytes / u64::from(WORD_BYTES)) as usize].into(),
        cleared,
        from: 0,
        align: 1,
    }
}

/// What every address is a multiple of: what any matrix asks for.
fn align(wanted: &Wanted<'_>, helpers: &[(Helper, usize)]) -> u32 {
    let pitch = WORD_BYTES * wanted.params.weight_words().next_power_of_two();
    let of_helper = helpers.iter().map(|&(helper, _)| match helper {
        Helper::Identity | Helper::Spread(_) => wanted.place(helper, 0).bytes().next_power_of_two(),
        _ => pitch,
    });
    of_helper.max().unwrap_or(pitch).max(pitch)
}

/// The words from the first one that a group may have to its last one.
fn span(
    words: impl Iterator<Item = Range<usize>>,
    requests: &[SpaceRequest],
) -> Option<Range<u32>> {
    let first = requests.iter().map(|request| request.from).min()?;
    let last = words.map(|words| words.end).max()?;
    Some(first as u32..last as u32)
}
