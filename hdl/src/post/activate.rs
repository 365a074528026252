//! Activation functions of one column.

use heddle_kernel::prelude::*;

/// Cycles from `byte_i` to `byte_o` of [`Activate`].
pub const ACTIVATE_LATENCY: usize = 2;

/// Replaces a byte by the entry that it has in the chosen table, or passes it unchanged.
///
/// A table has one entry for each byte, so that it holds any function of one value: the entry is the byte
/// to be stored. Tables follow one another in one memory.
///
/// # Timing
/// `byte_o` belongs to the byte taken from `byte_i` two cycles before. `table_i` is stable while bytes are
/// on their way. An entry must not be written in the cycle in which it is read.
#[module(no_reset)]
pub struct Activate {
    /// A byte is taken: nothing is read without one.
    pub valid_i: Signal<In, Bit>,
    /// Number of the table from 1 on; 0: the byte passes.
    pub table_i: Signal<In, Bits<4>>,
    /// The byte.
    pub byte_i: Signal<In, Bits<8>>,
    /// Writes an entry.
    pub wen_i: Signal<In, Bit>,
    /// Entry: table, counted from 0 on, and byte.
    pub wentry_i: Signal<In, Bits<11>>,
    /// Byte to be stored instead.
    pub wdata_i: Signal<In, Bits<8>>,
    /// The byte or its entry.
    pub byte_o: Signal<Out, Bits<8>>,
    #[new(Ram1r1w::new(1, 256 * tables).passing().at_rest(true))]
    entries: Ram1r1w<11, 8>,
    passed: Delay<Bits<8>>,
    chosen: Delay<Bits<8>>,
    /// Table from 0 on.
    index: Signal<Local, Bits<3>>,
    /// Tables.
    _tables: Param<'n'>,
}

#[kernel]
impl Activate {
    fn update(&mut self) {
        self.index = self.table_i.get_bits::<3>(0) - 1;
        self.entries.wen_i = self.wen_i;
        self.entries.waddr_i = self.wentry_i;
        self.entries.wdata_i[0] = self.wdata_i;
        self.entries.ren_i = self.valid_i & self.table_i.any();
        self.entries.raddr_i =
            (bit_cast::<11, 3>(self.index) << 8) | bit_cast::<11, 8>(self.byte_i);
        self.passed = self.byte_i;

        self.chosen = mux(self.table_i.any(), self.entries.rdata_o[0], self.passed);
        self.byte_o = self.chosen;
    }
}
