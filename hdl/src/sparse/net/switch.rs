//! A network to the next port.

use super::StreamStage;
use heddle_kernel::prelude::*;

/// Brings the stream of each port to the port of the same number or to the next one. A stream whose port is taken by another waits.
///
/// # Timing
/// A word in cycle T is at the output in T+1. The bits stay as they are while there are words.
#[module(name = "sparse_switch")]
pub struct Switch {
    /// Port i + 1 takes the stream of port i.
    pub cross_i: [Signal<In, Bit>; ports - 1],
    /// There is a word.
    pub valid_i: [Signal<In, Bit>; ports],
    /// It is taken.
    pub ready_o: [Signal<Out, Bit>; ports],
    /// The word.
    pub word_i: [[Signal<In, Bits<9>>; 4]; ports],
    /// There is a word.
    pub valid_o: [Signal<Out, Bit>; ports],
    /// It is taken.
    pub ready_i: [Signal<In, Bit>; ports],
    /// The word.
    pub word_o: [[Signal<Out, Bits<9>>; 4]; ports],
    /// There are words on their way.
    pub busy_o: Signal<Out, Bit>,
    #[new(StreamStage::new(ports))]
    stage: StreamStage,
    /// The stream of this port goes to the next one; this port takes the stream of the one before.
    leaves: [Signal<Local, Bit>; ports],
    takes: [Signal<Local, Bit>; ports],
    /// Ports, from 2 on.
    _ports: Param<'n'>,
}

#[kernel]
impl Switch {
    fn update(&mut self) {
        self.leaves[self._ports - 1] = false;
        self.takes[0] = false;
        for i in 1..self._ports {
            self.leaves[i - 1] = self.cross_i[i - 1];
            self.takes[i] = self.cross_i[i - 1];
        }
        for i in 0..self._ports {
            let before = i.max(1) - 1;
            let behind = (i + 1).min(self._ports - 1);
            self.stage.valid_i[i] = mux(
                self.takes[i],
                self.valid_i[before],
                self.valid_i[i] & !self.leaves[i],
            );
            self.ready_o[i] = mux(
                self.leaves[i],
                self.stage.ready_o[behind],
                self.stage.ready_o[i] & !self.takes[i],
            );
            self.valid_o[i] = self.stage.valid_o[i];
            self.stage.ready_i[i] = self.ready_i[i];
            for k in 0..4 {
                self.stage.word_i[i][k] =
                    mux(self.takes[i], self.word_i[before][k], self.word_i[i][k]);
                self.word_o[i][k] = self.stage.word_o[i][k];
            }
        }
        self.busy_o = self.stage.busy_o;
    }
}
