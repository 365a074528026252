//! Everything a rust-hdl module of this crate needs: `use crate::prelude::*;`.

pub use crate::prim::*;
pub use crate::{clock_cycle, comment, module};
pub use rust_hdl_core::prelude::*;
