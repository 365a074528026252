//! `heddle advise --slices`: which slices suit activations from a file or of a network.

mod file;
mod report;
mod tensors;

use heddle_arch::params::Slices;
use heddle_blocks::slices::{self, Population, Ranked};
use heddle_compiler::Rows;

use crate::args::AdviseArgs;
use crate::failure::Failure;
use crate::output;

/// Unit sizes of the sliced memory, in bits.
const UNIT_BITS: [u32; 4] = [4, 8, 16, 32];
/// Word sizes of the sliced memory.
const WORD_BYTES: [u32; 4] = [4, 8, 16, 32];

/// Words of one origin, counted once for each unit size.
struct Words {
    /// Name of the tensor; empty for those of a file.
    name: String,
    populations: Vec<Population>,
}

/// All words, and what they are.
struct Source {
    /// What the words are, for the heading.
    title: String,
    word_bytes: u32,
    /// Slices of the configuration, if there is one.
    configured: Option<Slices>,
    parts: Vec<Words>,
    /// The layers of the network in the program whose tensors are counted, if they are of one.
    rows: Option<Rows>,
}

/// What was found out for all words together.
struct Advice {
    source: Source,
    populations: Vec<Population>,
    ranked: Vec<Ranked>,
    /// Saving to reach, in percent.
    target: Option<f64>,
}

/// Runs the command; false when no layout reaches the target.
pub fn run(args: &AdviseArgs) -> Result<bool, Failure> {
    let target = target(args)?;
    let source = match (&args.file, &args.config, &args.model) {
        (Some(path), _, _) => file::read(path, args)?,
        (None, Some(config), Some(model)) => tensors::run(config, model, args)?,
        _ => {
            return Err(Failure::new(
                "neither FILE nor --config and --model is given",
            ));
        }
    };
    let mut populations = populations(source.word_bytes, args)?;
    for part in &source.parts {
        for (sum, population) in populations.iter_mut().zip(&part.populations) {
            sum.merge(population);
        }
    }
    let advice = Advice {
        ranked: slices::rank(source.word_bytes, &populations),
        source,
        populations,
        target,
    };
    if args.json {
        output::print_json(&report::json(&advice))?;
    } else {
        output::print(&report::text(&advice, args.all))?;
    }
    let reached = |ranked: &Ranked| advice.reaches_target(ranked);
    Ok(target.is_none() || advice.ranked.iter().any(reached))
}

fn target(args: &AdviseArgs) -> Result<Option<f64>, Failure> {
    match args.target {
        Some(target) if !(0.0..=100.0).contains(&target) => Err(Failure::new(format!(
            "--target is {target}, expected 0 to 100 percent"
        ))),
        target => Ok(target),
    }
}

/// A population for each unit size that is asked for and leaves at least two units in a word.
fn populations(word_bytes: u32, args: &AdviseArgs) -> Result<Vec<Population>, Failure> {
    let largest = word_bytes * 8 / 2;
    let list = |sizes: &[u32]| {
        let sizes: Vec<String> = sizes.iter().map(u32::to_string).collect();
        sizes.join(", ")
    };
    let fitting: Vec<u32> = UNIT_BITS.into_iter().filter(|b| *b <= largest).collect();
    if let Some(wrong) = args.unit_bits.iter().find(|bits| !fitting.contains(bits)) {
        return Err(Failure::new(format!(
            "--unit-bits is {wrong}, expected one of {} in words of {word_bytes} bytes",
            list(&fitting)
        )));
    }
    let wanted = |bits: &u32| args.unit_bits.is_empty() || args.unit_bits.contains(bits);
    let units = fitting.into_iter().filter(wanted);
    Ok(units
        .map(|bits| Population::new(word_bytes, bits))
        .collect())
}

impl Words {
    /// No words yet; `empty` has a population for each unit size.
    fn new(name: &str, empty: &[Population]) -> Words {
        Words {
            name: name.to_string(),
            populations: empty.to_vec(),
        }
    }

    fn add(&mut self, word: &[u8]) {
        for population in &mut self.populations {
            population.add(word);
        }
    }
}

impl Advice {
    fn words(&self) -> u64 {
        self.populations.first().map_or(0, Population::total)
    }

    /// Bits that a plain memory moves for all words.
    fn plain_bits(&self) -> u64 {
        self.words() * u64::from(self.source.word_bytes) * 8
    }

    fn reaches_target(&self, ranked: &Ranked) -> bool {
        let plain = self.plain_bits() as f64;
        let limit = |target: f64| plain * (100.0 - target);
        self.target
            .is_some_and(|target| ranked.total_bits as f64 * 100.0 <= limit(target))
    }

    /// The layout with the fewest bits; `None` if a plain memory needs no more.
    fn recommended(&self) -> Option<&Ranked> {
        let best = self.ranked.first()?;
        (best.total_bits < self.plain_bits()).then_some(best)
    }
}
