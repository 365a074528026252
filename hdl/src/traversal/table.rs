//! Stored offsets.

use heddle_kernel::prelude::*;

/// Table of offsets determined before a program runs: stores the stream of a traversal that adds no
/// base, and replays it as often as wanted with the bases of the moment.
///
/// # Timing
/// One offset is stored per clock. `replay_i` in cycle t: the first address is valid in t + 3, then
/// one per clock. All outputs of an address are registers, only defined with `valid_o`.
///
/// # Rules
/// Storing and replaying exclude each other: offsets are taken while `busy_o` is low.
#[module(name = "traversal_table", build)]
pub struct OffsetTable<const A: usize> {
    /// Forgets the stored offsets and stops a replay.
    pub clear_i: Signal<In, Bit>,
    /// Writes a base.
    pub base_valid_i: Signal<In, Bit>,
    /// Its row.
    pub base_row_i: Signal<In, Bits<3>>,
    /// Its value.
    pub base_data_i: Signal<In, Bits<A>>,
    /// An offset is offered.
    pub in_valid_i: Signal<In, Bit>,
    /// It is stored at this clock edge; low when the table is full.
    pub in_ready_o: Signal<Out, Bit>,
    /// Offset: sum of the offsets of all loops.
    pub in_offset_i: Signal<In, Bits<A>>,
    /// Its row.
    pub in_row_i: Signal<In, Bits<3>>,
    /// Replays the table from its beginning; ignored while busy or empty.
    pub replay_i: Signal<In, Bit>,
    /// An address is waiting to be taken.
    pub valid_o: Signal<Out, Bit>,
    /// The address is taken at this clock edge if it is valid.
    pub ready_i: Signal<In, Bit>,
    /// Address: base of the row plus offset.
    pub addr_o: Signal<Out, Bits<A>>,
    /// Its row.
    pub row_o: Signal<Out, Bits<3>>,
    /// Last address of the table.
    pub end_o: Signal<Out, Bit>,
    /// Offsets in the table.
    pub stored_o: Signal<Out, Bits<13>>,
    /// A replay is under way and not all its addresses are taken.
    pub busy_o: Signal<Out, Bit>,
    #[new(Ram1r1w::new(1, depth))]
    offsets: Ram1r1w<12, A>,
    #[new(Ram1r1w::new(1, depth))]
    numbers: Ram1r1w<12, 3>,
    base: [RegEn<Bits<A>>; rows],
    stored: RegEn<Bits<13>>,
    /// Entry to read next.
    entry: RegEn<Bits<13>>,
    reading: RegEn<Bit>,
    /// The entry read last.
    read_valid: RegEn<Bit>,
    read_end: RegEn<Bit>,
    /// The address shown.
    valid: RegEn<Bit>,
    addr: RegData<Bits<A>>,
    row: RegData<Bits<3>>,
    end_flag: RegData<Bit>,
    store: Signal<Local, Bit>,
    replay: Signal<Local, Bit>,
    room: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    busy: Signal<Local, Bit>,
    row_base: Signal<Local, Bits<A>>,
    /// Rows.
    _rows: Param<'m'>,
    /// Bits of an address.
    _address_bits: Generic<'a', A>,
    /// Offsets.
    _depth: Param<'d'>,
}

impl<const A: usize> OffsetTable<A> {
    /// A table of `depth` offsets, at most 4096, of traversals of `rows` rows.
    ///
    /// # Panics
    /// If the depth is no power of two from 2 to 4096.
    pub fn new(rows: usize, depth: usize) -> Self {
        assert!(
            depth.is_power_of_two() && (2..=4096).contains(&depth),
            "depth is {depth}, allowed a power of two from 2 to 4096"
        );
        Self::build(rows, depth)
    }
}

#[kernel]
impl<const A: usize> OffsetTable<A> {
    fn update(&mut self) {
        comment!("Bases");
        for r in 0..self._rows {
            self.base[r].en_i = self.base_valid_i & (self.base_row_i == r.to_bits::<3>());
            self.base[r] = self.base_data_i;
        }

        comment!("Storing");
        self.busy = self.reading | self.read_valid | self.valid;
        self.in_ready_o = self.rst_n & (self.stored < self._depth.to_bits::<13>()) & !self.busy;
        self.store = self.in_valid_i & (self.stored < self._depth.to_bits::<13>()) & !self.busy;
        self.stored.en_i = self.clear_i | self.store;
        self.stored = mux(self.clear_i, 0.into(), self.stored + 1);
        self.offsets.wen_i = self.store;
        self.offsets.waddr_i = self.stored.get_bits::<12>(0);
        self.offsets.wdata_i[0] = self.in_offset_i;
        self.numbers.wen_i = self.store;
        self.numbers.waddr_i = self.stored.get_bits::<12>(0);
        self.numbers.wdata_i[0] = self.in_row_i;

        comment!("Reading");
        self.room = !self.valid | self.ready_i;
        self.replay = self.replay_i & !self.busy & !self.store & !self.clear_i & (self.stored != 0);
        self.last = self.entry + 1 == self.stored;
        self.reading.en_i = self.clear_i | self.replay | (self.reading & self.room & self.last);
        self.reading = self.replay;
        self.entry.en_i = self.replay | (self.reading & self.room);
        self.entry = mux(self.replay, 0.into(), self.entry + 1);
        self.offsets.ren_i = self.reading & self.room;
        self.offsets.raddr_i = self.entry.get_bits::<12>(0);
        self.numbers.ren_i = self.reading & self.room;
        self.numbers.raddr_i = self.entry.get_bits::<12>(0);
        self.read_valid.en_i = self.room | self.clear_i;
        self.read_valid = self.reading & !self.clear_i;
        self.read_end.load(self.room, self.last);

        comment!("Base plus offset");
        self.row_base = 0.into();
        for r in 0..self._rows {
            if self.numbers.rdata_o[0] == r.to_bits::<3>() {
                self.row_base = self.row_base | self.base[r];
            }
        }
        self.valid.en_i = self.room | self.clear_i;
        self.valid = self.read_valid & !self.clear_i;
        self.addr.en_i = self.room;
        self.addr = self.row_base + self.offsets.rdata_o[0];
        self.row.load(self.room, self.numbers.rdata_o[0]);
        self.end_flag.load(self.room, self.read_end);

        self.valid_o = self.valid;
        self.addr_o = self.addr;
        self.row_o = self.row;
        self.end_o = self.end_flag;
        self.stored_o = self.stored;
        self.busy_o = self.busy;
    }
}
