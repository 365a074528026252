//! The system around the engine: how a host reaches it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The system around the engine: a register port in place of the host port. `docs/registers.md` has the registers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct System {
    /// Bus of the register port.
    pub registers: RegisterBus,
}

/// Bus of the register port; 32-bit data, 12 address bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RegisterBus {
    /// AXI4-Lite.
    Axil,
    /// Wishbone B4, classic cycles.
    Wishbone,
}
