//! Ports, constants and nets.

use super::expr::{number, variable};
use super::uses::Uses;
use super::writer::COLUMNS;
use super::{Printer, header, plain};
use crate::interfaces::{attributes, interfaces};
use crate::ir::{Net, NetId, NetKind};

impl Printer<'_> {
    pub fn ports(&mut self, uses: &Uses) {
        let ports: Vec<(usize, &Net)> = header::ports(self.module).collect();
        if ports.is_empty() {
            self.w.line(&format!("module {};", self.module.name));
            return;
        }
        self.w.line(&format!("module {} (", self.module.name));
        let known = interfaces(ports.iter().map(|(_, net)| net.name.as_str()));
        let count = ports.len();
        let mut done = 0;
        for group in groups(&ports) {
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
                self.w.inside(|w| {
                    let attributes = attributes(&known, name);
                    attributes.iter().for_each(|attribute| w.line(attribute));
                    w.line(&line);
                });
            }
        }
        self.w.line(");");
    }

    pub fn declarations(&mut self, uses: &Uses) {
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
            let together = |a: &NetId, b: &NetId| {
                let (a, b) = (&self.module.nets[*a], &self.module.nets[*b]);
                a.part_of.is_some() && a.part_of == b.part_of
            };
            for nets in group.chunk_by(together) {
                let net = &self.module.nets[nets[0]];
                let range = range(net.bits());
                let space = if range.is_empty() { "" } else { " " };
                let head = format!("{keyword}{space}{range}");
                match net.part_of {
                    None => self.w.line(&comment(format!("{head} {};", net.name), net)),
                    Some(_) => self.elements(&head, nets),
                }
            }
            self.w.blank();
        }
        if !uses.loops.is_empty() {
            for depth in &uses.loops {
                let name = variable(*depth);
                self.w.line(&format!("genvar {name};"));
                self.names.claim(name);
            }
            self.w.blank();
        }
    }
}

impl Printer<'_> {
    /// Elements of an array that are nets of their own, as many in a line as fit.
    fn elements(&mut self, head: &str, nets: &[NetId]) {
        let doc = plain(&self.module.nets[nets[0]].doc);
        if !doc.is_empty() {
            self.w.comment(&doc);
        }
        let mut line = head.to_string();
        for (n, id) in nets.iter().enumerate() {
            let name = &self.module.nets[*id].name;
            let end = if n + 1 == nets.len() { ";" } else { "," };
            // The module is indented by 2.
            if line.len() + name.len() + 4 > COLUMNS {
                self.w.line(&line);
                line = " ".repeat(head.len());
            }
            line += &format!(" {name}{end}");
        }
        self.w.line(&line);
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
        let layout = format!("{} x {}", net.layout(), net.width);
        note = if note.is_empty() {
            layout
        } else {
            format!("{layout}: {note}")
        };
    }
    let note = note.trim_end_matches('.');
    let full = format!("{line}  // {note}");
    if note.is_empty() || full.len() + 2 > COLUMNS {
        return line;
    }
    full
}

/// Ports that belong together: clock and reset, then runs with one first word.
fn groups<'a>(ports: &[(usize, &'a Net)]) -> Vec<Vec<(usize, &'a Net)>> {
    let word = |n: &Net| match n.name.as_str() {
        "clk" | "rst_n" | "rst" | "aclk" | "aresetn" => "clk".to_string(),
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
