//! All data slices of a memory, or those behind the first.

use super::describe::{LANES, RIGHT};
use super::{DataSlice, DataSliceShape, MaskPlace, SlicedShape, ports::*};
use heddle_kernel::prelude::*;

/// The data slices side by side, with one address each for writes and reads. In a memory whose
/// first slice holds the mask, these are the slices from 1 on. Units, lanes and slices are
/// counted from the first one here, in the order of packing.
///
/// # Timing
/// That of the slices; in turn, each is accessed one cycle after the one before.
#[module(name = "sliced_slices", describe)]
pub struct DataSlices<const UB: usize> {
    /// One per slice: it is written.
    pub wen_i: [Signal<In, Bit>; count],
    /// Address of the word to write.
    pub waddr_i: Signal<In, Bits<WA>>,
    /// Its units by position.
    pub unit_i: [Signal<In, Bits<UB>>; units],
    /// Lanes to write, by position; only where lanes are written one by one.
    pub lane_i: [Signal<In, Bits<1>>; if shape.exact { units } else { 0 }],
    /// A word is read.
    #[new(SliceRead::new(shape.bypass.into()))]
    pub ports_i: SliceRead<In>,
    /// One per slice: the mask in the memory names it.
    pub named_i: [Signal<In, Bit>; count],
    /// Units of the word by position; undefined in slices that are not read.
    pub unit_o: [Signal<Out, Bits<UB>>; units],
    /// Accesses of the slices.
    #[new(SliceAccess::new(count, units))]
    pub ports_o: SliceAccess<Out>,
    #[new(slice(shape, 0))]
    slice0: Vec<DataSlice<UB>>,
    #[new(slice(shape, 1))]
    slice1: Vec<DataSlice<UB>>,
    #[new(slice(shape, 2))]
    slice2: Vec<DataSlice<UB>>,
    #[new(slice(shape, 3))]
    slice3: Vec<DataSlice<UB>>,
    #[new(slice(shape, 4))]
    slice4: Vec<DataSlice<UB>>,
    #[new(slice(shape, 5))]
    slice5: Vec<DataSlice<UB>>,
    #[new(slice(shape, 6))]
    slice6: Vec<DataSlice<UB>>,
    #[new(slice(shape, 7))]
    slice7: Vec<DataSlice<UB>>,
    /// What the memory is built from.
    #[argument]
    _shape: &SlicedShape,
    #[new(shape.clone())]
    _of: SlicedShape,
    #[new(behind(shape).len())]
    _count: usize,
    #[new(behind(shape).iter().sum())]
    _units: usize,
}

/// Widths of the slices that hold no mask.
fn behind(shape: &SlicedShape) -> &[usize] {
    &shape.widths[usize::from(shape.mask != MaskPlace::Slice)..]
}

/// Slice k, if there is one: slices differ in width, so that each has a name of its own.
fn slice<const UB: usize>(shape: &SlicedShape, k: usize) -> Vec<DataSlice<UB>> {
    let widths = behind(shape);
    let first = shape.widths.len() - widths.len();
    // What is packed at once waits here for its turn; a mask slice's words come packed.
    let writes = if first > 0 { shape.distance() } else { 1 };
    let turn = if shape.in_turn { first + k } else { 0 };
    let one = |width: &usize| {
        DataSlice::new(DataSliceShape {
            words: shape.words,
            width: *width,
            exact: shape.exact,
            right: shape.right,
            write_stages: writes + turn,
            read_stages: shape.enable_stages() + turn,
            offset: if shape.bypass {
                writes - shape.enable_stages()
            } else {
                0
            },
            data_stages: shape.data_stages(),
            wait_stages: shape.turns() - turn,
            bypass: shape.bypass,
        })
    };
    widths.get(k).map(one).into_iter().collect()
}

/// What a slice has to do with the ports, for each of them.
macro_rules! slices {
    ($($slice:ident $k:literal),*) => {
        impl<const UB: usize> DataSlices<UB> {
            /// The slices.
            pub fn slices(&self) -> Vec<&DataSlice<UB>> {
                [$(&self.$slice),*].into_iter().flatten().collect()
            }
        }
        #[kernel]
        impl<const UB: usize> DataSlices<UB> {
            fn update(&mut self) {
                $(self.$slice();)*
            }
            $(
                fn $slice(&mut self) {
                    if $k < self._count {
                        self.$slice[0].wen_i.follow(&self.wen_i[$k]);
                        self.$slice[0].waddr_i.follow(&self.waddr_i);
                        self.$slice[0].ports_i.follow(&self.ports_i);
                        self.$slice[0].named_i.follow(&self.named_i[$k]);
                        self.ports_o.slice_ren[$k].follow(&self.$slice[0].slice_ren_o);
                        self.ports_o.slice_wen[$k].follow(&self.$slice[0].slice_wen_o);
                        let from = behind(&self._of)[..$k].iter().sum::<usize>();
                        for i in 0..behind(&self._of)[$k] {
                            self.$slice[0].unit_i[i].follow(&self.unit_i[from + i]);
                            self.unit_o[from + i].follow(&self.$slice[0].unit_o[i]);
                            self.ports_o.lane_wen[from + i].follow(&self.$slice[0].lane_wen_o[i]);
                            if self._of.exact {
                                self.$slice[0].lane_i[i].follow(&self.lane_i[from + i]);
                            }
                        }
                    }
                }
            )*
        }
    };
}
slices!(slice0 0, slice1 1, slice2 2, slice3 3, slice4 4, slice5 5, slice6 6, slice7 7);

impl<const UB: usize> DataSlices<UB> {
    fn describe(&self, meta: Meta) -> Meta {
        let shape = &self._of;
        let beside = (shape.mask != MaskPlace::Slice).into();
        let mut meta = meta.param("depth", "d", shape.words, "words");
        for (k, width) in behind(shape).iter().enumerate() {
            meta = meta.param(&format!("width{k}"), "w", *width, "units of a slice");
        }
        meta.choice("unit_bits", "u", UB, 8, "bits of a unit")
            .option("first", "m", beside, "1: slice 0 stands beside the mask")
            .option("exact", "e", shape.exact.into(), LANES)
            .option("right", "r", shape.right.into(), RIGHT)
            .option("turn", "o", shape.in_turn.into(), "1: slices in turn")
            .choice("latency", "l", shape.latency, 2, "cycles to the word")
    }
}
