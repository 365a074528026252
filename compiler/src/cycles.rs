//! How many cycles a layer takes: the clocks of `docs/isa.md`, event by event.
//!
//! In the programs of this crate weights of K tiles are loaded in the order in which products use them, and every
//! product that goes to post has a drain of its own, before or behind it, whose addresses are there in time.

use std::collections::VecDeque;

use heddle_arch::isa::{Instruction, Loop, ROW_PROLOGUE, ROW_TENSOR, Record};
use heddle_arch::params::Params;

/// From START to the first address of the unit.
const FIRST_ADDRESS: u64 = 4;

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
    rows: u64,
    cols: u64,
    /// Cycles that options add to the way of a result.
    extra: u64,
    fetch: u64,
    tiles: VecDeque<Tile>,
    /// Last weight word taken.
    weight: Option<u64>,
    /// Last swap of weights.
    swap: Option<u64>,
    /// Last address of the stream unit, and last vector.
    stream: Option<u64>,
    vector: Option<u64>,
    /// From this cycle on the drain unit is idle.
    drain_idle: u64,
    /// A drain whose results are still to come.
    open: bool,
    /// Results without a drain: the first and the last of them.
    undrained: VecDeque<(u64, u64)>,
}

/// Value of CYCLES after a program that ends with HALT.
pub(crate) fn cycles(instructions: &[Instruction], params: &Params) -> u64 {
    let mut timeline = Timeline {
        rows: params.array.rows.into(),
        cols: params.array.cols.into(),
        extra: params.post.extra_cycles().into(),
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
        let (weights_idle, stream_idle) = (behind(self.weight), behind(self.stream));
        let idle = match instruction {
            Instruction::Halt { .. } => weights_idle.max(stream_idle).max(self.drain_idle),
            Instruction::LoadWeights { .. } => weights_idle,
            Instruction::Matmul { .. } => stream_idle,
            Instruction::Drain { .. } => self.drain_idle,
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
        let valid = start + FIRST_ADDRESS;
        match instruction {
            Instruction::Halt { .. } => self.fetch = head + 1,
            Instruction::Drain { .. } => match self.undrained.pop_front() {
                Some((first, last)) => {
                    debug_assert!(
                        valid <= first,
                        "the drain comes at {valid}, results at {first}"
                    );
                    self.drain_idle = last + self.cols + self.extra + 16;
                }
                None => self.open = true,
            },
            Instruction::LoadWeights {
                record,
                tile_level,
                streamed,
                ..
            } => {
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
            Instruction::Matmul {
                record,
                tile_level,
                last,
                repeat,
                ..
            } => {
                let prologue = record.rows.iter().any(|block| block.row == ROW_PROLOGUE);
                let (vectors, tiles) = trips(record, ROW_TENSOR, *tile_level);
                let mut from = valid;
                let mut first_result = None;
                for _ in 0..repeat.map_or(1, |repeat| repeat.times) {
                    // The bias takes a slot.
                    from += u64::from(prologue);
                    self.stream(from, vectors, tiles);
                    let last = self.stream.unwrap_or(0);
                    first_result.get_or_insert(last + 1 - vectors);
                    from = last + 1;
                }
                if *last {
                    let way = self.rows + 8;
                    let taken = self.stream.unwrap_or(0) + way;
                    match std::mem::take(&mut self.open) {
                        true => self.drain_idle = taken + self.cols + self.extra + 16,
                        false => {
                            let first = first_result.unwrap_or(0) + way;
                            self.undrained.push_back((first, taken));
                        }
                    }
                }
            }
        }
    }

    /// K tiles of so many vectors each, from cycle `from` on.
    fn stream(&mut self, from: u64, vectors: u64, tiles: u64) {
        for _ in 0..tiles {
            let free = self.vector.map_or(0, |last| last + 1);
            let armed = self.swap_in(from.max(free));
            let last = from.max(free).max(armed + 1) + vectors - 1;
            self.vector = Some(last);
            self.stream = Some(last);
        }
    }

    /// The weights of the next K tile are loaded and swapped in, behind the last vector of the
    /// tile before. Its first vector could come in cycle `ready`. Gives the cycle of the swap.
    fn swap_in(&mut self, ready: u64) -> u64 {
        let tile = self.tiles.pop_front().expect("weights are loaded before");
        let crossed = self.swap.map_or(0, |swap| swap + self.cols);
        let follows = self.weight.map_or(0, |last| last + 1);
        let swap = match tile.streamed {
            // The words begin when the vector waits.
            Some(words) if words > 0 => {
                let begins = tile.valid.max(crossed).max(follows).max(ready);
                self.weight = Some(begins + words - 1);
                begins + 1
            }
            Some(_) => self.swap.unwrap_or(0) + tile.words,
            None => self.load(tile, crossed.max(follows)),
        };
        self.swap = Some(swap);
        swap
    }

    /// Loads all words of a tile, from cycle `free` on at the earliest. Gives the cycle of its swap.
    fn load(&mut self, tile: Tile, free: u64) -> u64 {
        let loaded = tile.valid.max(free) + tile.words - 1;
        self.weight = Some(loaded);
        (loaded + 1).max(self.vector.unwrap_or(0))
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
    for (at, values) in (0..).zip(blocks.flat_map(|block| &block.loops)) {
        let count = u64::from(values.end.div_ceil(values.step)).max(1);
        match at <= level {
            true => inner *= count,
            false => outer *= count,
        }
    }
    (inner, outer)
}
