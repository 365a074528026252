//! AXI4-Lite as transactions: who waits for what, and since when.

use std::collections::VecDeque;

/// What is on the five channels and behind the slave in a clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct AxilInputs {
    /// Reset is not active.
    pub running: bool,
    /// Address of a write.
    pub aw: Option<u16>,
    /// Word of a write and its strobes.
    pub w: Option<(u32, u8)>,
    /// The master takes the answer to a write.
    pub b_ready: bool,
    /// Address of a read.
    pub ar: Option<u16>,
    /// The master takes a word.
    pub r_ready: bool,
    /// The word of the register that was asked for in the clock before.
    pub word: u32,
}

/// What the slave says in a clock.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AxilOutputs {
    /// An address of a write is taken if there is one.
    pub aw_ready: bool,
    /// A word is taken if there is one.
    pub w_ready: bool,
    /// An answer to a write.
    pub b_valid: bool,
    /// An address of a read is taken if there is one.
    pub ar_ready: bool,
    /// A word read.
    pub r: Option<u32>,
    /// A write of the registers: address, word, whether all bytes are meant.
    pub write: Option<(u16, u32, bool)>,
    /// A read of the registers.
    pub read: Option<u16>,
}

/// The slave. Requests carry the clock in which they were taken; what happens when follows from that.
#[derive(Debug, Clone, Default)]
pub struct AxilModel {
    clock: u64,
    addresses: VecDeque<(u64, u16)>,
    words: VecDeque<(u64, u32, u8)>,
    reads: VecDeque<(u64, u16)>,
    /// Word of the read under way.
    word: u32,
}

impl AxilModel {
    /// One clock cycle: the outputs of this cycle, then the clock edge.
    pub fn step(&mut self, inputs: &AxilInputs) -> AxilOutputs {
        let outputs = self.outputs(inputs);
        self.clock += 1;
        if !inputs.running {
            *self = Self::default();
            return outputs;
        }
        let now = self.clock - 1;
        if outputs.b_valid && inputs.b_ready {
            self.addresses.pop_front();
            self.words.pop_front();
        }
        if outputs.r.is_some() && inputs.r_ready {
            self.reads.pop_front();
        }
        if let Some(address) = inputs.aw.filter(|_| outputs.aw_ready) {
            self.addresses.push_back((now, address));
        }
        if let Some((word, strobes)) = inputs.w.filter(|_| outputs.w_ready) {
            self.words.push_back((now, word, strobes));
        }
        if let Some(address) = inputs.ar.filter(|_| outputs.ar_ready) {
            self.reads.push_back((now, address));
        }
        if self
            .reads
            .front()
            .is_some_and(|(taken, _)| taken + 2 == now)
        {
            self.word = inputs.word;
        }
        outputs
    }

    fn outputs(&self, inputs: &AxilInputs) -> AxilOutputs {
        let write = self.addresses.front().zip(self.words.front());
        // Clocks since the later one of address and word.
        let write = write.map(|(&(a, address), &(w, word, strobes))| {
            (self.clock - a.max(w), (address, word, strobes == 0b1111))
        });
        let read = self.reads.front();
        let read = read.map(|&(taken, address)| (self.clock - taken, address));
        AxilOutputs {
            aw_ready: inputs.running && self.addresses.is_empty(),
            w_ready: inputs.running && self.words.is_empty(),
            b_valid: write.is_some_and(|(age, _)| age >= 2),
            ar_ready: inputs.running && self.reads.is_empty(),
            r: read.filter(|(age, _)| *age >= 3).map(|_| self.word),
            write: write.filter(|(age, _)| *age == 1).map(|(_, write)| write),
            read: read
                .filter(|(age, _)| *age == 1)
                .map(|(_, address)| address),
        }
    }
}
