//! `heddle compile`: from a network to a program file, and what the stages in between have made.

use std::path::{Path, PathBuf};

use heddle_arch::isa::disassemble;
use heddle_arch::params::Params;
use heddle_compiler::{
    CompileError, Compiled, Graph, LAYOUT, Missed, Options, Program, Rows, RunPlan, Stage, Table,
    TensorPlan, compile, image,
};
use heddle_network::Network;
use serde_json::json;

use crate::args::{CompileArgs, DumpArg};
use crate::failure::Failure;
use crate::{input, output, pieces, replace, rows, segments, waste, zeros};

/// Runs the command.
pub fn run(args: &CompileArgs) -> Result<(), Failure> {
    if let Some(target) = &args.result.output {
        let layout = layout_beside(target);
        if layout == *target {
            return Err(Failure::new(format!(
                "{}: is the place of what is written beside a program, expected another name",
                target.display()
            )));
        }
        replace::check(target, replace::PROGRAM)?;
        replace::check(&layout, replace::LAYOUT)?;
    }
    if let Some(target) = &args.result.image {
        replace::check(target, replace::IMAGE)?;
    }
    let params = input::read_config(&args.config)?;
    let (network, form) = input::read_either(&args.model)?;
    check_dot(args)?;
    if args.result.dump == Some(DumpArg::Graph)
        && args.result.output.is_none()
        && args.result.image.is_none()
    {
        return dump_graph(&Graph::of(&network), args.dot);
    }
    let options = Options {
        zeros: zeros::read(&args.making.engines, &network)?,
        tables: tabled(args),
        // Without a DMA nothing comes while the array works.
        stream: args.result.image.is_some() && params.has_dma(),
        // A file of a program has no words that it could load.
        moves: args.result.image.is_some()
            && args.result.output.is_none()
            && params.programs_move(),
        ..(&args.making).into()
    };
    let compiled = match compile(&network, &params, &options) {
        // The ways are shown even if none of them fits.
        Err(CompileError::DoesNotFit { ways, .. })
            if !ways.is_empty() && args.result.output.is_none() =>
        {
            return output::print(&tables_text(&ways));
        }
        made => made.map_err(Failure::new)?,
    };
    waste::warn(&args.config, &params);
    if options.tables.is_some() {
        output::print(&tables_text(&compiled.tables))?;
    }
    let program = &compiled.program;
    if let Some(target) = &args.result.output {
        let text = program.to_json(&params);
        replace::write(target, replace::PROGRAM, text.as_bytes())?;
        let layout = layout_beside(target);
        replace::update(&layout, replace::LAYOUT, LAYOUT.as_bytes())?;
    }
    if let Some(target) = &args.result.image {
        let image = image(program, &network, &params, &form.user(&network));
        let bytes = image.and_then(|image| Ok(image.to_bytes()?));
        let bytes = bytes.map_err(|error| Failure::new(format!("--image: {error}")))?;
        replace::write(target, replace::IMAGE, &bytes)?;
    }
    match args.result.dump {
        Some(DumpArg::Graph) => dump_graph(&Graph::of(&network), args.dot),
        Some(DumpArg::Map | DumpArg::Place) => Ok(()),
        Some(DumpArg::Schedule) if args.dot => output::print(&program.schedule.dot()),
        Some(DumpArg::Schedule) => output::print(&program.schedule.text()),
        Some(DumpArg::Asm) => output::print(&asm(program)?),
        None => {
            let rows = program.rows([&network, &compiled.network], &form.exact, &params);
            match args.json {
                true => output::print_json(&summary(&compiled, &network, &params, &rows)),
                false => {
                    let loader = match options.stream {
                        true => "jobs of the image load",
                        false => "the host loads",
                    };
                    output::print(&text(&compiled, &network, (&params, loader), &rows))
                }
            }
        }
    }
}

/// Where the host's part goes: one file for all programs of a folder.
fn layout_beside(program: &Path) -> PathBuf {
    program.with_file_name("heddle_layout.py")
}

/// Only graphs can be printed as graphs.
fn check_dot(args: &CompileArgs) -> Result<(), Failure> {
    let stage = match args.result.dump {
        Some(DumpArg::Map) => "map",
        Some(DumpArg::Place) => "place",
        Some(DumpArg::Asm) => "asm",
        Some(DumpArg::Graph | DumpArg::Schedule) | None => return Ok(()),
    };
    match args.dot {
        true => Err(Failure::new(format!(
            "--dot is given with --dump {stage}, expected graph or schedule"
        ))),
        false => Ok(()),
    }
}

/// The stage to print, if its result is a table.
fn tabled(args: &CompileArgs) -> Option<Stage> {
    match args.result.dump {
        Some(DumpArg::Map) => Some(Stage::Map),
        Some(DumpArg::Place) => Some(Stage::Place),
        _ => None,
    }
}

fn tables_text(tables: &[Table]) -> String {
    let texts = tables
        .iter()
        .map(|table| format!("{}\n\n{}", table.title, output::table(&table.rows)));
    texts.collect::<Vec<_>>().join("\n")
}

fn dump_graph(graph: &Graph, dot: bool) -> Result<(), Failure> {
    match dot {
        true => output::print(&graph.dot()),
        false => output::print(&graph.text()),
    }
}

/// The instructions of all runs; those of the host have none.
fn asm(program: &Program) -> Result<String, Failure> {
    let mut text = String::new();
    for (index, run) in program.runs.iter().enumerate() {
        if run.host {
            text += &format!("# {}, on the host\n", program.run_name(index));
            continue;
        }
        let name = program.run_name(index);
        text += &format!("# {name}, from word {} on\n", run.start_pc);
        text += &disassemble(program.words_of(index)).map_err(Failure::new)?;
    }
    Ok(text)
}

/// Bytes that activations take in each partition: in the input banks, and in front of them.
fn activation_bytes(program: &Program, params: &Params) -> (u32, u32) {
    let work = params.work_bytes();
    let end = |tensor: &TensorPlan| tensor.base + tensor.bytes;
    let (input, others): (Vec<u32>, Vec<u32>) =
        program.tensors.iter().map(end).partition(|&end| end > work);
    let most = |ends: Vec<u32>| ends.into_iter().max();
    (
        most(input).map_or(0, |end| end - work),
        most(others).unwrap_or(0),
    )
}

/// The runs, those of the pieces of one layer together.
fn run_rows(compiled: &Compiled, network: &Network) -> Vec<Vec<String>> {
    let heading = ["run", "layers", "instructions", "waits", "cycles"];
    let mut rows = vec![heading.map(str::to_string).to_vec()];
    let origin = |run: &RunPlan| {
        let [first, last] = [run.layers.start, run.layers.end - 1].map(|l| compiled.origins[l]);
        (first == last).then_some(first)
    };
    let together = |a: &RunPlan, b: &RunPlan| origin(a).is_some() && origin(a) == origin(b);
    let mut first = 0;
    for runs in compiled.program.runs.chunk_by(together) {
        let name = match origin(&runs[0]) {
            Some(origin) if runs.len() > 1 => network.layers[origin].name.clone(),
            _ => compiled.program.run_name(first),
        };
        first += runs.len();
        let sum = |value: fn(&RunPlan) -> u64| runs.iter().map(value).sum::<u64>();
        let cycles = sum(|run| run.cycles);
        rows.push(vec![
            name,
            sum(|run| run.layers.len() as u64).to_string(),
            sum(|run| run.instructions.into()).to_string(),
            sum(|run| run.sync.waits as u64).to_string(),
            match runs.iter().any(|run| run.estimated) {
                true => format!("about {cycles}"),
                false => cycles.to_string(),
            },
        ]);
    }
    rows
}

fn text(
    compiled: &Compiled,
    network: &Network,
    (params, loader): (&Params, &str),
    rows: &Rows,
) -> String {
    let program = &compiled.program;
    let (input, bytes) = activation_bytes(program, params);
    let input = match input {
        0 => String::new(),
        input => format!(", the input {input} bytes of its input banks"),
    };
    let [written, read] = program.tensor_words(network);
    let apart: u32 = program.tensors.iter().map(|tensor| tensor.bytes).sum();
    output::table(&run_rows(compiled, network))
        + "\n"
        + &pieces::text(program, network)
        + &segments::text(compiled, params, loader)
        + &segments::loads(compiled)
        + &rows::text(rows)
        + &format!(
            "{}: {} program words, activations take {} bytes of each partition{input}, {} without sharing; \
             for an image the host writes {written} words of tensors and reads {read}\n",
            program.network,
            program.program_words(),
            bytes,
            apart,
        )
        + &faster(&compiled.missed)
}

/// Lines about faster ways, and layers that a line names.
const HINTS: usize = 10;
const NAMES: usize = 6;

/// Faster ways that do not fit.
fn faster(missed: &[Missed]) -> String {
    let shown = match missed.len() > HINTS {
        true => HINTS - 1,
        false => missed.len(),
    };
    let mut text: String = missed[..shown].iter().map(hint).collect();
    if missed.len() > shown {
        let more = missed.len() - shown;
        text += &format!("{more} more ways with fewer cycles do not fit: --dump map shows all\n");
    }
    text
}

fn hint(missed: &Missed) -> String {
    let mut alike: Vec<(&str, Vec<&str>)> = Vec::new();
    for (name, way) in &missed.layers {
        match alike.iter_mut().find(|(other, _)| other == way) {
            Some((_, names)) => names.push(name),
            None => alike.push((way, vec![name])),
        }
    }
    let layers = alike.iter().map(|(way, names)| {
        let more = match names.len().saturating_sub(NAMES) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let names = names.iter().take(NAMES).copied().collect::<Vec<_>>();
        format!("{way} for {}{more}", names.join(", "))
    });
    let layers = layers.collect::<Vec<_>>().join("; ");
    format!(
        "{} cycles fewer with {layers}, but {}\n",
        missed.cycles, missed.lacks
    )
}

fn summary(
    compiled: &Compiled,
    network: &Network,
    params: &Params,
    rows: &Rows,
) -> serde_json::Value {
    let (program, missed) = (&compiled.program, &compiled.missed);
    let (input, activations) = activation_bytes(program, params);
    let [written, read] = program.tensor_words(network);
    let runs = program.runs.iter().enumerate().map(|(index, run)| {
        json!({
            "name": program.run_name(index),
            "start_pc": run.start_pc,
            "layers": program.layers[run.layers.clone()].iter().map(|l| &l.name).collect::<Vec<_>>(),
            "host": run.host,
            "instructions": run.instructions,
            "cycles": run.cycles,
            "estimated": run.estimated,
            "dependencies": run.sync.dependencies,
            "kept_by_the_machine": run.sync.kept_by_the_machine,
            "redundant": run.sync.redundant,
            "waits": run.sync.waits,
        })
    });
    let mut summary = json!({
        "network": program.network,
        "program_words": program.program_words(),
        "activation_bytes": activations,
        "tensor_words": { "written": written, "read": read },
        "runs": runs.collect::<Vec<_>>(),
        "missed": missed.iter().map(|missed| {
            let layers = missed.layers.iter();
            json!({
                "cycles": missed.cycles,
                "layers": layers.map(|(name, way)| json!({ "name": name, "way": way })).collect::<Vec<_>>(),
                "lacks": missed.lacks,
            })
        }).collect::<Vec<_>>(),
        "wasted": waste::json(params),
    });
    rows::add_json(rows, &mut summary);
    if !program.pieces.is_empty() {
        summary["pieces"] = pieces::json(program, network);
    }
    if let Some(cut) = &compiled.cut {
        summary["segments"] = segments::json(program, params);
        summary["double_buffered"] = json!(program.double_buffered);
        summary["cut"] = json!(cut.to_string());
    }
    if let Some(because) = &compiled.loads {
        summary["program_loads"] = json!({
            "loads": segments::program_loads(program), "words": program.moved.len(),
            "because": because.to_string(),
        });
    }
    if params.state_buffer.input_banks > 0 {
        summary["input_bytes"] = json!(input);
    }
    summary
}
