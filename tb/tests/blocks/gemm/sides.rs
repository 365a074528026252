//! Emitted GEMM cores side by side. The memory cells are replaced by cells that count every access.

use crate::beside::{Part, Port, write_port};
use crate::blocks::offsets::sides;
use crate::rtl::emitted;
use heddle_hdl::blocks::gemm::{Gemm, GemmShape};
use heddle_sim::blocks::gemm::GemmOptions;
use heddle_tb::verilate::Sources;

/// The memory cell of the test.
const CELLS: &str = include_str!("cells.sv");

/// One core.
pub type Side = crate::beside::Side<GemmOptions>;

/// Sides with their Verilog.
pub type Design = crate::beside::Design<GemmOptions>;

/// Emits all sides.
pub fn design(sides: Vec<Side>) -> Design {
    Design::new(sides, "gemm_sides", "", part)
}

/// The same for the hardware.
pub fn shape(options: &GemmOptions) -> GemmShape {
    GemmShape {
        unit: sides::shape(&options.unit),
        banks: options.banks,
        merge: options.merge,
        operand_bytes: options.operand_bytes,
        weight_words: options.weight_words,
        results: options.results,
        store_each: options.store_each,
    }
}

/// The Verilog of a core.
pub fn core(options: &GemmOptions) -> Sources {
    let shape = shape(options);
    match options.unit.address_bits {
        16 => emitted(Gemm::<16>::new(&shape)),
        24 => emitted(Gemm::<24>::new(&shape)),
        _ => emitted(Gemm::<32>::new(&shape)),
    }
}

/// Ports of a core.
pub fn ports(options: &GemmOptions) -> Vec<Port> {
    let cols = options.unit.cols;
    let own = [
        ("a_wen_i", 1, false),
        ("a_addr_i", options.unit.address_bits as usize, false),
        ("a_data_i", 8, false),
        ("b_wen_i", 1, false),
        ("b_addr_i", 16, false),
        ("b_data_i", 8 * cols, false),
        ("c_valid_o", cols, true),
        ("c_row_o", 16 * cols, true),
        ("c_col_o", 16 * cols, true),
        ("c_data_o", 32 * cols, true),
        ("stalls_o", 32, true),
        ("reads_o", 32, true),
    ];
    write_port::ports(options.unit.taps, &own)
}

/// Counters of the cells.
pub const COUNTERS: [&str; 8] = [
    "operand_reads",
    "operand_writes",
    "weight_reads",
    "weight_writes",
    "table_reads",
    "table_writes",
    "sum_writes",
    "meets",
];

/// Modules and ports of a side.
fn part(side: &Side) -> Part {
    let options = &side.options;
    // The cells tell memories by size.
    assert_eq!(options.unit.bases, options.unit.offsets);
    assert_ne!(options.unit.bases, options.results);
    assert!(options.weight_words > options.operand_bytes);
    let cells = CELLS
        .replace("WEIGHT_WORDS", &options.weight_words.to_string())
        .replace("SUMS", &options.results.to_string())
        .replace("ENTRIES", &options.unit.bases.to_string());
    let counters = ("heddle_memories", &COUNTERS[..]);
    let mut part = side.part_with_ports(&core(options), &cells, &ports(options), counters);
    watch_reads(side, &mut part);
    part
}

/// Operand memories of a core.
pub fn memories(options: &GemmOptions) -> usize {
    match options.banks {
        0 => options.unit.rows,
        banks => banks,
    }
}

/// Shows the pins of all operand and weight memories, and what the rows get, as ports.
fn watch_reads(side: &Side, part: &mut Part) {
    let (name, unit) = (&side.name, &side.options.unit);
    // A single instance stands in no loop.
    let cells = |folder: &str, instance: &str, count: usize| -> Vec<String> {
        let path = |i| match count {
            1 => format!("u_{name}.{folder}.u_{instance}.u_ram"),
            _ => format!("u_{name}.{folder}.gen_{instance}[{i}].u_{instance}.u_ram"),
        };
        (0..count).map(path).collect()
    };
    let operands = match side.options.banks {
        0 => cells("u_rows", "row", unit.rows),
        banks => cells("u_banks", "bank", banks),
    };
    let weights = cells("u_weights", "column", unit.cols);
    for (kind, cells) in [("operand", operands), ("weight", weights)] {
        for (port, pin, bits) in [
            ("ren", "ren_i", 1),
            ("at", "raddr_i", 16),
            ("byte", "rdata_o", 8),
        ] {
            let width = bits * cells.len();
            part.ports += &format!("  output wire [{width}-1:0] {name}_{kind}_{port},\n");
            for (i, cell) in cells.iter().enumerate() {
                part.body += &format!(
                    "  assign {name}_{kind}_{port}[{bits}*{i}+:{bits}] = {bits}'({cell}.{pin});\n"
                );
            }
        }
    }
    for (port, wire, bits) in [
        ("read", "operand_read", 1),
        ("nz", "operand_nz", 1),
        ("x", "operand_x", 8),
    ] {
        let width = bits * unit.rows;
        part.ports += &format!("  output wire [{width}-1:0] {name}_row_{port},\n");
        part.body += &format!("  assign {name}_row_{port} = u_{name}.{wire};\n");
    }
}
