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
