//! From slots to entries.

use super::{LoadPick, waves::*};
use heddle_kernel::prelude::*;

/// Makes entries of the values of a slot that are not zero: lane 0 first, as many in a cycle as the wave carries. Zeros are
/// left out. A slot without an entry is not seen on the wave, unless a load begins or ends with it.
///
/// # Timing
/// Slot in cycle T, taken if `slot_ready_o` is high: its first entries are picked in T+1 and on the wave in T+3, the next ones in the
/// cycles that follow. A slot of n entries takes max(1, n / entries of the wave, rounded up) cycles, and the next slot follows
/// without a gap: `slot_ready_o` is low while more entries are left than are picked in the cycle. It follows registers alone.
#[module(name = "sparse_load")]
pub struct Load {
    /// Values of a position.
    #[new(LoadSlot::new(lanes))]
    pub slot_i: LoadSlot<In>,
    /// They are taken.
    pub slot_ready_o: Signal<Out, Bit>,
    /// Their entries.
    #[new(LoadWave::new(entries))]
    pub load_o: LoadWave<Out>,
    #[new(LoadWaveReg::new(entries))]
    load: LoadWaveReg,
    #[new(LoadPick::new(lanes))]
    pick: [LoadPick; entries],
    /// There is a slot.
    busy: RegEn<Bit>,
    value: [RegData<Bits<9>>; lanes],
    /// Lanes whose values are entries and not picked yet.
    rest: [Delay<Bit>; lanes],
    /// Row, column, list, set and end of the slot.
    row: RegData<Bits<8>>,
    col: RegData<Bits<8>>,
    list: RegData<Bits<9>>,
    set: RegData<Bits<2>>,
    last: RegData<Bit>,
    /// A load begins, and none of the slot is picked yet.
    first: Delay<Bit>,
    /// At least 1, 2, ... entries are in a block of 1, 2, 4, ... lanes, up to each lane.
    counted: [[[Signal<Local, Bit>; lanes]; entries + 1]; levels + 1],
    /// At least 1, 2, ... of all entries lie below each lane; last: there are as many.
    below: [[Signal<Local, Bit>; lanes + 1]; entries],
    /// More entries are left than are picked.
    more: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    /// What was picked.
    picked: Reg<Bit>,
    picked_count: Delay<Bits<4>>,
    picked_row: Delay<Bits<8>>,
    picked_col: Delay<Bits<8>>,
    picked_list: Delay<Bits<9>>,
    picked_set: Delay<Bits<2>>,
    picked_first: Delay<Bit>,
    picked_last: Delay<Bit>,
    picked_value: [Delay<Bits<9>>; entries],
    picked_lane: [Delay<Bits<6>>; entries],
    /// Lanes of a slot, at most 64.
    _lanes: Param<'r'>,
    /// Entries of the wave, at most 8.
    _entries: Param<'e'>,
    #[new(levels(lanes, entries))]
    _levels: usize,
}

/// Blocks of 2, 4, ... lanes until one has all of them.
///
/// # Panics
/// If a slot has no lane or more than 64, or the wave no entry or more than 8.
fn levels(lanes: usize, entries: usize) -> usize {
    assert!(
        (1..=64).contains(&lanes) && (1..=8).contains(&entries),
        "{lanes} lanes and {entries} entries, allowed 1 to 64 and 1 to 8"
    );
    lanes.next_power_of_two().ilog2() as usize
}

#[kernel]
impl Load {
    fn update(&mut self) {
        self.slot();
        self.count();
        self.pick();
        self.send();
    }

    /// A slot is taken when the last entries of the one before are picked.
    fn slot(&mut self) {
        self.more = self.counted[self._levels][self._entries][self._lanes - 1];
        self.ends = !(self.busy & self.more);
        self.slot_ready_o = self.rst_n & self.ends;
        self.busy.load(self.ends, self.slot_i.valid);
        self.row.load(self.ends, self.slot_i.row);
        self.col.load(self.ends, self.slot_i.col);
        self.list.load(self.ends, self.slot_i.list);
        self.set.load(self.ends, self.slot_i.set);
        self.last.load(self.ends, self.slot_i.last);
        self.first = self.ends & self.slot_i.first;
        for i in 0..self._lanes {
            self.value[i].load(self.ends, self.slot_i.value[i]);
            let is_left = self.rest[i] & self.below[self._entries - 1][i];
            self.rest[i] = mux(self.ends, self.slot_i.nz[i], is_left);
        }
    }

    /// Entries below each lane. Counted in blocks that join: twice the lanes are one level more.
    fn count(&mut self) {
        for i in 0..self._lanes {
            self.counted[0][0][i] = self.rest[i];
            for k in 0..self._entries {
                self.counted[0][k + 1][i] = false;
            }
        }
        for t in 0..self._levels {
            for i in 0..self._lanes {
                for k in 0..self._entries + 1 {
                    if (i >> t) % 2 == 1 {
                        self.join(t, k, i);
                    } else {
                        self.counted[t + 1][k][i] = self.counted[t][k][i];
                    }
                }
            }
        }
        for k in 0..self._entries {
            self.below[k][0] = false;
            for i in 0..self._lanes {
                self.below[k][i + 1] = self.counted[self._levels][k][i];
            }
        }
    }

    /// More than k entries up to lane i of a block of 2^t lanes and the one before: there, here, or some in each.
    fn join(&mut self, t: usize, k: usize, i: usize) {
        let before = (i >> t << t) - 1;
        self.counted[t + 1][k][i] = self.counted[t][k][i] | self.counted[t][k][before];
        for j in 0..k {
            self.counted[t + 1][k][i] = self.counted[t + 1][k][i]
                | (self.counted[t][j][i] & self.counted[t][k - 1 - j][before]);
        }
    }

    /// Entry k is the lane that has k others below it.
    fn pick(&mut self) {
        for k in 0..self._entries {
            for i in 0..self._lanes {
                self.pick[k].value_i[i] = self.value[i];
                if k == 0 {
                    self.pick[k].pick_i[i] = self.rest[i] & !self.below[0][i];
                } else {
                    self.pick[k].pick_i[i] =
                        self.rest[i] & self.below[k - 1][i] & !self.below[k][i];
                }
            }
            self.picked_value[k] = self.pick[k].value_o;
            self.picked_lane[k] = self.pick[k].lane_o;
        }
    }

    /// What is picked is told, and its lanes become lists.
    fn send(&mut self) {
        self.picked_count = 0.into();
        for k in 0..self._entries {
            if self.below[k][self._lanes] {
                self.picked_count = (k + 1).to_bits::<4>();
            }
        }
        self.picked_row = self.row;
        self.picked_col = self.col;
        self.picked_list = self.list;
        self.picked_set = self.set;
        self.picked_first = self.first;
        self.picked_last = self.last & !self.more;
        let is_seen = self.below[0][self._lanes] | self.first | self.last;
        self.picked = self.busy & is_seen;

        self.load.valid = self.picked;
        self.load.count = self.picked_count;
        self.load.row = self.picked_row;
        self.load.col = self.picked_col;
        self.load.set = self.picked_set;
        self.load.first = self.picked_first;
        self.load.last = self.picked_last;
        for k in 0..self._entries {
            self.load.value[k] = self.picked_value[k];
            self.load.list[k] = self.picked_list + bit_cast::<9, 6>(self.picked_lane[k]);
        }
        self.load_o.follow(&self.load);
    }
}
