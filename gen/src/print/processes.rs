//! Combinational and clocked processes.

use super::expr::{expr, variable};
use super::uses::{first_net, has_loop};
use super::{Printer, headings};
use crate::ir::{Clocked, Stmt};
use crate::passes::fold::not;
use crate::passes::generate::PROCESS_LOOP;
use crate::passes::legality::edge;

impl Printer<'_> {
    pub fn body(&mut self, body: &[Stmt], label: &str, op: &str) {
        let nets = &self.module.nets;
        self.w.inside(|w| {
            if !label.is_empty() {
                w.line(&format!("integer {};", variable(PROCESS_LOOP)));
            }
            w.statements(nets, body, op);
        });
    }

    /// Processes with loops are named, because they declare the loop variable.
    pub fn label(&mut self, body: &[Stmt]) -> String {
        match first_net(body) {
            Some(net) if has_loop(body) => {
                let name = self
                    .names
                    .claim(&format!("proc_{}", self.module.nets[net].name));
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
        let label = self.label(&c.body);
        self.w.comment(&headings::clocked(nets, c));
        self.w.line(&format!("always @({event}) begin{label}"));
        let (reset, enable) = (&c.reset, &c.enable);
        self.w.inside(|w| {
            if !label.is_empty() {
                w.line(&format!("integer {};", variable(PROCESS_LOOP)));
            }
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
