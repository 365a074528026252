//! Where the bytes of a word go.

use crate::prelude::*;

/// Finds how the non-zero bytes of a word move when it is packed: byte k moves up by the number
/// of zero bytes above it. The move is made in three stages, by 1, by 2 and by 4 bytes, and no
/// two bytes ever meet. Unpacking makes the same moves backwards.
///
/// # Timing
/// Combinational.
#[derive(LogicBlock)]
pub struct Route {
    /// Non-zero bytes of the word, one bit per byte.
    pub mask_i: Vec<Signal<In, Bits<1>>>,
    /// Bit k: in the first stage the byte in place k moves up by 1.
    pub one_o: Vec<Signal<Out, Bit>>,
    /// Bit k: in the second stage the byte in place k moves up by 2.
    pub two_o: Vec<Signal<Out, Bit>>,
    /// Bit k: in the third stage the byte in place k moves up by 4.
    pub four_o: Vec<Signal<Out, Bit>>,

    /// Zero bytes in place k + 1.
    zeros1: Vec<Signal<Local, Bits<3>>>,
    /// Zero bytes in the 2 places above k.
    zeros2: Vec<Signal<Local, Bits<3>>>,
    /// Zero bytes in the 4 places above k.
    zeros4: Vec<Signal<Local, Bits<3>>>,
    /// Zero bytes in all places above k.
    zeros: Vec<Signal<Local, Bits<3>>>,
    one: Vec<Signal<Local, Bit>>,
    /// Byte k has to move by 2.
    two_before: Vec<Signal<Local, Bit>>,
    two: Vec<Signal<Local, Bit>>,
    /// Byte k has to move by 4.
    four_before: Vec<Signal<Local, Bit>>,
    /// The byte in place k after the first stage has to move by 4.
    four_between: Vec<Signal<Local, Bit>>,
}

impl Default for Route {
    fn default() -> Self {
        Self {
            mask_i: v(8),
            one_o: v(7),
            two_o: v(6),
            four_o: v(4),
            zeros1: v(7),
            zeros2: v(7),
            zeros4: v(7),
            zeros: v(7),
            one: v(7),
            two_before: v(6),
            two: v(6),
            four_before: v(4),
            four_between: v(4),
        }
    }
}

impl Logic for Route {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Number of zero bytes above each byte");
        for k in 0..7 {
            self.zeros1[k].next = (!self.mask_i[k + 1].val()).get_bits::<3>(0);
        }
        for k in 0..7 {
            if k < 6 {
                self.zeros2[k].next = self.zeros1[k].val() + self.zeros1[k + 1].val();
            } else {
                self.zeros2[k].next = self.zeros1[k].val();
            }
        }
        for k in 0..7 {
            if k < 5 {
                self.zeros4[k].next = self.zeros2[k].val() + self.zeros2[k + 2].val();
            } else {
                self.zeros4[k].next = self.zeros2[k].val();
            }
        }
        for k in 0..7 {
            if k < 3 {
                self.zeros[k].next = self.zeros4[k].val() + self.zeros4[k + 4].val();
            } else {
                self.zeros[k].next = self.zeros4[k].val();
            }
        }

        comment!("Moves of each byte, seen from its place in the word");
        for k in 0..7 {
            self.one[k].next = self.mask_i[k].val().get_bit(0) & self.zeros[k].val().get_bit(0);
        }
        for k in 0..6 {
            self.two_before[k].next =
                self.mask_i[k].val().get_bit(0) & self.zeros[k].val().get_bit(1);
        }
        for k in 0..4 {
            self.four_before[k].next =
                self.mask_i[k].val().get_bit(0) & self.zeros[k].val().get_bit(2);
        }

        comment!("Moves seen from the places before the second and the third stage");
        for k in 0..6 {
            if k == 0 {
                self.two[k].next = self.two_before[k].val() & !self.one[k].val();
            } else {
                self.two[k].next = (self.two_before[k].val() & !self.one[k].val())
                    | (self.two_before[k - 1].val() & self.one[k - 1].val());
            }
        }
        for k in 0..4 {
            if k == 0 {
                self.four_between[k].next = self.four_before[k].val() & !self.one[k].val();
            } else {
                self.four_between[k].next = (self.four_before[k].val() & !self.one[k].val())
                    | (self.four_before[k - 1].val() & self.one[k - 1].val());
            }
        }
        for k in 0..4 {
            if k < 2 {
                self.four_o[k].next = self.four_between[k].val() & !self.two[k].val();
            } else {
                self.four_o[k].next = (self.four_between[k].val() & !self.two[k].val())
                    | (self.four_between[k - 2].val() & self.two[k - 2].val());
            }
        }
        for k in 0..7 {
            self.one_o[k].next = self.one[k].val();
        }
        for k in 0..6 {
            self.two_o[k].next = self.two[k].val();
        }
    }
    module!(|_this| Meta::module("sliced_route"));
}
