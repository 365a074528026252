//! Variants of one block side by side in one Verilog module: one build for all of them.
//!
//! The modules of each side have its name in front, so that a fault in one does not reach another.
//! The memory cells are replaced by those of the test.
pub mod bench;
pub mod faults;
pub mod write_port;

use crate::rtl::mutated;
use heddle_tb::verilate::Sources;

/// One variant.
#[derive(Clone)]
pub struct Side<O> {
    /// Its ports and modules begin with this.
    pub name: String,
    /// What is built.
    pub options: O,
    /// A fault planted in it: file prefix, text, replacement.
    pub mutant: Option<(String, &'static str, &'static str)>,
}

/// Port of a block: name, bits, output.
pub type Port = (&'static str, usize, bool);

/// What a side adds to the module of all sides.
pub struct Part {
    /// Its modules.
    pub files: Vec<(String, String)>,
    /// Name of the block.
    pub top: String,
    /// Ports of the module, each with a comma behind it.
    pub ports: String,
    /// Text of the module.
    pub body: String,
}

/// Sides with their Verilog.
pub struct Design<O> {
    /// The variants.
    pub sides: Vec<Side<O>>,
    /// One module with all of them.
    pub sources: Sources,
}

impl<O> Side<O> {
    /// A side without a fault.
    pub fn new(name: &str, options: O) -> Self {
        Self {
            name: name.into(),
            options,
            mutant: None,
        }
    }

    /// The modules of the side alone: those of `sources` with its fault, changed by `patch`, which
    /// gets name and text of a file, and with `cells` for the memory cells.
    pub fn part(
        &self,
        sources: &Sources,
        cells: &str,
        patch: impl Fn(&str, &str) -> String,
    ) -> Part {
        let own = |text: &str| text.replace("heddle_", &format!("{}_heddle_", self.name));
        let planted = self
            .mutant
            .as_ref()
            .map(|(module, from, to)| mutated(sources, module, from, to));
        let sources = planted.as_ref().unwrap_or(sources);
        let modules = sources.files.iter();
        let modules = modules.filter(|(file, _)| file != "heddle_ram_1r1w.v");
        let mut files = vec![(format!("{}_cells.sv", self.name), own(cells))];
        files.extend(modules.map(|(file, text)| (own(file), own(&patch(file, text)))));
        Part {
            files,
            top: own(&sources.top),
            ports: String::new(),
            body: String::new(),
        }
    }

    /// The same with all ports of the block and with counters of the cells, in a package of their
    /// own, as ports.
    pub fn part_with_ports(
        &self,
        sources: &Sources,
        cells: &str,
        ports: &[Port],
        (package, counters): (&str, &[&str]),
    ) -> Part {
        let name = &self.name;
        let mut part = self.part(sources, cells, |_, text| text.into());
        let mut pins = vec![".clk(clk)".to_string(), ".rst_n(rst_n)".to_string()];
        for (port, bits, output) in ports {
            let way = if *output { "output" } else { "input" };
            part.ports += &format!("  {way} wire [{bits}-1:0] {name}_{port},\n");
            pins.push(format!(".{port}({name}_{port})"));
        }
        for counter in counters {
            part.ports += &format!("  output wire [31:0] {name}_{counter},\n");
            part.body += &format!("  assign {name}_{counter} = {name}_{package}::{counter};\n");
        }
        part.body += &format!("  {} u_{name} ({});\n", part.top, pins.join(", "));
        part
    }
}

impl<O> Design<O> {
    /// All sides in a module called `top`; `shared` are ports of all of them, each with a comma
    /// behind it.
    pub fn new(
        sides: Vec<Side<O>>,
        top: &str,
        shared: &str,
        part: impl Fn(&Side<O>) -> Part,
    ) -> Self {
        let parts: Vec<Part> = sides.iter().map(part).collect();
        let ports: String = parts.iter().map(|part| part.ports.as_str()).collect();
        let body: String = parts.iter().map(|part| part.body.as_str()).collect();
        let mut files: Vec<_> = parts.into_iter().flat_map(|part| part.files).collect();
        let text = format!(
            "module {top} (\n{ports}{shared}  input wire clk,\n  input wire rst_n\n);\n{body}endmodule\n"
        );
        files.push((format!("{top}.sv"), text));
        let sources = Sources {
            files,
            top: top.into(),
            ports: Vec::new(),
        };
        Self { sides, sources }
    }

    /// Place of the named side.
    #[track_caller]
    pub fn index(&self, name: &str) -> usize {
        let found = self.sides.iter().position(|side| side.name == name);
        found.unwrap_or_else(|| panic!("no side {name}"))
    }
}
