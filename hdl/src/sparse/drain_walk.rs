//! The positions of a drain.

use super::waves::*;
use heddle_arch::isa::fields::sparse::{drain, drain_first, drain_group, drain_size};
use heddle_kernel::prelude::*;

/// Names the positions of SPARSE_DRAIN, one in a clock: columns innermost, then rows, then groups of output channels. The first one of a
/// command follows the last one of the command before without a gap.
///
/// # Timing
/// `start_i` in cycle T, the last word of the command in T-1 at the latest: `busy_o` is high from T+1 on. The command begins (`begins_o`)
/// in T+1 at the earliest, then `busy_o` falls. `position_o` and what belongs to it are registers; the first position
/// is there in the cycle behind `begins_o`. A position waits for `room_i` if its sums leave.
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
    /// A command has started and not all its sums in the region have been read.
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
    /// Parameters of its group.
    pub tile: OutDelay<Bits<8>>,
    position: DrainPositionReg,
    /// Words 1 to 4 of a command.
    word: [RegData<Bits<32>>; 4],
    /// The command waits.
    waits: Reg<Bit>,
    /// There has been a command: there is a position, if only one that has been.
    begun: Reg<Bit>,
    /// Of the command whose positions are named: first row and column, last ones, last tile, groups of a share, layout.
    row_first: RegData<Bits<9>>,
    col_first: RegData<Bits<9>>,
    row_last: RegData<Bits<9>>,
    col_last: RegData<Bits<9>>,
    tile_last: RegData<Bits<8>>,
    each: RegData<Bits<8>>,
    pitch: RegData<Bits<4>>,
    area: RegData<Bits<4>>,
    discards: RegData<Bit>,
    /// Word of the first position if its group were 0.
    corner: RegData<Bits<16>>,
    /// Groups of the share, this one and those behind it.
    share_left: RegData<Bits<8>>,
    /// Words of the first positions of the next row and of the next group.
    row_addr: RegData<Bits<16>>,
    group_addr: RegData<Bits<16>>,
    /// The next group, modulo 16.
    group: RegData<Bits<4>>,
    /// Of the command that waits: row and group shifted, the word of its first position, and that of group 0.
    new_row: Delay<Bits<16>>,
    new_group: Delay<Bits<16>>,
    new_corner: Delay<Bits<16>>,
    new_addr: Delay<Bits<16>>,
    /// Cycles until the last unit has written the last word of a region.
    passes: [Reg<Bits<7>>; 2],
    /// Last position of a row, of the rows of a group, of the command.
    ends_row: Signal<Local, Bit>,
    ends_group: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    /// A command begins, or goes on.
    begins: Signal<Local, Bit>,
    steps: Signal<Local, Bit>,
    /// With another row, another group.
    next_row: Signal<Local, Bit>,
    next_group: Signal<Local, Bit>,
    pitch_now: Signal<Local, Bits<4>>,
    area_now: Signal<Local, Bits<4>>,
    /// Words from row to row, from group to group.
    row_words: Signal<Local, Bits<16>>,
    group_words: Signal<Local, Bits<16>>,
    /// First words of the row and of the group of the next position, and of the group behind it.
    row_start: Signal<Local, Bits<16>>,
    group_start: Signal<Local, Bits<16>>,
    group_behind: Signal<Local, Bits<16>>,
    group_number: Signal<Local, Bits<4>>,
    /// Units, at most 64.
    _units: Param<'u'>,
}

#[kernel]
impl DrainWalk {
    fn update(&mut self) {
        self.command();
        self.step();
        self.command_fields();
        self.place();
        self.group();
        self.addresses();
        self.regions();
    }

    /// Words come, and the word of sums of the first position is found.
    fn command(&mut self) {
        for i in 0..4 {
            let is_word = self.command_i.index == (i + 1).to_bits::<3>();
            self.word[i].load(self.command_i.valid & is_word, self.command_i.data);
        }
        self.new_row = bit_cast::<16, 9>(field!(self.word[1], drain_first::ROW))
            << field!(self.word[0], drain::PITCH);
        self.new_group =
            bit_cast::<16, 4>(field!(self.word[3], drain_group::GROUP).get_bits::<4>(0))
                << field!(self.word[0], drain::AREA);
        self.new_corner = self.new_row + bit_cast::<16, 9>(field!(self.word[1], drain_first::COL));
        self.new_addr = self.new_corner + self.new_group;
        self.region_o = flag!(self.word[0], drain::REGION);
    }

    /// Whether there is another position in the next cycle.
    fn step(&mut self) {
        self.ends_row = self.position.col == self.col_last;
        self.ends_group = self.ends_row & (self.position.row == self.row_last);
        self.ends = self.ends_group & (self.tile == self.tile_last);
        let walks = self.begun & !self.ends;
        let discards = flag!(self.word[0], drain::DISCARD);
        self.begins = self.waits & !walks & (discards | (self.room_i & !self.hold_i));
        self.steps = walks & (self.discards | self.room_i);
        self.next_row = self.begins | (self.steps & self.ends_row);
        self.next_group = self.begins | (self.steps & self.ends_group);
        self.waits = self.start_i | (self.waits & !self.begins);
        self.begun = self.begun | self.begins;
        self.busy_o = self.waits;
        self.walks_o = walks;
        self.begins_o = self.begins & !discards;
        self.send_o = (self.begins & !discards) | (self.steps & !self.discards);
        self.leaves = self.send_o;
        self.last_o = self.ends;
    }

    /// What is kept of the command: its words may change from now on.
    fn command_fields(&mut self) {
        let row = field!(self.word[1], drain_first::ROW);
        let col = field!(self.word[1], drain_first::COL);
        self.row_first.load(self.begins, row);
        self.col_first.load(self.begins, col);
        self.row_last.load(
            self.begins,
            row + field!(self.word[2], drain_size::ROWS) - 1,
        );
        self.col_last.load(
            self.begins,
            col + field!(self.word[2], drain_size::COLS) - 1,
        );
        self.tile_last.load(
            self.begins,
            field!(self.word[3], drain_group::TILE) + field!(self.word[0], drain::GROUPS) - 1,
        );
        self.each
            .load(self.begins, field!(self.word[0], drain::EACH));
        self.pitch
            .load(self.begins, field!(self.word[0], drain::PITCH));
        self.area
            .load(self.begins, field!(self.word[0], drain::AREA));
        self.discards
            .load(self.begins, flag!(self.word[0], drain::DISCARD));
        self.corner.load(self.begins, self.new_corner);
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
            self.position.col = mux(self.ends_row, self.col_first, self.position.col + 1);
            if self.ends_row {
                self.position.row = mux(self.ends_group, self.row_first, self.position.row + 1);
            }
        }
        self.position_o.follow(&self.position);
    }

    /// Tile and share go up from group to group, and from share to share.
    fn group(&mut self) {
        self.tile = self.tile;
        self.position.share = self.position.share;
        self.share_left.en_i = self.next_group;
        self.share_left = self.share_left - 1;
        let new_share = self.share_left == 1;
        if self.begins {
            self.tile = field!(self.word[3], drain_group::TILE);
            self.position.share = field!(self.word[3], drain_group::SHARE);
            self.share_left = field!(self.word[0], drain::EACH);
        } else if self.next_group {
            self.tile = self.tile + 1;
            if new_share {
                self.position.share = self.position.share + 1;
                self.share_left = self.each;
            }
        }
    }

    /// Words of sums: those of the next row and of the next group are known before they are needed.
    fn addresses(&mut self) {
        self.position.addr = self.position.addr;
        self.group_start = mux(self.begins, self.new_addr, self.group_addr);
        if self.next_group {
            self.position.addr = self.group_start;
        } else if self.next_row {
            self.position.addr = self.row_addr;
        } else if self.steps {
            self.position.addr = self.position.addr + 1;
        }
        self.pitch_now = mux(self.begins, field!(self.word[0], drain::PITCH), self.pitch);
        self.row_words = 1u16.to_bits::<16>() << self.pitch_now;
        self.row_start = mux(self.next_group, self.group_start, self.row_addr);
        self.row_addr
            .load(self.next_row, self.row_start + self.row_words);
        comment!("Group 15 is followed by group 0");
        self.group_number = mux(
            self.begins,
            field!(self.word[3], drain_group::GROUP).get_bits::<4>(0),
            self.group,
        );
        self.group.load(self.next_group, self.group_number + 1);
        self.area_now = mux(self.begins, field!(self.word[0], drain::AREA), self.area);
        self.group_words = 1u16.to_bits::<16>() << self.area_now;
        self.group_behind = self.group_start + self.group_words;
        if self.group_number.all() {
            self.group_behind = mux(self.begins, self.new_corner, self.corner);
        }
        self.group_addr.load(self.next_group, self.group_behind);
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
            self.region_busy_o[i] =
                (self.waits & is_new) | (self.begun & !self.ends & is_here) | self.passes[i].any();
        }
    }
}
