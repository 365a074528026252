//! The contents of a module in printing order: assignments, instances, processes.

use super::{PROCESS_LOOP, is_plain, roll, roll_array, roll_like, statements, vectors};
use crate::cells;
use crate::ir::{Connected, Expr, Item, Net, NetId, Netlist, Stmt, Target};
use crate::passes::fold::concat;
use std::collections::{BTreeMap, BTreeSet};

/// A continuous assignment with the comments above it.
pub type Continuous = (Vec<String>, Target, Expr);

/// Continuous assignments, arrays joined or rolled, in order of their first element.
pub fn assigns(nets: &[Net], list: Vec<Continuous>, unrolled: bool) -> Vec<Item> {
    let mut order: Vec<NetId> = Vec::new();
    let mut by_net: BTreeMap<NetId, Vec<Continuous>> = BTreeMap::new();
    for entry in list {
        let net = entry.1.net;
        if !by_net.contains_key(&net) {
            order.push(net);
        }
        by_net.entry(net).or_default().push(entry);
    }
    let mut items = Vec::new();
    for net in order {
        let Some(mut list) = by_net.remove(&net) else {
            continue;
        };
        let comments: Vec<String> = list.iter().flat_map(|(c, _, _)| c.clone()).collect();
        let mut seen = BTreeSet::new();
        for text in comments {
            if seen.insert(text.clone()) {
                items.push(Item::Comment(text));
            }
        }
        list.sort_by_key(|(_, t, _)| t.lsb.base);
        let mut list: Vec<(Target, Expr)> = list.into_iter().map(|(_, t, e)| (t, e)).collect();
        if !unrolled {
            list = join(nets, list);
        }
        let elem = |t: &Target| t.lsb.base.max(0) as usize / nets[net].width;
        let bundles: Vec<Vec<Item>> = list
            .iter()
            .map(|(t, e)| vec![Item::Assign(t.clone(), e.clone())])
            .collect();
        let full = list.len() == nets[net].elems();
        if unrolled {
            items.extend(bundles.into_iter().flatten());
        } else if full && nets[net].dims.len() > 1 {
            items.extend(roll_array(bundles, &nets[net].dims, 0));
        } else {
            items.extend(roll_steps(
                &bundles,
                &list.iter().map(|(t, _)| elem(t)).collect::<Vec<_>>(),
            ));
        }
    }
    items
}

pub fn instances(netlist: &Netlist, connections: Vec<Vec<Connected>>, unrolled: bool) -> Vec<Item> {
    let mut items = Vec::new();
    for (instance, all) in netlist.instances.iter().zip(connections) {
        let bundles: Vec<Vec<Item>> = all.into_iter().map(|c| vec![Item::Instance(c)]).collect();
        if unrolled || instance.dims.is_empty() {
            items.extend(bundles.into_iter().flatten());
        } else {
            items.extend(roll_array(bundles, &instance.dims, 0));
        }
    }
    items
}

/// Combinational processes.
pub fn processes(nets: &[Net], bodies: Vec<Vec<Stmt>>, unrolled: bool) -> Vec<Item> {
    if unrolled {
        return bodies.into_iter().map(Item::Comb).collect();
    }
    let rolled = bodies.into_iter().map(|b| statements(b, PROCESS_LOOP));
    let rolled = rolled.map(Item::Comb).collect();
    roll_like(rolled, &|item| first_element(nets, item), 0)
}

/// Element that a process writes first.
fn first_element(nets: &[Net], item: &Item) -> usize {
    let mut out = None;
    if let Item::Comb(body) = item {
        cells::assignments(body, &mut |t, _| {
            out.get_or_insert(t.lsb.base.max(0) as usize / nets[t.net].width);
        });
    }
    out.unwrap_or(0)
}

/// Rolls runs of elements at equal distances; the loop counts elements where they are
/// neighbours.
fn roll_steps(bundles: &[Vec<Item>], elems: &[usize]) -> Vec<Item> {
    let mut items = Vec::new();
    let mut start = 0;
    while start < elems.len() {
        let step = elems.get(start + 1).map_or(1, |e| e - elems[start]);
        let mut end = start + 1;
        while end < elems.len() && elems[end] - elems[end - 1] == step {
            end += 1;
        }
        let from = if step == 1 { elems[start] } else { 0 };
        items.extend(roll(bundles[start..end].to_vec(), from, 0));
        start = end;
    }
    items
}

/// Joins neighbouring elements where the result is simple, or one operation for all of them.
fn join(nets: &[Net], list: Vec<(Target, Expr)>) -> Vec<(Target, Expr)> {
    let Some((first, _)) = list.first() else {
        return list;
    };
    let total: usize = list.iter().map(|(t, _)| t.width).sum();
    let dense = list
        .windows(2)
        .all(|w| w[0].0.lsb.base + w[0].0.width as i64 == w[1].0.lsb.base);
    let value = concat(list.iter().rev().map(|(_, e)| e.clone()).collect());
    if list.len() > 1 && dense && is_plain(&value, nets[first.net].elems()) {
        let target = Target {
            net: first.net,
            lsb: first.lsb.clone(),
            width: total,
        };
        return vec![(target, value)];
    }
    vectors(list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::NetKind;
    use crate::passes::fold::{neg, not};
    use crate::samples::{net, place, read};

    fn nets() -> Vec<Net> {
        let array = |name, kind| net(name, kind, &[4], 8);
        vec![array("x", NetKind::In), array("y", NetKind::Out)]
    }

    fn list(value: impl Fn(usize) -> Expr) -> Vec<Continuous> {
        let one = |i| (Vec::new(), place(&nets(), 1, i), value(i));
        (0..4).map(one).collect()
    }

    #[test]
    fn a_copied_array_is_one_assignment() {
        let items = assigns(&nets(), list(|i| read(&nets(), 0, i)), false);
        let whole = Target {
            net: 1,
            lsb: 0.into(),
            width: 32,
        };
        assert_eq!(items, [Item::Assign(whole, Expr::bits_of(0, 0, 32))]);
    }

    #[test]
    fn logic_per_element_is_a_loop_unless_unrolled() {
        let negated = || list(|i| neg(read(&nets(), 0, i)));
        let items = assigns(&nets(), negated(), false);
        assert!(
            matches!(items.as_slice(), [Item::Loop(0, 0, 4, _)]),
            "{items:?}"
        );
        assert_eq!(assigns(&nets(), negated(), true).len(), 4);
    }

    #[test]
    fn bitwise_logic_is_one_vector_unless_unrolled() {
        let inverted = || list(|i| not(read(&nets(), 0, i)));
        let [Item::Assign(target, value)] = &assigns(&nets(), inverted(), false)[..] else {
            panic!("expected one assignment")
        };
        assert_eq!((target.width, value), (32, &not(Expr::bits_of(0, 0, 32))));
        assert_eq!(assigns(&nets(), inverted(), true).len(), 4);
    }
}
