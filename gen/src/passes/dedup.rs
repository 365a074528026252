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
    seen: Vec<Seen>,
    error: Option<EmitError>,
}

struct Frame {
    name: String,
    namespaces: Vec<String>,
    signals: Vec<Signal>,
    children: Vec<(String, BlockId)>,
}

impl Frame {
    fn is_like(&self, other: &Self) -> bool {
        self.signals == other.signals && self.children == other.children
    }
}

/// What a block tells and holds: its kernel depends on nothing else and need not be made again.
struct Seen {
    meta: Meta,
    frame: Frame,
    id: BlockId,
}

impl Walk {
    /// The block of a frame that has not been seen. A kernel may need less than its module tells, so it can be known.
    fn see(&mut self, told: Meta, frame: Frame, path: String, kernel: Verilog) -> BlockId {
        let mut meta = told.clone();
        meta.attributes.retain(|(name, _)| !name.starts_with('_'));
        let text = format!("{kernel:?}");
        let known = self.blocks.iter().position(|block| {
            block.signals == frame.signals
                && block.children == frame.children
                && block.meta == meta
                && format!("{:?}", block.kernel) == text
        });
        let id = known.unwrap_or(self.blocks.len());
        if known.is_none() {
            self.blocks.push(Block {
                path,
                meta,
                signals: frame.signals.clone(),
                children: frame.children.clone(),
                kernel,
            });
        }
        self.seen.push(Seen {
            meta: told,
            frame,
            id,
        });
        id
    }

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
        let name = value.is_none().then(|| readable(&signal.name));
        frame.signals.push(signal);
        if let Some(name) = name {
            self.fail(Fault::Unsupported(format!(
                "constant {name} above 128 bits"
            )));
        }
    }

    fn visit_end_scope(&mut self, _: &str, node: &dyn block::Block) {
        let Some(meta) = Meta::from_timing(node.timing()) else {
            self.fail(Fault::NoMeta);
            self.stack.pop();
            return;
        };
        // Neighbours are mostly equal: what was seen last comes first.
        let known = self.stack.last().and_then(|frame| {
            let seen = |seen: &&Seen| seen.frame.is_like(frame) && seen.meta == meta;
            self.seen.iter().rev().find(seen).map(|seen| seen.id)
        });
        let path = known.map_or_else(|| self.path(), |_| String::new());
        let Some(mut frame) = self.stack.pop() else {
            return;
        };
        let name = std::mem::take(&mut frame.name);
        let id = known.unwrap_or_else(|| self.see(meta, frame, path, node.hdl()));
        debug_assert_eq!(
            format!("{:?}", self.blocks[id].kernel),
            format!("{:?}", node.hdl()),
            "the kernel of {} depends on what the module does not tell",
            self.blocks[id].path
        );
        if let Some(parent) = self.stack.last_mut() {
            parent.children.push((name, id));
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
