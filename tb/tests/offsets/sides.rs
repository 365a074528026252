//! Emitted units side by side in one Verilog module: one build for all of them.
//!
//! The modules of each side have its name in front, so that a fault in one does not reach another.
//! The memory cells are replaced by cells that show every access of the tables.

use crate::rtl::{emitted, mutated};
use heddle_hdl::offsets::{OffsetShape, OffsetUnit};
use heddle_sim::offsets::UnitOptions;
use heddle_tb::verilate::Sources;

/// The memory cell of the test.
const CELLS: &str = include_str!("cells.sv");

/// One unit.
#[derive(Clone)]
pub struct Side {
    /// Its ports and modules begin with this.
    pub name: String,
    /// What is built.
    pub options: UnitOptions,
    /// A fault planted in it: file prefix, text, replacement.
    pub mutant: Option<(String, &'static str, &'static str)>,
}

impl Side {
    /// A unit without a fault.
    pub fn new(name: &str, options: UnitOptions) -> Self {
        assert_ne!(
            options.bases, options.offsets,
            "the cells tell tables by size"
        );
        Self {
            name: name.into(),
            options,
            mutant: None,
        }
    }
}

/// Sides with their Verilog.
pub struct Design {
    /// The units.
    pub sides: Vec<Side>,
    /// One module with all of them.
    pub sources: Sources,
}

impl Design {
    /// Emits all sides.
    pub fn new(sides: Vec<Side>) -> Self {
        Self {
            sources: side_by_side(&sides),
            sides,
        }
    }
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

/// Ports of a unit: name, bits, output.
pub fn ports(options: &UnitOptions) -> Vec<(&'static str, usize, bool)> {
    let (rows, bits) = (options.rows, options.address_bits as usize);
    let mut ports = vec![
        ("wr_valid_i", 1, false),
        ("wr_ready_o", 1, true),
        ("wr_kind_i", 2, false),
        ("wr_index_i", 16, false),
        ("wr_data_i", 32, false),
        ("refused_o", 1, true),
        ("start_i", 1, false),
        ("busy_o", 1, true),
        ("done_o", 1, true),
        ("error_o", 3, true),
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
    if options.taps > 0 {
        let taps = options.taps as usize;
        ports.extend([("wr_row_i", taps, false), ("wr_col_i", taps, false)]);
    }
    ports
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

/// One module with all sides; each has ports of its own.
fn side_by_side(sides: &[Side]) -> Sources {
    let mut files = Vec::new();
    let mut heads = String::new();
    let mut body = String::new();
    for side in sides {
        let (name, options) = (&side.name, &side.options);
        let mut sources = unit(options);
        if let Some((module, from, to)) = &side.mutant {
            sources = mutated(&sources, module, from, to);
        }
        let own = |text: &str| text.replace("heddle_", &format!("{name}_heddle_"));
        let cells = CELLS
            .replace("BASES", &options.bases.to_string())
            .replace("OFFSETS", &options.offsets.to_string());
        files.push((format!("{name}_cells.sv"), own(&cells)));
        for (file, text) in &sources.files {
            if file != "heddle_ram_1r1w.v" {
                files.push((own(file), own(text)));
            }
        }
        let mut pins = vec![".clk(clk)".to_string(), ".rst_n(rst_n)".to_string()];
        for (port, bits, output) in ports(options) {
            let way = if output { "output" } else { "input" };
            heads += &format!("  {way} wire [{bits}-1:0] {name}_{port},\n");
            pins.push(format!(".{port}({name}_{port})"));
        }
        for counter in COUNTERS {
            heads += &format!("  output wire [31:0] {name}_{counter},\n");
            body += &format!("  assign {name}_{counter} = {name}_heddle_tables::{counter};\n");
        }
        let top = own(&sources.top);
        body += &format!("  {top} u_{name} ({});\n", pins.join(", "));
    }
    let top = format!(
        "module offset_sides (
{heads}  input wire clk,
  input wire rst_n
);
{body}endmodule
"
    );
    files.push(("offset_sides.sv".into(), top));
    Sources {
        files,
        top: "offset_sides".into(),
        ports: Vec::new(),
    }
}
