//! The memories that are measured, by name.

use heddle_gen::{Design, EmitOptions, emit};
use heddle_hdl::sliced::{MaskPlace, PlainMemory, Sliced, SlicedField, SlicedHybrid, SlicedShape};
use heddle_kernel::prelude::Block;
use heddle_sim::sliced as golden;

/// Words of every memory.
pub const WORDS: usize = 1024;

/// A memory whose accesses are counted, as hardware and as golden model.
pub struct Candidate {
    /// Name in the tables.
    pub name: &'static str,
    pub shape: SlicedShape,
    pub layout: golden::SliceLayout,
}

/// The memories whose accesses are counted.
pub fn candidates() -> Vec<Candidate> {
    use golden::MaskPlace as Golden;
    [
        ("plain", &[4, 4][..], MaskPlace::Slice, Golden::Slice),
        ("slice [4, 4]", &[4, 4], MaskPlace::Slice, Golden::Slice),
        ("field [4, 4]", &[4, 4], MaskPlace::Field, Golden::Field),
        ("hybrid [4, 4]", &[4, 4], MaskPlace::Hybrid, Golden::Hybrid),
        (
            "slice [2, 2, 4]",
            &[2, 2, 4],
            MaskPlace::Slice,
            Golden::Slice,
        ),
    ]
    .map(|(name, widths, mask, golden_mask)| {
        let plain = name == "plain";
        let shape = SlicedShape {
            mask,
            plain,
            ..SlicedShape::new(WORDS, widths.to_vec())
        };
        let layout = golden::SliceLayout::new(WORDS, widths).with_mask(golden_mask);
        Candidate {
            name,
            shape: SlicedShape {
                access_threshold: shape.first_units(),
                ..shape
            },
            layout: golden::SliceLayout { plain, ..layout },
        }
    })
    .into()
}

/// The hardware of a memory of bytes.
pub fn memory(shape: &SlicedShape) -> Design {
    let shape = shape.clone();
    match shape.mask {
        _ if shape.plain => design(&PlainMemory::<8>::new(shape)),
        MaskPlace::Slice => design(&Sliced::<8>::new(shape)),
        MaskPlace::Field => design(&SlicedField::<8>::new(shape)),
        MaskPlace::Hybrid => design(&SlicedHybrid::<8>::new(shape)),
    }
}

fn design(block: &dyn Block) -> Design {
    let options = EmitOptions {
        configuration: "sliced_bench".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        ..EmitOptions::default()
    };
    emit(block, &options).unwrap_or_else(|error| panic!("{error}"))
}
