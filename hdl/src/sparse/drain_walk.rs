//! The positions of a drain.

use super::waves::*;
use heddle_arch::isa::fields::sparse::{drain, drain_first, drain_group, drain_size};
use heddle_kernel::prelude::*;

/// Names the positions of SPARSE_DRAIN, one in a clock: columns innermost, then rows, then groups of output channels. The first one of a
/// command follows the last one of the command before without a gap.
///
/// If results are counted, the groups of a command begin at least four cycles apart: a position has its count again.
///
/// # Timing
/// `start_i` in cycle T, the last word of the command in T-1 at the latest: `busy_o` is high from T+1 on. The command begins (`begins_o`)
/// in T+2 at the earliest, then `busy_o` falls. `position_o` and what belongs to it are registers; the first position
/// is there in the cycle after the begin. A position waits for `room_i` if its sums leave.
///
/// Position in cycle P: the last unit sees it in P + units - 1, reads its word of sums in P + units and writes it in P + units + 3.
/// `region_busy_o` falls in P + units + 4.
#[module]
pub struct DrainWalk {
    /// A word of SPARSE_DRAIN.
    pub command_i: CommandWord<In>,
    /// The command starts.
    pub start_i: Signal<In, Bit>,
    /// The command may not begin yet, if its sums leave.
    pub hold_i: Signal<In, Bit>,
    /// There is room for the sums of a position.
    pub room_i: Signal<In, Bit>,
    /// The command waits for its begin: its words stay.
    pub busy_o: Signal<Out, Bit>,
    /// Region of the words.
    pub region_o: Signal<Out, Bit>,
    /// A command has started and not all its sums in the region have been read and cleared.
    pub region_busy_o: [Signal<Out, Bit>; 2],
    /// A command whose sums leave begins.
    pub begins_o: Signal<Out, Bit>,
    /// In the next cycle there is a position whose sums leave.
    pub send_o: Signal<Out, Bit>,
    /// Not all positions of a command have been named.
    pub walks_o: Signal<Out, Bit>,
    /// A position.
    pub position_o: DrainPosition<Out>,
    /// Its sums leave.
    pub leaves: OutReg<Bit>,
    /// They are the last ones of their command.
    pub last_o: Signal<Out, Bit>,
    /// They are counted.
    pub counts: [OutRegData<Bit>; census],
    /// They are the last ones of their group.
    pub group_last_o: [Signal<Out, Bit>; census],
    /// Parameters of its group.
    pub tile: OutDelay<Bits<8>>,
    position: DrainPositionReg,
    /// Words 1 to 4 of a command.
    word: [RegData<Bits<32>>; 4],
    /// The command has started, and waits.
    started: Reg<Bit>,
    waits: Reg<Bit>,
    /// Of the command that waits: row and group shifted, the word of its first position, that word if the group were 0, and those of the next row
    /// and of the next group.
    new_row: Delay<Bits<16>>,
    new_group: Delay<Bits<16>>,
    new_corner: Delay<Bits<16>>,
    new_addr: Delay<Bits<16>>,
    new_row_addr: Delay<Bits<16>>,
    new_group_addr: Delay<Bits<16>>,
    /// Of the command whose positions are named.
    row: RegData<Bits<9>>,
    col: RegData<Bits<9>>,
    rows: RegData<Bits<9>>,
    cols: RegData<Bits<9>>,
    each: RegData<Bits<8>>,
    discards: RegData<Bit>,
    corner: RegData<Bits<16>>,
    row_words: RegData<Bits<16>>,
    group_words: RegData<Bits<16>>,
    /// Columns, rows, groups and groups of the share that are left, with the one of the position.
    cols_left: RegData<Bits<9>>,
    rows_left: RegData<Bits<9>>,
    groups_left: RegData<Bits<8>>,
    share_left: RegData<Bits<8>>,
    /// The position has the last column, the last row, the last group. All three if there is no command.
    #[new(RegEn::with_init(true))]
    last_col: RegEn<Bit>,
    #[new(RegEn::with_init(true))]
    last_row: RegEn<Bit>,
    #[new(RegEn::with_init(true))]
    last_group: RegEn<Bit>,
    /// Words of the first positions of the next row and of the next group.
    row_addr: RegData<Bits<16>>,
    group_addr: RegData<Bits<16>>,
    /// The next group, modulo 16.
    group: RegData<Bits<4>>,
    /// A group began 1, 2, 3 cycles ago.
    began: [Reg<Bit>; 3 * census],
    /// The next group has to wait for that.
    meets: Signal<Local, Bit>,
    /// Cycles until the last unit has written the last word of a region.
    passes: [Reg<Bits<7>>; 2],
    /// Positions are left behind this one.
    walks: Signal<Local, Bit>,
    /// A command begins, or goes on.
    begins: Signal<Local, Bit>,
    steps: Signal<Local, Bit>,
    /// With another row, another group.
    next_row: Signal<Local, Bit>,
    next_group: Signal<Local, Bit>,
    row_start: Signal<Local, Bits<16>>,
    /// Group of the words.
    new_number: Signal<Local, Bits<4>>,
    /// Units, at most 64.
    _units: Param<'u'>,
    /// Results may be counted.
    _census: Feature<"cs">,
}

#[kernel]
impl DrainWalk {
    fn update(&mut self) {
        self.command();
        self.census();
        self.step();
        self.left();
        self.place();
        self.group();
        self.addresses();
        self.regions();
    }

    /// Words come, and words of sums are found for the first position and for what follows it. Words may change when the command has begun.
    fn command(&mut self) {
        for i in 0..4 {
            let is_word = self.command_i.index == (i + 1).to_bits::<3>();
            self.word[i].load(self.command_i.valid & is_word, self.command_i.data);
        }
        self.region_o = flag!(self.word[0], drain::REGION);
        let pitch = field!(self.word[0], drain::PITCH);
        let area = field!(self.word[0], drain::AREA);
        self.new_number = field!(self.word[3], drain_group::GROUP).get_bits::<4>(0);
        self.new_row = bit_cast::<16, 9>(field!(self.word[1], drain_first::ROW)) << pitch;
        self.new_group = bit_cast::<16, 4>(self.new_number) << area;
        self.new_corner = self.new_row + bit_cast::<16, 9>(field!(self.word[1], drain_first::COL));
        self.new_addr = self.new_corner + self.new_group;
        self.new_row_addr = self.new_addr + (1u16.to_bits::<16>() << pitch);
        self.new_group_addr = mux(
            self.new_number.all(),
            self.new_corner,
            self.new_addr + (1u16.to_bits::<16>() << area),
        );
        self.row
            .load(self.begins, field!(self.word[1], drain_first::ROW));
        self.col
            .load(self.begins, field!(self.word[1], drain_first::COL));
        self.rows
            .load(self.begins, field!(self.word[2], drain_size::ROWS));
        self.cols
            .load(self.begins, field!(self.word[2], drain_size::COLS));
        self.each
            .load(self.begins, field!(self.word[0], drain::EACH));
        self.discards
            .load(self.begins, flag!(self.word[0], drain::DISCARD));
        self.corner.load(self.begins, self.new_corner);
        self.row_words
            .load(self.begins, 1u16.to_bits::<16>() << pitch);
        self.group_words
            .load(self.begins, 1u16.to_bits::<16>() << area);
    }

    fn census(&mut self) {
        self.meets = false;
        for k in 0..self._census {
            self.counts[k].load(self.begins, flag!(self.word[0], drain::COUNT));
            self.group_last_o[k] = self.last_col & self.last_row;
            self.began.shift_in(self.next_group);
            self.meets = self.counts[k]
                & self.last_col
                & self.last_row
                & (self.began[0] | self.began[1] | self.began[2]);
        }
    }

    /// Whether there is another position in the next cycle.
    fn step(&mut self) {
        let discards = flag!(self.word[0], drain::DISCARD);
        self.walks = !(self.last_col & self.last_row & self.last_group);
        self.begins = self.waits & !self.walks & (discards | (self.room_i & !self.hold_i));
        self.steps = self.walks & !self.meets & (self.discards | self.room_i);
        self.next_row = self.begins | (self.steps & self.last_col);
        self.next_group = self.begins | (self.steps & self.last_col & self.last_row);
        self.started = self.start_i;
        self.waits = self.started | (self.waits & !self.begins);
        self.busy_o = self.started | self.waits;
        self.walks_o = self.walks;
        self.begins_o = self.begins & !discards;
        self.send_o = (self.begins & !discards) | (self.steps & !self.discards);
        self.leaves = self.send_o;
        self.last_o = !self.walks;
    }

    /// Columns, rows and groups end with the one of which one is left: it is known one before.
    fn left(&mut self) {
        let rows = field!(self.word[2], drain_size::ROWS);
        let cols = field!(self.word[2], drain_size::COLS);
        let groups = field!(self.word[0], drain::GROUPS);
        self.cols_left.en_i = self.begins | self.steps;
        self.last_col.en_i = self.cols_left.en_i;
        self.cols_left = self.cols_left - 1;
        self.last_col = self.cols_left == 2;
        if self.begins {
            self.cols_left = cols;
            self.last_col = cols == 1;
        } else if self.last_col {
            self.cols_left = self.cols;
            self.last_col = self.cols == 1;
        }
        self.rows_left.en_i = self.next_row;
        self.last_row.en_i = self.next_row;
        self.rows_left = self.rows_left - 1;
        self.last_row = self.rows_left == 2;
        if self.begins {
            self.rows_left = rows;
            self.last_row = rows == 1;
        } else if self.last_row {
            self.rows_left = self.rows;
            self.last_row = self.rows == 1;
        }
        self.groups_left.load(
            self.next_group,
            mux(self.begins, groups, self.groups_left - 1),
        );
        self.last_group.load(
            self.next_group,
            mux(self.begins, groups == 1, self.groups_left == 2),
        );
    }

    /// Row and column.
    fn place(&mut self) {
        self.position.valid = self.begins | self.steps;
        self.position.row = self.position.row;
        self.position.col = self.position.col;
        self.position.region = self.position.region;
        self.position.keep = self.position.keep;
        if self.begins {
            self.position.row = field!(self.word[1], drain_first::ROW);
            self.position.col = field!(self.word[1], drain_first::COL);
            self.position.region = flag!(self.word[0], drain::REGION);
            self.position.keep = flag!(self.word[0], drain::KEEP);
        } else if self.steps {
            self.position.col = mux(self.last_col, self.col, self.position.col + 1);
            if self.last_col {
                self.position.row = mux(self.last_row, self.row, self.position.row + 1);
            }
        }
        self.position_o.follow(&self.position);
    }

    /// Tile and share go up from group to group, and from share to share.
    fn group(&mut self) {
        self.tile = self.tile;
        self.position.share = self.position.share;
        let ends = self.share_left == 1;
        self.share_left
            .load(self.next_group, mux(ends, self.each, self.share_left - 1));
        if self.begins {
            self.tile = field!(self.word[3], drain_group::TILE);
            self.position.share = field!(self.word[3], drain_group::SHARE);
            self.share_left = field!(self.word[0], drain::EACH);
        } else if self.next_group {
            self.tile = self.tile + 1;
            if ends {
                self.position.share = self.position.share + 1;
            }
        }
    }

    /// Words of sums: those of the next row and of the next group are known before they are needed.
    fn addresses(&mut self) {
        self.position.addr = self.position.addr;
        if self.begins {
            self.position.addr = self.new_addr;
        } else if self.next_group {
            self.position.addr = self.group_addr;
        } else if self.next_row {
            self.position.addr = self.row_addr;
        } else if self.steps {
            self.position.addr = self.position.addr + 1;
        }
        self.row_start = mux(self.last_row, self.group_addr, self.row_addr);
        self.row_addr.load(
            self.next_row,
            mux(
                self.begins,
                self.new_row_addr,
                self.row_start + self.row_words,
            ),
        );
        comment!("Group 15 is followed by group 0");
        self.group_addr.en_i = self.next_group;
        self.group_addr = mux(
            self.group.all(),
            self.corner,
            self.group_addr + self.group_words,
        );
        self.group.load(self.next_group, self.group + 1);
        if self.begins {
            self.group_addr = self.new_group_addr;
            self.group = self.new_number + 1;
        }
    }

    /// Which regions have positions.
    fn regions(&mut self) {
        for i in 0..2 {
            let is_new = flag!(self.word[0], drain::REGION) == (i > 0);
            let is_here = self.position.region == (i > 0);
            self.passes[i] = self.passes[i];
            if (self.begins & is_new) | (self.steps & is_here) {
                self.passes[i] = (self._units + 4).to_bits::<7>();
            } else if self.passes[i].any() {
                self.passes[i] = self.passes[i] - 1;
            }
            self.region_busy_o[i] = ((self.started | self.waits) & is_new)
                | (self.walks & is_here)
                | self.passes[i].any();
        }
    }
}
