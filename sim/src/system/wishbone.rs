//! Classic cycles of Wishbone: one request and how old it is.

/// What is on the bus and behind the slave in a clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct WishboneInputs {
    /// Reset is not active.
    pub alive: bool,
    /// CYC and STB.
    pub asks: bool,
    /// Write, else read.
    pub write: bool,
    /// Byte address.
    pub addr: u16,
    /// Word to write and its bytes.
    pub data: (u32, u8),
    /// The word of the register that was asked for in the clock before.
    pub word: u32,
}

/// What the slave says in a clock.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WishboneOutputs {
    /// The request is done; the word of a read.
    pub ack: Option<u32>,
    /// A write of the registers: address, word, whether all bytes are meant.
    pub write: Option<(u16, u32, bool)>,
    /// A read of the registers.
    pub read: Option<u16>,
}

/// The slave.
#[derive(Debug, Clone, Copy, Default)]
pub struct WishboneModel {
    /// The request and the clocks since it was seen.
    request: Option<(WishboneInputs, u32)>,
    word: u32,
    /// Whether the master still asked in the clock before.
    asked: bool,
}

impl WishboneModel {
    /// One clock cycle: the outputs of this cycle, then the clock edge.
    pub fn step(&mut self, inputs: &WishboneInputs) -> WishboneOutputs {
        let mut outputs = WishboneOutputs::default();
        if let Some((request, age)) = &mut self.request {
            *age += 1;
            match (*age, request.write) {
                (1, true) => {
                    outputs.write = Some((request.addr, request.data.0, request.data.1 == 15))
                }
                (1, false) => outputs.read = Some(request.addr),
                (2, _) => self.word = inputs.word,
                (3, _) if self.asked => outputs.ack = Some(self.word),
                _ => {}
            }
        }
        let ends = matches!(self.request, Some((_, 3)));
        // Behind a cycle that was broken off nothing is in the way.
        let free = self.request.is_none() || (ends && outputs.ack.is_none());
        if ends {
            self.request = None;
        }
        if free && inputs.asks {
            self.request = Some((*inputs, 0));
        }
        self.asked = inputs.asks;
        if !inputs.alive {
            *self = Self::default();
        }
        outputs
    }
}
