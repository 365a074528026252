//! Prints a module.

mod contracts;
mod declarations;
mod expr;
mod header;
mod processes;
mod uses;
mod writer;

pub use header::plain;

use crate::ir::{Connected, Item, Module, Stmt};
use crate::passes::naming::Names;
use expr::{expr, root, target, variable};
use std::collections::BTreeMap;
use uses::{Uses, first_net};
use writer::Writer;

/// What printing must know besides the module.
pub struct Style<'a> {
    /// Configuration name, for the header of a top; other modules may belong to several.
    pub configuration: Option<&'a str>,
    /// Version of the tool, for the header.
    pub version: &'a str,
    /// Registers have an asynchronous reset.
    pub asynchronous: bool,
    /// Names of the modules and cells by block.
    pub names: &'a [String],
    /// Parameters of hand-written cells by block.
    pub parameters: &'a BTreeMap<usize, Vec<(String, String)>>,
}

/// An instance in a text, or an array of them.
#[derive(Debug, Clone)]
pub struct Placed {
    /// Block.
    pub block: usize,
    /// Path in the module; `[*]` stands for the index of a loop.
    pub path: String,
    /// Number of instances.
    pub count: u64,
}

/// The Verilog text of a module, and the instances in it.
pub fn print(module: &Module, style: &Style) -> (String, Vec<Placed>) {
    let mut printer = Printer {
        module,
        style,
        names: Names::default(),
        w: Writer::default(),
        loops: Vec::new(),
        placed: Vec::new(),
    };
    for net in &module.nets {
        printer.names.claim(&net.name);
    }
    printer.all();
    (printer.w.text, printer.placed)
}

struct Printer<'a> {
    module: &'a Module,
    style: &'a Style<'a>,
    names: Names,
    w: Writer,
    /// Names and sizes of the loops around.
    loops: Vec<(String, u64)>,
    placed: Vec<Placed>,
}

impl Printer<'_> {
    fn all(&mut self) {
        let mut uses = Uses::default();
        uses.items(&self.module.items);
        uses.contracts(&self.module.contracts);
        for line in header::header(self.module, self.style.configuration, self.style.version) {
            self.w.line(format!("// {line}").trim_end());
        }
        self.w.blank();
        self.w.line("`default_nettype none");
        self.w.blank();
        self.ports(&uses);
        self.w.blank();
        let module = self.module;
        self.nested(|p| {
            p.declarations(&uses);
            p.items(&module.items);
            p.unused();
            p.contracts();
        });
        self.w.blank();
        self.w.line("endmodule");
        self.w.blank();
        self.w.line("`default_nettype wire");
    }

    fn items(&mut self, items: &[Item]) {
        let mut last_assign = false;
        for item in items {
            let assign = matches!(item, Item::Assign(..));
            if !(assign && last_assign) {
                self.w.blank();
            }
            if let Item::Loop(..) = item {
                self.w.line("generate");
                self.item(item, 1);
                self.w.line("endgenerate");
            } else {
                self.item(item, 0);
            }
            last_assign = assign || matches!(item, Item::Comment(_));
        }
    }

    fn unused(&mut self) {
        if self.module.unused.is_empty() {
            return;
        }
        let nets = &self.module.nets;
        let parts: Vec<String> = self.module.unused.iter().map(|e| expr(nets, e)).collect();
        let name = self.names.claim("unused_bits");
        self.w.blank();
        self.w.line("// Deliberately not read");
        self.w.line(&format!("wire {name};"));
        self.w
            .line(&format!("assign {name} = &{{1'b0, {}}};", parts.join(", ")));
    }

    fn nested(&mut self, f: impl FnOnce(&mut Self)) {
        let mut w = std::mem::take(&mut self.w);
        w.inside(|w| {
            std::mem::swap(w, &mut self.w);
            f(self);
            std::mem::swap(w, &mut self.w);
        });
        self.w = w;
    }

    fn item(&mut self, item: &Item, extra: usize) {
        if extra > 0 {
            self.nested(|p| p.item(item, extra - 1));
            return;
        }
        let nets = &self.module.nets;
        match item {
            Item::Comment(text) => self.w.comment(&plain(text)),
            Item::Assign(t, e) => {
                let line = format!("assign {} = {};", target(nets, t), root(nets, e));
                self.w.line(&line);
            }
            Item::Instance(c) => self.instance(c),
            Item::Comb(body) => {
                let label = self.label(body);
                self.w.line(&format!("always @* begin{label}"));
                self.body(body, "=");
                self.w.line("end");
            }
            Item::Clocked(c) => self.clocked(c),
            Item::Loop(depth, from, to, inner) => {
                let v = variable(*depth);
                let name = self.loop_name(*from, inner);
                self.w.line(&format!(
                    "for ({v} = {from}; {v} < {to}; {v} = {v} + 1) begin : {name}"
                ));
                self.loops.push((name, (to - from) as u64));
                for (n, item) in inner.iter().enumerate() {
                    if n > 0 {
                        self.w.blank();
                    }
                    self.item(item, 1);
                }
                self.loops.pop();
                self.w.line("end");
            }
        }
    }

    fn loop_name(&mut self, from: usize, inner: &[Item]) -> String {
        let base = match inner.first() {
            Some(Item::Instance(c)) => c.name.clone(),
            Some(Item::Assign(t, _)) => self.module.nets[t.net].name.clone(),
            Some(Item::Comb(body)) => self.name_of(body),
            Some(Item::Clocked(c)) => self.name_of(&c.body),
            Some(Item::Loop(_, _, _, inner)) => {
                let inner = self.base_name(inner);
                format!("{inner}_row")
            }
            _ => "items".into(),
        };
        // A second loop over the same array starts elsewhere.
        let names = [format!("gen_{base}"), format!("gen_{base}_from_{from}")];
        self.names.claim_first(&names)
    }

    fn base_name(&self, inner: &[Item]) -> String {
        match inner.first() {
            Some(Item::Instance(c)) => c.name.clone(),
            Some(Item::Assign(t, _)) => self.module.nets[t.net].name.clone(),
            Some(Item::Comb(body)) => self.name_of(body),
            Some(Item::Clocked(c)) => self.name_of(&c.body),
            _ => "items".into(),
        }
    }

    fn name_of(&self, body: &[Stmt]) -> String {
        first_net(body).map_or("items".into(), |n| self.module.nets[n].name.clone())
    }

    fn instance(&mut self, c: &Connected) {
        let nets = &self.module.nets;
        let mut name = format!("u_{}", c.name);
        for i in &c.index {
            name.push_str(&format!("_{i}"));
        }
        let name = self.names.claim(&name);
        let loops = self.loops.iter();
        let path: String = loops.map(|(name, _)| format!("{name}[*].")).collect();
        self.placed.push(Placed {
            block: c.block,
            path: path + &name,
            count: self.loops.iter().map(|(_, count)| count).product(),
        });
        let module = &self.style.names[c.block];
        match self.style.parameters.get(&c.block) {
            None => self.w.line(&format!("{module} {name} (")),
            Some(parameters) => {
                self.w.line(&format!("{module} #("));
                let mut all = parameters.clone();
                all.push(("Key".into(), format!("\"{}_{name}\"", self.module.name)));
                let width = all.iter().map(|p| p.0.len()).max().unwrap_or(0);
                for (n, (key, value)) in all.iter().enumerate() {
                    let comma = if n + 1 == all.len() { "" } else { "," };
                    self.w
                        .inside(|w| w.line(&format!(".{key:width$}({value}){comma}")));
                }
                self.w.line(&format!(") {name} ("));
            }
        }
        let width = c.ports.iter().map(|p| p.port.len()).max().unwrap_or(0);
        for (n, p) in c.ports.iter().enumerate() {
            let comma = if n + 1 == c.ports.len() { "" } else { "," };
            let line = format!(".{:width$}({}){comma}", p.port, expr(nets, &p.value));
            self.w.inside(|w| w.line(&line));
        }
        self.w.line(");");
    }
}
