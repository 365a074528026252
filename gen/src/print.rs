//! Prints a module.

use crate::header::{self, plain};
use crate::ir::{Clocked, Connected, Expr, Item, Module, Net, NetId, NetKind, Stmt};
use crate::names::Names;
use crate::text::{self, Writer, expr, number, root, target};
use std::collections::{BTreeMap, BTreeSet};

/// What printing must know besides the module.
pub struct Style<'a> {
    /// Configuration name, for the header.
    pub configuration: &'a str,
    /// Version of the tool, for the header.
    pub version: &'a str,
    /// Registers have an asynchronous reset.
    pub asynchronous: bool,
    /// Names of the modules and cells by block.
    pub names: &'a [String],
    /// Parameters of hand-written cells by block.
    pub parameters: &'a BTreeMap<usize, Vec<(String, String)>>,
}

/// The Verilog text of a module.
pub fn print(module: &Module, style: &Style) -> String {
    let mut printer = Printer {
        module,
        style,
        names: Names::default(),
        w: Writer::default(),
    };
    for net in &module.nets {
        printer.names.claim(&net.name);
    }
    printer.all();
    printer.w.text
}

struct Printer<'a> {
    module: &'a Module,
    style: &'a Style<'a>,
    names: Names,
    w: Writer,
}

/// What a module uses.
#[derive(Default)]
struct Uses {
    nets: BTreeSet<NetId>,
    variables: BTreeSet<NetId>,
    constants: Vec<(String, usize, u128)>,
    loops: BTreeSet<usize>,
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

    fn items(&mut self, items: &[Item]) {
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

/// Does the list contain a loop?
fn has_loop(list: &[Stmt]) -> bool {
    list.iter().any(|s| match s {
        Stmt::For(..) => true,
        Stmt::If(_, a, b) => has_loop(a) || has_loop(b),
        Stmt::Case(_, arms) => arms.iter().any(|(_, b)| has_loop(b)),
        _ => false,
    })
}

fn first_net(list: &[Stmt]) -> Option<NetId> {
    let mut out = None;
    crate::cells::assignments(list, &mut |t, _| {
        out.get_or_insert(t.net);
    });
    out
}

impl Printer<'_> {
    fn all(&mut self) {
        let mut uses = Uses::default();
        uses.items(&self.module.items);
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
        });
        self.w.blank();
        self.w.line("endmodule");
        self.w.blank();
        self.w.line("`default_nettype wire");
    }

    fn ports(&mut self, uses: &Uses) {
        let ports: Vec<(usize, &Net)> = header::ports(self.module).collect();
        if ports.is_empty() {
            self.w.line(&format!("module {};", self.module.name));
            return;
        }
        self.w.line(&format!("module {} (", self.module.name));
        let count = ports.len();
        let mut done = 0;
        for group in interfaces(&ports) {
            if done > 0 {
                self.w.blank();
            }
            let row = |(id, n): &(usize, &Net)| {
                let kind = match (n.kind, uses.variables.contains(id)) {
                    (NetKind::In, _) => "input  wire",
                    (_, false) => "output wire",
                    (_, true) => "output reg",
                };
                (kind, range(n.bits()), n.name.clone())
            };
            let rows: Vec<_> = group.iter().map(row).collect();
            let inputs = rows.iter().all(|r| r.0.starts_with("input"));
            let kinds: Vec<String> = rows
                .iter()
                .map(|r| {
                    if inputs {
                        r.0.replace("  ", " ")
                    } else {
                        r.0.to_string()
                    }
                })
                .collect();
            let k = kinds.iter().map(String::len).max().unwrap_or(0);
            let r = rows.iter().map(|r| r.1.len()).max().unwrap_or(0);
            for (kind, (_, range, name)) in kinds.iter().zip(&rows) {
                done += 1;
                let comma = if done == count { "" } else { "," };
                let line = match r {
                    0 => format!("{kind:k$} {name}{comma}"),
                    _ => format!("{kind:k$} {range:>r$} {name}{comma}"),
                };
                self.w.inside(|w| w.line(&line));
            }
        }
        self.w.line(");");
    }

    fn declarations(&mut self, uses: &Uses) {
        let mut constants = Vec::new();
        for label in self.module.nets.iter().flat_map(|n| &n.labels) {
            let found = uses.constants.iter().find(|c| c.0 == *label);
            constants.extend(found.filter(|c| !constants.contains(c)));
        }
        let rest: Vec<_> = uses
            .constants
            .iter()
            .filter(|c| !constants.contains(c))
            .collect();
        constants.extend(rest);
        for (name, width, value) in constants {
            let range = range(*width);
            let space = if range.is_empty() { "" } else { " " };
            self.w.line(&format!(
                "localparam{space}{range} {name} = {};",
                number(*width, *value)
            ));
        }
        self.w.blank();
        let nets = &self.module.nets;
        let declared = |kind: fn(NetKind) -> bool, variable: bool| {
            let fits = |id: &NetId| {
                let net = &nets[*id];
                !matches!(net.kind, NetKind::In | NetKind::Out)
                    && kind(net.kind)
                    && uses.variables.contains(id) == variable
            };
            uses.nets.iter().copied().filter(fits).collect::<Vec<_>>()
        };
        let groups = [
            declared(|k| k == NetKind::Register, true),
            declared(|k| k != NetKind::Register, true),
            declared(|_| true, false),
        ];
        let keyword = ["reg", "reg", "wire"];
        for (group, keyword) in groups.iter().zip(keyword) {
            for id in group {
                let net = &self.module.nets[*id];
                let range = range(net.bits());
                let space = if range.is_empty() { "" } else { " " };
                let line = format!("{keyword}{space}{range} {};", net.name);
                self.w.line(&comment(line, net));
            }
            self.w.blank();
        }
        if !uses.loops.is_empty() {
            for depth in &uses.loops {
                let name = text::variable(*depth);
                self.w.line(&format!("genvar {name};"));
                self.names.claim(name);
            }
            self.w.blank();
        }
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
                self.body(body, &label, "=");
                self.w.line("end");
            }
            Item::Clocked(c) => self.clocked(c),
            Item::Loop(depth, from, to, inner) => {
                let v = text::variable(*depth);
                let name = self.loop_name(inner);
                self.w.line(&format!(
                    "for ({v} = {from}; {v} < {to}; {v} = {v} + 1) begin : {name}"
                ));
                for (n, item) in inner.iter().enumerate() {
                    if n > 0 {
                        self.w.blank();
                    }
                    self.item(item, 1);
                }
                self.w.line("end");
            }
        }
    }

    fn body(&mut self, body: &[Stmt], label: &str, op: &str) {
        let nets = &self.module.nets;
        self.w.inside(|w| {
            if !label.is_empty() {
                w.line(&format!(
                    "integer {};",
                    text::variable(crate::assemble::PROCESS_LOOP)
                ));
            }
            w.statements(nets, body, op);
        });
    }

    /// Processes with loops are named, because they declare the loop variable.
    fn label(&mut self, body: &[Stmt]) -> String {
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

    fn loop_name(&mut self, inner: &[Item]) -> String {
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
        self.names.claim(&format!("gen_{base}"))
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

    fn clocked(&mut self, c: &Clocked) {
        let nets = &self.module.nets;
        let clk = &nets[c.clk].name;
        let mut event = format!("posedge {clk}");
        let mut test = String::new();
        if let Some((run, _)) = &c.reset {
            let condition = crate::expr::not(run.clone());
            test = expr(nets, &condition);
            if self.style.asynchronous {
                if let Some((edge, net)) = edge(&condition) {
                    event.push_str(&format!(" or {edge} {}", nets[net].name));
                }
            }
        }
        let label = self.label(&c.body);
        self.w.line(&format!("always @({event}) begin{label}"));
        let (reset, enable) = (&c.reset, &c.enable);
        self.w.inside(|w| {
            if !label.is_empty() {
                w.line(&format!(
                    "integer {};",
                    text::variable(crate::assemble::PROCESS_LOOP)
                ));
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

    fn instance(&mut self, c: &Connected) {
        let nets = &self.module.nets;
        let mut name = format!("u_{}", c.name);
        for i in &c.index {
            name.push_str(&format!("_{i}"));
        }
        let name = self.names.claim(&name);
        let module = &self.style.names[c.block];
        match self.style.parameters.get(&c.block) {
            None => self.w.line(&format!("{module} {name} (")),
            Some(parameters) => {
                self.w.line(&format!("{module} #("));
                let mut all = parameters.clone();
                all.push(("Key".into(), format!("\"{}_{}\"", self.module.name, name)));
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

/// The edge at which an asynchronous reset acts.
pub fn edge(condition: &Expr) -> Option<(&'static str, NetId)> {
    match condition {
        Expr::Not(e) => match &**e {
            Expr::Sel { net, .. } => Some(("negedge", *net)),
            _ => None,
        },
        Expr::Sel { net, .. } => Some(("posedge", *net)),
        _ => None,
    }
}

/// `[7:0]`, nothing for one bit.
fn range(bits: usize) -> String {
    match bits {
        1 => String::new(),
        n => format!("[{}:0]", n - 1),
    }
}

fn comment(line: String, net: &Net) -> String {
    let mut note = plain(&net.doc);
    if !net.dims.is_empty() && net.elems() > 1 {
        let sizes: Vec<String> = net.dims.iter().map(usize::to_string).collect();
        let layout = format!("{} x {}", sizes.join(" x "), net.width);
        note = if note.is_empty() {
            layout
        } else {
            format!("{layout}: {note}")
        };
    }
    let note = note.trim_end_matches('.');
    let full = format!("{line}  // {note}");
    if note.is_empty() || full.len() + 2 > text::COLUMNS {
        return line;
    }
    full
}

/// Ports that belong together: clock and reset, then runs with one first word.
fn interfaces<'a>(ports: &[(usize, &'a Net)]) -> Vec<Vec<(usize, &'a Net)>> {
    let word = |n: &Net| match n.name.as_str() {
        "clk" | "rst_n" | "rst" => "clk".to_string(),
        name => name.split('_').next().unwrap_or(name).to_string(),
    };
    let mut runs: Vec<(String, Vec<(usize, &Net)>)> = Vec::new();
    for p in ports {
        let key = word(p.1);
        match runs.last_mut() {
            Some((last, list)) if *last == key => list.push(*p),
            _ => runs.push((key, vec![*p])),
        }
    }
    let mut out: Vec<Vec<(usize, &Net)>> = Vec::new();
    let mut single = false;
    for (key, list) in runs {
        let alone = list.len() == 1 && key != "clk";
        match out.last_mut() {
            Some(last) if alone && single => last.extend(list),
            _ => out.push(list),
        }
        single = alone;
    }
    out
}
