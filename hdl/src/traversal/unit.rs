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
    /// A demand is heard in this cycle.
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
        self.decoder.clear_i.next = self.clear_i.val();
        self.decoder.instr_valid_i.next = self.instr_valid_i.val() & !self.error.q_o.val();
        self.decoder.instr_data_i.next = self.instr_data_i.val();
        self.decoder.cfg_ready_i.next = self.engine.cfg_ready_o.val();
        self.decoder.endless_i.next = self.engine.endless_o.val();
        self.instr_ready_o.next = self.decoder.instr_ready_o.val() & !self.error.q_o.val();

        self.engine.stop_i.next = self.stop.val();
        self.engine.cfg_clear_i.next = self.decoder.cfg_clear_o.val() | self.clear_i.val();
        self.engine.cfg_valid_i.next = self.decoder.cfg_valid_o.val();
        self.engine.cfg_sel_i.next = self.decoder.cfg_sel_o.val();
        self.engine.cfg_row_i.next = self.decoder.cfg_row_o.val();
        self.engine.cfg_col_i.next = self.decoder.cfg_col_o.val();
        self.engine.cfg_data_i.next = self.decoder.cfg_data_o.val();
        self.engine.cfg_kind_i.next = self.decoder.cfg_kind_o.val();
        self.engine.cfg_attached_i.next = self.decoder.cfg_attached_o.val();
        self.engine.cfg_loop_i.next = self.decoder.cfg_loop_o.val();
        self.engine.cfg_equal_i.next = self.decoder.cfg_equal_o.val();
        self.engine.cfg_trips_i.next = self.decoder.cfg_trips_o.val();
        self.engine.cfg_group_i.next = self.decoder.cfg_group_o.val();
        self.engine.start_i.next = self.decoder.start_o.val() & !self.error.q_o.val();
        self.engine.offset_only_i.next = self.decoder.offset_only_o.val();
        // A window is compared with the addresses of its own traversal only.
        self.engine.alone_i.next = self.decoder.window_o.val() | self.window.q_o.val();
        self.engine.pause_i.next =
            self.pause_i.val() | (self.on_demand.q_o.val() & !self.demand_i.val());
        self.engine.ready_i.next = self.room.val();

        comment!("What the traversal under way asks for");
        self.on_demand.en_i.next = self.engine.load_o.val();
        self.on_demand.d_i.next = self.decoder.on_demand_o.val();
        self.window.en_i.next = self.engine.load_o.val();
        self.window.d_i.next = self.decoder.window_o.val();
        self.window_first.en_i.next = self.engine.load_o.val();
        self.window_first.d_i.next = self.decoder.window_first_o.val();
        self.window_last.en_i.next = self.engine.load_o.val();
        self.window_last.d_i.next = self.decoder.window_last_o.val();

        comment!("The address shown");
        self.room.next = !self.valid.q_o.val() | self.ready_i.val();
        self.outside.next = self.window.q_o.val()
            & ((self.engine.addr_o.val() < self.window_first.q_o.val())
                | (self.engine.addr_o.val() > self.window_last.q_o.val()));
        self.astray.d_i.next =
            self.engine.valid_o.val() & self.room.val() & self.outside.val() & !self.stop.val();
        self.stop.next = self.clear_i.val() | self.astray.q_o.val();
        self.fits.next = self.engine.valid_o.val() & !self.outside.val();
        self.valid.en_i.next = self.room.val() | self.clear_i.val();
        self.valid.d_i.next = self.fits.val() & !self.stop.val();
        self.addr.en_i.next = self.room.val();
        self.addr.d_i.next = self.engine.addr_o.val();
        self.row.en_i.next = self.room.val();
        self.row.d_i.next = self.engine.row_o.val();
        self.kind.en_i.next = self.room.val();
        self.kind.d_i.next = self.engine.kind_o.val();
        self.last.en_i.next = self.room.val();
        self.last.d_i.next = self.engine.last_o.val();
        self.end_flag.en_i.next = self.room.val();
        self.end_flag.d_i.next = self.engine.end_o.val();
        for c in 0..self._loops {
            self.final_flag[c].en_i.next = self.room.val();
            self.final_flag[c].d_i.next = self.engine.final_o[c].val();
            self.final_o[c].next = self.final_flag[c].q_o.val();
        }

        comment!("The first error stays");
        self.error.en_i.next =
            self.clear_i.val() | self.decoder.fault_o.val() | self.astray.q_o.val();
        self.error.d_i.next = !self.clear_i.val();
        self.error_code.en_i.next = !self.error.q_o.val();
        self.error_word.en_i.next = !self.error.q_o.val();
        self.error_code.d_i.next = self.decoder.fault_code_o.val();
        self.error_word.d_i.next = self.decoder.fault_word_o.val();
        if self.astray.q_o.val() {
            self.error_code.d_i.next = 4.into();
            self.error_word.d_i.next = 0.into();
        }

        self.valid_o.next = self.valid.q_o.val();
        self.addr_o.next = self.addr.q_o.val();
        self.row_o.next = self.row.q_o.val();
        self.kind_o.next = self.kind.q_o.val();
        self.last_o.next = self.last.q_o.val();
        self.end_o.next = self.end_flag.q_o.val();
        // Falls when the error rises, not before.
        self.busy_o.next = self.engine.busy_o.val() | self.valid.q_o.val() | self.astray.q_o.val();
        self.error_o.next = self.error.q_o.val();
        self.error_code_o.next = self.error_code.q_o.val();
        self.error_word_o.next = self.error_word.q_o.val();
        self.demand_ready_o.next =
            self.engine.able_o.val() & self.on_demand.q_o.val() & !self.pause_i.val();
    }
}
