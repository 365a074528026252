//! Memories that are a little too small cost cycles: what the compiler then chooses, and what it says.

use heddle_arch::params::Params;
use heddle_compiler::{Compiled, Options};
use heddle_network::Shape;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::support::chain::{Link, chain};
use crate::support::compile_whole;
use crate::support::{check, preset, random_image};

fn size(channels: u32, height: u32, width: u32) -> Shape {
    Shape {
        channels,
        height,
        width,
    }
}

/// The chain on `tflite` with what `change` does to it, which gives the golden outputs.
fn compiled(size: Shape, links: &[Link], change: impl FnOnce(&mut Params)) -> Compiled<'static> {
    let mut params = preset("tflite");
    change(&mut params);
    params.validate().unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let network = chain(&mut rng, size, links);
    let found = compile_whole(&network, &params, Options::default()).unwrap();
    let image = random_image(&mut rng, &network);
    check(&found.program, &network, &params, &[image], "cliff");
    found.into_owned()
}

fn cycles(found: &Compiled) -> Vec<u64> {
    found.program.runs.iter().map(|run| run.cycles).collect()
}

/// Names of the ways of all layers.
fn ways(found: &Compiled) -> Vec<&'static str> {
    let layers = found.program.layers.iter();
    layers.map(|layer| layer.choice.mapping.name()).collect()
}

/// What would be faster and why it is not, as `heddle compile` says it.
fn missed<'c>(found: &'c Compiled) -> Vec<(u64, &'static str, &'c str)> {
    let missed = found.missed.iter();
    let rows = missed.map(|missed| (missed.cycles, missed.layers[0].1, missed.lacks.as_str()));
    rows.collect()
}

/// 20,878 cycles on the diagonal.
#[test]
fn few_channels_fill_the_array_with_blocks() {
    let links = [Link::Point, Link::Square(1), Link::Point];
    let found = compiled(size(8, 48, 48), &links, |_| {});
    assert_eq!(ways(&found), ["channel", "blocks", "channel"]);
    assert!(cycles(&found)[1] < 5_000, "{:?}", cycles(&found));
    assert_eq!(missed(&found), []);

    let few = compiled(size(8, 48, 48), &links, |params| {
        params.state_buffer.row_offsets = 16;
    });
    assert_eq!(ways(&few), ["channel", "toeplitz", "channel"]);
    let saved = cycles(&few).iter().sum::<u64>() - cycles(&found).iter().sum::<u64>();
    let lacks = "row offsets need 20 entries in each row, 16 available, 4 missing (set by state_buffer.row_offsets)";
    assert_eq!(missed(&few), [(saved, "blocks", lacks)]);
}

#[test]
fn some_layers_make_two_rows_where_not_all_can() {
    let pair = [Link::Square(1), Link::Point];
    let links = [&[Link::Point][..], &pair.repeat(5)].concat();
    let found = compiled(size(64, 6, 6), &links, |params| params.column_tiles = 64);
    let pairs = ways(&found)
        .iter()
        .filter(|&&way| way == "toeplitz")
        .count();
    assert_eq!(pairs, 2, "{:?}", ways(&found));
    let [(saved, "toeplitz", lacks)] = missed(&found)[..] else {
        panic!("{:?}", found.missed);
    };
    assert!(
        saved > 1_000 && lacks.contains("(set by column_tiles)"),
        "{saved}: {lacks}"
    );
}

/// 18.6 clocks for each K tile before weights were streamed.
#[test]
fn tiles_of_nine_vectors_wait_for_one_clock() {
    let found = compiled(size(256, 3, 3), &[Link::Point, Link::Point], |_| {});
    for cycles in cycles(&found) {
        assert!(cycles < 256 * 10 + 150, "{cycles}");
    }
}

/// Streamed weights took twice their bytes here, and four partitions of 64 KiB.
#[test]
fn streamed_weights_of_single_vectors_take_no_more_bytes() {
    let links = [640, 128, 640].map(Link::Points);
    let side = |params: &mut Params| (params.array.rows, params.array.cols) = (8, 8);
    let found = compiled(size(128, 1, 1), &links, side);
    let half = compiled(size(128, 1, 1), &links, |params| {
        side(params);
        params.state_buffer.words_per_bank /= 2;
    });
    assert_eq!(cycles(&half), cycles(&found));
    // Two clocks for each word of 8 weights of a row.
    for cycles in cycles(&found) {
        assert!(cycles < 2 * 640 * 128 / 64 + 150, "{cycles}");
    }
    assert_eq!(missed(&half), []);
}

/// With four banks of 2048 words it took 16,000 cycles more than with eight of 1024.
#[test]
fn a_first_layer_lies_over_all_rows_in_banks_of_any_size() {
    let found = [(8, 1024), (4, 2048), (8, 512), (4, 1024)].map(|(banks, words)| {
        let found = compiled(size(3, 96, 96), &[Link::Window(16)], |params| {
            params.state_buffer.banks = banks;
            params.state_buffer.words_per_bank = words;
        });
        assert_eq!(ways(&found), ["flattened"], "{banks} x {words}");
        cycles(&found)[0]
    });
    // 27 taps on 16 rows: two clocks for each pixel.
    assert!(found[0] < 2 * 96 * 96 * 11 / 10, "{found:?}");
    assert_eq!(found, [found[0]; 4]);
}
