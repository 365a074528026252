use std::path::PathBuf;

use crate::tool::Verilator;

/// Which wave format the model can write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Trace {
    /// No waves: the fastest build and the fastest model.
    #[default]
    None,
    /// Value change dump, readable by every viewer.
    Vcd,
    /// Compressed format of GTKWave; needs zlib, with Verilators of 2026 also lz4.
    Fst,
}

impl Trace {
    /// File extension of the format, empty for none.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Vcd => "vcd",
            Self::Fst => "fst",
        }
    }

    /// Number of the format in the model's function table.
    pub(crate) fn code(self) -> u32 {
        match self {
            Self::None => 0,
            Self::Vcd => 1,
            Self::Fst => 2,
        }
    }
}

/// What registers and memories hold before reset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum XInitial {
    /// Zero, as in the rust-hdl simulator.
    #[default]
    Zero,
    /// Chosen when the model is made: zero, or random bits from a seed. Finds state that is
    /// read before it is written.
    Unique,
}

/// How to build a model.
#[derive(Debug, Clone)]
pub struct Options {
    /// Wave format.
    pub trace: Trace,
    /// Optimisation level of the C++ compiler, 0 to 3.
    pub opt_level: u8,
    /// Value of registers before reset.
    pub x_initial: XInitial,
    /// Modules that are translated and compiled once and called by every instance, instead of being
    /// copied into each: much less to build, slower to run. Needs `make`; not for linked designs. Waves
    /// show the ports of every instance, and what lies inside only of the first one.
    pub hier_blocks: Vec<String>,
    /// Largest number of trips of a `for` loop that Verilator unrolls; the default is Verilator's.
    pub unroll_count: Option<u32>,
    /// Number of compiler processes at a time.
    pub jobs: usize,
    /// Cache folder; the default is `HEDDLE_CACHE`, `$XDG_CACHE_HOME/heddle` or `~/.cache/heddle`.
    pub cache: Option<PathBuf>,
    /// The Verilator to use; the default is found as in [`Verilator::find`].
    pub verilator: Option<Verilator>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            trace: Trace::None,
            opt_level: 2,
            x_initial: XInitial::Zero,
            hier_blocks: Vec::new(),
            unroll_count: None,
            jobs: 2,
            cache: None,
            verilator: None,
        }
    }
}

impl Options {
    /// The Verilator of these options.
    pub(crate) fn tool(&self) -> Result<Verilator, crate::VerilateError> {
        match &self.verilator {
            Some(tool) => Ok(tool.clone()),
            None => Verilator::find(),
        }
    }

    /// Verilator's arguments that depend on the options.
    pub(crate) fn verilator_args(&self) -> Vec<String> {
        let x_initial = match self.x_initial {
            XInitial::Zero => "fast",
            XInitial::Unique => "unique",
        };
        // --x-assign fast lets Verilator pick the cheapest value for X in expressions.
        let mut args = vec![
            "--cc",
            "-O3",
            "--x-assign",
            "fast",
            "--x-initial",
            x_initial,
            "--no-assert",
            // Contracts, in texts that have them.
            "-DHEDDLE_ASSERT",
            "--timescale",
            "1ns/1ns",
            // g++ takes twice as long for functions without a limit; the model is no slower.
            "--output-split-cfuncs",
            "2000",
            // Lint is a check of its own; here a warning must not stop a simulation.
            "-Wno-fatal",
        ];
        match self.trace {
            Trace::None => {}
            Trace::Vcd => args.push("--trace"),
            Trace::Fst => args.push("--trace-fst"),
        }
        let mut args: Vec<String> = args.into_iter().map(String::from).collect();
        if let Some(count) = self.unroll_count {
            args.extend(["--unroll-count".into(), count.to_string()]);
        }
        args
    }
}
