//! How many cycles a layer takes: the clocks of `docs/isa.md`, event by event.
//!
//! In the programs of this crate weights of K tiles are loaded in the order in which products use them. A drain has
//! the addresses of one or more whole products that come after it, the first of which may also come in front; they are there in time.

use std::collections::VecDeque;

use heddle_arch::Clocks;
use heddle_arch::isa::{
    CopyWords, Instruction, LoadWeights, Loop, Matmul, ROW_EPILOGUE, ROW_TENSOR, Record,
};
use heddle_arch::params::Params;

use super::slots::{drained_slots, posted_slots};

/// Weight words of a K tile that wait for being loaded.
#[derive(Debug, Clone, Copy)]
struct Tile {
    /// Cycle of its instruction's first address.
    valid: u64,
    /// Words until the tile is loaded, or until that of the next tile comes if they are streamed.
    words: u64,
    /// Streamed words of the instruction from this tile on, in its first tile; None if they are not streamed.
    streamed: Option<u64>,
}

/// The units between two instructions; all times are cycles since the start.
#[derive(Debug, Clone, Default)]
struct Timeline {
    clocks: Clocks,
    /// From this cycle on a slot may go to post.
    post_from: u64,
    /// FETCH of the next instruction. The first word of a program takes a cycle to come.
    fetch: u64,
    tiles: VecDeque<Tile>,
    /// Last weight word taken.
    weight: Option<u64>,
    /// From this cycle on no copy is under way.
    copy_idle: u64,
    /// Last swap of weights.
    swap: Option<u64>,
    /// Last address of the stream unit, and last vector.
    stream: Option<u64>,
    vector: Option<u64>,
    /// From these cycles on a K tile can start from stored sums, and any slot.
    tile_sums: u64,
    all_sums: u64,
    /// From this cycle on the drain unit is idle.
    drain_idle: u64,
    /// Results that are still to come for the addresses of a drain.
    open: u64,
    /// Results without a drain: the first and the last of them, and how many.
    undrained: VecDeque<(u64, u64, u64)>,
}

/// Value of CYCLES after a program that ends with HALT, from a memory of its own.
pub(crate) fn cycles(instructions: &[Instruction], params: &Params) -> u64 {
    let mut timeline = Timeline {
        clocks: Clocks::of(params),
        fetch: 1,
        ..Timeline::default()
    };
    for instruction in instructions {
        timeline.run(instruction);
    }
    timeline.fetch
}

impl Timeline {
    fn run(&mut self, instruction: &Instruction) {
        let behind = |accepted: Option<u64>| accepted.map_or(0, |cycle| cycle + 1);
        // A tile that waits for its product is loaded when there is room for it.
        let waiting = self.tiles.front().map(|tile| self.loaded(tile));
        let weights_idle = behind(waiting.or(self.weight)).max(self.copy_idle);
        let stream_idle = behind(self.stream);
        let idle = match instruction {
            Instruction::Halt { .. } => weights_idle.max(stream_idle).max(self.drain_idle),
            Instruction::LoadWeights(_) => weights_idle,
            Instruction::Matmul(_) => stream_idle,
            Instruction::Drain(_) => self.drain_idle.max(self.copy_idle),
            Instruction::Copy(_) => weights_idle.max(self.drain_idle),
            // Runs with commands of the cluster depend on values: they are not counted here.
            Instruction::Sync { .. } | Instruction::Sparse(_) => 0,
            // What they wait for depends on the host's memory.
            Instruction::Load(_) | Instruction::Store(_) => 0,
        };
        let wait = instruction.wait();
        let others = [
            (wait.weights, weights_idle),
            (wait.stream, stream_idle),
            (wait.drain, self.drain_idle),
        ];
        let others = others.iter().filter(|(waits, _)| *waits);
        let idle = others.fold(idle, |idle, &(_, other)| idle.max(other));
        let head = idle.max(self.fetch + 1);
        let start = head + instruction.words() as u64;
        self.fetch = start + 1;
        let valid = start + self.clocks.first_address;
        match instruction {
            Instruction::Halt { .. } | Instruction::Sync { .. } => self.fetch = head + 1,
            Instruction::Sparse(_) | Instruction::Load(_) | Instruction::Store(_) => {}
            Instruction::Copy(CopyWords { record, .. }) => {
                let last = valid + record.rows.iter().map(|b| all_trips(&b.loops)).sum::<u64>() - 1;
                self.copy_idle = last + self.clocks.copy_idle;
            }
            Instruction::Drain(_) => match self.undrained.pop_front() {
                Some((first, last, count)) => {
                    debug_assert!(
                        valid <= first,
                        "the drain comes at {valid}, results at {first}"
                    );
                    self.drain_idle = last + self.clocks.drain_idle;
                    self.open = drained_slots(instruction)
                        .unwrap_or(0)
                        .saturating_sub(count);
                }
                None => self.open = drained_slots(instruction).unwrap_or(0),
            },
            Instruction::LoadWeights(LoadWeights {
                record,
                tile_level,
                streamed,
                ..
            }) => {
                let (words, tiles) = trips(record, 0, *tile_level);
                let behind = record.rows.iter().skip(1);
                let behind: u64 = behind.map(|block| all_trips(&block.loops)).sum();
                self.tiles.extend((0..tiles).map(|tile| Tile {
                    valid,
                    words,
                    streamed: streamed.then_some(match tile {
                        0 => words * tiles + behind,
                        _ => 0,
                    }),
                }));
            }
            Instruction::Matmul(Matmul {
                record,
                tile_level,
                repeat,
                first,
                last,
                ..
            }) => {
                let times = repeat.map_or(1, |repeat| u64::from(repeat.times));
                let mut next = valid;
                let mut first_time = None;
                for _ in 0..times {
                    next = self.rows(next, record, *tile_level, (*first, *last));
                    first_time.get_or_insert(next);
                }
                let posted = posted_slots(instruction);
                if posted > 0 {
                    let way = self.clocks.drain_address;
                    let taken = self.stream.unwrap_or(0) + way;
                    if self.open == 0 {
                        let others = posted / times - 1;
                        let first =
                            first_time.unwrap_or(next) + way - 1 - others * self.clocks.post;
                        self.undrained.push_back((first, taken, posted));
                    } else {
                        self.open = self.open.saturating_sub(posted);
                        self.drain_idle = taken + self.clocks.drain_idle;
                    }
                }
            }
        }
    }

    /// The slots of a record, from cycle `from` on: its rows in the order of their first blocks. Gives the cycle behind
    /// the last one.
    fn rows(&mut self, from: u64, record: &Record, tile_level: u32, ends: (bool, bool)) -> u64 {
        let mut next = from;
        for (at, block) in record.rows.iter().enumerate() {
            if record.rows[..at].iter().any(|other| other.row == block.row) {
                continue;
            }
            let (inner, outer) = trips(record, block.row, tile_level);
            match block.row {
                ROW_TENSOR => self.stream(next, inner, outer, ends),
                ROW_EPILOGUE => {
                    self.stream = Some(self.post(next.max(self.all_sums), inner * outer));
                }
                _ => self.stream = Some(next + inner * outer - 1),
            }
            next = self.stream.map_or(next, |last| last + 1);
        }
        next
    }

    /// K tiles of so many vectors each, from cycle `from` on. `ends`: the first one starts from the bias,
    /// the last one stores nothing.
    fn stream(&mut self, from: u64, vectors: u64, tiles: u64, ends: (bool, bool)) {
        let (from_bias, to_post) = ends;
        for tile in 0..tiles {
            let free = self.vector.map_or(0, |last| last + 1);
            let mut ready = from.max(free);
            if tile > 0 || !from_bias {
                ready = ready.max(self.tile_sums);
            }
            let armed = self.swap_in(ready);
            let begins = ready.max(armed + 1);
            let last;
            if tile + 1 == tiles && to_post {
                last = self.post(begins, vectors);
            } else {
                last = begins + vectors - 1;
                self.tile_sums = begins + self.clocks.sums;
                self.all_sums = last + self.clocks.sums;
            }
            self.vector = Some(last);
            self.stream = Some(last);
        }
    }

    /// So many slots go to post from cycle `from` on. Gives the cycle of the last one.
    fn post(&mut self, from: u64, slots: u64) -> u64 {
        let last = from.max(self.post_from) + (slots - 1) * self.clocks.post;
        self.post_from = last + self.clocks.post;
        last
    }

    /// The first cycle in which a word of the next K tile can be taken.
    fn free(&self) -> u64 {
        let crossed = self.swap.map_or(0, |swap| swap + self.clocks.swap);
        let follows = self.weight.map_or(0, |last| last + 1);
        crossed.max(follows)
    }

    /// The cycle in which the last word of the next K tile is taken.
    fn loaded(&self, tile: &Tile) -> u64 {
        tile.valid.max(self.free()) + tile.words - 1
    }

    /// The weights of the next K tile are loaded and swapped in, behind the last vector of the
    /// tile before. Its first vector could come in cycle `ready`. Gives the cycle of the swap.
    fn swap_in(&mut self, ready: u64) -> u64 {
        let tile = self.tiles.pop_front().expect("weights are loaded before");
        let swap = match tile.streamed {
            // The words begin when the vector waits.
            Some(words) if words > 0 => {
                let begins = tile.valid.max(self.free()).max(ready);
                self.weight = Some(begins + words - 1);
                begins + 1
            }
            Some(_) => self.swap.unwrap_or(0) + tile.words,
            None => {
                let loaded = self.loaded(&tile);
                self.weight = Some(loaded);
                (loaded + 1).max(self.vector.unwrap_or(0))
            }
        };
        self.swap = Some(swap);
        swap
    }
}

fn all_trips(loops: &[Loop]) -> u64 {
    let counts = loops.iter();
    counts
        .map(|values| u64::from(values.end.div_ceil(values.step)).max(1))
        .product()
}

/// Iterations of the loops of a row up to `level`, and of those outside.
fn trips(record: &Record, row: u8, level: u32) -> (u64, u64) {
    let (mut inner, mut outer) = (1, 1);
    let blocks = record.rows.iter().filter(|block| block.row == row);
    for (at, values) in (0..).zip(blocks.take(1).flat_map(|block| &block.loops)) {
        let count = u64::from(values.end.div_ceil(values.step)).max(1);
        match at <= level {
            true => inner *= count,
            false => outer *= count,
        }
    }
    (inner, outer)
}

#[cfg(test)]
mod tests {
    use heddle_arch::host::Counter;
    use heddle_arch::isa::assemble;
    use heddle_sim::machine::Machine;

    use super::*;

    /// Copies and SYNC between the instructions of products, against the golden machine.
    #[proves("PET-54")]
    #[test]
    fn cycles_with_copies_are_those_of_the_golden_machine() {
        let text = r#"{"name": "test", "array": {"rows": 4, "cols": 4},
            "traversal": {"rows": 3, "loops": 3, "offset_bits": 16, "address_bits": 16},
            "state_buffer": {"banks": 4, "words_per_bank": 64,
              "slices": {"word_bytes": 8, "widths": [4, 4]}},
            "results_buffer": {"depth": 16}, "column_tiles": 2, "program": {"words": 256}}"#;
        let params = Params::from_json(text).unwrap();
        let load = "load_weights rows=4 level=0 [row 0 base 1024]";
        let drain = "drain columns=4 tile=0 lo=0 hi=255 [row 0 base 512: 0..8 step 1]";
        let product = "matmul rows=4 first last bank=0 level=0 threshold=127 macs=16 [row 1 base 0: 0..8 step 1]";
        let copy = "copy rows=4 distance=256 [row 0 base 1536: 0..24 step 8, 0..128 step 64]";
        let short = "copy rows=2 distance=64 [row 0 base 1024]";
        let sync = "sync wait=weights";
        let programs: [&[&str]; 9] = [
            &[copy],
            &[copy, short, copy],
            &[copy, load, drain, product],
            &[load, copy, drain, product],
            &[load, drain, product, copy],
            &[load, drain, product, short, load, drain, product],
            &[copy, sync, load, drain, product],
            &[load, drain, product, "sync wait=drain", short, sync],
            &[
                "sync wait=weights wait=stream wait=drain",
                short,
                drain,
                load,
                product,
            ],
        ];
        for lines in programs {
            let text = [lines, &["halt"]].concat().join("\n");
            let list = assemble(&text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
            let words: Vec<u32> = list.iter().flat_map(|i| i.encode()).collect();
            let mut machine = Machine::new(&params);
            machine.write_program(0, &words);
            let counters = machine
                .run(0, 10_000)
                .unwrap_or_else(|e| panic!("{e}\n{text}"));
            let expected = u64::from(counters.get(Counter::Cycles));
            assert_eq!(cycles(&list, &params), expected, "{text}");
        }
    }
}
