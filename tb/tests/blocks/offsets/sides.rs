//! Emitted units side by side. The memory cells are replaced by cells that show every access of the
//! tables.

use crate::beside::{Part, Port, write_port};
use crate::rtl::emitted;
use heddle_hdl::blocks::offsets::{OffsetShape, OffsetUnit};
use heddle_sim::blocks::offsets::{Stepping, UnitOptions};
use heddle_tb::verilate::Sources;

/// The memory cell of the test.
const CELLS: &str = include_str!("cells.sv");

/// One unit.
pub type Side = crate::beside::Side<UnitOptions>;

/// Sides with their Verilog.
pub type Design = crate::beside::Design<UnitOptions>;

/// Emits all sides.
pub fn design(sides: Vec<Side>) -> Design {
    Design::new(sides, "offset_sides", "", part)
}

/// The same for the hardware.
pub fn shape(options: &UnitOptions) -> OffsetShape {
    OffsetShape {
        rows: options.rows,
        cols: options.cols,
        address_bits: options.address_bits as usize,
        bases: options.bases,
        offsets: options.offsets,
        taps: options.taps as usize,
        broadcast: options.broadcast,
        running: options.running,
        before: options.stepping == Stepping::BeforeRead,
        prefetch: options.prefetch,
        expand: options.expand,
    }
}

/// The Verilog of a unit.
pub fn unit(options: &UnitOptions) -> Sources {
    let shape = shape(options);
    match options.address_bits {
        16 => emitted(OffsetUnit::<16>::new(&shape)),
        24 => emitted(OffsetUnit::<24>::new(&shape)),
        _ => emitted(OffsetUnit::<32>::new(&shape)),
    }
}

/// Ports of a unit.
pub fn ports(options: &UnitOptions) -> Vec<Port> {
    let (rows, bits) = (options.rows, options.address_bits as usize);
    let own = [
        ("ready_i", 1, false),
        ("row_valid_o", rows, true),
        ("row_ren_o", rows, true),
        ("row_addr_o", rows * bits, true),
        ("row_first_o", rows, true),
        ("row_last_o", rows, true),
        ("b_valid_o", 1, true),
        ("b_addr_o", 16, true),
        ("b_row_o", 9, true),
        ("pass_held_o", 16, true),
        ("pass_cols_o", 16, true),
        ("pass_sum_first_o", 1, true),
        ("pass_sum_last_o", 1, true),
    ];
    write_port::ports(options.taps, &own)
}

/// Counters of the cells.
pub const COUNTERS: [&str; 7] = [
    "base_reads",
    "base_writes",
    "base_entry",
    "offset_reads",
    "offset_writes",
    "offset_entry",
    "meets",
];

/// Modules and ports of a side.
fn part(side: &Side) -> Part {
    let options = &side.options;
    assert_ne!(
        options.bases, options.offsets,
        "the cells tell tables by size"
    );
    let entry_bits = options.address_bits + 2 * options.taps;
    let cells = CELLS
        .replace("ENTRY_BITS", &entry_bits.to_string())
        .replace("BASES", &options.bases.to_string())
        .replace("OFFSETS", &options.offsets.to_string());
    let counters = ("heddle_tables", &COUNTERS[..]);
    side.part_with_ports(&unit(options), &cells, &ports(options), counters)
}
