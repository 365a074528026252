//! The weights of a unit.

use std::sync::LazyLock;

use heddle_hdl::sparse::UnitWeights;
use heddle_sim::sparse::reference::Tap;
use heddle_sim::sparse::{Fill, FillWord, WeightsModel};
use heddle_tb::verilate::Sources;
use rand::Rng;

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

#[test]
fn fsa_38_values_and_indices_of_weights_lie_in_buffers_of_their_own_and_are_read_in_pairs() {
    run_seeds(|seed| random_lists(&WEIGHTS, seed));
    let (_, text) = top(&WEIGHTS);
    for (buffer, width) in [("weights", 8 * LANES), ("indices", 16)] {
        let start = text.find(&format!("u_{buffer} (")).expect("a buffer");
        let instance = &text[text[..start].rfind("heddle_ram_1r1w").expect("a memory")..start];
        assert!(
            instance.contains(&format!(".Width   ({width})")),
            "{instance}"
        );
    }
}

#[test]
fn fsa_29_weights_have_one_direction() {
    let (_, text) = top(&WEIGHTS);
    let ports = text.lines().filter(|line| line.contains("fill_"));
    let ports: Vec<_> = ports
        .filter(|line| line.trim_end().ends_with(','))
        .collect();
    assert!(
        ports
            .iter()
            .any(|line| line.trim_start().starts_with("input"))
    );
    assert!(
        !ports
            .iter()
            .any(|line| line.trim_start().starts_with("output"))
    );
}

fn top(sources: &Sources) -> &(String, String) {
    let name = format!("{}.v", sources.top);
    let mut files = sources.files.iter();
    files
        .find(|(file, _)| *file == name)
        .expect("the text of the top")
}

#[test]
fn faults_of_the_weights_are_noticed() {
    let mutants = r"
        // An index lies a word behind its value, or what it is when no word comes.
        heddle_unit_weights: index_q <= fill_index_i => if (valid_q) index_q <= fill_index_i";
    check_mutants(&WEIGHTS, &faults(mutants), random_lists);
}
