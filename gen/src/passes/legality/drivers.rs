//! Every signal has one value on every path.

use crate::cells::{self, Cell, name, reads, whole, written};
use crate::error::Fault;
use crate::ir::{Expr, Net, NetKind, Netlist, Stmt};
use std::collections::{BTreeMap, BTreeSet};

/// Bits that are certainly written, per cell.
type Written = BTreeMap<Cell, u128>;

/// Checks drivers, undriven signals and latches.
pub fn drivers(netlist: &Netlist) -> Result<(), Fault> {
    let nets = &netlist.nets;
    let mut pass = Pass {
        nets,
        certain: Written::new(),
        touched: BTreeSet::new(),
        fresh: BTreeMap::new(),
        used: BTreeSet::new(),
    };
    for s in &netlist.body {
        cells::expressions(std::slice::from_ref(s), &mut |e| {
            reads(nets, e, &mut |c| {
                pass.used.insert(c);
            });
        });
    }
    pass.list(&netlist.body, true)?;
    for (id, net) in nets.iter().enumerate() {
        if !matches!(net.kind, NetKind::Out | NetKind::Local | NetKind::ChildIn) {
            continue;
        }
        for elem in 0..net.elems() {
            let cell = (id, elem);
            let bits = pass.certain.get(&cell).copied().unwrap_or(0);
            if bits & whole(nets, id) == whole(nets, id) {
                continue;
            }
            if pass.touched.contains(&cell) {
                return Err(Fault::Latch(name(nets, cell)));
            }
            // A local signal that nobody reads or drives is the end of a longer array.
            if net.kind != NetKind::Local || pass.used.contains(&cell) {
                return Err(Fault::Undriven(name(nets, cell)));
            }
        }
    }
    Ok(())
}

struct Pass<'a> {
    nets: &'a [Net],
    certain: Written,
    touched: BTreeSet<Cell>,
    /// Cells with a computed value that nothing has read yet.
    fresh: BTreeMap<Cell, u128>,
    used: BTreeSet<Cell>,
}

impl Pass<'_> {
    fn read(&mut self, e: &Expr) -> Result<(), Fault> {
        let mut found = Vec::new();
        reads(self.nets, e, &mut |c| found.push(c));
        for cell in found {
            self.fresh.remove(&cell);
            let bits = self.certain.get(&cell).copied().unwrap_or(0);
            let all = whole(self.nets, cell.0);
            if self.touched.contains(&cell) && bits & all != all {
                return Err(Fault::Latch(name(self.nets, cell)));
            }
        }
        Ok(())
    }

    fn list(&mut self, list: &[Stmt], top: bool) -> Result<(), Fault> {
        for s in list {
            match s {
                Stmt::Assign(target, value) => {
                    self.read(value)?;
                    let (cell, bits) = written(self.nets, target);
                    if top {
                        let before = self.fresh.entry(cell).or_default();
                        if *before & bits & whole(self.nets, cell.0) != 0 {
                            return Err(Fault::TwoDrivers(name(self.nets, cell)));
                        }
                        if value.value().is_none() {
                            *before |= bits;
                        }
                    }
                    *self.certain.entry(cell).or_default() |= bits;
                    self.touched.insert(cell);
                }
                Stmt::If(c, then, other) => {
                    self.read(c)?;
                    self.branches(&[then, other], true)?;
                }
                Stmt::Case(e, arms) => {
                    self.read(e)?;
                    let bodies: Vec<&[Stmt]> = arms.iter().map(|(_, b)| b.as_slice()).collect();
                    let complete =
                        arms.last().is_some_and(|(l, _)| l.is_none()) || covers(e, arms.len());
                    self.branches(&bodies, complete)?;
                }
                Stmt::For(_, _, _, body) => self.list(body, top)?,
                Stmt::Comment(_) => {}
            }
        }
        Ok(())
    }

    /// Bodies of which exactly one runs (at most one if not `complete`).
    fn branches(&mut self, bodies: &[impl AsRef<[Stmt]>], complete: bool) -> Result<(), Fault> {
        let mut common: Option<Written> = (!complete).then(Written::new);
        for body in bodies {
            let targets = self.targets(body.as_ref());
            let before: Vec<_> = targets
                .iter()
                .map(|c| (*c, self.certain.get(c).copied()))
                .collect();
            let touched_before: Vec<Cell> = targets
                .iter()
                .filter(|c| !self.touched.contains(c))
                .copied()
                .collect();
            self.list(body.as_ref(), false)?;
            let after: Written = targets
                .iter()
                .map(|c| (*c, self.certain.get(c).copied().unwrap_or(0)))
                .collect();
            for (cell, bits) in before {
                match bits {
                    Some(bits) => self.certain.insert(cell, bits),
                    None => self.certain.remove(&cell),
                };
            }
            for cell in touched_before {
                self.touched.remove(&cell);
            }
            common = Some(match common {
                None => after,
                Some(other) => other
                    .iter()
                    .filter_map(|(c, a)| after.get(c).map(|b| (*c, a & b)))
                    .collect(),
            });
        }
        for body in bodies {
            let targets = self.targets(body.as_ref());
            self.touched.extend(targets);
        }
        for (cell, bits) in common.unwrap_or_default() {
            *self.certain.entry(cell).or_default() |= bits;
        }
        Ok(())
    }

    fn targets(&self, list: &[Stmt]) -> BTreeSet<Cell> {
        let mut out = BTreeSet::new();
        cells::assignments(list, &mut |t, _| {
            out.insert(written(self.nets, t).0);
        });
        out
    }
}

/// Do this many different labels name every value of the subject?
fn covers(subject: &Expr, labels: usize) -> bool {
    let values = 1usize.checked_shl(subject.width() as u32);
    values.is_some_and(|v| labels >= v)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{assign, net, netlist, read};

    fn nets() -> Vec<Net> {
        let kinds = [
            ("c", NetKind::In, 1),
            ("x", NetKind::In, 8),
            ("y", NetKind::Out, 8),
        ];
        kinds.map(|(n, k, w)| net(n, k, &[], w)).into()
    }

    #[track_caller]
    fn judge(body: Vec<Stmt>, expected: Result<(), Fault>) {
        assert_eq!(drivers(&netlist(nets(), body)), expected);
    }

    fn y(value: Expr) -> Stmt {
        assign(&nets(), 2, 0, value)
    }

    fn x() -> Expr {
        read(&nets(), 1, 0)
    }

    fn when(then: Vec<Stmt>, other: Vec<Stmt>) -> Stmt {
        Stmt::If(read(&nets(), 0, 0), then, other)
    }

    #[test]
    fn a_value_on_every_path_is_legal() {
        judge(
            vec![when(vec![y(x())], vec![y(Expr::number(8, 0))])],
            Ok(()),
        );
        judge(
            vec![y(Expr::number(8, 0)), when(vec![y(x())], vec![])],
            Ok(()),
        );
    }

    #[test]
    fn a_missing_path_is_a_latch() {
        let latch = Err(Fault::Latch("y".into()));
        judge(vec![when(vec![y(x())], vec![])], latch.clone());
        let arms = vec![(Some(Expr::number(8, 1)), vec![y(x())])];
        judge(vec![Stmt::Case(x(), arms)], latch);
    }

    #[test]
    fn no_assignment_and_two_are_refused() {
        judge(vec![], Err(Fault::Undriven("y".into())));
        judge(vec![y(x()), y(x())], Err(Fault::TwoDrivers("y".into())));
        // A constant first is a default, not a second driver.
        judge(vec![y(Expr::number(8, 0)), y(x())], Ok(()));
    }
}
