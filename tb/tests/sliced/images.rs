//! What the memories of a sliced memory hold after a write: the rows of the specification's tables, in rust-hdl's
//! simulator and in the golden model.

use super::shapes::Memory;
use super::sides::shape;
use heddle_hdl::sliced::{DataSlices, Sliced, SlicedField, SlicedHybrid, SlicedRow};
use heddle_sim::sliced::vectors::{
    FIELD_7, HYBRID, NIBBLES, PAIRS, STALE_STEPS, THREE_SLICES, WORDS, WordRow, word,
};
use heddle_sim::sliced::{MaskPlace, SliceLayout, SlicedInputs, SlicedReference, Word};

const ADDRESS: u16 = 5;

/// Access to the memories inside.
trait Inside<const UB: usize>: Memory {
    fn row(&self) -> &SlicedRow;
    fn slices(&self) -> &DataSlices<UB>;
}

macro_rules! inside {
    ($($name:ident $($part:ident)?;)*) => { $(
        impl<const UB: usize> Inside<UB> for $name<UB> {
            fn row(&self) -> &SlicedRow {
                &self$(.$part)?.row
            }
            fn slices(&self) -> &DataSlices<UB> {
                &self$(.$part)?.slices
            }
        }
    )* };
}
inside!(Sliced store; SlicedField; SlicedHybrid;);

/// The first row and the rows of the data slices behind it, position 0 most significant.
type Rows = (u64, Vec<u64>);

/// Units as one number, position 0 most significant.
fn number(units: &[u32], bits: usize) -> u64 {
    units.iter().fold(0, |n, unit| n << bits | u64::from(*unit))
}

/// A memory whose write ports are watched, and the golden rows.
struct Image<M> {
    memory: M,
    layout: SliceLayout,
    reference: SlicedReference,
    row: u64,
    /// Units of the data slices with memories of their own, by position.
    slices: Vec<Vec<u32>>,
}

impl<M> Image<M> {
    /// Every lane holds a unit.
    fn new<const UB: usize>(mut memory: M, layout: &SliceLayout) -> Self
    where
        M: Inside<UB>,
    {
        memory.begin();
        let first = usize::from(layout.mask != MaskPlace::Slice);
        let widths = &layout.widths[first..];
        let mut image = Self {
            memory,
            layout: layout.clone(),
            reference: SlicedReference::new(layout),
            row: 0,
            slices: widths.iter().map(|width| vec![0; *width]).collect(),
        };
        image.write(Word::from_limbs(
            [u64::MAX >> (64 - layout.word_bits().min(64)); 4],
        ));
        image
    }

    /// Writes a word; the rows are those of the golden model.
    fn write<const UB: usize>(&mut self, word: Word) -> Rows
    where
        M: Inside<UB>,
    {
        for cycle in 0..12 {
            let write = (cycle == 0).then_some((ADDRESS, word));
            self.memory.drive(&SlicedInputs { write, read: None });
            let row = &self.memory.row().ram;
            if row.wen_i.val() {
                assert_eq!(row.waddr_i.val().to_u64(), u64::from(ADDRESS));
                let bits = row.wdata_i.iter().rev();
                self.row = bits.fold(0, |n, bit| n << 1 | bit.val().to_u64());
            }
            let slices = self.memory.slices().slices().into_iter();
            for (slice, units) in slices.zip(&mut self.slices) {
                // Enable, address and data of each lane; a memory has one enable, or one for each.
                let whole = slice.ram.iter().flat_map(|ram| {
                    let data = ram.wdata_i.iter();
                    data.map(move |data| (&ram.wen_i, &ram.waddr_i, data))
                });
                let lanes = slice.lane_ram.iter().flat_map(|ram| {
                    let lanes = ram.wen_i.iter().zip(&ram.wdata_i);
                    lanes.map(move |(enable, data)| (enable, &ram.waddr_i, data))
                });
                let last = units.len() - 1;
                for (lane, (enable, address, data)) in whole.chain(lanes).enumerate() {
                    if enable.val() {
                        assert_eq!(address.val().to_u64(), u64::from(ADDRESS));
                        let position = if self.layout.right { lane } else { last - lane };
                        units[position] = data.val().to_u64() as u32;
                    }
                }
            }
            self.memory.tick();
        }
        self.reference.write(ADDRESS.into(), word);
        let golden = |slice: usize| self.reference.slice(slice, ADDRESS.into());
        let bits = self.layout.unit_bits;
        let mask = self.reference.mask(ADDRESS.into()).expect("written");
        let own = number(&golden(0), bits);
        let (first, row) = match self.layout.mask {
            MaskPlace::Slice => (0, mask),
            MaskPlace::Field => (1, mask << (self.layout.widths[0] * bits) | own),
            MaskPlace::Hybrid => {
                let flag = self.reference.flag(ADDRESS.into()).expect("written");
                (1, u64::from(flag) << (self.layout.widths[0] * bits) | own)
            }
        };
        let case = format!("{:?}, {word:?}", self.layout);
        assert_eq!(self.row, row, "{case}");
        for (slice, units) in self.slices.iter().enumerate() {
            assert_eq!(*units, golden(first + slice), "slice {slice}, {case}");
        }
        let rows = self.slices.iter().map(|units| number(units, bits));
        (self.row, rows.collect())
    }

    /// Writes a word and compares with a row of a table; a slice without one keeps what it holds.
    fn check<const UB: usize>(&mut self, word: impl Into<Word>, row: u64, slices: &[Option<u64>])
    where
        M: Inside<UB>,
    {
        let bits = self.layout.unit_bits;
        let before: Vec<u64> = self
            .slices
            .iter()
            .map(|units| number(units, bits))
            .collect();
        let found = self.write(word.into());
        let slices = slices.iter().zip(before);
        let expected = slices.map(|(slice, before)| slice.unwrap_or(before));
        assert_eq!(found, (row, expected.collect()), "{:?}", self.layout);
    }
}

/// A table of words with two slices.
fn check_table<const UB: usize>(layout: &SliceLayout, table: &[WordRow]) {
    let mut image = Image::new(Sliced::<UB>::new(shape(layout)), layout);
    for row in table {
        image.check(
            row.word,
            row.mask.into(),
            &[row.a, row.b].map(|row| row.map(u64::from)),
        );
    }
}

#[proves(
    "SPM-02", "SPM-03", "SPM-04", "SPM-06", "SPM-07", "SPM-08", "SPM-28", "SPM-29", "SPM-33"
)]
#[test]
fn rows_of_tables_of_words() {
    for latency in 2..=7 {
        check_table::<8>(
            &SliceLayout {
                latency,
                ..SliceLayout::new(16, [4, 4])
            },
            &WORDS,
        );
    }
    check_table::<16>(
        &SliceLayout {
            unit_bits: 16,
            ..SliceLayout::new(16, [2, 2])
        },
        &PAIRS,
    );
    check_table::<4>(
        &SliceLayout {
            unit_bits: 4,
            ..SliceLayout::new(16, [8, 8])
        },
        &NIBBLES,
    );
}

#[proves("SPM-30")]
#[test]
fn rows_of_three_slices() {
    let layout = SliceLayout::new(16, [2, 2, 4]);
    let mut image = Image::new(Sliced::<8>::new(shape(&layout)), &layout);
    for (number, slices, packed) in THREE_SLICES {
        let parts = [packed >> 48, packed >> 32 & 0xffff, packed & 0xffff_ffff];
        let accessed = |k: usize| (slices >> k & 1 == 1).then_some(parts[k]);
        let row = WORDS[number - 1];
        image.check(row.word, row.mask.into(), &[0, 1, 2].map(accessed));
    }
}

#[proves("SPM-11", "SPM-19", "SPM-32")]
#[test]
fn stale_bytes_stay_in_filled_and_in_exact_slices() {
    for exact in [false, true] {
        let layout = SliceLayout {
            exact,
            ..SliceLayout::new(16, [4, 4])
        };
        let mut image = Image::new(Sliced::<8>::new(shape(&layout)), &layout);
        for step in STALE_STEPS {
            let Some(number) = step.write else { continue };
            let rows = if exact { step.exact } else { step.filled };
            image.check(word(number), step.mask, &rows.map(|row| Some(row.into())));
        }
    }
}

#[proves("SPM-38", "SPM-39", "SPM-40", "SPM-49")]
#[test]
fn rows_of_hybrid_and_field() {
    let layout = SliceLayout::new(16, [4, 4]).with_mask(MaskPlace::Hybrid);
    let mut image = Image::new(SlicedHybrid::<8>::new(shape(&layout)), &layout);
    for (number, packed, a, b) in HYBRID {
        let row = u64::from(packed) << 32 | u64::from(a);
        image.check(word(number), row, &[b.map(u64::from)]);
    }
    let layout = SliceLayout::new(16, [4, 4]).with_mask(MaskPlace::Field);
    let mut image = Image::new(SlicedField::<8>::new(shape(&layout)), &layout);
    image.check(word(7), FIELD_7.0, &[Some(FIELD_7.1.into())]);
}

#[proves("SPM-44")]
#[test]
fn packing_to_the_right_stores_the_rows_of_the_golden_model() {
    let layout = SliceLayout {
        right: true,
        exact: true,
        ..SliceLayout::new(16, [4, 4])
    };
    let mut image = Image::new(Sliced::<8>::new(shape(&layout)), &layout);
    for row in WORDS {
        image.write(Word::from(row.word.swap_bytes()));
    }
}
