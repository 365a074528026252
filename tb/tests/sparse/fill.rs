//! From a stream of bytes to words of weights: random records in lockstep with the clocked model, and what a unit has of them.

use std::collections::VecDeque;
use std::sync::LazyLock;

use heddle_arch::isa::fields::sparse::{weights, weights_lists};
use heddle_hdl::sparse::{Fill, UnitWeights};
use heddle_sim::sparse::{FillInputs, FillModel, FillOutputs, FillWord};
use heddle_tb::verilate::Sources;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::commands::{Head, set_command};
use crate::rtl::{Checked, Coverage, Dut, check_mutants, emitted, faults, run_seeds};

/// Weights of a word, units.
type Size = (usize, usize);

const SMALL: Size = (3, 4);

static FILL_3: LazyLock<Sources> = LazyLock::new(|| fill(SMALL));

fn fill((lanes, units): Size) -> Sources {
    emitted(Fill::new(lanes, units))
}

/// Words behind the header of SPARSE_WEIGHTS.
fn command(first: usize, words: usize, list: usize, half: bool, mask: u64) -> Vec<u32> {
    vec![
        weights::FIRST.put(first as u32) | weights::WORDS.put(words as u32),
        weights_lists::LIST.put(list as u32) | weights_lists::HALF.flag(half),
        mask as u32,
        (mask >> 32) as u32,
    ]
}

fn random_command(rng: &mut ChaCha8Rng) -> Vec<u32> {
    let words = [rng.random_range(1..=9), rng.random_range(1..=70)][rng.random_range(0..2)];
    let list = rng.random_range(0..512);
    command(
        rng.random_range(0..1 << 16),
        words,
        list,
        rng.random(),
        rng.random(),
    )
}

fn drive(dut: &mut Dut, inputs: &FillInputs, rng: &mut ChaCha8Rng) {
    set_command(dut, (inputs.command, inputs.start), rng);
    dut.set("weight_valid_i", inputs.weight.is_some());
    dut.set(
        "weight_data_i",
        inputs.weight.unwrap_or_else(|| rng.random()),
    );
}

/// Compares the outputs; mask and half begin with any value.
fn check(dut: &Dut, outputs: &FillOutputs, is_known: bool) -> Checked {
    dut.check("busy_o", outputs.busy)?;
    dut.check("weight_ready_o", outputs.weight_ready)?;
    dut.check("fill_begin_o", outputs.begin.is_some())?;
    if let Some((word, list)) = outputs.begin {
        dut.check("fill_word_o", word as u64)?;
        dut.check("fill_first_list_o", list as u64)?;
    }
    dut.check("fill_valid_o", outputs.word.is_some())?;
    if let Some(FillWord { weights, index }) = &outputs.word {
        dut.check("fill_index_o", u64::from(*index))?;
        for (lane, weight) in weights.iter().enumerate() {
            dut.check_element("fill_weight_o", lane, weights.len(), *weight as u64)?;
        }
    }
    if is_known {
        dut.check("half_o", outputs.half)?;
        for (unit, is_in) in outputs.mask.iter().enumerate() {
            dut.check_element("fill_mask_o", unit, outputs.mask.len(), *is_in)?;
        }
    }
    Ok(())
}

fn random_records(sources: &Sources, seed: u64, (lanes, units): Size) -> Checked<Coverage> {
    let mut dut = Dut::new(sources, seed);
    let mut rng = dut.rng();
    let mut coverage = Coverage::default();
    let mut model = FillModel::new(lanes, units);
    let mut head = Head::new();
    let (mut weight, mut share, mut is_known) = (None, 1.0, false);
    let mut words = 0;
    for _ in 0..8000 {
        let busy = dut.get("busy_o") == 1;
        let (word, start) = head.give(busy, &mut rng, random_command);
        if start {
            share = [1.0, 0.5, 0.2][rng.random_range(0..3)];
            is_known = true;
        }
        if weight.is_none() && rng.random_bool(share) {
            weight = Some(rng.random());
        }
        let inputs = FillInputs {
            command: word,
            start,
            weight,
        };
        drive(&mut dut, &inputs, &mut rng);
        dut.settle();
        let outputs = model.step(&inputs);
        check(&dut, &outputs, is_known)?;
        dut.clock();
        weight.take_if(|_| outputs.weight_ready);
        dut.settle();

        words = match start {
            true => 0,
            false => words + usize::from(outputs.word.is_some()),
        };
        let ends = outputs.word.is_some() && !outputs.weight_ready;
        coverage.event("record of one word", ends && words == 1);
        coverage.event("last block full", ends && words % 4 == 0);
        coverage.event(
            "last block of one word",
            ends && words % 4 == 1 && words > 1,
        );
        coverage.event("word of the stream that waits for a command", {
            inputs.weight.is_some() && !outputs.busy
        });
        coverage.event("word of the next record in front of the end", {
            inputs.weight.is_some() && outputs.busy && !outputs.weight_ready
        });
    }
    Ok(coverage)
}

#[test]
fn records_become_words_of_weights_in_lockstep() {
    run_seeds(|seed| random_records(&FILL_3, seed, SMALL));
    for size in [(8, 1), (16, 40), (20, 64)] {
        let sources = fill(size);
        run_seeds(|seed| random_records(&sources, seed, size));
    }
}

/// A record of lists, each of so many words: words of the stream.
fn record(lists: &[usize], lanes: usize, rng: &mut ChaCha8Rng) -> Vec<u64> {
    let words = lists
        .iter()
        .flat_map(|words| (1..=*words).map(move |word| word == *words));
    let words: Vec<bool> = words.collect();
    let mut stream = Vec::new();
    for block in words.chunks(4) {
        let index = |(at, is_last): (usize, &bool)| u64::from(*is_last) << (16 * at + 15);
        stream.push(block.iter().enumerate().map(index).sum());
        let parts = block.len() * lanes.div_ceil(8);
        // No word has weights of 0 alone.
        stream.extend((0..parts).map(|_| rng.random::<u64>() | 1));
    }
    stream
}

/// Gives a command and its record without a pause to the last of the units; in the cycle in which the engine is no
/// longer busy, it reads where a list lies.
fn fill_and_read(
    (engine, unit): (&mut Dut, &mut Dut),
    (lanes, units): Size,
    (first, list): (usize, usize),
    lists: &[usize],
    read: usize,
    rng: &mut ChaCha8Rng,
) -> (u64, u64) {
    let words = lists.iter().sum();
    for word in (1..).zip(command(first, words, list, false, 1 << (units - 1))) {
        set_command(engine, (Some(word), false), rng);
        engine.clock();
        unit.clock();
    }
    let mut stream: VecDeque<u64> = record(lists, lanes, rng).into();
    let cycles = stream.len() + units + 3;
    // What travels from unit to unit.
    let names = ["begin", "word", "first_list", "valid", "weight", "index"];
    let mut waves: VecDeque<[u64; 6]> = vec![[0; 6]; units - 1].into();
    for cycle in 0..1000 {
        set_command(engine, (None, cycle == 0), rng);
        engine.set("weight_valid_i", !stream.is_empty());
        engine.set("weight_data_i", stream.front().copied().unwrap_or(0));
        engine.settle();
        if engine.get("weight_ready_o") == 1 {
            stream.pop_front();
        }
        waves.push_back(names.map(|name| engine.get(&format!("fill_{name}_o"))));
        let wave = waves.pop_front().expect("one was pushed");
        for (name, value) in names.into_iter().zip(wave) {
            unit.set(&format!("fill_{name}_i"), value);
        }
        let ends = cycle > 0 && engine.get("busy_o") == 0;
        unit.set("list_en_i", ends);
        unit.set("list_i", read as u64);
        engine.clock();
        unit.clock();
        if ends {
            assert_eq!(cycle, cycles, "cycles of {lists:?}");
            return (unit.get("first_o"), unit.get("more_o"));
        }
    }
    panic!("{}", engine.message("still busy"));
}

#[test]
fn a_list_can_be_read_in_the_last_unit_when_the_engine_is_no_longer_busy() {
    for size in [(3, 1), (8, 4), (5, 16)] {
        let mut engine = Dut::new(&fill(size), 1);
        let mut unit = Dut::new(&emitted(UnitWeights::new(size.0, 256, 16)), 1);
        let mut rng = engine.rng();
        unit.set("read_i", false);
        let duts = (&mut engine, &mut unit);
        assert_eq!(
            fill_and_read(duts, size, (10, 3), &[1, 4, 3], 5, &mut rng),
            (15, 2)
        );
        // The same list again, elsewhere.
        let duts = (&mut engine, &mut unit);
        assert_eq!(
            fill_and_read(duts, size, (100, 5), &[6], 5, &mut rng),
            (100, 5)
        );
    }
}

#[test]
fn faults_of_fill_are_noticed() {
    let mutants = r"
        // Busy ends when the last list is written, not when it can be read.
        heddle_sparse_fill_g16: travels_q <= 7'd7 => travels_q <= 7'd6
        // A word more than the record has.
        heddle_sparse_fill_g16: left_q == 16'd1 => left_q == 16'd0
        // Indices come too early, or a record begins in the middle of a block.
        heddle_sparse_fill_g16: ends & (&at_q) => ends & at_q[1]
        heddle_sparse_fill_g16: if (start_i) at_q <= 2'd0; =>
        // All words of a block have its first index.
        heddle_sparse_fill_g16: if (!takes_index) index_q[16*i+:16] <= index_q[16*i+16+:16]; =>
        // Indices that come while the last word of the block before leaves are lost.
        heddle_sparse_fill_g16: if (!takes_index) index_q => if (valid_q) index_q
        // The second word comes to the first weights too.
        heddle_sparse_fill_g16: !by_index_q & !came_q => !by_index_q
        // Units 32 to 63 in place of 0 to 31, and another half.
        heddle_sparse_fill_g16: command_index_i == 3'd3 => command_index_i == 3'd4
        heddle_sparse_fill_g16: word_q[48] => word_q[47]";
    let size = (16, 5);
    let check = |sources: &Sources, seed| random_records(sources, seed, size);
    check_mutants(&fill(size), &faults(mutants), check);
}
