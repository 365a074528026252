//! What a hardware module is made of: registers, memory, multiplier, bundles, and the macros that
//! turn a struct and a function into a module.
//!
//! # Modules
//!
//! `#[module]` makes a struct a hardware module. It adds the ports `clk` and `rst_n` (not with the
//! word `combinational`, only `clk` with `no_reset`), builds the module, passes clock and reset on
//! to its parts, and hands its doc comments to the emitter.
//!
//! | field | means |
//! |---|---|
//! | `x_i: Signal<In, Bits<8>>` | a port; `Signal<Out, _>` and `Signal<Local, _>` likewise |
//! | `x: [Signal<In, Bit>; n]` | an array; `n` may be a parameter or any expression of parameters |
//! | `_n: usize` | a parameter, called `n` where the module is built and in lengths |
//! | `#[new(n / 2)] _half: usize` | a parameter that follows from others |
//! | `_n: Param<'n'>` | a parameter in the name of the module: `_n4`; its doc comment is in the header |
//! | `_taps: Optional<'t'>`, `Feature<'t'>`, `Hidden` | in the name unless 0; no trace at all if 0; never in the name |
//! | `_bits: Generic<'a', A>` | a generic constant, told as a parameter |
//! | `x: Reg<Bits<8>>`, `RegEn`, `RegData`, `Delay` | a register: with reset, and enable, enable alone, neither |
//! | `pub x: OutReg<Bits<8>>`, `OutRegEn`, ... | a register `x` and a port `x_o` that shows it |
//! | `#[argument] _bytes: usize` | an argument of the constructor that the module does not keep |
//! | `#[new(Row::new(n))] row: [Row; 3]` | parts that take parameters |
//! | `#[own_reset] engine: Top` | a part whose `rst_n` the kernel drives |
//! | `op: Wave<OperandSlot>` | a bundle on its way: ports `op_i` and `op_o`, a register `op` |
//!
//! Parameters without `#[new]` are the arguments of `new`, with `shape: Shape` the fields of that one
//! argument; a module without any has `Default`. With the word `build` the constructor is private and
//! called `build`, for a `new` of one's own. The name of the module is that of the struct, or
//! `name = "..."`. With `describe`, `fn describe(&self, meta: Meta) -> Meta` adds to what is told.
//!
//! # Kernels
//!
//! `update` in a `#[kernel] impl` says what the module does in a clock: `self.y_o = self.x_i + 1`, `if`,
//! `match`, `for`, with the types and operators of rust-hdl. A register is read and driven by its name
//! alone; `self.r = self.r` keeps its value. What reads no signal is Rust, run when the module is
//! emitted: ranges and indices, conditions on parameters, constants. `let` names a value without a net
//! of its own. Other functions of the `impl` are parts of `update`. Statements of their own are:
//!
//! | statement | means |
//! |---|---|
//! | `self.y = mux(condition, a, b)` | `a` or `b`; with a condition on parameters the other is not read at all |
//! | `field!(word, F)`, `flag!(word, F)` | in an expression: the bits of a field `F` with `lsb`, `width` and `doc`, or its only bit; the Verilog calls those of `matmul::REPEATED` `matmul_repeated` |
//! | `self.y.follow(&self.x)` | drives `y`, or the input of register `y`, with `x` |
//! | `self.y.tie_low()` | drives `y` with zeros |
//! | `self.r.load(enable, value)` | enable and input of a register |
//! | `self.r.shift_in(value)` | moves an array of registers on by one element |
//! | `self.events()` | a part of `update`: `fn events(&mut self)` |
//! | `self.op.pass_on()` | a wave: the register takes the input, the output shows the register |
//! | `self.op.pass_on(rows = left)` | the same, but the register of member `rows` takes `left` |
//!
//! Ports of output registers (`OutReg`) show their registers without a statement.
//!
//! # Bundles
//!
//! `#[bundle] struct Slot { #[reset] valid: Bit, addr: Bits<16> }` makes `Slot<D>`, the signals of
//! direction `D`, and `SlotReg`, their registers, of which `valid` has a reset. A port of a bundle
//! is called by field and member, direction last: member `valid` of `op_i` is `op_valid_i`. The words `wave` and
//! `ports` at the end of a field's name are left out: member `valid` of `wave_i` is `valid_i`.
//!
//! ```
//! use heddle_kernel::prelude::*;
//!
//! /// Inverts a bus.
//! #[module(combinational)]
//! pub struct Inverter<const N: usize> {
//!     /// Operand.
//!     pub x_i: Signal<In, Bits<N>>,
//!     /// Operand with every bit inverted.
//!     pub y_o: Signal<Out, Bits<N>>,
//!     /// Bits of an operand.
//!     _width: Generic<'w', N>,
//! }
//!
//! #[kernel]
//! impl<const N: usize> Inverter<N> {
//!     fn update(&mut self) {
//!         self.y_o = !self.x_i;
//!     }
//! }
//! ```
//!
//! # Primitives
//!
//! A primitive is a rust-hdl block with a hand-written model. The emitter knows each by the
//! name in its [`Meta`] and prints it inside the module that uses it (`always`, `assign`), or
//! as an instance of a hand-written cell (`heddle_ram_1r1w`, `heddle_ram_1rw`, `heddle_ram_1r1w_lanes`).

// The macros name this crate.
extern crate self as heddle_kernel;

mod arith;
mod contract;
mod doc;
mod meta;
mod mul;
mod number;
mod part;
mod place;
mod ram;
mod reg;
mod sim;
#[doc(hidden)]
pub mod tree;

pub use arith::{Arith, bit_cast_arith, bit_cast_signed, signed_cast_arith, signed_cast_to};
pub use contract::{Contract, StreamContract};
pub use doc::{Documented, SourceDoc, source_path};
pub use heddle_kernel_macros::{bundle, kernel, module};
pub use meta::{BlockKind, Meta, Param};
pub use mul::MulS;
pub use number::Number;
pub use part::{Follow, Part, Readable, Sink, assign};
pub use place::{Drive, Read};
pub use ram::{Ram1r1w, RamLanes, address_bits};
pub use reg::{Delay, Reg, RegData, RegEn};
pub use rust_hdl_core::prelude::{Bit, Block, Clock, Logic, Probe, TimingInfo};
pub use rust_hdl_core::{ast, direction::Direction, logic};
pub use sim::settle;

/// Everything a module needs: `use heddle_kernel::prelude::*;`.
pub mod prelude {
    pub use crate::*;
    pub use rust_hdl_core::prelude::*;
}

/// A vector of `n` default values: ports, local signals or blocks of run-time count.
pub fn v<T: Default>(n: usize) -> Vec<T> {
    (0..n).map(|_| T::default()).collect()
}

/// A comment in a kernel, printed above the next statement. Nothing in simulation.
#[macro_export]
macro_rules! comment {
    ($text:literal) => {};
}
