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
        self.for_expander.next = false;
        if self._of.expand {
            self.for_expander.next = (self.index_i.val().get_bits::<12>(4) == 1)
                & !(self.index_i.val().get_bit(3) & self.index_i.val().get_bits::<2>(1).any());
        }
        self.register_known.next = self.for_expander.val()
            | ((self.index_i.val().get_bits::<12>(4) == 0)
                & !(self.index_i.val().get_bit(3) & self.index_i.val().get_bits::<3>(0).any()));
        self.base_known.next = true;
        if self._of.bases < 65536 {
            let beyond = self.index_i.val() & (65536 - self._of.bases).to_bits::<16>();
            self.base_known.next = beyond == 0;
        }
        self.offset_known.next = true;
        if self._of.offsets < 65536 {
            let beyond = self.index_i.val() & (65536 - self._of.offsets).to_bits::<16>();
            self.offset_known.next = beyond == 0;
        }
        match self.kind_i.val().index() {
            0 => self.known.next = self.register_known.val(),
            1 => self.known.next = self.base_known.val(),
            2 => self.known.next = self.offset_known.val(),
            _ => self.known.next = false,
        }
        self.refused_o.next = self.write_i.val() & (self.blocked_i.val() | !self.known.val());
        self.write.next = self.write_i.val() & !self.blocked_i.val() & self.known.val();
        self.write_register.next = self.write.val() & (self.kind_i.val() == 0);
        self.base_o.next = self.write.val() & (self.kind_i.val() == 1);
        self.offset_o.next = self.write.val() & (self.kind_i.val() == 2);
        self.expander_o.next = self.write_register.val() & self.for_expander.val();

        comment!("Registers");
        let write = self.write_register.val();
        let index = self.index_i.val();
        let data = self.data_i.val();
        self.a_origin
            .load(write & (index == 0), data.get_bits::<A>(0));
        for i in 0..6 {
            let mine = write & (index == (i + 1).to_bits::<16>());
            self.number[i].load(mine, data.get_bits::<16>(0));
        }
        // Bit 2 tells a pointer (5, 6) from a count (2, 3).
        for i in 0..2 {
            self.end[i].en_i.next = self.number[i + 1].en_i.val() | self.number[i + 4].en_i.val();
            self.other[i].next = self.number[i + 4].q_o.val();
            if self.index_i.val().get_bit(2) {
                self.other[i].next = self.number[i + 1].q_o.val();
            }
            self.end[i].d_i.next = bit_cast::<17, 16>(self.data_i.val().get_bits::<16>(0))
                + self.other[i].val().get_bits::<17>(0);
        }
        self.shift.load(write & (index == 7), data.get_bits::<2>(0));
        self.shift_beyond
            .load(write & (index == 7), data.get_bits::<30>(2).any());
        self.mode.load(write & (index == 8), data.get_bits::<3>(0));
        self.mode_beyond
            .load(write & (index == 8), data.get_bits::<29>(3).any());

        comment!("What is wrong with a run, the first fault in the order of the codes");
        self.not_built.next = self.shift_beyond.q_o.val() | self.mode_beyond.q_o.val();
        if !self._of.running {
            self.not_built.next = self.not_built.val() | self.mode.q_o.val().get_bit(1);
        }
        if self._of.taps == 0 {
            self.not_built.next = self.not_built.val() | self.mode.q_o.val().get_bit(2);
        }
        self.code_o.next = 0.into();
        if self.not_built.val() {
            self.code_o.next = 4.into();
        }
        if self.end[1].q_o.val() > self._of.offsets.to_bits::<17>() {
            self.code_o.next = 3.into();
        }
        if self.end[0].q_o.val() > self._of.bases.to_bits::<17>() {
            self.code_o.next = 2.into();
        }
        if (self.number[1].q_o.val() == 0)
            | (self.number[2].q_o.val() == 0)
            | (self.number[3].q_o.val() == 0)
        {
            self.code_o.next = 1.into();
        }

        self.a_origin_o.next = self.a_origin.q_o.val();
        self.b_origin_o.next = self.number[0].q_o.val();
        self.t_o.next = self.number[1].q_o.val();
        self.k_o.next = self.number[2].q_o.val();
        self.n_o.next = self.number[3].q_o.val();
        self.base_ptr_o.next = self.number[4].q_o.val();
        self.offset_ptr_o.next = self.number[5].q_o.val();
        self.shift_o.next = self.shift.q_o.val();
        self.ws_o.next = self.mode.q_o.val().get_bit(0);
        self.steps_o.next = self.mode.q_o.val().get_bit(1);
        self.masks_o.next = self.mode.q_o.val().get_bit(2);
    }
}
