//! What the register port asks of the engine.

use crate::buffer::{HostAnswer, HostRequest};
use heddle_arch::host::{CTRL_START, Register};
use heddle_kernel::prelude::*;

const CTRL: u64 = Register::Ctrl.address() as u64;
const START_PC: u64 = Register::StartPc.address() as u64;
const HOST_ZERO: u64 = Register::HostZero.address() as u64;
const START: u64 = CTRL_START;

/// Makes requests to the host port of the engine: accesses of the window port, its two settings, and starts.
///
/// One access may be under way. Settings and starts wait behind it, so that it passes the codec with the zero point that stood when it
/// was asked for, and a start comes behind its START_PC.
///
/// # Timing
/// `read_i` or `write_i` in cycle t: `busy_o` in t + 1, the request on `host_*_o` in t + 2 at the earliest. Of a read `word_o` is there when
/// `busy_o` is low. `starting_o` is high from the clock after `start_i` until the engine runs.
#[module]
pub struct WindowPort {
    /// The engine is reset: nothing is under way, its settings are lost.
    pub clear_i: Signal<In, Bit>,
    /// Starts the program.
    pub start_i: Signal<In, Bit>,
    /// START_PC has another value.
    pub pc_changes_i: Signal<In, Bit>,
    /// START_PC.
    pub pc_i: Signal<In, Bits<16>>,
    /// HOST_ZERO has another value.
    pub zero_changes_i: Signal<In, Bit>,
    /// HOST_ZERO.
    pub zero_i: Signal<In, Bits<8>>,
    /// Reads a word.
    pub read_i: Signal<In, Bit>,
    /// Writes a word.
    pub write_i: Signal<In, Bit>,
    /// Address of the word, steady while an access is under way.
    pub addr_i: Signal<In, Bits<32>>,
    /// Word to write, low half first; steady as the address.
    pub wdata_i: [Signal<In, Bits<32>>; 2],
    /// An access is under way.
    pub busy: OutReg<Bit>,
    /// A start has not reached the engine yet.
    pub starting: OutReg<Bit>,
    /// An access is taken by the engine: the address may go on.
    pub taken_o: Signal<Out, Bit>,
    /// Word read, low half first.
    pub word: [OutRegData<Bits<32>>; 2],
    /// A program runs.
    pub running_i: Signal<In, Bit>,
    /// Request to the engine.
    pub host_o: HostRequest<Out>,
    /// The request is taken.
    pub host_ready_i: Signal<In, Bit>,
    /// Answer to a read.
    pub host_i: HostAnswer<In>,
    /// Read, write, zero point, START_PC and start that wait for their request.
    asked: [Reg<Bit>; 5],
    /// Which of them the request is for.
    sent: [Reg<Bit>; 5],
    valid: Reg<Bit>,
    write: RegData<Bit>,
    addr: RegData<Bits<32>>,
    wdata: [RegData<Bits<32>>; 2],
    /// Another request may come.
    is_free: Signal<Local, Bit>,
    comes: [Signal<Local, Bit>; 5],
    /// What it is for.
    picks: [Signal<Local, Bit>; 5],
    half: [Signal<Local, Bits<32>>; 2],
    read_half: [Signal<Local, Bits<32>>; 2],
}

#[kernel]
impl WindowPort {
    fn update(&mut self) {
        self.choose();
        self.request();
        self.progress();
    }

    /// What the next request is for: the first that waits.
    fn choose(&mut self) {
        self.is_free = !self.valid | self.host_ready_i;
        self.picks[0] = self.asked[0];
        self.picks[1] = self.asked[1] & !self.asked[0];
        self.picks[2] = self.asked[2] & !self.asked[0] & !self.asked[1];
        self.picks[3] = self.asked[3] & !self.asked[2] & !self.asked[0] & !self.asked[1];
        self.picks[4] =
            self.asked[4] & !self.asked[3] & !self.asked[2] & !self.asked[0] & !self.asked[1];
        self.comes[0] = self.read_i;
        self.comes[1] = self.write_i;
        // A value that changes in this clock comes with another request.
        self.comes[2] = self.zero_changes_i;
        self.comes[3] = self.pc_changes_i;
        self.comes[4] = self.start_i;
        for i in 0..5 {
            self.asked[i] = (self.asked[i] & !(self.is_free & self.picks[i])) | self.comes[i];
            self.sent[i] = mux(
                self.is_free,
                self.picks[i] & !self.clear_i,
                self.sent[i] & !self.clear_i,
            );
        }
        self.valid = self.picks[0] | self.picks[1] | self.picks[2] | self.picks[3] | self.picks[4];
        if !self.is_free {
            self.valid = true;
        }
        if self.clear_i {
            self.valid = false;
            // The engine forgets its settings.
            for i in 0..5 {
                self.asked[i] = (i == 2) | (i == 3);
            }
        }
    }

    /// The request, which holds until it is taken.
    fn request(&mut self) {
        self.write.load(self.is_free, !self.picks[0]);
        self.addr.load(self.is_free, self.addr_i);
        self.half[0] = self.wdata_i[0];
        self.half[1] = self.wdata_i[1];
        if self.picks[2] {
            self.addr = HOST_ZERO.into();
            self.half[0] = self.zero_i.get_bits::<32>(0);
        }
        if self.picks[3] {
            self.addr = START_PC.into();
            self.half[0] = self.pc_i.get_bits::<32>(0);
        }
        if self.picks[4] {
            self.addr = CTRL.into();
            self.half[0] = START.into();
        }
        self.wdata[0].load(self.is_free, self.half[0]);
        self.wdata[1].load(self.is_free, self.half[1]);
        self.host_o.valid = self.valid;
        self.host_o.write = self.write;
        self.host_o.addr = self.addr;
        for i in 0..4 {
            self.host_o.wdata[i] = self.wdata[0].get_bits::<8>(8 * i);
            self.host_o.wdata[i + 4] = self.wdata[1].get_bits::<8>(8 * i);
        }
    }

    /// What is under way.
    fn progress(&mut self) {
        self.taken_o = self.host_ready_i & (self.sent[0] | self.sent[1]);
        let ends = self.host_i.rvalid | (self.host_ready_i & self.sent[1]);
        self.busy = ((self.busy & !ends) | self.read_i | self.write_i) & !self.clear_i;
        self.starting = ((self.starting & !self.running_i) | self.start_i) & !self.clear_i;
        for k in 0..2 {
            self.read_half[k] = 0.into();
            for i in 0..4 {
                self.read_half[k] =
                    (self.read_half[k] << 8) | self.host_i.rdata[4 * k + 3 - i].get_bits::<32>(0);
            }
            self.word[k].load(self.host_i.rvalid, self.read_half[k]);
        }
    }
}
