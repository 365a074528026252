//! Groups signals into processes.

use super::project::{pick, project};
use super::{Positions, is_final};
use crate::cells::{self, Cell, reads, written};
use crate::error::Fault;
use crate::ir::{Net, NetId, Stmt};
use std::collections::{BTreeMap, BTreeSet};

/// Groups procedural cells into processes: those assigned by one statement, and those that
/// read each other's intermediate values.
pub fn processes(
    nets: &[Net],
    positions: &Positions,
    body: &[Stmt],
    procedural: &BTreeSet<Cell>,
    chains: &[BTreeSet<NetId>],
) -> Result<Vec<Vec<Stmt>>, Fault> {
    let cells: Vec<Cell> = procedural.iter().copied().collect();
    let number: BTreeMap<Cell, usize> = cells.iter().enumerate().map(|(i, c)| (*c, i)).collect();
    let mut union = Union((0..cells.len()).collect());
    let mut idle = Vec::new();
    for nets in chains {
        let mut first = None;
        for (i, _) in cells
            .iter()
            .enumerate()
            .filter(|(_, c)| nets.contains(&c.0))
        {
            union.join(*first.get_or_insert(i), i);
        }
    }
    for s in body {
        let mut first = None;
        cells::assignments(std::slice::from_ref(s), &mut |t, _| {
            if let Some(i) = number.get(&written(nets, t).0) {
                union.join(*first.get_or_insert(*i), *i);
            }
        });
    }
    for (i, cell) in cells.iter().enumerate() {
        let mut any = false;
        for p in &positions[cell] {
            let part = project(nets, std::slice::from_ref(&body[*p]), &|c| c == *cell);
            cells::expressions(&part, &mut |e| {
                reads(nets, e, &mut |c| {
                    any = true;
                    if !is_final(positions, c, *p) {
                        if let Some(other) = number.get(&c) {
                            union.join(i, *other);
                        }
                    }
                });
            });
        }
        if !any {
            idle.push(i);
        }
    }
    // A process that reads nothing would never run: such a cell joins another of its net.
    for i in idle {
        let other = (0..cells.len()).find(|j| cells[*j].0 == cells[i].0 && *j != i);
        if let Some(other) = other {
            union.join(i, other);
        }
    }
    let mut classes: BTreeMap<usize, BTreeSet<Cell>> = BTreeMap::new();
    for (i, cell) in cells.iter().enumerate() {
        classes.entry(union.root(i)).or_default().insert(*cell);
    }
    let mut out: Vec<(usize, Vec<Stmt>)> = Vec::new();
    for class in classes.values() {
        let at: BTreeSet<usize> = class.iter().flat_map(|c| positions[c].clone()).collect();
        for p in &at {
            let part = project(nets, std::slice::from_ref(&body[*p]), &|c| {
                class.contains(&c)
            });
            let mut early = None;
            cells::expressions(&part, &mut |e| {
                reads(nets, e, &mut |c| {
                    if class.contains(&c) && positions[&c].iter().all(|a| a > p) {
                        early = Some(c);
                    }
                });
            });
            if let Some(cell) = early {
                return Err(Fault::Early(cells::name(nets, cell)));
            }
        }
        let first = at.first().copied().unwrap_or(0);
        out.push((first, pick(nets, body, &at, &|c| class.contains(&c))));
    }
    out.sort_by_key(|(first, _)| *first);
    Ok(out.into_iter().map(|(_, body)| body).collect())
}

struct Union(Vec<usize>);

impl Union {
    fn root(&mut self, mut i: usize) -> usize {
        while self.0[i] != i {
            self.0[i] = self.0[self.0[i]];
            i = self.0[i];
        }
        i
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b)] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Expr, NetKind};
    use crate::passes::schedule::positions;
    use crate::samples::{assign, net, read};

    fn nets() -> Vec<Net> {
        let mut nets = vec![net("c", NetKind::In, &[], 1)];
        nets.extend(["w", "y", "z"].map(|n| net(n, NetKind::Out, &[], 1)));
        nets
    }

    fn grouped(body: &[Stmt]) -> Result<Vec<Vec<Stmt>>, Fault> {
        let nets = nets();
        let cells = BTreeSet::from([(1, 0), (2, 0), (3, 0)]);
        processes(&nets, &positions(&nets, body), body, &cells, &[])
    }

    #[test]
    fn signals_of_one_statement_share_a_process() {
        let nets = nets();
        let c = read(&nets, 0, 0);
        let set = |net| assign(&nets, net, 0, c.clone());
        let both = Stmt::If(c.clone(), vec![set(1), set(2)], vec![]);
        let alone = Stmt::If(c.clone(), vec![set(3)], vec![]);
        let got = grouped(&[both.clone(), alone.clone()]);
        assert_eq!(got, Ok(vec![vec![both], vec![alone]]));
    }

    #[test]
    fn a_value_read_above_its_assignment_in_one_process_is_refused() {
        let nets = nets();
        let c = read(&nets, 0, 0);
        let early = assign(&nets, 1, 0, read(&nets, 2, 0));
        let both = |e: Expr| vec![assign(&nets, 1, 0, e.clone()), assign(&nets, 2, 0, e)];
        let body = [
            early,
            Stmt::If(c.clone(), both(c.clone()), vec![]),
            assign(&nets, 3, 0, c),
        ];
        assert_eq!(grouped(&body), Err(Fault::Early("y".into())));
    }
}
