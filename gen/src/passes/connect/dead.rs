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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::schedule::schedule;
    use crate::samples::{assign, read, two_children};

    #[test]
    fn local_signals_go_when_nothing_reads_them() {
        let left = |used: bool| {
            let netlist = two_children(|nets| {
                let source = if used { 4 } else { 0 };
                vec![
                    assign(nets, 4, 0, read(nets, 0, 0)),
                    assign(nets, 1, 0, read(nets, source, 0)),
                ]
            });
            let mut schedule = schedule(&netlist).expect("legal");
            drop_dead(&netlist, &mut schedule, &Inlined::new(), &[]);
            schedule.continuous.len()
        };
        assert_eq!((left(true), left(false)), (2, 1));
    }
}
