//! What a block tells the emitter about itself.
//!
//! `Logic::timing()` is the one string channel that every block has and that neither the
//! simulation nor the checks of rust-hdl read; [`Meta`] is the value that travels through it.

use super::doc::SourceDoc;
use rust_hdl_core::prelude::*;

/// Attribute of a grid of cells.
const GRID: &str = "grid";
/// Attribute of a top.
const TOP: &str = "top";
/// Attribute of a top on an AXI bus.
const AXI: &str = "axi";

/// How the emitter treats a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BlockKind {
    /// A module of its own.
    Module,
    /// A primitive that the emitter prints by its name.
    Prim,
}

/// A parameter of a module, fixed when the Verilog is generated.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Param {
    /// Name as kernels use it: `cols` stands for the texts `cols` and `_cols`.
    pub name: String,
    /// Letters in front of the value in the module name; empty: not part of the name.
    pub flag: String,
    /// Value.
    pub value: u64,
    /// Meaning and unit, one line; empty for a value that only kernels need.
    pub doc: String,
}

/// Name, parameters and documentation of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meta {
    /// Module or primitive.
    pub kind: BlockKind,
    /// Name without the `heddle_` prefix.
    pub name: String,
    /// Parameters in the order of the module name.
    pub params: Vec<Param>,
    /// Text attributes: initial value of a primitive, grid of cells.
    pub attributes: Vec<(String, String)>,
    /// Documentation, one entry per line.
    pub doc: Vec<String>,
    /// Numbers in the documentation, by the names that it has for them.
    pub numbers: Vec<(String, usize)>,
    /// Meaning of ports and private fields, by Rust field name.
    pub fields: Vec<(String, String)>,
    /// Source file from the root of the repository.
    pub source: String,
    /// Rust type without its path and generics.
    pub item: String,
}

impl Param {
    /// Is the parameter shown to readers of the module?
    pub fn is_shown(&self) -> bool {
        !self.doc.is_empty()
    }
}

impl Meta {
    /// A module called `heddle_<name>` plus its parameters.
    pub fn module(name: impl Into<String>) -> Self {
        Self {
            kind: BlockKind::Module,
            name: name.into(),
            params: Vec::new(),
            attributes: Vec::new(),
            doc: Vec::new(),
            numbers: Vec::new(),
            fields: Vec::new(),
            source: String::new(),
            item: String::new(),
        }
    }

    /// A primitive that the emitter knows by `name`.
    pub fn prim(name: impl Into<String>) -> Self {
        Self {
            kind: BlockKind::Prim,
            ..Self::module(name)
        }
    }

    /// Adds a parameter that is part of the module name as `_<flag><value>`.
    pub fn param(mut self, name: &str, flag: &str, value: usize, doc: &str) -> Self {
        self.params.push(Param {
            name: name.into(),
            flag: flag.into(),
            value: value as u64,
            doc: doc.into(),
        });
        self
    }

    /// Adds a parameter that is not part of the module name, for kernels and the header.
    pub fn hidden(self, name: &str, value: usize, doc: &str) -> Self {
        self.param(name, "", value, doc)
    }

    /// Adds an option: part of the module name only where it is not 0.
    pub fn option(self, name: &str, flag: &str, value: usize, doc: &str) -> Self {
        self.choice(name, flag, value, 0, doc)
    }

    /// Adds a parameter that is part of the module name only where it is not `usual`.
    pub fn choice(self, name: &str, flag: &str, value: usize, usual: usize, doc: &str) -> Self {
        if value == usual {
            return self.hidden(name, value, doc);
        }
        self.param(name, flag, value, doc)
    }

    /// Adds an option that leaves no trace in the text where it is 0.
    pub fn feature(self, name: &str, flag: &str, value: usize, doc: &str) -> Self {
        match value {
            0 => self,
            _ => self.param(name, flag, value, doc),
        }
    }

    /// Adds a named text.
    pub fn attribute(mut self, name: &str, value: impl Into<String>) -> Self {
        self.attributes.push((name.into(), value.into()));
        self
    }

    /// Makes the module a grid of cells: what it holds has registers and logic but no memories, and
    /// may be printed as one module with loops.
    pub fn grid(self) -> Self {
        self.attribute(GRID, "")
    }

    /// Makes the module a top, which users name.
    pub fn top(self) -> Self {
        self.attribute(TOP, "")
    }

    /// Gives clock and reset the names that they have on an AXI bus: aclk and aresetn.
    pub fn axi(self) -> Self {
        self.attribute(AXI, "")
    }

    /// Has the module clock and reset of an AXI bus?
    pub fn is_axi(&self) -> bool {
        self.get_attribute(AXI).is_some()
    }

    /// Is the module a top?
    pub fn is_top(&self) -> bool {
        self.get_attribute(TOP).is_some()
    }

    /// Is the module a grid of cells?
    pub fn is_grid(&self) -> bool {
        self.get_attribute(GRID).is_some()
    }

    /// Another name.
    pub fn named(self, name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..self
        }
    }

    /// Adds a line to the header, after the doc comment of the struct.
    pub fn doc(mut self, line: impl Into<String>) -> Self {
        self.doc.push(line.into());
        self
    }

    /// Adds a line to the header if the condition holds.
    pub fn doc_if(self, condition: bool, line: &str) -> Self {
        match condition {
            true => self.doc(line),
            false => self,
        }
    }

    /// Puts a number in place of its name in braces, `{name}`, wherever the doc comment of the struct has it.
    pub fn number(mut self, name: &str, value: usize) -> Self {
        self.numbers.push((name.into(), value));
        self
    }

    /// Gives the meaning of a port; wins over the doc comment of the field.
    pub fn port(mut self, name: &str, doc: impl Into<String>) -> Self {
        self.fields.push((name.into(), doc.into()));
        self
    }

    /// Adds what the source file says; called by `module!`.
    ///
    /// # Panics
    /// If it has no place for a number.
    pub fn with_source(mut self, doc: &SourceDoc) -> Self {
        let mut lines = doc.lines.clone();
        if !lines.is_empty() && !self.doc.is_empty() {
            lines.push(String::new());
        }
        lines.append(&mut self.doc);
        for (name, value) in std::mem::take(&mut self.numbers) {
            let place = format!("{{{name}}}");
            let found = lines.iter().any(|line| line.contains(&place));
            assert!(found, "{}: the description has no {place}", doc.item);
            for line in &mut lines {
                *line = line.replace(&place, &value.to_string());
            }
        }
        self.doc = lines;
        for (name, text) in &doc.fields {
            if !self.fields.iter().any(|(n, _)| n == name) {
                self.fields.push((name.clone(), text.clone()));
            }
        }
        self.source = doc.file.clone();
        self.item = doc.item.clone();
        self
    }

    /// Value of a text attribute.
    pub fn get_attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(n, _)| n == name)?;
        Some(found.1.as_str())
    }

    /// Value of a parameter.
    pub fn get_param(&self, name: &str) -> Option<u64> {
        let found = self.params.iter().find(|p| p.name == name)?;
        Some(found.value)
    }

    /// Packs the value into what `Logic::timing()` returns.
    pub fn into_timing(self) -> Vec<TimingInfo> {
        let kind = match self.kind {
            BlockKind::Module => "@module",
            BlockKind::Prim => "@prim",
        };
        let entry =
            |name: &str, clock: String, inputs: Vec<String>, outputs: Vec<String>| TimingInfo {
                name: name.into(),
                clock,
                inputs,
                outputs,
            };
        let params = self
            .params
            .iter()
            .map(|p| format!("{}|{}|{}|{}", p.name, p.flag, p.value, p.doc))
            .collect();
        let (names, values) = self.attributes.into_iter().unzip();
        let (fields, texts) = self.fields.into_iter().unzip();
        vec![
            entry(kind, self.name, params, self.doc),
            entry("@attributes", String::new(), names, values),
            entry("@fields", String::new(), fields, texts),
            entry("@source", self.source, vec![self.item], vec![]),
        ]
    }

    /// Unpacks what `Logic::timing()` returned; `None` if the block says nothing.
    pub fn from_timing(info: Vec<TimingInfo>) -> Option<Self> {
        let [head, attributes, fields, source] = info.try_into().ok()?;
        let kind = match head.name.as_str() {
            "@module" => BlockKind::Module,
            "@prim" => BlockKind::Prim,
            _ => return None,
        };
        let mut params = Vec::new();
        for text in &head.inputs {
            let mut part = text.splitn(4, '|');
            params.push(Param {
                name: part.next()?.into(),
                flag: part.next()?.into(),
                value: part.next()?.parse().ok()?,
                doc: part.next()?.into(),
            });
        }
        let pairs = |t: TimingInfo| t.inputs.into_iter().zip(t.outputs).collect();
        Some(Self {
            kind,
            name: head.clock,
            params,
            attributes: pairs(attributes),
            doc: head.outputs,
            numbers: Vec::new(),
            fields: pairs(fields),
            source: source.clock,
            item: source.inputs.into_iter().next()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn survives_the_way_through_timing() {
        let meta = Meta::module("pe_row")
            .param("cols", "c", 8, "cells | one per column")
            .hidden("depth", 3, "")
            .attribute("init", "8'h5")
            .doc("One row.")
            .port("x_i", "operand");
        assert_eq!(Meta::from_timing(meta.clone().into_timing()), Some(meta));
    }

    #[test]
    fn other_timing_is_no_meta() {
        assert_eq!(Meta::from_timing(Vec::new()), None);
    }
}
