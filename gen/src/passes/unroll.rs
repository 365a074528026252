//! Unrolling: the kernel of a block as statements without loops, links and static conditions.
//!
//! Names are looked up with the values of loop variables, so an array element is a bit position
//! from here on. Expressions are translated by [`widths`](super::widths).

use crate::blocks::Block;
use crate::error::Fault;
use crate::expr::mask;
use crate::ir::{BinOp, Expr, Net, NetKind, Netlist, Stmt, Target};
use crate::passes::widths::{Widths, text};
use crate::path;
use crate::table::{Meaning, SharedPort, Table, Variant};
use rust_hdl_core::ast::{
    Verilog, VerilogBlockOrConditional, VerilogExpression as Ast, VerilogLink, VerilogMatch,
    VerilogStatement,
};

/// Translates the kernel of a block into the body of its netlist.
pub fn lower(block: &Block, netlist: &mut Netlist, table: &Table) -> Result<(), Fault> {
    let mut env = path::Env::new();
    for p in &block.meta.params {
        if netlist.nets.iter().any(|net| net.rust == p.name) {
            return Err(Fault::Shadowed(p.name.clone()));
        }
        let value = i64::try_from(p.value).unwrap_or(i64::MAX);
        env.insert(p.name.clone(), value);
        env.insert(format!("_{}", p.name), value);
    }
    let mut body = Vec::new();
    match &block.kernel {
        Verilog::Combinatorial(statements) => {
            let mut kernel = Kernel {
                widths: Widths {
                    nets: &netlist.nets,
                    table,
                    env,
                },
            };
            kernel.block(statements, &mut body)?;
        }
        Verilog::Empty => {}
        _ => return Err(Fault::Unsupported("a kernel of Verilog text".into())),
    }
    for port in &table.shared_ports {
        body.extend(shared_port(&netlist.nets, port));
    }
    for (a, b, p) in &table.products {
        body.extend(product(&netlist.nets, *a, *b, *p));
    }
    netlist.body = body;
    // What a contract looks at is no port any more.
    for &net in netlist.contracts.iter().flat_map(|contract| &contract.nets) {
        netlist.nets[net].kind = NetKind::Wire;
    }
    Ok(())
}

/// The text of a comment; rust-hdl passes the macro call itself.
fn comment(text: &str) -> String {
    let inner = text.split_once('"').map_or(text, |(_, inner)| inner);
    inner
        .trim_end_matches(')')
        .trim_end_matches('"')
        .to_string()
}

/// One assignment per element of an array of multipliers.
fn product(nets: &[Net], a: usize, b: usize, p: usize) -> Vec<Stmt> {
    let at = |net: usize, i: usize| {
        let width = nets[net].width;
        Expr::bits_of(net, i * width, width)
    };
    let one = |i: usize| {
        let target = Target {
            net: p,
            lsb: (i * nets[p].width).into(),
            width: nets[p].width,
        };
        let value = Expr::Bin(BinOp::MulS, Box::new(at(a, i)), Box::new(at(b, i)));
        Stmt::Assign(target, value)
    };
    (0..nets[p].elems()).map(one).collect()
}

/// Enable and address of each memory of an array: those of its write, or else of its read.
fn shared_port(nets: &[Net], port: &SharedPort) -> Vec<Stmt> {
    let bits = nets[port.port.1].width;
    let at = |net: usize, i: usize, width: usize| {
        Box::new(Expr::bits_of(net, i * nets[net].width, width))
    };
    let assign = |net: usize, i: usize, value: Expr| {
        let target = Target {
            net,
            lsb: (i * nets[net].width).into(),
            width: nets[net].width,
        };
        Stmt::Assign(target, value)
    };
    let one = |i: usize| {
        let (write, read) = (at(port.write.0, i, 1), at(port.read.0, i, 1));
        let [to, from] = [port.write.1, port.read.1].map(|net| at(net, i, bits));
        let address = Expr::Mux(write.clone(), to, from);
        [
            assign(port.port.0, i, Expr::Bin(BinOp::Or, write, read)),
            assign(port.port.1, i, address),
        ]
    };
    (0..nets[port.port.0].elems()).flat_map(one).collect()
}

struct Kernel<'a> {
    widths: Widths<'a>,
}

impl Kernel<'_> {
    fn block(&mut self, list: &[VerilogStatement], out: &mut Vec<Stmt>) -> Result<(), Fault> {
        for statement in list {
            self.statement(statement, out)?;
        }
        Ok(())
    }

    fn statement(&mut self, s: &VerilogStatement, out: &mut Vec<Stmt>) -> Result<(), Fault> {
        match s {
            VerilogStatement::Assignment(target, value) => {
                let target = self.target(target)?;
                let value = self.widths.lower(value, Some(target.width))?;
                out.push(Stmt::Assign(target, value));
            }
            VerilogStatement::SliceAssignment {
                base,
                width,
                offset,
                replacement,
            } => {
                let whole = self.target(base)?;
                let at = match self.widths.lower(offset, Some(32))?.value() {
                    Some(at) => at as usize,
                    None => return Err(Fault::Unsupported("a variable field".into())),
                };
                let value = self.widths.lower(replacement, Some(*width))?;
                let target = Target {
                    net: whole.net,
                    lsb: (whole.lsb.base as usize + at).into(),
                    width: *width,
                };
                out.push(Stmt::Assign(target, value));
            }
            VerilogStatement::If(c) => {
                let test = self.widths.lower(&c.test, Some(1))?;
                let (mut then, mut other) = (Vec::new(), Vec::new());
                if !test.is_zero() {
                    self.block(&c.then, &mut then)?;
                }
                if !test.is_ones() {
                    match &c.otherwise {
                        VerilogBlockOrConditional::Block(b) => self.block(b, &mut other)?,
                        VerilogBlockOrConditional::Conditional(s) => {
                            self.statement(s, &mut other)?;
                        }
                        VerilogBlockOrConditional::None => {}
                    }
                }
                match test.value() {
                    Some(0) => out.append(&mut other),
                    Some(_) => out.append(&mut then),
                    None if then.is_empty() && other.is_empty() => {}
                    None => out.push(Stmt::If(test, then, other)),
                }
            }
            VerilogStatement::Match(m) => self.select(m, out)?,
            VerilogStatement::Loop(l) => {
                let outer = self.widths.env.remove(&l.index);
                for i in l.from.as_usize()..l.to.as_usize() {
                    self.widths.env.insert(l.index.clone(), i as i64);
                    self.block(&l.block, out)?;
                }
                self.widths.env.remove(&l.index);
                if let Some(value) = outer {
                    self.widths.env.insert(l.index.clone(), value);
                }
            }
            VerilogStatement::Comment(text) => out.push(Stmt::Comment(comment(text))),
            VerilogStatement::Link(links) => {
                for link in links {
                    self.link(link, out)?;
                }
            }
            VerilogStatement::Macro(list) => self.block(list, out)?,
        }
        Ok(())
    }

    fn link(&mut self, link: &VerilogLink, out: &mut Vec<Stmt>) -> Result<(), Fault> {
        let (to, from) = match link {
            VerilogLink::Forward(d) => (
                format!("{}{}", d.other_name, d.my_name),
                format!("{}{}", d.owner_name, d.my_name),
            ),
            VerilogLink::Backward(d) => (
                format!("{}{}", d.owner_name, d.my_name),
                format!("{}{}", d.other_name, d.my_name),
            ),
            VerilogLink::Bidirectional(d) => {
                return Err(Fault::Unsupported(format!("tri-state {}", d.owner_name)));
            }
        };
        let target = self.target(&Ast::Signal(to))?;
        let value = self.widths.lower(&Ast::Signal(from), Some(target.width))?;
        out.push(Stmt::Assign(target, value));
        Ok(())
    }

    fn target(&self, ast: &Ast) -> Result<Target, Fault> {
        let Ast::Signal(name) = ast else {
            return Err(Fault::Unsupported(format!("assignment to {}", text(ast))));
        };
        let (entry, flat) = self.widths.resolve(name)?;
        let Meaning::Nets(elems) = &entry.meaning else {
            return Err(Fault::DrivesInput(text(ast)));
        };
        let (net, elem) = elems[flat];
        let width = self.widths.nets[net].width;
        match self.widths.nets[net].kind {
            NetKind::Out | NetKind::Local | NetKind::ChildIn => Ok(Target {
                net,
                lsb: (elem * width).into(),
                width,
            }),
            _ => Err(Fault::DrivesInput(text(ast))),
        }
    }

    fn select(&mut self, m: &VerilogMatch, out: &mut Vec<Stmt>) -> Result<(), Fault> {
        let subject = self.widths.lower(&m.test, None)?;
        let width = subject.width();
        let mut arms: Vec<(Option<Expr>, Vec<Stmt>)> = Vec::new();
        let mut variants = 0;
        for case in &m.cases {
            let label = match case.condition.as_str() {
                "default" => None,
                name => {
                    let variant = self.widths.table.variants.get(name);
                    variants = variant.map_or(variants, |v: &Variant| v.count);
                    Some(self.label(name, width)?)
                }
            };
            let mut body = Vec::new();
            self.block(&case.block, &mut body)?;
            let last = label.is_none();
            arms.push((label, body));
            if last {
                break;
            }
        }
        if let Some(value) = subject.value() {
            let hit = |l: &Option<Expr>| l.as_ref().is_none_or(|l| l.value() == Some(value));
            if let Some((_, body)) = arms.iter_mut().find(|(l, _)| hit(l)) {
                out.append(body);
            }
            return Ok(());
        }
        // All variants are named: Rust knows that nothing else exists, so the last one may
        // serve as the default that Verilog needs.
        let values = 1usize.checked_shl(width as u32);
        let complete =
            variants > 0 && arms.len() >= variants || values.is_some_and(|v| arms.len() >= v);
        if let (true, Some((label, body))) = (complete, arms.last_mut()) {
            if let Some(Expr::Const { name: Some(n), .. }) = label.take() {
                body.insert(0, Stmt::Comment(n));
            }
        }
        out.push(Stmt::Case(subject, arms));
        Ok(())
    }

    fn label(&self, name: &str, width: usize) -> Result<Expr, Fault> {
        let signal = |name: &str| self.widths.lower(&Ast::Signal(name.into()), Some(width));
        match path::number(name) {
            Some(value) => {
                let value = u128::try_from(value).unwrap_or(u128::MAX);
                if width < 128 && value > mask(width) {
                    let value = value.to_string();
                    return Err(Fault::Constant { value, width });
                }
                Ok(Expr::number(width, value))
            }
            None if name == "true" || name == "false" => {
                Ok(Expr::number(width, (name == "true").into()))
            }
            None => {
                let label = signal(name)?;
                match label.value() {
                    Some(_) => Ok(label),
                    None => Err(Fault::Unsupported(format!("match arm {name}"))),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::dedup::walk;
    use crate::passes::pack;
    use crate::samples::{Tree, assign, read};

    #[test]
    fn loops_become_one_statement_per_element() {
        let blocks = walk(&Tree::default()).expect("legal");
        let (mut netlist, table) = pack::build(&blocks[2], &blocks).expect("legal");
        lower(&blocks[2], &mut netlist, &table).expect("legal");
        let nets = &netlist.nets;
        let id = |name: &str| nets.iter().position(|n| n.name == name).expect("a net");
        let (x, leaf) = (id("x_i"), id("leaf_x"));
        let want: Vec<Stmt> = (0..3)
            .map(|i| assign(nets, leaf, i, read(nets, x, i)))
            .collect();
        // The first statement is the clock of the register.
        assert_eq!(netlist.body[1..4], want);
        assert_eq!(netlist.body.len(), 6);
    }

    #[test]
    fn comments_lose_the_macro_around_them() {
        assert_eq!(comment("comment ! (\"Next state\")"), "Next state");
    }
}
