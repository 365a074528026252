//! Takes the contents of instances into the module that holds them.

use super::unsupported;
use crate::cells::map_expressions;
use crate::error::Fault;
use crate::ir::{Clocked, Connected, Expr, Index, Item, Module, NetId, NetKind, Stmt, Target};
use crate::passes::fold::slice;
use crate::passes::generate::PROCESS_LOOP;
use crate::passes::naming::Names;
use std::collections::{BTreeMap, BTreeSet};

/// The module without instances: what is in them stands in its place, in generate loops where the
/// instances did.
pub fn take_in(module: &Module, modules: &[Option<Module>]) -> Result<Module, Fault> {
    let mut sizes = BTreeMap::new();
    no_two_of_a_name(&module.items)?;
    measure(&module.items, &mut Vec::new(), &mut sizes)?;
    let mut names = Names::default();
    for net in &module.nets {
        names.claim(&net.name);
    }
    let mut taker = Taker {
        out: module.clone(),
        modules,
        sizes,
        names,
        taken: BTreeMap::new(),
    };
    taker.out.items = taker.items(&module.items, 0)?;
    for net in &mut taker.out.nets {
        if matches!(net.kind, NetKind::ChildIn | NetKind::ChildOut) {
            net.kind = NetKind::Local;
        }
    }
    Ok(taker.out)
}

/// Instances of one name beside each other in a loop are an array whose inner loop was not found:
/// nothing says which element each of them is.
fn no_two_of_a_name(items: &[Item]) -> Result<(), Fault> {
    for item in items {
        let Item::Loop(_, _, _, inner) = item else {
            continue;
        };
        let mut names = BTreeSet::new();
        for item in inner {
            let Item::Instance(c) = item else {
                continue;
            };
            if !names.insert(&c.name) {
                return Err(unsupported(&format!("{}, irregular instances", c.name)));
            }
        }
        no_two_of_a_name(inner)?;
    }
    Ok(())
}

/// Sizes of the arrays of instances, outermost first, by the name of the instance.
fn measure(
    items: &[Item],
    loops: &mut Vec<usize>,
    sizes: &mut BTreeMap<String, Vec<usize>>,
) -> Result<(), Fault> {
    for item in items {
        match item {
            Item::Loop(_, _, to, inner) => {
                loops.push(*to);
                measure(inner, loops, sizes)?;
                loops.pop();
            }
            Item::Instance(c) => {
                let mut reach: Vec<usize> = c.index.iter().map(|i| i + 1).collect();
                if reach.is_empty() {
                    reach.clone_from(loops);
                } else if !loops.is_empty() {
                    return Err(unsupported("an irregular array of instances"));
                }
                let size = sizes.entry(c.name.clone()).or_insert(reach.clone());
                if size.len() != reach.len() {
                    return Err(unsupported("an irregular array of instances"));
                }
                for (size, reach) in size.iter_mut().zip(reach) {
                    *size = reach.max(*size);
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// An instance array whose contents have been made nets of the module.
struct Taken {
    child: Module,
    /// Net here by net of the child, none for ports.
    nets: Vec<Option<NetId>>,
}

struct Taker<'a> {
    out: Module,
    modules: &'a [Option<Module>],
    sizes: BTreeMap<String, Vec<usize>>,
    names: Names,
    taken: BTreeMap<String, Taken>,
}

impl Taker<'_> {
    fn items(&mut self, items: &[Item], loops: usize) -> Result<Vec<Item>, Fault> {
        let mut out = Vec::new();
        for item in items {
            match item {
                Item::Loop(depth, from, to, inner) => {
                    let inner = self.items(inner, loops + 1)?;
                    out.push(Item::Loop(*depth, *from, *to, inner));
                }
                Item::Instance(c) => out.extend(self.instance(c, loops)?),
                item => out.push(item.clone()),
            }
        }
        Ok(out)
    }

    fn instance(&mut self, c: &Connected, loops: usize) -> Result<Vec<Item>, Fault> {
        if !self.taken.contains_key(&c.name) {
            let Some(child) = self.modules.get(c.block).and_then(Option::as_ref) else {
                return Err(unsupported("a memory"));
            };
            let child = take_in(child, self.modules)?;
            let nets = self.adopt(c, &child);
            self.taken.insert(c.name.clone(), Taken { child, nets });
        }
        let place = Place {
            taken: &self.taken[&c.name],
            instance: c,
            sizes: &self.sizes[&c.name],
            loops,
        };
        place.items(&place.taken.child.items)
    }

    /// Makes the inner nets of a child nets of the module, with an element for each instance.
    fn adopt(&mut self, c: &Connected, child: &Module) -> Vec<Option<NetId>> {
        let sizes = &self.sizes[&c.name];
        let mut ids = Vec::new();
        for net in &child.nets {
            if matches!(net.kind, NetKind::In | NetKind::Out) {
                ids.push(None);
                continue;
            }
            let mut net = net.clone();
            net.dims.splice(0..0, sizes.iter().copied());
            // An element of each cell is an array again.
            net.part_of = None;
            let name = net.name.to_ascii_lowercase();
            let taken = self.out.nets.iter();
            if taken
                .map(|n| n.name.to_ascii_lowercase())
                .any(|n| n == name)
            {
                net.name = format!("{}_{}", c.name, net.name);
            }
            net.name = self.names.claim(&net.name);
            ids.push(Some(self.out.nets.len()));
            self.out.nets.push(net);
        }
        ids
    }
}

/// Where the contents of an instance go.
struct Place<'a> {
    taken: &'a Taken,
    instance: &'a Connected,
    sizes: &'a [usize],
    /// Generate loops around the instance.
    loops: usize,
}

impl Place<'_> {
    fn items(&self, items: &[Item]) -> Result<Vec<Item>, Fault> {
        let mut out = Vec::new();
        for item in items {
            out.push(match item {
                Item::Assign(t, e) => Item::Assign(self.target(t)?, self.expr(e)?),
                Item::Comb(body) => Item::Comb(self.body(body)?),
                Item::Clocked(c) => Item::Clocked(self.clocked(c)?),
                Item::Loop(depth, from, to, inner) => {
                    Item::Loop(depth + self.loops, *from, *to, self.items(inner)?)
                }
                Item::Comment(_) => continue,
                Item::Instance(_) => return Err(unsupported("an instance")),
            });
        }
        Ok(out)
    }

    fn clocked(&self, c: &Clocked) -> Result<Clocked, Fault> {
        let clock = Expr::bits_of(c.clk, 0, 1);
        let Expr::Sel { net: clk, .. } = self.expr(&clock)? else {
            return Err(unsupported("a clock that is no signal"));
        };
        let reset = match &c.reset {
            Some((test, values)) => Some((self.expr(test)?, self.body(values)?)),
            None => None,
        };
        Ok(Clocked {
            clk,
            reset,
            enable: c.enable.as_ref().map(|e| self.expr(e)).transpose()?,
            body: self.body(&c.body)?,
        })
    }

    fn body(&self, list: &[Stmt]) -> Result<Vec<Stmt>, Fault> {
        let mut fault = None;
        let mut put = |e: Expr| match self.expr(&e) {
            Ok(e) => e,
            Err(found) => {
                fault = Some(found);
                e
            }
        };
        let list = map_expressions(list.to_vec(), &mut put);
        match fault {
            Some(fault) => Err(fault),
            None => self.targets(list),
        }
    }

    fn targets(&self, list: Vec<Stmt>) -> Result<Vec<Stmt>, Fault> {
        let mut out = Vec::new();
        for s in list {
            out.push(match s {
                Stmt::Assign(t, e) => Stmt::Assign(self.target(&t)?, e),
                Stmt::If(c, a, b) => Stmt::If(c, self.targets(a)?, self.targets(b)?),
                Stmt::Case(e, arms) => {
                    let arm = |(label, body)| Ok((label, self.targets(body)?));
                    Stmt::Case(e, arms.into_iter().map(arm).collect::<Result<_, Fault>>()?)
                }
                Stmt::For(v, from, to, body) => Stmt::For(v, from, to, self.targets(body)?),
                Stmt::Comment(text) => Stmt::Comment(text),
            });
        }
        Ok(out)
    }

    fn target(&self, t: &Target) -> Result<Target, Fault> {
        match self.bits(t.net, &t.lsb, t.width)? {
            Expr::Sel { net, lsb, width } => Ok(Target { net, lsb, width }),
            _ => Err(unsupported("an output that is connected to a value")),
        }
    }

    fn expr(&self, e: &Expr) -> Result<Expr, Fault> {
        let mut fault = None;
        if let Some(net) = picked(e).first() {
            let name = &self.taken.child.nets[*net].name;
            return Err(unsupported(&format!(
                "{name}, a vector selected by a signal"
            )));
        }
        let out = e.map_nets(&mut |net, lsb, width| match self.bits(net, lsb, width) {
            Ok(e) => Some(e),
            Err(found) => {
                fault = Some(found);
                None
            }
        });
        fault.map_or(Ok(out), Err)
    }

    /// Bits of a net of the child as a value here.
    fn bits(&self, net: NetId, lsb: &Index, width: usize) -> Result<Expr, Fault> {
        let mut lsb = lsb.clone();
        for (depth, _) in &mut lsb.terms {
            if *depth < PROCESS_LOOP {
                *depth += self.loops;
            }
        }
        let child = &self.taken.child.nets[net];
        if let Some(here) = self.taken.nets[net] {
            return Ok(Expr::Sel {
                net: here,
                lsb: sum(&lsb, &self.position(child.bits())),
                width,
            });
        }
        let found = self.instance.ports.iter().find(|p| p.port == child.name);
        let Some(connection) = found else {
            return Err(unsupported(&format!("{}, not connected", child.name)));
        };
        match (&connection.value, lsb.constant()) {
            (Expr::Sel { net, lsb: base, .. }, _) => Ok(Expr::Sel {
                net: *net,
                lsb: sum(&lsb, base),
                width,
            }),
            (value, Some(lsb)) => Ok(slice(value.clone(), lsb, width)),
            _ => Err(unsupported(&format!(
                "{}, connected to a value",
                child.name
            ))),
        }
    }

    /// First bit of this instance in a vector with `bits` for each.
    fn position(&self, bits: usize) -> Index {
        let mut out = Index::from(0);
        let mut step = bits as i64;
        for (level, size) in self.sizes.iter().enumerate().rev() {
            match self.instance.index.get(level) {
                Some(index) => out.base += step * *index as i64,
                None => out.terms.insert(0, (level, step)),
            }
            step *= *size as i64;
        }
        out
    }
}

/// The nets of which a signal selects a bit.
fn picked(e: &Expr) -> Vec<NetId> {
    let mut out: Vec<NetId> = e.children().flat_map(picked).collect();
    if let Expr::Pick { net, .. } = e {
        out.push(*net);
    }
    out
}

/// The sum of two positions.
fn sum(a: &Index, b: &Index) -> Index {
    let mut out = b.clone();
    out.base += a.base;
    for (depth, step) in &a.terms {
        match out.terms.iter_mut().find(|(d, _)| d == depth) {
            Some((_, s)) => *s += step,
            None => out.terms.push((*depth, *step)),
        }
    }
    out.terms.retain(|(_, step)| *step != 0);
    out.terms.sort_by_key(|(depth, _)| *depth);
    out
}
