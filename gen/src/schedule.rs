//! Decides how every signal is printed: as `assign`, in an `always @*`, or as the next value
//! in the clocked process of its register.
//!
//! A kernel is a sequence in which a later assignment wins. Text that is not a sequence may
//! only read *final* values: those whose assignments all come before, or all come after.

use crate::cells::{self, Cell, reads, written};
use crate::chains;
use crate::error::Fault;
use crate::expr::{mux, not};
use crate::ir::{BinOp, Expr, Net, NetId, Netlist, Stmt, Target};
use std::collections::{BTreeMap, BTreeSet};

/// Largest expression that replaces a chain of assignments.
const MAX_COLLAPSED: usize = 48;

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

/// Replaces chains of unconditional assignments of one cell by one assignment.
fn collapse(nets: &[Net], body: Vec<Stmt>) -> Vec<Stmt> {
    let mut chains: BTreeMap<Cell, usize> = BTreeMap::new();
    let mut excluded = BTreeSet::new();
    for s in &body {
        let top = matches!(s, Stmt::Assign(..));
        cells::assignments(std::slice::from_ref(s), &mut |t, _| {
            let (cell, bits) = written(nets, t);
            *chains.entry(cell).or_default() += 1;
            if !top || bits != u128::MAX {
                excluded.insert(cell);
            }
        });
    }
    chains.retain(|cell, count| *count > 1 && !excluded.contains(cell));
    loop {
        if chains.is_empty() {
            return body;
        }
        match substitute(nets, &body, &chains) {
            Ok(body) => return body,
            Err(cell) => {
                chains.remove(&cell);
            }
        }
    }
}

/// One attempt; the error is a cell whose value grows too large.
fn substitute(
    nets: &[Net],
    body: &[Stmt],
    chains: &BTreeMap<Cell, usize>,
) -> Result<Vec<Stmt>, Cell> {
    let mut left = chains.clone();
    let mut current: BTreeMap<Cell, Expr> = BTreeMap::new();
    let mut out = Vec::new();
    for s in body {
        let mut replace = |e: Expr| {
            e.map_nets(&mut |net, lsb, width| {
                let each = nets[net].width;
                let at = usize::try_from(lsb.base).ok()?;
                let value = current.get(&(net, at / each))?;
                (at % each + width <= each)
                    .then(|| crate::expr::slice(value.clone(), at % each, width))
            })
        };
        let s = map_one(s.clone(), &mut replace);
        if let Stmt::Assign(target, value) = &s {
            let cell = written(nets, target).0;
            if let Some(count) = left.get_mut(&cell) {
                *count -= 1;
                if value.size() > MAX_COLLAPSED {
                    return Err(cell);
                }
                if *count > 0 {
                    current.insert(cell, value.clone());
                    continue;
                }
                current.remove(&cell);
            }
        }
        out.push(s);
    }
    Ok(out)
}

fn map_one(s: Stmt, f: &mut impl FnMut(Expr) -> Expr) -> Stmt {
    let mut list = cells::map_expressions(vec![s], f);
    list.pop().expect("one statement in, one out")
}

/// Turns `y = a; if (c) y = b;` into one assignment with a condition, where the `if` assigns
/// nothing else.
fn choose(nets: &[Net], registers: &BTreeSet<NetId>, mut body: Vec<Stmt>) -> Vec<Stmt> {
    let positions = positions(nets, &body);
    let mut dead = BTreeSet::new();
    for (cell, at) in &positions {
        if registers.contains(&cell.0) {
            continue;
        }
        let Some((first, value)) = chosen(nets, &positions, &body, *cell, at) else {
            continue;
        };
        let last = *at.last().unwrap_or(&first);
        let width = nets[cell.0].width;
        let target = Target {
            net: cell.0,
            lsb: (cell.1 * width).into(),
            width,
        };
        body[last] = Stmt::Assign(target, value);
        if first != last {
            dead.insert(first);
        }
    }
    let mut position = 0;
    body.retain(|_| {
        position += 1;
        !dead.contains(&(position - 1))
    });
    body
}

fn chosen(
    nets: &[Net],
    positions: &Positions,
    body: &[Stmt],
    cell: Cell,
    at: &[usize],
) -> Option<(usize, Expr)> {
    let whole = |t: &Target| {
        let (c, bits) = written(nets, t);
        c == cell && bits == u128::MAX
    };
    let single = |list: &[Stmt]| match list {
        [Stmt::Assign(t, e)] if whole(t) => Some(e.clone()),
        _ => None,
    };
    let value = match at {
        [a, b] => match (&body[*a], &body[*b]) {
            (Stmt::Assign(t, default), Stmt::If(c, then, other))
                if whole(t) && other.is_empty() =>
            {
                mux(c.clone(), single(then)?, default.clone())
            }
            _ => return None,
        },
        [a] => match &body[*a] {
            Stmt::If(c, then, other) => mux(c.clone(), single(then)?, single(other)?),
            _ => return None,
        },
        _ => return None,
    };
    let mut ok = value.size() <= MAX_COLLAPSED;
    reads(nets, &value, &mut |c| {
        ok &= at.iter().all(|p| is_final(positions, c, *p));
    });
    ok.then_some((at[0], value))
}

/// The part of a list that assigns the wanted cells.
pub fn project(nets: &[Net], list: &[Stmt], wanted: &impl Fn(Cell) -> bool) -> Vec<Stmt> {
    let mut out = Vec::new();
    let mut comments = Vec::new();
    for s in list {
        let kept = match s {
            Stmt::Comment(_) => {
                comments.push(s.clone());
                continue;
            }
            Stmt::Assign(t, _) => wanted(written(nets, t).0).then(|| s.clone()),
            Stmt::If(c, then, other) => {
                let then = project(nets, then, wanted);
                let other = project(nets, other, wanted);
                match (then.is_empty(), other.is_empty()) {
                    (true, true) => None,
                    (true, false) => Some(Stmt::If(not(c.clone()), other, then)),
                    _ => Some(Stmt::If(c.clone(), then, other)),
                }
            }
            Stmt::Case(e, arms) => project_case(nets, e, arms, wanted),
            Stmt::For(v, from, to, body) => {
                let body = project(nets, body, wanted);
                (!body.is_empty()).then_some(Stmt::For(*v, *from, *to, body))
            }
        };
        if let Some(s) = kept {
            out.append(&mut comments);
            out.push(s);
        }
        comments.clear();
    }
    out
}

fn project_case(
    nets: &[Net],
    subject: &Expr,
    arms: &[(Option<Expr>, Vec<Stmt>)],
    wanted: &impl Fn(Cell) -> bool,
) -> Option<Stmt> {
    let mut kept: Vec<(Option<Expr>, Vec<Stmt>)> = arms
        .iter()
        .map(|(label, body)| (label.clone(), project(nets, body, wanted)))
        .collect();
    if kept.iter().all(|(_, body)| body.is_empty()) {
        return None;
    }
    let default_empty = kept.iter().all(|(l, body)| l.is_some() || body.is_empty());
    if default_empty {
        kept.retain(|(label, body)| label.is_some() && !body.is_empty());
        if let [(Some(label), body)] = kept.as_mut_slice() {
            let test = crate::expr::binary(BinOp::Eq, subject.clone(), label.clone());
            return Some(Stmt::If(test, std::mem::take(body), Vec::new()));
        }
    }
    // The last variant serves as default: alone, it is a condition.
    if let [empty @ .., (None, last)] = kept.as_mut_slice() {
        if empty.iter().all(|(_, body)| body.is_empty()) {
            if let Some(label) = variant(nets, last, subject.width()) {
                last.remove(0);
                let test = crate::expr::binary(BinOp::Eq, subject.clone(), label);
                return Some(Stmt::If(test, std::mem::take(last), Vec::new()));
            }
        }
    }
    Some(Stmt::Case(subject.clone(), kept))
}

/// The variant that a default arm stands for: its name is the comment on top.
fn variant(nets: &[Net], body: &[Stmt], width: usize) -> Option<Expr> {
    let Some(Stmt::Comment(name)) = body.first() else {
        return None;
    };
    let find = |n: &Net| n.labels.iter().position(|l| l == name);
    let value = nets.iter().find_map(find)? as u128;
    Some(Expr::Const {
        width,
        value,
        name: Some(name.clone()),
    })
}

/// Groups procedural cells into processes: those assigned by one statement, and those that
/// read each other's intermediate values.
fn processes(
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

/// Projects the statements at some positions, with the comments directly above them.
pub fn pick(
    nets: &[Net],
    body: &[Stmt],
    at: &BTreeSet<usize>,
    wanted: &impl Fn(Cell) -> bool,
) -> Vec<Stmt> {
    let mut out = Vec::new();
    for p in at {
        let mut from = *p;
        while from > 0 && matches!(body[from - 1], Stmt::Comment(_)) {
            from -= 1;
        }
        out.extend(project(nets, &body[from..=*p], wanted));
    }
    out
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
