//! `manifest.json`: what was generated, a line for each module, for each memory and for each port of the top.

use crate::design::{Design, Direction, Module, Reset, ResetLevel, sha256};
use crate::memories::memories;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

#[derive(Serialize)]
struct ResetEntry {
    style: Reset,
    level: ResetLevel,
}

/// Name, file and hash, where it comes from, parameters, widths of ports, and what it is made of.
#[derive(Serialize)]
struct ManifestEntry<'a> {
    name: &'a str,
    file: String,
    sha256: String,
    source: &'a str,
    parameters: Map<String, Value>,
    inputs: Map<String, Value>,
    outputs: Map<String, Value>,
    children: BTreeSet<&'a str>,
}

impl<'a> ManifestEntry<'a> {
    fn of(module: &'a Module, files: &[(String, String)]) -> Self {
        let file = format!("{}.v", module.name);
        let text = files.iter().find(|(name, _)| *name == file);
        let widths = |direction: Direction| {
            let ports = module.ports.iter().filter(|p| p.direction == direction);
            ports.map(|p| (p.name.clone(), p.width.into())).collect()
        };
        let number = |(name, value): &(String, u64)| (name.clone(), (*value).into());
        Self {
            name: &module.name,
            sha256: text.map_or(String::new(), |(_, text)| sha256(text)),
            file,
            source: &module.source,
            parameters: module.parameters.iter().map(number).collect(),
            inputs: widths(Direction::Input),
            outputs: widths(Direction::Output),
            children: module.children(),
        }
    }
}

/// The manifest of designs whose Verilog files are `files`, with others `beside`. Of a single one it begins with what is said of that one; of several with a list.
pub fn text(
    designs: &[&Design],
    files: &[(String, String)],
    beside: &[(String, String)],
) -> String {
    let all: String = { files.iter() }
        .map(|(name, text)| format!("{name}\n{text}"))
        .collect();
    let mut modules: Vec<&Module> = Vec::new();
    for module in designs.iter().flat_map(|design| &design.modules) {
        if !modules.iter().any(|other| other.name == module.name) {
            modules.push(module);
        }
    }
    let modules = modules
        .into_iter()
        .map(|m| line(&ManifestEntry::of(m, files)));
    let generator = line(&format!("heddle {}", designs[0].version));
    let mut lines = vec![("generator", generator)];
    match designs {
        [design] => lines.extend(fields(design)),
        _ => lines.push((
            "designs",
            list(designs.iter().map(|design| {
                let fields = fields(design).map(|(name, value)| format!("\"{name}\": {value}"));
                format!("{{{}}}", fields.join(", "))
            })),
        )),
    }
    lines.push(("hash", line(&sha256(&all))));
    if !beside.is_empty() {
        let hashes: Map<String, Value> = { beside.iter() }
            .map(|(name, text)| (name.clone(), sha256(text).into()))
            .collect();
        lines.push(("beside", line(&hashes)));
    }
    if let [design] = designs {
        lines.push(("ports", list(ports(design))));
    }
    lines.push(("memories", list(memories(designs).iter().map(line))));
    lines.push(("modules", list(modules)));
    let lines: Vec<String> = lines
        .into_iter()
        .map(|(name, value)| format!("  \"{name}\": {value}"))
        .collect();
    format!("{{\n{}\n}}\n", lines.join(",\n"))
}

/// What is said of a design.
fn fields(design: &Design) -> [(&'static str, String); 4] {
    let reset = ResetEntry {
        style: design.reset,
        level: design.reset_level,
    };
    [
        ("configuration", line(&design.configuration)),
        ("reset", line(&reset)),
        ("style", line(&design.style)),
        ("top", line(&design.top)),
    ]
}

fn ports(design: &Design) -> impl Iterator<Item = String> {
    design
        .modules
        .last()
        .into_iter()
        .flat_map(|top| top.ports.iter().map(line))
}

fn line(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("strings and numbers are valid JSON")
}

fn list(values: impl Iterator<Item = String>) -> String {
    let values: Vec<String> = values.map(|value| format!("    {value}")).collect();
    if values.is_empty() {
        return "[]".into();
    }
    format!("[\n{}\n  ]", values.join(",\n"))
}
