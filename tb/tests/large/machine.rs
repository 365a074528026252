//! A machine of any size as a verilated model, and a transpose on it from the host's first write to its
//! last read.

use std::time::{Duration, Instant};

use heddle_arch::host::{CTRL_START, Register};
use heddle_arch::isa::{Instruction, Wait};
use heddle_arch::params::Params;
use heddle_arch::requantise::Scale;
use heddle_compiler::matrix::{DrainForm, MatrixPlace, MatrixShape, Transpose};
use heddle_gen::{EmitOptions, TextStyle, emit};
use heddle_hdl::catalog;
use heddle_sim::machine::Machine as Golden;
use heddle_tb::Model;
use heddle_tb::host::Host;
use heddle_tb::verilate::{Options, Sources, build_shared};

/// How the model is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Form {
    /// How the PE array is printed.
    pub style: TextStyle,
    /// The partition is translated once.
    pub has_blocks: bool,
}

/// What a transpose took.
#[derive(Debug, Clone, Copy)]
pub struct Took {
    /// Clocks from the start of the program to its end.
    pub program_clocks: u64,
    /// Clocks with all accesses of the host.
    pub all_clocks: u64,
    /// Time of the simulation.
    pub time: Duration,
}

/// Column tile with bias 0 and scale 1.
const UNIT_TILE: u16 = 1;

/// Clocks that a program may take.
const LIMIT: u64 = 100_000;

/// A configuration whose array may have another size.
#[derive(Clone, Copy)]
pub struct Preset {
    /// The whole file.
    pub text: &'static str,
    /// Its name, with the quotes.
    pub name: &'static str,
    /// What it says about the size of the array.
    pub array: &'static str,
}

/// Four banks of 8 KB in a partition.
pub const LARGE: Preset = Preset {
    text: include_str!("../../../configs/large.json"),
    name: "\"large\"",
    array: "\"rows\": 64, \"cols\": 64",
};

/// The configuration with an array of another size.
pub fn params(preset: Preset, rows: u32, cols: u32) -> Params {
    let name = format!("\"{}_{rows}x{cols}\"", preset.name.trim_matches('"'));
    let array = format!("\"rows\": {rows}, \"cols\": {cols}");
    let text = preset.text.replace(preset.name, &name);
    let params = Params::from_json(&text.replace(preset.array, &array));
    let params = params.unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!((params.array.rows, params.array.cols), (rows, cols));
    params
}

/// The Verilog of the machine.
pub fn verilog(params: &Params, style: TextStyle) -> Sources {
    let options = EmitOptions {
        configuration: params.name.clone(),
        style,
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

/// The model of this Verilog, with the options of `heddle cosim`.
pub fn host(sources: &Sources, params: &Params, form: Form) -> Host {
    let options = Options {
        hier_blocks: match form.has_blocks {
            true => sources.modules("heddle_partition_"),
            false => Vec::new(),
        },
        opt_level: if form.has_blocks { 1 } else { 2 },
        unroll_count: (form.style == TextStyle::Loops).then_some(16),
        ..Options::default()
    };
    let library = build_shared(sources, &options).unwrap_or_else(|error| panic!("{error}"));
    let model = Model::load(&library).unwrap_or_else(|error| panic!("{error}"));
    Host::new(model, params).unwrap_or_else(|error| panic!("{error}"))
}

/// Transposes a block as large as the array, which the host writes and whose transpose it reads; counters
/// against the golden machine.
///
/// # Errors
/// The first difference.
pub fn transpose(
    host: &mut Host,
    params: &Params,
    element: impl Fn(u32, u32) -> i8,
) -> Result<Took, String> {
    let (begin, before) = (Instant::now(), host.cycles());
    let mut golden = Golden::new(params);
    let (rows, cols) = (params.array.rows, params.array.cols);
    let block = MatrixShape { rows, cols };
    let square = MatrixShape { rows, cols: rows };
    let source = MatrixPlace::new(block, 0, params);
    let transpose = Transpose {
        source,
        destination: MatrixPlace::new(block.transposed(), source.end(), params),
        identity: MatrixPlace::new(square, params.bank_bytes(), params),
        tile: UNIT_TILE,
        form: DrainForm::Direct,
    };
    let mut program = transpose
        .instructions(params)
        .map_err(|error| error.to_string())?;
    program.push(Instruction::Halt {
        wait: Wait::default(),
    });
    let program: Vec<u32> = program.iter().flat_map(Instruction::encode).collect();

    host.set_zero(0).map_err(|error| error.to_string())?;
    golden.set_host_zero(0);
    for (place, value) in [
        (&transpose.source, &element as &dyn Fn(u32, u32) -> i8),
        (&transpose.identity, &|row, col| i8::from(row == col)),
    ] {
        for (partition, word, bytes) in words(place, value) {
            let written = host.write_word(partition, word, bytes);
            written.map_err(|error| error.to_string())?;
            golden.write_word(partition, word, bytes);
        }
    }
    let scale = Scale::reciprocal(1);
    for column in 0..cols {
        let tile = u32::from(UNIT_TILE);
        let written = host.write_column(column, tile, 0, scale);
        written.map_err(|error| error.to_string())?;
        golden.write_bias(column, tile, 0);
        golden.write_scale(column, tile, scale);
    }
    let written = host.write_program(0, &program);
    written.map_err(|error| error.to_string())?;
    golden.write_program(0, &program);

    let counters = golden.run(0, LIMIT).map_err(|error| format!("{error:?}"))?;
    let start = [(Register::StartPc, 0), (Register::Ctrl, CTRL_START)];
    for (register, value) in start {
        let written = host.write(register.address(), value);
        written.map_err(|error| error.to_string())?;
    }
    let model = host.model();
    let running = model.port("running_o").expect("the machine has running_o");
    model.clock();
    let program_clocks = model.run_until(running, 0, LIMIT);
    let program_clocks = program_clocks.ok_or(format!("still runs after {LIMIT} clocks"))?;
    let status = host.status().map_err(|error| error.to_string())?;
    if !status.done || status.error {
        return Err(format!("{status:?}, expected HALT"));
    }
    let found = host.counters().map_err(|error| error.to_string())?;
    for ((counter, found), (_, expected)) in found.into_iter().zip(counters.iter()) {
        if found != expected {
            let name = counter.name();
            return Err(format!("{name} is {found}, golden machine has {expected}"));
        }
    }

    let expected = words(&transpose.destination, &|row, col| element(col, row));
    let places: Vec<(u32, u32)> = expected.iter().map(|&(p, word, _)| (p, word)).collect();
    let answers = host
        .read_words(&places)
        .map_err(|error| error.to_string())?;
    for ((partition, word, expected), found) in expected.into_iter().zip(answers) {
        if found != expected {
            return Err(format!(
                "partition {partition}, word {word} is {found:?}, expected {expected:?}"
            ));
        }
    }
    Ok(Took {
        program_clocks,
        all_clocks: host.cycles() - before,
        time: begin.elapsed(),
    })
}

/// The words of a matrix: partition, word address, bytes.
fn words(place: &MatrixPlace, element: &dyn Fn(u32, u32) -> i8) -> Vec<(u32, u32, [u8; 8])> {
    let mut words = std::collections::BTreeMap::<(u32, u32), [u8; 8]>::new();
    for row in 0..place.shape.rows {
        for col in 0..place.shape.cols {
            let (partition, address) = place.element(row, col);
            let word = words.entry((partition, address / 8)).or_default();
            word[(address % 8) as usize] = element(row, col) as u8;
        }
    }
    let words = words.into_iter();
    words
        .map(|((partition, word), bytes)| (partition, word, bytes))
        .collect()
}
