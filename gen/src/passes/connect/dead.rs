//! Local signals that nothing reads.

use super::Inlined;
use crate::cells;
use crate::ir::{Connected, Expr, NetId, NetKind, Netlist};
use crate::passes::schedule::Schedule;
use std::collections::BTreeSet;

/// Removes assignments of local signals that nothing reads.
pub fn drop_dead(
    netlist: &Netlist,
    schedule: &mut Schedule,
    inlined: &Inlined,
    connections: &[Vec<Connected>],
) {
    let nets = &netlist.nets;
    loop {
        let mut read: BTreeSet<NetId> = BTreeSet::new();
        let mut add = |e: &Expr| {
            e.visit_nets(&mut |net, _, _| {
                read.insert(net);
            })
        };
        schedule.continuous.iter().for_each(|(_, _, e)| add(e));
        inlined.values().for_each(&mut add);
        for c in connections.iter().flatten().flat_map(|c| &c.ports) {
            if !c.output {
                add(&c.value);
            }
        }
        for list in &schedule.comb {
            cells::expressions(list, &mut add);
        }
        for p in schedule.next.values().flatten() {
            cells::expressions(std::slice::from_ref(&schedule.body[*p]), &mut add);
        }
        let before = schedule.continuous.len();
        schedule
            .continuous
            .retain(|(_, t, _)| nets[t.net].kind != NetKind::Local || read.contains(&t.net));
        if schedule.continuous.len() == before {
            return;
        }
    }
}
