//! Faults planted in the sides of a design, one each.

use super::{Design, Side};
use crate::rtl::{is_slow, seeds};
use std::collections::{BTreeMap, BTreeSet};

/// A fault: the variant, the module, the text and what stands there instead.
type Fault = [&'static str; 4];

/// Letters of a failure that are printed.
const SHOWN: usize = 200;

/// The faults of a list as those of scripts/mutants: variant and module, `-` text, `+` text.
fn list(text: &'static str) -> Vec<Fault> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let fault = |lines: &[&'static str]| {
        let [place, from, to] = lines else {
            panic!("a fault has three lines: {lines:?}");
        };
        let (variant, module) = place.split_once(' ').expect("variant and module");
        let from = from.strip_prefix("- ").expect("a text");
        // Nothing may take its place.
        let to = to.strip_prefix('+').expect("a text");
        [variant, module, from, to.strip_prefix(' ').unwrap_or(to)]
    };
    lines.chunks(3).map(fault).collect()
}

/// Plants faults side by side and checks that `traffic`, which gives the failures of a design with a
/// seed, finds each one, and nothing in the sides without a fault: every `sound`th fault has its
/// variant without it beside it, each variant once. Modules begin with `prefix`. The first fault of
/// each module is always planted, the others by `scripts/test.sh --all`.
#[track_caller]
pub fn check_faults<O: Clone>(
    variants: &Design<O>,
    prefix: &str,
    faults: &'static str,
    sound: usize,
    build: impl Fn(Vec<Side<O>>) -> Design<O>,
    traffic: impl Fn(&Design<O>, u64) -> Vec<(String, String)>,
) {
    let mut sides = Vec::new();
    let mut names = BTreeMap::new();
    let mut without = BTreeSet::new();
    let mut modules = BTreeSet::new();
    for (number, [variant, module, from, to]) in list(faults).into_iter().enumerate() {
        // The texts of all must be there.
        let file = format!("{variant}_heddle_{prefix}{module}");
        let mut files = variants.sources.files.iter();
        let is_there = files.any(|(name, text)| name.starts_with(&file) && text.contains(from));
        assert!(is_there, "{file} has no \"{from}\"");
        if !modules.insert(module) && !is_slow() {
            continue;
        }
        let side = &variants.sides[variants.index(variant)];
        let name = format!("fault{number}");
        names.insert(name.clone(), format!("{variant}: \"{to}\" for \"{from}\""));
        sides.push(Side {
            name,
            mutant: Some((format!("heddle_{prefix}{module}"), from, to)),
            ..side.clone()
        });
        if number % sound == 0 && without.insert(variant) {
            sides.push(side.clone());
        }
    }
    let design = build(sides);
    let mut found = BTreeMap::new();
    for seed in seeds() {
        found.extend(traffic(&design, seed));
        if found.len() == names.len() {
            break;
        }
    }
    for (name, fault) in &names {
        let failure = found.get(name).map_or("goes unnoticed", String::as_str);
        let failure: String = failure.chars().take(SHOWN).collect();
        println!("{fault}: {failure}");
    }
    // Nothing else: a side without a fault does not suffer from its neighbours.
    let found: Vec<_> = found.keys().collect();
    assert_eq!(found, names.keys().collect::<Vec<_>>());
}
