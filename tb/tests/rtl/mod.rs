//! What the tests of emitted Verilog share: emitting, verilating, pins by name, coverage.
mod cells;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use heddle_gen::{Design, Direction, EmitOptions, TextStyle, emit};
use heddle_tb::verilate::{Options, Port, Sources, XInitial, build_shared};
use heddle_tb::{Model, PortId};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rust_hdl_core::prelude::Block;

/// Result of a comparison; the error is the whole message.
pub type Checked<T = ()> = Result<T, String>;

/// A result that must be good.
pub trait OrPanic<T> {
    /// # Panics
    /// With the error as its message.
    fn or_panic(self) -> T;
}

impl<T, E: std::fmt::Display> OrPanic<T> for Result<T, E> {
    #[track_caller]
    fn or_panic(self) -> T {
        match self {
            Ok(value) => value,
            Err(message) => panic!("{message}"),
        }
    }
}

pub use cells::{least, unknown};

/// Seeds of the random tests; `HEDDLE_SEED` replaces them by one.
pub fn seeds() -> Vec<u64> {
    match std::env::var("HEDDLE_SEED") {
        Ok(text) => vec![text.parse().expect("HEDDLE_SEED is a number")],
        Err(_) => vec![1, 2, 3],
    }
}

/// The Verilog of a block.
pub fn emitted(block: impl Block) -> Sources {
    emitted_as(&block, TextStyle::Structural)
}

/// The Verilog of a block with its grids in a style.
pub fn emitted_as(block: &dyn Block, style: TextStyle) -> Sources {
    sources(design(block, style), least)
}

fn design(block: &dyn Block, style: TextStyle) -> Design {
    let options = EmitOptions {
        configuration: "test".into(),
        style,
        contracts: true,
        ..EmitOptions::default()
    };
    emit(block, &options).or_panic()
}

/// The files of a design, each text changed by `text`, which gets its name too.
pub fn sources(design: Design, text: impl Fn(&str, &str) -> String) -> Sources {
    let files = design.verilog().into_iter();
    Sources {
        files: files
            .map(|(name, old)| (name.clone(), text(&name, &old)))
            .collect(),
        top: design.top,
        ports: Vec::new(),
    }
}

/// The design without its contracts: what breaks them on purpose, or has a fault that the test has to see.
pub fn unchecked(mut sources: Sources) -> Sources {
    for (_, text) in &mut sources.files {
        *text = text.replace("`ifdef HEDDLE_ASSERT", NEVER);
    }
    sources
}

/// In front of the contracts of a design that is built without them.
const NEVER: &str = "`ifdef HEDDLE_NEVER";

/// The design with every `from` in the first file that begins with `module` replaced.
pub fn mutated(sources: &Sources, module: &str, from: &str, to: &str) -> Sources {
    let mut mutant = sources.clone();
    let file = mutant
        .files
        .iter_mut()
        .find(|(name, text)| is_of(name, module) && text.contains(from))
        .unwrap_or_else(|| panic!("no file of {module} has \"{from}\""));
    file.1 = file.1.replace(from, to);
    unchecked(mutant)
}

/// A file holds a module whose name begins so; with `.v` at the end nothing but the hash of its text comes behind.
fn is_of(file: &str, module: &str) -> bool {
    match module.strip_suffix(".v") {
        None => file.starts_with(module),
        Some(module) => {
            let hash = file
                .strip_prefix(module)
                .and_then(|rest| rest.strip_suffix(".v"));
            hash.is_some_and(|hash| hash.len() == 9 && hash.starts_with('_'))
        }
    }
}

/// The library of a design. Runs are short: more is won by building sooner than by running faster. A fault shows itself
/// within a few clocks.
pub fn built(sources: &Sources, x_initial: XInitial) -> PathBuf {
    /// A lock for each design: equal ones are built once, different ones side by side.
    static BUILDING: Mutex<BTreeMap<String, Arc<Mutex<()>>>> = Mutex::new(BTreeMap::new());
    let options = Options {
        opt_level: u8::from(!sources.files.iter().any(|(_, text)| text.contains(NEVER))),
        x_initial,
        ..Options::default()
    };
    let free = "nothing panics with the lock";
    let turn = BUILDING
        .lock()
        .expect(free)
        .entry(sources.top.clone())
        .or_default()
        .clone();
    let _turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
    build_shared(sources, &options).or_panic()
}

/// A model of a block's Verilog whose registers start with 0, as in the rust-hdl simulator. The ports
/// that the emitter names must be those of the text.
pub fn model(block: &dyn Block) -> Model {
    let design = design(block, TextStyle::Structural);
    let port = |port: &heddle_gen::Port| Port {
        name: port.name.clone(),
        width: port.width as u32,
        output: port.direction == Direction::Output,
    };
    let ports = design.top_module().ports.iter().map(port).collect();
    // As in the rust-hdl simulator, memories hold their words; hosts may do what no host does.
    let mut sources = unchecked(sources(design, |_, text| text.into()));
    sources.ports = ports;
    let library = built(&sources, XInitial::Zero);
    Model::load(&library).or_panic()
}

/// A verilated design under test. Registers without reset and memories start with random bits.
pub struct Dut {
    model: Model,
    ports: BTreeMap<String, PortId>,
    seed: u64,
    cycle: u64,
}

impl Dut {
    /// Builds (or finds) the design and takes it out of reset.
    pub fn new(sources: &Sources, seed: u64) -> Self {
        let model =
            Model::load_with(&built(sources, XInitial::Unique), Some(seed as u32)).or_panic();
        let ports = model
            .ports()
            .map(|(id, name, _, _)| (name.to_string(), id))
            .collect();
        let mut dut = Self {
            model,
            ports,
            seed,
            cycle: 0,
        };
        if dut.ports.contains_key("rst_n") {
            dut.set("rst_n", false);
            dut.model.cycles(2);
            dut.set("rst_n", true);
        }
        dut
    }

    /// A random generator for stimulus that belongs to this design's seed.
    pub fn rng(&self) -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(self.seed)
    }

    #[track_caller]
    fn port(&self, name: &str) -> PortId {
        match self.ports.get(name) {
            Some(port) => *port,
            None => panic!("{} has no port {name}", self.model.top()),
        }
    }

    /// The port of a name, for access without looking it up in every cycle.
    #[track_caller]
    pub fn id(&self, name: &str) -> PortId {
        self.port(name)
    }

    /// The model, for access by port.
    pub fn model(&mut self) -> &mut Model {
        &mut self.model
    }

    /// Drives an input of at most 64 bits.
    #[track_caller]
    pub fn set(&mut self, port: &str, value: impl Into<u64>) {
        let port = self.port(port);
        self.model.set(port, value.into());
    }

    /// Drives a signed input.
    #[track_caller]
    pub fn set_signed(&mut self, port: &str, value: impl Into<i64>) {
        self.set(port, value.into() as u64);
    }

    /// Drives all elements of a packed vector; element 0 in the low bits.
    #[track_caller]
    pub fn set_all(&mut self, port: &str, values: impl ExactSizeIterator<Item = u64>) {
        let port = self.port(port);
        let width = self.model.width(port) / values.len() as u32;
        for (index, value) in values.enumerate() {
            self.model
                .set_bits(port, index as u32 * width, width, value);
        }
    }

    /// Value of a port of at most 64 bits.
    #[track_caller]
    pub fn get(&self, port: &str) -> u64 {
        self.model.get(self.port(port))
    }

    /// Element `index` of a packed vector with `count` elements.
    #[track_caller]
    pub fn get_element(&self, port: &str, index: usize, count: usize) -> u64 {
        let id = self.port(port);
        let width = self.model.width(id) / count as u32;
        self.model.get_bits(id, index as u32 * width, width)
    }

    /// Compares a port of at most 64 bits; higher bits of `expected` are ignored.
    #[track_caller]
    pub fn check(&self, port: &str, expected: impl Into<u64>) -> Checked {
        self.check_element(port, 0, 1, expected)
    }

    /// Compares element `index` of a packed vector with `count` elements.
    #[track_caller]
    pub fn check_element(
        &self,
        port: &str,
        index: usize,
        count: usize,
        expected: impl Into<u64>,
    ) -> Checked {
        let width = self.model.width(self.port(port)) / count as u32;
        let expected = expected.into() & (u64::MAX >> (64 - width));
        let found = self.get_element(port, index, count);
        if found == expected {
            return Ok(());
        }
        let place = match count {
            1 => port.to_string(),
            _ => format!("{port}[{index}]"),
        };
        Err(self.message(&format!("{place} is {found:#x}, model has {expected:#x}")))
    }

    /// Clocks since the reset.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// A message with the place in the run.
    pub fn message(&self, text: &str) -> String {
        let (top, seed, cycle) = (self.model.top(), self.seed, self.cycle);
        format!("{top}: seed {seed}, cycle {cycle}: {text}")
    }

    /// Settles outputs that follow inputs without a register.
    pub fn settle(&mut self) {
        self.model.eval();
    }

    /// Next clock cycle.
    pub fn clock(&mut self) {
        self.model.clock();
        self.cycle += 1;
    }
}

/// Counts of the events a random test must have seen.
#[derive(Debug, Default)]
pub struct Coverage {
    counts: BTreeMap<&'static str, u64>,
}

impl Coverage {
    /// Registers the event and counts it if it happened.
    pub fn event(&mut self, name: &'static str, happened: bool) {
        *self.counts.entry(name).or_default() += u64::from(happened);
    }

    /// How often an event has happened.
    pub fn count(&self, name: &str) -> u64 {
        self.counts.get(name).copied().unwrap_or_default()
    }

    /// Adds the counts of another run.
    pub fn add(&mut self, other: Self) {
        for (name, count) in other.counts {
            *self.counts.entry(name).or_default() += count;
        }
    }

    /// # Panics
    /// If an event never happened.
    #[track_caller]
    pub fn assert_complete(&self) {
        println!("events: {:?}", self.counts);
        let missing: Vec<_> = self.counts.iter().filter(|(_, n)| **n == 0).collect();
        assert!(
            missing.is_empty(),
            "events that never happened: {missing:?}"
        );
        assert!(!self.counts.is_empty(), "no event was watched");
    }
}

/// Runs a random test for every seed and checks that all events happened.
#[track_caller]
pub fn run_seeds(mut run: impl FnMut(u64) -> Checked<Coverage>) {
    let mut total = Coverage::default();
    for seed in seeds() {
        match run(seed) {
            Ok(coverage) => total.add(coverage),
            Err(message) => panic!("{message}"),
        }
    }
    if std::env::var("HEDDLE_SEED").is_err() {
        total.assert_complete();
    }
}

/// A fault to be planted in emitted text: file prefix, text, replacement.
pub type Mutant = (&'static str, &'static str, &'static str);

/// Faults as text, a line each: file prefix, colon, text, `=>`, replacement. Lines with `//` are comments.
pub fn faults(text: &'static str) -> Vec<Mutant> {
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with("//"));
    lines
        .map(|line| {
            let (module, rest) = line.split_once(": ").expect("a file and a fault");
            let (from, to) = rest.split_once(" =>").expect("a text and a replacement");
            (module, from, to.trim_start())
        })
        .collect()
}

/// Whether long runs are wanted: `scripts/test.sh --all` sets the variable.
pub fn is_slow() -> bool {
    std::env::var_os("HEDDLE_SLOW").is_some_and(|value| value == "1")
}

/// A number from a name, but for the hash at its end.
fn number_of(top: &str) -> usize {
    let name = top.rsplit_once('_').map_or(top, |(name, _)| name);
    name.bytes()
        .fold(0, |sum, byte| (31 * sum + usize::from(byte)) % 65_521)
}

/// Plants one fault after the other and checks that the test finds each with one of its seeds. Each is a
/// design of its own to build: only `scripts/test.sh --all` does all, else one is planted, always the same, and of the others the text that
/// each replaces must be there.
#[track_caller]
pub fn check_mutants<T>(
    sources: &Sources,
    mutants: &[Mutant],
    run: impl Fn(&Sources, u64) -> Checked<T>,
) {
    let always = number_of(&sources.top) % mutants.len();
    for (number, (module, from, to)) in mutants.iter().enumerate() {
        // Line breaks of a text are `\\n`.
        let mutant = mutated(sources, module, &from.replace("\\n", "\n"), to);
        if !is_slow() && number != always {
            continue;
        }
        match seeds()
            .into_iter()
            .find_map(|seed| run(&mutant, seed).err())
        {
            Some(message) => println!("\"{to}\" for \"{from}\": {message}"),
            None => panic!("{module}: \"{to}\" in place of \"{from}\" goes unnoticed"),
        }
    }
}
