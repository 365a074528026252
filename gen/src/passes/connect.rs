//! Direct connection: ports of instances take the signals and values they stand for.
//!
//! A child input is a signal of its own in a kernel; here its value moves into the port connection
//! or, for registers and multipliers, into the place that reads it. [`alias()`] connects outputs
//! straight to the signal they are copied to, [`drop_dead`] removes copies that nothing reads.
//! Ports take plain selections only: logic in a connection keeps its wire.

mod alias;
mod dead;

pub use alias::alias;
pub use dead::drop_dead;

use crate::cells::{self, Cell, written};
use crate::ir::{BlockId, Connected, Connection, Expr, NetId, NetKind, Netlist, Stmt};
use crate::passes::fold::{concat, slice};
use crate::passes::schedule::Schedule;
use std::collections::{BTreeMap, BTreeSet};

/// Address bits of memories, by block.
pub type AddressBits = BTreeMap<BlockId, usize>;

/// Values of child inputs that are printed where they are used, by cell.
pub type Inlined = BTreeMap<Cell, Expr>;

/// Takes continuous assignments of child inputs out of the schedule.
pub fn inline(netlist: &Netlist, schedule: &mut Schedule, address_bits: &AddressBits) -> Inlined {
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
                && address_bits.contains_key(&instance.block);
            let cells = (0..nets[port.net].elems()).map(|e| (port.net, e));
            let fits = |c: Cell| {
                let Some(value) = inlined.get(&c) else {
                    return false;
                };
                match (trim, address_bits.get(&instance.block)) {
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
        Expr::Sel { .. } | Expr::Const { .. } | Expr::Field(..) => true,
        Expr::Repeat(_, e) => connectable(e),
        Expr::Concat(parts) => parts.len() <= 8 && parts.iter().all(connectable),
        _ => false,
    }
}

/// Connections of every element of every instance, by instance.
pub fn connections(
    netlist: &Netlist,
    inlined: &Inlined,
    address_bits: &AddressBits,
) -> Vec<Vec<Connected>> {
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
                if let Some(bits) = address_bits.get(&instance.block) {
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
                // The only element of an array needs no number.
                index: match count {
                    1 => Vec::new(),
                    _ => position(&instance.dims, k),
                },
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::fold::not;
    use crate::passes::schedule::schedule;
    use crate::samples::{assign, read, two_children};

    fn connected(logic: bool) -> (Vec<Expr>, usize) {
        let netlist = two_children(|nets| {
            let value = |e| if logic { not(e) } else { e };
            let input = |i| assign(nets, 2, i, value(read(nets, 0, 1 - i)));
            let output = |i| assign(nets, 1, i, read(nets, 3, i));
            vec![input(0), input(1), output(0), output(1)]
        });
        let mut schedule = schedule(&netlist).expect("legal");
        let inlined = inline(&netlist, &mut schedule, &AddressBits::new());
        let all = connections(&netlist, &inlined, &AddressBits::new());
        let inputs = all[0].iter().map(|c| c.ports[0].value.clone());
        (inputs.collect(), schedule.continuous.len())
    }

    #[test]
    fn a_signal_moves_into_the_connection() {
        let crossed = vec![Expr::bits_of(0, 8, 8), Expr::bits_of(0, 0, 8)];
        assert_eq!(connected(false), (crossed, 2));
    }

    #[test]
    fn logic_keeps_its_wire() {
        let wires = vec![Expr::bits_of(2, 0, 8), Expr::bits_of(2, 8, 8)];
        assert_eq!(connected(true), (wires, 4));
    }

    #[test]
    fn elements_of_an_array_have_their_position() {
        assert_eq!(position(&[2, 3], 5), [1, 2]);
        assert_eq!(position(&[], 0), [0; 0]);
    }
}
