//! Which data slices a word needs.

use super::Population;
use crate::prelude::*;

/// Compares the number of non-zero units of a word with the threshold of each data slice.
///
/// # Timing
/// Combinational.
#[derive(LogicBlock)]
pub struct Select {
    /// Non-zero units of the word, by position.
    pub mask_i: Vec<Signal<In, Bits<1>>>,
    /// Bit k: there are more of these than threshold k, so that the word needs slice k.
    pub slice_o: Vec<Signal<Out, Bit>>,
    /// Number of non-zero units.
    pub pop_o: Signal<Out, Bits<7>>,
    population: Population,
    threshold: Vec<Constant<Bits<7>>>,
    /// For each slice: is the lower part of the number above that of the threshold?
    above: Vec<Vec<Signal<Local, Bit>>>,
    _units: usize,
    _slices: usize,
    _thresholds: Vec<usize>,
}

impl Select {
    /// The selection among `thresholds.len()` data slices for a word of `units` units.
    ///
    /// # Panics
    /// If `units` is not in 2..=64 or a threshold is above 127.
    pub fn new(units: usize, thresholds: Vec<usize>) -> Self {
        let constant = |t: &usize| {
            assert!(*t < 128, "a threshold is {t}, allowed 0 to 127");
            Constant::new((*t as u64).into())
        };
        Self {
            mask_i: v(units),
            slice_o: v(thresholds.len()),
            pop_o: Default::default(),
            population: Population::new(units),
            threshold: thresholds.iter().map(constant).collect(),
            above: thresholds.iter().map(|_| v(8)).collect(),
            _units: units,
            _slices: thresholds.len(),
            _thresholds: thresholds,
        }
    }
}

impl Logic for Select {
    #[hdl_gen]
    fn update(&mut self) {
        for j in 0..self._units {
            self.population.mask_i[j].next = self.mask_i[j].val();
        }
        for k in 0..self._slices {
            self.above[k][0].next = false;
            for b in 0..7 {
                if self.threshold[k].val().get_bit(b) {
                    self.above[k][b + 1].next =
                        self.above[k][b].val() & self.population.pop_o.val().get_bit(b);
                } else {
                    self.above[k][b + 1].next =
                        self.above[k][b].val() | self.population.pop_o.val().get_bit(b);
                }
            }
            self.slice_o[k].next = self.above[k][7].val();
        }
        self.pop_o.next = self.population.pop_o.val();
    }
    module!(|this| {
        let meta = Meta::module("sliced_select")
            .param("units", "u", this._units, "units of a word")
            .hidden("slices", this._slices, "data slices");
        let thresholds = this._thresholds.iter().enumerate();
        thresholds.fold(meta, |meta, (k, t)| {
            let doc = format!("units above which slice {k} is accessed");
            meta.param(&format!("threshold{k}"), "t", *t, &doc)
        })
    });
}
