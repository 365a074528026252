//! Direct connection and array items: turns a scheduled kernel into the contents of a module.

use crate::cells::{self, Cell, reads, written};
use crate::clocked;
use crate::error::Fault;
use crate::expr::{concat, slice};
use crate::hoist::Hoist;
use crate::ir::{
    BlockId, Connected, Connection, Expr, Item, Module, Net, NetId, NetKind, Netlist, Stmt, Target,
};
use crate::names::Names;
use crate::reroll;
use crate::schedule::Schedule;
use crate::unused;
use std::collections::{BTreeMap, BTreeSet};

/// Depth of loop variables inside processes, apart from those of generate loops.
pub const PROCESS_LOOP: usize = 8;

/// What the assembly must know about other blocks.
pub struct Context<'a> {
    /// Address bits of memories.
    pub address_bits: &'a BTreeMap<BlockId, usize>,
    /// Print every element of an array on its own.
    pub unrolled: bool,
    /// The reset is active high and called `rst`.
    pub reset_high: bool,
}

/// Builds the module.
pub fn assemble(
    mut netlist: Netlist,
    mut schedule: Schedule,
    mut names: Names,
    context: &Context,
) -> Result<Module, Fault> {
    let inlined = inline(&netlist, &mut schedule, context);
    let mut connections = connections(&netlist, &inlined, context);
    drop_dead(&netlist, &mut schedule, &inlined, &connections);
    alias(&netlist, &mut schedule, &mut connections, &inlined);
    let mut hoist = Hoist::new(&mut netlist.nets, &mut names);
    let mut continuous = Vec::new();
    for (above, target, value) in std::mem::take(&mut schedule.continuous) {
        let value = hoist.root(&target, value);
        continuous.push((above, target, value));
    }
    let comb: Vec<_> = std::mem::take(&mut schedule.comb);
    let comb: Vec<_> = comb.into_iter().map(|b| hoist.process(b)).collect();
    let inlined = hoist.values(inlined);
    let wanted: BTreeSet<usize> = schedule.next.values().flatten().copied().collect();
    for at in wanted {
        schedule.body[at] = hoist.next(schedule.body[at].clone());
    }
    let temporaries = hoist.finish();
    let mut clocked = clocked::group(&netlist, &schedule, &inlined, context.unrolled)?;
    let nets = &netlist.nets;

    let all = temporaries.into_iter().map(|(t, e)| (Vec::new(), t, e));
    let mut items = assigns(nets, all.chain(continuous).collect(), context.unrolled);
    items.extend(instances(&netlist, connections, context));
    let comb: Vec<Item> = comb
        .into_iter()
        .map(|b| {
            if context.unrolled {
                b
            } else {
                reroll::statements(b, PROCESS_LOOP)
            }
        })
        .map(Item::Comb)
        .collect();
    if context.unrolled {
        items.extend(comb);
    } else {
        items.extend(reroll::roll_like(comb, &|i| first_element(nets, i), 0));
    }
    items.append(&mut clocked);
    let mut module = Module {
        name: String::new(),
        meta: netlist.meta,
        nets: netlist.nets,
        items,
        unused: Vec::new(),
    };
    unused::collect(&mut module, &mut names);
    if context.reset_high {
        crate::polarity::active_high(&mut module);
    }
    Ok(module)
}

/// Element that a process writes first.
fn first_element(nets: &[Net], item: &Item) -> usize {
    let mut out = None;
    if let Item::Comb(body) = item {
        cells::assignments(body, &mut |t, _| {
            out.get_or_insert(t.lsb.base.max(0) as usize / nets[t.net].width);
        });
    }
    out.unwrap_or(0)
}

/// Values of child inputs that are printed where they are used, by cell.
pub type Inlined = BTreeMap<Cell, Expr>;

/// Takes continuous assignments of child inputs out of the schedule.
fn inline(netlist: &Netlist, schedule: &mut Schedule, context: &Context) -> Inlined {
    let nets = &netlist.nets;
    let mut read: BTreeSet<NetId> = BTreeSet::new();
    let product: BTreeSet<NetId> = products(netlist);
    for (_, target, value) in &schedule.continuous {
        if nets[target.net].kind != NetKind::Wire {
            value.visit_nets(&mut |net, _, _| {
                read.insert(net);
            });
        }
    }
    for list in schedule.comb.iter().chain([&schedule.body]) {
        for s in list {
            if let Stmt::Assign(t, e) = s {
                if nets[t.net].kind != NetKind::Wire {
                    e.visit_nets(&mut |net, _, _| {
                        read.insert(net);
                    });
                }
                continue;
            }
            cells::expressions(std::slice::from_ref(s), &mut |e| {
                e.visit_nets(&mut |net, _, _| {
                    read.insert(net);
                });
            });
        }
    }
    let mut parts: BTreeMap<Cell, Vec<(usize, Expr)>> = BTreeMap::new();
    for (_, target, value) in &schedule.continuous {
        if nets[target.net].kind == NetKind::ChildIn && !read.contains(&target.net) {
            let cell = written(nets, target).0;
            let at = target.lsb.base.max(0) as usize;
            parts.entry(cell).or_default().push((at, value.clone()));
        }
    }
    let mut inlined: Inlined = Inlined::new();
    for (cell, mut list) in parts {
        list.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
        let value = concat(list.into_iter().map(|(_, e)| e).collect());
        if value.width() == nets[cell.0].width {
            inlined.insert(cell, value);
        }
    }
    // Ports of modules take plain connections only, and all of an array or none.
    for instance in &netlist.instances {
        for port in instance.ports.iter().filter(|p| !p.output) {
            let trim = (port.name == "waddr_i" || port.name == "raddr_i")
                && context.address_bits.contains_key(&instance.block);
            let cells = (0..nets[port.net].elems()).map(|e| (port.net, e));
            let fits = |c: Cell| {
                let Some(value) = inlined.get(&c) else {
                    return false;
                };
                match (trim, context.address_bits.get(&instance.block)) {
                    (true, Some(bits)) => connectable(&slice(value.clone(), 0, *bits)),
                    _ => connectable(value),
                }
            };
            if !cells.clone().all(fits) {
                for cell in cells {
                    inlined.remove(&cell);
                }
            }
        }
    }
    schedule.continuous.retain(|(_, t, _)| {
        nets[t.net].kind != NetKind::ChildIn || !inlined.contains_key(&written(nets, t).0)
    });
    let substitute = |e: &Expr| {
        e.map_nets(&mut |net, lsb, width| {
            if !product.contains(&net) {
                return None;
            }
            let at = lsb.base.max(0) as usize;
            let each = nets[net].width;
            let value = inlined.get(&(net, at / each))?;
            Some(slice(value.clone(), at % each, width))
        })
    };
    for (_, target, value) in &mut schedule.continuous {
        if nets[target.net].kind == NetKind::Wire {
            *value = substitute(value);
        }
    }
    inlined
}

/// Operands of multipliers.
fn products(netlist: &Netlist) -> BTreeSet<NetId> {
    let mut out = BTreeSet::new();
    for s in &netlist.body {
        if let Stmt::Assign(t, e) = s {
            if netlist.nets[t.net].kind == NetKind::Wire {
                e.visit_nets(&mut |net, _, _| {
                    out.insert(net);
                });
            }
        }
    }
    out
}

/// May the expression stand in a port connection?
fn connectable(e: &Expr) -> bool {
    match e {
        Expr::Sel { .. } | Expr::Const { .. } => true,
        Expr::Repeat(_, e) => connectable(e),
        Expr::Concat(parts) => parts.len() <= 8 && parts.iter().all(connectable),
        _ => false,
    }
}

/// Connections of every element of every instance, by instance.
fn connections(netlist: &Netlist, inlined: &Inlined, context: &Context) -> Vec<Vec<Connected>> {
    let nets = &netlist.nets;
    let mut out = Vec::new();
    for instance in &netlist.instances {
        let count: usize = instance.dims.iter().product();
        let mut all = Vec::new();
        for k in 0..count {
            let mut ports = Vec::new();
            for port in &instance.ports {
                let width = nets[port.net].width;
                let element = |e: usize| {
                    let cell = (port.net, k * port.elems + e);
                    let whole = || Expr::bits_of(port.net, cell.1 * width, width);
                    inlined.get(&cell).cloned().unwrap_or_else(whole)
                };
                let mut value = concat((0..port.elems).rev().map(element).collect());
                if let Some(bits) = context.address_bits.get(&instance.block) {
                    if port.name == "waddr_i" || port.name == "raddr_i" {
                        value = slice(value, 0, *bits);
                    }
                }
                ports.push(Connection {
                    port: port.name.clone(),
                    value,
                    output: port.output,
                });
            }
            all.push(Connected {
                name: instance.name.clone(),
                index: position(&instance.dims, k),
                block: instance.block,
                ports,
            });
        }
        out.push(all);
    }
    out
}

/// Indices of an element of an array.
pub fn position(dims: &[usize], flat: usize) -> Vec<usize> {
    let mut out = Vec::new();
    let mut rest = flat;
    for size in dims.iter().rev() {
        out.push(rest % size);
        rest /= size;
    }
    out.reverse();
    out
}

/// Removes assignments of local signals that nothing reads.
fn drop_dead(
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

/// Connects a child output straight to the signal that it is copied to.
fn alias(
    netlist: &Netlist,
    schedule: &mut Schedule,
    connections: &mut [Vec<Connected>],
    inlined: &Inlined,
) {
    let nets = &netlist.nets;
    let mut count: BTreeMap<Cell, usize> = BTreeMap::new();
    let mut add = |e: &Expr| reads(nets, e, &mut |c| *count.entry(c).or_default() += 1);
    schedule.continuous.iter().for_each(|(_, _, e)| add(e));
    inlined.values().for_each(&mut add);
    for list in &schedule.comb {
        cells::expressions(list, &mut add);
    }
    let at: BTreeSet<usize> = schedule.next.values().flatten().copied().collect();
    for p in at {
        cells::expressions(std::slice::from_ref(&schedule.body[p]), &mut add);
    }
    let procedural: BTreeSet<NetId> = {
        let mut out = BTreeSet::new();
        for list in &schedule.comb {
            cells::assignments(list, &mut |t, _| {
                out.insert(t.net);
            });
        }
        out
    };
    let mut copies: BTreeMap<Cell, Target> = BTreeMap::new();
    for (_, target, value) in &schedule.continuous {
        let Expr::Sel { net, lsb, width } = value else {
            continue;
        };
        let cell = (*net, lsb.base.max(0) as usize / nets[*net].width);
        let plain = matches!(nets[target.net].kind, NetKind::Out | NetKind::Local)
            && !procedural.contains(&target.net);
        let whole = *width == nets[*net].width;
        if nets[*net].kind == NetKind::ChildOut && plain && whole && count[&cell] == 1 {
            copies.insert(cell, target.clone());
        }
    }
    let mut gone = BTreeSet::new();
    for (instance, all) in netlist.instances.iter().zip(connections) {
        for (p, port) in instance.ports.iter().enumerate().filter(|(_, p)| p.output) {
            let joined = |k: usize| {
                let each = (0..port.elems).rev().map(|e| {
                    let t = copies.get(&(port.net, k * port.elems + e))?;
                    Some(Expr::Sel {
                        net: t.net,
                        lsb: t.lsb.clone(),
                        width: t.width,
                    })
                });
                let value = concat(each.collect::<Option<Vec<_>>>()?);
                matches!(value, Expr::Sel { .. }).then_some(value)
            };
            let values: Option<Vec<Expr>> = (0..all.len()).map(joined).collect();
            if let Some(values) = values {
                for (connected, value) in all.iter_mut().zip(values) {
                    connected.ports[p].value = value;
                }
                gone.insert(port.net);
            }
        }
    }
    schedule.continuous.retain(|(_, _, e)| match e {
        Expr::Sel { net, .. } => !gone.contains(net),
        _ => true,
    });
}

/// Continuous assignments, arrays joined or rolled, in order of their first element.
fn assigns(nets: &[Net], list: Vec<(Vec<String>, Target, Expr)>, unrolled: bool) -> Vec<Item> {
    let mut order: Vec<NetId> = Vec::new();
    let mut by_net: BTreeMap<NetId, Vec<(Vec<String>, Target, Expr)>> = BTreeMap::new();
    for entry in list {
        let net = entry.1.net;
        if !by_net.contains_key(&net) {
            order.push(net);
        }
        by_net.entry(net).or_default().push(entry);
    }
    let mut items = Vec::new();
    for net in order {
        let Some(mut list) = by_net.remove(&net) else {
            continue;
        };
        let comments: Vec<String> = list.iter().flat_map(|(c, _, _)| c.clone()).collect();
        let mut seen = BTreeSet::new();
        for text in comments {
            if seen.insert(text.clone()) {
                items.push(Item::Comment(text));
            }
        }
        list.sort_by_key(|(_, t, _)| t.lsb.base);
        let mut list: Vec<(Target, Expr)> = list.into_iter().map(|(_, t, e)| (t, e)).collect();
        if !unrolled {
            list = join(nets, list);
        }
        let elem = |t: &Target| t.lsb.base.max(0) as usize / nets[net].width;
        let bundles: Vec<Vec<Item>> = list
            .iter()
            .map(|(t, e)| vec![Item::Assign(t.clone(), e.clone())])
            .collect();
        let full = list.len() == nets[net].elems();
        if unrolled {
            items.extend(bundles.into_iter().flatten());
        } else if full && nets[net].dims.len() > 1 {
            items.extend(reroll::roll_array(bundles, &nets[net].dims, 0));
        } else {
            items.extend(roll_steps(
                &bundles,
                &list.iter().map(|(t, _)| elem(t)).collect::<Vec<_>>(),
            ));
        }
    }
    items
}

/// Rolls runs of elements at equal distances; the loop counts elements where they are
/// neighbours.
fn roll_steps(bundles: &[Vec<Item>], elems: &[usize]) -> Vec<Item> {
    let mut items = Vec::new();
    let mut start = 0;
    while start < elems.len() {
        let step = elems.get(start + 1).map_or(1, |e| e - elems[start]);
        let mut end = start + 1;
        while end < elems.len() && elems[end] - elems[end - 1] == step {
            end += 1;
        }
        let from = if step == 1 { elems[start] } else { 0 };
        items.extend(reroll::roll(bundles[start..end].to_vec(), from, 0));
        start = end;
    }
    items
}

/// Joins neighbouring elements where the result is simple.
fn join(nets: &[Net], list: Vec<(Target, Expr)>) -> Vec<(Target, Expr)> {
    let Some((first, _)) = list.first() else {
        return list;
    };
    let total: usize = list.iter().map(|(t, _)| t.width).sum();
    let dense = list
        .windows(2)
        .all(|w| w[0].0.lsb.base + w[0].0.width as i64 == w[1].0.lsb.base);
    let value = concat(list.iter().rev().map(|(_, e)| e.clone()).collect());
    if list.len() > 1 && dense && reroll::is_plain(&value, nets[first.net].elems()) {
        let target = Target {
            net: first.net,
            lsb: first.lsb.clone(),
            width: total,
        };
        return vec![(target, value)];
    }
    list
}

fn instances(netlist: &Netlist, connections: Vec<Vec<Connected>>, context: &Context) -> Vec<Item> {
    let mut items = Vec::new();
    for (instance, all) in netlist.instances.iter().zip(connections) {
        let bundles: Vec<Vec<Item>> = all.into_iter().map(|c| vec![Item::Instance(c)]).collect();
        if context.unrolled || instance.dims.is_empty() {
            items.extend(bundles.into_iter().flatten());
        } else {
            items.extend(reroll::roll_array(bundles, &instance.dims, 0));
        }
    }
    items
}
