//! What the text of a module must declare.

use crate::cells;
use crate::ir::{Contract, Expr, Item, NetId, Stmt};
use crate::passes::contracts::values;
use std::collections::BTreeSet;

/// What a module uses.
#[derive(Default)]
pub struct Uses {
    /// Nets that are mentioned.
    pub nets: BTreeSet<NetId>,
    /// Nets that a process assigns.
    pub variables: BTreeSet<NetId>,
    /// Named constants: name, bits, value.
    pub constants: Vec<(String, usize, u128)>,
    /// Depths of generate loops.
    pub loops: BTreeSet<usize>,
}

impl Uses {
    fn expr(&mut self, e: &Expr) {
        match e {
            Expr::Const {
                width,
                value,
                name: Some(name),
            } if !self.constants.iter().any(|c| c.0 == *name) => {
                self.constants.push((name.clone(), *width, *value));
            }
            Expr::Sel { net, .. } | Expr::Pick { net, .. } => {
                self.nets.insert(*net);
            }
            _ => {}
        }
        e.children().for_each(|e| self.expr(e));
    }

    fn list(&mut self, list: &[Stmt]) {
        for s in list {
            match s {
                Stmt::Assign(t, e) => {
                    self.nets.insert(t.net);
                    self.variables.insert(t.net);
                    self.expr(e);
                }
                Stmt::If(c, a, b) => {
                    self.expr(c);
                    self.list(a);
                    self.list(b);
                }
                Stmt::Case(e, arms) => {
                    self.expr(e);
                    for (label, body) in arms {
                        label.iter().for_each(|l| self.expr(l));
                        self.list(body);
                    }
                }
                Stmt::For(_, _, _, body) => self.list(body),
                Stmt::Comment(_) => {}
            }
        }
    }

    /// Adds what contracts look at.
    pub fn contracts(&mut self, contracts: &[Contract]) {
        let rules = contracts.iter().map(|contract| &contract.rule);
        rules.flat_map(values).for_each(|e| self.expr(e));
    }

    /// Adds the contents of a module.
    pub fn items(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Assign(t, e) => {
                    self.nets.insert(t.net);
                    self.expr(e);
                }
                Item::Instance(c) => c.ports.iter().for_each(|c| self.expr(&c.value)),
                Item::Comb(body) => self.list(body),
                Item::Clocked(c) => {
                    if let Some((e, body)) = &c.reset {
                        self.expr(e);
                        self.list(body);
                    }
                    c.enable.iter().for_each(|e| self.expr(e));
                    self.list(&c.body);
                }
                Item::Comment(_) => {}
                Item::Loop(depth, _, _, inner) => {
                    self.loops.insert(*depth);
                    self.items(inner);
                }
            }
        }
    }
}

/// Depths of the loops in a list.
pub fn loops(list: &[Stmt]) -> BTreeSet<usize> {
    let mut out = BTreeSet::new();
    for s in list {
        match s {
            Stmt::For(depth, _, _, body) => {
                out.insert(*depth);
                out.append(&mut loops(body));
            }
            Stmt::If(_, a, b) => {
                out.append(&mut loops(a));
                out.append(&mut loops(b));
            }
            Stmt::Case(_, arms) => arms.iter().for_each(|(_, b)| out.append(&mut loops(b))),
            _ => {}
        }
    }
    out
}

pub fn first_net(list: &[Stmt]) -> Option<NetId> {
    let mut out = None;
    cells::assignments(list, &mut |t, _| {
        out.get_or_insert(t.net);
    });
    out
}
