//! Outputs of children that are copied to one signal drive that signal.

use super::Inlined;
use crate::cells::{self, Cell, reads};
use crate::ir::{Connected, Expr, NetId, NetKind, Netlist, Target};
use crate::passes::fold::concat;
use crate::passes::schedule::Schedule;
use std::collections::{BTreeMap, BTreeSet};

/// Connects a child output straight to the signal that it is copied to.
pub fn alias(
    netlist: &Netlist,
    schedule: &mut Schedule,
    connections: &mut [Vec<Connected>],
    inlined: &Inlined,
) {
    let nets = &netlist.nets;
    let mut count: BTreeMap<Cell, usize> = BTreeMap::new();
    let mut add = |e: &Expr| reads(nets, e, &mut |c| *count.entry(c).or_default() += 1);
    schedule.continuous.iter().for_each(|(_, _, e)| add(e));
    inlined.values().for_each(&mut add);
    for list in &schedule.comb {
        cells::expressions(list, &mut add);
    }
    let at: BTreeSet<usize> = schedule.next.values().flatten().copied().collect();
    for p in at {
        cells::expressions(std::slice::from_ref(&schedule.body[p]), &mut add);
    }
    let procedural: BTreeSet<NetId> = {
        let mut out = BTreeSet::new();
        for list in &schedule.comb {
            cells::assignments(list, &mut |t, _| {
                out.insert(t.net);
            });
        }
        out
    };
    let mut copies: BTreeMap<Cell, Target> = BTreeMap::new();
    for (_, target, value) in &schedule.continuous {
        let Expr::Sel { net, lsb, width } = value else {
            continue;
        };
        let cell = (*net, lsb.base.max(0) as usize / nets[*net].width);
        let plain = matches!(nets[target.net].kind, NetKind::Out | NetKind::Local)
            && !procedural.contains(&target.net);
        let whole = *width == nets[*net].width;
        if nets[*net].kind == NetKind::ChildOut && plain && whole && count[&cell] == 1 {
            copies.insert(cell, target.clone());
        }
    }
    let mut gone = BTreeSet::new();
    for (instance, all) in netlist.instances.iter().zip(connections) {
        for (p, port) in instance.ports.iter().enumerate().filter(|(_, p)| p.output) {
            let joined = |k: usize| {
                let each = (0..port.elems).rev().map(|e| {
                    let t = copies.get(&(port.net, k * port.elems + e))?;
                    Some(Expr::Sel {
                        net: t.net,
                        lsb: t.lsb.clone(),
                        width: t.width,
                    })
                });
                let value = concat(each.collect::<Option<Vec<_>>>()?);
                matches!(value, Expr::Sel { .. }).then_some(value)
            };
            let values: Option<Vec<Expr>> = (0..all.len()).map(joined).collect();
            if let Some(values) = values {
                for (connected, value) in all.iter_mut().zip(values) {
                    connected.ports[p].value = value;
                }
                gone.insert(port.net);
            }
        }
    }
    schedule.continuous.retain(|(_, _, e)| match e {
        Expr::Sel { net, .. } => !gone.contains(net),
        _ => true,
    });
}

#[cfg(test)]
mod tests {
    use super::super::{AddressBits, connections};
    use super::*;
    use crate::passes::schedule::schedule;
    use crate::samples::{assign, read, two_children};

    /// What the two outputs of the children drive, and how many assignments are left.
    fn driven(also: bool) -> (Vec<Expr>, usize) {
        let netlist = two_children(|nets| {
            let mut body: Vec<_> = (0..2)
                .map(|i| assign(nets, 1, i, read(nets, 3, i)))
                .collect();
            if also {
                body.push(assign(nets, 4, 0, read(nets, 3, 0)));
            }
            body
        });
        let mut schedule = schedule(&netlist).expect("legal");
        let inlined = Inlined::new();
        let mut all = connections(&netlist, &inlined, &AddressBits::new());
        alias(&netlist, &mut schedule, &mut all, &inlined);
        let outputs = all[0].iter().map(|c| c.ports[1].value.clone());
        (outputs.collect(), schedule.continuous.len())
    }

    #[test]
    fn a_copied_output_drives_its_copy() {
        let own = vec![Expr::bits_of(1, 0, 8), Expr::bits_of(1, 8, 8)];
        assert_eq!(driven(false), (own, 0));
    }

    #[test]
    fn an_output_with_two_readers_keeps_its_wire() {
        let wires = vec![Expr::bits_of(3, 0, 8), Expr::bits_of(3, 8, 8)];
        assert_eq!(driven(true), (wires, 3));
    }
}
