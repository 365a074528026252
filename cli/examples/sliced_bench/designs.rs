//! The memories that are measured, by name.

use std::fs;
use std::path::Path;

use heddle_gen::{Design, EmitOptions, emit};
use heddle_hdl::sliced::{
    MaskPlace, Network, Pack, PlainMemory, Route, Sliced, SlicedField, SlicedHybrid, SlicedShape,
    Unpack,
};
use heddle_kernel::prelude::Block;
use heddle_sim::sliced as golden;

/// Words of every memory.
pub const WORDS: usize = 1024;

const NETWORKS: [(&str, Network); 3] = [
    ("full", Network::Full),
    ("half", Network::Half),
    ("split", Network::Split),
];

/// A memory whose accesses are counted, as hardware and as golden model.
pub struct Candidate {
    /// Name in the tables.
    pub name: &'static str,
    pub shape: SlicedShape,
    pub layout: golden::Layout,
}

/// The memories whose accesses are counted.
pub fn candidates() -> Vec<Candidate> {
    let of = |name, widths: &[usize], mask, golden_mask, plain| {
        let layout = golden::Layout::new(WORDS, widths).with_mask(golden_mask);
        Candidate {
            name,
            shape: with_mask(
                SlicedShape {
                    plain,
                    ..shape(widths)
                },
                mask,
            ),
            layout: golden::Layout { plain, ..layout },
        }
    };
    let (slice, slice_model) = (MaskPlace::Slice, golden::MaskPlace::Slice);
    vec![
        of("plain", &[4, 4], slice, slice_model, true),
        of("slice [4, 4]", &[4, 4], slice, slice_model, false),
        of(
            "field [4, 4]",
            &[4, 4],
            MaskPlace::Field,
            golden::MaskPlace::Field,
            false,
        ),
        of(
            "hybrid [4, 4]",
            &[4, 4],
            MaskPlace::Hybrid,
            golden::MaskPlace::Hybrid,
            false,
        ),
        of("slice [2, 2, 4]", &[2, 2, 4], slice, slice_model, false),
    ]
}

fn shape(widths: &[usize]) -> SlicedShape {
    SlicedShape::new(WORDS, widths.to_vec())
}

fn with_mask(shape: SlicedShape, mask: MaskPlace) -> SlicedShape {
    let moved = SlicedShape { mask, ..shape };
    SlicedShape {
        access_threshold: moved.first_units(),
        ..moved
    }
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

/// Every design that is synthesised, with the name of its folder.
fn all() -> Vec<(String, Design)> {
    let even = shape(&[4, 4]);
    let mut list = Vec::new();
    for latency in 2..=7 {
        let sliced = SlicedShape {
            latency,
            ..even.clone()
        };
        let plain = SlicedShape {
            plain: true,
            ..sliced.clone()
        };
        list.push((format!("slice_l{latency}"), memory(&sliced)));
        list.push((format!("plain_l{latency}"), memory(&plain)));
    }
    for mask in [MaskPlace::Field, MaskPlace::Hybrid] {
        for latency in [2, 6, 7] {
            let name = format!("{mask:?}_l{latency}").to_lowercase();
            let shape = SlicedShape {
                latency,
                ..even.clone()
            };
            list.push((name, memory(&with_mask(shape, mask))));
        }
    }
    for (name, changed) in [
        (
            "exact",
            SlicedShape {
                exact: true,
                ..even.clone()
            },
        ),
        (
            "in_turn",
            SlicedShape {
                in_turn: true,
                ..even.clone()
            },
        ),
        ("slices_2_2_4", shape(&[2, 2, 4])),
    ] {
        list.push((format!("{name}_l2"), memory(&changed)));
    }
    for units in [8, 16] {
        for (name, network) in NETWORKS {
            let wide = SlicedShape {
                network,
                ..shape(&[units / 2, units / 2])
            };
            list.push((format!("memory_u{units}_{name}"), memory(&wide)));
            list.push((
                format!("route_u{units}_{name}"),
                design(&Route::new(units, network)),
            ));
            let pack = Pack::<8>::new(units, network);
            list.push((format!("pack_u{units}_{name}"), design(&pack)));
            let unpack = Unpack::<8>::new(units, network);
            list.push((format!("unpack_u{units}_{name}"), design(&unpack)));
        }
    }
    list
}

/// Writes the Verilog of every design to a folder of its own.
pub fn write_all(folder: &Path) -> std::io::Result<()> {
    for (name, design) in all() {
        let folder = folder.join(name);
        fs::create_dir_all(&folder)?;
        for (file, text) in design.files() {
            fs::write(folder.join(file), text)?;
        }
    }
    Ok(())
}
