//! What an instruction leaves behind for its unit.

use super::state::Phase;
use heddle_kernel::prelude::*;

/// Words of an instruction on their way to the unit they are for: registers of its traversal, parameter
/// words, its start, and where the instruction stands in the program.
///
/// Index 0 of the vectors is the weight unit, 1 the stream unit, 2 the drain unit.
///
/// # Timing
/// A word on `word_i` in cycle t is on `cfg_*_o` in t + 1, a parameter word on its output from t + 1 on; a
/// start in t is on `start_o` in t + 1. `issue_i` in t: `cfg_clear_o` in t + 1, `copy_o` and `unit_pc_o` of the
/// instruction from t + 2 on. `clear_i` clears at once.
#[module]
pub struct UnitRegisters {
    /// No unit may work.
    pub clear_i: Signal<In, Bit>,
    /// An instruction for a unit begins.
    pub issue_i: Signal<In, Bit>,
    /// The instruction that begins is a copy.
    pub is_copy_i: Signal<In, Bit>,
    /// Word address of the instruction that begins.
    pub header_pc_i: Signal<In, Bits<16>>,
    /// The unit of the instruction that begins or is under way.
    pub is_unit_i: [Signal<In, Bit>; 3],
    /// A word of the instruction is on `word_i`.
    pub in_body_i: Signal<In, Bit>,
    /// A third parameter word is the one of pooling.
    pub is_pool_i: [Signal<In, Bit>; pooling],
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
    pub cfg_valid_o: [Signal<Out, Bit>; 3],
    /// Clears the registers of the unit's traversal.
    pub cfg_clear_o: [Signal<Out, Bit>; 3],
    cfg_valid: [Reg<Bit>; 3],
    cfg_clear: [Reg<Bit>; 3],
    /// 0 initial, 1 step, 2 end, 3 base.
    pub cfg_sel: OutDelay<Bits<2>>,
    /// Row of the record.
    pub cfg_row: OutDelay<Bits<3>>,
    /// Loop, 0 innermost.
    pub cfg_col: OutDelay<Bits<3>>,
    /// Value.
    pub cfg_data: OutDelay<Bits<32>>,
    /// Starts the unit.
    pub start_o: [Signal<Out, Bit>; 3],
    /// First parameter word of the unit's instruction.
    pub param_o: [Signal<Out, Bits<32>>; 3],
    /// Second parameter word of the unit's instruction.
    pub second_param_o: [Signal<Out, Bits<32>>; 3],
    start: [Reg<Bit>; 3],
    param: [RegEn<Bits<32>>; 3],
    second_param: [RegEn<Bits<32>>; 3],
    /// The weight unit's instruction is a copy.
    pub copy: OutRegEn<Bit>,
    /// Third parameter word of the stream unit's instruction, if it uses row tables.
    pub table: OutRegEn<Bits<32>>,
    /// Word of the repetitions of the stream unit's instruction, 0 if it has none.
    pub repeat: OutRegEn<Bits<32>>,
    /// Third parameter word of the drain unit's instruction, 0 if it has none.
    pub place: OutRegEn<Bits<32>>,
    /// Word of pooling of the drain unit's instruction, 0 if it has none.
    pub pool_o: [Signal<Out, Bits<32>>; pooling],
    /// Word address of the unit's instruction.
    pub unit_pc_o: [Signal<Out, Bits<16>>; 3],
    pool: [RegEn<Bits<32>>; pooling],
    unit_pc: [RegEn<Bits<16>>; 3],
    /// The word goes to a register of a traversal.
    is_register: Signal<Local, Bit>,
    /// A drain may reduce windows.
    #[argument]
    _windows: bool,
    /// A drain may reduce windows.
    #[new(windows.into())]
    _pooling: Feature<"pl">,
}

#[kernel]
impl UnitRegisters {
    fn update(&mut self) {
        // Registers of the traversals
        self.is_register = (self.phase_i == Phase::Base)
            | (self.phase_i == Phase::Initial)
            | (self.phase_i == Phase::Step)
            | (self.phase_i == Phase::End);
        self.cfg_sel = 3.into();
        match self.phase_i {
            Phase::Initial => {
                self.cfg_sel = 0.into();
            }
            Phase::Step => {
                self.cfg_sel = 1.into();
            }
            Phase::End => {
                self.cfg_sel = 2.into();
            }
            _ => {}
        }
        self.cfg_row = self.row_i;
        self.cfg_col = self.col_i;
        self.cfg_data = self.word_i;

        for i in 0..3 {
            self.cfg_valid[i] = self.in_body_i & self.is_unit_i[i] & self.is_register;
            self.cfg_clear[i] = self.issue_i & self.is_unit_i[i];
            self.start[i] = self.start_i & self.is_unit_i[i];
            let word = self.in_body_i & self.is_unit_i[i];
            self.param[i].load(word & (self.phase_i == Phase::Param), self.word_i);
            self.second_param[i].load(word & (self.phase_i == Phase::SecondParam), self.word_i);
            // A program without a DRAIN does not blame that of an earlier one.
            self.unit_pc[i].en_i = self.cfg_clear[i] | self.clear_i;
            self.unit_pc[i] = mux(self.clear_i, 0.into(), self.header_pc_i);
            self.cfg_valid_o[i] = self.cfg_valid[i];
            self.cfg_clear_o[i] = self.cfg_clear[i] | self.clear_i;
            self.start_o[i] = self.start[i];
            self.param_o[i] = self.param[i];
            self.second_param_o[i] = self.second_param[i];
            self.unit_pc_o[i] = self.unit_pc[i];
        }
        self.copy.load(self.cfg_clear[0], self.is_copy_i);
        let stream = self.in_body_i & self.is_unit_i[1];
        let drain = self.in_body_i & self.is_unit_i[2];
        let is_first = self.phase_i == Phase::Param;
        let is_third = self.phase_i == Phase::ThirdParam;
        self.table.load(stream & is_third, self.word_i);
        self.repeat.load(
            stream & (is_first | (self.phase_i == Phase::Repeat)),
            0.into(),
        );
        if self.phase_i == Phase::Repeat {
            self.repeat = self.word_i;
        }
        if self._pooling > 0 {
            self.place.en_i = drain & (is_first | (is_third & !self.is_pool_i[0]));
        } else {
            self.place.en_i = drain & (is_first | is_third);
        }
        self.place = mux(self.phase_i == Phase::ThirdParam, self.word_i, 0.into());
        for i in 0..self._pooling {
            self.pool[i].load(
                drain & (is_first | (is_third & self.is_pool_i[i])),
                0.into(),
            );
            if self.phase_i == Phase::ThirdParam {
                self.pool[i] = self.word_i;
            }
            self.pool_o[i] = self.pool[i];
        }
    }
}
