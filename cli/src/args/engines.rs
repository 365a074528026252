//! Arguments for the engines of layers.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use heddle_compiler::{EngineOptions, EnginePolicy, Rule};

/// Which layers run on the sparse cluster.
#[derive(Debug, Args)]
pub struct EngineArgs {
    /// Engine of the layers, on a machine that has the sparse cluster beside the array
    #[arg(long, default_value = "dense")]
    pub engine: EngineArg,
    /// When the input of a layer is sparse, with --engine auto: cycles (the cluster takes fewer), majority (more zeros than others),
    /// threshold=T (at least T percent zeros) or count=N (more than N zeros) [default: cycles]
    #[arg(long, value_name = "RULE", value_parser = rule)]
    pub sparse_rule: Option<Rule>,
    /// Zeros of the tensors: what heddle advise --slices --json has printed of this network; without it no layer is known to be sparse
    #[arg(long, value_name = "FILE")]
    pub zeros: Option<PathBuf>,
}

/// Value of `--engine`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EngineArg {
    /// What the rule says of each layer
    Auto,
    /// The array
    Dense,
    /// The sparse cluster for all layers that it can do
    Sparse,
}

impl From<&EngineArgs> for EngineOptions {
    fn from(args: &EngineArgs) -> Self {
        Self {
            policy: match args.engine {
                EngineArg::Auto => EnginePolicy::Auto,
                EngineArg::Dense => EnginePolicy::Dense,
                EngineArg::Sparse => EnginePolicy::Sparse,
            },
            rule: args.sparse_rule.unwrap_or_default(),
        }
    }
}

/// A rule by its name and its number.
fn rule(text: &str) -> Result<Rule, String> {
    let found = match text.split_once('=') {
        None if text == "cycles" => Some(Rule::Cycles),
        None if text == "majority" => Some(Rule::Majority),
        Some(("threshold", percent)) => {
            let percent = percent.parse().ok().filter(|percent| *percent <= 100);
            percent.map(Rule::Threshold)
        }
        Some(("count", count)) => count.parse().ok().map(Rule::Count),
        _ => None,
    };
    found.ok_or_else(|| {
        "expected cycles, majority, threshold=0 to threshold=100 or count=N".to_string()
    })
}
