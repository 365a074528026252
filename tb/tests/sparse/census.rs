//! Counts of results, against sums of their own.

use std::collections::VecDeque;
use std::sync::LazyLock;

use heddle_hdl::sparse::Census;
use heddle_sim::sparse::{CensusModel, Counted};
use heddle_tb::verilate::Sources;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::rtl::{Checked, Coverage, Dut, check_mutants, emitted, faults, run_seeds, unchecked};

const LANES: usize = 8;
const POSITIONS: usize = 256;
/// Cycles after which a position may come again.
const RETURNS: usize = 4;

// Counts are read while results are counted, as the cutter never does.
static CENSUS: LazyLock<Sources> =
    LazyLock::new(|| unchecked(emitted(Census::new(LANES, POSITIONS))));

/// A census and its model.
struct Bench {
    dut: Dut,
    rng: ChaCha8Rng,
    model: CensusModel,
    /// What is on `count_o`.
    count: Option<u32>,
}

impl Bench {
    fn clock(&mut self, counted: Option<&Counted>, asked: Option<usize>) -> Checked {
        let (dut, rng) = (&mut self.dut, &mut self.rng);
        dut.set("valid_i", counted.is_some());
        // Without valid anything may be there.
        let noise = Counted {
            bytes: (0..LANES).map(|_| rng.random()).collect(),
            group_last: rng.random(),
            last: rng.random(),
        };
        let shown = counted.unwrap_or(&noise);
        dut.set("group_last_i", shown.group_last);
        dut.set("last_i", shown.last);
        dut.set_all("byte_i", shown.bytes.iter().map(|byte| u64::from(*byte)));
        dut.set("count_en_i", asked.is_some());
        let addr = asked.unwrap_or_else(|| rng.random_range(0..POSITIONS));
        dut.set("count_addr_i", addr as u64);
        dut.settle();
        if let Some(count) = self.count {
            dut.check("count_o", count)?;
        }
        self.count = self.model.step(counted, asked);
        dut.clock();
        Ok(())
    }

    /// All counts are as expected.
    fn read(&mut self, expected: &[u32]) -> Checked {
        for _ in 0..RETURNS {
            self.clock(None, None)?;
        }
        for (position, count) in expected.iter().enumerate() {
            // Higher bits than the memory has are not looked at.
            let beyond = self.rng.random_range(0..65536 / POSITIONS) * POSITIONS;
            self.clock(None, Some(beyond + position))?;
            if self.count != Some(*count) {
                let text = format!("count {position} is {:?}, expected {count}", self.count);
                return Err(self.dut.message(&text));
            }
        }
        self.clock(None, None)
    }
}

/// Results of a command of so many groups and positions.
fn results(groups: usize, size: usize, rng: &mut ChaCha8Rng) -> VecDeque<Counted> {
    let zeros = f64::from(rng.random_range(0..=4)) / 4.0;
    let mut results = VecDeque::new();
    for at in 0..groups * size {
        let byte = |_| match rng.random_bool(zeros) {
            true => 0,
            false => [rng.random(), 0x80, 1][rng.random_range(0..3)],
        };
        results.push_back(Counted {
            bytes: (0..LANES).map(byte).collect(),
            group_last: (at + 1) % size == 0,
            last: at + 1 == groups * size,
        });
    }
    results
}

fn random_maps(sources: &Sources, seed: u64) -> Checked<Coverage> {
    let dut = Dut::new(sources, seed);
    let mut bench = Bench {
        rng: dut.rng(),
        dut,
        model: CensusModel::new(POSITIONS),
        count: None,
    };
    let mut coverage = Coverage::default();
    for _ in 0..60 {
        let rng = &mut bench.rng;
        let size = [1, 2, RETURNS, 5, 200, POSITIONS][rng.random_range(0..6)];
        let groups = match size {
            1 => [1, 2, 600][rng.random_range(0..3)],
            _ => rng.random_range(1..6),
        };
        let share = [1.0, 0.5][rng.random_range(0..2)];
        let mut results = results(groups, size, rng);
        let mut expected = vec![0; size];
        for (at, counted) in results.iter().enumerate() {
            let number = counted.bytes.iter().filter(|byte| **byte != 0).count();
            expected[at % size] += number as u32;
        }
        coverage.event("one group", groups == 1);
        coverage.event("as many positions as counts", size == POSITIONS);
        coverage.event("positions of no value", expected.contains(&0));
        coverage.event("more than a count holds", expected[0] > 4095);
        for count in &mut expected {
            *count %= 4096;
        }
        let (mut at, mut came, mut cycle) = (0, vec![0; size], RETURNS);
        let mut gap = false;
        while !results.is_empty() {
            let may_come = cycle >= came[at] + RETURNS || at == 0 && cycle == RETURNS;
            let comes = may_come && bench.rng.random_bool(share);
            let counted = results.front().filter(|_| comes).cloned();
            bench.clock(counted.as_ref(), None)?;
            if comes {
                coverage.event("a position again after 4 cycles", {
                    came[at] > 0 && cycle == came[at] + RETURNS
                });
                coverage.event("results behind a gap", gap);
                came[at] = cycle;
                at = (at + 1) % size;
                results.pop_front();
            }
            gap = !comes;
            cycle += 1;
        }
        // The next command may come at once.
        if bench.rng.random_bool(0.7) {
            bench.read(&expected)?;
        }
    }
    Ok(coverage)
}

#[proves("FSA-16")]
#[test]
fn results_that_are_not_zero_are_counted_for_each_position() {
    run_seeds(|seed| random_maps(&CENSUS, seed));
}

#[test]
fn faults_of_a_census_are_noticed() {
    let mutants = r"
        // The second group stores as the first one did.
        heddle_sparse_census: last_i | (first_q & !group_last_i) => last_i | first_q
        // The next command adds to the counts of the one before.
        heddle_sparse_census: last_i | (first_q & !group_last_i) => first_q & !group_last_i
        // Positions go on behind a group.
        heddle_sparse_census: if (group_last_i) => if (1'b0)
        // A count is that of the position behind.
        heddle_sparse_census: addr_q[39:32] => addr_q[23:16]
        // A byte of 128 is none.
        heddle_sparse_census: |byte_i[8*i+:8] => |byte_i[8*i+:7]";
    check_mutants(&CENSUS, &faults(mutants), random_maps);
}
