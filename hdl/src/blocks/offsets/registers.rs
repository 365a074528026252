//! The write port, and the registers behind it.

use super::OffsetShape;
use super::shape::{EXPAND, RUNNING};
use heddle_kernel::prelude::*;

/// Sorts the writes and keeps the registers. It says whether the registers make a run that the
/// unit can do. The ends of both lists are kept as well: a write of a count adds the pointer, a
/// write of a pointer the count. A start then finds the sums in registers.
///
/// # Timing
/// A write is done at the clock edge at which it is taken. `code_o` is a function of the registers.
#[module(name = "offsets_registers", describe)]
pub struct OffsetRegisters<const A: usize> {
    /// A write is taken.
    pub write_i: Signal<In, Bit>,
    /// 0 register, 1 base, 2 offset.
    pub kind_i: Signal<In, Bits<2>>,
    /// Register or entry.
    pub index_i: Signal<In, Bits<16>>,
    /// Value.
    pub data_i: Signal<In, Bits<32>>,
    /// A run is under way or may start: nothing is written.
    pub blocked_i: Signal<In, Bit>,
    /// The write is refused.
    pub refused_o: Signal<Out, Bit>,
    /// It is for the table of bases.
    pub base_o: Signal<Out, Bit>,
    /// It is for the table of offsets.
    pub offset_o: Signal<Out, Bit>,
    /// It is for the expander, if there is one.
    pub expander_o: Signal<Out, Bit>,
    /// A_ORIGIN.
    pub a_origin_o: Signal<Out, Bits<A>>,
    /// B_ORIGIN.
    pub b_origin_o: Signal<Out, Bits<16>>,
    /// T.
    pub t_o: Signal<Out, Bits<16>>,
    /// K.
    pub k_o: Signal<Out, Bits<16>>,
    /// N.
    pub n_o: Signal<Out, Bits<16>>,
    /// BASE_PTR.
    pub base_ptr_o: Signal<Out, Bits<16>>,
    /// OFFSET_PTR.
    pub offset_ptr_o: Signal<Out, Bits<16>>,
    /// UNIT_SHIFT.
    pub shift_o: Signal<Out, Bits<2>>,
    /// MODE: weight stationary.
    pub ws_o: Signal<Out, Bit>,
    /// MODE: offsets are steps.
    pub steps_o: Signal<Out, Bit>,
    /// MODE: masks are used.
    pub masks_o: Signal<Out, Bit>,
    /// What is wrong: 1 a count is 0, 2 bases or 3 offsets beyond their table, 4 mode or shift that
    /// is not built; 0 nothing.
    pub code_o: Signal<Out, Bits<3>>,
    a_origin: RegEn<Bits<A>>,
    /// B_ORIGIN, T, K, N, BASE_PTR, OFFSET_PTR.
    number: [RegEn<Bits<16>>; 6],
    /// BASE_PTR + T, OFFSET_PTR + K.
    end: [RegEn<Bits<17>>; 2],
    shift: RegEn<Bits<2>>,
    mode: RegEn<Bits<3>>,
    /// UNIT_SHIFT above 3, MODE with unknown bits.
    shift_beyond: RegEn<Bit>,
    mode_beyond: RegEn<Bit>,
    register_known: Signal<Local, Bit>,
    for_expander: Signal<Local, Bit>,
    base_known: Signal<Local, Bit>,
    offset_known: Signal<Local, Bit>,
    known: Signal<Local, Bit>,
    write: Signal<Local, Bit>,
    write_register: Signal<Local, Bit>,
    /// The other number of a list.
    other: [Signal<Local, Bits<16>>; 2],
    not_built: Signal<Local, Bit>,
    /// What the unit is built from.
    #[argument]
    _shape: &OffsetShape,
    #[new(*shape)]
    _of: OffsetShape,
    /// Bits of an address.
    _address_bits: Generic<'a', A>,
}

impl<const A: usize> OffsetRegisters<A> {
    fn describe(&self, meta: Meta) -> Meta {
        meta.param("base_entries", "b", self._of.bases, "entries of the bases")
            .param(
                "offset_entries",
                "o",
                self._of.offsets,
                "entries of the offsets",
            )
            .option(
                "masks",
                "t",
                (self._of.taps > 0).into(),
                "1: entries have mask bits",
            )
            .option("summing", "s", self._of.running.into(), RUNNING)
            .option("expand", "x", self._of.expand.into(), EXPAND)
    }
}

#[kernel]
impl<const A: usize> OffsetRegisters<A> {
    fn update(&mut self) {
        comment!("Where a write goes");
        // Single bits and no comparisons, whose carries would come late: registers 0 to 8, 16 to 25.
        self.for_expander = false;
        if self._of.expand {
            self.for_expander = (self.index_i.get_bits::<12>(4) == 1)
                & !(self.index_i.get_bit(3) & self.index_i.get_bits::<2>(1).any());
        }
        self.register_known = self.for_expander
            | ((self.index_i.get_bits::<12>(4) == 0)
                & !(self.index_i.get_bit(3) & self.index_i.get_bits::<3>(0).any()));
        self.base_known = true;
        if self._of.bases < 65536 {
            let beyond = self.index_i & (65536 - self._of.bases).to_bits::<16>();
            self.base_known = beyond == 0;
        }
        self.offset_known = true;
        if self._of.offsets < 65536 {
            let beyond = self.index_i & (65536 - self._of.offsets).to_bits::<16>();
            self.offset_known = beyond == 0;
        }
        match self.kind_i.index() {
            0 => self.known = self.register_known,
            1 => self.known = self.base_known,
            2 => self.known = self.offset_known,
            _ => self.known = false,
        }
        self.refused_o = self.write_i & (self.blocked_i | !self.known);
        self.write = self.write_i & !self.blocked_i & self.known;
        self.write_register = self.write & (self.kind_i == 0);
        self.base_o = self.write & (self.kind_i == 1);
        self.offset_o = self.write & (self.kind_i == 2);
        self.expander_o = self.write_register & self.for_expander;

        comment!("Registers");
        let write = self.write_register;
        let index = self.index_i;
        let data = self.data_i;
        self.a_origin
            .load(write & (index == 0), data.get_bits::<A>(0));
        for i in 0..6 {
            let mine = write & (index == (i + 1).to_bits::<16>());
            self.number[i].load(mine, data.get_bits::<16>(0));
        }
        // Bit 2 tells a pointer (5, 6) from a count (2, 3).
        for i in 0..2 {
            self.end[i].en_i = self.number[i + 1].en_i | self.number[i + 4].en_i;
            self.other[i] = self.number[i + 4];
            if self.index_i.get_bit(2) {
                self.other[i] = self.number[i + 1];
            }
            self.end[i] =
                bit_cast::<17, 16>(self.data_i.get_bits::<16>(0)) + self.other[i].get_bits::<17>(0);
        }
        self.shift.load(write & (index == 7), data.get_bits::<2>(0));
        self.shift_beyond
            .load(write & (index == 7), data.get_bits::<30>(2).any());
        self.mode.load(write & (index == 8), data.get_bits::<3>(0));
        self.mode_beyond
            .load(write & (index == 8), data.get_bits::<29>(3).any());

        comment!("What is wrong with a run, the first fault in the order of the codes");
        self.not_built = self.shift_beyond | self.mode_beyond;
        if !self._of.running {
            self.not_built = self.not_built | self.mode.get_bit(1);
        }
        if self._of.taps == 0 {
            self.not_built = self.not_built | self.mode.get_bit(2);
        }
        self.code_o = mux(self.not_built, 4.into(), 0.into());
        if self.end[1] > self._of.offsets.to_bits::<17>() {
            self.code_o = 3.into();
        }
        if self.end[0] > self._of.bases.to_bits::<17>() {
            self.code_o = 2.into();
        }
        if (self.number[1] == 0) | (self.number[2] == 0) | (self.number[3] == 0) {
            self.code_o = 1.into();
        }

        self.a_origin_o = self.a_origin;
        self.b_origin_o = self.number[0];
        self.t_o = self.number[1];
        self.k_o = self.number[2];
        self.n_o = self.number[3];
        self.base_ptr_o = self.number[4];
        self.offset_ptr_o = self.number[5];
        self.shift_o = self.shift;
        self.ws_o = self.mode.get_bit(0);
        self.steps_o = self.mode.get_bit(1);
        self.masks_o = self.mode.get_bit(2);
    }
}
