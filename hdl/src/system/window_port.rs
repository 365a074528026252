//! Accesses of the register port to the memories of the engine, and its starts.

use crate::buffer::HostAnswer;
use heddle_kernel::prelude::*;

/// Holds a request of the window port until the engine takes it, and a start until nothing is under way.
///
/// One access may be under way. Address and word stay with the registers; the zero point of an access is that of its
/// request, and the address of a start that of its START. An access of before a start goes before it, a later one behind it.
///
/// # Timing
/// `read_i` or `write_i` in cycle t: `busy_o` and `valid_o` in t + 1 at the earliest. Of a read `word_o` is there when `busy_o` is
/// low. `start_i` in cycle t: `start_o` in t + 3 at the earliest. `starting_o` is high from t + 1 on until the engine runs.
#[module]
pub struct WindowPort {
    /// The engine is reset: nothing is under way.
    pub clear_i: Signal<In, Bit>,
    /// Starts the program.
    pub start_i: Signal<In, Bit>,
    /// START_PC.
    pub start_pc_i: Signal<In, Bits<16>>,
    /// Reads a word.
    pub read_i: Signal<In, Bit>,
    /// Writes a word.
    pub write_i: Signal<In, Bit>,
    /// HOST_ZERO.
    pub host_zero_i: Signal<In, Bits<8>>,
    /// An access is under way: its address and word must stay.
    pub busy: OutReg<Bit>,
    /// A start has not reached the engine yet.
    pub starting: OutReg<Bit>,
    /// An access is taken by the engine: the address may go on.
    pub taken_o: Signal<Out, Bit>,
    /// Word read, low half first.
    pub word: [OutRegData<Bits<32>>; 2],
    /// A program runs.
    pub running_i: Signal<In, Bit>,
    /// Starts the engine.
    pub start: OutReg<Bit>,
    /// Word address of the first instruction.
    pub pc: OutRegData<Bits<16>>,
    /// Request to the engine.
    pub valid_o: Signal<Out, Bit>,
    /// Write, else read.
    pub write: OutRegData<Bit>,
    /// Zero point of the access.
    pub zero: OutRegData<Bits<8>>,
    /// The engine takes the request, or would take any.
    pub host_ready_i: Signal<In, Bit>,
    /// Answer to a read.
    pub host_i: HostAnswer<In>,
    /// An access waits for the engine.
    waits: Reg<Bit>,
    /// A start comes next: no access goes before it.
    due: Reg<Bit>,
    comes: Signal<Local, Bit>,
    starts: Signal<Local, Bit>,
    half: [Signal<Local, Bits<32>>; 2],
    /// Accesses go while a program runs, and are no events of its counters: a start need not wait for them.
    _open: Feature<"dm">,
}

#[kernel]
impl WindowPort {
    fn update(&mut self) {
        self.access();
        self.start();
        self.answer();
    }

    fn access(&mut self) {
        self.comes = self.read_i | self.write_i;
        self.write.load(self.comes, self.write_i);
        self.zero.load(self.comes, self.host_zero_i);
        self.valid_o = self.waits & !self.due & !self.start;
        self.taken_o = self.valid_o & self.host_ready_i;
        self.waits = ((self.waits & !self.taken_o) | self.comes) & !self.clear_i;
        let ends = self.host_i.rvalid | (self.taken_o & self.write);
        self.busy = ((self.busy & !ends) | self.comes) & !self.clear_i;
    }

    /// A start waits until what was asked for before it has left the partitions: it clears no event that is still on its way.
    fn start(&mut self) {
        self.pc.load(self.start_i, self.start_pc_i);
        self.starting = ((self.starting & !self.running_i) | self.start_i) & !self.clear_i;
        if self._open > 0 {
            self.starts = self.due;
        } else {
            self.starts = self.due & self.host_ready_i;
        }
        let is_next = self.starting & !self.start & !self.busy;
        self.due = (self.due | is_next) & !self.starts & !self.clear_i;
        self.start = self.starts & !self.clear_i;
    }

    fn answer(&mut self) {
        for k in 0..2 {
            self.half[k] = 0.into();
            for i in 0..4 {
                self.half[k] =
                    (self.half[k] << 8) | self.host_i.rdata[4 * k + 3 - i].get_bits::<32>(0);
            }
            self.word[k].load(self.host_i.rvalid, self.half[k]);
        }
    }
}
