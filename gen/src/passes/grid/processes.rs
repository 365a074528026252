//! Moves what stands in generate loops into processes with loops.

use super::{GRID_LOOP, GRID_LOOPS, unsupported};
use crate::cells;
use crate::error::Fault;
use crate::ir::{Clocked, Expr, Index, Item, Net, NetId, Stmt, Target};
use crate::passes::fold::repeat;
use crate::passes::generate::PROCESS_LOOP;
use std::collections::BTreeSet;

/// Largest number that is printed; Verilator takes 65536 bits.
const NUMBER_BITS: usize = 4096;

/// A loop around an item: first value, one past the last.
type Range = (usize, usize);

/// Combinational statements that must stand in one process, because they drive the same nets.
struct Group {
    driven: BTreeSet<NetId>,
    list: Vec<Stmt>,
}

/// The items without generate loops: assignments, combinational processes, clocked processes.
pub fn loops(nets: &[Net], items: Vec<Item>) -> Result<Vec<Item>, Fault> {
    let (mut groups, mut clocked) = (Vec::new(), Vec::new());
    split(items, &mut Vec::new(), &mut groups, &mut clocked)?;
    let groups = merge(groups);
    let mut out = Vec::new();
    for group in groups.iter().filter(|g| is_copy(&g.list)) {
        for s in &group.list {
            if let Stmt::Assign(t, e) = s {
                out.push(Item::Assign(t.clone(), e.clone()));
            }
        }
    }
    for group in groups.into_iter().filter(|g| !is_copy(&g.list)) {
        check(nets, &group.list)?;
        out.push(Item::Comb(fused(group.list)));
    }
    out.extend(clocked);
    Ok(out)
}

/// Is each statement an assignment that no other one overrules?
fn is_copy(list: &[Stmt]) -> bool {
    let mut driven: Vec<(NetId, usize, usize)> = Vec::new();
    list.iter().all(|s| {
        let Stmt::Assign(t, _) = s else {
            return false;
        };
        let Some(lsb) = t.lsb.constant() else {
            return false;
        };
        let end = lsb + t.width;
        let free =
            { driven.iter() }.all(|&(net, from, to)| net != t.net || end <= from || to <= lsb);
        driven.push((t.net, lsb, end));
        free
    })
}

fn split(
    items: Vec<Item>,
    around: &mut Vec<Range>,
    groups: &mut Vec<Group>,
    clocked: &mut Vec<Item>,
) -> Result<(), Fault> {
    for item in items {
        match item {
            Item::Loop(_, from, to, inner) => {
                around.push((from, to));
                if around.len() >= GRID_LOOPS {
                    return Err(unsupported("more than two nested arrays"));
                }
                split(inner, around, groups, clocked)?;
                around.pop();
            }
            Item::Assign(t, e) => {
                let mut own = false;
                e.visit_nets(&mut |net, _, _| own |= net == t.net);
                if own && !around.is_empty() {
                    return Err(unsupported("a chain of logic"));
                }
                let s = Stmt::Assign(target(t, around.len()), value(&e, around.len()));
                groups.push(group(nest(vec![s], around)));
            }
            Item::Comb(body) => {
                let body = statements(body, around.len());
                groups.push(group(wrap(body, around)));
            }
            Item::Clocked(c) => clocked.push(Item::Clocked(process(c, around)?)),
            Item::Comment(_) => {}
            Item::Instance(_) => return Err(unsupported("an instance")),
        }
    }
    Ok(())
}

fn process(c: Clocked, around: &[Range]) -> Result<Clocked, Fault> {
    let levels = around.len();
    let mut body = statements(c.body, levels);
    let mut enable = c.enable.map(|e| value(&e, levels));
    if let Some(e) = enable.take_if(|e| moves(e)) {
        body = vec![Stmt::If(e, body, Vec::new())];
    }
    let reset = match c.reset {
        Some((test, _)) if moves(&test) => return Err(unsupported("a reset for each cell")),
        Some((test, values)) => Some((test, nest(statements(values, levels), around))),
        None => None,
    };
    Ok(Clocked {
        clk: c.clk,
        reset,
        enable,
        body: nest(body, around),
    })
}

/// Does the value depend on a loop variable?
fn moves(e: &Expr) -> bool {
    let mut out = false;
    e.visit_nets(&mut |_, lsb, _| out |= !lsb.terms.is_empty());
    out
}

/// Loop variables of generate loops become those of processes; a loop over the elements of a cell
/// is the innermost.
fn index(i: &Index, levels: usize) -> Index {
    let mut out = i.clone();
    for (depth, _) in &mut out.terms {
        *depth = variable(*depth, levels);
    }
    out.terms.sort_by_key(|(depth, _)| *depth);
    out
}

fn variable(depth: usize, levels: usize) -> usize {
    match depth {
        PROCESS_LOOP => GRID_LOOP + levels,
        depth => GRID_LOOP + depth,
    }
}

fn value(e: &Expr, levels: usize) -> Expr {
    e.map_nets(&mut |net, lsb, width| {
        let moved = index(lsb, levels);
        // A bit that a signal selects out of a whole net stays so.
        (moved != *lsb).then_some(Expr::Sel {
            net,
            lsb: moved,
            width,
        })
    })
}

fn target(t: Target, levels: usize) -> Target {
    Target {
        lsb: index(&t.lsb, levels),
        ..t
    }
}

fn statements(list: Vec<Stmt>, levels: usize) -> Vec<Stmt> {
    let one = |s| match s {
        Stmt::Assign(t, e) => Stmt::Assign(target(t, levels), value(&e, levels)),
        Stmt::If(c, a, b) => {
            let a = statements(a, levels);
            Stmt::If(value(&c, levels), a, statements(b, levels))
        }
        Stmt::Case(e, arms) => {
            let arm = |(l, b): (Option<Expr>, _)| {
                let label = l.map(|l| value(&l, levels));
                (label, statements(b, levels))
            };
            Stmt::Case(value(&e, levels), arms.into_iter().map(arm).collect())
        }
        Stmt::For(v, from, to, body) => {
            Stmt::For(variable(v, levels), from, to, statements(body, levels))
        }
        Stmt::Comment(text) => Stmt::Comment(text),
    };
    list.into_iter().map(one).collect()
}

/// Loops around statements whose order is free; a copy of neighbouring elements needs none.
fn nest(mut list: Vec<Stmt>, around: &[Range]) -> Vec<Stmt> {
    for (level, range) in around.iter().enumerate().rev() {
        let (mut out, mut rest) = (Vec::new(), Vec::new());
        for s in list {
            match joined(&s, GRID_LOOP + level, *range) {
                Some(s) => out.push(s),
                None => rest.push(s),
            }
        }
        if !rest.is_empty() {
            out.push(Stmt::For(GRID_LOOP + level, range.0, range.1, rest));
        }
        list = out;
    }
    list
}

fn wrap(list: Vec<Stmt>, around: &[Range]) -> Vec<Stmt> {
    let levels = around.iter().enumerate().rev();
    levels.fold(list, |list, (level, (from, to))| {
        vec![Stmt::For(GRID_LOOP + level, *from, *to, list)]
    })
}

/// One assignment that does what a loop over it does.
fn joined(s: &Stmt, depth: usize, range: Range) -> Option<Stmt> {
    let Stmt::Assign(t, e) = s else {
        return None;
    };
    let count = range.1 - range.0;
    let at = |i: &Index, width: usize| {
        let place = i
            .terms
            .iter()
            .position(|term| *term == (depth, width as i64))?;
        let mut out = i.clone();
        out.terms.remove(place);
        out.base += (width * range.0) as i64;
        Some(out)
    };
    let value = match e {
        Expr::Sel { net, lsb, width } => match at(lsb, *width) {
            Some(lsb) => Expr::Sel {
                net: *net,
                lsb,
                width: width * count,
            },
            None if moves_with(lsb, depth) => return None,
            None => repeat(count, e.clone()),
        },
        Expr::Const { value: 0, .. } if e.width() * count <= NUMBER_BITS => {
            Expr::number(e.width() * count, 0)
        }
        _ => return None,
    };
    let target = Target {
        net: t.net,
        lsb: at(&t.lsb, t.width)?,
        width: t.width * count,
    };
    Some(Stmt::Assign(target, value))
}

fn moves_with(i: &Index, depth: usize) -> bool {
    i.terms.iter().any(|(d, _)| *d == depth)
}

fn group(list: Vec<Stmt>) -> Group {
    let mut driven = BTreeSet::new();
    cells::assignments(&list, &mut |t, _| {
        driven.insert(t.net);
    });
    Group { driven, list }
}

/// A net is driven by one process.
fn merge(groups: Vec<Group>) -> Vec<Group> {
    let mut out: Vec<Group> = Vec::new();
    for group in groups {
        let (same, mut rest): (Vec<Group>, Vec<Group>) =
            { out.into_iter() }.partition(|g| !g.driven.is_disjoint(&group.driven));
        let mut all = Group {
            driven: BTreeSet::new(),
            list: Vec::new(),
        };
        for g in same.into_iter().chain([group]) {
            all.driven.extend(g.driven);
            all.list.extend(g.list);
        }
        rest.push(all);
        out = rest;
    }
    out
}

/// Joins loops over the same range.
fn fused(list: Vec<Stmt>) -> Vec<Stmt> {
    let mut out: Vec<Stmt> = Vec::new();
    for s in list {
        if let Stmt::For(depth, from, to, body) = &s {
            let same = |s: &&mut Stmt| matches!(s, Stmt::For(d, f, t, _) if (d, f, t) == (depth, from, to));
            if let Some(Stmt::For(_, _, _, all)) = out.iter_mut().find(same) {
                all.extend(body.iter().cloned());
                continue;
            }
        }
        out.push(s);
    }
    out
}

/// Statements of one process must not need an order, and the process must wait for something.
fn check(nets: &[Net], list: &[Stmt]) -> Result<(), Fault> {
    let mut reads = false;
    for (n, s) in list.iter().enumerate() {
        let mut driven = BTreeSet::new();
        for other in list.iter().enumerate().filter(|(m, _)| *m != n) {
            cells::assignments(std::slice::from_ref(other.1), &mut |t, _| {
                driven.insert(t.net);
            });
        }
        let mut chained = None;
        cells::expressions(std::slice::from_ref(s), &mut |e| {
            e.visit_nets(&mut |net, _, _| {
                reads = true;
                if driven.contains(&net) {
                    chained = Some(net);
                }
            });
        });
        if let Some(net) = chained {
            return Err(unsupported(&format!(
                "{}, a chain of logic",
                nets[net].name
            )));
        }
    }
    match reads {
        true => Ok(()),
        false => Err(unsupported("a process of constants")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::NetKind;
    use crate::passes::fold::not;
    use crate::samples::net;

    fn nets() -> Vec<Net> {
        let array = |name| net(name, NetKind::Local, &[4], 8);
        vec![array("x"), array("y")]
    }

    /// Element `i + offset` of a net in a loop over i.
    fn element(net: NetId, offset: i64) -> Expr {
        let lsb = Index {
            base: 8 * offset,
            terms: vec![(0, 8)],
        };
        Expr::Sel { net, lsb, width: 8 }
    }

    fn in_a_loop(offset: i64, value: Expr) -> Result<Vec<Item>, Fault> {
        let Expr::Sel { net, lsb, width } = element(1, offset) else {
            unreachable!("an element is a selection")
        };
        let assign = Item::Assign(Target { net, lsb, width }, value);
        loops(&nets(), vec![Item::Loop(0, 0, 3, vec![assign])])
    }

    #[test]
    fn a_copy_of_neighbours_needs_no_loop() {
        let whole = Target {
            net: 1,
            lsb: 8.into(),
            width: 24,
        };
        let copy = Item::Assign(whole, Expr::bits_of(0, 0, 24));
        assert_eq!(in_a_loop(1, element(0, 0)), Ok(vec![copy]));
    }

    #[test]
    fn logic_of_cells_is_a_process_with_a_loop() {
        let items = in_a_loop(0, not(element(0, 0))).expect("legal");
        let [Item::Comb(body)] = items.as_slice() else {
            panic!("{items:?}")
        };
        assert!(matches!(body.as_slice(), [Stmt::For(GRID_LOOP, 0, 3, _)]));
    }

    #[test]
    fn a_chain_of_logic_is_refused() {
        let chain = in_a_loop(1, not(element(1, 0)));
        assert!(matches!(chain, Err(Fault::Unsupported(_))), "{chain:?}");
    }

    #[test]
    fn a_default_and_what_overrules_it_stay_one_process() {
        let target = Target {
            net: 1,
            lsb: 0.into(),
            width: 8,
        };
        let element = |value| Stmt::Assign(target.clone(), value);
        let body = vec![element(Expr::number(8, 0)), element(Expr::bits_of(0, 0, 8))];
        let items = loops(&nets(), vec![Item::Comb(body.clone())]);
        assert_eq!(items, Ok(vec![Item::Comb(body)]));
    }
}
