//! Which data slices a word needs.

use super::Population;
use heddle_kernel::prelude::*;

/// Compares the number of non-zero units of a word with the threshold of each data slice.
///
/// # Timing
/// Combinational.
#[module(name = "sliced_select", combinational, describe)]
pub struct Select {
    /// Non-zero units of the word, by position.
    pub mask_i: [Signal<In, Bits<1>>; units],
    /// Bit k: there are more of these than threshold k, so that the word needs slice k.
    pub slice_o: [Signal<Out, Bit>; thresholds.len()],
    /// Number of non-zero units.
    pub pop_o: Signal<Out, Bits<7>>,
    #[new(Population::new(units))]
    population: Population,
    #[new(thresholds.iter().map(|t| Constant::new((*t as u64).into())).collect())]
    threshold: Vec<Constant<Bits<7>>>,
    /// For each slice: is the lower part of the number above that of the threshold?
    above: [[Signal<Local, Bit>; 8]; thresholds.len()],
    /// Units of a word, 2 to 64.
    _units: usize,
    /// One for each data slice, at most 127.
    _thresholds: Vec<usize>,
}

impl Select {
    fn describe(&self, meta: Meta) -> Meta {
        let meta = meta.param("units", "u", self._units, "units of a word");
        let thresholds = self._thresholds.iter().enumerate();
        thresholds.fold(meta, |meta, (k, t)| {
            let doc = format!("units above which slice {k} is accessed");
            meta.param(&format!("threshold{k}"), "t", *t, &doc)
        })
    }
}

#[kernel]
impl Select {
    fn update(&mut self) {
        self.population.mask_i.follow(&self.mask_i);
        for k in 0..self._thresholds.len() {
            self.above[k][0] = false;
            for b in 0..7 {
                let bit = self.population.pop_o.get_bit(b);
                if self.threshold[k].get_bit(b) {
                    self.above[k][b + 1] = self.above[k][b] & bit;
                } else {
                    self.above[k][b + 1] = self.above[k][b] | bit;
                }
            }
            self.slice_o[k].follow(&self.above[k][7]);
        }
        self.pop_o.follow(&self.population.pop_o);
    }
}
