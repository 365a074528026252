//! Matrices that no program can be made for.

use heddle_arch::isa::{
    Drain, Instruction, LoadWeights, Matmul, OP_DRAIN, OP_LOAD_WEIGHTS, OP_MATMUL, ROW_EPILOGUE,
    ROW_PROLOGUE, ROW_TENSOR, Wait,
};
use heddle_arch::params::Params;
use heddle_arch::requantise::Scale;
use heddle_compiler::matrix::{
    DrainForm, IdentityBuild, MatrixError, MatrixPlace, MatrixShape, Portions, Product, Scaling,
    Transpose, WideTranspose,
};
use heddle_sim::machine::Machine;

/// 4 x 4, two banks of 2 KiB.
fn tiny() -> Params {
    Params::from_json(include_str!("../../configs/tiny.json")).expect("a preset")
}

fn place(rows: u32, cols: u32, base: u32) -> MatrixPlace {
    MatrixPlace::new(MatrixShape { rows, cols }, base, &tiny())
}

fn transpose(source: MatrixPlace, destination: MatrixPlace) -> Transpose {
    Transpose {
        source,
        destination,
        identity: place(4, 4, 2048),
        tile: 0,
        form: DrainForm::Direct,
    }
}

#[track_caller]
fn refused(transpose: &Transpose, message: &str) {
    let error = transpose.instructions(&tiny()).expect_err("refused");
    assert_eq!(error.to_string(), message);
}

/// As large as the array, on the golden machine; `tb/tests/large` has the Verilog of it.
#[proves("PET-30")]
#[test]
fn a_block_of_128_x_64_becomes_64_x_128() {
    let large = include_str!("../../configs/large.json");
    let params = large.replace("\"rows\": 64, \"cols\": 64", "\"rows\": 128, \"cols\": 64");
    let params = Params::from_json(&params).expect("a preset with more rows");
    assert_eq!((params.array.rows, params.array.cols), (128, 64));
    let place = |rows, cols, base| MatrixPlace::new(MatrixShape { rows, cols }, base, &params);
    let source = place(128, 64, 0);
    let transpose = Transpose {
        source,
        destination: place(64, 128, source.end()),
        identity: place(128, 128, params.bank_bytes()),
        tile: 0,
        form: DrainForm::Direct,
    };
    let mut program = transpose.instructions(&params).expect("it fits");
    let wait = Wait::default();
    program.push(Instruction::Halt { wait });
    let program: Vec<u32> = program.iter().flat_map(Instruction::encode).collect();

    let mut machine = Machine::new(&params);
    let element =
        |row: u32, col: u32| (row * 64 + col).wrapping_mul(2_654_435_761).to_be_bytes()[0];
    let mut fill = |place: &MatrixPlace, byte: &dyn Fn(u32, u32) -> u8| {
        for row in 0..place.shape.rows {
            for col in 0..place.shape.cols {
                let (partition, address) = place.element(row, col);
                let mut word = machine.read_word(partition, address / 8);
                word[(address % 8) as usize] = byte(row, col);
                machine.write_word(partition, address / 8, word);
            }
        }
    };
    fill(&transpose.source, &element);
    fill(&transpose.identity, &|row, col| u8::from(row == col));
    for column in 0..64 {
        machine.write_bias(column, 0, 0);
        machine.write_scale(column, 0, Scale::reciprocal(1));
    }
    machine.write_program(0, &program);
    machine.run(0, 10_000).expect("the program halts");
    for row in 0..64 {
        for col in 0..128 {
            let (partition, address) = transpose.destination.element(row, col);
            let found = machine.read_word(partition, address / 8)[(address % 8) as usize];
            assert_eq!(found, element(col, row), "row {row}, column {col}");
        }
    }
}

#[test]
fn transposes_that_cannot_run_are_refused() {
    let overlap_source = "destination (bytes 8 to 23) overlaps source (bytes 0 to 15); allowed for the source of a \
                          transpose of a single sub-block only";
    let overlap_identity = "destination (bytes 2048 to 2055) overlaps identity (bytes 2048 to 2055); allowed for \
                            the source of a transpose of a single sub-block only";
    for (source, destination, message) in [
        (
            (4, 4, 0),
            (4, 5, 64),
            "destination is 4 x 5, expected 4 x 4",
        ),
        (
            (4, 4, 0),
            (4, 4, 4096),
            "destination ends at byte 4104 of a partition, which has 4096",
        ),
        (
            (4, 4, 2056),
            (4, 4, 0),
            "bank 1 holds both source and identity",
        ),
        ((8, 4, 0), (4, 8, 8), overlap_source),
        ((4, 4, 0), (4, 4, 2048), overlap_identity),
    ] {
        let [source, destination] =
            [source, destination].map(|(rows, cols, base)| place(rows, cols, base));
        refused(&transpose(source, destination), message);
    }
    let mut small = transpose(place(4, 4, 0), place(4, 4, 64));
    small.identity = place(3, 3, 2048);
    refused(&small, "identity is 3 x 3, expected 4 x 4");
    let mut tile = transpose(place(4, 4, 0), place(4, 4, 64));
    tile.tile = 16;
    refused(
        &tile,
        "an instruction is not legal for this machine: BAD_FIELD: column tile is 16, this machine has at \
        most 15",
    );
}

#[test]
fn a_single_sub_block_may_be_transposed_in_place() {
    let program = transpose(place(4, 3, 0), place(3, 4, 0)).instructions(&tiny());
    assert_eq!(program.expect("legal").len(), 3);
}

#[test]
fn products_that_cannot_run_are_refused() {
    let product = |weights, moving, result| Product {
        weights,
        moving,
        result,
        scaling: Scaling::unchanged(0),
    };
    let cases = [
        (
            product(place(4, 5, 0), place(3, 6, 2048), place(5, 6, 64)),
            "moving matrix is 3 x 6, expected 4 x 6",
        ),
        (
            product(place(4, 5, 0), place(4, 6, 2048), place(4, 6, 64)),
            "result is 4 x 6, expected 5 x 6",
        ),
        (
            product(place(4, 5, 0), place(4, 6, 64), place(5, 6, 2048)),
            "bank 0 holds both weights and moving matrix",
        ),
    ];
    for (product, message) in cases {
        let error = product.instructions(&tiny()).expect_err("refused");
        assert_eq!(error.to_string(), message);
    }
    let onto = product(place(4, 5, 0), place(4, 6, 2048), place(5, 6, 8));
    let error = onto.instructions(&tiny()).expect_err("refused");
    assert!(matches!(
        error,
        MatrixError::Overlap {
            what: "weights",
            ..
        }
    ));
}

#[test]
fn drains_of_a_form_that_the_machine_cannot_keep_are_refused() {
    let refused = |params: &Params, form, message: &str| {
        let source = MatrixPlace::new(MatrixShape { rows: 3, cols: 4 }, 0, params);
        let shape = MatrixShape {
            rows: params.array.rows,
            cols: params.array.rows,
        };
        let transpose = Transpose {
            source,
            destination: MatrixPlace::new(source.shape.transposed(), 64, params),
            identity: MatrixPlace::streamed(shape, params.bank_bytes(), params),
            tile: 0,
            form,
        };
        let error = transpose.instructions(params).expect_err("refused");
        assert_eq!(error.to_string(), message);
    };
    refused(
        &tiny(),
        DrainForm::Part,
        "with 3 vectors and 4 columns a drain of the form Part begins 2 to 4 clocks behind the last vector; \
        the column tiles up to 0 and a prologue of 5 loops (traversal.loops) make no such pause, a greater tile or \
        more loops may",
    );
    let mut shallow = tiny();
    (shallow.array.rows, shallow.results_buffer.depth) = (128, 64);
    refused(
        &shallow,
        DrainForm::All,
        "results_buffer.depth is 64, sums that are stored before they drain need at least array.rows, \
        which is 128; sums that drain at once (--drain direct) need no results buffer",
    );
}

/// Load, multiply by the identity into the results buffer, and from there to the state buffer.
#[proves("PET-42", "PET-43")]
#[test]
fn a_transpose_is_four_instructions() {
    let params = tiny();
    let mut transpose = transpose(place(4, 4, 0), place(4, 4, 64));
    transpose.form = DrainForm::All;
    let program = transpose.instructions(&params).expect("legal");
    let [drain, load, multiply, send] = &program[..] else {
        panic!("{} instructions", program.len());
    };
    let rows = |instruction: &Instruction| -> Vec<(u8, u32)> {
        let record = instruction.record().expect("a record");
        record.rows.iter().map(|row| (row.row, row.base)).collect()
    };
    assert!(matches!(
        load,
        Instruction::LoadWeights(LoadWeights { rows: 4, .. })
    ));
    assert_eq!(rows(load), [(0, 0)]);
    // The sums stay in the results buffer; operands come from the identity.
    assert!(matches!(
        multiply,
        Instruction::Matmul(Matmul {
            first: true,
            last: false,
            ..
        })
    ));
    assert_eq!(rows(multiply), [(ROW_PROLOGUE, 0), (ROW_TENSOR, 2048)]);
    assert_eq!(rows(send), [(ROW_EPILOGUE, 0)]);
    assert!(matches!(
        drain,
        Instruction::Drain(Drain { columns: 4, .. })
    ));
    assert_eq!(rows(drain), [(0, 64)]);
    // No other opcode than that of any product.
    let opcodes = program.iter().map(Instruction::opcode);
    assert!(opcodes.eq([OP_DRAIN, OP_LOAD_WEIGHTS, OP_MATMUL, OP_MATMUL]));
    // Directly to post it is one instruction less, by row with its pause two slots and no other.
    transpose.form = DrainForm::Direct;
    assert_eq!(transpose.instructions(&params).expect("legal").len(), 3);
    (transpose.form, transpose.tile) = (DrainForm::Row, 1);
    let program = transpose.instructions(&params).expect("legal");
    let last = rows(program.last().expect("instructions"));
    assert_eq!(
        last,
        [(ROW_TENSOR, 2048), (ROW_PROLOGUE, 0), (ROW_EPILOGUE, 0)]
    );
}

#[test]
fn a_streamed_matrix_is_no_source() {
    let mut transpose = transpose(place(4, 4, 0), place(4, 4, 64));
    transpose.source = MatrixPlace::streamed(MatrixShape { rows: 4, cols: 6 }, 0, &tiny());
    transpose.destination = place(6, 4, 64);
    refused(
        &transpose,
        "source has groups of 6 columns and cannot be loaded as weights, expected 4",
    );
}

#[test]
fn wide_transposes_that_cannot_run_are_refused() {
    let wide = WideTranspose {
        source: place(3, 8, 0),
        destination: place(4, 6, 64),
        planes: vec![place(3, 4, 128), place(3, 4, 192)],
        identity: place(4, 4, 2048),
        portions: Portions::Placed(MatrixPlace::streamed(
            MatrixShape { rows: 4, cols: 9 },
            2112,
            &tiny(),
        )),
        tile: 0,
    };
    assert!(wide.instructions(&tiny()).is_ok());
    let refused = |change: &dyn Fn(&mut WideTranspose), message: &str| {
        let mut wide = wide.clone();
        change(&mut wide);
        let error = wide.instructions(&tiny()).expect_err("refused").to_string();
        assert!(error.starts_with(message), "{error}");
    };
    refused(
        &|wide| wide.source = place(3, 7, 0),
        "source is 3 x 7, expected 3 x 6",
    );
    refused(
        &|wide| wide.destination = place(4, 3, 64),
        "destination is 4 x 3, expected 4 x 6",
    );
    refused(
        &|wide| wide.planes[1] = place(3, 4, 128),
        "portion (bytes 128 to 135) overlaps another portion (bytes 128 to 135)",
    );
    refused(
        &|wide| wide.planes[0] = place(3, 4, 8),
        "portion (bytes 8 to 15) overlaps source (bytes 0 to 15)",
    );
    refused(
        &|wide| wide.identity = place(4, 4, 1024),
        "bank 0 holds both identity and source",
    );
    refused(
        &|wide| wide.portions = Portions::Placed(place(4, 9, 2112)),
        "spread identity lies in groups of columns with gaps, expected one group",
    );
    refused(
        &|wide| wide.portions = Portions::Placed(place(4, 8, 2112)),
        "spread identity is 4 x 8, expected 4 x 9",
    );
    let mut shallow = tiny();
    shallow.results_buffer.depth = 1;
    let error = wide
        .instructions(&shallow)
        .expect_err("refused")
        .to_string();
    assert_eq!(
        error,
        "results_buffer.depth is 1, elements of 2 bytes need at least 2"
    );
}

#[test]
fn identities_that_cannot_be_built_are_refused() {
    let build = IdentityBuild {
        identity: place(4, 4, 2048),
        constants: 0,
        scratch: 64,
        tile: 0,
    };
    let refused = |build: IdentityBuild, message: &str| {
        let error = build.instructions(&tiny()).expect_err("refused");
        assert_eq!(error.to_string(), message);
    };
    refused(
        IdentityBuild {
            constants: 4,
            ..build
        },
        "constants begins at byte 4, the next byte where it can is 8",
    );
    refused(
        IdentityBuild {
            scratch: 2048,
            ..build
        },
        "identity (bytes 2048 to 2055) overlaps scratch (bytes 2048 to 2055); allowed for the source of a \
        transpose of a single sub-block only",
    );
    refused(
        IdentityBuild {
            scratch: 4096,
            ..build
        },
        "scratch ends at byte 4104 of a partition, which has 4096",
    );
    refused(
        IdentityBuild {
            identity: place(4, 3, 2048),
            ..build
        },
        "identity is 4 x 3, expected 4 x 4",
    );
}
