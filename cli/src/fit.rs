//! `heddle fit`: the memories that a network needs.

use heddle_arch::params::Params;
use heddle_compiler::fit::{Fit, Fitted, fit};
use heddle_compiler::{CompileError, Cuts, Options, compile};
use indicatif::ProgressBar;
use serde_json::{Value, json};

use crate::args::FitArgs;
use crate::failure::Failure;
use crate::{input, output, replace};

/// What is taken without a configuration.
const BASE: &str = include_str!("../../configs/tflite.json");

/// Runs the command.
pub fn run(args: &FitArgs) -> Result<(), Failure> {
    for target in [&args.output, &args.fastest].into_iter().flatten() {
        replace::check(target, replace::CONFIG)?;
    }
    let network = input::read_model(&args.model)?;
    let base = base(args)?;
    let progress = ProgressBar::new_spinner().with_message("trying configurations");
    let options = Options {
        cuts: Cuts::Nothing,
        ..Options::default()
    };
    let found = fit(&base, |params| {
        progress.inc(1);
        let compiled = compile(&network, params, &options)?;
        Ok::<_, CompileError>(compiled.program.runs.iter().map(|run| run.cycles).sum())
    });
    progress.finish_and_clear();
    let found = found.map_err(Failure::new)?;
    for (target, fitted) in [
        (&args.output, &found.smallest),
        (&args.fastest, &found.fastest),
    ] {
        if let Some(target) = target {
            let text = fitted.params.to_json() + "\n";
            replace::write(target, replace::CONFIG, text.as_bytes())?;
        }
    }
    match args.json {
        true => output::print_json(&json!({
            "network": network.name,
            "smallest": summary(&found.smallest),
            "fastest": summary(&found.fastest),
        })),
        false => output::print(&text(&network.name, &found)),
    }
}

fn base(args: &FitArgs) -> Result<Params, Failure> {
    let mut base = match &args.config {
        Some(path) => input::read_config(path)?,
        None => Params::from_json(BASE).map_err(Failure::new)?,
    };
    if let Some([rows, cols]) = args.array {
        (base.array.rows, base.array.cols) = (rows, cols);
        base.validate().map_err(Failure::new)?;
    }
    Ok(base)
}

/// The memories, and what the network takes with them.
fn sizes(fitted: &Fitted) -> [(&'static str, u64); 6] {
    let Fitted { params, cycles } = fitted;
    let buffer = &params.state_buffer;
    [
        ("state_buffer.words_per_bank", buffer.words_per_bank.into()),
        ("bytes of a partition", params.partition_bytes().into()),
        ("state_buffer.row_offsets", buffer.row_offsets.into()),
        ("column_tiles", params.column_tiles.into()),
        ("program.words", params.program.words.into()),
        ("cycles", *cycles),
    ]
}

fn summary(fitted: &Fitted) -> Value {
    let sizes = sizes(fitted);
    let sizes = sizes.map(|(name, value)| (name.to_string(), json!(value)));
    json!({
        "sizes": Value::Object(sizes.into_iter().collect()),
        "configuration": fitted.params,
    })
}

fn text(network: &str, found: &Fit) -> String {
    let mut rows = vec![["", "smallest", "fastest"].map(str::to_string).to_vec()];
    let pairs = sizes(&found.smallest)
        .into_iter()
        .zip(sizes(&found.fastest));
    rows.extend(pairs.map(|((name, smallest), (_, fastest))| {
        vec![name.to_string(), smallest.to_string(), fastest.to_string()]
    }));
    format!(
        "{network} on {} x {} processing elements, {} banks\n\n{}\n\
         smallest: the network fits, and with half of any memory it does not\n\
         fastest: more memory saves no cycles, half of any memory costs some\n",
        found.smallest.params.array.rows,
        found.smallest.params.array.cols,
        found.smallest.params.state_buffer.banks,
        output::table(&rows)
    )
}
