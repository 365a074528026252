//! Prints a rust-hdl block tree as Verilog-2005.
//!
//! The crate turns values into values: it opens no files, and equal blocks give equal bytes.
//! It never guesses: a name, a width or a driver that is not certain is an [`EmitError`] with
//! the path of the block. Start reading at [`emit()`], which lists the passes in order.
//!
//! # Intermediate representation (`ir`)
//!
//! One `Netlist` per structurally different block, then one `Module` made from it:
//!
//! - A `Net` is a packed vector of equal elements, element 0 in the low bits; scalars have one.
//!   Its `NetKind` tells port, local signal, port of a child, register or wire. One element of a
//!   net, a cell, is the unit of all analysis.
//! - An `Expr` is a bit vector of known width without a sign. Operators that read their operands
//!   as signed numbers are operators of their own, and operands already have the width they are
//!   used at, so printing never thinks about Verilog's context rules.
//! - A `Stmt` assigns bits of a net or chooses between lists of statements. In a netlist the list
//!   is a sequence in which a later assignment wins, without loops.
//! - An `Item` is a thing in a module text: `assign`, instance, process, generate loop. Items
//!   have no order of execution.
//! - An `Index` is a bit position; only the last passes put loop variables into it.
//!
//! # Passes (`passes`)
//!
//! 1. `dedup` keeps each structurally different block once; `naming` names the modules by their texts, children first.
//! 2. `pack` makes nets of signals and of the ports of children.
//! 3. `unroll` turns the kernel into statements, with `widths` for the exact width of every
//!    expression and `fold` for everything constant.
//! 4. `legality` refuses latches, undriven signals, second drivers and combinational loops.
//! 5. `schedule` decides between `assign`, `always @*` and next value of a register.
//! 6. `scatter` and `forward` make nets of elements that feed each other, without the copies among them;
//!    `connect` moves values into the ports of instances and drops copies.
//! 7. `naming::values` gives nets to values that Verilog cannot select from, and to fields of words.
//! 8. `registers` makes clocked processes of registers.
//! 9. `generate` makes loops of what repeats and puts the items in order.
//! 10. `unused` names bits that nothing reads, `polarity` turns the reset active high.
//! 11. `grid`, in loop style only, makes one module of a grid of cells.
//! 12. `print` writes the text with its header.
//!
//! Each pass has its own tests at the end of its file; `tests/` has whole modules against golden
//! files, blocks that must be refused, and the printed text in other tools.

mod blocks;
mod cells;
mod design;
mod emit;
mod error;
mod expr;
mod interfaces;
mod ir;
mod manifest;
mod memories;
mod package;
mod passes;
mod path;
mod print;
#[cfg(test)]
mod samples;
mod stub;
mod table;

pub use design::{
    Design, Direction, EmitOptions, Module, Port, Reset, ResetLevel, TextStyle, files, sha256,
};
pub use emit::emit;
pub use error::{EmitError, Fault};
pub use interfaces::{Interface, interfaces};
pub use memories::{CELLS, Instance, Memory, Shape, Written, memories, with_contracts};
pub use package::core;
pub use passes::naming::flat as port_name;
