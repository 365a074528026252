//! The weights of a unit.

use std::sync::LazyLock;

use heddle_hdl::sparse::UnitWeights;
use heddle_sim::sparse::reference::Tap;
use heddle_sim::sparse::{Fill, FillWord, WeightsModel};
use heddle_tb::verilate::Sources;
use rand::Rng;

use super::memories::{buffers, text};
use super::unit::random_list;
use crate::rtl::{Checked, Coverage, Dut, check_mutants, emitted, faults, run_seeds};

const LANES: usize = 3;
const WORDS: usize = 512;
const LISTS: usize = 16;

static WEIGHTS: LazyLock<Sources> =
    LazyLock::new(|| emitted(UnitWeights::new(LANES, WORDS, LISTS)));

/// Fills some lists.
fn fill(dut: &mut Dut, model: &mut WeightsModel, first: (usize, usize), lists: &[Vec<Tap>]) {
    let begin = Fill {
        begin: Some(first),
        word: None,
    };
    for fill in std::iter::once(begin).chain(super::fills(lists, LANES)) {
        super::set_fill(dut, &fill);
        dut.settle();
        model.fill(&fill);
        dut.clock();
    }
}

/// Reads a list: where it lies, then value and index of each word.
fn check_list(dut: &mut Dut, number: usize, list: &[Tap]) -> Checked {
    dut.set("list_en_i", true);
    dut.set("list_i", number as u64);
    dut.settle();
    dut.clock();
    dut.set("list_en_i", false);
    dut.settle();
    let first = dut.get("first_o");
    dut.check("more_o", (list.len() as u64).wrapping_sub(1) & 0xffff)?;
    for (at, tap) in list.iter().enumerate() {
        dut.set("read_i", true);
        dut.set("addr_i", first + at as u64);
        dut.settle();
        dut.clock();
        dut.set("read_i", false);
        dut.settle();
        let word = FillWord::new(tap, at + 1 == list.len());
        for (lane, weight) in word.weights.iter().enumerate() {
            dut.check_element("weight_o", lane, LANES, *weight as u64)?;
        }
        dut.check("index_o", word.index)?;
    }
    Ok(())
}

fn random_lists(sources: &Sources, seed: u64) -> Checked<Coverage> {
    let mut dut = Dut::new(sources, seed);
    let mut rng = dut.rng();
    let mut coverage = Coverage::default();
    let mut model = WeightsModel::new(WORDS, LISTS);
    dut.set("list_en_i", false);
    dut.set("read_i", false);
    let mut kernel = |first: usize, count: usize, dut: &mut Dut, model: &mut WeightsModel| {
        let list = |_| random_list(&mut rng, (3, 3), 2, 0.5);
        let lists: Vec<Vec<Tap>> = (0..count).map(list).collect();
        let word = rng.random_range(0..16) + first * 20;
        fill(dut, model, (word, first), &lists);
        lists
    };
    let mut lists = kernel(0, LISTS, &mut dut, &mut model);
    // Some of them are replaced.
    for first in [0, 8] {
        let count = 3;
        let replaced = kernel(first, count, &mut dut, &mut model);
        let overwritten = lists[first..].iter().map(Vec::len).sum::<usize>();
        coverage.event("words that are replaced", overwritten > 0);
        lists.splice(first..first + count, replaced);
    }
    for number in [0, 1, 2, 8, 9, 10] {
        assert_eq!(Vec::from(model.list(number)), lists[number]);
        check_list(&mut dut, number, &lists[number])?;
        coverage.event("list of several words", lists[number].len() > 1);
    }
    Ok(coverage)
}

#[proves("FSA-38")]
#[test]
fn values_and_indices_have_buffers_of_their_own_read_in_pairs() {
    run_seeds(|seed| random_lists(&WEIGHTS, seed));
    let places = [32, LISTS];
    let expected = [[8 * LANES, WORDS], [16, WORDS], places];
    assert_eq!(buffers(&WEIGHTS, "heddle_unit_weights"), expected);
}

#[proves("FSA-29")]
#[test]
fn weights_come_with_the_fill_alone_and_leave_for_the_unit() {
    let (_, text) = text(&WEIGHTS, "heddle_unit_weights")
        .split_once("(\n")
        .expect("ports");
    let (ports, _) = text.split_once(");").expect("their end");
    let named = |direction: &str| -> Vec<&str> {
        let lines = ports.lines().map(str::trim);
        let names = lines.filter(|line| line.starts_with(direction));
        let names = names.filter_map(|line| line.trim_end_matches(',').split(' ').next_back());
        names.filter(|name| !name.starts_with("fill_")).collect()
    };
    let asked = ["clk", "rst_n", "list_en_i", "list_i", "read_i", "addr_i"];
    assert_eq!(named("input"), asked);
    let given = ["first_o", "more_o", "weight_o", "index_o"];
    assert_eq!(named("output"), given);
}

#[test]
fn faults_of_the_weights_are_noticed() {
    let mutants = r"
        // An index lies a word behind its value, or what it is when no word comes.
        heddle_unit_weights: index_q <= fill_index_i => if (valid_q) index_q <= fill_index_i";
    check_mutants(&WEIGHTS, &faults(mutants), random_lists);
}
