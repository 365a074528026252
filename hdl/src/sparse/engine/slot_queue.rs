//! From the operand wave to the map stream of the cluster.

use crate::buffer::RowFeed;
use crate::sparse::DrainOut;
use heddle_kernel::prelude::*;

/// Takes slots from the operands of the array, where row r has its operand r cycles behind row 0, and keeps them until the cluster takes them. A slot has a
/// place before it is sent, so that the wave never waits.
///
/// # Timing
/// `sends_i` in cycle T: row r has the operand of the slot on `ports_i` in T + 10 + r. It is at the output in T + Rows + 12 at the earliest.
#[module(name = "sparse_slot_queue")]
pub struct SlotQueue {
    /// A slot is sent; only if there is room.
    pub sends_i: Signal<In, Bit>,
    /// There is room for a slot.
    pub room_o: Signal<Out, Bit>,
    /// Operands of the rows.
    pub ports_i: [RowFeed<In>; rows],
    /// A slot.
    pub map_valid_o: Signal<Out, Bit>,
    /// It is taken.
    pub map_ready_i: Signal<In, Bit>,
    /// Its bytes.
    pub map_data_o: [Signal<Out, Bits<8>>; rows],
    /// A slot is here or on its way.
    pub busy_o: Signal<Out, Bit>,
    #[new(DrainOut::new(places, halves, 1))]
    queue: DrainOut,
    /// Slots on the wave.
    sent: [Reg<Bit>; rows + 9],
    /// Row r has rows - 1 - r stages, behind those of the rows above it.
    x: [Delay<Bits<8>>; stages],
    at: [Signal<Local, Bits<8>>; stages + rows],
    half: [Signal<Local, Bits<32>>; halves],
    /// Rows.
    _rows: Param<'r'>,
    #[new((rows * rows - rows) / 2)]
    _stages: usize,
    #[new(rows.div_ceil(4))]
    _halves: usize,
    /// A slot holds its place from the cycle in which it is sent until it is read, rows + 10 cycles later at the earliest.
    #[new((rows + 13).next_power_of_two())]
    _places: usize,
}

#[kernel]
impl SlotQueue {
    fn update(&mut self) {
        self.sent.shift_in(self.sends_i);
        for i in 0..self._halves {
            self.half[i] = 0.into();
        }
        for r in 0..self._rows {
            let delay = self._rows - 1 - r;
            let first = (self._rows * self._rows - self._rows - delay * delay - delay) / 2 + r;
            self.at[first] = self.ports_i[r].x.get_bits::<8>(0);
            if !self.ports_i[r].nz {
                self.at[first] = 0.into();
            }
            for at in first..first + delay {
                let stage = at - r;
                self.x[stage] = self.at[at];
                self.at[at + 1] = self.x[stage];
            }
            self.half[r / 4] = self.half[r / 4]
                | (bit_cast::<32, 8>(self.at[first + delay]) << (8 * (r % 4)).to_bits::<5>());
        }
        self.queue.send_i = self.sends_i;
        self.room_o = self.queue.room_o;
        self.queue.valid_i = self.sent[self._rows + 8];
        self.queue.last_i = false;
        self.queue.data_i.follow(&self.half);
        self.queue.out_ready_i = self.map_ready_i;
        self.map_valid_o = self.queue.out_valid_o;
        for k in 0..self._rows {
            self.map_data_o[k] = self.queue.out_data_o[k / 4].get_bits::<8>(8 * (k % 4));
        }
        self.busy_o = self.queue.busy_o | self.queue.waits_o;
    }
}
