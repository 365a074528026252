//! Rules of `docs/sliced.md` between the options of a sliced memory.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::fault;
use crate::fault::Fault;
use crate::params::{MaskPlace, PackNetwork, ReadOrder, SliceWrite, mask_units, units};

/// Adds the violations of all rules whose fields are free of faults.
pub(super) fn check(value: &Value, faults: &mut Vec<Fault>) {
    let sections = [
        ("/state_buffer/slices", "state_buffer.slices", true),
        ("/sliced/slices", "sliced.slices", false),
    ];
    let mut found = Vec::new();
    for (pointer, path, machine) in sections {
        let Some(section) = value.pointer(pointer) else {
            continue;
        };
        let options = Options {
            section,
            path,
            faults,
        };
        if machine {
            found.extend(options.of_the_machine());
        }
        found.extend(options.between_fields());
    }
    faults.extend(found);
}

/// The options of one memory; a field with a fault of its own is `None` in every rule.
struct Options<'a> {
    section: &'a Value,
    path: &'a str,
    faults: &'a [Fault],
}

/// What the rules of the networks need: all sizes are in units.
struct Sizes {
    units: u64,
    first: u64,
    last: u64,
    /// Slices.
    count: u64,
    mask: MaskPlace,
    /// Units of slice 0 that hold the mask.
    taken: u64,
}

impl Options<'_> {
    fn field<T: DeserializeOwned>(&self, name: &str, default: T) -> Option<T> {
        let Some(value) = self.section.get(name) else {
            return Some(default);
        };
        let field = self.name(name);
        let faulty = |fault: &Fault| {
            let rest = fault.field.strip_prefix(&field);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
        };
        if self.faults.iter().any(faulty) {
            return None;
        }
        T::deserialize(value).ok()
    }

    fn number(&self, name: &str, default: u64) -> Option<u64> {
        self.field(name, default)
    }

    fn name(&self, field: &str) -> String {
        format!("{}.{field}", self.path)
    }

    fn fault(&self, field: &str, message: String) -> Option<Fault> {
        Some(fault(&self.name(field), message))
    }

    /// What only the stand-alone memory may have.
    fn of_the_machine(&self) -> Vec<Fault> {
        let fixed = [("word_bytes", 8), ("write_threshold", 0), ("latency", 5)];
        let wrong = |(name, only): (&str, u64)| {
            let found = self.number(name, only)?;
            if found == only {
                return None;
            }
            let message = format!(
                "is {found}, expected {only}: other values are for the stand-alone memory, \
                 section sliced"
            );
            self.fault(name, message)
        };
        let mut faults: Vec<Fault> = fixed.into_iter().filter_map(wrong).collect();
        faults.extend(self.in_turn());
        faults
    }

    /// Slices in turn make the latency grow.
    fn in_turn(&self) -> Option<Fault> {
        let order = self.field("read_order", ReadOrder::default())?;
        if order == ReadOrder::Together {
            return None;
        }
        let message = "is \"in_turn\", expected \"together\": other values are for the stand-alone \
                       memory, section sliced";
        self.fault("read_order", message.to_string())
    }

    fn between_fields(&self) -> Vec<Fault> {
        let checks = [
            self.unit_bits(),
            self.widths(),
            self.hybrid(),
            self.network(),
            self.exact(),
            self.write_threshold(),
            self.read_threshold(),
            self.access_threshold(),
        ];
        checks.into_iter().flatten().collect()
    }

    /// Units of a word; `None` if there are fewer than 2.
    fn units(&self) -> Option<u64> {
        let word_bytes: u32 = self.field("word_bytes", 8)?;
        let unit_bits: u32 = self.field("unit_bits", 8)?;
        let units = units(word_bytes, unit_bits);
        (units >= 2).then_some(units.into())
    }

    fn unit_bits(&self) -> Option<Fault> {
        let word_bytes = self.number("word_bytes", 8)?;
        let unit_bits = self.number("unit_bits", 8)?;
        let largest = word_bytes * 8 / 2;
        if unit_bits <= largest {
            return None;
        }
        let message = format!(
            "is {unit_bits}, expected at most {largest} with word_bytes {word_bytes}: a word has \
             at least 2 units"
        );
        self.fault("unit_bits", message)
    }

    fn widths(&self) -> Option<Fault> {
        let units = self.units()?;
        let widths: Vec<u64> = self.field("widths", Vec::new())?;
        if widths.is_empty() || widths.iter().sum::<u64>() == units {
            return None;
        }
        let message = format!("is {widths:?}, expected a sum of {units}, the units of a word");
        self.fault("widths", message)
    }

    /// Sizes of a memory whose widths have the right sum.
    fn sizes(&self) -> Option<Sizes> {
        let units = self.units()?;
        let widths: Vec<u64> = self.field("widths", Vec::new())?;
        let unit_bits: u32 = self.field("unit_bits", 8)?;
        let mask = self.field("mask", MaskPlace::default())?;
        let (first, last) = (*widths.first()?, *widths.last()?);
        (widths.iter().sum::<u64>() == units).then_some(Sizes {
            units,
            first,
            last,
            count: widths.len() as u64,
            mask,
            taken: mask_units(units as u32, unit_bits, mask).into(),
        })
    }

    /// As [`Options::sizes`], and packed units that slice 0 holds, at least 1.
    fn packed(&self) -> Option<(Sizes, u64)> {
        let sizes = self.sizes()?;
        let packed = sizes.first.checked_sub(sizes.taken)?;
        (packed > 0).then_some((sizes, packed))
    }

    fn hybrid(&self) -> Option<Fault> {
        let sizes = self.sizes()?;
        if sizes.first > sizes.taken {
            return None;
        }
        let taken = counted(sizes.taken);
        if sizes.taken + sizes.count > sizes.units {
            let message = format!(
                "is \"hybrid\", expected \"slice\" or \"field\": of {} in {} slices the mask would take {taken}, and one \
                 more is in each slice",
                counted(sizes.units),
                sizes.count
            );
            return self.fault("mask", message);
        }
        let message = format!(
            "is {}, expected at least {} with mask \"hybrid\": the mask takes {taken} of slice 0",
            sizes.first,
            sizes.taken + 1,
        );
        self.fault("widths[0]", message)
    }

    fn network(&self) -> Option<Fault> {
        let (sizes, packed) = self.packed()?;
        let half = sizes.units / 2;
        let holds = format!("slice 0 holds {} packed", counted(packed));
        let before_last = sizes.units - sizes.last;
        let message = match self.field("network", PackNetwork::default())? {
            PackNetwork::Half if packed < half => {
                format!("is \"half\", expected \"full\": {holds}, \"half\" needs at least {half}")
            }
            PackNetwork::Split if packed > half => {
                format!("is \"split\", expected \"full\": {holds}, \"split\" needs at most {half}")
            }
            PackNetwork::Split if sizes.mask != MaskPlace::Hybrid && before_last > half => {
                format!(
                    "is \"split\", expected \"full\": the slices before the last one hold {}, \"split\" needs at most {half}",
                    counted(before_last)
                )
            }
            _ => return None,
        };
        self.fault("network", message)
    }

    fn exact(&self) -> Option<Fault> {
        let write = self.field("write", SliceWrite::default())?;
        let place = match self.field("mask", MaskPlace::default())? {
            MaskPlace::Slice => return None,
            MaskPlace::Field => "field",
            MaskPlace::Hybrid => "hybrid",
        };
        if write != SliceWrite::Exact {
            return None;
        }
        let message = format!("is \"exact\", expected \"fill\" with mask \"{place}\"");
        self.fault("write", message)
    }

    fn write_threshold(&self) -> Option<Fault> {
        let threshold = self.number("write_threshold", 0)?;
        let units = self.units()?;
        if threshold < units {
            return None;
        }
        let message = format!(
            "is {threshold}, expected 0 to {}: a word has {units} units",
            units - 1
        );
        self.fault("write_threshold", message)
    }

    fn read_threshold(&self) -> Option<Fault> {
        let read = self.number("read_threshold", 0)?;
        let write = self.number("write_threshold", 0)?;
        if read <= write {
            return None;
        }
        let message = format!("is {read}, expected at most write_threshold, {write}");
        self.fault("read_threshold", message)
    }

    fn access_threshold(&self) -> Option<Fault> {
        let (_, packed) = self.packed()?;
        let threshold = self.number("access_threshold", packed)?;
        if threshold <= packed {
            return None;
        }
        let message = format!(
            "is {threshold}, expected at most {packed}: slice 0 holds {} packed",
            counted(packed)
        );
        self.fault("access_threshold", message)
    }
}

fn counted(units: u64) -> String {
    match units {
        1 => "1 unit".to_string(),
        _ => format!("{units} units"),
    }
}
