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
