//! Which products go on, and which wait for the next round.

use super::waves::*;
use heddle_kernel::prelude::*;

/// Lets so many products of a sum go on in a round, and queues the others. Those that have waited go first, the one that waits longest before
/// the others; then new ones, those of earlier weights first, or of later ones.
///
/// The queue lies in the last lanes, the product that waits longest in the very last one: these lanes take no new product. So no more wait or go on than there are lanes,
/// and one always goes on: lanes less 1 are room enough.
///
/// # Timing
/// New products in cycle T, in lanes whose `queued_o` is low: those that go on are at the outputs in T+1, those that wait are queued from T+1 on.
#[module]
pub struct TileArbiter {
    /// Of new products of a sum the earlier ones wait.
    pub earlier_waits_i: Signal<In, Bit>,
    /// New products.
    pub product_i: [TileProduct<In>; lanes],
    /// The lane has a product that has waited.
    pub queued_o: [Signal<Out, Bit>; lanes],
    /// Products that go on.
    pub product_o: [TileProduct<Out>; lanes],
    /// There is a product here.
    pub busy_o: Signal<Out, Bit>,
    product: [TileProductReg; lanes],
    /// Products that wait, the one that waits longest first.
    queue: [TileProductReg; queue],
    /// What is in the lanes, and whether it has waited.
    is_old: [Signal<Local, Bit>; lanes],
    lane: [TileProduct<Local>; lanes],
    /// Another lane is of the same sum, and goes first.
    meets: [[Signal<Local, Bit>; lanes]; lanes],
    /// At least one does, two do.
    one: [Signal<Local, Bit>; lanes],
    two: [Signal<Local, Bit>; lanes],
    waits: [Signal<Local, Bit>; lanes],
    /// So many wait before the lane, if it has waited, and if it is new.
    old_at: [[Signal<Local, Bit>; queue + 1]; lanes + 1],
    new_at: [[Signal<Local, Bit>; queue + 1]; lanes + 1],
    /// It moves to this place of the queue.
    moves: [[Signal<Local, Bit>; queue]; lanes],
    busy: Signal<Local, Bit>,
    /// Lanes.
    _lanes: Param<'p'>,
    /// Products of a sum that go on in a round, 1 or 2; 0: all do.
    _limit: Param<'l'>,
    #[new((lanes - 1) * limit.min(1))]
    _queue: usize,
}

#[kernel]
impl TileArbiter {
    fn update(&mut self) {
        self.lanes();
        for j in 0..self._lanes {
            self.compare(j);
        }
        self.count();
        for k in 0..self._queue {
            self.queue(k);
        }
        self.go_on();
    }

    /// Products that have waited, and new ones.
    fn lanes(&mut self) {
        for i in 0..self._lanes {
            self.is_old[i] = false;
            self.lane[i].follow(&self.product_i[i]);
        }
        for k in 0..self._queue {
            let i = self._lanes - 1 - k;
            self.is_old[i] = self.queue[k].valid;
            if self.queue[k].valid {
                self.lane[i].follow(&self.queue[k]);
            }
        }
        self.queued_o.follow(&self.is_old);
    }

    /// A lane waits if as many as may go on are of its sum and go first.
    fn compare(&mut self, j: usize) {
        self.one[j] = false;
        self.two[j] = false;
        for i in 0..self._lanes {
            self.meets[i][j] = false;
            if i != j {
                if self._queue > 0 {
                    let is_same = self.lane[i].valid
                        & self.lane[j].valid
                        & (self.lane[i].row == self.lane[j].row)
                        & (self.lane[i].col == self.lane[j].col);
                    let both_new = !self.is_old[i] & !self.is_old[j];
                    if i < j {
                        let is_first = both_new & !self.earlier_waits_i;
                        self.meets[i][j] =
                            is_same & ((self.is_old[i] & !self.is_old[j]) | is_first);
                    } else {
                        let is_first = both_new & self.earlier_waits_i;
                        self.meets[i][j] = is_same & (self.is_old[i] | is_first);
                    }
                }
            }
            self.two[j] = self.two[j] | (self.one[j] & self.meets[i][j]);
            self.one[j] = self.one[j] | self.meets[i][j];
        }
        if self._limit > 1 {
            self.waits[j] = self.two[j];
        } else {
            self.waits[j] = self.one[j];
        }
    }

    /// How many wait before a lane: one-hot. Old ones count from the last lane down, behind them new ones from lane 0 up.
    fn count(&mut self) {
        for n in 0..self._queue + 1 {
            self.old_at[self._lanes][n] = n == 0;
        }
        for k in 0..self._lanes {
            let i = self._lanes - 1 - k;
            let waits = self.waits[i] & self.is_old[i];
            self.old_at[i][0] = self.old_at[i + 1][0] & !waits;
            for n in 0..self._queue {
                self.old_at[i][n + 1] =
                    mux(waits, self.old_at[i + 1][n], self.old_at[i + 1][n + 1]);
            }
        }
        self.new_at[0].follow(&self.old_at[0]);
        for i in 0..self._lanes {
            let waits = self.waits[i] & !self.is_old[i];
            self.new_at[i + 1][0] = self.new_at[i][0] & !waits;
            for n in 0..self._queue {
                self.new_at[i + 1][n + 1] = mux(waits, self.new_at[i][n], self.new_at[i][n + 1]);
            }
        }
    }

    fn queue(&mut self, k: usize) {
        self.queue[k].tie_low();
        for i in 0..self._lanes {
            self.moves[i][k] = mux(self.is_old[i], self.old_at[i + 1][k], self.new_at[i][k]);
            if !self.waits[i] {
                self.moves[i][k] = false;
            }
            if self.moves[i][k] {
                self.queue[k].follow(&self.lane[i]);
            }
        }
    }

    fn go_on(&mut self) {
        self.busy = false;
        for i in 0..self._lanes {
            self.product[i].valid = self.lane[i].valid & !self.waits[i];
            self.product[i].row = self.lane[i].row;
            self.product[i].col = self.lane[i].col;
            self.product[i].value = self.lane[i].value;
            self.product_o[i].follow(&self.product[i]);
            self.busy = self.busy | self.product[i].valid | self.is_old[i];
        }
        self.busy_o = self.busy;
    }
}
