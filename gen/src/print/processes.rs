//! Combinational and clocked processes.

use super::Printer;
use super::expr::{expr, variable};
use super::uses::{first_net, loops};
use super::writer::Writer;
use crate::ir::{Clocked, Net, NetKind, Stmt};
use crate::passes::fold::not;
use crate::passes::legality::edge;

impl Printer<'_> {
    pub fn body(&mut self, body: &[Stmt], op: &str) {
        let nets = &self.module.nets;
        self.w.inside(|w| {
            variables(w, body);
            w.statements(nets, body, op);
        });
    }

    /// Processes with loops are named, because they declare the loop variables.
    pub fn label(&mut self, body: &[Stmt]) -> String {
        match first_net(body) {
            Some(net) if !loops(body).is_empty() => {
                let name = self
                    .names
                    .claim(&format!("proc_{}", self.module.nets[net].title()));
                format!(" : {name}")
            }
            _ => String::new(),
        }
    }

    pub fn clocked(&mut self, c: &Clocked) {
        let nets = &self.module.nets;
        let clk = &nets[c.clk].name;
        let mut event = format!("posedge {clk}");
        let mut test = String::new();
        if let Some((run, _)) = &c.reset {
            let condition = not(run.clone());
            test = expr(nets, &condition);
            if self.style.asynchronous {
                if let Some((edge, net)) = edge(&condition) {
                    event.push_str(&format!(" or {edge} {}", nets[net].name));
                }
            }
        }
        let values = c.reset.iter().flat_map(|(_, values)| values);
        let all: Vec<Stmt> = c.body.iter().chain(values).cloned().collect();
        let label = self.label(&all);
        // What registers mean is said at their declarations.
        if c.reset.is_none() && nets.iter().any(is_reset) {
            self.w.comment("Not reset");
        }
        self.w.line(&format!("always @({event}) begin{label}"));
        let (reset, enable) = (&c.reset, &c.enable);
        self.w.inside(|w| {
            variables(w, &all);
            let body = match enable {
                Some(e) => vec![Stmt::If(e.clone(), c.body.clone(), Vec::new())],
                None => c.body.clone(),
            };
            match reset {
                None => w.statements(nets, &body, "<="),
                Some((_, values)) => {
                    w.line(&format!("if ({test}) begin"));
                    w.inside(|w| w.statements(nets, values, "<="));
                    match (enable, c.body.as_slice()) {
                        (_, []) => w.line("end"),
                        (None, [s @ Stmt::If(..)]) => w.conditional(nets, s, "<=", "end else "),
                        (Some(e), _) => {
                            w.line(&format!("end else if ({}) begin", expr(nets, e)));
                            w.inside(|w| w.statements(nets, &c.body, "<="));
                            w.line("end");
                        }
                        (None, _) => {
                            w.line("end else begin");
                            w.inside(|w| w.statements(nets, &c.body, "<="));
                            w.line("end");
                        }
                    }
                }
            }
        });
        self.w.line("end");
    }
}

fn is_reset(net: &Net) -> bool {
    net.kind == NetKind::In && matches!(net.name.as_str(), "rst_n" | "rst" | "aresetn")
}

/// Declares the loop variables of a process.
fn variables(w: &mut Writer, body: &[Stmt]) {
    for depth in loops(body) {
        w.line(&format!("integer {};", variable(depth)));
    }
}
