//! One data slice.

use super::ports::*;
use super::shape::place;
use heddle_kernel::prelude::*;

/// Sizes of a data slice and its registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DataSliceShape {
    /// Words.
    pub words: usize,
    /// Units of the slice.
    pub width: usize,
    /// A lane is written only with a non-zero unit.
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
    /// A read that meets the write of its word takes the units from a register.
    pub bypass: bool,
}

/// One data slice with its memory. Units are in the order of packing.
///
/// Addresses, write data and enables at the memory change only when the slice is accessed.
/// With a bypass a read that meets the write of its word takes the units from a register.
///
/// # Timing
/// A write reaches the memory `write_stages` cycles after `wen_i`, a read `read_stages` cycles
/// after `read_i`; its units are at the output `data_stages` + `wait_stages` + 1 cycles later.
#[module(name = "sliced_data")]
pub struct DataSlice<const UB: usize> {
    /// Writes the slice of a word.
    pub wen_i: Signal<In, Bit>,
    /// Address of the word.
    pub waddr_i: Signal<In, Bits<WA>>,
    /// Its units by position.
    pub unit_i: [Signal<In, Bits<UB>>; width],
    /// Lanes to write, by position; only where lanes are written one by one.
    pub lane_i: [Signal<In, Bits<1>>; lanes],
    /// Reads a word; with a bypass, if it was written in the cycle of the read, the slice is read if it is written.
    #[new(SliceRead::new(bypass))]
    pub ports_i: SliceRead<In>,
    /// The mask in the memory names the slice.
    pub named_i: Signal<In, Bit>,
    /// Units of the word by position; undefined unless the slice was read.
    pub unit_o: [Signal<Out, Bits<UB>>; width],
    /// The slice is read in this cycle.
    pub slice_ren_o: Signal<Out, Bit>,
    /// The slice is written in this cycle.
    pub slice_wen_o: Signal<Out, Bit>,
    /// Lanes written in this cycle, by position.
    pub lane_wen_o: [Signal<Out, Bits<1>>; width],
    /// The units of all words.
    #[new(Ram1r1w::new(width, shape.words).passing())]
    pub ram: [Ram1r1w<WA, UB>; usize::from(!exact)],
    /// The same with a write enable for each lane.
    #[new(RamLanes::new(width, shape.words).passing())]
    pub lane_ram: [RamLanes<WA, UB>; exact.into()],
    wen: [Reg<Bit>; writes],
    waddr: [RegData<Bits<WA>>; writes],
    wdata: [RegData<Bits<UB>>; writes * width],
    lane_wen: [Reg<Bit>; writes * lanes],
    ren: [Reg<Bit>; reads],
    raddr: [RegData<Bits<WA>>; reads],
    meet: [RegData<Bit>; bypass * reads],
    /// Address of the last read, kept at the memory until the next one.
    raddr_held: [RegData<Bits<WA>>; (reads == 0).into()],
    /// The units come from the bypass, not from the memory.
    bypassed: [RegData<Bit>; bypass],
    bypass: [RegData<Bits<UB>>; bypass * width],
    /// The slice was read one cycle ago.
    fetched: [Reg<Bit>; data],
    stored: [RegData<Bits<UB>>; data * width],
    /// The units have been read so many cycles ago.
    waited: [Reg<Bit>; waits],
    waiting: [RegData<Bits<UB>>; waits * width],
    write: [Signal<Local, Bit>; writes + 1],
    write_address: [Signal<Local, Bits<WA>>; writes + 1],
    write_unit: [Signal<Local, Bits<UB>>; (writes + 1) * width],
    write_lane: [Signal<Local, Bit>; (writes + 1) * lanes],
    reading: [Signal<Local, Bit>; reads + 1],
    read_address: [Signal<Local, Bits<WA>>; reads + 1],
    with_write: [Signal<Local, Bit>; bypass * (reads + 1)],
    fetch: Signal<Local, Bit>,
    take: [Signal<Local, Bit>; bypass],
    /// Units from the memory or the bypass.
    unit: [Signal<Local, Bits<UB>>; width],
    read_unit: [Signal<Local, Bits<UB>>; (waits + 1) * width],
    /// Sizes and registers.
    #[argument]
    _shape: DataSliceShape,
    /// Words.
    #[new(shape.words)]
    _depth: Param<'d'>,
    /// Units of the slice.
    #[new(shape.width)]
    _width: Param<'w'>,
    /// Bits of a unit.
    _unit_bits: Generic<'u', UB, 8>,
    /// 1: lanes are written one by one.
    #[new(shape.exact)]
    _exact: Optional<'e', bool>,
    /// 1: the first position is the least significant unit.
    #[new(shape.right)]
    _right: Optional<'r', bool>,
    /// Registers in front of the write port.
    #[new(stages_in_front_of_writes(&shape))]
    _writes: Param<'p', 1>,
    /// Registers in front of the read port.
    #[new(shape.read_stages)]
    _reads: Optional<'q'>,
    /// Cycles from a write to its read.
    #[new(shape.offset)]
    _offset: Optional<'f'>,
    /// Registers behind the memory.
    #[new(shape.data_stages)]
    _data: Optional<'s'>,
    /// Registers at the output.
    #[new(shape.wait_stages)]
    _waits: Optional<'t'>,
    #[new(if exact { width } else { 0 })]
    _lanes: usize,
    #[new(shape.bypass.into())]
    _bypass: usize,
}

/// Registers in front of the write port.
///
/// # Panics
/// If a write has no register, or a read asks when the write has left them.
fn stages_in_front_of_writes(shape: &DataSliceShape) -> usize {
    let (writes, offset) = (shape.write_stages, shape.offset);
    assert!(writes > 0 && offset <= writes, "too few registers");
    writes
}

#[kernel]
impl<const UB: usize> DataSlice<UB> {
    fn update(&mut self) {
        self.writes();
        self.reads();
        self.access();
        self.units_read();
        self.waits();
    }

    /// Writes on their way to the memory.
    fn writes(&mut self) {
        comment!("Writes on their way to the memory");
        self.write[0].follow(&self.wen_i);
        self.write_address[0].follow(&self.waddr_i);
        for i in 0..self._width {
            self.write_unit[i].follow(&self.unit_i[i]);
        }
        for i in 0..self._lanes {
            self.write_lane[i] = self.wen_i & self.lane_i[i].get_bit(0);
        }
        for s in 0..self._writes {
            self.wen[s].follow(&self.write[s]);
            self.write[s + 1].follow(&self.wen[s]);
            self.waddr[s].load(self.write[s], self.write_address[s]);
            self.write_address[s + 1].follow(&self.waddr[s]);
            for i in s * self._width..(s + 1) * self._width {
                self.wdata[i].follow(&self.write_unit[i]);
                self.write_unit[i + self._width].follow(&self.wdata[i]);
                if self._exact {
                    self.wdata[i].en_i = self.write_lane[i];
                    self.lane_wen[i].follow(&self.write_lane[i]);
                    self.write_lane[i + self._width].follow(&self.lane_wen[i]);
                } else {
                    self.wdata[i].en_i = self.write[s];
                }
            }
        }
    }

    /// Reads on their way to the memory.
    fn reads(&mut self) {
        comment!("Reads on their way to the memory");
        self.reading[0] = self.ports_i.read & self.named_i;
        for b in 0..self._bypass {
            if self.ports_i.meet[b] {
                self.reading[0] = self.ports_i.read & self.write[self._offset];
            }
        }
        self.read_address[0].follow(&self.ports_i.raddr);
        for b in 0..self._bypass {
            self.with_write[0].follow(&self.ports_i.meet[b]);
        }
        for s in 0..self._reads {
            self.ren[s].follow(&self.reading[s]);
            self.reading[s + 1].follow(&self.ren[s]);
            self.raddr[s].load(self.reading[s], self.read_address[s]);
            self.read_address[s + 1].follow(&self.raddr[s]);
            for _ in 0..self._bypass {
                self.meet[s].load(self.reading[s], self.with_write[s]);
                self.with_write[s + 1].follow(&self.meet[s]);
            }
        }
        if self._bypass > 0 {
            self.fetch = self.reading[self._reads] & !self.with_write[self._reads];
            self.take[0] = self.reading[self._reads] & self.with_write[self._reads];
        } else {
            self.fetch.follow(&self.reading[self._reads]);
        }
        if self._reads == 0 {
            self.raddr_held[0].load(self.fetch, self.ports_i.raddr);
        }
    }

    /// Access of the memory.
    fn access(&mut self) {
        comment!("Access");
        let end = self._writes * self._width;
        for r in 0..usize::from(!self._exact) {
            self.ram[r].wen_i = self.write[self._writes];
            self.ram[r].waddr_i = self.write_address[self._writes];
            self.ram[r].ren_i = self.fetch;
            if self._reads == 0 {
                self.ram[r].raddr_i = mux(self.fetch, self.ports_i.raddr, self.raddr_held[0]);
            } else {
                self.ram[r].raddr_i = self.read_address[self._reads];
            }
            for e in 0..self._width {
                let unit = end + place(self._right, self._width, e);
                self.ram[r].wdata_i[e] = self.write_unit[unit];
            }
        }
        for r in 0..usize::from(self._exact) {
            self.lane_ram[r].waddr_i = self.write_address[self._writes];
            self.lane_ram[r].ren_i = self.fetch;
            if self._reads == 0 {
                self.lane_ram[r].raddr_i = mux(self.fetch, self.ports_i.raddr, self.raddr_held[0]);
            } else {
                self.lane_ram[r].raddr_i = self.read_address[self._reads];
            }
            for e in 0..self._width {
                let unit = end + place(self._right, self._width, e);
                self.lane_ram[r].wen_i[e] = self.write_lane[unit];
                self.lane_ram[r].wdata_i[e] = self.write_unit[unit];
            }
        }
        self.slice_ren_o.follow(&self.reading[self._reads]);
        self.slice_wen_o.follow(&self.write[self._writes]);
        for i in 0..self._width {
            if self._exact {
                self.lane_wen_o[i] = self.write_lane[end + i].into();
            } else {
                self.lane_wen_o[i] = self.write[self._writes].into();
            }
            for b in 0..self._bypass {
                self.bypass[i].load(self.take[b], self.write_unit[end + i]);
            }
        }
    }

    /// Units from the memory or the bypass, behind its register if there is one.
    fn units_read(&mut self) {
        comment!("Units read");
        for s in 0..self._data {
            self.fetched[s].follow(&self.reading[self._reads]);
        }
        for b in 0..self._bypass {
            self.bypassed[b].load(self.reading[self._reads], self.with_write[self._reads]);
        }
        for e in 0..self._width {
            let p = place(self._right, self._width, e);
            if self._exact {
                self.unit[p].follow(&self.lane_ram[0].rdata_o[e]);
            } else {
                self.unit[p].follow(&self.ram[0].rdata_o[e]);
            }
        }
        for p in 0..self._width {
            for b in 0..self._bypass {
                if self.bypassed[b] {
                    self.unit[p].follow(&self.bypass[p]);
                }
            }
            if self._data > 0 {
                self.stored[p].load(self.fetched[0], self.unit[p]);
                self.read_unit[p].follow(&self.stored[p]);
            } else {
                self.read_unit[p].follow(&self.unit[p]);
            }
        }
    }

    /// Units wait at the output.
    fn waits(&mut self) {
        for s in 0..self._waits {
            if s > 0 {
                self.waited[s] = self.waited[s - 1];
            } else if self._data > 0 {
                self.waited[s].follow(&self.fetched[0]);
            } else {
                self.waited[s].follow(&self.reading[self._reads]);
            }
            for i in s * self._width..(s + 1) * self._width {
                self.waiting[i].load(self.waited[s], self.read_unit[i]);
                self.read_unit[i + self._width].follow(&self.waiting[i]);
            }
        }
        for i in 0..self._width {
            self.unit_o[i].follow(&self.read_unit[self._waits * self._width + i]);
        }
    }
}
