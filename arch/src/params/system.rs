//! The system around the engine: how a host reaches it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The system around the engine: a register port in place of the host port. `docs/registers.md` has the registers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct System {
    /// Bus of the register port.
    pub registers: RegisterBus,
    /// The DMA. Default: none, the processor writes every word through the window port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dma: Option<Dma>,
}

/// A DMA that moves words between the memories of the machine and a host's memory, also while a program runs. It is an AXI4 manager with 64 data bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Dma {
    /// Bits of an address. Default: 32.
    #[schemars(range(min = 32, max = 40))]
    pub address_bits: u32,
    /// Longest burst in words of 8 bytes, 16 for an AXI3 port. Default: 32.
    #[schemars(extend("enum" = [8, 16, 32, 64, 128, 256]))]
    pub max_burst: u32,
    /// Bursts that may be open each way. Default: 4.
    #[schemars(range(min = 1, max = 8))]
    pub outstanding: u32,
    /// Commands that wait in each queue. Default: 4.
    #[schemars(range(min = 1, max = 8))]
    pub queue: u32,
    /// Bits of an AXI ID, which is always 0. Default: 1.
    #[schemars(range(min = 1, max = 8))]
    pub id_bits: u32,
}

impl Default for Dma {
    fn default() -> Self {
        Self {
            address_bits: 32,
            max_burst: 32,
            outstanding: 4,
            queue: 4,
            id_bits: 1,
        }
    }
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
