//! The stand-alone traversal unit.

use super::{TraversalDecoder, TraversalEngine, TraversalShape};
use heddle_kernel::prelude::*;

/// Traversal unit: one instruction describes nests of loops; the unit emits their addresses, one per
/// clock, by additions only. `docs/traversal.md` has the instructions, the errors and the options.
///
/// # Timing
/// A word per clock. With the last word of an instruction taken in cycle t the first address is
/// valid in t + 8 + S, S being the register stages of the address sum; then one address per clock,
/// without a gap at wraps and row changes. With two sets of registers the next instruction is
/// loaded meanwhile, and its addresses follow without a gap, unless one of the two has a window.
/// All outputs beside `instr_ready_o` and `demand_ready_o` are registers, or stand directly behind
/// registers; those of an address are only defined with `valid_o`.
#[module(name = "traversal", build, describe)]
pub struct TraversalUnit<const W: usize, const D: usize, const A: usize> {
    /// Stops everything and forgets the error; nothing is loaded any more.
    pub clear_i: Signal<In, Bit>,
    /// No new address is formed while high; addresses under way come out.
    pub pause_i: Signal<In, Bit>,
    /// In a traversal on demand: an address is formed in this cycle.
    pub demand_i: Signal<In, Bit>,
    /// A demand is taken in this cycle.
    pub demand_ready_o: Signal<Out, Bit>,
    /// An instruction word is offered.
    pub instr_valid_i: Signal<In, Bit>,
    /// It is taken at this clock edge.
    pub instr_ready_o: Signal<Out, Bit>,
    /// Instruction word.
    pub instr_data_i: Signal<In, Bits<32>>,
    /// An address is waiting to be taken.
    pub valid_o: Signal<Out, Bit>,
    /// The address is taken at this clock edge if it is valid.
    pub ready_i: Signal<In, Bit>,
    /// Address.
    pub addr_o: Signal<Out, Bits<A>>,
    /// Row of the address.
    pub row_o: Signal<Out, Bits<3>>,
    /// Kind of the row: 0 tensor, 1 prologue, 2 epilogue.
    pub kind_o: Signal<Out, Bits<2>>,
    /// Per loop: the address belongs to its last iteration.
    pub final_o: [Signal<Out, Bit>; shape.loops],
    /// Last address of the row.
    pub last_o: Signal<Out, Bit>,
    /// Last address of the traversal.
    pub end_o: Signal<Out, Bit>,
    /// A traversal is started and not all its addresses are taken.
    pub busy_o: Signal<Out, Bit>,
    /// An error stopped the unit.
    pub error_o: Signal<Out, Bit>,
    /// Its code.
    pub error_code_o: Signal<Out, Bits<8>>,
    /// Position of the wrong word in its instruction.
    pub error_word_o: Signal<Out, Bits<8>>,
    #[new(StreamContract::new("an address", 2))]
    address_waits: StreamContract<A>,
    #[new(TraversalDecoder::new(shape))]
    decoder: TraversalDecoder<W, A>,
    #[new(TraversalEngine::new(shape))]
    engine: TraversalEngine<W, D, A>,
    /// Of the traversal under way.
    on_demand: RegEn<Bit>,
    window: RegEn<Bit>,
    window_first: RegData<Bits<A>>,
    window_last: RegData<Bits<A>>,
    /// The address shown.
    valid: RegEn<Bit>,
    addr: RegData<Bits<A>>,
    row: RegData<Bits<3>>,
    kind: RegData<Bits<2>>,
    final_flag: [RegData<Bit>; shape.loops],
    last: RegData<Bit>,
    end_flag: RegData<Bit>,
    /// An address outside the window was formed one cycle before.
    astray: Reg<Bit>,
    error: RegEn<Bit>,
    error_code: RegData<Bits<8>>,
    error_word: RegData<Bits<8>>,
    room: Signal<Local, Bit>,
    outside: Signal<Local, Bit>,
    fits: Signal<Local, Bit>,
    stop: Signal<Local, Bit>,
    _loops: usize,
    _shape: TraversalShape,
}

impl<const W: usize, const D: usize, const A: usize> TraversalUnit<W, D, A> {
    /// A unit.
    ///
    /// # Panics
    /// As [`TraversalEngine::new`].
    pub fn new(shape: TraversalShape) -> Self {
        let shape = TraversalShape {
            check: true,
            ..shape
        };
        Self::build(shape.loops, shape)
    }
}

impl<const W: usize, const D: usize, const A: usize> TraversalUnit<W, D, A> {
    fn describe(&self, meta: Meta) -> Meta {
        self._shape.describe(meta, W, A, "sxqtiglv")
    }
}

#[kernel]
impl<const W: usize, const D: usize, const A: usize> TraversalUnit<W, D, A> {
    fn update(&mut self) {
        self.decoder.clear_i = self.clear_i;
        self.decoder.instr_valid_i = self.instr_valid_i & !self.error;
        self.decoder.instr_data_i = self.instr_data_i;
        self.decoder.cfg_ready_i = self.engine.cfg_ready_o;
        self.decoder.endless_i = self.engine.endless_o;
        self.instr_ready_o = self.rst_n & self.decoder.instr_ready_o & !self.error;

        self.engine.stop_i = self.stop;
        self.engine.cfg_clear_i = self.decoder.cfg_clear_o | self.clear_i;
        self.engine.cfg_valid_i = self.decoder.cfg_valid_o;
        self.engine.cfg_sel_i = self.decoder.cfg_sel_o;
        self.engine.cfg_row_i = self.decoder.cfg_row_o;
        self.engine.cfg_col_i = self.decoder.cfg_col_o;
        self.engine.cfg_data_i = self.decoder.cfg_data_o;
        self.engine.cfg_kind_i = self.decoder.cfg_kind_o;
        self.engine.cfg_attached_i = self.decoder.cfg_attached_o;
        self.engine.cfg_loop_i = self.decoder.cfg_loop_o;
        self.engine.cfg_equal_i = self.decoder.cfg_equal_o;
        self.engine.cfg_trips_i = self.decoder.cfg_trips_o;
        self.engine.cfg_group_i = self.decoder.cfg_group_o;
        self.engine.start_i = self.decoder.start_o & !self.error;
        self.engine.offset_only_i = self.decoder.offset_only_o;
        // A window is compared with the addresses of its own traversal only.
        self.engine.alone_i = self.decoder.window_o | self.window;
        self.engine.pause_i = self.pause_i | (self.on_demand & !self.demand_i);
        self.engine.ready_i = self.room;

        comment!("What the traversal under way asks for");
        self.on_demand.en_i = self.engine.load_o;
        self.on_demand = self.decoder.on_demand_o;
        self.window.load(self.engine.load_o, self.decoder.window_o);
        self.window_first.en_i = self.engine.load_o;
        self.window_first = self.decoder.window_first_o;
        self.window_last.en_i = self.engine.load_o;
        self.window_last = self.decoder.window_last_o;

        comment!("The address shown");
        self.room = !self.valid | self.ready_i;
        self.outside = self.window
            & ((self.engine.addr_o < self.window_first) | (self.engine.addr_o > self.window_last));
        self.astray = self.engine.valid_o & self.room & self.outside & !self.stop;
        self.stop = self.clear_i | self.astray;
        self.fits = self.engine.valid_o & !self.outside;
        self.valid.en_i = self.room | self.clear_i;
        self.valid = self.fits & !self.stop;
        self.addr.load(self.room, self.engine.addr_o);
        self.row.load(self.room, self.engine.row_o);
        self.kind.load(self.room, self.engine.kind_o);
        self.last.load(self.room, self.engine.last_o);
        self.end_flag.load(self.room, self.engine.end_o);
        for c in 0..self._loops {
            self.final_flag[c].load(self.room, self.engine.final_o[c]);
            self.final_o[c] = self.final_flag[c];
        }

        // A clear takes the address away at its edge, as a reader does.
        self.address_waits.valid_i = self.valid;
        self.address_waits.ready_i = self.ready_i | self.clear_i;
        self.address_waits.word_i[0] = self.addr;
        self.address_waits.word_i[1] = self.row.get_bits::<A>(0);

        comment!("The first error stays");
        self.error.en_i = self.clear_i | self.decoder.fault_o | self.astray;
        self.error = !self.clear_i;
        self.error_code.en_i = !self.error;
        self.error_word.en_i = !self.error;
        self.error_code = self.decoder.fault_code_o;
        self.error_word = self.decoder.fault_word_o;
        if self.astray {
            self.error_code = 4.into();
            self.error_word = 0.into();
        }

        self.valid_o = self.valid;
        self.addr_o = self.addr;
        self.row_o = self.row;
        self.kind_o = self.kind;
        self.last_o = self.last;
        self.end_o = self.end_flag;
        // Falls when the error rises, not before.
        self.busy_o = self.engine.busy_o | self.valid | self.astray;
        self.error_o = self.error;
        self.error_code_o = mux(self.error, self.error_code, 0.into());
        self.error_word_o = mux(self.error, self.error_word, 0.into());
        self.demand_ready_o = self.rst_n & self.engine.able_o & self.on_demand & !self.pause_i;
    }
}
