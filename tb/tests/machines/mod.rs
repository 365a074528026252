//! Whole machines as emitted Verilog: small configurations, their models, a host at their port.
pub mod dump;
pub mod garbage;
pub mod pair;
pub mod programs;

use std::path::PathBuf;

use crate::rtl;
use heddle_arch::params::{self, Params, PartialSums, Post, ProgramMemory, ResetStyle};
use heddle_gen::{EmitOptions, Reset, ResetLevel, emit};
use heddle_hdl::catalog;
use heddle_tb::Model;
use heddle_tb::host::Host;
use heddle_tb::network::NetworkReport;
use heddle_tb::verilate::{Sources, XInitial};

/// Sizes in which the machines under test differ.
struct Sizes {
    name: &'static str,
    rows: u32,
    cols: u32,
    record_rows: u32,
    loops: u32,
    offset_bits: u32,
    address_bits: u32,
    banks: u32,
    words_per_bank: u32,
    first_slice: u32,
    depth: u32,
    column_tiles: u32,
    program: u32,
}

impl Sizes {
    fn params(&self) -> Params {
        let text = format!(
            r#"{{"name": "{}", "array": {{"rows": {}, "cols": {}}},
            "traversal": {{"rows": {}, "loops": {}, "offset_bits": {}, "address_bits": {}}},
            "state_buffer": {{"banks": {}, "words_per_bank": {},
              "slices": {{"word_bytes": 8, "widths": [{}, {}]}}}},
            "results_buffer": {{"depth": {}}}, "column_tiles": {}, "program": {{"words": {}}}}}"#,
            self.name,
            self.rows,
            self.cols,
            self.record_rows,
            self.loops,
            self.offset_bits,
            self.address_bits,
            self.banks,
            self.words_per_bank,
            self.first_slice,
            8 - self.first_slice,
            self.depth,
            self.column_tiles,
            self.program
        );
        Params::from_json(&text).unwrap_or_else(|errors| panic!("{errors}"))
    }
}

/// The configuration `tiny`: 4 x 4, two banks, five loops.
pub fn tiny() -> Params {
    crate::designs::tiny()
}

/// The same with all options of post-processing.
pub fn pooling() -> Params {
    let mut params = tiny();
    params.name = "pooling".to_string();
    params.post = Post {
        pooling: true,
        product: true,
        median: 9,
        activations: 3,
    };
    params
}

/// More rows than columns, four banks, two loops, addresses wider than offsets.
pub fn tall() -> Params {
    let sizes = Sizes {
        name: "tall",
        rows: 5,
        cols: 3,
        record_rows: 3,
        loops: 2,
        offset_bits: 16,
        address_bits: 24,
        banks: 4,
        words_per_bank: 128,
        first_slice: 3,
        depth: 16,
        column_tiles: 8,
        program: 2048,
    };
    sizes.params()
}

/// More columns than rows and than bytes in a weight word, three loops.
pub fn wide() -> Params {
    let sizes = Sizes {
        name: "wide",
        rows: 3,
        cols: 10,
        record_rows: 4,
        loops: 3,
        offset_bits: 24,
        address_bits: 32,
        banks: 2,
        words_per_bank: 512,
        first_slice: 5,
        depth: 32,
        column_tiles: 16,
        program: 2048,
    };
    sizes.params()
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
        rows: 3,
        cols: 2,
        record_rows: 3,
        loops: 3,
        offset_bits: 16,
        address_bits: 16,
        banks: 4,
        words_per_bank: 256,
        first_slice: 4,
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

/// A single processing element.
pub fn single() -> Params {
    let sizes = Sizes {
        name: "single",
        rows: 1,
        cols: 1,
        record_rows: 3,
        loops: 4,
        offset_bits: 16,
        address_bits: 16,
        banks: 8,
        words_per_bank: 64,
        first_slice: 1,
        depth: 16,
        column_tiles: 32,
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

/// All configurations under test.
pub fn configurations() -> [Params; 4] {
    [tiny(), tall(), wide(), single()]
}

/// The Verilog of a machine.
pub fn verilog(params: &Params) -> Sources {
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
        ..EmitOptions::default()
    };
    let block = catalog::build("top", params).expect("the catalogue has a top");
    let design = emit(block.as_ref(), &options).unwrap_or_else(|error| panic!("{error}"));
    let files = design.files().into_iter();
    Sources {
        files: files.filter(|(name, _)| name.ends_with(".v")).collect(),
        top: design.top,
        ports: Vec::new(),
    }
}

/// A verilated machine.
pub struct Machine {
    pub params: Params,
    library: PathBuf,
}

impl Machine {
    /// The machine of a configuration.
    pub fn new(params: Params) -> Self {
        let sources = verilog(&params);
        Self::from_verilog(params, &sources)
    }

    /// A machine from this text.
    pub fn from_verilog(params: Params, sources: &Sources) -> Self {
        let library = rtl::built(sources, XInitial::Unique);
        Self { params, library }
    }

    /// A host at the machine, whose memories hold random bits of the seed.
    pub fn host(&self, seed: u64) -> Host {
        let model = Model::load_with(&self.library, Some(seed as u32))
            .unwrap_or_else(|error| panic!("{error}"));
        Host::new(model, &self.params).unwrap_or_else(|error| panic!("{error}"))
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
