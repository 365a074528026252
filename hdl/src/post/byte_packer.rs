//! Collects bytes to words.

use heddle_kernel::prelude::*;

/// What becomes of the byte of a clock, the same in all columns.
#[bundle]
pub struct PackSlot {
    /// A byte arrives.
    #[reset]
    pub valid: Bit,
    /// It is the first one of its word.
    pub begins: Bit,
    /// Its place in the word.
    pub place: Bits<3>,
    /// The word of the bytes before leaves.
    #[reset]
    pub leaves: Bit,
    /// Its address.
    pub word: Bits<13>,
}

/// Decides from the addresses of a drain where words of eight bytes begin, and when they leave.
///
/// A word leaves when a byte for another word arrives, or behind its flush byte. All columns of a drain write to the same
/// addresses: this is there once, and what it decides travels from column to column.
///
/// # Timing
/// A byte in cycle T is on `pack_o` in T+1. A word that it pushes out leaves in T+1; if it is the
/// flush byte, its own word leaves in T+2.
#[module]
pub struct PackIssue {
    /// Forgets a word that was not flushed, before the byte of this cycle.
    pub drop_i: Signal<In, Bit>,
    /// A byte arrives.
    pub valid_i: Signal<In, Bit>,
    /// Byte address.
    pub dest_i: Signal<In, Bits<16>>,
    /// Last byte: the word leaves.
    pub flush_i: Signal<In, Bit>,
    /// To the first column.
    pub pack_o: PackSlot<Out>,
    pack: PackSlotReg,
    /// A word is being collected.
    open: Reg<Bit>,
    /// The word is complete.
    complete: Reg<Bit>,
    word: RegData<Bits<13>>,
    leaves: Signal<Local, Bit>,
}

#[kernel]
impl PackIssue {
    fn update(&mut self) {
        self.leaves = self.open
            & (self.complete
                | (self.valid_i & !self.drop_i & (self.dest_i.get_bits::<13>(3) != self.word)));
        self.open = self.valid_i | (self.open & !self.leaves & !self.drop_i);
        self.complete = self.valid_i & self.flush_i;
        self.word.load(self.valid_i, self.dest_i.get_bits::<13>(3));

        self.pack.valid = self.valid_i;
        self.pack.begins = self.leaves | self.drop_i | !self.open;
        self.pack.place = self.dest_i.get_bits::<3>(0);
        self.pack.leaves = self.leaves;
        self.pack.word = self.word;
        self.pack_o.follow(&self.pack);
    }
}

/// Collects the bytes of one column to words of eight. Bytes that were not received are 0.
///
/// # Timing
/// A byte in cycle T is part of the word that leaves in T+1 or later. `data_o` is a register.
#[module]
pub struct BytePacker {
    /// What becomes of the byte, and whether a word leaves.
    pub pack_i: PackSlot<In>,
    /// With the first byte of a word: the column writes it.
    pub active_i: Signal<In, Bit>,
    /// The byte.
    pub byte_i: Signal<In, Bits<8>>,
    /// A word leaves.
    pub valid_o: Signal<Out, Bit>,
    /// The word.
    pub data_o: [Signal<Out, Bits<8>>; 8],
    /// The column writes the word that is being collected.
    active: RegEn<Bit>,
    data: [RegData<Bits<8>>; 8],
    /// The byte belongs to this place of the word.
    is_here: [Signal<Local, Bit>; 8],
}

#[kernel]
impl BytePacker {
    fn update(&mut self) {
        self.active
            .load(self.pack_i.valid & self.pack_i.begins, self.active_i);
        for k in 0..8 {
            self.is_here[k] = self.pack_i.place == k.to_bits::<3>();
        }
        for k in 0..8 {
            self.data[k].en_i = self.pack_i.valid & (self.pack_i.begins | self.is_here[k]);
            self.data[k] = mux(self.is_here[k], self.byte_i, 0.into());
            self.data_o[k] = self.data[k];
        }
        self.valid_o = self.pack_i.leaves & self.active;
    }
}
