//! Design and golden model side by side, word by word and address by address.

use heddle_arch::traverse::{UnitError, UnitShape};
use heddle_sim::traversal::{Stop, Taken, UnitElement, UnitModel};
use heddle_tb::verilate::Sources;

use super::timing::Timing;
use crate::rtl::{Checked, Dut};

/// Emitted text, sizes and options of one unit.
#[derive(Clone)]
pub struct Unit {
    pub shape: UnitShape,
    /// Two sets of registers.
    pub double: bool,
    /// Register stages of the address sum.
    pub sum_stages: u64,
    pub sources: Sources,
}

/// Inputs of one clock cycle.
#[derive(Debug, Clone, Copy)]
pub struct Inputs {
    pub word: Option<u32>,
    pub ready: bool,
    pub pause: bool,
    pub demand: bool,
    pub clear: bool,
}

/// Nothing offered, nothing in the way.
pub const FLOW: Inputs = Inputs {
    word: None,
    ready: true,
    pause: false,
    demand: true,
    clear: false,
};

/// Outputs of one clock cycle.
#[derive(Debug, Clone, Copy)]
pub struct Outputs {
    /// What became of the word, if it was taken.
    pub taken: Option<Taken>,
    /// The address waits in this cycle.
    pub address: Option<u64>,
    /// It does so for the first cycle.
    pub fresh: bool,
    pub busy: bool,
    pub error: bool,
    pub demand_ready: bool,
}

/// Design and model side by side.
pub struct Bench {
    pub dut: Dut,
    pub unit: Unit,
    pub model: UnitModel,
    pub cycle: u64,
    /// Element that waits.
    pub shown: Option<UnitElement>,
    /// Elements that have shown; whoever looks at them takes them.
    pub seen: Vec<UnitElement>,
    /// Traversals started and not ended.
    pub unfinished: u32,
    /// The first of them has shown an address.
    begun: bool,
    /// Every address must come in the very cycle promised; inputs must not stall.
    pub exact: bool,
    pub timing: Timing,
    word_stop: Option<Stop>,
    error: bool,
    head: u32,
    position: usize,
    flowing: u32,
    /// Demands heard whose addresses have not shown.
    heard: u32,
    /// Addresses that showed since the pause began.
    in_pause: u64,
}

/// Cycles without a stall in which something must happen.
const PATIENCE: u32 = 40;

impl Bench {
    pub fn new(unit: &Unit, seed: u64) -> Self {
        Self {
            dut: Dut::new(&unit.sources, seed),
            unit: unit.clone(),
            model: UnitModel::new(unit.shape),
            cycle: 0,
            shown: None,
            seen: Vec::new(),
            unfinished: 0,
            begun: false,
            exact: false,
            timing: Timing::new(unit),
            word_stop: None,
            error: false,
            head: 0,
            position: 0,
            flowing: 0,
            heard: 0,
            in_pause: 0,
        }
    }

    /// One clock cycle: drives the design, compares everything with the model.
    pub fn step(&mut self, inputs: &Inputs) -> Checked<Outputs> {
        let dut = &mut self.dut;
        dut.set("instr_valid_i", inputs.word.is_some());
        dut.set("instr_data_i", inputs.word.unwrap_or(0x0000_010c));
        dut.set("ready_i", inputs.ready);
        dut.set("pause_i", inputs.pause);
        dut.set("demand_i", inputs.demand);
        dut.set("clear_i", inputs.clear);
        dut.settle();
        let high = |name| self.dut.get(name) != 0;
        let (valid, busy, error) = (high("valid_o"), high("busy_o"), high("error_o"));
        let (word_ready, demand_ready) = (high("instr_ready_o"), high("demand_ready_o"));

        self.compare_error(error)?;
        if error && word_ready {
            return Err(self.message("a word is taken after an error"));
        }
        let fresh = self.compare_element(valid)?;
        self.watch_steps(inputs, fresh, demand_ready)?;
        let mut outputs = Outputs {
            taken: None,
            address: self.shown.as_ref().map(|e| e.address),
            fresh,
            busy,
            error,
            demand_ready,
        };
        if busy && self.unfinished == 0 && !valid {
            return Err(self.message("busy_o is high though nothing was started"));
        }
        if error && !busy && self.unfinished > 0 && self.model.next_element().is_none() {
            // It left its window behind a wrong word, whose error stays.
            (self.unfinished, self.begun, self.heard) = (0, false, 0);
        }
        if !busy && (valid || self.begun) {
            return Err(self.message("busy_o is low in a traversal"));
        }
        if inputs.ready && self.shown.take().is_some_and(|element| element.end) {
            self.unfinished -= 1;
            self.begun = false;
        }
        if let Some(word) = inputs.word.filter(|_| word_ready) {
            outputs.taken = Some(self.take(word));
        }
        self.dut.clock();
        self.cycle += 1;
        if inputs.clear {
            self.forget();
        }
        self.watch(inputs, &outputs)?;
        Ok(outputs)
    }

    /// Addresses are formed when they are demanded, and not in a pause.
    fn watch_steps(&mut self, inputs: &Inputs, fresh: bool, demand_ready: bool) -> Checked {
        if fresh && self.timing.on_demand {
            let left = self.heard.checked_sub(1);
            self.heard = left.ok_or_else(|| self.message("address without a demand"))?;
        }
        self.heard += u32::from(inputs.demand && demand_ready);
        self.in_pause = match inputs.pause {
            true => self.in_pause + u64::from(fresh),
            false => 0,
        };
        // Those that were on their way when the pause began.
        if self.in_pause > self.unit.sum_stages + 2 {
            return Err(self.message("addresses are formed in a pause"));
        }
        Ok(())
    }

    /// Something must happen soon while nothing stalls.
    fn watch(&mut self, inputs: &Inputs, outputs: &Outputs) -> Checked {
        let idle = self.at_rest() && (inputs.word.is_none() || outputs.error);
        if outputs.taken.is_some() || outputs.fresh || inputs.clear || idle {
            self.flowing = 0;
        } else {
            self.flowing += u32::from(inputs.ready && inputs.demand && !inputs.pause);
        }
        if self.flowing > PATIENCE {
            return Err(self.message("the unit hangs"));
        }
        Ok(())
    }

    /// Nothing is under way and no error is due, as far as the model knows.
    pub fn at_rest(&self) -> bool {
        self.unfinished == 0 && self.shown.is_none() && self.word_stop.is_some() == self.error
    }

    /// True if the words end in the middle of an instruction.
    pub fn in_instruction(&self) -> bool {
        self.position > 0
    }

    pub fn message(&self, text: &str) -> String {
        self.dut.message(text)
    }

    /// Clears the unit.
    pub fn clear(&mut self) -> Checked {
        let inputs = Inputs {
            clear: true,
            ..FLOW
        };
        self.step(&inputs)?;
        self.step(&FLOW).map(|_| ())
    }

    fn forget(&mut self) {
        self.model.clear();
        self.timing = Timing::new(&self.unit);
        self.shown = None;
        self.unfinished = 0;
        self.begun = false;
        self.word_stop = None;
        self.error = false;
        self.position = 0;
        self.heard = 0;
    }

    fn take(&mut self, word: u32) -> Taken {
        if self.position == 0 {
            self.head = word;
        }
        self.position += 1;
        let taken = self.model.take(word);
        match taken {
            Taken::More => {}
            Taken::Loaded => self.position = 0,
            Taken::Started => {
                self.timing.started(self.cycle, self.position, self.head);
                self.position = 0;
                self.unfinished += 1;
            }
            // Words behind a wrong one may be taken before the error shows.
            Taken::Stopped(stop) => {
                self.word_stop.get_or_insert(stop);
            }
        }
        taken
    }

    fn compare_error(&mut self, error: bool) -> Checked {
        if error == self.error && !error {
            return Ok(());
        }
        if !error {
            return Err(self.message("error_o falls without a clear"));
        }
        let found = (self.dut.get("error_code_o"), self.dut.get("error_word_o"));
        if !self.error && found == (UnitError::Address.number().into(), 0) {
            // A window that was left stops the unit even if a wrong word is about to.
            let ends = self.unfinished > 0 && self.shown.is_none();
            if !ends || self.model.next_element().is_some() {
                return Err(self.message("error ADDRESS though the next address is inside"));
            }
            let error = UnitError::Address;
            self.word_stop = Some(Stop { error, position: 0 });
            (self.unfinished, self.begun, self.heard) = (0, false, 0);
        }
        self.error = true;
        let expected = self
            .word_stop
            .map(|s| (u64::from(s.error.number()), s.position as u64));
        if expected != Some(found) {
            return Err(self.message(&format!(
                "error (code, word) is {found:?}, model has {expected:?}"
            )));
        }
        Ok(())
    }

    /// Compares the waiting address; true in its first cycle.
    fn compare_element(&mut self, valid: bool) -> Checked<bool> {
        if !valid {
            return match &self.shown {
                Some(e) => Err(self.message(&format!("address {:#x} is withdrawn", e.address))),
                None => Ok(false),
            };
        }
        let fresh = self.shown.is_none();
        if fresh {
            self.shown = self.model.next_element();
            self.seen.extend(self.shown.clone());
            if self.shown.is_none() {
                let address = self.dut.get("addr_o");
                return Err(self.message(&format!("address {address:#x} though none is due")));
            }
        }
        let e = self.shown.as_ref().expect("set above");
        self.dut.check("addr_o", e.address)?;
        self.dut.check("row_o", e.row as u64)?;
        self.dut.check("kind_o", u64::from(e.kind.number()))?;
        let bits = e.finals.iter().rev();
        let finals = bits.fold(0_u64, |all, f| all << 1 | u64::from(*f));
        self.dut.check("final_o", finals)?;
        self.dut.check("last_o", e.last)?;
        self.dut.check("end_o", e.end)?;
        if fresh {
            let due = self.timing.shown(self.cycle, !self.begun);
            self.begun = true;
            if self.exact && due != self.cycle {
                let cycle = self.cycle;
                return Err(self.message(&format!(
                    "address in cycle {cycle} of the bench, promised in {due}"
                )));
            }
        }
        Ok(fresh)
    }

    /// At the end of traffic: the unit did all it should.
    pub fn check_done(&mut self) -> Checked {
        if !self.at_rest() || self.heard > 0 || self.model.next_element().is_some() {
            return Err(self.message("the unit rests though something is due"));
        }
        Ok(())
    }
}
