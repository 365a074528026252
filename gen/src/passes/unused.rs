//! Bits that nothing reads, so that every tool knows that this is meant.

use crate::cells;
use crate::ir::{Expr, Index, Item, Module, NetId, NetKind, Stmt};
use crate::passes::naming::Names;

/// One flag per bit of every net.
struct Bits(Vec<Vec<bool>>);

impl Bits {
    fn mark(&mut self, net: NetId, lsb: &Index, width: usize, ranges: &[(usize, usize, usize)]) {
        let mut bases = vec![lsb.base];
        for (depth, step) in &lsb.terms {
            let found = ranges.iter().rev().find(|(d, _, _)| d == depth);
            let (from, to) = found.map_or((0, 1), |(_, from, to)| (*from, *to));
            bases = bases
                .iter()
                .flat_map(|b| (from..to).map(move |i| b + step * i as i64))
                .collect();
        }
        for base in bases {
            for bit in base..base + width as i64 {
                let flag = usize::try_from(bit)
                    .ok()
                    .and_then(|b| self.0[net].get_mut(b));
                if let Some(flag) = flag {
                    *flag = true;
                }
            }
        }
    }
}

/// Finds unread bits; a child output that nothing reads gets a name beginning with `unused`.
pub fn collect(module: &mut Module, names: &mut Names) {
    let empty = || Bits(module.nets.iter().map(|n| vec![false; n.bits()]).collect());
    let (mut read, mut driven) = (empty(), empty());
    walk(&module.items, &mut Vec::new(), &mut read, &mut driven);
    let mut unused = Vec::new();
    for (id, net) in module.nets.iter_mut().enumerate() {
        let relevant = match net.kind {
            NetKind::In => true,
            NetKind::Out => false,
            _ => driven.0[id].contains(&true),
        };
        if !relevant || !read.0[id].contains(&false) {
            continue;
        }
        if net.kind == NetKind::ChildOut && !read.0[id].contains(&true) {
            net.name = names.claim(&format!("unused_{}", net.name));
            continue;
        }
        let mut from = None;
        for bit in 0..=net.bits() {
            let free = bit < net.bits() && !read.0[id][bit];
            match (free, from) {
                (true, None) => from = Some(bit),
                (false, Some(start)) => {
                    unused.push(Expr::bits_of(id, start, bit - start));
                    from = None;
                }
                _ => {}
            }
        }
    }
    unused.dedup();
    module.unused = unused;
}

fn walk(
    items: &[Item],
    ranges: &mut Vec<(usize, usize, usize)>,
    read: &mut Bits,
    driven: &mut Bits,
) {
    for item in items {
        let mut see = |e: &Expr| e.visit_nets(&mut |net, lsb, w| read.mark(net, lsb, w, ranges));
        match item {
            Item::Assign(t, e) => {
                see(e);
                driven.mark(t.net, &t.lsb, t.width, ranges);
            }
            Item::Instance(c) => {
                for c in &c.ports {
                    if c.output {
                        let mut drive = |net, lsb: &Index, w| driven.mark(net, lsb, w, ranges);
                        c.value.visit_nets(&mut drive);
                    } else {
                        see(&c.value);
                    }
                }
            }
            Item::Comb(body) => {
                let mut all = ranges.clone();
                process(body, &mut all, read, driven);
            }
            Item::Clocked(c) => {
                let one = Index::from(0);
                read.mark(c.clk, &one, 1, ranges);
                if let Some((e, _)) = &c.reset {
                    e.visit_nets(&mut |net, lsb, w| read.mark(net, lsb, w, ranges));
                }
                if let Some(e) = &c.enable {
                    e.visit_nets(&mut |net, lsb, w| read.mark(net, lsb, w, ranges));
                }
                let mut all = ranges.clone();
                process(&c.body, &mut all, read, driven);
            }
            Item::Comment(_) => {}
            Item::Loop(depth, from, to, inner) => {
                ranges.push((*depth, *from, *to));
                walk(inner, ranges, read, driven);
                ranges.pop();
            }
        }
    }
}

fn process(
    list: &[Stmt],
    ranges: &mut Vec<(usize, usize, usize)>,
    read: &mut Bits,
    driven: &mut Bits,
) {
    for s in list {
        if let Stmt::For(depth, from, to, body) = s {
            ranges.push((*depth, *from, *to));
            process(body, ranges, read, driven);
            ranges.pop();
            continue;
        }
        let one = std::slice::from_ref(s);
        match s {
            Stmt::If(c, a, b) => {
                c.visit_nets(&mut |net, lsb, w| read.mark(net, lsb, w, ranges));
                process(a, ranges, read, driven);
                process(b, ranges, read, driven);
            }
            Stmt::Case(e, arms) => {
                e.visit_nets(&mut |net, lsb, w| read.mark(net, lsb, w, ranges));
                for (_, body) in arms {
                    process(body, ranges, read, driven);
                }
            }
            _ => {
                cells::expressions(one, &mut |e| {
                    e.visit_nets(&mut |net, lsb, w| read.mark(net, lsb, w, ranges));
                });
                cells::assignments(one, &mut |t, _| driven.mark(t.net, &t.lsb, t.width, ranges));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Connected, Connection};
    use crate::samples::{net, netlist, place};

    #[test]
    fn unread_bits_are_listed_and_unread_outputs_renamed() {
        let nets = vec![
            net("x_i", NetKind::In, &[], 8),
            net("y_o", NetKind::Out, &[], 4),
            net("u_z", NetKind::ChildOut, &[], 8),
        ];
        let instance = Connected {
            name: "u".into(),
            index: Vec::new(),
            block: 0,
            ports: vec![Connection {
                port: "z".into(),
                value: Expr::bits_of(2, 0, 8),
                output: true,
            }],
        };
        let y = place(&nets, 1, 0);
        let netlist = netlist(nets, Vec::new());
        let mut module = Module {
            name: String::new(),
            meta: netlist.meta,
            nets: netlist.nets,
            items: vec![
                Item::Assign(y, Expr::bits_of(0, 2, 4)),
                Item::Instance(instance),
            ],
            unused: Vec::new(),
            contracts: Vec::new(),
        };
        collect(&mut module, &mut Names::default());
        assert_eq!(
            module.unused,
            [Expr::bits_of(0, 0, 2), Expr::bits_of(0, 6, 2)]
        );
        assert_eq!(module.nets[2].name, "unused_u_z");
    }

    #[test]
    fn loops_read_all_bits_their_variable_reaches() {
        let mut bits = Bits(vec![vec![false; 8]]);
        let lsb = Index {
            base: 1,
            terms: vec![(0, 2)],
        };
        bits.mark(0, &lsb, 1, &[(0, 1, 3)]);
        let set: Vec<usize> = (0..8).filter(|i| bits.0[0][*i]).collect();
        assert_eq!(set, [3, 5]);
    }
}
