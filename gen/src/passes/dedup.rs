//! De-duplication: walks a rust-hdl block tree and keeps each structurally different block once.
//!
//! Two blocks are one if name, parameters, signals, children and kernel are equal. Children come
//! before their parents, so later passes find the results for a child when they meet its parent,
//! and the number of modules does not depend on the size of an array.

use crate::blocks::{Block, Signal, Type, literal, readable};
use crate::error::{EmitError, Fault};
use crate::ir::BlockId;
use heddle_kernel::Meta;
use rust_hdl_core::prelude::*;
use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::fmt::Write;
use std::hash::Hasher;

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

fn classify(atom: &dyn Atom) -> Type {
    let descriptor = atom.descriptor();
    match descriptor.kind {
        TypeKind::Signed(_) => Type::Signed,
        TypeKind::Enum(names) => Type::Enum(names.iter().map(|n| n.replace("::", "$")).collect()),
        _ if descriptor.name == "clock" => Type::Clock,
        _ => Type::Bits,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{Leaf, Tree};

    #[test]
    fn equal_children_are_one_block_that_comes_before_its_parent() {
        let blocks = walk(&Tree::default()).expect("legal");
        let names: Vec<&str> = blocks.iter().map(|b| b.meta.name.as_str()).collect();
        assert_eq!(names, ["leaf", "delay", "tree"]);
        let ids: Vec<BlockId> = blocks[2].children.iter().map(|(_, id)| *id).collect();
        assert_eq!(ids, [0, 0, 0, 1]);
        assert_eq!(blocks[0].path, "top.leaf[0]");
    }

    #[test]
    fn signals_keep_name_width_and_type() {
        let blocks = walk(&Leaf::default()).expect("legal");
        let signals: Vec<_> = blocks[0]
            .signals
            .iter()
            .map(|s| (&*s.name, s.width))
            .collect();
        assert_eq!(signals, [("x_i", 8), ("y_o", 8)]);
        assert_eq!(blocks[0].signals[0].ty, Type::Bits);
    }
}
