//! The write port, and the registers behind it.

use super::OffsetShape;
use crate::prelude::*;

/// Sorts the writes and keeps the registers. It says whether the registers make a run that the
/// unit can do. The ends of both lists are kept as well: a write of a count adds the pointer, a
/// write of a pointer the count. A start then finds the sums in registers.
///
/// # Timing
/// A write is done at the clock edge at which it is taken. `code_o` is a function of the registers.
#[derive(LogicBlock)]
pub struct OffsetRegisters<const A: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,

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
    number: Vec<RegEn<Bits<16>>>,
    /// BASE_PTR + T, OFFSET_PTR + K.
    end: Vec<RegEn<Bits<17>>>,
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
    other: Vec<Signal<Local, Bits<16>>>,
    not_built: Signal<Local, Bit>,
    _base_entries: usize,
    _offset_entries: usize,
    _base_beyond: usize,
    _offset_beyond: usize,
    _masks: usize,
    _summing: usize,
    _expand: usize,
}

impl<const A: usize> OffsetRegisters<A> {
    /// The registers of a unit of this shape.
    pub fn new(shape: &OffsetShape) -> Self {
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            write_i: Default::default(),
            kind_i: Default::default(),
            index_i: Default::default(),
            data_i: Default::default(),
            blocked_i: Default::default(),
            refused_o: Default::default(),
            base_o: Default::default(),
            offset_o: Default::default(),
            expander_o: Default::default(),
            a_origin_o: Default::default(),
            b_origin_o: Default::default(),
            t_o: Default::default(),
            k_o: Default::default(),
            n_o: Default::default(),
            base_ptr_o: Default::default(),
            offset_ptr_o: Default::default(),
            shift_o: Default::default(),
            ws_o: Default::default(),
            steps_o: Default::default(),
            masks_o: Default::default(),
            code_o: Default::default(),
            a_origin: Default::default(),
            number: v(6),
            end: v(2),
            shift: Default::default(),
            mode: Default::default(),
            shift_beyond: Default::default(),
            mode_beyond: Default::default(),
            register_known: Default::default(),
            for_expander: Default::default(),
            base_known: Default::default(),
            offset_known: Default::default(),
            known: Default::default(),
            write: Default::default(),
            write_register: Default::default(),
            other: v(2),
            not_built: Default::default(),
            _base_entries: shape.bases,
            _offset_entries: shape.offsets,
            // Bits of an index that no entry has: the sizes are powers of two.
            _base_beyond: 65536 - shape.bases,
            _offset_beyond: 65536 - shape.offsets,
            _masks: (shape.taps > 0).into(),
            _summing: shape.running.into(),
            _expand: shape.expand.into(),
        }
    }
}

impl<const A: usize> Logic for OffsetRegisters<A> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Where a write goes");
        // Single bits and no comparisons, whose carries would come late: registers 0 to 8, 16 to 25.
        self.for_expander.next = false;
        if self._expand > 0 {
            self.for_expander.next = (self.index_i.val().get_bits::<12>(4) == 1)
                & !(self.index_i.val().get_bit(3) & self.index_i.val().get_bits::<2>(1).any());
        }
        self.register_known.next = self.for_expander.val()
            | ((self.index_i.val().get_bits::<12>(4) == 0)
                & !(self.index_i.val().get_bit(3) & self.index_i.val().get_bits::<3>(0).any()));
        self.base_known.next = true;
        if self._base_beyond > 0 {
            self.base_known.next = (self.index_i.val() & self._base_beyond.to_bits::<16>()) == 0;
        }
        self.offset_known.next = true;
        if self._offset_beyond > 0 {
            self.offset_known.next =
                (self.index_i.val() & self._offset_beyond.to_bits::<16>()) == 0;
        }
        match self.kind_i.val().index() {
            0 => {
                self.known.next = self.register_known.val();
            }
            1 => {
                self.known.next = self.base_known.val();
            }
            2 => {
                self.known.next = self.offset_known.val();
            }
            _ => {
                self.known.next = false;
            }
        }
        self.refused_o.next = self.write_i.val() & (self.blocked_i.val() | !self.known.val());
        self.write.next = self.write_i.val() & !self.blocked_i.val() & self.known.val();
        self.write_register.next = self.write.val() & (self.kind_i.val() == 0);
        self.base_o.next = self.write.val() & (self.kind_i.val() == 1);
        self.offset_o.next = self.write.val() & (self.kind_i.val() == 2);
        self.expander_o.next = self.write_register.val() & self.for_expander.val();

        comment!("Registers");
        self.a_origin.clk.next = self.clk.val();
        self.a_origin.rst_n.next = self.rst_n.val();
        self.a_origin.en_i.next = self.write_register.val() & (self.index_i.val() == 0);
        self.a_origin.d_i.next = self.data_i.val().get_bits::<A>(0);
        for i in 0..6 {
            self.number[i].clk.next = self.clk.val();
            self.number[i].rst_n.next = self.rst_n.val();
            self.number[i].en_i.next =
                self.write_register.val() & (self.index_i.val() == (i + 1).to_bits::<16>());
            self.number[i].d_i.next = self.data_i.val().get_bits::<16>(0);
        }
        // Bit 2 tells a pointer (5, 6) from a count (2, 3).
        for i in 0..2 {
            self.end[i].clk.next = self.clk.val();
            self.end[i].rst_n.next = self.rst_n.val();
            self.end[i].en_i.next = self.number[i + 1].en_i.val() | self.number[i + 4].en_i.val();
            self.other[i].next = self.number[i + 4].q_o.val();
            if self.index_i.val().get_bit(2) {
                self.other[i].next = self.number[i + 1].q_o.val();
            }
            self.end[i].d_i.next = bit_cast::<17, 16>(self.data_i.val().get_bits::<16>(0))
                + self.other[i].val().get_bits::<17>(0);
        }
        self.shift.clk.next = self.clk.val();
        self.shift.rst_n.next = self.rst_n.val();
        self.shift.en_i.next = self.write_register.val() & (self.index_i.val() == 7);
        self.shift.d_i.next = self.data_i.val().get_bits::<2>(0);
        self.shift_beyond.clk.next = self.clk.val();
        self.shift_beyond.rst_n.next = self.rst_n.val();
        self.shift_beyond.en_i.next = self.write_register.val() & (self.index_i.val() == 7);
        self.shift_beyond.d_i.next = self.data_i.val().get_bits::<30>(2).any();
        self.mode.clk.next = self.clk.val();
        self.mode.rst_n.next = self.rst_n.val();
        self.mode.en_i.next = self.write_register.val() & (self.index_i.val() == 8);
        self.mode.d_i.next = self.data_i.val().get_bits::<3>(0);
        self.mode_beyond.clk.next = self.clk.val();
        self.mode_beyond.rst_n.next = self.rst_n.val();
        self.mode_beyond.en_i.next = self.write_register.val() & (self.index_i.val() == 8);
        self.mode_beyond.d_i.next = self.data_i.val().get_bits::<29>(3).any();

        comment!("What is wrong with a run, the first fault in the order of the codes");
        self.not_built.next = self.shift_beyond.q_o.val() | self.mode_beyond.q_o.val();
        if self._summing == 0 {
            self.not_built.next = self.not_built.val() | self.mode.q_o.val().get_bit(1);
        }
        if self._masks == 0 {
            self.not_built.next = self.not_built.val() | self.mode.q_o.val().get_bit(2);
        }
        self.code_o.next = 0.into();
        if self.not_built.val() {
            self.code_o.next = 4.into();
        }
        if self.end[1].q_o.val() > self._offset_entries.to_bits::<17>() {
            self.code_o.next = 3.into();
        }
        if self.end[0].q_o.val() > self._base_entries.to_bits::<17>() {
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
    module!(|this| Meta::module("offsets_registers")
        .param("A", "a", A, "bits of an address")
        .param(
            "base_entries",
            "b",
            this._base_entries,
            "entries of the table of bases"
        )
        .param(
            "offset_entries",
            "o",
            this._offset_entries,
            "entries of the table of offsets"
        )
        .hidden(
            "base_beyond",
            this._base_beyond,
            "bits of an index that no base has"
        )
        .hidden(
            "offset_beyond",
            this._offset_beyond,
            "bits of an index that no offset has"
        )
        .option("masks", "t", this._masks, "1: entries have mask bits")
        .option("summing", "s", this._summing, "1: offsets may be steps")
        .option("expand", "x", this._expand, "1: there is an expander"));
}
