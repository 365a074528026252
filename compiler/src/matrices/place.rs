//! Addresses of all matrices: each group has whole banks, and within it matrices that are not needed at the same time
//! share memory.

use std::collections::BTreeMap;
use std::ops::Range;

use heddle_arch::network::Network;
use heddle_arch::params::Params;

use super::colour::Colours;
use super::lower::{Id, Lowered, Operation};
use super::{IdentitySource, MatrixOptions};
use crate::allocate::{SpaceRequest, allocate};
use crate::error::{CompileError, Memory, Shortage};
use crate::matrix::{IdentityBuild, MatrixPlace, MatrixShape, WideTranspose};

/// A constant that transposes need in a group of banks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Helper {
    /// The identity, streamed.
    Identity,
    /// A word with a 1, of which the identity is built.
    One,
    /// Words of ones on the way to the identity.
    Scratch,
    /// The identity, loaded.
    Loaded,
    /// The spread identity for elements of so many bytes.
    Spread(u32),
}

/// Addresses of everything.
#[derive(Debug)]
pub(super) struct Placed {
    /// Places of the matrices.
    pub items: Vec<MatrixPlace>,
    /// The group of each matrix.
    groups: Vec<usize>,
    helpers: BTreeMap<(Helper, usize), MatrixPlace>,
    /// Elements of the helpers that the host writes.
    pub written: Vec<(MatrixPlace, Vec<i8>)>,
    /// Words of each partition that are in use.
    pub words: Vec<Range<u32>>,
}

impl Placed {
    /// The group of the constants for what lies in a group.
    fn other(group: usize) -> usize {
        usize::from(group == 0)
    }

    fn helper(&self, helper: Helper, source: Id) -> MatrixPlace {
        self.helpers[&(helper, Self::other(self.groups[source]))]
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
    pub fn builds(&self, tile: u8) -> Vec<IdentityBuild> {
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

/// What the constants of a group need.
struct Wanted<'p> {
    options: MatrixOptions,
    params: &'p Params,
}

impl Wanted<'_> {
    fn place(&self, helper: Helper, base: u32) -> MatrixPlace {
        let params = self.params;
        let rows = params.array.rows;
        let square = MatrixShape { rows, cols: rows };
        let row = MatrixShape {
            rows: 1,
            cols: params.array.cols,
        };
        match helper {
            Helper::Identity => MatrixPlace::streamed(square, base, params),
            Helper::Loaded => MatrixPlace::new(square, base, params),
            Helper::One | Helper::Scratch => MatrixPlace::new(row, base, params),
            Helper::Spread(bytes) => {
                MatrixPlace::streamed(WideTranspose::spread(bytes, params), base, params)
            }
        }
    }

    /// What the host writes of it.
    fn content(&self, helper: Helper) -> Option<Vec<i8>> {
        let MatrixShape { rows, cols } = self.place(helper, 0).shape;
        let ones = |one: &dyn Fn(u32, u32) -> bool| {
            let places = (0..rows).flat_map(|row| (0..cols).map(move |col| (row, col)));
            Some(places.map(|(row, col)| i8::from(one(row, col))).collect())
        };
        let built = self.options.identity == IdentitySource::Built;
        match helper {
            Helper::Identity if built => None,
            Helper::Scratch => None,
            Helper::Identity | Helper::Loaded | Helper::One => ones(&|row, col| row == col),
            Helper::Spread(bytes) => ones(&|row, col| col == bytes * row + bytes - 1),
        }
    }
}

/// The constants that the operations need, with their groups.
fn helpers(lowered: &Lowered, groups: &[usize], built: bool) -> Vec<(Helper, usize)> {
    let mut needed = Vec::new();
    for operation in lowered.layers.iter().flatten() {
        match operation {
            Operation::Product { .. } => {}
            Operation::Transpose { source, .. } => {
                let group = Placed::other(groups[*source]);
                needed.push((Helper::Identity, group));
                if built {
                    needed.extend([(Helper::One, group), (Helper::Scratch, group)]);
                }
            }
            Operation::Wide { source, planes, .. } => {
                needed.push((Helper::Loaded, Placed::other(groups[*source])));
                let spread = Helper::Spread(planes.len() as u32);
                let planes = planes.iter();
                needed.extend(planes.map(|&plane| (spread, Placed::other(groups[plane]))));
            }
        }
    }
    needed.sort_unstable();
    needed.dedup();
    needed
}

/// Gives everything its address.
pub(super) fn place(
    network: &Network,
    lowered: &Lowered,
    colours: &Colours,
    options: MatrixOptions,
    params: &Params,
) -> Result<Placed, CompileError> {
    let mut error = None;
    // The other way round what is bound together may fill the groups more evenly.
    for groups in [colours.of.clone(), balanced(lowered, colours, params)] {
        match try_place(lowered, colours, groups, options, params) {
            Ok(placed) => return Ok(placed),
            Err(shortage) => {
                error.get_or_insert(shortage);
            }
        }
    }
    Err(CompileError::DoesNotFit {
        network: network.name.clone(),
        configuration: params.name.clone(),
        shortages: error.into_iter().collect(),
    })
}

/// The bytes that a shape takes in each partition; too many for any memory are all alike.
fn bytes(shape: MatrixShape, params: &Params) -> u64 {
    let pitch = u64::from(8 * params.weight_words().next_power_of_two());
    let groups = u64::from(shape.cols.div_ceil(params.array.cols));
    u64::from(shape.rows.div_ceil(params.array.rows)) * groups * pitch
}

/// Groups in which what is bound together has changed sides where that makes the largest group smaller.
fn balanced(lowered: &Lowered, colours: &Colours, params: &Params) -> Vec<usize> {
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

fn try_place(
    lowered: &Lowered,
    colours: &Colours,
    groups: Vec<usize>,
    options: MatrixOptions,
    params: &Params,
) -> Result<Placed, Shortage> {
    let wanted = Wanted { options, params };
    let built = options.identity == IdentitySource::Built;
    let helpers = helpers(lowered, &groups, built);
    let bank = u64::from(params.bank_bytes());
    // Products may need the input of the network as weights: it does not lie in input banks.
    let room = u64::from(params.work_bytes());
    let whole: u64 = lowered
        .items
        .iter()
        .map(|item| bytes(item.shape, params))
        .sum();
    if lowered
        .items
        .iter()
        .any(|item| bytes(item.shape, params) > room)
    {
        return Err(Shortage::of(Memory::Matrices, whole, room).expect("one alone is larger"));
    }
    // Every address is a multiple of what any matrix asks for.
    let pitch = 8 * params.weight_words().next_power_of_two();
    let helper_bytes = |helper: Helper| wanted.place(helper, 0).bytes();
    let align = helpers.iter().map(|&(helper, _)| match helper {
        Helper::Identity | Helper::Spread(_) => helper_bytes(helper).next_power_of_two(),
        _ => pitch,
    });
    let align = align.max().unwrap_or(pitch).max(pitch);
    let end = lowered.layers.len() + 2;
    let request = |bytes: u32, steps: Range<usize>| SpaceRequest {
        steps,
        written: vec![true; (bytes.next_multiple_of(align) / 8) as usize],
    };
    let mut placed = Placed {
        items: vec![wanted.place(Helper::Loaded, 0); lowered.items.len()],
        groups,
        helpers: BTreeMap::new(),
        written: Vec::new(),
        words: Vec::new(),
    };
    let mut needed = 0;
    let mut ends = Vec::new();
    for group in 0..colours.count {
        let ids = (0..lowered.items.len()).filter(|&id| placed.groups[id] == group);
        let ids: Vec<Id> = ids.collect();
        let own: Vec<Helper> = helpers
            .iter()
            .filter(|h| h.1 == group)
            .map(|h| h.0)
            .collect();
        let mut requests: Vec<SpaceRequest> = (own.iter())
            .map(|&helper| request(helper_bytes(helper), 0..end))
            .collect();
        requests.extend(ids.iter().map(|&id| {
            let item = &lowered.items[id];
            let bytes = MatrixPlace::new(item.shape, 0, params).bytes();
            request(bytes, item.steps.clone())
        }));
        let at = allocate(&requests);
        let first = needed * bank;
        let bases = at.iter().map(|&word| first + 8 * word as u64);
        let bases: Vec<u64> = bases.collect();
        let bytes = bases.iter().zip(&requests);
        let last = bytes.map(|(base, r)| base + 8 * r.written.len() as u64);
        let last = last.max().unwrap_or(first);
        needed += (last - first).div_ceil(bank);
        ends.push(first..last);
        if last > room {
            continue;
        }
        for (&helper, &base) in own.iter().zip(&bases) {
            let place = wanted.place(helper, base as u32);
            placed.helpers.insert((helper, group), place);
            let content = wanted.content(helper);
            placed
                .written
                .extend(content.map(|content| (place, content)));
        }
        for (&id, &base) in ids.iter().zip(&bases[own.len()..]) {
            let shape = lowered.items[id].shape;
            placed.items[id] = MatrixPlace::new(shape, base as u32, params);
        }
    }
    if let Some(shortage) = Shortage::of(Memory::Matrices, needed * bank, room) {
        return Err(shortage);
    }
    let words = ends
        .iter()
        .map(|used| (used.start / 8) as u32..(used.end / 8) as u32);
    placed.words = words.collect();
    Ok(placed)
}
