//! One data slice.

use super::shape::WA;
use crate::prelude::*;

/// Sizes of a data slice and its registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DataSliceShape {
    /// Words.
    pub words: usize,
    /// Units of the slice.
    pub width: usize,
    /// A memory for each lane, which is written only with a non-zero unit.
    pub exact: bool,
    /// The first position is the least significant unit.
    pub right: bool,
    /// Registers in front of the write port, at least 1.
    pub write_stages: usize,
    /// Registers in front of the read port.
    pub read_stages: usize,
    /// Cycles from `wen_i` to the cycle in which a read of the same request asks.
    pub offset: usize,
    /// Registers behind the memory: 0 or 1.
    pub data_stages: usize,
    /// Cycles that the units wait at the output for those of later slices.
    pub wait_stages: usize,
}

/// One data slice with its memory, or its memories if lanes are written one by one. Units are
/// in the order of packing.
///
/// Addresses, write data and enables at the memory change only when the slice is accessed.
/// A read that meets the write of its word takes the units from a register.
///
/// # Timing
/// A write reaches the memory `write_stages` cycles after `wen_i`, a read `read_stages` cycles
/// after `read_i`; its units are at the output `data_stages` + `wait_stages` + 1 cycles later.
#[derive(LogicBlock)]
pub struct DataSlice<const UB: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,

    /// Writes the slice of a word.
    pub wen_i: Signal<In, Bit>,
    /// Address of the word.
    pub waddr_i: Signal<In, Bits<WA>>,
    /// Its units by position.
    pub unit_i: Vec<Signal<In, Bits<UB>>>,
    /// Lanes to write, by position; only where lanes are written one by one.
    pub lane_i: Vec<Signal<In, Bits<1>>>,

    /// Reads a word.
    pub read_i: Signal<In, Bit>,
    /// Its address.
    pub raddr_i: Signal<In, Bits<WA>>,
    /// The mask in the memory names the slice.
    pub named_i: Signal<In, Bit>,
    /// The word was written in the cycle of the read; the slice is read if it is written.
    pub meet_i: Signal<In, Bit>,
    /// Units of the word by position; undefined unless the slice was read.
    pub unit_o: Vec<Signal<Out, Bits<UB>>>,

    /// The slice is read in this cycle.
    pub slice_ren_o: Signal<Out, Bit>,
    /// The slice is written in this cycle.
    pub slice_wen_o: Signal<Out, Bit>,
    /// Lanes written in this cycle, by position.
    pub lane_wen_o: Vec<Signal<Out, Bits<1>>>,

    /// The units of all words: one memory, or one for each lane.
    pub ram: Vec<Ram1r1w<WA, UB>>,
    wen: Vec<Reg<Bit>>,
    waddr: Vec<RegData<Bits<WA>>>,
    wdata: Vec<RegData<Bits<UB>>>,
    lane_wen: Vec<Reg<Bit>>,
    ren: Vec<Reg<Bit>>,
    raddr: Vec<RegData<Bits<WA>>>,
    meet: Vec<RegData<Bit>>,
    /// Address of the last read, kept at the memory until the next one.
    raddr_held: Vec<RegData<Bits<WA>>>,
    /// The units come from the bypass, not from the memory.
    bypassed: RegData<Bit>,
    bypass: Vec<RegData<Bits<UB>>>,
    /// The memory was read one cycle ago.
    fetched: Vec<Reg<Bit>>,
    /// The bypass was loaded one cycle ago.
    met: Vec<Reg<Bit>>,
    stored: Vec<RegData<Bits<UB>>>,
    bypass_next: Vec<RegData<Bits<UB>>>,
    /// The units have been read so many cycles ago.
    waited: Vec<Reg<Bit>>,
    waiting: Vec<RegData<Bits<UB>>>,

    write: Vec<Signal<Local, Bit>>,
    write_address: Vec<Signal<Local, Bits<WA>>>,
    write_unit: Vec<Signal<Local, Bits<UB>>>,
    write_lane: Vec<Signal<Local, Bit>>,
    reading: Vec<Signal<Local, Bit>>,
    read_address: Vec<Signal<Local, Bits<WA>>>,
    with_write: Vec<Signal<Local, Bit>>,
    fetch: Signal<Local, Bit>,
    take: Signal<Local, Bit>,
    read_unit: Vec<Signal<Local, Bits<UB>>>,
    _width: usize,
    _depth: usize,
    _exact: usize,
    _right: usize,
    _rams: usize,
    _elems: usize,
    _writes: usize,
    _reads: usize,
    _offset: usize,
    _data: usize,
    _waits: usize,
}

impl<const UB: usize> DataSlice<UB> {
    /// A slice of this shape.
    ///
    /// # Panics
    /// If a write has no register, or a read asks when the write has left them.
    pub fn new(shape: DataSliceShape) -> Self {
        let DataSliceShape { words, width, .. } = shape;
        let (writes, reads) = (shape.write_stages, shape.read_stages);
        let (data, waits) = (shape.data_stages, shape.wait_stages);
        assert!(writes > 0 && shape.offset <= writes, "too few registers");
        let lanes = if shape.exact { width } else { 0 };
        let (rams, elems) = if shape.exact { (width, 1) } else { (1, width) };
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            wen_i: Default::default(),
            waddr_i: Default::default(),
            unit_i: v(width),
            lane_i: v(lanes),
            read_i: Default::default(),
            raddr_i: Default::default(),
            named_i: Default::default(),
            meet_i: Default::default(),
            unit_o: v(width),
            slice_ren_o: Default::default(),
            slice_wen_o: Default::default(),
            lane_wen_o: v(width),
            ram: (0..rams).map(|_| Ram1r1w::new(elems, words)).collect(),
            wen: v(writes),
            waddr: v(writes),
            wdata: v(writes * width),
            lane_wen: v(writes * lanes),
            ren: v(reads),
            raddr: v(reads),
            meet: v(reads),
            raddr_held: v((reads == 0).into()),
            bypassed: Default::default(),
            bypass: v(width),
            fetched: v(data),
            met: v(data),
            stored: v(data * width),
            bypass_next: v(data * width),
            waited: v(waits),
            waiting: v(waits * width),
            write: v(writes + 1),
            write_address: v(writes + 1),
            write_unit: v((writes + 1) * width),
            write_lane: v((writes + 1) * lanes),
            reading: v(reads + 1),
            read_address: v(reads + 1),
            with_write: v(reads + 1),
            fetch: Default::default(),
            take: Default::default(),
            read_unit: v((waits + 1) * width),
            _width: width,
            _depth: words,
            _exact: shape.exact.into(),
            _right: shape.right.into(),
            _rams: rams,
            _elems: elems,
            _writes: writes,
            _reads: reads,
            _offset: shape.offset,
            _data: data,
            _waits: waits,
        }
    }
}

impl<const UB: usize> Logic for DataSlice<UB> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Writes on their way to the memory");
        self.write[0].next = self.wen_i.val();
        self.write_address[0].next = self.waddr_i.val();
        for i in 0..self._width {
            self.write_unit[i].next = self.unit_i[i].val();
            if self._exact > 0 {
                self.write_lane[i].next = self.wen_i.val() & self.lane_i[i].val().get_bit(0);
            }
        }
        for s in 0..self._writes {
            self.wen[s].clk.next = self.clk.val();
            self.wen[s].rst_n.next = self.rst_n.val();
            self.wen[s].d_i.next = self.write[s].val();
            self.write[s + 1].next = self.wen[s].q_o.val();
            self.waddr[s].clk.next = self.clk.val();
            self.waddr[s].en_i.next = self.write[s].val();
            self.waddr[s].d_i.next = self.write_address[s].val();
            self.write_address[s + 1].next = self.waddr[s].q_o.val();
            for i in 0..self._width {
                self.wdata[s * self._width + i].clk.next = self.clk.val();
                self.wdata[s * self._width + i].d_i.next =
                    self.write_unit[s * self._width + i].val();
                self.write_unit[(s + 1) * self._width + i].next =
                    self.wdata[s * self._width + i].q_o.val();
                if self._exact > 0 {
                    self.wdata[s * self._width + i].en_i.next =
                        self.write_lane[s * self._width + i].val();
                    self.lane_wen[s * self._width + i].clk.next = self.clk.val();
                    self.lane_wen[s * self._width + i].rst_n.next = self.rst_n.val();
                    self.lane_wen[s * self._width + i].d_i.next =
                        self.write_lane[s * self._width + i].val();
                    self.write_lane[(s + 1) * self._width + i].next =
                        self.lane_wen[s * self._width + i].q_o.val();
                } else {
                    self.wdata[s * self._width + i].en_i.next = self.write[s].val();
                }
            }
        }

        comment!("Reads on their way to the memory");
        self.reading[0].next = self.read_i.val() & self.named_i.val();
        if self.meet_i.val() {
            self.reading[0].next = self.read_i.val() & self.write[self._offset].val();
        }
        self.read_address[0].next = self.raddr_i.val();
        self.with_write[0].next = self.meet_i.val();
        for s in 0..self._reads {
            self.ren[s].clk.next = self.clk.val();
            self.ren[s].rst_n.next = self.rst_n.val();
            self.ren[s].d_i.next = self.reading[s].val();
            self.reading[s + 1].next = self.ren[s].q_o.val();
            self.raddr[s].clk.next = self.clk.val();
            self.raddr[s].en_i.next = self.reading[s].val();
            self.raddr[s].d_i.next = self.read_address[s].val();
            self.read_address[s + 1].next = self.raddr[s].q_o.val();
            self.meet[s].clk.next = self.clk.val();
            self.meet[s].en_i.next = self.reading[s].val();
            self.meet[s].d_i.next = self.with_write[s].val();
            self.with_write[s + 1].next = self.meet[s].q_o.val();
        }
        self.fetch.next = self.reading[self._reads].val() & !self.with_write[self._reads].val();
        self.take.next = self.reading[self._reads].val() & self.with_write[self._reads].val();
        if self._reads == 0 {
            self.raddr_held[0].clk.next = self.clk.val();
            self.raddr_held[0].en_i.next = self.reading[0].val();
            self.raddr_held[0].d_i.next = self.raddr_i.val();
        }

        comment!("Access");
        for r in 0..self._rams {
            self.ram[r].clk.next = self.clk.val();
            self.ram[r].waddr_i.next = self.write_address[self._writes].val();
            if self._exact > 0 {
                if self._right > 0 {
                    self.ram[r].wen_i.next = self.write_lane[self._writes * self._width + r].val();
                } else {
                    self.ram[r].wen_i.next =
                        self.write_lane[self._writes * self._width + self._width - 1 - r].val();
                }
            } else {
                self.ram[r].wen_i.next = self.write[self._writes].val();
            }
            self.ram[r].ren_i.next = self.fetch.val();
            if self._reads == 0 {
                self.ram[r].raddr_i.next = self.raddr_held[0].q_o.val();
                if self.reading[0].val() {
                    self.ram[r].raddr_i.next = self.raddr_i.val();
                }
            } else {
                self.ram[r].raddr_i.next = self.read_address[self._reads].val();
            }
            for e in 0..self._elems {
                if self._right > 0 {
                    self.ram[r].wdata_i[e].next =
                        self.write_unit[self._writes * self._width + r + e].val();
                } else {
                    self.ram[r].wdata_i[e].next =
                        self.write_unit[self._writes * self._width + self._width - 1 - r - e].val();
                }
            }
        }
        self.slice_ren_o.next = self.reading[self._reads].val();
        self.slice_wen_o.next = self.write[self._writes].val();
        for i in 0..self._width {
            if self._exact > 0 {
                self.lane_wen_o[i].next =
                    self.write_lane[self._writes * self._width + i].val().into();
            } else {
                self.lane_wen_o[i].next = self.write[self._writes].val().into();
            }
            self.bypass[i].clk.next = self.clk.val();
            self.bypass[i].en_i.next = self.take.val();
            self.bypass[i].d_i.next = self.write_unit[self._writes * self._width + i].val();
        }

        comment!("Units read");
        self.bypassed.clk.next = self.clk.val();
        if self._data > 0 {
            self.fetched[0].clk.next = self.clk.val();
            self.fetched[0].rst_n.next = self.rst_n.val();
            self.fetched[0].d_i.next = self.fetch.val();
            self.met[0].clk.next = self.clk.val();
            self.met[0].rst_n.next = self.rst_n.val();
            self.met[0].d_i.next = self.take.val();
            self.bypassed.en_i.next = self.fetched[0].q_o.val() | self.met[0].q_o.val();
            self.bypassed.d_i.next = self.met[0].q_o.val();
        } else {
            self.bypassed.en_i.next = self.reading[self._reads].val();
            self.bypassed.d_i.next = self.with_write[self._reads].val();
        }
        for r in 0..self._rams {
            for e in 0..self._elems {
                if self._data > 0 {
                    self.stored[r + e].clk.next = self.clk.val();
                    self.stored[r + e].en_i.next = self.fetched[0].q_o.val();
                    self.stored[r + e].d_i.next = self.ram[r].rdata_o[e].val();
                }
                if self._right > 0 {
                    if self._data > 0 {
                        self.read_unit[r + e].next = self.stored[r + e].q_o.val();
                    } else {
                        self.read_unit[r + e].next = self.ram[r].rdata_o[e].val();
                    }
                } else if self._data > 0 {
                    self.read_unit[self._width - 1 - r - e].next = self.stored[r + e].q_o.val();
                } else {
                    self.read_unit[self._width - 1 - r - e].next = self.ram[r].rdata_o[e].val();
                }
            }
        }
        for i in 0..self._width {
            if self._data > 0 {
                self.bypass_next[i].clk.next = self.clk.val();
                self.bypass_next[i].en_i.next = self.met[0].q_o.val();
                self.bypass_next[i].d_i.next = self.bypass[i].q_o.val();
                if self.bypassed.q_o.val() {
                    self.read_unit[i].next = self.bypass_next[i].q_o.val();
                }
            } else if self.bypassed.q_o.val() {
                self.read_unit[i].next = self.bypass[i].q_o.val();
            }
        }
        for s in 0..self._waits {
            self.waited[s].clk.next = self.clk.val();
            self.waited[s].rst_n.next = self.rst_n.val();
            if s == 0 {
                if self._data > 0 {
                    self.waited[s].d_i.next = self.fetched[0].q_o.val() | self.met[0].q_o.val();
                } else {
                    self.waited[s].d_i.next = self.reading[self._reads].val();
                }
            } else {
                self.waited[s].d_i.next = self.waited[s - 1].q_o.val();
            }
            for i in 0..self._width {
                self.waiting[s * self._width + i].clk.next = self.clk.val();
                self.waiting[s * self._width + i].en_i.next = self.waited[s].q_o.val();
                self.waiting[s * self._width + i].d_i.next =
                    self.read_unit[s * self._width + i].val();
                self.read_unit[(s + 1) * self._width + i].next =
                    self.waiting[s * self._width + i].q_o.val();
            }
        }
        for i in 0..self._width {
            self.unit_o[i].next = self.read_unit[self._waits * self._width + i].val();
        }
    }
    module!(|this| {
        let usual = |value, usual, flag| if value == usual { "" } else { flag };
        let (bits, writes) = (usual(UB, 8, "u"), usual(this._writes, 1, "p"));
        Meta::module("sliced_data")
            .param("depth", "d", this._depth, "words")
            .param("width", "w", this._width, "units of the slice")
            .param("unit_bits", bits, UB, "bits of a unit")
            .option("exact", "e", this._exact, "1: lanes are written one by one")
            .option(
                "right",
                "r",
                this._right,
                "1: the first position is the least significant unit",
            )
            .param(
                "writes",
                writes,
                this._writes,
                "registers in front of the write port",
            )
            .option(
                "reads",
                "q",
                this._reads,
                "registers in front of the read port",
            )
            .option(
                "offset",
                "f",
                this._offset,
                "cycles from a write to the read of its request",
            )
            .option("data", "s", this._data, "registers behind the memory")
            .option("waits", "t", this._waits, "registers at the output")
            .hidden("rams", this._rams, "memories")
            .hidden("elems", this._elems, "lanes of a memory")
    });
}
