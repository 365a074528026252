//! Networks that do not fit, and layouts at the edge of what fits.

use heddle_arch::params::Params;
use heddle_compiler::{CompileError, Mapping, Memory, Shortage};
use heddle_network::Network;
use heddle_sim::network::run as golden;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::support::{Size, load, mapped, random_image, refusal, run, wide_network};
use crate::support::{compile, compile_with};

const SIZE: Size = Size {
    rows: 4,
    cols: 4,
    loops: 5,
    banks: 2,
    words_per_bank: 64,
    depth: 16,
    pooling: false,
};

#[track_caller]
fn shortages(network: &Network, params: &Params) -> Vec<Shortage> {
    match compile(network, params) {
        Err(CompileError::DoesNotFit { shortages, .. }) => shortages,
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_memory_that_is_too_small_is_named() {
    let mut params = SIZE.params();
    params.column_tiles = 2;
    assert_eq!(
        refusal(&wide_network(44, 58), &params),
        "network wide does not fit test: \
         activations need 744 bytes in each partition, 512 available, 232 missing \
         (set by state_buffer.words_per_bank or state_buffer.banks); \
         weights need 528 bytes in each partition, 512 available, 16 missing \
         (set by state_buffer.words_per_bank or state_buffer.banks); \
         column parameters need 11 column tiles, 2 available, 9 missing (set by column_tiles)"
    );
}

#[test]
fn a_program_memory_that_is_too_small_is_named() {
    let mut params = SIZE.params();
    params.program.words = 24;
    // One run of three column tiles, HALT.
    let found = shortages(&wide_network(12, 10), &params);
    let expected = Shortage {
        memory: Memory::Program,
        needed: 10 + 11 + 17 + 1,
        available: 24,
        end: None,
    };
    assert_eq!(found, [expected]);
    assert_eq!(found[0].missing(), 15);
}

#[test]
fn row_tables_that_are_too_small_are_named() {
    let mut params = SIZE.params();
    params.state_buffer.row_offsets = 16;
    let flattened = mapped(Mapping::Flattened);
    // 24 taps on four rows.
    let program = compile_with(&wide_network(4, 8), &params, flattened.clone()).unwrap();
    assert_eq!(program.once.row_offsets.len(), 24);
    params.array.rows = 1;
    let message = compile_with(&wide_network(1, 8), &params, &flattened).unwrap_err();
    assert_eq!(
        message.to_string(),
        "network wide does not fit test: row offsets need 24 entries in each row, 16 available, \
         8 missing (set by state_buffer.row_offsets)"
    );
    let program = compile(&wide_network(1, 8), &params).unwrap();
    let choice = &program.layers[0].choice;
    assert_eq!(choice.mapping, Mapping::Channel);
    assert_eq!(choice.reason, "flattened does not fit");
}

#[test]
fn all_column_tiles_can_be_used_and_no_more() {
    let mut params = SIZE.params();
    params.column_tiles = 8;
    let network = wide_network(32, 8);
    let program = compile(&network, &params).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let image = random_image(&mut rng, &network);
    let found = run(&mut load(&program, &params), &program, &network, &image);
    assert_eq!(found[0].0, golden(&network, &image).unwrap()[0].values);
    let tiles = program.once.columns.iter().map(|column| column.tile).max();
    assert_eq!(tiles, Some(7), "the column parameters are full");

    // One output more needs one more column tile.
    let found = shortages(&wide_network(33, 8), &params);
    let expected = Shortage {
        memory: Memory::ColumnTiles,
        needed: 9,
        available: 8,
        end: None,
    };
    assert_eq!(found, [expected]);
}

#[test]
fn a_traversal_with_one_row_or_loop_is_refused() {
    let refused = |change: fn(&mut Params), message: &str| {
        let mut params = SIZE.params();
        change(&mut params);
        assert_eq!(refusal(&wide_network(4, 8), &params), message);
    };
    let message = "traversal.rows is 1, networks need at least 2";
    refused(|params| params.traversal.rows = 1, message);
    let message = "traversal.loops is 1, networks need at least 2";
    refused(|params| params.traversal.loops = 1, message);
}

#[test]
fn a_unit_with_too_few_rows_or_loops_is_refused() {
    let compiled = |units: [&[u32]; 3]| {
        let mut params = SIZE.params();
        params.traversal.units = Some(units.into());
        compile(&wide_network(4, 8), &params)
    };
    compiled([&[2, 1], &[0, 2], &[2]]).expect("the least");
    for (units, message) in [
        (
            [&[2][..], &[0, 2], &[2]],
            "traversal.units.weights is [2], networks need at least [2, 1]",
        ),
        (
            [&[2, 1], &[2, 1], &[2]],
            "traversal.units.stream is [2, 1], networks need at least [0, 2]",
        ),
        (
            [&[2, 1], &[0, 2], &[1]],
            "traversal.units.drain is [1], networks need at least [2]",
        ),
    ] {
        let error = compiled(units).expect_err(message);
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn weights_and_activations_never_share_a_bank() {
    for (width, first_weight_bank) in [(8, 1), (40, 1), (200, 2)] {
        let mut size = SIZE;
        size.banks = 8;
        let params = size.params();
        let program = compile(&wide_network(4, width), &params).unwrap();
        let bank_words = params.state_buffer.words_per_bank;
        let activations = program.tensors.last().map(|t| t.base + t.bytes).unwrap();
        assert_eq!(activations.div_ceil(params.bank_bytes()), first_weight_bank);
        let weights = |&&(_, word, _): &&(u32, u32, [u8; 8])| word * 8 >= activations;
        let first = program.once.image.iter().filter(weights).map(|w| w.1).min();
        assert_eq!(first, Some(first_weight_bank * bank_words));
    }
}

#[test]
fn the_image_clears_all_activations() {
    let params = SIZE.params();
    let program = compile(&wide_network(4, 8), &params).unwrap();
    let end = program.tensors.last().map(|t| t.base + t.bytes).unwrap();
    for partition in 0..4 {
        for word in 0..end / 8 {
            assert!(program.once.image.contains(&(partition, word, [0; 8])));
        }
    }
    let mut places: Vec<(u32, u32)> = program.once.image.iter().map(|w| (w.0, w.1)).collect();
    let count = places.len();
    places.sort_unstable();
    places.dedup();
    assert_eq!(places.len(), count, "every word is written once");
}
