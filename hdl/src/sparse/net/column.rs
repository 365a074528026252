//! A column of a Benes network.

use heddle_kernel::prelude::*;

/// Switches with two ports each, `distance` apart: straight or crossed.
///
/// # Timing
/// Combinational.
#[module(combinational)]
pub struct BenesColumn {
    /// A switch is crossed; switches are counted by their lower port.
    pub cross_i: [Signal<In, Bit>; ports / 2],
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
    /// Ports, a power of two.
    _ports: Param<'n'>,
    /// From one port of a switch to the other, a power of two.
    _distance: Param<'d'>,
}

#[kernel]
impl BenesColumn {
    fn update(&mut self) {
        for pair in 0..(self._ports / 2) {
            let low = pair / self._distance * self._distance + pair;
            let high = low + self._distance;
            self.valid_o[low] = mux(self.cross_i[pair], self.valid_i[high], self.valid_i[low]);
            self.valid_o[high] = mux(self.cross_i[pair], self.valid_i[low], self.valid_i[high]);
            self.ready_o[low] = mux(self.cross_i[pair], self.ready_i[high], self.ready_i[low]);
            self.ready_o[high] = mux(self.cross_i[pair], self.ready_i[low], self.ready_i[high]);
            for k in 0..4 {
                self.word_o[low][k] = mux(
                    self.cross_i[pair],
                    self.word_i[high][k],
                    self.word_i[low][k],
                );
                self.word_o[high][k] = mux(
                    self.cross_i[pair],
                    self.word_i[low][k],
                    self.word_i[high][k],
                );
            }
        }
    }
}
