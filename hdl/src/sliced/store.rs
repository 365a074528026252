//! What a memory with a mask slice stores.

use super::{DataSlices, Meet, Select, SlicedRow, SlicedShape, ports::*};
use heddle_kernel::prelude::*;

/// The mask slice and the data slices of a memory, between [`Writer`](super::Writer) and
/// [`Restore`](super::Restore). A read fetches the mask first and then only the slices it names.
///
/// # Timing
/// That of the memory; the write is where it is behind the writer.
#[module(name = "sliced_store", describe = _shape)]
pub struct Store<const UB: usize> {
    /// The word to write, packed.
    #[new(PackedWrite::new(&shape))]
    pub ports_i: PackedWrite<In, UB>,
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
    /// Accesses of the data slices.
    #[new(SliceAccess::new(shape.slices(), units))]
    pub ports_o: SliceAccess<Out>,
    #[new(Meet::new(&shape, shape.input_stages()))]
    meet: Meet,
    /// Masks of all words.
    #[new(SlicedRow::new(shape.words, units, shape.mask_stages(), bypass))]
    pub row: SlicedRow,
    #[new(Select::new(units, shape.read_thresholds()))]
    read_select: Select,
    /// Data slices.
    #[new(DataSlices::new(&shape))]
    pub slices: DataSlices<UB>,
    /// What the memory is built from.
    _shape: SlicedShape,
    #[new(shape.units)]
    _units: usize,
    #[new(shape.bypass.into())]
    _bypass: usize,
}

#[kernel]
impl<const UB: usize> Store<UB> {
    fn update(&mut self) {
        comment!("The mask slice");
        self.meet.ren_i.follow(&self.ren_i);
        self.meet.raddr_i.follow(&self.raddr_i);
        for b in 0..self._bypass {
            self.meet.wen_i[b].follow(&self.ports_i.mask_wen);
            self.meet.waddr_i[b].follow(&self.ports_i.mask_waddr);
        }
        self.row.ports_i.wen.follow(&self.ports_i.mask_wen);
        self.row.ports_i.waddr.follow(&self.ports_i.mask_waddr);
        self.row.ports_i.ren.follow(&self.meet.ren_o);
        self.row.ports_i.raddr.follow(&self.meet.raddr_o);
        self.row.meet_i.follow(&self.meet.meet_o);
        self.mask_ren_o.follow(&self.meet.ren_o);
        self.read_o.follow(&self.row.ports_o.read);
        for p in 0..self._units {
            let place = self._shape.place(self._units, p);
            self.row.bit_i[place].follow(&self.ports_i.mask[p]);
            self.read_select.mask_i[p].follow(&self.row.stored_o[place]);
            self.mask_o[p].follow(&self.row.bit_o[place]);
        }
        comment!("The data slices that the mask names");
        self.slices.wen_i.follow(&self.ports_i.slice_wen);
        self.slices.waddr_i.follow(&self.ports_i.slice_waddr);
        self.slices.unit_i.follow(&self.ports_i.packed);
        if self._shape.exact {
            self.slices.lane_i.follow(&self.lane_i);
        }
        self.slices.ports_i.follow(&self.row.ports_o);
        self.slices.named_i.follow(&self.read_select.slice_o);
        self.packed_o.follow(&self.slices.unit_o);
        self.ports_o.follow(&self.slices.ports_o);
    }
}
