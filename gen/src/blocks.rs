//! What the emitter takes over from a rust-hdl block tree.

use crate::ir::BlockId;
use heddle_kernel::Meta;
use rust_hdl_core::prelude::{AtomKind, Verilog, VerilogLiteral};

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
#[derive(Debug, Clone, PartialEq)]
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
