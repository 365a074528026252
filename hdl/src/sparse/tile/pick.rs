//! Which value meets which weight in which round.

use heddle_kernel::prelude::*;

/// Gives each lane the number of a value and of a weight: all values with the first weight, then all with the second one, in the lanes that the first one leaves
/// free, until a round has as many weights as it may have. A pair that finds no lane comes in the next round.
///
/// # Timing
/// `start_i` in cycle T, with the numbers of values and weights: the first round is at the outputs in T+1, then one in each clock. Lanes whose
/// `queued_i` is high take no pair: they are the last ones. `ends_o` is high while what is at the outputs ends the channel; it follows `queued_i`.
#[module]
pub struct TilePick {
    /// A channel begins.
    pub start_i: Signal<In, Bit>,
    /// Its values.
    pub values_i: Signal<In, Bits<5>>,
    /// Its weights.
    pub weights_i: Signal<In, Bits<5>>,
    /// Weights that a round may have.
    pub limit_i: Signal<In, Bits<5>>,
    /// The lane takes no pair.
    pub queued_i: [Signal<In, Bit>; lanes],
    /// There is a pair for the lane.
    pub valid: [OutReg<Bit>; lanes],
    /// Number of its value.
    pub value_o: [Signal<Out, Bits<5>>; lanes],
    /// Number of its weight.
    pub weight_o: [Signal<Out, Bits<5>>; lanes],
    /// A channel is in use.
    pub busy: OutReg<Bit>,
    /// It ends.
    pub ends_o: Signal<Out, Bit>,
    /// Pairs of the lanes, and the one behind them.
    value: [Delay<Bits<6>>; lanes + 1],
    weight: [Delay<Bits<6>>; lanes + 1],
    /// Values and weights of the channel in use, and lanes divided by its values.
    values: RegData<Bits<6>>,
    weights: RegData<Bits<6>>,
    quotient: [RegData<Bits<6>>; lanes + 1],
    rest: [RegData<Bits<6>>; lanes + 1],
    /// Lanes divided by the values of the channel that begins.
    first_quotient: [Signal<Local, Bits<6>>; lanes + 1],
    first_rest: [Signal<Local, Bits<6>>; lanes + 1],
    /// The lane takes no pair, or there is none for it.
    stops: [Signal<Local, Bit>; lanes + 1],
    /// The pair with which the next round begins.
    next_value: Signal<Local, Bits<6>>,
    next_weight: Signal<Local, Bits<6>>,
    ends: Signal<Local, Bit>,
    /// Number of the value of a lane, if all had the weight of the first one, and weights behind that.
    total: [Signal<Local, Bits<6>>; lanes + 1],
    wraps: [Signal<Local, Bit>; lanes + 1],
    extra: [Signal<Local, Bits<6>>; lanes + 1],
    at_weight: [Signal<Local, Bits<6>>; lanes + 1],
    /// Pairs of a round.
    _lanes: Param<'p'>,
    /// Weights that it may have.
    _weights_max: Param<'u'>,
}

#[kernel]
impl TilePick {
    fn update(&mut self) {
        self.next();
        self.busy = self.start_i | (self.busy & !self.ends);
        self.values
            .load(self.start_i, self.values_i.get_bits::<6>(0));
        self.weights
            .load(self.start_i, self.weights_i.get_bits::<6>(0));
        for i in 0..self._lanes + 1 {
            self.divide(i);
            self.pair(i);
        }
        for i in 0..self._lanes {
            self.valid(i);
        }
    }

    /// The first pair that finds no lane.
    fn next(&mut self) {
        for i in 0..self._lanes {
            self.stops[i] = self.queued_i[i] | !self.valid[i];
            self.value_o[i] = self.value[i].get_bits::<5>(0);
            self.weight_o[i] = self.weight[i].get_bits::<5>(0);
        }
        self.stops[self._lanes] = true;
        self.next_value = self.value[self._lanes];
        self.next_weight = self.weight[self._lanes];
        for k in 0..self._lanes {
            let i = self._lanes - 1 - k;
            if self.stops[i] {
                self.next_value = self.value[i];
                self.next_weight = self.weight[i];
            }
        }
        self.ends = self.busy & ((self.next_weight == self.weights) | !self.values.any());
        self.ends_o = self.ends;
    }

    /// Quotients and rests are constants for each number of values.
    fn divide(&mut self, i: usize) {
        self.first_quotient[i] = 0.into();
        self.first_rest[i] = i.to_bits::<6>();
        for n in 1..i + 1 {
            if self.values_i == n.to_bits::<5>() {
                self.first_quotient[i] = (i / n).to_bits::<6>();
                self.first_rest[i] = (i % n).to_bits::<6>();
            }
        }
        self.quotient[i].load(self.start_i, self.first_quotient[i]);
        self.rest[i].load(self.start_i, self.first_rest[i]);
    }

    /// Lane i has the pair i behind the first one: all lanes at once.
    fn pair(&mut self, i: usize) {
        self.total[i] = self.next_value + self.rest[i];
        self.wraps[i] = self.total[i] >= self.values;
        self.extra[i] = mux(self.wraps[i], self.quotient[i] + 1, self.quotient[i]);
        self.at_weight[i] = self.next_weight + self.extra[i];
        self.value[i] = self.total[i];
        self.weight[i] = self.at_weight[i];
        if self.wraps[i] {
            self.value[i] = self.total[i] - self.values;
        }
        if self.start_i {
            self.value[i] = self.first_rest[i];
            self.weight[i] = self.first_quotient[i];
        }
    }

    fn valid(&mut self, i: usize) {
        let max = self._weights_max.to_bits::<6>();
        self.valid[i] = self.busy
            & self.values.any()
            & !self.ends
            & (self.extra[i] < self.limit_i.get_bits::<6>(0))
            & (self.extra[i] < max)
            & (self.at_weight[i] < self.weights);
        if self.start_i {
            self.valid[i] = self.values_i.any()
                & (self.first_quotient[i] < self.limit_i.get_bits::<6>(0))
                & (self.first_quotient[i] < max)
                & (self.first_quotient[i] < self.weights_i.get_bits::<6>(0));
        }
    }
}
