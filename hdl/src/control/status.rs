//! How the last program ended.

use super::code;
use heddle_arch::isa::ErrorCode;
use heddle_arch::isa::fields::status;
use heddle_kernel::prelude::*;

const WEIGHTS: u64 = 1;
const STREAM: u64 = 2;
const DRAIN: u64 = 3;
const CLUSTER: u64 = 9;

/// Keeps whether the last program is done or was stopped, by what and where.
///
/// Faults of the sequencer win over those of the units, weights before stream before drain.
///
/// # Timing
/// An event of cycle t is in `status_o` in t + 1, an error of a unit in t + 2: it has a register in front of what it stops.
#[module]
pub struct Status {
    /// A program starts: clears the status.
    pub start_i: Signal<In, Bit>,
    /// A program runs.
    pub running_i: Signal<In, Bit>,
    /// HALT is complete.
    pub halt_i: Signal<In, Bit>,
    /// The sequencer met an illegal instruction.
    pub fault_i: Signal<In, Bit>,
    /// Its error code.
    pub fault_code_i: Signal<In, Bits<8>>,
    /// Word address of the sequencer's instruction.
    pub pc_i: Signal<In, Bits<16>>,
    /// Address error of the weight unit.
    pub weights_error_i: Signal<In, Bit>,
    /// Streamed weights have passed by.
    pub lost_i: Signal<In, Bit>,
    /// Address error of the stream unit.
    pub stream_error_i: Signal<In, Bit>,
    /// Address error of the drain unit.
    pub drain_error_i: Signal<In, Bit>,
    /// A result found no drain address.
    pub underflow_i: Signal<In, Bit>,
    /// Number of the error of the sparse cluster, or 0.
    pub cluster_error_i: [Signal<In, Bits<5>>; clusters],
    /// It has something under way.
    pub cluster_busy_i: [Signal<In, Bit>; clusters],
    /// Something around the engine has failed: the program is stopped, and why is not told here.
    pub stop_i: [Signal<In, Bit>; open],
    /// Word addresses of the units' instructions: weights, stream, drain.
    pub unit_pc_i: [Signal<In, Bits<16>>; 3],
    /// A unit has failed in the cycle before.
    pub unit_error_o: Signal<Out, Bit>,
    /// The program has reached HALT.
    pub done: OutReg<Bit>,
    /// The program was stopped by an error.
    pub error: OutReg<Bit>,
    /// Where the error came from: 0 sequencer, 1 weight unit, 2 stream unit, 3 drain unit, 9 sparse cluster.
    pub source_o: [Signal<Out, Bits<4>>; watched],
    /// Bit 0 running, 1 done, 2 error, 15..8 error code, 31..16 word address of the instruction.
    pub status_o: Signal<Out, Bits<32>>,
    code: Reg<Bits<8>>,
    error_pc: Reg<Bits<16>>,
    source: [Reg<Bits<4>>; watched],
    weights_error: Reg<Bit>,
    lost: Reg<Bit>,
    stream_error: Reg<Bit>,
    drain_error: Reg<Bit>,
    underflow: Reg<Bit>,
    cluster_error: [Reg<Bits<5>>; clusters],
    unit_error: Signal<Local, Bit>,
    stopped: Signal<Local, Bit>,
    flags: Signal<Local, Bits<8>>,
    /// There is a sparse cluster.
    _clusters: Feature<"sc">,
    /// Registers around the engine show the source of an error.
    _watched: Feature<"sy">,
    /// What stands around the engine can stop it.
    _open: Feature<"dm">,
}

#[kernel]
impl Status {
    fn update(&mut self) {
        self.weights_error = self.weights_error_i;
        self.lost = self.lost_i;
        self.stream_error = self.stream_error_i;
        self.drain_error = self.drain_error_i;
        self.underflow = self.underflow_i;
        self.unit_error = (self.weights_error
            | self.lost
            | self.stream_error
            | self.drain_error
            | self.underflow)
            & self.running_i;
        for k in 0..self._clusters {
            self.cluster_error[k] = self.cluster_error_i[k];
            if self.cluster_error[k].any() & self.running_i {
                self.unit_error = true;
            }
        }
        for k in 0..self._open {
            if self.stop_i[k] & self.running_i {
                self.unit_error = true;
            }
        }
        self.unit_error_o = self.unit_error;
        self.stopped = (self.fault_i | self.unit_error) & !self.error;

        self.done = (self.done | self.halt_i) & !self.start_i;
        self.error = (self.error | self.stopped) & !self.start_i;
        self.code = self.code;
        self.error_pc = self.error_pc;
        if self.stopped {
            self.code = self.fault_code_i;
            self.error_pc = self.pc_i;
            if !self.fault_i {
                self.code = code(ErrorCode::Address).into();
                self.error_pc = self.unit_pc_i[2];
                for k in 0..self._clusters {
                    if !self.drain_error {
                        self.code = bit_cast::<8, 5>(self.cluster_error[k]);
                        self.error_pc = self.pc_i;
                    }
                }
                if self.underflow {
                    self.error_pc = self.unit_pc_i[2];
                    self.code = code(ErrorCode::DrainUnderflow).into();
                }
                if self.stream_error {
                    self.code = code(ErrorCode::Address).into();
                    self.error_pc = self.unit_pc_i[1];
                }
                if self.lost {
                    self.code = code(ErrorCode::LostWeights).into();
                    self.error_pc = self.unit_pc_i[0];
                }
                if self.weights_error {
                    self.code = code(ErrorCode::Address).into();
                    self.error_pc = self.unit_pc_i[0];
                }
            }
        }
        if self.start_i {
            self.code = 0.into();
            self.error_pc = 0.into();
        }

        self.source();

        self.flags = bits::<8>(0)
            .replace_bit(status::RUNNING.lsb, self.running_i)
            .replace_bit(status::DONE.lsb, self.done)
            .replace_bit(status::ERROR.lsb, self.error);
        for k in 0..self._clusters {
            self.flags = self
                .flags
                .replace_bit(status::CLUSTER.lsb, self.cluster_busy_i[k]);
        }
        self.status_o = (self.error_pc.get_bits::<32>(0) << status::PC.lsb.to_bits::<5>())
            | (self.code.get_bits::<32>(0) << status::CODE.lsb.to_bits::<5>())
            | self.flags.get_bits::<32>(0);
    }
    /// The same order as that of the codes.
    fn source(&mut self) {
        for k in 0..self._watched {
            self.source[k] = self.source[k];
            if self.stopped {
                self.source[k] = DRAIN.into();
                for i in 0..self._clusters {
                    if self.cluster_error[i].any() & !self.drain_error & !self.underflow {
                        self.source[k] = CLUSTER.into();
                    }
                }
                if self.stream_error {
                    self.source[k] = STREAM.into();
                }
                if self.lost | self.weights_error {
                    self.source[k] = WEIGHTS.into();
                }
                if self.fault_i {
                    self.source[k] = 0.into();
                }
            }
            if self.start_i {
                self.source[k] = 0.into();
            }
            self.source_o[k] = self.source[k];
        }
    }
}
