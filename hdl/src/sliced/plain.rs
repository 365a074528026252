//! A plain memory, to compare with.

use super::{DataSlice, DataSliceShape, Meet, Reply, SlicedRequest, SlicedShape, ports::*};
use heddle_kernel::prelude::*;

/// Plain memory with the ports and the latency of a sliced one: a single slice, as wide as a word,
/// that every request accesses.
///
/// # Timing
/// `rdata_o` follows `ren_i` after the cycles of the latency. One read
/// and one write per clock, at any addresses. A read behind the write of its word returns the new word.
///
/// # Rules
/// A word must be written before it is read.
#[module(name = "sliced_plain", describe)]
pub struct PlainMemory<const UB: usize> {
    /// A write and a read.
    pub ports_i: MemoryRequest<In>,
    /// Word to write, unit 0 in the low bits.
    pub wdata_i: [Signal<In, Bits<UB>>; units],
    /// The word of an earlier read.
    #[new(MemoryAnswer::new(&shape))]
    pub wave_o: MemoryAnswer<Out, UB>,
    /// Accesses of the mask slice.
    pub mask_o: MaskAccess<Out>,
    /// Accesses of the data slices.
    #[new(SliceAccess::new(1, units))]
    pub ports_o: SliceAccess<Out>,
    #[new(SlicedRequest::new(&shape))]
    request: SlicedRequest<UB>,
    #[new(Meet::new(&shape, input))]
    meet: Meet,
    /// The words.
    #[new(DataSlice::new(data_shape(&shape)))]
    pub data: DataSlice<UB>,
    #[new(Reply::new(&shape))]
    reply: Reply<UB>,
    taken: [Reg<Bit>; input],
    taken_waddr: [RegData<Bits<WA>>; input],
    taken_word: [RegData<Bits<UB>>; input * units],
    read: [Reg<Bit>; reads],
    /// What the memory is built from.
    _shape: SlicedShape,
    #[new(shape.checked(UB, shape.mask))]
    _units: usize,
    /// Requests are taken into registers.
    #[new(shape.input_stages())]
    _input: usize,
    #[new(shape.distance() + shape.data_stages())]
    _reads: usize,
    #[new(shape.bypass.into())]
    _bypass: usize,
}

/// The only slice.
///
/// # Panics
/// If the shape is not that of a plain memory.
fn data_shape(shape: &SlicedShape) -> DataSliceShape {
    assert!(shape.plain, "not a plain memory");
    DataSliceShape {
        words: shape.words,
        width: shape.units,
        exact: false,
        right: shape.right,
        write_stages: shape.distance(),
        read_stages: shape.distance(),
        offset: 0,
        data_stages: shape.data_stages(),
        wait_stages: 0,
        bypass: shape.bypass,
    }
}

impl<const UB: usize> PlainMemory<UB> {
    fn describe(&self, meta: Meta) -> Meta {
        self._shape.describe_meetings(self._shape.describe(meta))
    }
}

#[kernel]
impl<const UB: usize> PlainMemory<UB> {
    fn update(&mut self) {
        self.request.wdata_i.follow(&self.wdata_i);
        self.meet.ren_i.follow(&self.ports_i.ren);
        self.meet.raddr_i.follow(&self.ports_i.raddr);
        if self._input > 0 {
            let wen = self.ports_i.wen;
            self.taken[0] = wen;
            self.taken_waddr[0].load(wen, self.ports_i.waddr);
            for p in 0..self._units {
                self.taken_word[p].load(wen, self.request.word_o[p]);
            }
            self.data.wen_i.follow(&self.taken[0]);
            self.data.waddr_i.follow(&self.taken_waddr[0]);
            for b in 0..self._bypass {
                self.meet.wen_i[b].follow(&self.taken[0]);
                self.meet.waddr_i[b].follow(&self.taken_waddr[0]);
            }
            self.data.unit_i.follow(&self.taken_word);
        } else {
            self.data.wen_i.follow(&self.ports_i.wen);
            self.data.waddr_i.follow(&self.ports_i.waddr);
            for b in 0..self._bypass {
                self.meet.wen_i[b].follow(&self.ports_i.wen);
                self.meet.waddr_i[b].follow(&self.ports_i.waddr);
            }
            self.data.unit_i.follow(&self.request.word_o);
        }
        self.data.ports_i.read.follow(&self.meet.ren_o);
        self.data.ports_i.raddr.follow(&self.meet.raddr_o);
        for b in 0..self._bypass {
            self.data.ports_i.meet[b].follow(&self.meet.meet_o[b]);
        }
        self.data.named_i = true;
        self.mask_o.tie_low();
        self.ports_o.slice_ren[0].follow(&self.data.slice_ren_o);
        self.ports_o.slice_wen[0].follow(&self.data.slice_wen_o);
        self.ports_o.lane_wen.follow(&self.data.lane_wen_o);

        self.read.shift_in(self.meet.ren_o);
        self.reply.ports_i.valid.follow(&self.read[self._reads - 1]);
        self.reply.ports_i.word.follow(&self.data.unit_o);
        for k in 0..self._units {
            self.reply.ports_i.mask[k] = self.data.unit_o[k].any().into();
        }
        self.wave_o.follow(&self.reply.ports_o);
    }
}
