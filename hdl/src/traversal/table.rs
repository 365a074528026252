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
            self.base[r].en_i.next =
                self.base_valid_i.val() & (self.base_row_i.val() == r.to_bits::<3>());
            self.base[r].d_i.next = self.base_data_i.val();
        }

        comment!("Storing");
        self.busy.next = self.reading.q_o.val() | self.read_valid.q_o.val() | self.valid.q_o.val();
        self.in_ready_o.next =
            (self.stored.q_o.val() < self._depth.to_bits::<13>()) & !self.busy.val();
        self.store.next = self.in_valid_i.val()
            & (self.stored.q_o.val() < self._depth.to_bits::<13>())
            & !self.busy.val();
        self.stored.en_i.next = self.clear_i.val() | self.store.val();
        self.stored.d_i.next = self.stored.q_o.val() + 1;
        if self.clear_i.val() {
            self.stored.d_i.next = 0.into();
        }
        self.offsets.wen_i.next = self.store.val();
        self.offsets.waddr_i.next = self.stored.q_o.val().get_bits::<12>(0);
        self.offsets.wdata_i[0].next = self.in_offset_i.val();
        self.numbers.wen_i.next = self.store.val();
        self.numbers.waddr_i.next = self.stored.q_o.val().get_bits::<12>(0);
        self.numbers.wdata_i[0].next = self.in_row_i.val();

        comment!("Reading");
        self.room.next = !self.valid.q_o.val() | self.ready_i.val();
        self.replay.next = self.replay_i.val()
            & !self.busy.val()
            & !self.store.val()
            & !self.clear_i.val()
            & (self.stored.q_o.val() != 0);
        self.last.next = self.entry.q_o.val() + 1 == self.stored.q_o.val();
        self.reading.en_i.next = self.clear_i.val()
            | self.replay.val()
            | (self.reading.q_o.val() & self.room.val() & self.last.val());
        self.reading.d_i.next = self.replay.val();
        self.entry.en_i.next = self.replay.val() | (self.reading.q_o.val() & self.room.val());
        self.entry.d_i.next = self.entry.q_o.val() + 1;
        if self.replay.val() {
            self.entry.d_i.next = 0.into();
        }
        self.offsets.ren_i.next = self.reading.q_o.val() & self.room.val();
        self.offsets.raddr_i.next = self.entry.q_o.val().get_bits::<12>(0);
        self.numbers.ren_i.next = self.reading.q_o.val() & self.room.val();
        self.numbers.raddr_i.next = self.entry.q_o.val().get_bits::<12>(0);
        self.read_valid.en_i.next = self.room.val() | self.clear_i.val();
        self.read_valid.d_i.next = self.reading.q_o.val() & !self.clear_i.val();
        self.read_end.en_i.next = self.room.val();
        self.read_end.d_i.next = self.last.val();

        comment!("Base plus offset");
        self.row_base.next = 0.into();
        for r in 0..self._rows {
            if self.numbers.rdata_o[0].val() == r.to_bits::<3>() {
                self.row_base.next = self.row_base.val() | self.base[r].q_o.val();
            }
        }
        self.valid.en_i.next = self.room.val() | self.clear_i.val();
        self.valid.d_i.next = self.read_valid.q_o.val() & !self.clear_i.val();
        self.addr.en_i.next = self.room.val();
        self.addr.d_i.next = self.row_base.val() + self.offsets.rdata_o[0].val();
        self.row.en_i.next = self.room.val();
        self.row.d_i.next = self.numbers.rdata_o[0].val();
        self.end_flag.en_i.next = self.room.val();
        self.end_flag.d_i.next = self.read_end.q_o.val();

        self.valid_o.next = self.valid.q_o.val();
        self.addr_o.next = self.addr.q_o.val();
        self.row_o.next = self.row.q_o.val();
        self.end_o.next = self.end_flag.q_o.val();
        self.stored_o.next = self.stored.q_o.val();
        self.busy_o.next = self.busy.val();
    }
}
