//! Contracts: out of the logic, to the end of a module.

use crate::error::Fault;
use crate::ir::{Contract, Expr, Module, NetId, NetKind, Netlist, Rule, Stmt};
use crate::passes::fold::concat;
use crate::passes::schedule::Schedule;
use std::collections::BTreeSet;

/// Nets that contracts look at.
fn nets(netlist: &Netlist) -> BTreeSet<NetId> {
    let contracts = netlist.contracts.iter();
    contracts
        .flat_map(|contract| contract.nets.clone())
        .collect()
}

/// Removes what drives contracts: nothing of them is printed.
pub fn drop(netlist: &mut Netlist) {
    let nets = nets(netlist);
    netlist.body = without(std::mem::take(&mut netlist.body), &nets);
    netlist.contracts.clear();
}

/// A list without assignments of these nets, and without conditions of nothing.
fn without(list: Vec<Stmt>, nets: &BTreeSet<NetId>) -> Vec<Stmt> {
    let one = |s| match s {
        Stmt::Assign(target, _) if nets.contains(&target.net) => None,
        Stmt::If(c, a, b) => {
            let was_empty = a.is_empty() && b.is_empty();
            let (a, b) = (without(a, nets), without(b, nets));
            (was_empty || !a.is_empty() || !b.is_empty()).then_some(Stmt::If(c, a, b))
        }
        s => Some(s),
    };
    list.into_iter().filter_map(one).collect()
}

/// Takes the values that contracts look at out of the schedule, one contract for each element of an array.
pub fn take(netlist: &Netlist, schedule: &mut Schedule) -> Result<Vec<Contract>, Fault> {
    let nets = nets(netlist);
    let (taken, rest) = std::mem::take(&mut schedule.continuous)
        .into_iter()
        .partition(|(_, target, _)| nets.contains(&target.net));
    schedule.continuous = rest;
    let mut taken: Vec<_> = taken;
    taken.sort_by_key(|(_, target, _)| std::cmp::Reverse(target.lsb.base));
    let value = |net: NetId, lsb: usize, width: usize| {
        let inside = |base: i64| (lsb..lsb + width).contains(&(base.max(0) as usize));
        let parts = { taken.iter() }.filter(|(_, t, _)| t.net == net && inside(t.lsb.base));
        let value = concat(parts.map(|(_, _, e)| e.clone()).collect());
        match value.width() == width {
            true => Ok(value),
            false => Err(Fault::Unsupported("a contract under a condition".into())),
        }
    };
    let mut out = Vec::new();
    for port in &netlist.contracts {
        for i in 0..netlist.nets[port.nets[0]].elems() {
            let bit = |net: NetId| value(net, i, 1);
            let rule = match *port.nets {
                [holds] => Rule::Holds(bit(holds)?),
                [valid, ready, words] => {
                    let each = netlist.nets[words].bits() / netlist.nets[valid].elems();
                    Rule::Waits(bit(valid)?, bit(ready)?, value(words, i * each, each)?)
                }
                _ => unreachable!("a contract has one port, or those of a stream"),
            };
            let (name, text) = (port.name.clone(), port.text.clone());
            out.push(Contract { name, text, rule });
        }
    }
    Ok(out)
}

/// Clock and reset of a module, as its ports.
pub fn clock_and_reset(module: &Module) -> (Option<&str>, Option<&str>) {
    let inputs = || module.nets.iter().filter(|net| net.kind == NetKind::In);
    let clock = inputs().find(|net| net.clock);
    let reset = inputs().find(|net| ["rst_n", "rst", "aresetn"].contains(&&*net.name));
    (clock.map(|net| &*net.name), reset.map(|net| &*net.name))
}

/// The values that a rule looks at.
pub fn values(rule: &Rule) -> Vec<&Expr> {
    match rule {
        Rule::Holds(e) => vec![e],
        Rule::Waits(valid, ready, words) => vec![valid, ready, words],
    }
}
