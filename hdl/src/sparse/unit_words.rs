//! What the head tells units.

use super::{SparseShape, waves::*};
use heddle_arch::isa::fields::sparse::set;
use heddle_kernel::prelude::*;

/// The words of SPARSE_SET and SPARSE_RUN become words for registers of units, and runs. So do the writes of a cut.
///
/// # Timing
/// A value in cycle T, or the start of a run, is on `order_o` in T+1. `mask_o` and `first_o` are those of the last SPARSE_RUN.
#[module(shape: SparseShape)]
pub struct UnitWords {
    /// A word behind the header.
    pub word_i: Signal<In, Bits<32>>,
    /// Its place in the command, at most 7.
    pub index_i: Signal<In, Bits<3>>,
    /// It is one of SPARSE_SET.
    pub set_i: Signal<In, Bit>,
    /// It is one of SPARSE_RUN.
    pub run_word_i: Signal<In, Bit>,
    /// The run starts.
    pub run_i: Signal<In, Bit>,
    /// A cut writes a register of a unit; no command is under way.
    pub cut_i: [UnitWrite<In>; census],
    /// Register of the next value of a SPARSE_SET, 8 behind the last one.
    pub register: OutRegData<Bits<4>>,
    /// Units of the run.
    pub mask: [OutRegData<Bit>; units],
    /// A word for units.
    pub order_o: UnitOrder<Out>,
    /// It is for a register of this unit.
    pub write: [OutReg<Bit>; units],
    /// It is a run of this unit.
    pub run: [OutReg<Bit>; units],
    /// Unit of a SPARSE_SET, or all of them.
    unit: RegData<Bits<6>>,
    all: RegData<Bit>,
    order_register: RegData<Bits<3>>,
    order_data: RegData<Bits<32>>,
    first: Signal<Local, Bit>,
    /// A cut writes a register, of this unit.
    cuts: Signal<Local, Bit>,
    cut_writes: [Signal<Local, Bit>; units],
    /// Units.
    _units: Param<'u'>,
    /// Results may be counted.
    #[new(shape.census.into())]
    _census: Feature<"cs">,
}

#[kernel]
impl UnitWords {
    fn update(&mut self) {
        self.cuts();
        self.first = self.index_i == 1;
        self.register.load(
            self.set_i,
            mux(
                self.first,
                field!(self.word_i, set::REGISTER).get_bits::<4>(0),
                self.register + 1,
            ),
        );
        self.unit
            .load(self.set_i & self.first, field!(self.word_i, set::UNIT));
        self.all
            .load(self.set_i & self.first, flag!(self.word_i, set::ALL));
        self.order_register
            .load(self.set_i | self.cuts, self.register.get_bits::<3>(0));
        self.order_data.load(
            self.set_i | (self.run_word_i & self.first) | self.cuts,
            self.word_i,
        );
        for k in 0..self._census {
            if self.cuts {
                self.order_register = self.cut_i[k].register;
                self.order_data = self.cut_i[k].data;
            }
        }
        self.order_o.register = self.order_register;
        self.order_o.data = self.order_data;
        for u in 0..self._units {
            let is_named = self.all | (self.unit == u.to_bits::<6>());
            self.write[u] = (self.set_i & !self.first & (is_named)) | self.cut_writes[u];
            self.mask[u].load(
                self.run_word_i & (self.index_i == (2 + u / 32).to_bits::<3>()),
                self.word_i.get_bit(u % 32),
            );
            self.run[u] = self.run_i & self.mask[u];
        }
    }

    /// A register that a cut writes.
    fn cuts(&mut self) {
        self.cuts = false;
        for u in 0..self._units {
            self.cut_writes[u] = false;
        }
        for k in 0..self._census {
            self.cuts = self.cut_i[k].valid;
            for u in 0..self._units {
                self.cut_writes[u] = self.cuts & (self.cut_i[k].unit == u.to_bits::<6>());
            }
        }
    }
}
