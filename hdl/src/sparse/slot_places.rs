//! Where the slots of a map lie.

use super::waves::*;
use heddle_arch::isa::fields::sparse::{load, load_chunks, load_first, load_size};
use heddle_kernel::prelude::*;

/// Counts the positions that SPARSE_LOAD brings: chunk by chunk the whole rectangle, row by row. A chunk that begins a load asks for
/// its set first.
///
/// # Timing
/// `start_i` in cycle T, T-1 has the last word of the command at the latest: `busy_o` is high from T+1 on. A chunk that asks
/// does so from T+1 on, or from the cycle after the last position of the one before; it begins when `free_i` is high. Its first position stands
/// at the outputs in the cycle after; that of a chunk that does not ask in T+1, or right after the one before.
#[module]
pub struct SlotPlaces {
    /// A word of SPARSE_LOAD.
    pub command_i: CommandWord<In>,
    /// Begins.
    pub start_i: Signal<In, Bit>,
    /// There are positions left.
    pub busy_o: Signal<Out, Bit>,
    /// A chunk is to begin, in `set_o`.
    pub asks: OutReg<Bit>,
    /// The set is free.
    pub free_i: Signal<In, Bit>,
    /// The chunk begins.
    pub begins_o: Signal<Out, Bit>,
    /// There is a position.
    pub valid_o: Signal<Out, Bit>,
    /// It is taken; only if there is one.
    pub next_i: Signal<In, Bit>,
    /// Its row, behind the stride.
    pub row_o: Signal<Out, Bits<8>>,
    /// Its column, behind the stride.
    pub col_o: Signal<Out, Bits<8>>,
    /// Number of the list of weights of lane 0.
    pub list_o: Signal<Out, Bits<9>>,
    /// First position of a load.
    pub first_o: Signal<Out, Bit>,
    /// Last position of a load.
    pub last_o: Signal<Out, Bit>,
    /// Last position of the command.
    pub ends_o: Signal<Out, Bit>,
    /// Set of the position.
    pub set: OutRegData<Bits<2>>,
    /// Words 1 to 4 of the command.
    word: [RegData<Bits<32>>; 4],
    /// A chunk is under way.
    runs: Reg<Bit>,
    begins: Signal<Local, Bit>,
    row: RegData<Bits<10>>,
    col: RegData<Bits<10>>,
    /// Rows and columns from this one on.
    rows: RegData<Bits<10>>,
    cols: RegData<Bits<10>>,
    /// Chunks behind this one.
    chunks: RegData<Bits<8>>,
    /// No position of a load has been taken.
    first: RegData<Bit>,
    /// List of lane 0 of the first phase.
    list: RegData<Bits<9>>,
    /// Row and column modulo the stride.
    phase: Signal<Local, Bits<4>>,
    /// Lists in front of those of the phase.
    phase_lists: Signal<Local, Bits<9>>,
    /// The position is the last one of its row, of its chunk.
    ends_row: Signal<Local, Bit>,
    ends_chunk: Signal<Local, Bit>,
    is_last_chunk: Signal<Local, Bit>,
    /// A row, a chunk is through.
    next_row: Signal<Local, Bit>,
    next_chunk: Signal<Local, Bit>,
    /// Lanes of a slot, at most 64.
    _lanes: Param<'r'>,
    /// Sets.
    _sets: Param<'s'>,
}

#[kernel]
impl SlotPlaces {
    fn update(&mut self) {
        for i in 0..4 {
            let is_word = self.command_i.index == (i + 1).to_bits::<3>();
            self.word[i].load(self.command_i.valid & is_word, self.command_i.data);
        }
        self.begin();
        self.count();
        self.tell();
    }

    /// Chunks, and what they ask for.
    fn begin(&mut self) {
        let appends = flag!(self.word[0], load::APPEND);
        let alternates = flag!(self.word[0], load::ALTERNATE);
        self.begins = self.asks & self.free_i;
        self.begins_o = self.begins;
        self.asks = (self.start_i & !appends)
            | (self.asks & !self.free_i)
            | (self.next_chunk & alternates & !self.is_last_chunk);
        self.runs = (self.start_i & appends)
            | self.begins
            | (self.runs & !(self.next_chunk & (alternates | self.is_last_chunk)));
        self.busy_o = self.asks | self.runs;
        self.first.load(
            self.start_i | self.next_i,
            mux(self.start_i, !appends, self.next_chunk & alternates),
        );
        self.set.load(
            self.start_i | (self.next_chunk & alternates),
            mux(
                self.start_i,
                field!(self.word[0], load::SET),
                mux(
                    self.set == (self._sets - 1).to_bits::<2>(),
                    0.into(),
                    self.set + 1,
                ),
            ),
        );
    }

    fn count(&mut self) {
        self.ends_row = self.cols == 1;
        self.ends_chunk = self.ends_row & (self.rows == 1);
        self.is_last_chunk = !self.chunks.any();
        self.next_row = self.next_i & self.ends_row;
        self.next_chunk = self.next_i & self.ends_chunk;
        let to_first_col = self.start_i | self.next_row;
        self.col.load(
            self.start_i | self.next_i,
            mux(
                to_first_col,
                field!(self.word[1], load_first::COL),
                self.col + 1,
            ),
        );
        self.cols.load(
            self.start_i | self.next_i,
            mux(
                to_first_col,
                field!(self.word[2], load_size::COLS),
                self.cols - 1,
            ),
        );
        let to_first_row = self.start_i | self.next_chunk;
        self.row.load(
            to_first_col,
            mux(
                to_first_row,
                field!(self.word[1], load_first::ROW),
                self.row + 1,
            ),
        );
        self.rows.load(
            to_first_col,
            mux(
                to_first_row,
                field!(self.word[2], load_size::ROWS),
                self.rows - 1,
            ),
        );
        self.chunks.load(
            to_first_row,
            mux(
                self.start_i,
                field!(self.word[3], load_chunks::CHUNKS),
                self.chunks - 1,
            ),
        );
        self.list.load(
            to_first_row,
            mux(
                self.start_i,
                field!(self.word[0], load::LIST),
                self.list + field!(self.word[3], load_chunks::STEP),
            ),
        );
    }

    fn tell(&mut self) {
        let stride = field!(self.word[0], load::STRIDE);
        self.row_o = self.row.get_bits::<8>(0);
        self.col_o = self.col.get_bits::<8>(0);
        self.phase = 0.into();
        if stride.get_bit(0) {
            self.row_o = self.row.get_bits::<8>(1);
            self.col_o = self.col.get_bits::<8>(1);
            self.phase = (bit_cast::<4, 1>(self.row.get_bits::<1>(0)) << 1)
                | bit_cast::<4, 1>(self.col.get_bits::<1>(0));
        }
        if stride.get_bit(1) {
            self.row_o = self.row.get_bits::<8>(2);
            self.col_o = self.col.get_bits::<8>(2);
            self.phase = (bit_cast::<4, 2>(self.row.get_bits::<2>(0)) << 2)
                | bit_cast::<4, 2>(self.col.get_bits::<2>(0));
        }
        comment!("Each phase has lists for all lanes: no multiplier");
        self.phase_lists = 0.into();
        for p in 1..16 {
            if self.phase == p.to_bits::<4>() {
                self.phase_lists = (self._lanes * p % 512).to_bits::<9>();
            }
        }
        self.list_o = self.list + self.phase_lists;
        self.valid_o = self.runs;
        self.first_o = self.first;
        self.last_o = mux(
            self.is_last_chunk,
            self.ends_chunk & !flag!(self.word[0], load::MORE),
            self.ends_chunk & flag!(self.word[0], load::ALTERNATE),
        );
        self.ends_o = self.ends_chunk & self.is_last_chunk;
    }
}
