//! Scattering: an array whose elements feed each other becomes a net for each element.
//!
//! A process that assigns a vector bit by bit is a chain of masked writes to a simulator, which
//! reads and writes the whole vector for each: nets of their own are plain values, a third faster to
//! simulate and to compile in designs with many such processes. Synthesis sees the same logic.

use crate::cells::{self, Cell, cells_of};
use crate::ir::{Expr, Index, Net, NetId, NetKind, Netlist, Stmt, Target};
use crate::passes::fold::concat;
use crate::passes::naming::Names;
use crate::passes::schedule::Schedule;
use std::collections::{BTreeMap, BTreeSet};

/// Splits the local arrays of the chains of a schedule.
pub fn scatter(netlist: &mut Netlist, names: &mut Names, schedule: &mut Schedule) {
    let chained: BTreeSet<NetId> = schedule.chains.iter().flatten().copied().collect();
    let local = |net: &NetId| {
        let net = &netlist.nets[*net];
        net.kind == NetKind::Local && net.elems() > 1
    };
    let mut arrays: BTreeSet<NetId> = chained.into_iter().filter(local).collect();
    // A signal selects an element of some: they stay vectors.
    for list in schedule.comb.iter().chain([&schedule.body]) {
        cells::expressions(list, &mut |e| keep_picked(e, &mut arrays));
    }
    for (_, _, value) in &schedule.continuous {
        keep_picked(value, &mut arrays);
    }
    cells::assignments(&schedule.body, &mut |target, _| {
        if target.width > netlist.nets[target.net].width {
            arrays.remove(&target.net);
        }
    });
    let mut elements = Elements::default();
    for array in arrays {
        elements.split(&mut netlist.nets, names, array);
    }
    if elements.of.is_empty() {
        return;
    }
    let nets = &netlist.nets;
    for (_, _, value) in &mut schedule.continuous {
        *value = elements.value(nets, value);
    }
    for list in schedule.comb.iter_mut().chain([&mut schedule.body]) {
        elements.list(nets, list);
    }
}

/// Takes arrays out of which a signal selects.
fn keep_picked(e: &Expr, arrays: &mut BTreeSet<NetId>) {
    if let Expr::Pick { net, .. } = e {
        arrays.remove(net);
    }
    e.children().for_each(|e| keep_picked(e, arrays));
}

/// The nets that stand for elements.
#[derive(Default)]
struct Elements {
    of: BTreeMap<Cell, NetId>,
}

impl Elements {
    fn split(&mut self, nets: &mut Vec<Net>, names: &mut Names, array: NetId) {
        for elem in 0..nets[array].elems() {
            let cell = (array, elem);
            let index = cells::indices(nets, cell).into_iter();
            let index: Vec<String> = index.map(|i| i.to_string()).collect();
            let whole = &nets[array];
            let net = Net {
                name: names.claim(&format!("{}_{}", whole.name, index.join("_"))),
                rust: cells::name(nets, cell),
                dims: Vec::new(),
                part_of: Some(whole.name.clone()),
                ..whole.clone()
            };
            self.of.insert(cell, nets.len());
            nets.push(net);
        }
    }

    /// The same value read from the elements.
    fn value(&self, nets: &[Net], e: &Expr) -> Expr {
        e.map_nets(&mut |net, lsb, width| self.selection(nets, net, lsb, width))
    }

    fn selection(&self, nets: &[Net], net: NetId, lsb: &Index, width: usize) -> Option<Expr> {
        let each = nets[net].width;
        let (low, high) = (lsb.constant()?, lsb.constant()? + width);
        let part = |elem: usize| {
            let begin = low.max(elem * each);
            let end = high.min((elem + 1) * each);
            let id = self.of.get(&(net, elem))?;
            Some(Expr::bits_of(*id, begin - elem * each, end - begin))
        };
        let parts: Option<Vec<Expr>> = cells_of(nets, net, lsb, width).rev().map(part).collect();
        Some(concat(parts?))
    }

    fn target(&self, nets: &[Net], target: &mut Target) {
        let cell = cells::written(nets, target).0;
        if let Some(id) = self.of.get(&cell) {
            target.lsb.base -= (cell.1 * nets[target.net].width) as i64;
            target.net = *id;
        }
    }

    fn list(&self, nets: &[Net], list: &mut Vec<Stmt>) {
        let mut value = |e: Expr| self.value(nets, &e);
        *list = cells::map_expressions(std::mem::take(list), &mut value);
        self.targets(nets, list);
    }

    fn targets(&self, nets: &[Net], list: &mut [Stmt]) {
        for s in list {
            match s {
                Stmt::Assign(target, _) => self.target(nets, target),
                Stmt::If(_, a, b) => {
                    self.targets(nets, a);
                    self.targets(nets, b);
                }
                Stmt::Case(_, arms) => {
                    arms.iter_mut().for_each(|(_, b)| self.targets(nets, b));
                }
                Stmt::For(_, _, _, body) => self.targets(nets, body),
                Stmt::Comment(_) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::fold::not;
    use crate::passes::schedule;
    use crate::samples::{assign, net, netlist, read};

    /// Input byte, chain of three bytes, output byte.
    fn nets() -> Vec<Net> {
        vec![
            net("x", NetKind::In, &[], 8),
            net("c", NetKind::Local, &[3], 8),
            net("y", NetKind::Out, &[], 8),
        ]
    }

    fn scattered(last: Stmt) -> (Netlist, Schedule) {
        let nets = nets();
        let mut body = vec![assign(&nets, 1, 0, read(&nets, 0, 0))];
        for i in 1..3 {
            body.push(assign(&nets, 1, i, not(read(&nets, 1, i - 1))));
        }
        body.push(last);
        let mut netlist = netlist(nets, body);
        let mut schedule = schedule::schedule(&netlist).expect("legal");
        scatter(&mut netlist, &mut Names::default(), &mut schedule);
        (netlist, schedule)
    }

    #[test]
    fn elements_of_a_chain_are_nets() {
        // Half of element 2, half of element 1.
        let last = assign(&nets(), 2, 0, Expr::bits_of(1, 12, 8));
        let (netlist, schedule) = scattered(last);
        let names: Vec<&str> = netlist.nets[3..].iter().map(|n| n.name.as_str()).collect();
        assert_eq!(names, ["c_0", "c_1", "c_2"]);
        let chain = [
            assign(&netlist.nets, 3, 0, read(&netlist.nets, 0, 0)),
            assign(&netlist.nets, 4, 0, not(read(&netlist.nets, 3, 0))),
            assign(&netlist.nets, 5, 0, not(read(&netlist.nets, 4, 0))),
        ];
        assert_eq!(schedule.comb, [chain]);
        let halves = vec![Expr::bits_of(5, 0, 4), Expr::bits_of(4, 4, 4)];
        assert_eq!(schedule.continuous[0].2, Expr::Concat(halves));
    }

    #[test]
    fn arrays_that_a_signal_selects_from_stay() {
        let pick = Expr::Pick {
            net: 1,
            lsb: 0.into(),
            width: 8,
            index: Box::new(Expr::bits_of(0, 0, 3)),
        };
        let last = Stmt::Assign(
            Target {
                net: 2,
                lsb: 0.into(),
                width: 1,
            },
            pick,
        );
        let (netlist, _) = scattered(last);
        assert_eq!(netlist.nets.len(), 3);
    }
}
