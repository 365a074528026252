//! Whether tables can be used: by themselves, for a tensor, in a unit.

use std::collections::BTreeMap;
use std::fmt::Display;

use super::{Masks, Tables};
use crate::fault::{ConfigErrors, Fault};

/// Faults beyond this number are counted, not listed.
const LISTED_FAULTS: usize = 20;
/// Bits of a mask.
const MASK_BITS: u8 = 16;

/// Faults as they are found.
struct Faults {
    listed: Vec<Fault>,
    more: usize,
}

impl Faults {
    fn new() -> Faults {
        Faults {
            listed: Vec::new(),
            more: 0,
        }
    }

    /// Whether a further fault is only counted.
    fn full(&self) -> bool {
        self.listed.len() >= LISTED_FAULTS
    }

    /// Adds `field is value, expected allowed`.
    fn is(&mut self, field: &str, value: impl Display, allowed: impl Display) {
        self.add(field, format!("is {value}, expected {allowed}"));
    }

    fn add(&mut self, field: &str, message: String) {
        if self.full() {
            self.more += 1;
            return;
        }
        self.listed.push(Fault {
            line: None,
            field: field.to_string(),
            message: format!("{field} {message}"),
        });
    }

    fn verdict(mut self) -> Result<(), ConfigErrors> {
        if self.more > 0 {
            self.listed.push(Fault {
                line: None,
                field: String::new(),
                message: format!("{} more faults", self.more),
            });
        }
        match self.listed.is_empty() {
            true => Ok(()),
            false => Err(ConfigErrors(self.listed)),
        }
    }
}

impl Tables {
    /// Whether the tables are complete and agree with each other.
    ///
    /// # Errors
    /// All faults, each with its entry, value and what is allowed: an empty or too long list, a
    /// count out of range, two equal bases without masks (SGCR-03), lists of masks of another
    /// length than their table, a tap beyond the masks, an offset that leaves 32 bits.
    pub fn check(&self) -> Result<(), ConfigErrors> {
        let mut faults = Faults::new();
        let counts = format!("1 to {}", Tables::COUNT_MAX);
        for (field, list) in [("bases", &self.bases), ("offsets", &self.offsets)] {
            if list.is_empty() || list.len() > Tables::COUNT_MAX as usize {
                let message = format!("has {} entries, expected {counts}", list.len());
                faults.add(field, message);
            }
        }
        if !(1..=Tables::COUNT_MAX).contains(&self.outputs) {
            faults.is("outputs", self.outputs, &counts);
        }
        if self.pixels == 0 || self.bases.len() % self.pixels as usize != 0 {
            let allowed = format!("a divisor of {}, the bases", self.bases.len());
            faults.is("pixels", self.pixels, allowed);
        }
        if self.unit_shift > Tables::UNIT_SHIFT_MAX {
            let allowed = format!("0 to {}", Tables::UNIT_SHIFT_MAX);
            faults.is("unit_shift", self.unit_shift, allowed);
        }
        if let Some(base) = self.weight_base.filter(|b| *b > Tables::WEIGHT_BASE_MAX) {
            faults.is(
                "weight_base",
                base,
                format!("0 to {}", Tables::WEIGHT_BASE_MAX),
            );
        }
        match &self.masks {
            Some(masks) => self.check_masks(masks, &mut faults),
            None => self.check_distinct(&mut faults),
        }
        for (tap, distance) in self.distances().into_iter().enumerate() {
            if i32::try_from(distance).is_err() {
                let message = format!("sums to {distance}, expected {} to {}", i32::MIN, i32::MAX);
                faults.add(&format!("offsets[{tap}]"), message);
                break;
            }
        }
        faults.verdict()
    }

    fn check_masks(&self, masks: &Masks, faults: &mut Faults) {
        let lists = [
            ("masks.rows", masks.rows.len(), "bases", self.bases.len()),
            ("masks.cols", masks.cols.len(), "bases", self.bases.len()),
            (
                "masks.taps",
                masks.taps.len(),
                "offsets",
                self.offsets.len(),
            ),
        ];
        for (field, found, table, expected) in lists {
            if found != expected {
                let message =
                    format!("has {found} entries, expected {expected}, as many as {table}");
                faults.add(field, message);
            }
        }
        for (tap, (v, u)) in masks.taps.iter().enumerate() {
            for (axis, value) in [("row", *v), ("column", *u)] {
                if value >= MASK_BITS {
                    let field = format!("masks.taps[{tap}]");
                    let message = format!("has {axis} {value}, expected 0 to {}", MASK_BITS - 1);
                    faults.add(&field, message);
                }
            }
        }
    }

    /// Without masks the rows of a tensor begin at different elements.
    fn check_distinct(&self, faults: &mut Faults) {
        let mut first: BTreeMap<i32, usize> = BTreeMap::new();
        for (row, base) in self.bases.iter().enumerate() {
            if let Some(earlier) = first.get(base) {
                let allowed = format!("a base that differs from bases[{earlier}] (no masks)");
                faults.is(&format!("bases[{row}]"), base, allowed);
            } else {
                first.insert(*base, row);
            }
        }
    }

    /// Whether all operands lie in a tensor of so many bytes, counted from the origin that the
    /// unit is given (that of a group, if there are groups). Taps in the padding are not read. An
    /// operand has at least 2^unit_shift bytes; the tables do not know more about its size.
    ///
    /// # Errors
    /// Every row with an operand outside, by its first such tap; what [`Tables::check`] finds, if
    /// the tables are faulty by themselves.
    pub fn check_in(&self, tensor_bytes: u64) -> Result<(), ConfigErrors> {
        self.check()?;
        let unit = 1i128 << self.unit_shift;
        let inside = |entry: i64| {
            let address = i128::from(entry) * unit;
            address >= 0 && address + unit <= i128::from(tensor_bytes)
        };
        let distances = self.distances();
        let spans = self.spans(&distances);
        let bytes = format!("0 to {}, the tensor", i128::from(tensor_bytes) - 1);
        let mut faults = Faults::new();
        for (row, base) in self.bases.iter().enumerate() {
            let base = i64::from(*base);
            let reads = |v: &u8, u: &u8| {
                self.masks
                    .as_ref()
                    .is_none_or(|m| m.rows[row] >> v & m.cols[row] >> u & 1 == 1)
            };
            let read = spans.iter().filter(|((v, u), _)| reads(v, u));
            let mut outside = read.filter(|(_, (low, high))| {
                let last = |distance: &i64| inside(base + distance);
                !(last(low) && last(high))
            });
            if outside.next().is_none() {
                continue;
            }
            if faults.full() {
                faults.more += 1;
                continue;
            }
            let field = format!("bases[{row}]");
            let mut taps = (0..distances.len()).filter(|tap| self.reads(row, *tap));
            if let Some(tap) = taps.find(|tap| !inside(base + distances[*tap])) {
                let address = i128::from(base + distances[tap]) * unit;
                let message = format!(
                    "is {base}: tap {tap} at distance {} reads byte {address}, expected {bytes}",
                    distances[tap]
                );
                faults.add(&field, message);
            }
        }
        faults.verdict()
    }

    /// Smallest and largest distance of the taps of each filter row and column; of all taps
    /// together without masks. It spares a look at every tap of every row.
    fn spans(&self, distances: &[i64]) -> BTreeMap<(u8, u8), (i64, i64)> {
        let mut spans: BTreeMap<(u8, u8), (i64, i64)> = BTreeMap::new();
        for (tap, distance) in distances.iter().enumerate() {
            let place = self.masks.as_ref().map_or((0, 0), |masks| masks.taps[tap]);
            let span = spans.entry(place).or_insert((*distance, *distance));
            *span = (span.0.min(*distance), span.1.max(*distance));
        }
        spans
    }

    /// Whether tables of so many entries have room for both lists.
    ///
    /// # Errors
    /// The list that is too long.
    pub fn check_fits(&self, base_entries: u32, offset_entries: u32) -> Result<(), ConfigErrors> {
        let mut faults = Faults::new();
        let tables = [
            ("bases", self.bases.len(), base_entries),
            ("offsets", self.offsets.len(), offset_entries),
        ];
        for (field, found, room) in tables {
            if found > room as usize {
                let message = format!("has {found} entries, expected at most {room}, its table");
                faults.add(field, message);
            }
        }
        faults.verdict()
    }

    /// Whether a unit is built for the tables: addresses of `address_bits`, `taps` mask bits for
    /// each axis (0: no masks), and steps if `running`.
    ///
    /// # Errors
    /// The entries that are too wide, mode and taps that are not built.
    pub fn check_built(
        &self,
        address_bits: u32,
        taps: u32,
        running: bool,
    ) -> Result<(), ConfigErrors> {
        let mut faults = Faults::new();
        if self.running && !running {
            faults.is("running", true, "false: the unit has no adder for steps");
        }
        // An entry is an address or a distance in either direction: it may use all bits, unsigned,
        // or be negative by less than the address space.
        let high = (1i64 << address_bits.min(32)) - 1;
        let low = -(1i64 << (address_bits.clamp(1, 32) - 1));
        for (name, list) in [("bases", &self.bases), ("offsets", &self.offsets)] {
            let wide = |entry: &i32| !(low..=high).contains(&i64::from(*entry));
            if let Some(at) = list.iter().position(wide) {
                let allowed = format!("{low} to {high}, entries of {address_bits} bits");
                faults.is(&format!("{name}[{at}]"), list[at], allowed);
            }
        }
        if let Some(masks) = &self.masks {
            let beyond = |(v, u): &(u8, u8)| u32::from(*v.max(u)) >= taps;
            if taps == 0 {
                faults.add(
                    "masks",
                    "are there, expected none: the unit has no mask bits".into(),
                );
            } else if let Some(at) = masks.taps.iter().position(beyond) {
                let (v, u) = masks.taps[at];
                let message = format!(
                    "has row {v} and column {u}, expected 0 to {}, the mask bits of the unit",
                    taps - 1
                );
                faults.add(&format!("masks.taps[{at}]"), message);
            }
        }
        faults.verdict()
    }
}
