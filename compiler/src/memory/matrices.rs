//! Addresses in a network of matrices: each group has whole banks, and within it what is not needed at the same time
//! shares memory. Planes are in the first group, the weights of their layers in the second one.

use std::collections::BTreeMap;
use std::ops::Range;

use heddle_arch::params::Params;
use heddle_arch::word::WORD_BYTES;

use super::allocate::{SpaceRequest, allocate};
use super::colour::{Colours, colours};
use super::helpers::{Helper, Wanted, helpers, other};
use super::memories::{Memories, numbers};
use crate::error::{CompileError, Memory, Shortage};
use crate::ir::{Id, MatrixWork};
use crate::layout::{MatrixPlace, MatrixShape};
use crate::options::{IdentitySource, MatrixOptions};
use crate::product::matrix::IdentityBuild;
use crate::product::{RowTables, WeightPlan};
use crate::ways::Candidate;

/// Addresses of everything.
#[derive(Debug, Default)]
pub(crate) struct Matrices {
    /// Places of the matrices.
    pub items: Vec<MatrixPlace>,
    /// The group of each matrix.
    groups: Vec<usize>,
    helpers: BTreeMap<(Helper, usize), MatrixPlace>,
    /// Elements of the helpers that the host writes.
    pub written: Vec<(MatrixPlace, Vec<i8>)>,
}

impl Matrices {
    fn helper(&self, helper: Helper, source: Id) -> MatrixPlace {
        self.helpers[&(helper, other(self.groups[source]))]
    }

    /// The constants that transposes need.
    pub fn constants(&self) -> impl Iterator<Item = &MatrixPlace> {
        self.helpers.values()
    }

    /// The identity that is streamed past a matrix.
    pub fn identity(&self, source: Id) -> MatrixPlace {
        self.helper(Helper::Identity, source)
    }

    /// The identity that is loaded when a matrix is streamed.
    pub fn loaded(&self, moving: Id) -> MatrixPlace {
        self.helper(Helper::Loaded, moving)
    }

    /// The spread identity that is streamed past a matrix.
    pub fn spread(&self, source: Id, element_bytes: u32) -> MatrixPlace {
        self.helper(Helper::Spread(element_bytes), source)
    }

    /// The identities that the program builds.
    pub fn builds(&self, tile: u16) -> Vec<IdentityBuild> {
        let ones = self
            .helpers
            .iter()
            .filter(|((kind, _), _)| *kind == Helper::One);
        let builds = ones.map(|((_, group), constants)| IdentityBuild {
            identity: self.helpers[&(Helper::Identity, *group)],
            constants: constants.base,
            scratch: self.helpers[&(Helper::Scratch, *group)].base,
            tile,
        });
        builds.collect()
    }
}

/// Addresses of tensors and weights.
#[derive(Debug)]
pub(super) struct Regions {
    /// Addresses of the tensors of planes.
    pub tensors: Vec<u32>,
    /// Address of the weights of each part of the layers of planes.
    pub weights: Vec<u32>,
    pub zeros: Vec<Range<u32>>,
    pub halos: Vec<Vec<u32>>,
    pub matrices: Matrices,
}

/// Gives everything its address.
pub(super) fn place(memories: &Memories, candidate: &Candidate) -> Result<Regions, CompileError> {
    let (graph, params) = (memories.graph, memories.params);
    let (network, options) = (&*graph.network, memories.options.matrices);
    let work = candidate.matrices(graph);
    let does_not_fit = |shortages| CompileError::does_not_fit(network, params, shortages);
    if let Some(shortage) = program_shortage(work, params) {
        return Err(does_not_fit(vec![shortage]));
    }
    let colours = colours(network, work, params)?;
    let planes = Planes::of(memories, candidate);
    let planes = planes.map_err(|shortage| does_not_fit(vec![shortage]))?;
    let layers = graph.layers();
    let rows = candidate
        .layout
        .rows
        .as_ref()
        .expect("every tensor fits a partition");
    let tables = RowTables::of(rows, &layers);
    let shortages = numbers(graph, candidate, (&layers, 1), tables.entries.len(), params);
    let mut error = None;
    // The other way round what is bound together may fill the groups more evenly.
    for groups in [colours.of.clone(), balanced(work, &colours, params)] {
        match try_place(work, &colours, groups, &planes, options, params) {
            Ok(regions) if shortages.iter().all(Option::is_none) => return Ok(regions),
            Ok(_) => {}
            Err(shortage) => {
                error.get_or_insert(shortage);
            }
        }
    }
    let shortages = error.into_iter().chain(shortages.into_iter().flatten());
    Err(does_not_fit(shortages.collect()))
}

/// Fewest words of an operation: a load, a product and a drain, each with a record of one row without loops.
const OPERATION_WORDS: u64 = 4 + 5 + 5;

/// What the program memory lacks for so many operations, before any of them gets a place.
fn program_shortage(lowered: &MatrixWork, params: &Params) -> Option<Shortage> {
    let needed = OPERATION_WORDS * lowered.all_operations().count() as u64;
    Shortage::of(Memory::Program, needed, params.program.words.into())
}

/// What layers of planes ask for beside the matrices.
struct Planes {
    /// Their tensors, with the numbers of these.
    tensors: Vec<(usize, SpaceRequest)>,
    /// Their weights, all together; none if there are no such layers.
    weights: Option<SpaceRequest>,
}

impl Planes {
    fn of(memories: &Memories, candidate: &Candidate) -> Result<Self, Shortage> {
        let params = memories.params;
        let layouts = || {
            let numbered = candidate.layout.tensors.iter().enumerate();
            numbered.filter_map(|(tensor, layout)| Some((tensor, layout.as_ref()?)))
        };
        let weights = candidate.weights.iter().flatten();
        let weights: u64 = weights.map(|plan| WeightPlan::bytes(plan)).sum();
        let room = params.work_bytes().into();
        let largest = layouts().map(|(_, layout)| layout.footprint.bytes).max();
        let largest = largest.unwrap_or(0).max(weights);
        if let Some(shortage) = Shortage::of(Memory::Matrices, largest, room) {
            return Err(shortage);
        }
        let tensors = layouts().map(|(tensor, layout)| {
            let request = SpaceRequest {
                steps: memories.lifetimes[tensor].clone(),
                written: layout.written().clone(),
                cleared: 0,
            };
            (tensor, request)
        });
        let weights = (weights > 0).then(|| SpaceRequest {
            steps: 0..memories.graph.network.layers.len() + 2,
            written: vec![true; weights as usize / WORD_BYTES as usize].into(),
            cleared: 0,
        });
        Ok(Self {
            tensors: tensors.collect(),
            weights,
        })
    }
}

/// The bytes that a shape takes in each partition; too many for any memory are all alike.
fn bytes(shape: MatrixShape, params: &Params) -> u64 {
    let pitch = u64::from(WORD_BYTES * params.weight_words().next_power_of_two());
    let groups = u64::from(shape.cols.div_ceil(params.array.cols));
    u64::from(shape.rows.div_ceil(params.array.rows)) * groups * pitch
}

/// Groups in which what is bound together has changed sides where that makes the largest group smaller.
fn balanced(lowered: &MatrixWork, colours: &Colours, params: &Params) -> Vec<usize> {
    let mut groups = colours.of.clone();
    if colours.count > 2 {
        return groups;
    }
    let mut sizes: BTreeMap<usize, [u64; 2]> = BTreeMap::new();
    for (id, item) in lowered.items.iter().enumerate() {
        let size = sizes.entry(colours.bound[id]).or_default();
        size[groups[id]] += bytes(item.shape, params);
    }
    let mut order: Vec<(u64, usize)> = (sizes.iter())
        .map(|(&number, size)| (size[0].abs_diff(size[1]), number))
        .collect();
    order.sort_unstable_by(|a, b| b.cmp(a));
    let mut members: BTreeMap<usize, Vec<Id>> = BTreeMap::new();
    for (id, &number) in colours.bound.iter().enumerate() {
        members.entry(number).or_default().push(id);
    }
    let mut total = [0, 0];
    for (_, number) in order {
        let [a, b] = sizes[&number];
        let swap = (total[0] + b).max(total[1] + a) < (total[0] + a).max(total[1] + b);
        let [a, b] = if swap { [b, a] } else { [a, b] };
        total = [total[0] + a, total[1] + b];
        if swap {
            for &id in &members[&number] {
                groups[id] = 1 - groups[id];
            }
        }
    }
    groups
}

/// Who asks for space in a group.
#[derive(Debug, Clone, Copy)]
enum Owner {
    Helper(Helper),
    Matrix(Id),
    /// A tensor of planes.
    Tensor(usize),
    /// All weights of layers of planes.
    Weights,
}

fn try_place(
    lowered: &MatrixWork,
    colours: &Colours,
    groups: Vec<usize>,
    planes: &Planes,
    options: MatrixOptions,
    params: &Params,
) -> Result<Regions, Shortage> {
    let wanted = Wanted { options, params };
    let built = options.identity == IdentitySource::Built;
    let helpers = helpers(lowered, &groups, built);
    let bank = u64::from(params.bank_bytes());
    // Products may need the input of the network as weights: it does not lie in input banks.
    let room = u64::from(params.work_bytes());
    let sizes = || lowered.items.iter().map(|item| bytes(item.shape, params));
    if sizes().any(|bytes| bytes > room) {
        return Err(Shortage::of(Memory::Matrices, sizes().sum(), room).expect("one is larger"));
    }
    let align = align(&wanted, &helpers);
    let end = lowered.layers.len() + 2;
    let mut regions = Regions {
        tensors: vec![0; lowered.tensors.len()],
        weights: vec![0],
        zeros: Vec::new(),
        halos: Vec::new(),
        matrices: Matrices {
            items: vec![wanted.place(Helper::Loaded, 0); lowered.items.len()],
            groups,
            ..Matrices::default()
        },
    };
    let mut needed = 0;
    for group in 0..colours.count {
        let own = helpers.iter().filter(|helper| helper.1 == group);
        let own = own.map(|&(helper, _)| {
            let bytes = wanted.place(helper, 0).bytes();
            (Owner::Helper(helper), whole(bytes, 0..end))
        });
        let ids = (0..lowered.items.len()).filter(|&id| regions.matrices.groups[id] == group);
        let matrices = ids.map(|id| {
            let item = &lowered.items[id];
            let bytes = MatrixPlace::new(item.shape, 0, params).bytes();
            (Owner::Matrix(id), whole(bytes, item.steps.clone()))
        });
        let tensors = planes.tensors.iter().filter(|_| group == 0);
        let tensors = tensors.map(|(tensor, request)| (Owner::Tensor(*tensor), request.clone()));
        let weights = planes.weights.iter().filter(|_| group == 1);
        let weights = weights.map(|request| (Owner::Weights, request.clone()));
        let (owners, mut requests): (Vec<Owner>, Vec<SpaceRequest>) =
            own.chain(matrices).chain(tensors).chain(weights).unzip();
        for request in &mut requests {
            let words = request
                .written
                .len()
                .next_multiple_of((align / WORD_BYTES) as usize);
            let mut written = request.written.to_vec();
            written.resize(words, true);
            request.written = written.into();
        }
        let at = allocate(&requests);
        let first = needed * bank;
        let bases = at
            .iter()
            .map(|&word| first + u64::from(WORD_BYTES) * word as u64);
        let bases: Vec<u64> = bases.collect();
        let bytes = bases.iter().zip(&requests);
        let last = bytes.map(|(base, r)| base + u64::from(WORD_BYTES) * r.written.len() as u64);
        let last = last.max().unwrap_or(first);
        needed += (last - first).div_ceil(bank);
        if last > room {
            continue;
        }
        let word = |at: u64| (at / u64::from(WORD_BYTES)) as u32;
        regions.zeros.push(word(first)..word(last));
        for (owner, base) in owners.into_iter().zip(bases) {
            let base = base as u32;
            let matrices = &mut regions.matrices;
            match owner {
                Owner::Helper(helper) => {
                    let place = wanted.place(helper, base);
                    matrices.helpers.insert((helper, group), place);
                    let content = wanted.content(helper);
                    matrices
                        .written
                        .extend(content.map(|content| (place, content)));
                }
                Owner::Matrix(id) => {
                    matrices.items[id] = MatrixPlace::new(lowered.items[id].shape, base, params);
                }
                Owner::Tensor(tensor) => regions.tensors[tensor] = base,
                Owner::Weights => regions.weights = vec![base],
            }
        }
    }
    match Shortage::of(Memory::Matrices, needed * bank, room) {
        Some(shortage) => Err(shortage),
        None => Ok(regions),
    }
}

/// Space for something that has no halo.
fn whole(bytes: u32, steps: Range<usize>) -> SpaceRequest {
    SpaceRequest {
        steps,
        written: vec![true; (bytes / WORD_BYTES) as usize].into(),
        cleared: 0,
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
