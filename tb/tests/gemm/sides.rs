//! Emitted GEMM cores side by side in one Verilog module: one build for all of them.
//!
//! The modules of each side have its name in front, so that a fault in one does not reach another.
//! The memory cells are replaced by cells that count every access.

use crate::rtl::{emitted, mutated};
use heddle_hdl::gemm::{Gemm, GemmShape};
use heddle_hdl::offsets::OffsetShape;
use heddle_sim::gemm::GemmOptions;
use heddle_tb::verilate::Sources;

/// The memory cell of the test.
const CELLS: &str = include_str!("cells.sv");

/// One core.
#[derive(Clone)]
pub struct Side {
    /// Its ports and modules begin with this.
    pub name: String,
    /// What is built.
    pub options: GemmOptions,
    /// A fault planted in it: file prefix, text, replacement.
    pub mutant: Option<(String, &'static str, &'static str)>,
}

impl Side {
    /// A core without a fault.
    pub fn new(name: &str, options: GemmOptions) -> Self {
        // The cells tell memories by size.
        assert_eq!(options.unit.bases, options.unit.offsets);
        assert_ne!(options.unit.bases, options.results);
        assert!(options.weight_words > options.operand_bytes);
        Self {
            name: name.into(),
            options,
            mutant: None,
        }
    }
}

/// Sides with their Verilog.
pub struct Design {
    /// The cores.
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
pub fn shape(options: &GemmOptions) -> GemmShape {
    let unit = &options.unit;
    GemmShape {
        unit: OffsetShape {
            rows: unit.rows,
            cols: unit.cols,
            address_bits: unit.address_bits as usize,
            bases: unit.bases,
            offsets: unit.offsets,
            taps: unit.taps as usize,
            broadcast: unit.broadcast,
            running: unit.running,
            expand: unit.expand,
        },
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

/// Ports of a core: name, bits, output.
fn ports(options: &GemmOptions) -> Vec<(&'static str, usize, bool)> {
    let cols = options.unit.cols;
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
    if options.unit.taps > 0 {
        let taps = options.unit.taps as usize;
        ports.extend([("wr_row_i", taps, false), ("wr_col_i", taps, false)]);
    }
    ports
}

/// Counters of the cells.
pub const COUNTERS: [&str; 10] = [
    "operand_reads",
    "operand_writes",
    "operand_places",
    "operand_values",
    "weight_reads",
    "weight_writes",
    "table_reads",
    "table_writes",
    "sum_writes",
    "meets",
];

/// One module with all sides; each has ports of its own.
fn side_by_side(sides: &[Side]) -> Sources {
    let mut files = Vec::new();
    let mut heads = String::new();
    let mut body = String::new();
    for side in sides {
        let (name, options) = (&side.name, &side.options);
        let mut sources = core(options);
        if let Some((module, from, to)) = &side.mutant {
            sources = mutated(&sources, module, from, to);
        }
        let own = |text: &str| text.replace("heddle_", &format!("{name}_heddle_"));
        let cells = CELLS
            .replace("WEIGHT_WORDS", &options.weight_words.to_string())
            .replace("SUMS", &options.results.to_string())
            .replace("ENTRIES", &options.unit.bases.to_string());
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
            body += &format!("  assign {name}_{counter} = {name}_heddle_memories::{counter};\n");
        }
        let top = own(&sources.top);
        body += &format!("  {top} u_{name} ({});\n", pins.join(", "));
    }
    let top = format!(
        "module gemm_sides (
{heads}  input wire clk,
  input wire rst_n
);
{body}endmodule
"
    );
    files.push(("gemm_sides.sv".into(), top));
    Sources {
        files,
        top: "gemm_sides".into(),
        ports: Vec::new(),
    }
}
