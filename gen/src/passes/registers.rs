//! Register inlining: registers become clocked processes, grouped by reset and enable.
//!
//! A register is a primitive with ports in the kernel. Here its output is a `reg`, its reset and
//! enable are conditions of an `always @(posedge clk)`, and its next value is the expression or the
//! part of the kernel that drives `d_i`. Registers that share their control share a process.

use crate::cells::{Cell, map_expressions, written};
use crate::error::Fault;
use crate::ir::{Clocked, Expr, Item, Net, NetId, NetKind, Netlist, Register, Stmt, Target};
use crate::passes::connect::Inlined;
use crate::passes::fold::{concat, repeat};
use crate::passes::generate::{self, PROCESS_LOOP, is_plain, statements};
use crate::passes::schedule::{Schedule, pick};
use std::collections::{BTreeMap, BTreeSet};

/// Clock, reset and enable of one register element.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Control {
    clk: NetId,
    reset: Option<Expr>,
    enable: Option<Expr>,
}

/// Registers that share control signals, element by element.
struct Group<'a> {
    control: Vec<Control>,
    registers: Vec<&'a Register>,
}

/// Builds the clocked processes of a module.
pub fn group(
    netlist: &Netlist,
    schedule: &Schedule,
    inlined: &Inlined,
    unrolled: bool,
) -> Result<Vec<Item>, Fault> {
    let mut groups: Vec<Group> = Vec::new();
    for r in &netlist.registers {
        let elems = netlist.nets[r.q].elems();
        let control = (0..elems).map(|e| control(netlist, inlined, r, e));
        let control = control.collect::<Result<Vec<_>, _>>()?;
        // A vector with one control for all elements and a simple value joins the scalars.
        let same = control.iter().all(|c| *c == control[0]);
        let plain = elems == 1 || (same && !unrolled && vector(netlist, inlined, r).is_some());
        let control = if plain {
            vec![control[0].clone()]
        } else {
            control
        };
        match groups.iter_mut().find(|g| g.control == control) {
            Some(group) => group.registers.push(r),
            None => groups.push(Group {
                control,
                registers: vec![r],
            }),
        }
    }
    let mut items = Vec::new();
    for group in &groups {
        let count = group.control.len();
        let dims = &netlist.nets[group.registers[0].q].dims;
        let bundles: Vec<Vec<Item>> = (0..count)
            .map(|e| vec![Item::Clocked(process(netlist, schedule, inlined, group, e))])
            .collect();
        if unrolled || count == 1 {
            items.extend(bundles.into_iter().flatten());
        } else if dims.iter().product::<usize>() == count {
            items.extend(generate::roll_array(bundles, dims, 0));
        } else {
            items.extend(generate::roll(bundles, 0, 0));
        }
    }
    if !unrolled {
        tidy(&mut items);
    }
    Ok(items)
}

fn tidy(items: &mut [Item]) {
    for item in items {
        match item {
            Item::Clocked(c) => c.body = statements(std::mem::take(&mut c.body), PROCESS_LOOP),
            Item::Loop(_, _, _, inner) => tidy(inner),
            _ => {}
        }
    }
}

fn value(netlist: &Netlist, inlined: &Inlined, net: NetId, elem: usize) -> Expr {
    let width = netlist.nets[net].width;
    let found = inlined.get(&(net, elem)).cloned();
    found.unwrap_or_else(|| Expr::bits_of(net, elem * width, width))
}

fn control(
    netlist: &Netlist,
    inlined: &Inlined,
    r: &Register,
    elem: usize,
) -> Result<Control, Fault> {
    let clk = match value(netlist, inlined, r.clk, elem) {
        Expr::Sel { net, .. }
            if netlist.nets[net].kind == NetKind::In && netlist.nets[net].clock =>
        {
            net
        }
        _ => return Err(Fault::Clock(r.name.clone())),
    };
    let of = |net: Option<NetId>| {
        let e = value(netlist, inlined, net?, elem);
        (!e.is_ones()).then_some(e)
    };
    Ok(Control {
        clk,
        reset: of(r.rst),
        enable: of(r.en),
    })
}

/// The next value of a whole array, if it is simple, or one operation for all elements.
fn vector(netlist: &Netlist, inlined: &Inlined, r: &Register) -> Option<Expr> {
    let elems = netlist.nets[r.q].elems();
    let each = (0..elems).map(|e| inlined.get(&(r.d, e)).cloned());
    let each = each.collect::<Option<Vec<_>>>()?;
    let joined = concat(each.iter().rev().cloned().collect());
    if is_plain(&joined, elems) || is_shift(&joined) {
        return Some(joined);
    }
    let place = |elem| whole(&netlist.nets, r.d, elem, 1);
    let list = each
        .into_iter()
        .enumerate()
        .map(|(elem, e)| (place(elem), e));
    match &generate::vectors(list.collect())[..] {
        [(_, value)] if elems > 1 => Some(value.clone()),
        _ => None,
    }
}

/// `{q[1:0], a & b}`: what moves on, and something small that enters.
fn is_shift(e: &Expr) -> bool {
    let Expr::Concat(parts) = e else { return false };
    matches!(&parts[..], [Expr::Sel { .. }, enters] if enters.size() <= 8)
}

fn whole(nets: &[Net], net: NetId, elem: usize, elems: usize) -> Target {
    let width = nets[net].width;
    Target {
        net,
        lsb: (elem * width).into(),
        width: elems * width,
    }
}

fn initial(net: &Net, value: u128) -> Expr {
    let name = usize::try_from(value).ok().and_then(|v| net.labels.get(v));
    Expr::Const {
        width: net.width,
        value,
        name: name.cloned(),
    }
}

/// The process of element `e` of all registers of a group.
fn process(
    netlist: &Netlist,
    schedule: &Schedule,
    inlined: &Inlined,
    group: &Group,
    e: usize,
) -> Clocked {
    let nets = &netlist.nets;
    let joined = group.control.len() == 1;
    let mut reset = Vec::new();
    let mut simple = Vec::new();
    let mut wanted: BTreeMap<Cell, Cell> = BTreeMap::new();
    let mut at = BTreeSet::new();
    for r in &group.registers {
        let elems = if joined { nets[r.q].elems() } else { 1 };
        let target = whole(nets, r.q, e, elems);
        if r.rst.is_some() {
            let one = initial(&nets[r.q], r.init);
            reset.push(Stmt::Assign(target.clone(), repeat(elems, one)));
        }
        if elems > 1 {
            let value = vector(netlist, inlined, r).expect("grouping found a simple value");
            simple.push(Stmt::Assign(target, value));
            continue;
        }
        match schedule.next.get(&(r.d, e)) {
            Some(positions) => {
                at.extend(positions);
                wanted.insert((r.d, e), (r.q, e));
            }
            None => simple.push(Stmt::Assign(target, value(netlist, inlined, r.d, e))),
        }
    }
    let body = pick(nets, &schedule.body, &at, &|c| wanted.contains_key(&c));
    let body = retarget(nets, body, &wanted, true);
    simple.extend(body);
    let control = &group.control[e];
    Clocked {
        clk: control.clk,
        reset: control.reset.clone().map(|c| (c, reset)),
        enable: control.enable.clone(),
        body: simple,
    }
}

/// Assigns the registers instead of their inputs; `q <= q` at the top disappears.
fn retarget(nets: &[Net], list: Vec<Stmt>, wanted: &BTreeMap<Cell, Cell>, top: bool) -> Vec<Stmt> {
    let mut out = Vec::new();
    for s in list {
        out.push(match s {
            Stmt::Assign(t, e) => {
                let (cell, _) = written(nets, &t);
                let (q, _) = wanted[&cell];
                let target = Target { net: q, ..t };
                let holds = matches!(&e, Expr::Sel { net, lsb, width }
                    if *net == q && *lsb == target.lsb && *width == target.width);
                if top && holds && target.width == nets[q].width {
                    continue;
                }
                Stmt::Assign(target, e)
            }
            Stmt::If(c, a, b) => {
                let a = retarget(nets, a, wanted, false);
                Stmt::If(c, a, retarget(nets, b, wanted, false))
            }
            Stmt::Case(e, arms) => {
                let arm = |(l, b)| (l, retarget(nets, b, wanted, false));
                Stmt::Case(e, arms.into_iter().map(arm).collect())
            }
            Stmt::For(v, from, to, b) => Stmt::For(v, from, to, retarget(nets, b, wanted, top)),
            s => s,
        });
    }
    map_expressions(out, &mut |e| e)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::schedule::schedule;
    use crate::samples::{assign, net, netlist, place, read};

    /// Two registers `a_q` and `b_q` with inputs 3 and 4 and enables 5 and 6.
    fn sample(clock: NetKind) -> Netlist {
        let nets = vec![
            net("clk", clock, &[], 1),
            net("x", NetKind::In, &[], 8),
            net("e", NetKind::In, &[2], 1),
            net("a", NetKind::ChildIn, &[], 8),
            net("b", NetKind::ChildIn, &[], 8),
            net("a_en", NetKind::ChildIn, &[], 1),
            net("b_en", NetKind::ChildIn, &[], 1),
            net("a_q", NetKind::Register, &[], 8),
            net("b_q", NetKind::Register, &[], 8),
        ];
        let mut netlist = netlist(nets, Vec::new());
        for (name, d, en, q) in [("a", 3, 5, 7), ("b", 4, 6, 8)] {
            netlist.registers.push(Register {
                name: name.into(),
                q,
                d,
                clk: 0,
                rst: None,
                en: Some(en),
                init: 0,
            });
        }
        netlist
    }

    fn built(netlist: &Netlist, enables: [usize; 2]) -> Result<Vec<Item>, Fault> {
        let x = Expr::bits_of(1, 0, 8);
        let mut inlined = Inlined::from([((4, 0), x)]);
        for (net, bit) in [5, 6].into_iter().zip(enables) {
            inlined.insert((net, 0), Expr::bits_of(2, bit, 1));
        }
        let schedule = schedule(netlist)?;
        group(netlist, &schedule, &inlined, false)
    }

    #[test]
    fn registers_with_one_enable_share_a_process() {
        let netlist = sample(NetKind::In);
        let nets = &netlist.nets;
        let one = built(&netlist, [0, 0]).expect("legal");
        let [Item::Clocked(process)] = one.as_slice() else {
            panic!("{one:?}")
        };
        let load = |q, value| Stmt::Assign(place(nets, q, 0), value);
        let want = [load(7, read(nets, 3, 0)), load(8, read(nets, 1, 0))];
        assert_eq!(process.body, want);
        assert_eq!(process.enable, Some(Expr::bits_of(2, 0, 1)));
        assert_eq!(built(&netlist, [0, 1]).map(|items| items.len()), Ok(2));
    }

    #[test]
    fn holding_a_value_is_not_printed() {
        let mut netlist = sample(NetKind::In);
        let nets = &netlist.nets;
        let load = assign(nets, 3, 0, read(nets, 1, 0));
        let test = Expr::bits_of(2, 1, 1);
        let hold = assign(nets, 3, 0, read(nets, 7, 0));
        netlist.body = vec![hold, Stmt::If(test.clone(), vec![load], vec![])];
        netlist.registers.truncate(1);
        let items = built(&netlist, [0, 0]).expect("legal");
        let [Item::Clocked(process)] = items.as_slice() else {
            panic!("{items:?}")
        };
        let nets = &netlist.nets;
        let want = Stmt::If(test, vec![assign(nets, 7, 0, read(nets, 1, 0))], vec![]);
        assert_eq!(process.body, [want]);
    }

    #[test]
    fn a_clock_made_inside_is_refused() {
        let netlist = sample(NetKind::Local);
        assert_eq!(built(&netlist, [0, 0]), Err(Fault::Clock("a".into())));
    }
}
