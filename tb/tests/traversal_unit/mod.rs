//! The emitted stand-alone traversal unit against its golden model: instruction words in, addresses
//! out, every output in every cycle.

pub mod bench;
mod faults;
mod fuzz;
mod random;
pub mod records;
mod timing;
pub mod traffic;
mod vectors;

use std::sync::LazyLock;

use crate::rtl::emitted;
use bench::Unit;
use heddle_arch::traverse::UnitShape;
use heddle_hdl::traversal::{TraversalShape, TraversalUnit};

/// Emits a unit; `all` are the end tests and attached rows, `double` the two sets of registers.
macro_rules! unit {
    ($rows:literal x $loops:literal, $w:literal, $a:literal, all: $all:literal,
     group: $group:literal, double: $double:literal, stages: $stages:literal) => {
        LazyLock::new(|| {
            let shape = TraversalShape {
                rows: $rows,
                loops: $loops,
                double: $double,
                equality: $all,
                trips: $all,
                attach: $all,
                stages: $stages,
                group: $group,
                check: true,
                ..TraversalShape::plain($rows, $loops)
            };
            Unit {
                shape: UnitShape {
                    rows: $rows,
                    loops: $loops,
                    offset_bits: $w,
                    address_bits: $a,
                    equality: $all,
                    trips: $all,
                    attach: $all,
                    group_setup: $group,
                },
                double: $double,
                sum_stages: shape.latency() as u64 - 1,
                sources: emitted(TraversalUnit::<$w, { $w + 1 }, $a>::new(shape)),
            }
        })
    };
}

/// Everything, and large enough for all vectors.
static FULL: LazyLock<Unit> = unit!(8 x 8, 32, 32, all: true, group: true, double: true, stages: 4);
/// Everything, narrow: many offsets and addresses wrap.
static NARROW: LazyLock<Unit> =
    unit!(4 x 3, 8, 12, all: true, group: true, double: true, stages: 1);
/// One set of registers, no options.
static PLAIN: LazyLock<Unit> =
    unit!(3 x 4, 16, 16, all: false, group: false, double: false, stages: 2);
/// One set of registers, all options.
static ONE_SET: LazyLock<Unit> =
    unit!(3 x 2, 8, 8, all: true, group: true, double: false, stages: 2);
/// The smallest, with the options that are on by default.
static SINGLE: LazyLock<Unit> =
    unit!(1 x 1, 16, 16, all: true, group: false, double: true, stages: 1);
/// Everything, 24 bits.
static WIDE: LazyLock<Unit> = unit!(3 x 4, 24, 24, all: true, group: true, double: true, stages: 3);
/// All rows and loops, one set of registers, all options.
static LARGE_SET: LazyLock<Unit> =
    unit!(8 x 8, 16, 20, all: true, group: true, double: false, stages: 4);

/// All units.
pub fn units() -> [&'static Unit; 7] {
    [
        &*FULL,
        &*NARROW,
        &*PLAIN,
        &*ONE_SET,
        &*SINGLE,
        &*WIDE,
        &*LARGE_SET,
    ]
}
