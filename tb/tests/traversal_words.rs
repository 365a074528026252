//! Agreement of the blocks that take instruction words with their Verilog: rust-hdl's simulator
//! against Verilator. Words are those of legal instructions, with some wrong ones among them.

use std::collections::VecDeque;

use crate::agreement::{Stimulus, agreement};
use crate::designs;
use crate::traversal_unit::records::{add_window, random_commands};
use heddle_arch::traverse::{Command, UnitShape};

/// The unit with all options.
const SHAPE: UnitShape = UnitShape {
    rows: 3,
    loops: 2,
    offset_bits: 6,
    address_bits: 10,
    equality: true,
    trips: true,
    attach: true,
    group_setup: true,
};

/// Words that are offered one by one, over a port that may not take them at once.
struct Words {
    shape: UnitShape,
    queue: VecDeque<u32>,
    offered: bool,
    /// A wrong word was found, no more are taken.
    stopped: bool,
}

impl Words {
    fn new(shape: UnitShape) -> Self {
        Self {
            shape,
            queue: VecDeque::new(),
            offered: false,
            stopped: false,
        }
    }

    /// Legal instructions; of some the first one is missing, the window is too small, a word or a
    /// length is changed, or noise follows.
    fn refill(&mut self, s: &mut Stimulus) {
        let addresses = s.below(12) + 1;
        let mut commands = random_commands(s.rng, &self.shape, addresses);
        let fault = s.below(20);
        match fault {
            0 | 1 if commands.len() > 1 => drop(commands.remove(0)),
            2 => add_window(s.rng, &self.shape, &mut commands, true),
            _ => {}
        }
        let mut words: Vec<u32> = commands.iter().flat_map(Command::encode).collect();
        let place = s.below(words.len() as u64) as usize;
        match fault {
            3 => words[place] ^= 1 << s.below(32),
            4 => words[0] ^= 0x700,
            // A loop without step, an end that is no end, or a shorter row.
            5 | 6 if place > 0 => words[place] = 0,
            7 => words.push((s.below(1 << 16) << 16 | s.below(1 << 16)) as u32),
            _ => {}
        }
        self.queue.extend(words);
    }

    /// Drives the port, and `clear_i` a little after an error and seldom at other times.
    /// `stopped`: an error shows.
    fn drive(&mut self, s: &mut Stimulus, stopped: bool) {
        if self.offered && s.previous("instr_ready_o", 0) == 1 {
            self.queue.pop_front();
        }
        self.stopped |= stopped;
        set_often(s, "clear_i", if self.stopped { 0.1 } else { 0.003 });
        if s.get("rst_n", 0) == 0 || s.get("clear_i", 0) == 1 {
            self.queue.clear();
            self.stopped = false;
        }
        if self.queue.is_empty() {
            self.refill(s);
        }
        self.offered = s.get("instr_valid_i", 0) == 1;
        if self.offered {
            s.set("instr_data_i", 0, self.queue[0].into());
        }
    }
}

/// Sets an input to 1 as often as said, else to 0.
fn set_often(s: &mut Stimulus, name: &str, probability: f64) {
    let value = s.chance(probability);
    s.set(name, 0, value.into());
}

/// Offers words; the other inputs mostly let the unit run.
fn drive_unit(s: &mut Stimulus, words: &mut Words) {
    set_often(s, "pause_i", 0.05);
    let error = s.get("error_o", 0) == 1;
    words.drive(s, error);
}

#[test]
fn traversal_unit_agrees() {
    let mut words = Words::new(SHAPE);
    let mut run = agreement("traversal_unit", designs::traversal_unit())
        .seed(43)
        .cycles(10_000)
        .drive(move |s| drive_unit(s, &mut words))
        .event("address", |s| s.is("valid_o") && s.is("ready_i"))
        .event("stall", |s| s.is("valid_o") && !s.is("ready_i"))
        .event("wrap inside a row", |s| {
            s.is("valid_o") && s.is("final_o") && !s.is("last_o")
        })
        .event("end", |s| s.is("valid_o") && s.is("end_o"))
        .event("prologue", |s| s.is("valid_o") && s.get("kind_o", 0) == 1)
        .event("epilogue", |s| s.is("valid_o") && s.get("kind_o", 0) == 2)
        .event("demand missing", |s| {
            s.is("demand_ready_o") && !s.is("demand_i")
        })
        .event("word taken while addresses leave", |s| {
            s.is("valid_o") && s.is("instr_valid_i") && s.is("instr_ready_o")
        })
        .event("clear in a traversal", |s| {
            s.is("clear_i") && s.is("valid_o")
        });
    for code in [1, 2, 3, 4, 8, 9, 10] {
        let name = format!("error {code}");
        run = run.event(&name, move |s| {
            s.is("error_o") && s.get("error_code_o", 0) == code
        });
    }
    run.check();
}
