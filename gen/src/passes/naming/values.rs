//! Naming of values: nets for what Verilog cannot select from, `(a + b)[8]`, and for fields of words.

use super::{Names, capital, stem};
use crate::cells::{self, Cell, reads, written};
use crate::ir::{BinOp, Connected, Expr, Net, NetId, NetKind, Netlist, Stmt, Target};
use crate::passes::connect::Inlined;
use crate::passes::fold::{concat, repeat, slice};
use crate::passes::schedule::Schedule;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Names the values of a module and returns the assignments of the new nets.
pub fn name_values(
    netlist: &mut Netlist,
    names: &mut Names,
    schedule: &mut Schedule,
    inlined: &mut Inlined,
    instances: &mut [Vec<Connected>],
) -> Vec<(Target, Expr)> {
    let mut hoist = Hoist::new(&mut netlist.nets, names);
    for (_, target, value) in &mut schedule.continuous {
        *value = hoist.root(target, value.clone());
    }
    for body in &mut schedule.comb {
        *body = hoist.process(std::mem::take(body));
    }
    *inlined = hoist.values(std::mem::take(inlined));
    for connected in instances.iter_mut().flatten() {
        for port in connected.ports.iter_mut().filter(|p| !p.output) {
            port.value = hoist.connection(&port.value);
        }
    }
    let wanted: BTreeSet<usize> = schedule.next.values().flatten().copied().collect();
    for at in wanted {
        schedule.body[at] = hoist.next(schedule.body[at].clone());
    }
    hoist.finish()
}

/// Collects the named nets of one module.
struct Hoist<'a> {
    nets: &'a mut Vec<Net>,
    names: &'a mut Names,
    /// Values with a net already.
    known: HashMap<Expr, Expr>,
    /// Array nets by target net, number in the expression and width.
    arrays: BTreeMap<(NetId, usize, usize, bool), NetId>,
    assigned: Vec<(Target, Expr)>,
}

/// Must the value have a name to be used here?
fn needs_name(e: &Expr) -> bool {
    matches!(e, Expr::Bin(BinOp::MulS | BinOp::MulU, ..))
}

impl<'a> Hoist<'a> {
    /// Starts with the nets and names of a module.
    fn new(nets: &'a mut Vec<Net>, names: &'a mut Names) -> Self {
        Self {
            nets,
            names,
            known: HashMap::new(),
            arrays: BTreeMap::new(),
            assigned: Vec::new(),
        }
    }

    /// The assignments of the new nets.
    fn finish(self) -> Vec<(Target, Expr)> {
        self.assigned
    }

    /// Rewrites the value of a continuous assignment.
    fn root(&mut self, target: &Target, e: Expr) -> Expr {
        let cell = written(self.nets, target).0;
        if let Expr::Bin(op @ (BinOp::MulS | BinOp::MulU), l, r) = e {
            let mut number = 0;
            let l = self.rewrite(cell, *l, &mut number, None);
            let r = self.rewrite(cell, *r, &mut number, None);
            return Expr::Bin(op, Box::new(l), Box::new(r));
        }
        self.rewrite(cell, e, &mut 0, None)
    }

    /// Rewrites inlined values.
    fn values(&mut self, inlined: BTreeMap<Cell, Expr>) -> BTreeMap<Cell, Expr> {
        let one = |(cell, e)| (cell, self.rewrite(cell, e, &mut 0, None));
        inlined.into_iter().map(one).collect()
    }

    /// Rewrites the value of a port: a selection, or fields.
    fn connection(&mut self, e: &Expr) -> Expr {
        let mut wanted = Vec::new();
        collect(e, &mut wanted);
        let fields = wanted.into_iter().map(|e| (e.clone(), self.field(&e)));
        let fields = fields.collect();
        replace(e, &fields)
    }

    /// The net of a field.
    fn field(&mut self, e: &Expr) -> Expr {
        let Expr::Field(bits, field) = e else {
            return e.clone();
        };
        if let Some(name) = self.known.get(e) {
            return name.clone();
        }
        let net = Net {
            doc: capital(&field.doc),
            ..wire(self.names.claim(&field.name), bits.width())
        };
        self.nets.push(net);
        let (id, width) = (self.nets.len() - 1, bits.width());
        let target = Target {
            net: id,
            lsb: 0.into(),
            width,
        };
        self.assigned.push((target, (**bits).clone()));
        let name = Expr::bits_of(id, 0, width);
        self.known.insert(e.clone(), name.clone());
        name
    }

    /// Rewrites a statement that reads final values only.
    fn next(&mut self, s: Stmt) -> Stmt {
        let mut numbers = BTreeMap::new();
        let mut out = self.list(vec![s], None, &mut Vec::new(), &mut numbers);
        out.pop().expect("one statement in, one out")
    }

    /// Rewrites a process; values of its own signals are named inside it.
    fn process(&mut self, list: Vec<Stmt>) -> Vec<Stmt> {
        let mut own = BTreeSet::new();
        cells::assignments(&list, &mut |t, _| {
            own.insert(written(self.nets, t).0);
        });
        let mut inside = Vec::new();
        let mut numbers = BTreeMap::new();
        let body = self.list(list, Some(&own), &mut inside, &mut numbers);
        let default = |t: &Target| Stmt::Assign(t.clone(), Expr::number(t.width, 0));
        let mut out: Vec<Stmt> = inside.iter().map(default).collect();
        out.extend(body);
        out
    }

    fn list(
        &mut self,
        list: Vec<Stmt>,
        own: Option<&BTreeSet<Cell>>,
        inside: &mut Vec<Target>,
        numbers: &mut BTreeMap<Cell, usize>,
    ) -> Vec<Stmt> {
        let mut out = Vec::new();
        for s in list {
            let Some(cell) = self.first_target(&s) else {
                out.push(s);
                continue;
            };
            let mut local = own.map(|own| Local {
                own,
                before: Vec::new(),
            });
            let number = numbers.entry(cell).or_default();
            let mut count = *number;
            let s = match s {
                Stmt::Assign(t, e) => {
                    Stmt::Assign(t, self.rewrite(cell, e, &mut count, local.as_mut()))
                }
                Stmt::If(c, a, b) => {
                    let c = self.rewrite(cell, c, &mut count, local.as_mut());
                    *number = count;
                    let a = self.list(a, own, inside, numbers);
                    Stmt::If(c, a, self.list(b, own, inside, numbers))
                }
                Stmt::Case(e, arms) => {
                    let e = self.rewrite(cell, e, &mut count, local.as_mut());
                    *number = count;
                    let mut done = Vec::new();
                    for (label, body) in arms {
                        done.push((label, self.list(body, own, inside, numbers)));
                    }
                    Stmt::Case(e, done)
                }
                s => s,
            };
            let number = numbers.entry(cell).or_default();
            *number = count.max(*number);
            for (target, value) in local.map(|l| l.before).unwrap_or_default() {
                inside.push(target.clone());
                out.push(Stmt::Assign(target, value));
            }
            out.push(s);
        }
        out
    }

    fn first_target(&self, s: &Stmt) -> Option<Cell> {
        let mut out = None;
        cells::assignments(std::slice::from_ref(s), &mut |t, _| {
            out.get_or_insert(written(self.nets, t).0);
        });
        out
    }

    /// Replaces what cannot be printed in place, innermost first.
    fn rewrite(
        &mut self,
        cell: Cell,
        e: Expr,
        number: &mut usize,
        mut local: Option<&mut Local>,
    ) -> Expr {
        let mut wanted = Vec::new();
        collect(&e, &mut wanted);
        if wanted.is_empty() {
            return e;
        }
        let mut map: HashMap<Expr, Expr> = HashMap::new();
        for value in wanted {
            if map.contains_key(&value) {
                continue;
            }
            let rewritten = replace(&value, &map);
            let inside = local.as_ref().is_some_and(|l| {
                let mut own = false;
                reads(self.nets, &rewritten, &mut |c| own |= l.own.contains(&c));
                own
            });
            if let Expr::Field(bits, _) = &value {
                let name = if inside {
                    (**bits).clone()
                } else {
                    self.field(&value)
                };
                map.insert(value, name);
                continue;
            }
            let name = match (inside, self.known.get(&rewritten)) {
                (false, Some(name)) => name.clone(),
                _ => {
                    let target = self.net(cell, &rewritten, *number, inside);
                    *number += 1;
                    let name = Expr::Sel {
                        net: target.net,
                        lsb: target.lsb.clone(),
                        width: target.width,
                    };
                    match (inside, local.as_mut()) {
                        (true, Some(local)) => local.before.push((target, rewritten)),
                        _ => {
                            self.known.insert(rewritten.clone(), name.clone());
                            self.assigned.push((target, rewritten));
                        }
                    }
                    name
                }
            };
            map.insert(value, name);
        }
        replace(&e, &map)
    }

    fn net(&mut self, cell: Cell, value: &Expr, number: usize, inside: bool) -> Target {
        let width = value.width();
        let key = (cell.0, number, width, inside);
        let owner = &self.nets[cell.0];
        let (dims, elems) = (owner.dims.clone(), owner.elems());
        let id = match self.arrays.get(&key) {
            Some(id) => *id,
            None => {
                let base = stem(&owner.name);
                let base = base
                    .strip_suffix("_q")
                    .or(base.strip_suffix("_d"))
                    .unwrap_or(base);
                let wanted = format!("{base}_{}", meaning(value));
                let name = self.names.claim(&wanted);
                self.nets.push(Net {
                    dims,
                    ..wire(name, width)
                });
                self.arrays.insert(key, self.nets.len() - 1);
                self.nets.len() - 1
            }
        };
        let elem = if elems > 1 { cell.1 } else { 0 };
        Target {
            net: id,
            lsb: (elem * width).into(),
            width,
        }
    }
}

fn wire(name: String, width: usize) -> Net {
    Net {
        rust: name.clone(),
        name,
        dims: Vec::new(),
        width,
        signed: false,
        clock: false,
        kind: NetKind::Wire,
        doc: String::new(),
        labels: Vec::new(),
        part_of: None,
    }
}

/// A process in which values of its own signals must be named in place.
struct Local<'a> {
    own: &'a BTreeSet<Cell>,
    before: Vec<(Target, Expr)>,
}

/// Values that need a name, innermost first.
fn collect(e: &Expr, out: &mut Vec<Expr>) {
    e.children().for_each(|c| collect(c, out));
    if let Expr::Slice { of, .. } = e {
        out.push((**of).clone());
    }
    if needs_name(e) || matches!(e, Expr::Field(..)) {
        out.push(e.clone());
    }
}

fn replace(e: &Expr, map: &HashMap<Expr, Expr>) -> Expr {
    if let Some(name) = map.get(e) {
        return name.clone();
    }
    let one = |e: &Expr| Box::new(replace(e, map));
    match e {
        Expr::Const { .. } | Expr::Sel { .. } => e.clone(),
        Expr::Not(x) => Expr::Not(one(x)),
        Expr::Neg(x) => Expr::Neg(one(x)),
        Expr::Reduce(op, x) => Expr::Reduce(*op, one(x)),
        Expr::Bin(op, l, r) => Expr::Bin(*op, one(l), one(r)),
        Expr::Pick {
            net,
            lsb,
            width,
            index,
        } => Expr::Pick {
            net: *net,
            lsb: lsb.clone(),
            width: *width,
            index: one(index),
        },
        Expr::Concat(parts) => concat(parts.iter().map(|e| replace(e, map)).collect()),
        Expr::Repeat(n, x) => repeat(*n, replace(x, map)),
        Expr::Slice { of, lsb, width } => slice(replace(of, map), *lsb, *width),
        Expr::Mux(c, t, x) => Expr::Mux(one(c), one(t), one(x)),
        Expr::Field(x, _) => replace(x, map),
    }
}

/// What the value is, for its name.
fn meaning(e: &Expr) -> &'static str {
    match e {
        Expr::Bin(BinOp::Add, ..) => "sum",
        Expr::Bin(BinOp::Sub, ..) => "diff",
        Expr::Bin(BinOp::MulS | BinOp::MulU, ..) => "product",
        Expr::Bin(BinOp::Shl | BinOp::Shr | BinOp::Sar, ..) => "shifted",
        Expr::Neg(_) => "negated",
        _ => "value",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::fold::binary;
    use crate::passes::schedule::schedule;
    use crate::samples::{assign, net, netlist, read};

    #[test]
    fn a_bit_of_a_sum_gets_a_net_named_after_its_target() {
        let nets = vec![
            net("x_i", NetKind::In, &[], 8),
            net("carry_o", NetKind::Out, &[], 1),
            net("again_o", NetKind::Out, &[], 1),
        ];
        let sum = binary(BinOp::Add, read(&nets, 0, 0), read(&nets, 0, 0));
        let bit = slice(sum.clone(), 7, 1);
        let body = vec![assign(&nets, 1, 0, bit.clone()), assign(&nets, 2, 0, bit)];
        let mut netlist = netlist(nets, body);
        let mut schedule = schedule(&netlist).expect("legal");
        let mut names = Names::default();
        let mut inlined = Inlined::new();
        let new = name_values(
            &mut netlist,
            &mut names,
            &mut schedule,
            &mut inlined,
            &mut [],
        );
        assert_eq!(netlist.nets[3].name, "carry_sum");
        let target = Target {
            net: 3,
            lsb: 0.into(),
            width: 8,
        };
        // Equal values share the net.
        assert_eq!(new, [(target, sum)]);
        for (_, _, value) in &schedule.continuous {
            assert_eq!(*value, Expr::bits_of(3, 7, 1));
        }
    }
}
