//! Segments of a network that does not fit at once.

use std::ops::Range;

use heddle_arch::Params;
use heddle_compiler::{Compiled, LayerPlan, Program, Segment, Unit};
use heddle_tb::network::NetworkReport;
use serde_json::{Value, json};

use crate::output;

/// The layers of some runs.
fn layers<'a>(program: &'a Program, runs: &Range<usize>) -> &'a [LayerPlan] {
    let runs = &program.runs[runs.clone()];
    let (first, last) = (runs.first(), runs.last());
    match (first, last) {
        (Some(first), Some(last)) => &program.layers[first.layers.start..last.layers.end],
        _ => &[],
    }
}

fn cycles(program: &Program, segment: &Segment) -> u64 {
    let runs = program.runs[segment.runs.clone()].iter();
    runs.map(|run| run.cycles).sum()
}

/// Segments that are listed; of the others there is the total alone.
const LISTED: usize = 24;

/// A table of segments: the cycles and host words of each.
fn table(program: &Program, segments: impl Iterator<Item = (Range<usize>, u64, u64)>) -> String {
    let heading = ["segment", "layers", "first", "last", "cycles", "host words"];
    let mut rows = vec![heading.map(str::to_string).to_vec()];
    let (mut all_cycles, mut all_words) = (0, 0);
    for (number, (runs, cycles, words)) in segments.enumerate() {
        let layers = layers(program, &runs);
        let name =
            |layer: Option<&LayerPlan>| layer.map_or(String::new(), |layer| layer.name.clone());
        all_cycles += cycles;
        all_words += words;
        if number >= LISTED {
            continue;
        }
        rows.push(vec![
            (number + 1).to_string(),
            layers.len().to_string(),
            name(layers.first()),
            name(layers.last()),
            cycles.to_string(),
            words.to_string(),
        ]);
    }
    let more = program.segments.len().saturating_sub(LISTED);
    if more > 0 {
        let mut row = vec!["-".to_string(); 6];
        row[0] = format!("{more} more: --json");
        rows.push(row);
    }
    let all = program.layers.len().to_string();
    rows.push(vec![
        "total".to_string(),
        all,
        "-".to_string(),
        "-".to_string(),
        all_cycles.to_string(),
        all_words.to_string(),
    ]);
    output::table(&rows)
}

/// Why a network is cut, and what each segment takes; nothing if it is not. The loader comes with its verb.
pub fn text(compiled: &Compiled, params: &Params, loader: &str) -> String {
    let Some(cut) = &compiled.cut else {
        return String::new();
    };
    let program = &compiled.program;
    let segments = program.segments.iter();
    let segments = segments.map(|segment| {
        let words = segment.load.host_words(params);
        (segment.runs.clone(), cycles(program, segment), words)
    });
    let count = program.segments.len();
    let once = program.once.host_words(params);
    let beside = match program.double_buffered {
        true => ", each beside the next one",
        false => "",
    };
    table(program, segments)
        + &format!(
            "in {count} segments, which {loader} for each image{beside}, after {once} words that it writes once: {cut}\n\n"
        )
}

/// What the program itself loads for each image; nothing if it does not.
pub fn loads(compiled: &Compiled) -> String {
    let program = &compiled.program;
    let (loads, words) = (program_loads(program), program.moved.len());
    compiled.loads.as_ref().map_or(String::new(), |because| {
        format!("the program loads {words} words for each image, in {loads} LOADs: {because}\n\n")
    })
}

/// LOADs of a program.
pub fn program_loads(program: &Program) -> usize {
    let steps = program.schedule.steps.iter();
    steps.filter(|step| step.unit == Unit::Load).count()
}

/// Segments for `--json`.
pub fn json(program: &Program, params: &Params) -> Value {
    let segments = program.segments.iter().map(|segment| {
        let layers = layers(program, &segment.runs).iter();
        json!({
            "runs": [segment.runs.start, segment.runs.end],
            "layers": layers.map(|layer| &layer.name).collect::<Vec<_>>(),
            "cycles": cycles(program, segment),
            "host_words": segment.load.host_words(params),
        })
    });
    segments.collect()
}

/// What each segment has taken; nothing if the network is not cut.
pub fn found(found: &NetworkReport, program: &Program) -> String {
    if found.segments.is_empty() {
        return String::new();
    }
    let segments = found.segments.iter();
    let segments = segments.map(|segment| {
        let [start, end] = segment.runs;
        (start..end, segment.cycles, segment.host_words)
    });
    format!(
        "\nsegments, one image: the host writes its words before a segment runs\n\n{}",
        table(program, segments)
    )
}
