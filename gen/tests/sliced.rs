//! Every variant of the sliced memory in other people's tools, where they are installed.

use crate::linters::printed;
use heddle_hdl::sliced::{
    MaskPlace, Network, PlainMemory, Sliced, SlicedBank, SlicedCounters, SlicedField, SlicedHybrid,
    SlicedShape,
};
use heddle_kernel::prelude::*;

/// Prints a block into a folder of its own and lints it.
#[track_caller]
fn clean(name: &str, block: &dyn Block) {
    printed::clean(&format!("sliced_{name}"), &printed::emitted(name, block));
}

fn shape(widths: &[usize], change: impl Fn(&mut SlicedShape)) -> SlicedShape {
    let mut shape = SlicedShape::new(512, widths.to_vec());
    change(&mut shape);
    if shape.access_threshold == widths[0] {
        shape.access_threshold = shape.first_units();
    }
    shape
}

#[test]
fn every_latency_and_place_of_the_mask_is_clean() {
    for latency in [2, 3, 4, 5, 7] {
        let at = |mask, plain| {
            shape(&[4, 4], |s| {
                s.latency = latency;
                s.mask = mask;
                s.plain = plain;
            })
        };
        let slice = Sliced::<8>::new(at(MaskPlace::Slice, false));
        clean(&format!("slice_l{latency}"), &slice);
        let field = SlicedField::<8>::new(at(MaskPlace::Field, false));
        clean(&format!("field_l{latency}"), &field);
        let hybrid = SlicedHybrid::<8>::new(at(MaskPlace::Hybrid, false));
        clean(&format!("hybrid_l{latency}"), &hybrid);
        let plain = PlainMemory::<8>::new(at(MaskPlace::Slice, true));
        clean(&format!("plain_l{latency}"), &plain);
    }
}

#[test]
fn every_option_is_clean() {
    for latency in [2, 6] {
        let slice = |name: &str, widths: &[usize], change: &dyn Fn(&mut SlicedShape)| {
            let shape = shape(widths, |s| {
                s.latency = latency;
                change(s);
            });
            clean(&format!("{name}_l{latency}"), &Sliced::<8>::new(shape));
        };
        slice("exact", &[4, 4], &|s| s.exact = true);
        slice("half", &[5, 3], &|s| s.network = Network::Half);
        slice("split", &[4, 4], &|s| s.network = Network::Split);
        slice("right", &[3, 5], &|s| s.right = true);
        slice("turn", &[2, 2, 4], &|s| s.in_turn = true);
        slice("eight", &[1; 8], &|s| {
            s.in_turn = true;
            s.exact = true;
        });
        slice("thresholds", &[4, 4], &|s| {
            s.write_threshold = 3;
            s.read_threshold = 1;
            s.access_threshold = 2;
        });
        slice("word32", &[16, 8, 8], &|_| {});
    }
}

#[test]
fn units_of_every_size_are_clean() {
    let of = |bits, widths: &[usize], mask| {
        shape(widths, |s| {
            s.unit_bits = bits;
            s.mask = mask;
        })
    };
    for mask in [MaskPlace::Slice, MaskPlace::Field, MaskPlace::Hybrid] {
        for (bits, widths) in [(4, [8, 8]), (8, [4, 4]), (16, [2, 2])] {
            let bank = SlicedBank::new(of(bits, &widths, mask));
            clean(&format!("bank_{bits}_{mask:?}"), &bank);
        }
    }
    clean(
        "units32",
        &Sliced::<32>::new(of(32, &[6, 2], MaskPlace::Slice)),
    );
    clean(
        "hybrid32",
        &SlicedHybrid::<32>::new(of(32, &[6, 2], MaskPlace::Hybrid)),
    );
    clean(
        "field4",
        &SlicedField::<4>::new(of(4, &[5, 3], MaskPlace::Field)),
    );
}

#[test]
fn counters_are_clean() {
    clean("counters", &SlicedCounters::new(&shape(&[2, 2, 4], |_| {})));
    let halves = shape(&[4, 4], |s| s.unit_bits = 4);
    clean("counters4", &SlicedCounters::new(&halves));
}
