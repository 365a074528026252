//! Primitives: the only places that hold state, and the conventions all modules share.
//!
//! A primitive is a rust-hdl block with a hand-written model. The emitter knows each by the
//! name in its [`Meta`] and prints it inside the module that uses it (`always`, `assign`), or
//! as an instance of a hand-written cell (`heddle_ram_1r1w`).

mod arith;
mod doc;
mod meta;
mod mul;
mod ram;
mod reg;
mod sim;

pub use arith::{Arith, bit_cast_arith, bit_cast_signed, signed_cast_arith, signed_cast_to};
pub use doc::{SourceDoc, beside, source_path};
pub use meta::{Kind, Meta, Param};
pub use mul::MulS;
pub use ram::{Ram1r1w, address_bits};
pub use reg::{Delay, Reg, RegData, RegEn};
pub use rust_hdl_core::prelude::TimingInfo;
pub use sim::settle;

/// A vector of `n` default values: ports, local signals or blocks of run-time count.
pub fn v<T: Default>(n: usize) -> Vec<T> {
    (0..n).map(|_| T::default()).collect()
}

/// A comment in a kernel, printed above the next statement. Nothing in simulation.
#[macro_export]
macro_rules! comment {
    ($text:literal) => {};
}

/// Names a module for the emitter; stands in `impl Logic` after `update`.
///
/// ```text
/// use heddle_hdl::prelude::*;
///
/// /// Inverts a bus.
/// #[derive(LogicBlock, Default)]
/// pub struct Inverter<const N: usize> {
///     /// Operand.
///     pub x_i: Signal<In, Bits<N>>,
///     /// Operand with every bit inverted.
///     pub y_o: Signal<Out, Bits<N>>,
/// }
///
/// impl<const N: usize> Logic for Inverter<N> {
///     #[hdl_gen]
///     fn update(&mut self) {
///         self.y_o.next = !self.x_i.val();
///     }
///     module!(|_this| Meta::module("inverter").param("width", "w", N, "bits of an operand"));
/// }
/// ```
///
/// The doc comments of the struct and of its public fields are read from the source file, so
/// the header of the Verilog module and the meaning of its ports are written once.
///
/// The file is found for packages that are a folder in the root of their workspace. Packages
/// elsewhere name the file themselves, relative to it: `module!("lib.rs", |this| ...)`. So does a
/// block whose struct lies in another file than its behaviour: `module!("../unit.rs", |this| ...)`.
#[macro_export]
macro_rules! module {
    (|$this:ident| $meta:expr) => {
        // The caller's build script decides on the condition; few callers have one.
        #[allow(unexpected_cfgs)]
        fn timing(&self) -> Vec<$crate::prim::TimingInfo> {
            #[cfg(heddle_source_root)]
            const TEXT: &str = include_str!(concat!(env!("HEDDLE_SOURCE_ROOT"), file!()));
            #[cfg(not(heddle_source_root))]
            const TEXT: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../", file!()));
            $crate::module!(@timing self, file!().to_string(), TEXT, $this, $meta)
        }
    };
    ($file:literal, |$this:ident| $meta:expr) => {
        fn timing(&self) -> Vec<$crate::prim::TimingInfo> {
            let file = $crate::prim::beside(file!(), $file);
            $crate::module!(@timing self, file, include_str!($file), $this, $meta)
        }
    };
    (@timing $self:ident, $file:expr, $text:expr, $this:ident, $meta:expr) => {{
        static DOC: ::std::sync::OnceLock<$crate::prim::SourceDoc> = ::std::sync::OnceLock::new();
        let $this = $self;
        let item = ::std::any::type_name::<Self>();
        let doc = DOC.get_or_init(|| {
            let file = $crate::prim::source_path(env!("CARGO_MANIFEST_DIR"), &$file);
            $crate::prim::SourceDoc::extract(&file, $text, item)
        });
        $meta.with_source(doc).to_timing()
    }};
}
