//! Which matrices may share banks: the two factors of a product are read at the same time, so they may not.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use heddle_arch::params::Params;
use heddle_network::Network;

use crate::error::CompileError;
use crate::ir::{Id, MatrixWork, Operation};

/// Groups of banks for all matrices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Colours {
    /// The group of each matrix.
    pub of: Vec<usize>,
    /// Number of groups.
    pub count: usize,
    /// Matrices of a number that are bound to each other: all of them may change their groups together.
    pub bound: Vec<usize>,
}

/// Two groups if that is possible, else more.
pub(super) fn colours(
    network: &Network,
    lowered: &MatrixWork,
    params: &Params,
) -> Result<Colours, CompileError> {
    let count = lowered.items.len();
    let mut neighbours = vec![BTreeSet::new(); count];
    let mut layer_of = vec![0; count];
    for layer in 0..lowered.layers.len() {
        for operation in lowered.operations(layer) {
            if let Operation::Product {
                weights, moving, ..
            } = operation
            {
                neighbours[*weights].insert(*moving);
                neighbours[*moving].insert(*weights);
                (layer_of[*weights], layer_of[*moving]) = (layer, layer);
            }
        }
    }
    let mut bound = components(&neighbours);
    // The portions of elements are read with one spread identity.
    for operation in lowered.all_operations() {
        if let Operation::Wide { planes, .. } = operation {
            let number = planes.iter().min().copied().unwrap_or(0);
            planes.iter().for_each(|&plane| bound[plane] = number);
        }
    }
    let mut of = vec![0; count];
    // What has the fewest choices left comes next; two groups are found whenever there are such.
    let mut taken: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); count];
    let key =
        |taken: &[BTreeSet<usize>], id: usize| (taken[id].len(), neighbours[id].len(), Reverse(id));
    let mut open: BTreeSet<_> = (0..count).map(|id| key(&taken, id)).collect();
    while let Some((.., Reverse(id))) = open.pop_last() {
        let free = (0..).find(|group| !taken[id].contains(group));
        of[id] = free.expect("there are as many groups as numbers");
        for &other in &neighbours[id] {
            let waits = open.remove(&key(&taken, other));
            taken[other].insert(of[id]);
            if waits {
                open.insert(key(&taken, other));
            }
        }
    }
    // An identity lies apart from what it transposes.
    let groups = of.iter().max().map_or(0, |most| most + 1).max(2);
    let banks = params.work_banks() as usize;
    if groups > banks {
        let last = of.iter().position(|&group| group + 1 == groups);
        let layer = last.map_or(0, |id| layer_of[id]);
        let without = match (params.state_buffer.input_banks, params.program_banks()) {
            (0, 0) => "",
            (_, 0) => " without the input banks",
            (0, _) => " without those of the program",
            _ => " without those of input and program",
        };
        return Err(CompileError::Layer {
            layer: network.layers[layer].name.clone(),
            message: format!(
                "its factors and those of other products are read in {groups} banks at least, \
                 state_buffer.banks is {banks}{without}; a transpose of one of them makes a copy"
            ),
        });
    }
    Ok(Colours {
        of,
        count: groups,
        bound,
    })
}

/// Groups in which what is bound together has changed sides where that makes the largest group smaller.
pub(super) fn balanced(work: &MatrixWork, colours: &Colours, params: &Params) -> Vec<usize> {
    let mut groups = colours.of.clone();
    if colours.count > 2 {
        return groups;
    }
    let mut sizes: BTreeMap<usize, [u64; 2]> = BTreeMap::new();
    for (id, item) in work.items.iter().enumerate() {
        let size = sizes.entry(colours.bound[id]).or_default();
        size[groups[id]] += item.bytes(params);
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

/// A number for each matrix, the same for those that are neighbours.
fn components(neighbours: &[BTreeSet<usize>]) -> Vec<usize> {
    let mut number = vec![usize::MAX; neighbours.len()];
    for start in 0..neighbours.len() {
        if number[start] != usize::MAX {
            continue;
        }
        let mut waiting = vec![start];
        while let Some(id) = waiting.pop() {
            if number[id] == usize::MAX {
                number[id] = start;
                waiting.extend(&neighbours[id]);
            }
        }
    }
    number
}
