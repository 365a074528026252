//! Situations that random programs bring about.

use heddle_arch::host::Counter;
use heddle_arch::isa::{CopyWords, Drain, Instruction, LoadWeights, Matmul, Reduction, RowBlock};
use heddle_arch::params::Params;
use heddle_sim::machine::Counters;

use super::watch::Seen;
use crate::machines::pair::End;
use crate::rtl::Coverage;

/// Counts what a program has brought about.
pub fn count(coverage: &mut Coverage, program: &[Instruction], seen: &Seen, params: &Params) {
    coverage.event("programs", true);
    coverage.event("halted", matches!(seen.end, End::Halt(_)));
    coverage.event("stuck", matches!(seen.end, End::Error(..)));
    coverage.event("words copied", seen.copied > 0);
    coverage.event("registers read during a run", seen.visits.registers > 0);
    coverage.event("CYCLES read during a run", seen.visits.counted > 0);
    coverage.event("a request held off", seen.visits.held_clocks > 0);
    if let End::Halt(counters) = &seen.end {
        count_waits(coverage, counters);
    }
    for instruction in program {
        let wait = instruction.wait();
        coverage.event("wait for weights", wait.weights);
        coverage.event("wait for stream", wait.stream);
        coverage.event("wait for drain", wait.drain);
        match instruction {
            Instruction::LoadWeights(LoadWeights { flip, streamed, .. }) => {
                coverage.event("words backwards", *flip > 0);
                coverage.event("streamed weights", *streamed);
            }
            Instruction::Matmul(matmul) => count_product(coverage, matmul, params),
            Instruction::Drain(drain) => count_drain(coverage, drain),
            Instruction::Copy(copy) => count_copy(coverage, copy, params),
            Instruction::Sync { .. } => {
                let named = wait.weights || wait.stream || wait.drain;
                coverage.event("SYNC that waits", named);
                coverage.event("SYNC that waits for nothing", !named);
            }
            Instruction::Halt { .. }
            | Instruction::Sparse(_)
            | Instruction::Load(_)
            | Instruction::Store(_) => {}
        }
    }
}

fn count_waits(coverage: &mut Coverage, counters: &Counters) {
    let get = |counter| counters.get(counter);
    coverage.event("stall for weights", get(Counter::StallWeights) > 0);
    coverage.event("a slot waits for sums", get(Counter::StallSums) > 0);
    coverage.event("wait", get(Counter::StallWait) > 0);
    let [weights, stream, drain, ..] = counters.waited_for();
    coverage.event("waited for the weight unit alone", weights > 0);
    coverage.event("waited for the stream unit alone", stream > 0);
    coverage.event("waited for the drain unit alone", drain > 0);
    let skipped = get(Counter::SliceReads(1)) < get(Counter::SliceReads(0));
    coverage.event("skipped slice", skipped);
}

fn count_product(coverage: &mut Coverage, matmul: &Matmul, params: &Params) {
    let blocks = || matmul.record.rows.iter();
    let has = |row| blocks().any(|block| block.row == row);
    let (first, last) = (matmul.first, matmul.last);
    let input = params.work_bytes()..params.operand_bytes();
    let starts = |block: &RowBlock| block.row == 1 && input.contains(&block.base);
    let tables = has(1) && matmul.table.is_some();
    let repeats = matmul.repeat.is_some_and(|repeat| repeat.times > 1);
    for (name, happened) in [
        ("prologue", has(0)),
        ("operands from an input bank", blocks().any(starts)),
        ("epilogue behind vectors", has(1) && has(2)),
        ("epilogue alone", !has(1)),
        ("bias kept from an earlier product", first && !has(0)),
        ("accumulates", has(1) && !first),
        ("stores", has(1) && !last),
        ("straight to post", has(1) && last),
        ("bank 1", matmul.bank),
        ("raised", has(1) && first && matmul.raised),
        ("nothing to raise", !first && matmul.raised),
        ("one row", matmul.rows == 1),
        ("repeats", repeats),
        ("repeats with vectors to post", repeats && has(1) && last),
        ("repeats with row tables", repeats && tables),
        ("row tables", tables),
        ("base below 0", blocks().any(|block| block.base > 0x8000)),
    ] {
        coverage.event(name, happened);
    }
}

fn count_drain(coverage: &mut Coverage, drain: &Drain) {
    let window = drain.pooling.map_or(0, |pooling| pooling.window);
    let place = drain.place.unwrap_or_default();
    for (name, happened) in [
        ("single rounding", drain.single),
        ("double rounding", !drain.single),
        ("dual scale", drain.dual),
        ("dual scale of windows", drain.dual && window > 1),
        ("drain of two rows", drain.record.rows.len() > 1),
        ("one column", drain.columns == 1),
        ("column tile goes on", drain.advance.is_some()),
        ("placed", place.first_column > 0),
        ("rotated", place.rotate > 0),
        ("activation", drain.activation > 0),
        ("windows of several sums", window > 1),
        ("placed windows", window > 0 && drain.place.is_some()),
    ] {
        coverage.event(name, happened);
    }
    for reduction in Reduction::ALL {
        let name = match reduction {
            Reduction::Max => "maximum",
            Reduction::Min => "minimum",
            Reduction::Sum => "sum",
            Reduction::Product => "product of a window",
            Reduction::Median => "median",
        };
        let found = drain.pooling.is_some_and(|p| p.reduction == reduction);
        coverage.event(name, found);
    }
}

fn count_copy(coverage: &mut Coverage, copy: &CopyWords, params: &Params) {
    let (from, bank) = (copy.record.rows[0].base, params.bank_bytes());
    let to = from.wrapping_add(copy.distance) & 0xffff;
    for (name, happened) in [
        ("copy to another bank", from / bank != to / bank),
        ("copy within a bank", from / bank == to / bank),
        ("copy to a word near", (8..24).contains(&copy.distance)),
        ("copy of some rows", copy.rows < params.array.rows),
    ] {
        coverage.event(name, happened);
    }
}
