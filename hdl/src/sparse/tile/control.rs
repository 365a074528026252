//! What a tile unit does, and when.

use super::TileWalk;
use heddle_kernel::prelude::*;

/// What a tile unit does in a cycle.
#[derive(LogicState, Copy, Clone, PartialEq, Debug)]
pub enum TileState {
    /// Waits for a command.
    Idle,
    /// Words of a rectangle become 0.
    Clear,
    /// Words of a rectangle leave.
    Send,
    /// The sums of a tile are read.
    Load,
    /// Waits for the values and weights of a channel.
    Data,
    /// Rounds are made.
    Round,
    /// The last products find their sums.
    Drain,
    /// The sums of the tile are written.
    Store,
    /// All sums move.
    Shift,
}

/// Carries out commands, one after the other: a tile, a rectangle of sums that is cleared or sent, or a shift of all sums by as many steps as a
/// rectangle has words.
///
/// # Timing
/// Command in cycle T, taken if `cmd_ready_o` is high: its first word is named in T+1. A tile is stored before the next command is taken.
#[module]
pub struct TileControl {
    /// There is a command.
    pub cmd_valid_i: Signal<In, Bit>,
    /// It is taken.
    pub cmd_ready_o: Signal<Out, Bit>,
    /// 0: a tile, 1: clear, 2: send, 3: shift.
    pub cmd_op_i: Signal<In, Bits<2>>,
    /// The word of its first position, or the direction.
    pub cmd_first_i: Signal<In, Bits<16>>,
    /// Rows of the rectangle, at least 1.
    pub cmd_rows_i: Signal<In, Bits<8>>,
    /// Its columns, at least 1.
    pub cmd_cols_i: Signal<In, Bits<8>>,
    /// Words from row to row.
    pub pitch_i: Signal<In, Bits<16>>,
    /// A word that is read may move on.
    pub moves_i: Signal<In, Bit>,
    /// Words are on their way out.
    pub sends_i: Signal<In, Bit>,
    /// A channel is taken.
    pub take_i: Signal<In, Bit>,
    /// A channel ends.
    pub ends_i: Signal<In, Bit>,
    /// It is the last one of its tile.
    pub tile_ends_i: Signal<In, Bit>,
    /// Products have not found their sums.
    pub busy_i: Signal<In, Bit>,
    /// Channels may be taken.
    pub go_o: Signal<Out, Bit>,
    /// A word is read into the sums of the tile.
    pub load_o: Signal<Out, Bit>,
    /// A word is read to be sent.
    pub send_o: Signal<Out, Bit>,
    /// It is the last one of its rectangle.
    pub last_o: Signal<Out, Bit>,
    /// A word becomes 0.
    pub clear_o: Signal<Out, Bit>,
    /// A sum of the tile is written.
    pub store_o: Signal<Out, Bit>,
    /// The word.
    pub addr_o: Signal<Out, Bits<16>>,
    /// All sums move by one.
    pub shift_o: Signal<Out, Bit>,
    /// To this side.
    pub direction_o: Signal<Out, Bits<2>>,
    /// What is done: 0 idle, 1 clear, 2 send, 3 load, 4 data, 5 round, 6 drain, 7 store, 8 shift.
    pub state_o: Signal<Out, Bits<4>>,
    state: Reg<TileState>,
    walk: TileWalk,
    /// First word of the tile, or the direction.
    first: RegData<Bits<16>>,
    takes: Signal<Local, Bit>,
    is_tile: Signal<Local, Bit>,
    stores: Signal<Local, Bit>,
    reads: Signal<Local, Bit>,
    /// Rows of sums of a tile, and columns.
    _side: Param<'s'>,
}

#[kernel]
impl TileControl {
    fn update(&mut self) {
        self.command();
        self.words();
        self.next();
        self.state_o = 0.into();
        match self.state {
            TileState::Idle => self.state_o = 0.into(),
            TileState::Clear => self.state_o = 1.into(),
            TileState::Send => self.state_o = 2.into(),
            TileState::Load => self.state_o = 3.into(),
            TileState::Data => self.state_o = 4.into(),
            TileState::Round => self.state_o = 5.into(),
            TileState::Drain => self.state_o = 6.into(),
            TileState::Store => self.state_o = 7.into(),
            TileState::Shift => self.state_o = 8.into(),
        }
    }

    fn command(&mut self) {
        self.cmd_ready_o = self.rst_n & (self.state == TileState::Idle);
        self.takes = self.cmd_valid_i & (self.state == TileState::Idle);
        self.is_tile = self.cmd_op_i == 0;
        self.stores = (self.state == TileState::Drain) & !self.busy_i;
        self.first.load(self.takes, self.cmd_first_i);
        self.walk.start_i = self.takes | self.stores;
        self.walk.first_i = mux(self.stores, self.first, self.cmd_first_i);
        self.walk.rows_i = self._side.to_bits::<8>();
        self.walk.cols_i = self._side.to_bits::<8>();
        if self.takes & !self.is_tile {
            self.walk.rows_i = self.cmd_rows_i;
            self.walk.cols_i = self.cmd_cols_i;
        }
        self.walk.pitch_i = self.pitch_i;
    }

    /// One word in each clock, but those that leave may have to wait.
    fn words(&mut self) {
        self.reads = self.walk.busy_o & (self.moves_i | !(self.state == TileState::Send));
        self.walk.step_i = self.reads;
        self.addr_o = self.walk.addr_o;
        self.load_o = self.reads & (self.state == TileState::Load);
        self.send_o = self.reads & (self.state == TileState::Send);
        self.last_o = self.walk.last_o;
        self.clear_o = self.reads & (self.state == TileState::Clear);
        self.store_o = self.reads & (self.state == TileState::Store);
        self.shift_o = self.reads & (self.state == TileState::Shift);
        self.direction_o = self.first.get_bits::<2>(0);
        self.go_o = (self.state == TileState::Data) | (self.state == TileState::Round);
    }

    fn next(&mut self) {
        self.state = self.state;
        match self.state {
            TileState::Idle => {
                if self.takes {
                    self.state = TileState::Load;
                    if self.cmd_op_i == 1 {
                        self.state = TileState::Clear;
                    }
                    if self.cmd_op_i == 2 {
                        self.state = TileState::Send;
                    }
                    if self.cmd_op_i == 3 {
                        self.state = TileState::Shift;
                    }
                }
            }
            TileState::Clear => {
                if self.walk.last_o {
                    self.state = TileState::Idle;
                }
            }
            TileState::Send => {
                if !self.walk.busy_o & !self.sends_i {
                    self.state = TileState::Idle;
                }
            }
            TileState::Load => {
                if self.walk.last_o {
                    self.state = TileState::Data;
                }
            }
            TileState::Data => {
                if self.take_i {
                    self.state = TileState::Round;
                }
            }
            TileState::Round => {
                if self.tile_ends_i {
                    self.state = TileState::Drain;
                } else if self.ends_i & !self.take_i {
                    self.state = TileState::Data;
                }
            }
            TileState::Drain => {
                if self.stores {
                    self.state = TileState::Store;
                }
            }
            TileState::Store => {
                if self.walk.last_o {
                    self.state = TileState::Idle;
                }
            }
            TileState::Shift => {
                if self.walk.last_o {
                    self.state = TileState::Idle;
                }
            }
        }
    }
}
