//! The head of the cluster: commands.

use super::{
    Command, CommandCheck, CommandHeader, ScaleWords, Scoreboard, SparseShape, UnitWords, waves::*,
};
use heddle_arch::isa::fields::sparse::{cut, drain, header, load, run, weights_lists};
use heddle_arch::isa::sparse::SparseError;
use heddle_kernel::prelude::*;

fn code(error: SparseError) -> u64 {
    error.number().into()
}

/// What the head does in a cycle.
#[derive(LogicState, Copy, Clone, PartialEq, Debug)]
pub enum HeadState {
    /// A header is checked, or awaited.
    Header,
    /// The words behind it.
    Body,
    /// The command waits for what it depends on.
    Start,
    /// An error: no command is taken any more.
    Stop,
}

/// Takes commands, checks them word by word, hands the words to the part that carries the command out, and starts it when what it depends on is
/// done. Commands start in their order and then overlap.
///
/// A header waits for the part that carries it out, and for all runs if it says so. A value of SPARSE_SET waits until nothing uses its
/// register; weights wait for the runs of their half, runs for weights of theirs, for drains of their region and for a free place in each of their units,
/// drains for the runs of their region. A cut waits for what uses the registers that it writes, and for all results; while it is under way no
/// header passes. Loads wait for their sets on their own.
///
/// # Timing
/// A word in cycle T is checked in T+1 and reaches its part in T+2. A command of n words takes n + 2 cycles if nothing waits, SPARSE_SET and
/// SPARSE_SCALE n + 1.
#[module(name = "sparse_head", shape: SparseShape)]
pub struct SparseHead {
    /// A word of a command.
    pub cmd_valid_i: Signal<In, Bit>,
    /// It is taken.
    pub cmd_ready_o: Signal<Out, Bit>,
    /// The word.
    pub cmd_data_i: Signal<In, Bits<32>>,
    /// A word for loads (0), weights (1), drains (2), cuts (3).
    pub command_o: [CommandWord<Out>; 3 + census],
    /// They start.
    pub start: [OutReg<Bit>; 3 + census],
    /// They are busy.
    pub busy_i: [Signal<In, Bit>; 3 + census],
    /// A cut writes a register of a unit.
    pub cut_i: [UnitWrite<In>; census],
    /// A parameter of an output channel.
    pub scale_o: ScaleValue<Out>,
    /// A word for units.
    pub order_o: UnitOrder<Out>,
    /// It is for a register of this unit.
    pub write_o: [Signal<Out, Bit>; units],
    /// It is a run of this unit.
    pub run_o: [Signal<Out, Bit>; units],
    /// A chunk of a load begins.
    pub begins_i: Signal<In, Bit>,
    /// Its set.
    pub load_set_i: Signal<In, Bits<2>>,
    /// Its units.
    pub load_mask_i: [Signal<In, Bit>; units],
    /// The set is free in all of these units.
    pub free_o: Signal<Out, Bit>,
    /// The half of the weights that are filled.
    pub fill_half_i: Signal<In, Bit>,
    /// The sums of a region are drained.
    pub drains_i: [Signal<In, Bit>; 2],
    /// Parameters of output channels may be in use.
    pub scales_i: Signal<In, Bit>,
    /// All results have left.
    pub drained_i: Signal<In, Bit>,
    /// What units say, see [`Scoreboard`].
    pub run_ready_i: [Signal<In, Bit>; units],
    /// Sets that they release; changes.
    pub released_i: [[Signal<In, Bit>; sets]; units],
    /// Halves of the weights that their runs name.
    pub half_busy_i: [[Signal<In, Bit>; 2]; units],
    /// Regions of the sums that they name.
    pub region_busy_i: [[Signal<In, Bit>; 2]; units],
    /// Units that have a run.
    pub running_i: [Signal<In, Bit>; units],
    /// Event: a set is full, an entry is dropped.
    pub full_i: [Signal<In, Bit>; units],
    /// Something happens in this cycle, or a stream is waited for.
    pub progress_i: Signal<In, Bit>,
    /// Nothing is under way.
    pub idle_o: Signal<Out, Bit>,
    /// Number of the error that has stopped the cluster, or 0.
    pub error: OutReg<Bits<5>>,
    /// Words of commands before the one that is looked at, or was wrong.
    pub words: OutReg<Bits<32>>,
    #[new(CommandHeader::new(shape))]
    header: CommandHeader,
    #[new(UnitWords::new(shape))]
    for_units: UnitWords,
    #[new(ScaleWords::new(lanes))]
    scales: ScaleWords,
    #[new(CommandCheck::new(shape))]
    check: CommandCheck,
    #[new(Scoreboard::new(shape))]
    board: Scoreboard,
    state: Reg<HeadState>,
    /// A word.
    has: Reg<Bit>,
    word: RegData<Bits<32>>,
    /// The word before it.
    before: RegData<Bits<32>>,
    command: RegData<Command>,
    /// Place of the word in its command, at most 7.
    index: RegData<Bits<3>>,
    /// Words of the command that have not passed.
    left: RegData<Bits<8>>,
    /// Stride of a load.
    stride: RegData<Bits<2>>,
    /// Half and region of a command.
    half: RegData<Bit>,
    region: RegData<Bit>,
    /// A word has passed, and it was wrong.
    counted: Reg<Bit>,
    bad: Reg<Bit>,
    /// A word for an engine.
    command_valid: [Reg<Bit>; 3 + census],
    command_index: Delay<Bits<3>>,
    command_data: Delay<Bits<32>>,
    /// Runs were given 1, 2, 3 cycles ago: the scoreboard does not show them yet.
    gave: [Reg<Bit>; 3],
    /// Cycles until entries and their end have reached the last unit.
    load_tail: Reg<Bits<7>>,
    /// Cycles without progress.
    stuck: Reg<Bits<12>>,
    full: Reg<Bit>,
    /// The state.
    in_header: Signal<Local, Bit>,
    in_body: Signal<Local, Bit>,
    in_start: Signal<Local, Bit>,
    /// The command of the header, and of the words behind it, is for this engine.
    begins: [Signal<Local, Bit>; 3 + census],
    is_for: [Signal<Local, Bit>; 3 + census],
    /// The header waits for nothing.
    may_begin: Signal<Local, Bit>,
    /// Nothing uses the register of a SPARSE_SET.
    may_write: Signal<Local, Bit>,
    may_start: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    ready: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    passes: Signal<Local, Bit>,
    /// A word behind the header passes.
    goes: Signal<Local, Bit>,
    starts: Signal<Local, Bit>,
    runs: Signal<Local, Bit>,
    quiet: Signal<Local, Bit>,
    failed: Signal<Local, Bits<5>>,
    /// A cut is under way.
    cuts: Signal<Local, Bit>,
    /// Register of a SPARSE_SET.
    next_register: Signal<Local, Bits<4>>,
    /// Nothing uses parts, windows of a region.
    free_parts: Signal<Local, Bit>,
    free_windows: [Signal<Local, Bit>; 2],
    /// Units.
    _units: Param<'u'>,
    /// Sets of a map memory.
    _sets: Param<'s'>,
    /// Lanes of a unit.
    _lanes: Param<'g'>,
    /// Lanes of a map.
    _load_lanes: Param<'r'>,
    /// Lists of weights.
    _lists: Param<'l'>,
    /// Words of weights.
    _words: Param<'w'>,
    /// Groups with parameters.
    _tiles: Param<'t'>,
    /// Results may be counted.
    #[new(shape.census.into())]
    _census: Feature<"cs">,
    /// Sums are scaled.
    #[new(shape.post.into())]
    _posts: Feature<"ps">,
}

#[kernel]
impl SparseHead {
    fn update(&mut self) {
        self.stream();
        self.commands();
        self.scoreboard();
        self.waits();
        self.may_write();
        self.may_start();
        self.pass();
        self.engines();
        self.names();
        self.units();
        self.idle();
        self.errors();
    }

    /// Words come in; one is looked at.
    fn stream(&mut self) {
        self.in_header = self.state == HeadState::Header;
        self.in_body = self.state == HeadState::Body;
        self.in_start = self.state == HeadState::Start;
        self.last = self.left == 1;
        comment!("Behind a header there always is another word");
        self.ready =
            (self.in_header | (self.in_body & !(self.has & self.last))) & (!self.has | self.passes);
        self.cmd_ready_o = self.rst_n & self.ready;
        self.takes = self.ready & self.cmd_valid_i;
        self.has = self.takes | (self.has & !self.passes);
        self.word.load(self.takes, self.cmd_data_i);
        self.before.load(self.takes, self.word);
    }

    /// Which engine a command is for.
    fn commands(&mut self) {
        self.header.word_i = self.word;
        let command = self.header.command_o;
        self.begins[0] = command == Command::Load;
        self.begins[1] = command == Command::Weights;
        self.begins[2] = command == Command::Drain;
        self.is_for[0] = self.command == Command::Load;
        self.is_for[1] = self.command == Command::Weights;
        self.is_for[2] = self.command == Command::Drain;
        for i in 3..(3 + self._census) {
            self.begins[i] = command == Command::Cut;
            self.is_for[i] = self.command == Command::Cut;
        }
    }

    /// What units say.
    fn scoreboard(&mut self) {
        self.board.begins_i = self.begins_i;
        self.board.load_set_i = self.load_set_i;
        self.board.load_mask_i.follow(&self.load_mask_i);
        self.free_o = self.board.free_o;
        self.board.run_set_i = field!(self.for_units.order_o.data, run::SET);
        self.board.run_mask_i.follow(&self.for_units.mask_o);
        self.board.run_ready_i.follow(&self.run_ready_i);
        self.board.released_i.follow(&self.released_i);
        self.board.half_busy_i.follow(&self.half_busy_i);
        self.board.region_busy_i.follow(&self.region_busy_i);
        self.board.running_i.follow(&self.running_i);
        self.runs = self.board.running_o | self.gave[0] | self.gave[1] | self.gave[2];
    }

    /// What a header waits for, and others.
    fn waits(&mut self) {
        self.cuts = false;
        for i in 3..(3 + self._census) {
            self.cuts = self.busy_i[i];
        }
        let scales = self.header.command_o == Command::Scale;
        self.may_begin = !(flag!(self.word, header::WAIT_RUNS) & self.runs)
            & !((scales) & self.scales_i)
            & !self.cuts;
        for i in 0..3 {
            if self.begins[i] & self.busy_i[i] {
                self.may_begin = false;
            }
        }

        self.load_tail = mux(self.load_tail == 0, 0.into(), self.load_tail - 1);
        if self.busy_i[0] {
            self.load_tail = (self._units + 4).to_bits::<7>();
        }
        self.free_parts = !self.busy_i[0] & (self.load_tail == 0);
        for r in 0..2 {
            self.free_windows[r] = !(self.board.region_busy_o[r] | self.drains_i[r]);
        }
    }

    /// Whether a value of SPARSE_SET may go to its register.
    fn may_write(&mut self) {
        self.next_register = self.for_units.register_o;
        self.may_write = true;
        if self.next_register.get_bit(2) {
            for r in 0..2 {
                if (self.next_register.get_bit(1) == (r == 1)) & !self.free_windows[r] {
                    self.may_write = false;
                }
            }
        } else if self.next_register.get_bit(1) {
            self.may_write = !(self.drains_i[0] | self.drains_i[1]);
        } else {
            self.may_write = self.free_parts;
        }
    }

    /// Whether the command may start.
    fn may_start(&mut self) {
        self.may_start = true;
        if self.command == Command::Weights {
            self.may_start = !self.board.half_busy_o[0];
            if self.half {
                self.may_start = !self.board.half_busy_o[1];
            }
        }
        if self.command == Command::Run {
            self.may_start = self.board.ready_o
                & !(self.busy_i[1] & (self.fill_half_i == self.half))
                & !(self.drains_i[0] & !self.region)
                & !(self.drains_i[1] & self.region);
        }
        if self.command == Command::Cut {
            self.may_start = self.free_parts & !self.scales_i & self.free_windows[0];
            if self.region {
                self.may_start = self.free_parts & !self.scales_i & self.free_windows[1];
            }
        }
        if self.command == Command::Drain {
            self.may_start = !self.board.region_busy_o[0];
            if self.region {
                self.may_start = !self.board.region_busy_o[1];
            }
        }
    }

    /// A word goes on.
    fn pass(&mut self) {
        let waits = (self.command == Command::Set) & (self.index != 1) & !self.may_write;
        self.passes = self.has & ((self.in_header & self.may_begin) | (self.in_body & !(waits)));
        self.check.word_i = self.word;
        self.check.before_i = self.before;
        self.check.command_i = self.command;
        self.check.index_i = self.index;
        self.check.register_i = self.next_register;
        self.check.stride_i = self.stride;
        self.check.tile_i = self.scales.tile_o;
        self.check.number_i = self.scales.number_o;
        self.goes = self.in_body & self.passes;
        self.bad = self.goes & self.check.bad_field_o;
        self.starts = self.in_start & self.may_start & !self.failed.any();
        let begins = self.in_header & self.passes;
        self.command.load(begins, self.header.command_o);
        self.left.load(
            self.passes,
            mux(
                self.in_header,
                field!(self.word, header::LENGTH) - 1,
                self.left - 1,
            ),
        );
        self.index.load(
            self.passes,
            mux(
                self.in_header,
                1.into(),
                mux(self.index == 7, 7.into(), self.index + 1),
            ),
        );
        self.counted = self.passes & !self.failed.any();
        self.words = mux(self.counted & !self.bad, self.words + 1, self.words);
        self.state = self.state;
        if begins {
            self.state = HeadState::Body;
        }
        if self.goes & self.last {
            self.state = HeadState::Start;
            if (self.command == Command::Set) | (self.command == Command::Scale) {
                self.state = HeadState::Header;
            }
        }
        if self.starts {
            self.state = HeadState::Header;
        }
        if self.failed.any() {
            self.state = HeadState::Stop;
        }
    }

    /// Loads, weights, drains, cuts.
    fn engines(&mut self) {
        self.command_index = self.index;
        self.command_data = self.word;
        for i in 0..(3 + self._census) {
            self.command_valid[i] = self.goes & self.is_for[i];
            self.start[i] = self.starts & self.is_for[i];
            self.command_o[i].valid = self.command_valid[i];
            self.command_o[i].index = self.command_index;
            self.command_o[i].data = self.command_data;
        }
    }

    /// What a command names.
    fn names(&mut self) {
        let first = self.goes & (self.index == 1);
        self.stride.load(first, field!(self.word, load::STRIDE));
        self.half.load(
            (first & (self.command == Command::Run))
                | (self.goes & (self.index == 2) & (self.command == Command::Weights)),
            mux(
                self.command == Command::Run,
                flag!(self.word, run::HALF),
                flag!(self.word, weights_lists::HALF),
            ),
        );
        self.region.load(
            first,
            mux(
                self.command == Command::Run,
                flag!(self.word, run::REGION),
                mux(
                    self.command == Command::Cut,
                    flag!(self.word, cut::REGION),
                    flag!(self.word, drain::REGION),
                ),
            ),
        );
    }

    /// Registers and runs of the units, parameters of output channels.
    fn units(&mut self) {
        self.for_units.word_i = self.word;
        self.for_units.index_i = self.index;
        self.for_units.set_i = self.goes & (self.command == Command::Set);
        self.for_units.run_word_i = self.goes & (self.command == Command::Run);
        self.for_units.run_i = self.starts & (self.command == Command::Run);
        for k in 0..self._census {
            self.for_units.cut_i[k].follow(&self.cut_i[k]);
        }
        self.order_o.follow(&self.for_units.order_o);
        self.write_o.follow(&self.for_units.write_o);
        self.run_o.follow(&self.for_units.run_o);
        self.gave.shift_in(self.starts);
        self.scales.word_i = self.word;
        self.scales.valid_i = self.goes & (self.command == Command::Scale);
        self.scales.first_i = self.index == 1;
        self.scale_o.follow(&self.scales.scale_o);
    }

    /// Nothing is under way, or something happens.
    fn idle(&mut self) {
        self.idle_o = self.in_header
            & !self.has
            & !self.busy_i[0]
            & (self.load_tail == 0)
            & !self.busy_i[1]
            & self.drained_i
            & !self.runs
            & !self.cuts;
        self.quiet = self.progress_i
            | self.in_body
            | self.cuts
            | self.idle_o
            | (self.state == HeadState::Stop);
        self.stuck = mux(self.quiet, 0.into(), self.stuck + 1);
    }

    /// What stops the cluster.
    fn errors(&mut self) {
        self.full = false;
        for u in 0..self._units {
            if self.full_i[u] {
                self.full = true;
            }
        }

        self.failed = 0.into();
        if self.stuck == 4095 {
            self.failed = code(SparseError::Stuck).into();
        }
        if self.full {
            self.failed = code(SparseError::MapFull).into();
        }
        if self.in_start & (self.command == Command::Run) & self.board.unsent_o & !self.busy_i[0] {
            self.failed = code(SparseError::SparseOrder).into();
        }
        if self.goes & self.last & (self.command == Command::Scale) & (self.scales.number_o != 2) {
            self.failed = code(SparseError::BadLength).into();
        }
        if self.in_header & self.has {
            if self.header.bad_field_o {
                self.failed = code(SparseError::BadField).into();
            }
            if self.header.bad_length_o {
                self.failed = code(SparseError::BadLength).into();
            }
            if !self.header.known_o {
                self.failed = code(SparseError::IllegalOpcode).into();
            }
        }
        if self.bad {
            self.failed = code(SparseError::BadField).into();
        }
        self.error = self.error;
        if self.state != HeadState::Stop {
            self.error = self.failed;
        }
    }
}
