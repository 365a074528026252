//! The designs that tests drive: one table, read by the build script (which emits, verilates and
//! links each) and by the tests (which simulate the same block in rust-hdl).

use rust_hdl_core::prelude::Block;

pub mod samples;

/// One row of the table.
pub struct Design {
    /// Name, unique in the table.
    pub name: &'static str,
    /// Makes the block.
    pub block: fn() -> Box<dyn Block>,
}

/// Makes a function for each design, for typed access, and the table of all.
macro_rules! designs {
    ($($(#[$doc:meta])* $name:ident: $type:ty = $block:expr;)*) => {
        $(
            $(#[$doc])*
            #[must_use]
            pub fn $name() -> $type {
                $block
            }
        )*

        /// All designs.
        pub const DESIGNS: &[Design] = &[
            $(Design { name: stringify!($name), block: || Box::new($name()) }),*
        ];
    };
}

designs! {
    /// Chain of four multiply-add cells.
    sample_chain: samples::Chain = samples::Chain::new(4);
    /// Memory of 12 words of 3 bytes.
    sample_memory: samples::Memory = samples::Memory::new(3, 12);
    /// State machine with shifts.
    sample_shifter: samples::Shifter = samples::Shifter::default();
}
