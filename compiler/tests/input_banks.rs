//! What input banks cannot hold, and what lies in front of them.

use heddle_arch::params::Params;
use heddle_compiler::matrix::{DrainForm, MatrixPlace, MatrixShape, Product, Scaling};
use heddle_compiler::{CompileError, Memory, Program, Shortage};

use crate::support::matrices::{attention, options, runs, tiny};
use crate::support::{Size, refusal, wide_network};
use crate::support::{compile, compile_with};

const SIZE: Size = Size {
    rows: 4,
    cols: 4,
    loops: 5,
    banks: 4,
    words_per_bank: 64,
    depth: 16,
    pooling: false,
};

fn params(size: Size, input_banks: u32) -> Params {
    let mut params = size.params();
    params.state_buffer.input_banks = input_banks;
    params.validate().unwrap();
    params
}

#[proves("PET-61")]
#[test]
fn an_input_that_input_banks_cannot_hold_is_refused_by_name() {
    // Two planes of 256 bytes fill the bank.
    let full = compile(&wide_network(4, 256), &params(SIZE, 1)).unwrap();
    assert_eq!((full.tensors[0].base, full.tensors[0].bytes), (1536, 512));
    let too_wide = wide_network(4, 257);
    assert_eq!(
        refusal(&too_wide, &params(SIZE, 1)),
        "network wide does not fit test: input needs 528 bytes in the input banks of each partition, 512 available, \
         16 missing (set by state_buffer.input_banks or state_buffer.words_per_bank)"
    );
    compile(&too_wide, &params(SIZE, 2)).unwrap();
    compile(&too_wide, &params(SIZE, 0)).unwrap();
    // Larger than a partition.
    match compile(&wide_network(4, 2000), &params(SIZE, 1)) {
        Err(CompileError::DoesNotFit { shortages, .. }) => {
            assert!(shortages.contains(&Shortage {
                memory: Memory::Input,
                needed: 4000,
                available: 512,
                end: None,
            }));
        }
        other => panic!("{other:?}"),
    }
}

#[proves("PET-61")]
#[test]
fn input_banks_are_missing_elsewhere() {
    // 44 x 24 weights take 528 bytes and 44 rows of results 616: two banks each, beside 128 bytes of input.
    let weights = |input: u32| compile(&wide_network(44, 58), &params(SIZE, input));
    weights(0).unwrap();
    match weights(1) {
        Err(CompileError::DoesNotFit { shortages, .. }) => {
            let memories: Vec<Memory> = shortages.iter().map(|s| s.memory).collect();
            assert!(memories.contains(&Memory::Weights), "{memories:?}");
        }
        other => panic!("{other:?}"),
    }
}

#[proves("PET-61")]
#[test]
fn a_program_file_is_for_a_machine_with_as_many_input_banks() {
    let (with, without) = (params(SIZE, 1), params(SIZE, 0));
    let network = wide_network(4, 58);
    let text = compile(&network, &with).unwrap().to_json(&with);
    assert!(text.contains("\"input_banks\": 1"), "{text}");
    Program::from_json(&text, &with).unwrap();
    let other = compile(&network, &without).unwrap().to_json(&without);
    assert!(!other.contains("input_banks"));
    Program::from_json(&other, &without).unwrap();
    for (text, params) in [(&text, &without), (&other, &with)] {
        let message = Program::from_json(text, params).unwrap_err().to_string();
        assert!(message.contains("state_buffer.input_banks"), "{message}");
    }
}

#[proves("PET-61")]
#[test]
fn matrices_are_loaded_and_written_only_before_the_input_banks() {
    let mut params = params(SIZE, 1);
    // Sums that were stored are read by a third row.
    params.traversal.rows = 3;
    let bank = params.bank_bytes();
    let shape = MatrixShape { rows: 4, cols: 4 };
    let product = |weights: u32, moving: u32, result: u32| {
        let place = |bank_number: u32| MatrixPlace::new(shape, bank_number * bank, &params);
        let product = Product {
            moving: place(moving),
            weights: place(weights),
            result: place(result),
            scaling: Scaling::unchanged(1),
        };
        product
            .instructions(&params)
            .map(|_| ())
            .map_err(|e| e.to_string())
    };
    assert_eq!(product(0, 1, 2), Ok(()));
    assert_eq!(product(0, 3, 2), Ok(()), "operands may lie there");
    let refused = |what: &str| {
        format!(
            "{what} ends at byte 1544 of a partition, expected at most 1536: the input banks begin there, which hold \
             neither weights nor results"
        )
    };
    assert_eq!(product(3, 1, 2), Err(refused("weights")));
    assert_eq!(product(0, 1, 3), Err(refused("result")));
}

#[proves("PET-61")]
#[test]
fn networks_of_matrices_leave_the_input_banks_alone() {
    let mut params = tiny();
    let plain = params.clone();
    params.state_buffer.banks *= 2;
    params.state_buffer.input_banks = params.state_buffer.banks / 2;
    params.validate().unwrap();
    let options = options(DrainForm::All, false, false, false);
    runs(&attention(), &params, options.clone());
    let [program, without] =
        [&params, &plain].map(|p| compile_with(&attention(), p, options.clone()));
    assert_eq!(program.unwrap().once.image, without.unwrap().once.image);
}
