//! What a co-simulation found, for people and as JSON.

use heddle_arch::Params;
use heddle_arch::host::Counter;
use heddle_compiler::Program;
use heddle_tb::network::{LayerReport, NetworkReport};
use serde_json::{Value, json};

use crate::output;

/// The whole report; times are those of this run.
pub fn json(found: &NetworkReport, program: &Program, seconds: f64) -> Value {
    json!({
        "exact": found.is_exact(),
        "accuracy": found.correct as f64 / found.images.max(1) as f64,
        "program_words": program.words.len(),
        "seconds": seconds,
        "report": found,
    })
}

/// A table of the layers, the differences, and a verdict.
pub fn text(found: &NetworkReport, params: &Params, program: &Program, seconds: f64) -> String {
    let heading = [
        "layer",
        "MACs",
        "cycles",
        "PE use",
        "weight stalls",
        "bits/access",
    ];
    let mut rows = vec![heading.map(String::from).to_vec()];
    rows.extend(found.layers.iter().map(|layer| row(layer, found.images)));
    let cycles: u64 = found.layers.iter().map(|layer| layer.cycles).sum();
    let mut text = format!(
        "{} on {} ({} x {} processing elements, {} program words)\n",
        found.network,
        found.configuration,
        params.array.rows,
        params.array.cols,
        program.words.len()
    );
    text += &output::table(&rows);
    for layer in &found.layers {
        text += &differences(layer);
    }
    text += &format!(
        "{cycles} cycles per image; {} images, {} classified correctly\n",
        found.images, found.correct
    );
    text += &format!(
        "{} cycles simulated and predicted in {seconds:.2} s\n",
        found.simulated_cycles
    );
    let verdict = if found.is_exact() {
        "exact: all values and counters as predicted by the golden models"
    } else {
        "DIFFERENT from the golden models"
    };
    text + &format!("{verdict}\n")
}

fn row(layer: &LayerReport, images: usize) -> Vec<String> {
    let stalls = layer.counter(Counter::StallWeights) / images.max(1) as u64;
    vec![
        layer.name.clone(),
        layer.macs.to_string(),
        layer.cycles.to_string(),
        format!("{:.1} %", layer.utilisation * 100.0),
        stalls.to_string(),
        format!("{:.1}", 64.0 * layer.access_ratio()),
    ]
}

fn differences(layer: &LayerReport) -> String {
    let mut text = String::new();
    if let Some((image, index, hardware, golden)) = layer.first_mismatch {
        text += &format!(
            "{}: {} values differ; image {image}, value {index}: machine {hardware}, golden \
             {golden}\n",
            layer.name, layer.mismatches
        );
    }
    if let Some((image, counter, hardware, golden)) = layer.wrong_counters.first() {
        text += &format!(
            "{}: {} counters differ; image {image}, {counter}: machine {hardware}, golden \
             {golden}\n",
            layer.name,
            layer.wrong_counters.len()
        );
    }
    text
}
