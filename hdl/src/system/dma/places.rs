//! Places of a transfer in the memories of the machine, as addresses of the host port.

use super::queue::Transfer;
use super::{DmaShape, Walker};
use heddle_arch::transfer::Space;
use heddle_kernel::prelude::*;

const BUFFER: usize = Space::Buffer as usize;
const COLUMNS: usize = Space::Columns as usize;
const ROWS: usize = Space::Rows as usize;
const TABLES: usize = Space::Tables as usize;
const PROGRAM: usize = Space::Program as usize;
const WEIGHTS: usize = Space::Weights as usize;
const COMMANDS: usize = Space::Commands as usize;

/// Bits of a number that a walker of places counts: 16 of the place, 9 of the partition, column or row.
const PLACE: usize = 25;

/// Address of each place of a transfer on the host port, and whether there is such a place.
///
/// A place of column parameters has two addresses, bias and scale. So has a pair of instruction words, where the program has a memory of
/// its own.
///
/// # Timing
/// `start_i` in cycle t: the first address in t + 2. With `next_i` the next one a cycle later.
#[module(shape: DmaShape)]
pub struct Places {
    /// Stops.
    pub clear_i: Signal<In, Bit>,
    /// Begins.
    pub start_i: Signal<In, Bit>,
    /// The transfer; it stays until the last place.
    pub transfer_i: Transfer<In>,
    /// There is an address.
    pub valid: OutReg<Bit>,
    /// The address.
    pub addr_o: Signal<Out, Bits<32>>,
    /// It is beyond its memory.
    pub beyond: OutRegData<Bit>,
    /// The second one of a pair.
    pub second: OutRegData<Bit>,
    /// The last one of the transfer.
    pub last: OutRegData<Bit>,
    /// It is taken.
    pub next_i: Signal<In, Bit>,
    walker: Walker<PLACE>,
    /// Low part of the address, in words.
    word: RegData<Bits<16>>,
    /// Partition, column or row.
    partition: RegData<Bits<8>>,
    /// The second of a pair comes next.
    half: Reg<Bit>,
    /// Bits 31 to 29 of the address.
    region: Signal<Local, Bits<3>>,
    /// A place has two addresses.
    twice: Signal<Local, Bit>,
    is_columns: Signal<Local, Bit>,
    place: Signal<Local, Bits<16>>,
    number: Signal<Local, Bits<9>>,
    forms: Signal<Local, Bit>,
    is_beyond: Signal<Local, Bit>,
    /// Partitions.
    #[new(shape.rows)]
    _rows: Param<'r'>,
    /// Columns.
    #[new(shape.cols)]
    _cols: Param<'c'>,
    /// Bits of a word of a partition.
    #[new(address_bits(shape.partition_words))]
    _word_bits: Param<'w'>,
    /// Bits of a column tile.
    #[new(shape.column_tiles.next_power_of_two().ilog2() as usize)]
    _tile_bits: Param<'t'>,
    /// Entries of the table of a row.
    #[new(shape.row_entries)]
    _entries: Param<'e'>,
    /// Tables of activation functions.
    #[new(shape.activation_tables)]
    _tables: Feature<"fn">,
    /// Bits of a pair of instruction words.
    #[new(address_bits(shape.program_pairs))]
    _pair_bits: Param<'p'>,
    /// The program lies in the partitions.
    #[new(shape.banked.into())]
    _banked: Feature<"pr">,
    /// There is a sparse cluster.
    #[new(shape.cluster.into())]
    _cluster: Feature<"sc">,
}

#[kernel]
impl Places {
    fn update(&mut self) {
        self.space();
        self.walk();
        self.check();
        self.form();
    }

    fn space(&mut self) {
        self.is_columns = self.transfer_i.space == COLUMNS.to_bits::<4>();
        let is_program = self.transfer_i.space == PROGRAM.to_bits::<4>();
        if self._banked > 0 {
            self.twice = self.is_columns;
        } else {
            self.twice = self.is_columns | (is_program);
        }
        self.region = 6.into();
        match self.transfer_i.space.index() {
            COLUMNS => {
                self.region = 4.into();
            }
            ROWS => {
                self.region = 7.into();
            }
            TABLES => {
                self.region = 5.into();
            }
            PROGRAM => {
                self.region = 2.into();
            }
            WEIGHTS => {
                self.region = 3.into();
            }
            COMMANDS => {
                self.region = 3.into();
            }
            _ => {}
        }
    }

    fn walk(&mut self) {
        self.forms = self.walker.valid_o & (!self.valid | self.next_i);
        self.walker.clear_i = self.clear_i;
        self.walker.start_i = self.start_i;
        // Word 1 of the streams of the cluster is that of weights.
        self.walker.first_i = bit_cast::<PLACE, 15>(self.transfer_i.place)
            | (bit_cast::<PLACE, 8>(self.transfer_i.partition) << 16);
        if self.transfer_i.space == WEIGHTS.to_bits::<4>() {
            self.walker.first_i = 1.into();
        }
        for i in 0..3 {
            self.walker.count_i[i] = self.transfer_i.count[i];
            self.walker.step_i[i] = self.transfer_i.step[i].get_bits::<PLACE>(0);
            if self.transfer_i.partitions == (i + 1).to_bits::<2>() {
                self.walker.step_i[i] = self.transfer_i.step[i]
                    .get_bits::<PLACE>(0)
                    .replace_bit(16, true);
            }
        }
        if self.is_columns {
            self.walker.step_i[0] = 0x1_0000.into();
        }
        self.walker.next_i = self.forms & (self.half | !self.twice);
        self.half =
            ((self.forms & self.twice & !self.half) | (self.half & !self.forms)) & !self.clear_i;
        self.place = self.walker.place_o.get_bits::<16>(0);
        self.number = self.walker.place_o.get_bits::<9>(16);
    }

    /// Whether the memory ends in front of the place.
    fn check(&mut self) {
        self.is_beyond = false;
        match self.transfer_i.space.index() {
            BUFFER => {
                self.is_beyond = ((self.place >> self._word_bits.to_bits::<5>()) != 0)
                    | (self.number >= self._rows.to_bits::<9>());
            }
            COLUMNS => {
                self.is_beyond = ((self.place >> self._tile_bits.to_bits::<5>()) != 0)
                    | (self.number >= self._cols.to_bits::<9>());
            }
            ROWS => {
                if self._entries > 0 {
                    self.is_beyond = (self.place >= self._entries.to_bits::<16>())
                        | (self.number >= self._rows.to_bits::<9>());
                } else {
                    self.is_beyond = true;
                }
            }
            TABLES => {
                if self._tables > 0 {
                    self.is_beyond = self.place >= (256 * self._tables).to_bits::<16>();
                } else {
                    self.is_beyond = true;
                }
            }
            PROGRAM => {
                self.is_beyond = (self.place >> self._pair_bits.to_bits::<5>()) != 0;
            }
            _ => {
                self.is_beyond = self._cluster == 0;
            }
        }
    }

    fn form(&mut self) {
        self.valid = (self.forms | (self.valid & !self.next_i)) & !self.clear_i;
        self.word.load(
            self.forms,
            mux(
                self.twice,
                (self.place << 1).replace_bit(0, self.half),
                self.place,
            ),
        );
        self.partition
            .load(self.forms, self.number.get_bits::<8>(0));
        self.beyond.load(self.forms, self.is_beyond);
        self.second.load(self.forms, self.half);
        self.last
            .load(self.forms, self.walker.last_o & (self.half | !self.twice));
        self.addr_o = (bit_cast::<32, 3>(self.region) << 29)
            | (bit_cast::<32, 8>(self.partition) << 21)
            | (bit_cast::<32, 16>(self.word) << 3);
    }
}
