//! Schedule: how every signal is printed, as `assign`, in an `always @*`, or as the next value in
//! the clocked process of its register.
//!
//! A kernel is a sequence in which a later assignment wins. Text that is not a sequence may
//! only read *final* values: those whose assignments all come before, or all come after.
//! [`collapse()`] first turns what it can into single assignments.

mod chains;
mod collapse;
mod processes;
mod project;

pub use project::pick;

use crate::cells::{self, Cell, reads, written};
use crate::error::Fault;
use crate::ir::{Expr, Net, NetId, Netlist, Stmt, Target};
use collapse::{choose, collapse};
use processes::processes;
use project::project;
use std::collections::{BTreeMap, BTreeSet};

/// The kernel, sorted by how its signals are printed.
#[derive(Debug, Default)]
pub struct Schedule {
    /// Continuous assignments in kernel order, with the comments above them.
    pub continuous: Vec<(Vec<String>, Target, Expr)>,
    /// Bodies of `always @*`.
    pub comb: Vec<Vec<Stmt>>,
    /// Next values of registers that are printed in the clocked process: the positions of
    /// their assignments in `body`.
    pub next: BTreeMap<Cell, Vec<usize>>,
    /// The kernel after simplification.
    pub body: Vec<Stmt>,
    /// Nets whose elements feed each other; each group is assigned in one process.
    pub chains: Vec<BTreeSet<NetId>>,
}

/// Where every cell is assigned, by position in the kernel.
type Positions = BTreeMap<Cell, Vec<usize>>;

/// Sorts the kernel of a netlist.
pub fn schedule(netlist: &Netlist) -> Result<Schedule, Fault> {
    let nets = &netlist.nets;
    let registers: BTreeSet<NetId> = netlist.registers.iter().map(|r| r.d).collect();
    let body = collapse(nets, netlist.body.clone());
    let body = choose(nets, &registers, body);
    let positions = positions(nets, &body);
    let mut schedule = Schedule::default();
    let mut read_cells = BTreeSet::new();
    cells::expressions(&body, &mut |e| {
        reads(nets, e, &mut |c| {
            read_cells.insert(c);
        });
    });
    let mut procedural = BTreeSet::new();
    for (cell, at) in &positions {
        if is_continuous(nets, &body, *cell, at) {
            continue;
        }
        let next = registers.contains(&cell.0)
            && !read_cells.contains(cell)
            && reads_final(nets, &positions, &body, *cell, at);
        if next {
            schedule.next.insert(*cell, at.clone());
        } else {
            procedural.insert(*cell);
        }
    }
    let continuous: BTreeSet<Cell> = positions
        .keys()
        .filter(|c| !procedural.contains(c) && !schedule.next.contains_key(c))
        .copied()
        .collect();
    let chains = chains::find(nets, &body, &continuous);
    for cell in &continuous {
        if chains.iter().any(|nets| nets.contains(&cell.0)) {
            procedural.insert(*cell);
        }
    }
    // A net is either wire or reg: one procedural element makes all of them procedural.
    let regs: BTreeSet<NetId> = procedural.iter().map(|c| c.0).collect();
    for cell in positions.keys() {
        if regs.contains(&cell.0) && !schedule.next.contains_key(cell) {
            procedural.insert(*cell);
        }
    }
    let mut comments = Vec::new();
    for s in &body {
        match s {
            Stmt::Comment(text) => comments.push(text.clone()),
            Stmt::Assign(target, value) => {
                let cell = written(nets, target).0;
                if !procedural.contains(&cell) && !schedule.next.contains_key(&cell) {
                    let above = std::mem::take(&mut comments);
                    schedule
                        .continuous
                        .push((above, target.clone(), value.clone()));
                }
                comments.clear();
            }
            _ => comments.clear(),
        }
    }
    schedule.comb = processes(nets, &positions, &body, &procedural, &chains)?;
    schedule.body = body;
    schedule.chains = chains;
    Ok(schedule)
}

fn positions(nets: &[Net], body: &[Stmt]) -> Positions {
    let mut out = Positions::new();
    for (at, s) in body.iter().enumerate() {
        cells::assignments(std::slice::from_ref(s), &mut |t, _| {
            let list = out.entry(written(nets, t).0).or_default();
            if list.last() != Some(&at) {
                list.push(at);
            }
        });
    }
    out
}

/// Unconditional, and every bit assigned once.
fn is_continuous(nets: &[Net], body: &[Stmt], cell: Cell, at: &[usize]) -> bool {
    let mut seen = 0u128;
    for p in at {
        let Stmt::Assign(target, _) = &body[*p] else {
            return false;
        };
        let bits = written(nets, target).1 & cells::whole(nets, cell.0);
        if seen & bits != 0 {
            return false;
        }
        seen |= bits;
    }
    true
}

/// Is the value that position `at` reads from the cell its final value?
fn is_final(positions: &Positions, cell: Cell, at: usize) -> bool {
    match positions.get(&cell) {
        None => true,
        Some(list) => list.iter().all(|p| *p < at) || list.iter().all(|p| *p > at),
    }
}

fn reads_final(
    nets: &[Net],
    positions: &Positions,
    body: &[Stmt],
    cell: Cell,
    at: &[usize],
) -> bool {
    at.iter().all(|p| {
        let mut ok = true;
        let part = project(nets, std::slice::from_ref(&body[*p]), &|c| c == cell);
        cells::expressions(&part, &mut |e| {
            reads(nets, e, &mut |c| ok &= is_final(positions, c, *p));
        });
        ok
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{NetKind, Register};
    use crate::passes::fold::{mux, not};
    use crate::samples::{assign, net, netlist, place, read};

    const CLK: NetId = 0;
    const C: NetId = 1;
    const X: NetId = 2;
    const Y: NetId = 3;
    const Z: NetId = 4;
    const D: NetId = 5;

    fn nets() -> Vec<Net> {
        vec![
            net("clk", NetKind::In, &[], 1),
            net("c", NetKind::In, &[], 1),
            net("x", NetKind::In, &[], 8),
            net("y", NetKind::Out, &[], 8),
            net("z", NetKind::Out, &[], 8),
            net("d", NetKind::ChildIn, &[], 8),
            net("q", NetKind::Register, &[], 8),
        ]
    }

    fn sorted(body: Vec<Stmt>) -> Schedule {
        let mut netlist = netlist(nets(), body);
        netlist.registers.push(Register {
            name: "r".into(),
            q: 6,
            d: D,
            clk: CLK,
            rst: None,
            en: None,
            init: 0,
        });
        schedule(&netlist).expect("legal")
    }

    fn set(net: NetId, value: Expr) -> Stmt {
        assign(&nets(), net, 0, value)
    }

    fn get(net: NetId) -> Expr {
        read(&nets(), net, 0)
    }

    #[test]
    fn one_assignment_is_continuous() {
        let s = sorted(vec![Stmt::Comment("Inverse".into()), set(Y, not(get(X)))]);
        let want = (
            vec!["Inverse".to_string()],
            place(&nets(), Y, 0),
            not(get(X)),
        );
        assert_eq!(s.continuous, [want]);
        assert!(s.comb.is_empty() && s.next.is_empty());
    }

    #[test]
    fn one_signal_with_a_condition_is_a_continuous_choice() {
        let zero = Expr::number(8, 0);
        let when = Stmt::If(get(C), vec![set(Y, get(X))], vec![]);
        let s = sorted(vec![set(Y, zero.clone()), when]);
        let want = (vec![], place(&nets(), Y, 0), mux(get(C), get(X), zero));
        assert_eq!(s.continuous, [want]);
    }

    #[test]
    fn next_values_under_conditions_go_to_their_register() {
        let hold = set(D, get(6));
        let when = Stmt::If(get(C), vec![set(D, get(X))], vec![]);
        let s = sorted(vec![hold, when]);
        assert_eq!(s.next, BTreeMap::from([((D, 0), vec![0, 1])]));
        assert!(s.comb.is_empty() && s.continuous.is_empty());
    }

    #[test]
    fn a_next_value_that_is_read_stays_a_signal() {
        let when = Stmt::If(
            get(C),
            vec![set(D, get(X))],
            vec![set(D, get(6)), set(Z, get(X))],
        );
        let s = sorted(vec![set(Z, get(6)), when, set(Y, get(D))]);
        assert!(s.next.is_empty());
        assert_eq!(s.comb.len(), 1);
    }
}
