//! Whole machines as emitted Verilog: small configurations, their models, a host at their port.
pub mod build;
pub mod dump;
pub mod pair;
pub mod programs;

use std::path::PathBuf;

use crate::rtl;
use heddle_arch::host::{Counter, ID, Register};
use heddle_arch::params::{
    self, CounterSet, Dma, Params, PartialSums, Post, ProgramMemory, RegisterBus, ResetStyle,
    System, TableMemory,
};
use heddle_arch::requantise::Scale;
use heddle_gen::{Design, EmitOptions, Reset, ResetLevel, emit};
use heddle_hdl::catalog;
use heddle_hdl::control::CounterList;
use heddle_hdl::sliced::SlicedShape;
use heddle_network::Network;
use heddle_tb::Model;
use heddle_tb::host::Host;
use heddle_tb::network::NetworkReport;
use heddle_tb::verilate::{Sources, XInitial};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Sizes and memories in which the machines under test differ.
pub struct Sizes {
    pub name: &'static str,
    /// Rows and columns of the array.
    pub array: (u32, u32),
    pub record_rows: u32,
    pub loops: u32,
    /// Bits of offsets and addresses.
    pub bits: (u32, u32),
    /// Banks and their words.
    pub banks: (u32, u32),
    pub slices: &'static str,
    pub depth: u32,
    pub column_tiles: u32,
    pub program: u32,
}

/// Slices with the mask in the words.
pub const FIELD: &str =
    r#""widths": [2, 2, 4], "mask": "field", "network": "split", "end": "right""#;
/// Raw and packed words.
pub const HYBRID: &str =
    r#""widths": [5, 3], "mask": "hybrid", "network": "half", "access_threshold": 3"#;
/// Slices of half bytes.
pub const NIBBLES: &str = r#""unit_bits": 4, "widths": [3, 5, 8], "write": "exact", "network": "split",
    "access_threshold": 1"#;
/// No slices.
pub const PLAIN: &str = r#""widths": [4, 4], "plain": true"#;

impl Sizes {
    pub fn params(&self) -> Params {
        let text = format!(
            r#"{{"name": "{}", "array": {{"rows": {}, "cols": {}}},
            "traversal": {{"rows": {}, "loops": {}, "offset_bits": {}, "address_bits": {}}},
            "state_buffer": {{"banks": {}, "words_per_bank": {},
              "slices": {{"word_bytes": 8, {}}}}},
            "results_buffer": {{"depth": {}}}, "column_tiles": {}, "program": {{"words": {}}}}}"#,
            self.name,
            self.array.0,
            self.array.1,
            self.record_rows,
            self.loops,
            self.bits.0,
            self.bits.1,
            self.banks.0,
            self.banks.1,
            self.slices,
            self.depth,
            self.column_tiles,
            self.program
        );
        Params::from_json(&text).unwrap_or_else(|errors| panic!("{errors}"))
    }
}

/// The same network; for a machine without left shifts its scales have none.
pub fn fitting(mut network: Network, params: &Params) -> Network {
    let scales = network.layers.iter_mut().flat_map(|l| &mut l.scales);
    for scale in scales.filter(|_| !params.post.left_shift) {
        *scale =
            Scale::new(scale.multiplier(), scale.shift().min(0)).expect("a smaller shift is legal");
    }
    network
}

/// The configuration `tiny`: 4 x 4, two banks, five loops.
pub fn tiny() -> Params {
    crate::designs::tiny()
}

/// As many rows and columns with all options of post-processing, the mask in the words.
pub fn pooling() -> Params {
    let sizes = Sizes {
        name: "pooling",
        array: (4, 4),
        record_rows: 3,
        loops: 5,
        bits: (16, 16),
        banks: (2, 256),
        slices: FIELD,
        depth: 64,
        column_tiles: 16,
        program: 2048,
    };
    let mut params = sizes.params();
    params.post = Post {
        pooling: true,
        product: true,
        median: 9,
        activations: 3,
        left_shift: true,
        dual_scale: true,
        columns_per_multiplier: 2,
    };
    params
}

/// More rows than columns, four banks of raw and packed words, two loops, addresses wider than offsets.
pub fn tall() -> Params {
    let sizes = Sizes {
        name: "tall",
        array: (5, 3),
        record_rows: 3,
        loops: 2,
        bits: (16, 24),
        banks: (4, 128),
        slices: HYBRID,
        depth: 16,
        column_tiles: 8,
        program: 2048,
    };
    sizes.params()
}

/// More columns than rows and than bytes in a weight word, three loops, slices of half bytes, units of different sizes.
pub fn wide() -> Params {
    let sizes = Sizes {
        name: "wide",
        array: (3, 10),
        record_rows: 4,
        loops: 3,
        bits: (24, 32),
        banks: (2, 512),
        slices: NIBBLES,
        depth: 32,
        column_tiles: 16,
        program: 2048,
    };
    let mut params = sizes.params();
    let units: [&[u32]; 3] = [&[2, 1, 0], &[0, 3, 1], &[3, 0, 2]];
    params.traversal.units = Some(units.into());
    params.validate().expect("rows and loops of a record");
    params
}

/// The same array as `tiny` with four banks, the last one of which is for the input.
pub fn buffered() -> Params {
    let mut params = tiny();
    params.name = "buffered".to_string();
    params.state_buffer.banks = 4;
    params.state_buffer.input_banks = 1;
    params.state_buffer.words_per_bank = 128;
    params.validate().expect("two other banks are left");
    params
}

/// Three rows, four banks: one for the program, in front of it one for the input.
pub fn banked() -> Params {
    let sizes = Sizes {
        name: "banked",
        array: (3, 2),
        record_rows: 3,
        loops: 3,
        bits: (16, 16),
        banks: (4, 256),
        slices: r#""widths": [4, 4]"#,
        depth: 16,
        column_tiles: 8,
        program: 1024,
    };
    let mut params = sizes.params();
    params.state_buffer.input_banks = 1;
    params.program.memory = ProgramMemory::Banks;
    params.validate().expect("two other banks are left");
    params
}

/// A single processing element, plain memory.
pub fn single() -> Params {
    let sizes = Sizes {
        name: "single",
        array: (1, 1),
        record_rows: 3,
        loops: 4,
        bits: (16, 16),
        banks: (8, 64),
        slices: PLAIN,
        depth: 16,
        column_tiles: 1024,
        program: 4096,
    };
    sizes.params()
}

/// Two rows and columns, and the slices of this text.
pub fn sliced(name: &str, slices: &str) -> Params {
    let text = include_str!("../../../configs/tiny.json")
        .replace("\"tiny\"", &format!("\"{name}\""))
        .replace("\"rows\": 4, \"cols\": 4", "\"rows\": 2, \"cols\": 2")
        .replace("\"widths\": [4, 4]", slices);
    let params = Params::from_json(&text).unwrap_or_else(|faults| panic!("{slices}: {faults}"));
    assert_eq!((params.array.rows, params.array.cols), (2, 2));
    params
}

/// The same machine with stored sums at the top of the array.
pub fn with_sums_at_top(mut params: Params) -> Params {
    params.name += "_top";
    params.array.partial_sums = PartialSums::Top;
    params
}

/// The same machine with dual scales.
pub fn with_dual_scales(mut params: Params) -> Params {
    params.name += "_dual";
    params.post.dual_scale = true;
    params
}

/// The same machine, in which a read that meets the write of its word gets the new word.
pub fn with_bypass(mut params: Params) -> Params {
    params.name += "_bypass";
    params.state_buffer.bypass = true;
    params
}

/// The same machine with these counters.
pub fn with_counters(mut params: Params, counters: CounterSet) -> Params {
    params.name = format!("{}_{}", params.name, counters.name());
    params.counters = counters;
    params
}

/// The same machine with a DMA in front of its memories.
pub fn open(mut params: Params) -> Params {
    params.name += "_open";
    params.system = Some(System {
        registers: RegisterBus::Axil,
        dma: Some(Dma::default()),
    });
    params.validate().expect("the tables have two ports");
    params
}

/// All configurations under test.
pub fn configurations() -> [Params; 4] {
    [tiny(), tall(), wide(), single()]
}

/// A machine as it is printed, with contracts.
pub fn design(params: &Params) -> Design {
    design_of("top", params)
}

/// A module of the catalogue with the options of a machine.
pub fn design_of(module: &str, params: &Params) -> Design {
    let options = EmitOptions {
        configuration: params.name.clone(),
        reset: match params.reset.style {
            ResetStyle::Sync => Reset::Sync,
            ResetStyle::Async => Reset::Async,
        },
        reset_level: match params.reset.level {
            params::ResetLevel::Low => ResetLevel::Low,
            params::ResetLevel::High => ResetLevel::High,
        },
        one_port: params.table_memory == TableMemory::OnePort,
        contracts: true,
        ..EmitOptions::default()
    };
    let block = catalog::build(module, params).expect("the catalogue has it");
    emit(block.as_ref(), &options).unwrap_or_else(|error| panic!("{error}"))
}

/// The Verilog of a machine, with memories that do no more than they must.
pub fn verilog(params: &Params) -> Sources {
    rtl::sources(design(params), rtl::least)
}

/// Shows the words that reach the partitions.
const PROBE: &str = include_str!("probe.sv");
/// The same for an open machine.
const PROBE_OPEN: &str = include_str!("probe_open.sv");

/// The probes of an open machine, which has no registers of its own.
fn with_registers(params: &Params) -> String {
    let list = CounterList::new(params.counters, SlicedShape::of_bank(params).slices());
    let counts = (0..list.len()).map(|k| (list.register(k), format!("count[{} +: 32]", 32 * k)));
    let shape = params.array.cols << 16 | params.array.rows;
    let words = [
        (Register::Id, format!("32'd{ID}")),
        (Register::StartPc, "start_pc_q".to_string()),
        (Register::Status, "status".to_string()),
        (Register::HostZero, "zero_q".to_string()),
        (Register::Shape, format!("32'd{shape}")),
    ];
    let words = words.map(|(register, word)| (register as usize, word));
    let sums = params.array.partial_sums == PartialSums::Top && !list.is_empty();
    let stall_sums = (
        Counter::StallSums.index() as usize,
        "stall_sums".to_string(),
    );
    let counts = counts.chain(sums.then_some(stall_sums));
    let reads = words.into_iter().chain(counts);
    let reads: Vec<_> = reads
        .map(|(number, word)| format!("      {number}: word = {word};\n"))
        .collect();
    PROBE_OPEN
        .replace("READS", &reads.concat())
        .replace(
            "SUMS",
            if sums {
                "    .stall_sums_o (stall_sums),\n"
            } else {
                ""
            },
        )
        .replace("COUNTS", &list.len().to_string())
        .replace(
            "MOVES\n",
            if params.programs_move() { NO_MOVES } else { "" },
        )
        .replace("'dCTRL", &format!("'d{}", Register::Ctrl as usize))
        .replace("'dSTART_PC", &format!("'d{}", Register::StartPc as usize))
        .replace("'dHOST_ZERO", &format!("'d{}", Register::HostZero as usize))
}

/// No DMA takes LOAD and STORE of its programs.
const NO_MOVES: &str = "    .move_open_i  (8'd0),
    .move_ready_i (2'd0),
    .move_ok_i    (1'b0),
    .move_valid_o (),
    .move_left_o  (),
    .move_word_o  (),
    .move_store_o (),
    .move_pc_o    (),
    .move_enters_o(),
    .move_waits_o (),
";

/// The text of a machine with probes at its partitions.
pub fn probed(params: &Params) -> Sources {
    let mut sources = verilog(params);
    let generated = |text: &str| text.contains(": gen_partition");
    let generated = sources.files.iter().any(|(_, text)| generated(text));
    let copies = (0..params.array.rows).map(|row| {
        let partition = match generated {
            true => format!("u_machine.u_state_buffer.gen_partition[{row}].u_partition"),
            false => "u_machine.u_state_buffer.u_partition".to_string(),
        };
        let copies = format!(
            "  assign copy_valid_o[{row}] = {partition}.copy_q[5];\n  \
             assign copy_word_o[{} +: 13] = {partition}.wt_dest_i;\n  \
             assign copy_data_o[{} +: 64] = {partition}.word_q;\n",
            13 * row,
            64 * row
        );
        let reads = format!(
            "  assign op_read_o[{row}] = {partition}.u_banks.op_read_i;\n  \
             assign op_word_o[{} +: 13] = {partition}.u_banks.op_word_i;\n  \
             assign outside_o[{row}] = {partition}.u_banks.host_read_i | {partition}.reader_write_valid[2];\n",
            13 * row
        );
        copies + if params.has_dma() { &reads } else { "" }
    });
    let top = format!("probed_{}", sources.top);
    let probe = match params.has_dma() {
        true => with_registers(params),
        false => PROBE.to_string(),
    };
    let text = probe
        .replace("MACHINE ", &format!("{} ", sources.top))
        .replace("PROBED", &top)
        .replace("ROWS", &params.array.rows.to_string())
        .replace("COPIES\n", &copies.collect::<String>());
    sources.files.push((format!("{top}.sv"), text));
    sources.top = top;
    sources
}

/// A verilated machine.
pub struct Machine {
    pub params: Params,
    /// Whether its hosts keep a record of what they do.
    pub recorded: bool,
    library: PathBuf,
}

impl Machine {
    /// The machine of a configuration, with probes: all tests share one build of it.
    pub fn new(params: Params) -> Self {
        let sources = match params.reset.level {
            params::ResetLevel::Low => probed(&params),
            params::ResetLevel::High => verilog(&params),
        };
        Self::from_verilog(params, &sources)
    }

    /// A machine from this text.
    pub fn from_verilog(params: Params, sources: &Sources) -> Self {
        let library = rtl::built(sources, XInitial::Unique);
        Self {
            params,
            recorded: false,
            library,
        }
    }

    /// The machine and the golden one with random contents.
    #[track_caller]
    pub fn pair(&self, seed: u64) -> pair::Pair<'_> {
        let pair = pair::Pair::new(self, seed, &mut ChaCha8Rng::seed_from_u64(seed));
        pair.unwrap_or_else(|message| panic!("{message}"))
    }

    /// A model of the machine, whose memories hold random bits of the seed.
    pub fn model(&self, seed: u64) -> Model {
        Model::load_with(&self.library, Some(seed as u32)).unwrap_or_else(|error| panic!("{error}"))
    }

    /// A host at such a model.
    pub fn host(&self, seed: u64) -> Host {
        let mut model = self.model(seed);
        if let Ok(clients) = model.port("dma_valid_i") {
            model.set(clients, 0);
        }
        let mut host = Host::new(model, &self.params).unwrap_or_else(|error| panic!("{error}"));
        if self.recorded {
            host.start_record();
        }
        host
    }
}

/// What is wrong with a run, in the words of its first difference.
pub fn verdict(report: &NetworkReport) -> Result<(), String> {
    for layer in &report.layers {
        if let Some((image, index, got, want)) = layer.first_mismatch {
            let count = layer.mismatches;
            return Err(format!(
                "{}: image {image}, output {index} is {got}, golden network has {want} \
                ({count} differ)",
                layer.name
            ));
        }
        if let Some((image, name, got, want)) = layer.wrong_counters.first() {
            return Err(format!(
                "{}: image {image}, {name} is {got}, golden machine has {want}",
                layer.name
            ));
        }
    }
    Ok(())
}
