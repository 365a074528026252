//! From a word of the state buffer to operands.

use crate::prelude::*;

/// Turns byte addresses into operands. Keeps the word it read last: operands from the same word
/// cost no further access.
///
/// The word is read again if it was written since, in the cycle of the slot or before, or if
/// `fresh_i` asks for it. An operand is the byte b if b <= threshold, else b - 256.
///
/// The mask of the word is kept with it and says which operands are zero: these leave `x_o` as
/// it is, so that nothing behind it toggles.
///
/// # Timing
/// Slot in cycle T: `read_o` in T, the word of that read on `word_i` and its mask on `mask_i` in
/// T+2, operand on `x_o`, `nz_o` and `zero_o` in T+4.
#[derive(LogicBlock)]
pub struct OperandReader {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,
    /// The slot holds an operand for this row.
    pub valid_i: Signal<In, Bit>,
    /// Byte address of the operand.
    pub addr_i: Signal<In, Bits<16>>,
    /// Largest byte that is not negative.
    pub thr_i: Signal<In, Bits<8>>,
    /// Reads the word again.
    pub fresh_i: Signal<In, Bit>,
    /// Swap flag of the slot.
    pub swap_i: Signal<In, Bit>,
    /// A word is written in this cycle.
    pub write_valid_i: Signal<In, Bit>,
    /// Address of that word.
    pub write_word_i: Signal<In, Bits<13>>,
    /// The word at `addr_i` is to be read in this cycle.
    pub read_o: Signal<Out, Bit>,
    /// Word of the read of two cycles ago.
    pub word_i: Vec<Signal<In, Bits<8>>>,
    /// Mask of that word: bit k is 1 if byte k is not zero.
    pub mask_i: Vec<Signal<In, Bit>>,
    /// The last operand that was not zero, two's complement.
    pub x_o: Signal<Out, Bits<9>>,
    /// The slot holds an operand that is not zero: it is on `x_o`.
    pub nz_o: Signal<Out, Bit>,
    /// The slot holds an operand that is zero.
    pub zero_o: Signal<Out, Bit>,
    /// Swap flag of that slot.
    pub swap_o: Signal<Out, Bit>,
    /// A word is kept, or on its way.
    kept: Reg<Bit>,
    kept_addr: RegData<Bits<13>>,
    kept_word: Vec<RegData<Bits<8>>>,
    kept_mask: Vec<RegData<Bit>>,
    /// The slot of each stage read a word.
    read: Vec<Delay<Bit>>,
    /// The slot of each stage holds an operand.
    valid: Vec<Reg<Bit>>,
    /// Byte in the word, of the slot of each stage.
    lane: Vec<Delay<Bits<3>>>,
    thr: Vec<Delay<Bits<8>>>,
    swap: Vec<Reg<Bit>>,
    x: RegData<Bits<9>>,
    nz: Reg<Bit>,
    zero: Reg<Bit>,
    word_addr: Signal<Local, Bits<13>>,
    kept_is_written: Signal<Local, Bit>,
    kept_is_used: Signal<Local, Bit>,
    must_read: Signal<Local, Bit>,
    chosen: Signal<Local, Bits<8>>,
    is_negative: Signal<Local, Bit>,
    /// The mask bit of the byte.
    is_nz: Signal<Local, Bit>,
}

impl OperandReader {
    /// An operand reader.
    pub fn new() -> Self {
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            valid_i: Default::default(),
            addr_i: Default::default(),
            thr_i: Default::default(),
            fresh_i: Default::default(),
            swap_i: Default::default(),
            write_valid_i: Default::default(),
            write_word_i: Default::default(),
            read_o: Default::default(),
            word_i: v(8),
            mask_i: v(8),
            x_o: Default::default(),
            nz_o: Default::default(),
            zero_o: Default::default(),
            swap_o: Default::default(),
            kept: Default::default(),
            kept_addr: Default::default(),
            kept_word: v(8),
            kept_mask: v(8),
            read: v(2),
            valid: v(3),
            lane: v(3),
            thr: v(3),
            swap: v(4),
            x: Default::default(),
            nz: Default::default(),
            zero: Default::default(),
            word_addr: Default::default(),
            kept_is_written: Default::default(),
            kept_is_used: Default::default(),
            must_read: Default::default(),
            chosen: Default::default(),
            is_negative: Default::default(),
            is_nz: Default::default(),
        }
    }
}

impl Default for OperandReader {
    fn default() -> Self {
        Self::new()
    }
}

impl Logic for OperandReader {
    #[hdl_gen]
    fn update(&mut self) {
        // Stage 0: is the word there?
        self.word_addr.next = self.addr_i.val().get_bits::<13>(3);
        self.kept_is_written.next =
            self.write_valid_i.val() & (self.write_word_i.val() == self.kept_addr.q_o.val());
        self.kept_is_used.next = self.kept.q_o.val()
            & !self.kept_is_written.val()
            & !self.fresh_i.val()
            & (self.word_addr.val() == self.kept_addr.q_o.val());
        self.must_read.next = self.valid_i.val() & !self.kept_is_used.val();
        self.read_o.next = self.must_read.val();
        self.kept.clk.next = self.clk.val();
        self.kept.rst_n.next = self.rst_n.val();
        self.kept.d_i.next =
            self.must_read.val() | (self.kept.q_o.val() & !self.kept_is_written.val());
        self.kept_addr.clk.next = self.clk.val();
        self.kept_addr.en_i.next = self.must_read.val();
        self.kept_addr.d_i.next = self.word_addr.val();

        // Stages 1 and 2: the memory
        self.read[0].d_i.next = self.must_read.val();
        self.valid[0].d_i.next = self.valid_i.val();
        self.lane[0].d_i.next = self.addr_i.val().get_bits::<3>(0);
        self.thr[0].d_i.next = self.thr_i.val();
        self.swap[0].d_i.next = self.swap_i.val();
        self.read[0].clk.next = self.clk.val();
        self.read[1].clk.next = self.clk.val();
        self.read[1].d_i.next = self.read[0].q_o.val();
        for i in 0..3 {
            self.valid[i].clk.next = self.clk.val();
            self.valid[i].rst_n.next = self.rst_n.val();
            self.lane[i].clk.next = self.clk.val();
            self.thr[i].clk.next = self.clk.val();
        }
        for i in 0..2 {
            self.valid[i + 1].d_i.next = self.valid[i].q_o.val();
            self.lane[i + 1].d_i.next = self.lane[i].q_o.val();
            self.thr[i + 1].d_i.next = self.thr[i].q_o.val();
        }
        for k in 0..8 {
            self.kept_word[k].clk.next = self.clk.val();
            self.kept_word[k].en_i.next = self.read[1].q_o.val();
            self.kept_word[k].d_i.next = self.word_i[k].val();
            self.kept_mask[k].clk.next = self.clk.val();
            self.kept_mask[k].en_i.next = self.read[1].q_o.val();
            self.kept_mask[k].d_i.next = self.mask_i[k].val();
        }

        // Stage 3: byte and sign; the mask says whether there is anything to pass on
        self.chosen.next = self.kept_word[0].q_o.val();
        self.is_nz.next = self.kept_mask[0].q_o.val();
        for k in 1..8 {
            if self.lane[2].q_o.val() == k.to_bits::<3>() {
                self.chosen.next = self.kept_word[k].q_o.val();
                self.is_nz.next = self.kept_mask[k].q_o.val();
            }
        }
        self.is_negative.next = self.chosen.val() > self.thr[2].q_o.val();
        self.x.clk.next = self.clk.val();
        self.x.en_i.next = self.valid[2].q_o.val() & self.is_nz.val();
        self.x.d_i.next =
            bit_cast::<9, 8>(self.chosen.val()).replace_bit(8, self.is_negative.val());
        self.x_o.next = self.x.q_o.val();
        self.nz.clk.next = self.clk.val();
        self.nz.rst_n.next = self.rst_n.val();
        self.nz.d_i.next = self.valid[2].q_o.val() & self.is_nz.val();
        self.nz_o.next = self.nz.q_o.val();
        self.zero.clk.next = self.clk.val();
        self.zero.rst_n.next = self.rst_n.val();
        self.zero.d_i.next = self.valid[2].q_o.val() & !self.is_nz.val();
        self.zero_o.next = self.zero.q_o.val();

        // The swap flag keeps step with the operand.
        for i in 0..4 {
            self.swap[i].clk.next = self.clk.val();
            self.swap[i].rst_n.next = self.rst_n.val();
        }
        for i in 0..3 {
            self.swap[i + 1].d_i.next = self.swap[i].q_o.val();
        }
        self.swap_o.next = self.swap[3].q_o.val();
    }
    module!(|_this| Meta::module("operand_reader"));
}
