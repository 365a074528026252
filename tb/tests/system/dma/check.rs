//! Which words are a transfer: the check of the hardware against `Transfer::decode`.

use heddle_arch::transfer::{Space, Transfer};
use heddle_hdl::system::dma::TransferCheck;
use heddle_tb::verilate::Sources;
use rand::Rng;

use super::bench::row;
use crate::rtl::{Checked, Coverage, Dut, check_mutants, emitted, faults, run_seeds};

fn sources() -> Sources {
    emitted(TransferCheck::new(1))
}

/// The words of a transfer of some space that is allowed.
fn allowed(rng: &mut impl Rng) -> [u32; 8] {
    let mut transfer = row(rng.random_range(1..=8192), 0);
    transfer.space = Space::ALL[rng.random_range(0..7)];
    transfer.loops[0].step = rng.random_range(0..8192);
    for walk in &mut transfer.loops[1..] {
        walk.count = rng.random_range(1..=0x1_0000);
        walk.step = rng.random_range(0..8192);
        walk.pitch = rng.random::<u32>() & !7;
    }
    transfer.region = rng.random_range(0..4);
    transfer.offset = rng.random::<u32>() & !7;
    if transfer.space.has_partitions() {
        transfer.partitions = rng.random_range(0..4);
    }
    match transfer.space {
        Space::Buffer => transfer.zero = rng.random(),
        Space::Columns => {
            transfer.loops[0].step = 1;
            transfer.loops[0].pitch = 16;
            transfer.loops[2].count = 1;
        }
        Space::Weights | Space::Commands => {
            transfer.loops.iter_mut().for_each(|walk| walk.step = 0)
        }
        _ => {}
    }
    let fills = transfer.space == Space::Buffer && rng.random();
    if fills {
        transfer.fill = true;
        (transfer.region, transfer.zero, transfer.offset) = (0, 0, 0);
        transfer.loops.iter_mut().for_each(|walk| walk.pitch = 0);
    }
    transfer.encode().expect("it is allowed")
}

/// The words go by, one in a clock or two; the last one stands.
fn pass(dut: &mut Dut, words: &[u32; 8], single: bool) {
    let steps: Vec<Vec<usize>> = match single {
        true => (1..=8).map(|number| vec![number]).collect(),
        false => (0..=4).map(|pair| vec![2 * pair, 2 * pair + 1]).collect(),
    };
    let last = steps.len() - 1;
    for (step, numbers) in steps.into_iter().enumerate() {
        let mut takes = 0u64;
        for number in numbers
            .into_iter()
            .filter(|number| (1..=8).contains(number))
        {
            let name = if number % 2 == 0 { "even_i" } else { "odd_i" };
            dut.set(name, u64::from(words[number - 1]));
            takes |= 1 << (number - 1);
        }
        dut.set("takes_i", takes);
        dut.settle();
        if step < last {
            dut.clock();
        }
    }
}

fn random_words(sources: &Sources, seed: u64) -> Checked<Coverage> {
    let mut dut = Dut::new(sources, seed);
    let mut rng = dut.rng();
    let mut coverage = Coverage::default();
    for _ in 0..40_000 {
        let mut words = allowed(&mut rng);
        // No fault, one bit or two.
        for _ in 0..rng.random_range(0..3) {
            words[rng.random_range(0..8)] ^= 1 << rng.random_range(0..32);
        }
        let store: bool = rng.random();
        let program: bool = rng.random();
        dut.set("store_i", store);
        dut.set("program_i", program);
        pass(&mut dut, &words, program);
        let transfer = Transfer::decode(&words);
        let stores = |transfer: &Transfer| transfer.space == Space::Buffer && !transfer.fill;
        let streams =
            |transfer: &Transfer| matches!(transfer.space, Space::Weights | Space::Commands);
        let good = transfer
            .as_ref()
            .is_ok_and(|transfer| (!store || stores(transfer)) && (!program || !streams(transfer)));
        dut.check("ok_o", good)?;
        let past = matches!(words[0] & 15, 1..=3);
        dut.check("past_o", past)?;
        coverage.event("a stream in a program", !good && program && !store);
        dut.clock();
        for space in Space::ALL {
            const NAMES: [&str; 10] = [
                "buffer", "columns", "rows", "tables", "program", "", "", "", "weights", "commands",
            ];
            let is_space = transfer
                .as_ref()
                .is_ok_and(|transfer| transfer.space == space);
            coverage.event(NAMES[space as usize], is_space && good);
        }
        coverage.event(
            "a fill",
            transfer
                .as_ref()
                .is_ok_and(|transfer| transfer.fill && good),
        );
        coverage.event("no transfer", transfer.is_err());
        coverage.event("no store", transfer.is_ok() && !good);
    }
    Ok(coverage)
}

#[test]
fn words_of_transfers_are_checked() {
    let sources = sources();
    run_seeds(|seed| random_words(&sources, seed));
}

#[test]
fn faults_of_the_transfer_check_are_noticed() {
    let faults = faults(
        r"
        heddle_transfer_check: takes_i[0] & !is_access => 1'b0
        heddle_transfer_check: takes_i[2] & !is_place => 1'b0
        heddle_transfer_check: takes_i[3] & !is_x => 1'b0
        heddle_transfer_check: takes_i[6] & !is_once => 1'b0
        heddle_transfer_check: & !is_outer => & 1'b0
        heddle_transfer_check: & !is_memory => & 1'b0
        heddle_transfer_check: program_i & space_q[3] => 1'b0
        ",
    );
    check_mutants(&sources(), &faults, random_words);
}
