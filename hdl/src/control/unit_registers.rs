//! What an instruction leaves behind for its unit.

use super::state::Phase;
use crate::prelude::*;

/// Words of an instruction on their way to the unit they are for: registers of its traversal, parameter
/// words, its start, and where the instruction stands in the program.
///
/// Index 0 of the vectors is the weight unit, 1 the stream unit, 2 the drain unit.
///
/// # Timing
/// A word on `word_i` in cycle t is on `cfg_*_o` in t + 1, a parameter word on its output from t + 1 on; a
/// start in t is on `start_o` in t + 1. `clear_i` clears at once.
#[derive(LogicBlock)]
pub struct UnitRegisters {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,
    /// No unit may work.
    pub clear_i: Signal<In, Bit>,
    /// An instruction for a unit begins.
    pub issue_i: Signal<In, Bit>,
    /// The unit of the instruction that begins.
    pub is_target_i: Vec<Signal<In, Bit>>,
    /// The instruction that begins is a copy.
    pub is_copy_i: Signal<In, Bit>,
    /// Word address of the instruction that begins.
    pub header_pc_i: Signal<In, Bits<16>>,
    /// The unit of the instruction under way.
    pub is_unit_i: Vec<Signal<In, Bit>>,
    /// A word of the instruction is on `word_i`.
    pub in_body_i: Signal<In, Bit>,
    /// A third parameter word is the one of pooling.
    pub is_pool_i: Vec<Signal<In, Bit>>,
    /// Its place in the instruction.
    pub phase_i: Signal<In, Phase>,
    /// Row of the record.
    pub row_i: Signal<In, Bits<3>>,
    /// Loop, 0 innermost.
    pub col_i: Signal<In, Bits<3>>,
    /// Word of the instruction.
    pub word_i: Signal<In, Bits<32>>,
    /// The instruction is complete: its unit starts.
    pub start_i: Signal<In, Bit>,
    /// Writes one register of the unit's traversal.
    pub cfg_valid_o: Vec<Signal<Out, Bit>>,
    /// Clears the registers of the unit's traversal.
    pub cfg_clear_o: Vec<Signal<Out, Bit>>,
    /// 0 initial, 1 step, 2 end, 3 base.
    pub cfg_sel_o: Signal<Out, Bits<2>>,
    /// Row of the record.
    pub cfg_row_o: Signal<Out, Bits<3>>,
    /// Loop, 0 innermost.
    pub cfg_col_o: Signal<Out, Bits<3>>,
    /// Value.
    pub cfg_data_o: Signal<Out, Bits<32>>,
    /// Starts the unit.
    pub start_o: Vec<Signal<Out, Bit>>,
    /// First parameter word of the unit's instruction.
    pub param_o: Vec<Signal<Out, Bits<32>>>,
    /// Second parameter word of the unit's instruction.
    pub second_param_o: Vec<Signal<Out, Bits<32>>>,
    /// The weight unit's instruction is a copy.
    pub copy_o: Signal<Out, Bit>,
    /// Third parameter word of the stream unit's instruction, if it uses row tables.
    pub table_o: Signal<Out, Bits<32>>,
    /// Word of the repetitions of the stream unit's instruction, 0 if it has none.
    pub repeat_o: Signal<Out, Bits<32>>,
    /// Third parameter word of the drain unit's instruction, 0 if it has none.
    pub place_o: Signal<Out, Bits<32>>,
    /// Word of pooling of the drain unit's instruction, 0 if it has none.
    pub pool_o: Vec<Signal<Out, Bits<32>>>,
    /// Word address of the unit's instruction.
    pub unit_pc_o: Vec<Signal<Out, Bits<16>>>,
    cfg_valid: Vec<Reg<Bit>>,
    cfg_clear: Vec<Reg<Bit>>,
    cfg_sel: Delay<Bits<2>>,
    cfg_row: Delay<Bits<3>>,
    cfg_col: Delay<Bits<3>>,
    cfg_data: Delay<Bits<32>>,
    start: Vec<Reg<Bit>>,
    param: Vec<RegEn<Bits<32>>>,
    second_param: Vec<RegEn<Bits<32>>>,
    copy: RegEn<Bit>,
    table: RegEn<Bits<32>>,
    repeat: RegEn<Bits<32>>,
    place: RegEn<Bits<32>>,
    pool: Vec<RegEn<Bits<32>>>,
    unit_pc: Vec<RegEn<Bits<16>>>,
    /// The word goes to a register of a traversal.
    is_register: Signal<Local, Bit>,
    _pooling: usize,
}

impl UnitRegisters {
    /// The registers of three units, with one for windows if `pooling`.
    pub fn new(pooling: bool) -> Self {
        let pooling = usize::from(pooling);
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            clear_i: Default::default(),
            issue_i: Default::default(),
            is_target_i: v(3),
            is_copy_i: Default::default(),
            header_pc_i: Default::default(),
            is_unit_i: v(3),
            in_body_i: Default::default(),
            is_pool_i: v(pooling),
            phase_i: Default::default(),
            row_i: Default::default(),
            col_i: Default::default(),
            word_i: Default::default(),
            start_i: Default::default(),
            cfg_valid_o: v(3),
            cfg_clear_o: v(3),
            cfg_sel_o: Default::default(),
            cfg_row_o: Default::default(),
            cfg_col_o: Default::default(),
            cfg_data_o: Default::default(),
            start_o: v(3),
            param_o: v(3),
            second_param_o: v(3),
            copy_o: Default::default(),
            table_o: Default::default(),
            repeat_o: Default::default(),
            place_o: Default::default(),
            pool_o: v(pooling),
            unit_pc_o: v(3),
            cfg_valid: v(3),
            cfg_clear: v(3),
            cfg_sel: Default::default(),
            cfg_row: Default::default(),
            cfg_col: Default::default(),
            cfg_data: Default::default(),
            start: v(3),
            param: v(3),
            second_param: v(3),
            copy: Default::default(),
            table: Default::default(),
            repeat: Default::default(),
            place: Default::default(),
            pool: v(pooling),
            unit_pc: v(3),
            is_register: Default::default(),
            _pooling: pooling,
        }
    }
}

impl Logic for UnitRegisters {
    #[hdl_gen]
    fn update(&mut self) {
        // Registers of the traversals
        self.cfg_sel.clk.next = self.clk.val();
        self.cfg_row.clk.next = self.clk.val();
        self.cfg_col.clk.next = self.clk.val();
        self.cfg_data.clk.next = self.clk.val();
        self.is_register.next = (self.phase_i.val() == Phase::Base)
            | (self.phase_i.val() == Phase::Initial)
            | (self.phase_i.val() == Phase::Step)
            | (self.phase_i.val() == Phase::End);
        self.cfg_sel.d_i.next = 3.into();
        match self.phase_i.val() {
            Phase::Initial => {
                self.cfg_sel.d_i.next = 0.into();
            }
            Phase::Step => {
                self.cfg_sel.d_i.next = 1.into();
            }
            Phase::End => {
                self.cfg_sel.d_i.next = 2.into();
            }
            _ => {}
        }
        self.cfg_row.d_i.next = self.row_i.val();
        self.cfg_col.d_i.next = self.col_i.val();
        self.cfg_data.d_i.next = self.word_i.val();
        self.cfg_sel_o.next = self.cfg_sel.q_o.val();
        self.cfg_row_o.next = self.cfg_row.q_o.val();
        self.cfg_col_o.next = self.cfg_col.q_o.val();
        self.cfg_data_o.next = self.cfg_data.q_o.val();

        for i in 0..3 {
            self.cfg_valid[i].clk.next = self.clk.val();
            self.cfg_valid[i].rst_n.next = self.rst_n.val();
            self.cfg_clear[i].clk.next = self.clk.val();
            self.cfg_clear[i].rst_n.next = self.rst_n.val();
            self.start[i].clk.next = self.clk.val();
            self.start[i].rst_n.next = self.rst_n.val();
            self.param[i].clk.next = self.clk.val();
            self.param[i].rst_n.next = self.rst_n.val();
            self.second_param[i].clk.next = self.clk.val();
            self.second_param[i].rst_n.next = self.rst_n.val();
            self.unit_pc[i].clk.next = self.clk.val();
            self.unit_pc[i].rst_n.next = self.rst_n.val();
            self.cfg_valid[i].d_i.next =
                self.in_body_i.val() & self.is_unit_i[i].val() & self.is_register.val();
            self.cfg_clear[i].d_i.next = self.issue_i.val() & self.is_target_i[i].val();
            self.start[i].d_i.next = self.start_i.val() & self.is_unit_i[i].val();
            self.param[i].en_i.next = self.in_body_i.val()
                & self.is_unit_i[i].val()
                & (self.phase_i.val() == Phase::Param);
            self.param[i].d_i.next = self.word_i.val();
            self.second_param[i].en_i.next = self.in_body_i.val()
                & self.is_unit_i[i].val()
                & (self.phase_i.val() == Phase::SecondParam);
            self.second_param[i].d_i.next = self.word_i.val();
            // A program without a DRAIN does not blame that of an earlier one.
            self.unit_pc[i].en_i.next =
                (self.issue_i.val() & self.is_target_i[i].val()) | self.clear_i.val();
            self.unit_pc[i].d_i.next = self.header_pc_i.val();
            if self.clear_i.val() {
                self.unit_pc[i].d_i.next = 0.into();
            }
            self.cfg_valid_o[i].next = self.cfg_valid[i].q_o.val();
            self.cfg_clear_o[i].next = self.cfg_clear[i].q_o.val() | self.clear_i.val();
            self.start_o[i].next = self.start[i].q_o.val();
            self.param_o[i].next = self.param[i].q_o.val();
            self.second_param_o[i].next = self.second_param[i].q_o.val();
            self.unit_pc_o[i].next = self.unit_pc[i].q_o.val();
        }
        self.copy.clk.next = self.clk.val();
        self.copy.rst_n.next = self.rst_n.val();
        self.copy.en_i.next = self.issue_i.val() & self.is_target_i[0].val();
        self.copy.d_i.next = self.is_copy_i.val();
        self.copy_o.next = self.copy.q_o.val();
        self.table.clk.next = self.clk.val();
        self.table.rst_n.next = self.rst_n.val();
        self.table.en_i.next = self.in_body_i.val()
            & self.is_unit_i[1].val()
            & (self.phase_i.val() == Phase::ThirdParam);
        self.table.d_i.next = self.word_i.val();
        self.table_o.next = self.table.q_o.val();
        self.repeat.clk.next = self.clk.val();
        self.repeat.rst_n.next = self.rst_n.val();
        self.repeat.en_i.next = self.in_body_i.val()
            & self.is_unit_i[1].val()
            & ((self.phase_i.val() == Phase::Param) | (self.phase_i.val() == Phase::Repeat));
        self.repeat.d_i.next = 0.into();
        if self.phase_i.val() == Phase::Repeat {
            self.repeat.d_i.next = self.word_i.val();
        }
        self.repeat_o.next = self.repeat.q_o.val();
        self.place.clk.next = self.clk.val();
        self.place.rst_n.next = self.rst_n.val();
        if self._pooling > 0 {
            self.place.en_i.next = self.in_body_i.val()
                & self.is_unit_i[2].val()
                & ((self.phase_i.val() == Phase::Param)
                    | ((self.phase_i.val() == Phase::ThirdParam) & !self.is_pool_i[0].val()));
        } else {
            self.place.en_i.next = self.in_body_i.val()
                & self.is_unit_i[2].val()
                & ((self.phase_i.val() == Phase::Param)
                    | (self.phase_i.val() == Phase::ThirdParam));
        }
        self.place.d_i.next = 0.into();
        if self.phase_i.val() == Phase::ThirdParam {
            self.place.d_i.next = self.word_i.val();
        }
        self.place_o.next = self.place.q_o.val();
        for i in 0..self._pooling {
            self.pool[i].clk.next = self.clk.val();
            self.pool[i].rst_n.next = self.rst_n.val();
            self.pool[i].en_i.next = self.in_body_i.val()
                & self.is_unit_i[2].val()
                & ((self.phase_i.val() == Phase::Param)
                    | ((self.phase_i.val() == Phase::ThirdParam) & self.is_pool_i[i].val()));
            self.pool[i].d_i.next = 0.into();
            if self.phase_i.val() == Phase::ThirdParam {
                self.pool[i].d_i.next = self.word_i.val();
            }
            self.pool_o[i].next = self.pool[i].q_o.val();
        }
    }
    module!(|this| {
        Meta::module("unit_registers").feature(
            "pooling",
            "pl",
            this._pooling,
            "a drain may reduce windows",
        )
    });
}
