//! `heddle fit`: the memories that a network needs.

use heddle_arch::params::Params;
use heddle_compiler::fit::{Fitted, fit};
use heddle_compiler::{Clocks, CompileError, Cuts, Options, Rows, compile};
use indicatif::ProgressBar;
use serde_json::{Value, json};

use crate::args::FitArgs;
use crate::failure::Failure;
use crate::{input, output, replace, rows};

/// What is taken without a configuration.
const BASE: &str = include_str!("../../configs/tflite.json");

/// Runs the command.
pub fn run(args: &FitArgs) -> Result<(), Failure> {
    for target in [&args.output, &args.fastest].into_iter().flatten() {
        replace::check(target, replace::CONFIG)?;
    }
    let (network, form) = input::read_either(&args.model)?;
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
    let without_left_shift = found.without_left_shift;
    let with_rows = |fitted| {
        let Fitted { params, .. } = &fitted;
        let compiled = compile(&network, params, &options).map_err(Failure::new)?;
        let networks = [&network, &*compiled.network];
        let rows = compiled.program.rows(networks, &form.exact, params);
        Ok::<_, Failure>((fitted, rows))
    };
    let [smallest, fastest] = [with_rows(found.smallest)?, with_rows(found.fastest)?];
    for (target, (fitted, _)) in [(&args.output, &smallest), (&args.fastest, &fastest)] {
        if let Some(target) = target {
            let text = fitted.params.to_json() + "\n";
            replace::write(target, replace::CONFIG, text.as_bytes())?;
        }
    }
    match args.json {
        true => output::print_json(&json!({
            "network": network.name,
            "smallest": summary(&smallest),
            "fastest": summary(&fastest),
            "cycles_without_left_shift": without_left_shift,
        })),
        false => output::print(&text(
            &network.name,
            &smallest,
            &fastest,
            without_left_shift,
        )),
    }
}

fn base(args: &FitArgs) -> Result<Params, Failure> {
    let mut base = match &args.config {
        Some(path) => input::read_config(path)?,
        None => Params::from_json(BASE).map_err(Failure::new)?,
    };
    if let Some(array) = args.array {
        base.set_array(array);
        base.validate().map_err(Failure::new)?;
    }
    Ok(base)
}

/// The memories, and what an image takes with them.
fn sizes(Fitted { params, cycles }: &Fitted, clocks: Clocks) -> [(&'static str, u64); 9] {
    let buffer = &params.state_buffer;
    [
        ("state_buffer.banks", buffer.banks.into()),
        ("state_buffer.words_per_bank", buffer.words_per_bank.into()),
        ("bytes of a partition", params.partition_bytes().into()),
        ("state_buffer.row_offsets", buffer.row_offsets.into()),
        ("column_tiles", params.column_tiles.into()),
        ("program.words", params.program.words.into()),
        ("cycles", *cycles),
        ("words of the host", clocks.host),
        ("clocks", clocks.all),
    ]
}

fn summary((fitted, rows): &(Fitted, Rows)) -> Value {
    let sizes = sizes(fitted, rows.clocks);
    let sizes = sizes.map(|(name, value)| (name.to_string(), json!(value)));
    let mut summary = json!({
        "sizes": Value::Object(sizes.into_iter().collect()),
        "cycles": fitted.cycles,
        "configuration": fitted.params,
    });
    rows::add_json(rows, &mut summary);
    summary
}

fn text(
    network: &str,
    smallest: &(Fitted, Rows),
    fastest: &(Fitted, Rows),
    without_left_shift: Option<u64>,
) -> String {
    let mut cells = vec![["", "smallest", "fastest"].map(str::to_string).to_vec()];
    let [left, right] = [smallest, fastest].map(|(fitted, rows)| sizes(fitted, rows.clocks));
    cells.extend(
        left.iter()
            .zip(right)
            .map(|((name, smallest), (_, fastest))| {
                vec![name.to_string(), smallest.to_string(), fastest.to_string()]
            }),
    );
    let tables = match smallest.1 == fastest.1 {
        true => format!("both:\n\n{}", rows::text(&smallest.1)),
        false => format!(
            "smallest:\n\n{}\nfastest:\n\n{}",
            rows::text(&smallest.1),
            rows::text(&fastest.1)
        ),
    };
    let params = &smallest.0.params;
    let left_shift = match without_left_shift {
        Some(cycles) => format!(
            "post.left_shift: no scale needs it; without it a lane of post-processing takes 28 % less LUTs, and the fastest {cycles} cycles\n"
        ),
        None => String::new(),
    };
    format!(
        "{network} on {} x {} processing elements\n\n{}\n\
         smallest: the network fits, and with half of any memory it does not\n\
         fastest: more memory saves no cycles, half of any memory costs some\n\
         state_buffer.banks: the fewest that cost 3 % of the cycles at most\n{left_shift}\n{tables}",
        params.array.rows,
        params.array.cols,
        output::table(&cells),
    )
}
