//! The printed design and its files.

use crate::manifest;
use crate::memories::{CELLS, Instance, memories, with_contracts};
use crate::passes::naming::is_same;
use crate::stub;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;

/// How registers are reset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Reset {
    /// At a clock edge.
    #[default]
    Sync,
    /// At once.
    Async,
}

/// Level of the reset signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ResetLevel {
    /// Active low, the port is called `rst_n`.
    #[default]
    Low,
    /// Active high, the port is called `rst`.
    High,
}

/// How grids of cells are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TextStyle {
    /// A module per kind of cell, instances in generate loops.
    #[default]
    Structural,
    /// One module with loops in processes for each grid, which simulators compile fast at any size.
    Loops,
}

/// What the text depends on besides the block tree.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EmitOptions {
    /// Name of the configuration, for the headers.
    pub configuration: String,
    /// Version of the tool, for the headers.
    pub version: String,
    /// How registers are reset.
    pub reset: Reset,
    /// Level of the reset signal.
    pub reset_level: ResetLevel,
    /// Print every element of an array on its own instead of loops.
    pub unrolled: bool,
    /// How grids of cells are printed.
    pub style: TextStyle,
    /// Unit and precision of time, for simulators that ask for one: `1ns/1ps`.
    pub timescale: Option<String>,
    /// Memories that are written at rest only have one port.
    pub one_port: bool,
    /// Print contracts, for simulators that define HEDDLE_ASSERT.
    pub contracts: bool,
    /// Stands in front of all names but those of memory cells: two versions may be in one project.
    pub prefix: String,
}

impl EmitOptions {
    /// End of the names of tops: one project may hold designs of different resets.
    pub fn suffix(&self) -> &'static str {
        match (self.reset, self.reset_level) {
            (Reset::Sync, ResetLevel::Low) => "",
            (Reset::Async, ResetLevel::Low) => "_ar",
            (Reset::Sync, ResetLevel::High) => "_rh",
            (Reset::Async, ResetLevel::High) => "_arh",
        }
    }
}

/// Direction of a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Into the module.
    Input,
    /// Out of the module.
    Output,
}

/// A port of a printed module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Port {
    /// Name.
    pub name: String,
    /// Bits of all elements together.
    pub width: usize,
    /// Direction.
    pub direction: Direction,
    /// Sizes of the array, outermost first; empty for a scalar. Element 0 is in the low bits.
    pub elements: Vec<usize>,
    /// Meaning.
    pub doc: String,
}

/// A printed module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Module {
    /// Module name; the file is called `<name>.v`.
    pub name: String,
    /// Verilog text.
    pub text: String,
    /// Ports in order.
    pub ports: Vec<Port>,
    /// Parameters with their values, fixed when generated.
    pub parameters: Vec<(String, u64)>,
    /// Source file and Rust item.
    pub source: String,
    /// Modules and cells inside, in the order of the text.
    pub instances: Vec<Instance>,
}

impl Module {
    /// Names of the modules and cells inside, sorted.
    pub fn children(&self) -> BTreeSet<&str> {
        let instances = self.instances.iter();
        instances.map(|instance| instance.module.as_str()).collect()
    }
}

/// A printed design.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Design {
    /// Name of the top module.
    pub top: String,
    /// Modules, leaves first.
    pub modules: Vec<Module>,
    /// Version of the tool.
    pub version: String,
    /// Configuration name.
    pub configuration: String,
    /// How registers are reset.
    pub reset: Reset,
    /// Level of the reset signal.
    pub reset_level: ResetLevel,
    /// How grids of cells are printed.
    pub style: TextStyle,
    /// With contracts, for simulators that define HEDDLE_ASSERT.
    pub contracts: bool,
    /// Unit and precision of time.
    pub timescale: Option<String>,
}

/// SHA-256 of a text in hexadecimal digits.
pub fn sha256(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Design {
    /// The module called `name`.
    pub fn module(&self, name: &str) -> Option<&Module> {
        self.modules.iter().find(|m| m.name == name)
    }

    /// The top module.
    pub fn top_module(&self) -> &Module {
        self.modules.last().expect("a design has a top module")
    }

    /// What stands above each file.
    fn head(&self) -> String {
        let scale = self.timescale.as_ref();
        scale.map_or(String::new(), |scale| format!("`timescale {scale}\n\n"))
    }

    /// Verilog files with their contents, leaves first.
    pub fn verilog(&self) -> Vec<(String, String)> {
        let mut out = Vec::new();
        let head = self.head();
        for (name, text) in CELLS {
            if self.modules.iter().any(|m| m.children().contains(name)) {
                let text = match self.contracts {
                    true => with_contracts(text),
                    false => text.into(),
                };
                out.push((format!("{name}.v"), format!("{head}{text}")));
            }
        }
        let file = |m: &Module| (format!("{}.v", m.name), format!("{head}{}", m.text));
        out.extend(self.modules.iter().map(file));
        out
    }

    /// All files with their contents: Verilog, `filelist.f`, `manifest.json`.
    pub fn files(&self) -> Vec<(String, String)> {
        with_lists(&[self], self.verilog(), &[])
    }
}

/// All files of some designs, what they share once, with what else belongs into the folder: names and texts of `beside`.
///
/// # Errors
/// The name of a file that would have two texts.
pub fn files(
    designs: &[&Design],
    beside: &[(String, String)],
) -> Result<Vec<(String, String)>, String> {
    let mut out: Vec<(String, String)> = Vec::new();
    for (name, text) in designs.iter().flat_map(|design| design.verilog()) {
        match out.iter().find(|(other, _)| *other == name) {
            None => out.push((name, text)),
            Some((_, other)) if is_same(other, &text) => {}
            Some(_) => return Err(name),
        }
    }
    Ok(with_lists(designs, out, beside))
}

fn with_lists(
    designs: &[&Design],
    mut out: Vec<(String, String)>,
    beside: &[(String, String)],
) -> Vec<(String, String)> {
    let list: String = out.iter().map(|(name, _)| format!("{name}\n")).collect();
    let manifest = manifest::text(designs, &out, beside);
    let memories = memories(designs);
    if !memories.is_empty() {
        let tops: Vec<&str> = designs.iter().map(|design| design.top.as_str()).collect();
        let text = stub::text(&memories, &tops, &designs[0].version);
        out.push(("ram_stub.v".into(), designs[0].head() + &text));
    }
    out.extend_from_slice(beside);
    out.push(("filelist.f".into(), list));
    out.push(("manifest.json".into(), manifest));
    out
}
