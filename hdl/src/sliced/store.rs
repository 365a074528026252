//! What a memory with a mask slice stores.

use super::shape::WA;
use super::{DataSlices, Meet, Row, Select, SlicedShape};
use heddle_kernel::prelude::*;

/// The mask slice and the data slices of a memory, between [`Writer`](super::Writer) and
/// [`Restore`](super::Restore). A read fetches the mask first and then only the slices it names.
///
/// # Timing
/// That of the memory; the write is where it is behind the writer.
#[module(name = "sliced_store", describe = _shape)]
pub struct Store<const UB: usize> {
    /// The mask is written.
    pub mask_wen_i: Signal<In, Bit>,
    /// Its address.
    pub mask_waddr_i: Signal<In, Bits<WA>>,
    /// The mask, by position.
    pub mask_i: [Signal<In, Bits<1>>; units],
    /// One per data slice: it is written.
    pub slice_wen_i: [Signal<In, Bit>; shape.slices()],
    /// Its address.
    pub slice_waddr_i: Signal<In, Bits<WA>>,
    /// Packed units, by position.
    pub packed_i: [Signal<In, Bits<UB>>; units],
    /// Positions at which a non-zero unit arrived; only where lanes are written one by one.
    pub lane_i: [Signal<In, Bits<1>>; if shape.exact { units } else { 0 }],
    /// Reads a word.
    pub ren_i: Signal<In, Bit>,
    /// Address of the word to read.
    pub raddr_i: Signal<In, Bits<WA>>,
    /// A mask was read.
    pub read_o: Signal<Out, Bit>,
    /// The mask, by position.
    pub mask_o: [Signal<Out, Bits<1>>; units],
    /// Packed units of the word by position, later; undefined in slices that are not read.
    pub packed_o: [Signal<Out, Bits<UB>>; units],
    /// The mask slice is read in this cycle.
    pub mask_ren_o: Signal<Out, Bit>,
    /// One per data slice: it is read in this cycle.
    pub slice_ren_o: [Signal<Out, Bit>; shape.slices()],
    /// One per data slice: it is written in this cycle.
    pub slice_wen_o: [Signal<Out, Bit>; shape.slices()],
    /// Units of the data slices written in this cycle, by position.
    pub lane_wen_o: [Signal<Out, Bits<1>>; units],
    #[new(Meet::new(&shape, shape.input_stages()))]
    meet: Meet,
    /// Masks of all words.
    #[new(Row::new(shape.words, units, shape.mask_stages()))]
    pub row: Row,
    #[new(Select::new(units, shape.read_thresholds()))]
    read_select: Select,
    /// Data slices.
    #[new(DataSlices::new(&shape))]
    pub slices: DataSlices<UB>,
    /// What the memory is built from.
    _shape: SlicedShape,
    #[new(shape.units)]
    _units: usize,
}

#[kernel]
impl<const UB: usize> Store<UB> {
    fn update(&mut self) {
        comment!("The mask slice");
        self.meet.ren_i.follow(&self.ren_i);
        self.meet.raddr_i.follow(&self.raddr_i);
        self.meet.wen_i.follow(&self.mask_wen_i);
        self.meet.waddr_i.follow(&self.mask_waddr_i);
        self.row.wen_i.follow(&self.mask_wen_i);
        self.row.waddr_i.follow(&self.mask_waddr_i);
        self.row.ren_i.follow(&self.meet.ren_o);
        self.row.raddr_i.follow(&self.meet.raddr_o);
        self.row.meet_i.follow(&self.meet.meet_o);
        self.mask_ren_o.follow(&self.meet.ren_o);
        self.read_o.follow(&self.row.read_o);
        for p in 0..self._units {
            let place = self._shape.place(self._units, p);
            self.row.bit_i[place].follow(&self.mask_i[p]);
            self.read_select.mask_i[p].follow(&self.row.stored_o[place]);
            self.mask_o[p].follow(&self.row.bit_o[place]);
        }
        comment!("The data slices that the mask names");
        self.slices.wen_i.follow(&self.slice_wen_i);
        self.slices.waddr_i.follow(&self.slice_waddr_i);
        self.slices.unit_i.follow(&self.packed_i);
        if self._shape.exact {
            self.slices.lane_i.follow(&self.lane_i);
        }
        self.slices.read_i.follow(&self.row.read_o);
        self.slices.raddr_i.follow(&self.row.raddr_o);
        self.slices.meet_i.follow(&self.row.meet_o);
        self.slices.named_i.follow(&self.read_select.slice_o);
        self.packed_o.follow(&self.slices.unit_o);
        self.slice_ren_o.follow(&self.slices.slice_ren_o);
        self.slice_wen_o.follow(&self.slices.slice_wen_o);
        self.lane_wen_o.follow(&self.slices.lane_wen_o);
    }
}
