//! A plain memory, to compare with.

use super::shape::WA;
use super::{DataSlice, DataSliceShape, Meet, Reply, Request, SlicedShape};
use heddle_kernel::prelude::*;

/// Plain memory with the ports and the latency of a sliced one: a single slice, as wide as a word,
/// that every request accesses.
///
/// # Timing
/// `rdata_o` follows `ren_i` after the cycles of the latency. One read
/// and one write per clock, at any addresses. A read in the cycle of a write to the same word, or
/// later, returns the new word; a bypass register sees to it.
///
/// # Rules
/// A word must be written before it is read.
#[module(name = "sliced_plain", describe = _shape)]
pub struct PlainMemory<const UB: usize> {
    /// Writes a word.
    pub wen_i: Signal<In, Bit>,
    /// Address of the word to write.
    pub waddr_i: Signal<In, Bits<WA>>,
    /// Word to write, unit 0 in the low bits.
    pub wdata_i: [Signal<In, Bits<UB>>; units],
    /// Reads a word.
    pub ren_i: Signal<In, Bit>,
    /// Address of the word to read.
    pub raddr_i: Signal<In, Bits<WA>>,
    /// The word of an earlier read is on `rdata_o`.
    pub rvalid_o: Signal<Out, Bit>,
    /// Word, unit 0 in the low bits; only defined with `rvalid_o`.
    pub rdata_o: [Signal<Out, Bits<UB>>; units],
    /// Its mask: bit k is 1 if unit k is not zero.
    pub rmask_o: [Signal<Out, Bits<1>>; units],
    /// The mask slice is read in this cycle.
    pub mask_ren_o: Signal<Out, Bit>,
    /// The mask slice is written in this cycle.
    pub mask_wen_o: Signal<Out, Bit>,
    /// One per data slice: it is read in this cycle.
    pub slice_ren_o: [Signal<Out, Bit>; 1],
    /// One per data slice: it is written in this cycle.
    pub slice_wen_o: [Signal<Out, Bit>; 1],
    /// Units of the data slices written in this cycle, by position.
    pub lane_wen_o: [Signal<Out, Bits<1>>; units],
    #[new(Request::new(&shape))]
    request: Request<UB>,
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
    }
}

impl<const UB: usize> PlainMemory<UB> {
    parts!(reply_word);
}

#[kernel]
impl<const UB: usize> PlainMemory<UB> {
    fn update(&mut self) {
        self.request.wdata_i.follow(&self.wdata_i);
        self.meet.ren_i.follow(&self.ren_i);
        self.meet.raddr_i.follow(&self.raddr_i);
        if self._input > 0 {
            self.taken[0].follow(&self.wen_i);
            self.taken_waddr[0].load(self.wen_i, self.waddr_i);
            for p in 0..self._units {
                self.taken_word[p].load(self.wen_i, self.request.word_o[p]);
            }
            self.data.wen_i.follow(&self.taken[0]);
            self.data.waddr_i.follow(&self.taken_waddr[0]);
            self.data.unit_i.follow(&self.taken_word);
            self.meet.wen_i.follow(&self.taken[0]);
            self.meet.waddr_i.follow(&self.taken_waddr[0]);
        } else {
            self.data.wen_i.follow(&self.wen_i);
            self.data.waddr_i.follow(&self.waddr_i);
            self.data.unit_i.follow(&self.request.word_o);
            self.meet.wen_i.follow(&self.wen_i);
            self.meet.waddr_i.follow(&self.waddr_i);
        }
        self.data.read_i.follow(&self.meet.ren_o);
        self.data.raddr_i.follow(&self.meet.raddr_o);
        self.data.named_i = true;
        self.data.meet_i.follow(&self.meet.meet_o);
        self.mask_ren_o = false;
        self.mask_wen_o = false;
        self.slice_ren_o[0].follow(&self.data.slice_ren_o);
        self.slice_wen_o[0].follow(&self.data.slice_wen_o);
        self.lane_wen_o.follow(&self.data.lane_wen_o);

        self.read.shift_in(self.meet.ren_o);
        self.reply.valid_i.follow(&self.read[self._reads - 1]);
        self.reply.word_i.follow(&self.data.unit_o);
        for k in 0..self._units {
            self.reply.mask_i[k] = self.data.unit_o[k].any().into();
        }
        self.reply_word();
    }
}
