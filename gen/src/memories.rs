//! The memory cells, and the memories of a design as data.

use crate::design::{Design, Module};
use serde::Serialize;
use std::collections::BTreeMap;

/// Names of the memory cells and their texts, the files that users replace by their own.
pub const CELLS: [(&str, &str); 3] = [
    (
        "heddle_ram_1r1w",
        include_str!("memories/heddle_ram_1r1w.v"),
    ),
    ("heddle_ram_1rw", include_str!("memories/heddle_ram_1rw.v")),
    (
        "heddle_ram_1r1w_lanes",
        include_str!("memories/heddle_ram_1r1w_lanes.v"),
    ),
];

/// The text of a cell with its contracts, for simulators that define HEDDLE_ASSERT.
pub fn with_contracts(text: &str) -> String {
    let one_port = text.contains("  input  wire                en_i,");
    let (read, to, from) = match one_port {
        true => ("(en_i && !wen_i)", "addr_i", "addr_i"),
        false => ("ren_i", "waddr_i", "raddr_i"),
    };
    let write = if one_port {
        "(en_i && wen_i)"
    } else {
        "(|wen_i)"
    };
    let enables = if one_port {
        "en_i ^ (en_i & wen_i)"
    } else {
        "(^wen_i) ^ ren_i"
    };
    let beyond = |address: &str| format!("{{{{(32-AddrBits){{1'b0}}}}, {address}}} >= Depth");
    let mut rules = vec![
        (format!("({enables}) === 1'bx"), "an enable is X"),
        (
            format!("{write} === 1'b1 && (^{to}) === 1'bx"),
            "the address of a write is X",
        ),
        (
            format!("{read} === 1'b1 && (^{from}) === 1'bx"),
            "the address of a read is X",
        ),
        (
            format!("{write} === 1'b1 && {}", beyond(to)),
            "a write beyond the depth",
        ),
        (
            format!("{read} === 1'b1 && {}", beyond(from)),
            "a read beyond the depth",
        ),
    ];
    if !one_port {
        let meets = format!("{write} === 1'b1 && {read} === 1'b1 && {to} === {from}");
        rules.push((meets, "a word is read while it is written"));
    }
    let mut checks = String::new();
    for (condition, what) in rules {
        checks += &format!(
            "    if (clocks[2] && {condition}) begin\n      $display(\"heddle: %m: {what}\");\n      $stop;\n    end\n"
        );
    }
    let (head, tail) = text.split_once("\nendmodule").expect("a module");
    format!(
        "{head}\n`ifdef HEDDLE_ASSERT\n  // A reset may take some clocks to arrive.\n  reg [2:0] clocks;\n  initial clocks = 3'd0;\n  \
         always @(posedge clk) begin\n    if (!clocks[2]) clocks <= clocks + 3'd1;\n{checks}  end\n`endif\n\nendmodule{tail}"
    )
}

/// The cell of a primitive that is a memory.
pub fn cell(primitive: &str) -> Option<&'static str> {
    let mut names = CELLS.iter().map(|(name, _)| *name);
    names.find(|name| name.strip_prefix("heddle_") == Some(primitive))
}

/// When a memory is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Written {
    /// By the host, while no program runs.
    AtRest,
    /// While a program runs too.
    DuringRuns,
}

/// What the cells of a memory must be.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Shape {
    /// Name of the cell.
    pub cell: &'static str,
    /// Bits of a word.
    pub width: u64,
    /// Words.
    pub depth: u64,
    /// Parts of a word that are written one by one.
    pub lanes: u64,
    /// `rdata_o` keeps its word while nothing is read.
    pub hold: bool,
    /// When it is written.
    pub written: Written,
}

/// An instance in a module, or an array of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    /// Name of the module or cell.
    pub module: String,
    /// Path in the module that holds it; `[*]` stands for the index of a loop.
    pub path: String,
    /// Number of instances.
    pub count: u64,
    /// What it is, if it is a memory.
    pub memory: Option<Shape>,
}

/// A memory of a module, with all its instances.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Memory {
    /// Parameter `Key` of its instances.
    pub key: String,
    /// What its cells must be.
    #[serde(flatten)]
    pub shape: Shape,
    /// Number of instances.
    pub instances: u64,
    /// Where they are, from the top on; `[*]` stands for any index.
    pub paths: Vec<String>,
}

/// The memories of some designs, in the order of their modules.
pub fn memories(designs: &[&Design]) -> Vec<Memory> {
    let mut found: Vec<Memory> = Vec::new();
    for design in designs {
        let mut places = BTreeMap::new();
        let top = design.top_module();
        places.insert(top.name.as_str(), vec![(top.name.clone(), 1)]);
        // Parents come behind their children.
        for module in design.modules.iter().rev() {
            let own = places
                .get(module.name.as_str())
                .cloned()
                .unwrap_or_default();
            for instance in &module.instances {
                let below = own.iter().map(|(path, count)| {
                    (format!("{path}.{}", instance.path), count * instance.count)
                });
                match &instance.memory {
                    None => {
                        let name = instance.module.as_str();
                        places.entry(name).or_default().extend(below);
                    }
                    Some(shape) => add(&mut found, module, instance, shape, below.collect()),
                }
            }
        }
    }
    found.sort_by(|a, b| a.key.cmp(&b.key));
    found
}

fn add(
    found: &mut Vec<Memory>,
    module: &Module,
    instance: &Instance,
    shape: &Shape,
    places: Vec<(String, u64)>,
) {
    let name = instance.path.rsplit('.').next().unwrap_or_default();
    let key = format!("{}_{name}", module.name);
    let count: u64 = places.iter().map(|(_, count)| count).sum();
    let paths = places.into_iter().map(|(path, _)| path);
    match found.iter_mut().find(|memory| memory.key == key) {
        Some(memory) => {
            memory.instances += count;
            memory.paths.extend(paths);
        }
        None => found.push(Memory {
            key,
            shape: shape.clone(),
            instances: count,
            paths: paths.collect(),
        }),
    }
}
