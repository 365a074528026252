//! From a word of the state buffer to operands.

use super::READ_CYCLES;
use super::banks::MASK_CYCLES;
use crate::sliced::Population;
use heddle_kernel::prelude::*;

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
/// T+5, operand on `x_o`, `nz_o` and `zero_o` in T+7.
#[module]
pub struct OperandReader {
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
    /// A word is written in this cycle: of which source.
    pub write_valid_i: [Signal<In, Bit>; 3],
    /// Address of its word.
    pub write_word_i: [Signal<In, Bits<13>>; 3],
    /// The word at `addr_i` is to be read in this cycle.
    pub read_o: Signal<Out, Bit>,
    /// Word of the read of five cycles ago.
    pub word_i: [Signal<In, Bits<8>>; 8],
    /// Mask of that word: bit k is 1 if byte k is not zero. With packed words by position, and that of the read of
    /// three cycles ago.
    pub mask_i: [Signal<In, Bits<1>>; 8],
    /// A word is kept, or on its way.
    kept: Reg<Bit>,
    kept_addr: RegData<Bits<13>>,
    kept_word: [RegData<Bits<8>>; 8],
    kept_mask: [RegData<Bits<1>>; 8],
    /// The slot of each stage read a word.
    read: [Delay<Bit>; READ_CYCLES],
    /// The slot of each stage holds an operand.
    valid: [Reg<Bit>; READ_CYCLES + 1],
    /// Byte in the word, of the slot of each stage.
    lane: [Delay<Bits<3>>; if packed {
        MASK_CYCLES + 1
    } else {
        READ_CYCLES + 1
    }],
    /// Place of the byte among the packed ones, of the slots whose word arrives.
    place: [Delay<Bits<3>>; places],
    /// The byte is not zero.
    is_there: [Delay<Bit>; places],
    /// Counts the bytes that are packed before it.
    #[new(Population::new(7))]
    before: [Population; places.min(1)],
    thr: [Delay<Bits<8>>; READ_CYCLES + 1],
    swap: [Reg<Bit>; READ_CYCLES + 2],
    /// The last operand that was not zero, two's complement.
    pub x: OutRegData<Bits<9>>,
    /// The slot holds an operand that is not zero: it is on `x_o`.
    pub nz: OutReg<Bit>,
    /// The slot holds an operand that is zero.
    pub zero: [OutReg<Bit>; told],
    /// Swap flag of that slot.
    pub swap_o: Signal<Out, Bit>,
    word_addr: Signal<Local, Bits<13>>,
    kept_is_written: Signal<Local, Bit>,
    kept_is_used: Signal<Local, Bit>,
    must_read: Signal<Local, Bit>,
    chosen: Signal<Local, Bits<8>>,
    is_negative: Signal<Local, Bit>,
    /// Position of the byte in the kept mask.
    position: Signal<Local, Bits<3>>,
    /// Its mask bit.
    found: Signal<Local, Bit>,
    /// Which byte of the kept word.
    pick: Signal<Local, Bits<3>>,
    /// The mask bit of the byte.
    is_nz: Signal<Local, Bit>,
    /// Nobody asks for operands that are zero.
    #[argument]
    _events: bool,
    #[new((!events).into())]
    _untold: Feature<"nc">,
    #[new(events.into())]
    _told: usize,
    /// Words come packed.
    _packed: Optional<'k', bool>,
    /// Units are packed towards byte 0, not towards byte 7.
    _right: Optional<'r', bool>,
    #[new(if packed { READ_CYCLES - MASK_CYCLES } else { 0 })]
    _places: usize,
    /// Position of byte 0.
    #[new(if packed && !right { 7 } else { 0 })]
    _flip: u64,
}

#[kernel]
impl OperandReader {
    fn update(&mut self) {
        // Is the word there?
        self.word_addr = self.addr_i.get_bits::<13>(3);
        self.kept_is_written = false;
        for s in 0..3 {
            self.kept_is_written = self.kept_is_written
                | (self.write_valid_i[s] & (self.write_word_i[s] == self.kept_addr));
        }
        self.kept_is_used =
            self.kept & !self.kept_is_written & !self.fresh_i & (self.word_addr == self.kept_addr);
        self.must_read = self.valid_i & !self.kept_is_used;
        self.read_o = self.must_read;
        self.kept = self.must_read | (self.kept & !self.kept_is_written);
        self.kept_addr.load(self.must_read, self.word_addr);

        // The memory
        self.read.shift_in(self.must_read);
        self.valid.shift_in(self.valid_i);
        self.lane.shift_in(self.addr_i.get_bits::<3>(0));
        self.thr.shift_in(self.thr_i);
        self.swap.shift_in(self.swap_i);
        let mask_cycles = if self._packed {
            MASK_CYCLES
        } else {
            READ_CYCLES
        };
        for k in 0..8 {
            self.kept_word[k].load(self.read[READ_CYCLES - 1], self.word_i[k]);
            self.kept_mask[k].load(self.read[mask_cycles - 1], self.mask_i[k]);
        }

        // The mask says whether there is anything to pass on, and where it lies among packed bytes
        self.position = self.lane[mask_cycles] ^ self._flip;
        self.found = self.kept_mask[0].any();
        for p in 1..8 {
            if self.position == p.to_bits::<3>() {
                self.found = self.kept_mask[p].any();
            }
        }
        if self._packed {
            for p in 0..7 {
                let counts = self.kept_mask[p].any() & (self.position > p.to_bits::<3>());
                self.before[0].mask_i[p] = counts.into();
            }
            self.place.shift_in(self.before[0].pop_o.get_bits::<3>(0));
            self.is_there.shift_in(self.found);
            self.pick.follow(&self.place[self._places - 1]);
            self.is_nz.follow(&self.is_there[self._places - 1]);
        } else {
            self.pick.follow(&self.position);
            self.is_nz.follow(&self.found);
        }

        // Byte and sign
        self.chosen = self.kept_word[0];
        for k in 1..8 {
            if self.pick == k.to_bits::<3>() {
                self.chosen = self.kept_word[k];
            }
        }
        self.is_negative = self.chosen > self.thr[READ_CYCLES];
        self.x.en_i = self.valid[READ_CYCLES] & self.is_nz;
        self.x = bit_cast::<9, 8>(self.chosen).replace_bit(8, self.is_negative);
        self.nz = self.valid[READ_CYCLES] & self.is_nz;
        for i in 0..self._told {
            self.zero[i] = self.valid[READ_CYCLES] & !self.is_nz;
        }

        // The swap flag keeps step with the operand.
        self.swap_o = self.swap[READ_CYCLES + 1];
    }
}
