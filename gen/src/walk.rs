//! Walks a rust-hdl block tree and keeps each structurally different block once.

use crate::error::{EmitError, Fault};
use crate::ir::BlockId;
use heddle_hdl::prim::Meta;
use rust_hdl_core::prelude::*;
use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::fmt::Write;
use std::hash::Hasher;

/// Type of a signal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Type {
    /// Bits or a struct.
    Bits,
    /// Signed number.
    Signed,
    /// Clock.
    Clock,
    /// Enum with its variants, each as `Type$Variant`.
    Enum(Vec<String>),
}

/// A signal or constant of a block.
#[derive(Debug, Clone)]
pub struct Signal {
    /// Name with `$` between its parts.
    pub name: String,
    /// Direction.
    pub kind: AtomKind,
    /// Bits.
    pub width: usize,
    /// Type.
    pub ty: Type,
    /// Value of a constant.
    pub value: u128,
}

/// A structurally unique block.
#[derive(Debug)]
pub struct Block {
    /// Path of the first instance.
    pub path: String,
    /// Name, parameters, documentation.
    pub meta: Meta,
    /// Signals in order of declaration.
    pub signals: Vec<Signal>,
    /// Children in order of declaration.
    pub children: Vec<(String, BlockId)>,
    /// The kernel.
    pub kernel: Verilog,
}

/// All unique blocks of a tree, children before parents; the last one is the top.
pub fn walk(top: &dyn block::Block) -> Result<Vec<Block>, EmitError> {
    let mut walk = Walk::default();
    top.accept("top", &mut walk);
    match walk.error {
        Some(error) => Err(error),
        None => Ok(walk.blocks),
    }
}

#[derive(Default)]
struct Walk {
    stack: Vec<Frame>,
    blocks: Vec<Block>,
    known: HashMap<(u64, u64), BlockId>,
    error: Option<EmitError>,
}

struct Frame {
    name: String,
    namespaces: Vec<String>,
    signals: Vec<Signal>,
    children: Vec<(String, BlockId)>,
}

/// Two hashes of a text that is written piece by piece. 128 bits, so that equal hashes mean
/// equal texts for every practical purpose.
struct Digest(DefaultHasher, DefaultHasher);

impl Digest {
    fn new() -> Self {
        let mut second = DefaultHasher::new();
        second.write_u8(1);
        Self(DefaultHasher::new(), second)
    }
}

impl Write for Digest {
    fn write_str(&mut self, s: &str) -> std::fmt::Result {
        self.0.write(s.as_bytes());
        self.1.write(s.as_bytes());
        Ok(())
    }
}

impl Walk {
    fn path(&self) -> String {
        let names: Vec<_> = self.stack.iter().map(|f| readable(&f.name)).collect();
        names.join(".")
    }

    fn fail(&mut self, fault: Fault) {
        if self.error.is_none() {
            let path = self.path();
            self.error = Some(EmitError { path, fault });
        }
    }
}

/// `cell$3$x` as a person writes it: `cell[3].x`.
pub fn readable(name: &str) -> String {
    let mut out = String::new();
    for (i, piece) in name.split('$').enumerate() {
        if !piece.is_empty() && piece.bytes().all(|c| c.is_ascii_digit()) {
            out.push_str(&format!("[{piece}]"));
        } else {
            if i > 0 {
                out.push('.');
            }
            out.push_str(piece);
        }
    }
    out
}

fn classify(atom: &dyn Atom) -> Type {
    let descriptor = atom.descriptor();
    match descriptor.kind {
        TypeKind::Signed(_) => Type::Signed,
        TypeKind::Enum(names) => Type::Enum(names.iter().map(|n| n.replace("::", "$")).collect()),
        _ if descriptor.name == "clock" => Type::Clock,
        _ => Type::Bits,
    }
}

/// The value of a literal; rust-hdl shows it only as text (`8'hff`).
pub fn literal(literal: &VerilogLiteral) -> Option<u128> {
    let text = format!("{literal:x}");
    let (width, digits) = text.split_once("'h")?;
    match digits.strip_prefix('-') {
        None => u128::from_str_radix(digits, 16).ok(),
        Some(digits) => {
            let value = u128::from_str_radix(digits, 16).ok()?;
            let width: usize = width.parse().ok()?;
            Some(value.wrapping_neg() & crate::expr::mask(width))
        }
    }
}

impl Probe for Walk {
    fn visit_start_scope(&mut self, name: &str, _: &dyn block::Block) {
        self.stack.push(Frame {
            name: name.into(),
            namespaces: Vec::new(),
            signals: Vec::new(),
            children: Vec::new(),
        });
    }

    fn visit_start_namespace(&mut self, name: &str, _: &dyn block::Block) {
        if let Some(frame) = self.stack.last_mut() {
            frame.namespaces.push(name.into());
        }
    }

    fn visit_end_namespace(&mut self, _: &str, _: &dyn block::Block) {
        if let Some(frame) = self.stack.last_mut() {
            frame.namespaces.pop();
        }
    }

    fn visit_atom(&mut self, name: &str, atom: &dyn Atom) {
        let Some(frame) = self.stack.last_mut() else {
            return;
        };
        let mut full = frame.namespaces.join("$");
        if !full.is_empty() {
            full.push('$');
        }
        full.push_str(name);
        let constant = atom.kind() == AtomKind::Constant;
        let value = if constant {
            literal(&atom.verilog())
        } else {
            Some(0)
        };
        let signal = Signal {
            name: full,
            kind: atom.kind(),
            width: atom.bits(),
            ty: classify(atom),
            value: value.unwrap_or(0),
        };
        let name = readable(&signal.name);
        frame.signals.push(signal);
        if value.is_none() {
            self.fail(Fault::Unsupported(format!(
                "constant {name} above 128 bits"
            )));
        }
    }

    fn visit_end_scope(&mut self, _: &str, node: &dyn block::Block) {
        let Some(meta) = Meta::from_timing(&node.timing()) else {
            self.fail(Fault::NoMeta);
            self.stack.pop();
            return;
        };
        let path = self.path();
        let Some(frame) = self.stack.pop() else {
            return;
        };
        let kernel = node.hdl();
        let mut digest = Digest::new();
        let written = write!(
            digest,
            "{:?}|{}|{}|{:?}|{:?}|",
            meta.kind, meta.name, meta.item, meta.params, meta.attributes
        )
        .and_then(|()| write!(digest, "{:?}|{:?}|", frame.signals, frame.children))
        .and_then(|()| write!(digest, "{kernel:?}"));
        written.expect("a hasher takes every text");
        let key = (digest.0.finish(), digest.1.finish());
        let id = *self.known.entry(key).or_insert_with(|| {
            self.blocks.push(Block {
                path,
                meta,
                signals: frame.signals,
                children: frame.children,
                kernel,
            });
            self.blocks.len() - 1
        });
        if let Some(parent) = self.stack.last_mut() {
            parent.children.push((frame.name, id));
        }
    }
}
