//! What a co-simulation found, for people and as JSON.

use heddle_arch::host::Counter;
use heddle_tb::network::{LayerReport, NetworkReport};
use serde_json::{Value, json};

use super::Prepared;
use crate::output::{self, LINE_COLUMNS};
use crate::{rows, segments};

mod cluster;

/// What ran, and the verdict about it.
#[derive(Debug)]
pub struct Side {
    name: &'static str,
    exact: &'static str,
    /// Where cycles depend on the values.
    estimated: &'static str,
    different: &'static str,
}

/// The Verilog against the golden models.
pub const VERILOG: Side = Side {
    name: "Verilog",
    exact: "exact: all values and counters as predicted by the golden models",
    estimated: "exact: all values and counters as predicted by the golden models",
    different: "DIFFERENT from the golden models",
};

/// The golden machine against the golden network and the cycles that the compiler predicts.
pub const GOLDEN_MACHINE: Side = Side {
    name: "golden machine",
    exact: "exact: all values are those of the golden network, all cycles as predicted",
    estimated: "exact: all values are those of the golden network, all cycles of the array as predicted",
    different: "DIFFERENT from the golden network or the predicted cycles",
};

/// The whole report; `seconds` is the time that the simulated cycles took in this run.
pub fn json(found: &NetworkReport, prepared: &Prepared, seconds: f64) -> Value {
    let mut summary = json!({
        "exact": found.is_exact(),
        "accuracy": (found.labelled > 0).then(|| found.correct as f64 / found.labelled as f64),
        "program_words": prepared.program.program_words(),
        "simulation": {
            "cycles": found.simulated_cycles,
            "seconds": seconds,
            "cycles_per_second": rate(found, seconds),
            "host_share": host_share(found),
        },
        "report": found,
    });
    rows::add_json(&prepared.rows, &mut summary);
    summary
}

/// Are there counters that were compared?
fn counts(found: &NetworkReport) -> bool {
    let counters = found.counters.as_ref();
    counters.is_none_or(|counters| !counters.compared.is_empty())
}

/// What is said of counters that the hardware does not have.
fn absent(found: &NetworkReport) -> Option<String> {
    let counters = found.counters.as_ref()?;
    if counters.absent.is_empty() {
        return None;
    }
    let compared = match counters.compared.as_slice() {
        [] => "none".to_string(),
        names => names.join(", "),
    };
    Some(format!(
        "counters compared: {compared}; {} are not there: their figures are those of the golden machine\n",
        counters.absent.len()
    ))
}

/// What is said of layers that the host has run.
fn hosted(found: &NetworkReport) -> String {
    let count = found.layers.iter().filter(|layer| layer.host).count();
    match count {
        0 => String::new(),
        _ => format!(
            "not compared: what the host computes, {count} layers; both sides do that with the meaning of the golden network\n"
        ),
    }
}

fn rate(found: &NetworkReport, seconds: f64) -> f64 {
    found.simulated_cycles as f64 / seconds.max(1e-9)
}

/// The share of clocks in which no program runs: the host loads the machine, writes inputs and reads outputs.
fn host_share(found: &NetworkReport) -> f64 {
    let cycles = found
        .layers
        .iter()
        .map(|layer| layer.counter(Counter::Cycles));
    let all = found.simulated_cycles;
    all.saturating_sub(cycles.sum()) as f64 / all.max(1) as f64
}

/// A table of the layers, the differences, and a verdict.
pub fn text(found: &NetworkReport, prepared: &Prepared, seconds: f64, side: &Side) -> String {
    let Prepared {
        params,
        program,
        rows,
        ..
    } = prepared;
    let mut text = format!(
        "{} on {} ({} x {} processing elements, {} program words)\n\
         MACs, cycles, utilisation: one image; the other columns: sum over {} images\n\
         plain: 64-bit accesses of a memory without slices\n\n",
        found.network,
        found.configuration,
        params.array.rows,
        params.array.cols,
        program.program_words(),
        found.images
    );
    text += &table(found);
    text += &absent(found).unwrap_or_default();
    for layer in &found.layers {
        text += &differences(layer, side.name);
    }
    text += &hosted(found);
    text += &segments::found(found, program);
    text += &cluster::counters(found, params, program);
    text += &format!("\n{}", rows::text(rows));
    let correct = match found.labelled {
        0 => "without labels".to_string(),
        _ => format!("{} classified correctly", found.correct),
    };
    text += &format!(
        "\n{} images, {correct}\n\
         {} clocks simulated at {:.0} thousand clocks/s, {:.0} % of them for the host\n",
        found.images,
        found.simulated_cycles,
        rate(found, seconds) / 1e3,
        100.0 * host_share(found)
    );
    let is_estimated = program.runs.iter().any(|run| run.estimated);
    text + &format!("{}\n", verdict(found, is_estimated, side))
}

fn verdict(found: &NetworkReport, is_estimated: bool, side: &Side) -> &'static str {
    let some_absent = absent(found).is_some();
    match found.is_exact() {
        false => side.different,
        true if !counts(found) => "exact: all values as predicted by the golden models",
        true if some_absent => {
            "exact: all values, and the counters that are there, as predicted by the golden models"
        }
        true if is_estimated => side.estimated,
        true => side.exact,
    }
}

/// The shortest name of a layer that still tells something.
const NAME_COLUMNS: usize = 8;

fn table(found: &NetworkReport) -> String {
    let has_masks = found.total.mask_accesses > 0;
    let mut columns = vec![
        ["", "layer"],
        ["", "MACs"],
        ["", "cycles"],
        ["", "utilisation"],
        ["zero", "operands"],
    ];
    if has_masks {
        columns.push(["mask", "accesses"]);
    }
    let slices = found.total.slice_accesses.len();
    let names = ["slice 0", "slice 1", "slice 2"];
    columns.extend(names.iter().take(slices).map(|name| [*name, "accesses"]));
    if let Some(last) = columns.last_mut().filter(|_| slices > names.len()) {
        last[0] = "the rest";
    }
    columns.extend([
        ["plain", "accesses"],
        ["bits", "/plain"],
        ["wrong", "values"],
        ["", "counters"],
    ]);
    let heading = |line: usize| columns.iter().map(|name| name[line].to_string()).collect();
    let mut rows: Vec<Vec<String>> = vec![heading(0), heading(1)];
    let layers = found.layers.iter().chain([&found.total]);
    let counts = counts(found);
    rows.extend(layers.map(|layer| row(layer, (has_masks, slices), counts)));
    let text = output::table(&rows);
    let longest = output::longest(&text);
    if longest <= LINE_COLUMNS {
        return text;
    }
    let names = rows.iter().map(|row| row[0].chars().count());
    let name_columns = names
        .max()
        .unwrap_or(0)
        .saturating_sub(longest - LINE_COLUMNS);
    for row in &mut rows {
        row[0] = output::shortened(&row[0], name_columns.max(NAME_COLUMNS));
    }
    output::table(&rows)
}

fn row(layer: &LayerReport, (has_masks, slices): (bool, usize), counts: bool) -> Vec<String> {
    let percent = |ratio: f64| format!("{:.1} %", ratio * 100.0);
    let counters = match layer.wrong_counters.len() {
        0 if !counts => "-".to_string(),
        0 => "ok".to_string(),
        wrong => format!("{wrong} wrong"),
    };
    let mut cells = vec![layer.name.clone()];
    if layer.host {
        // Nothing behind its MACs is of the machine; values that differ say that the host has read others.
        let columns = 2 + usize::from(has_masks) + slices.min(3);
        let wrong = (layer.mismatches > 0).then(|| layer.mismatches.to_string());
        cells.extend([layer.macs.to_string(), "host".to_string()]);
        cells.extend(vec!["-".to_string(); columns + 2]);
        cells.extend([wrong.as_deref().unwrap_or("-"), "-"].map(str::to_string));
        return cells;
    }
    cells.extend([
        layer.macs.to_string(),
        layer.cycles.to_string(),
        percent(layer.utilisation),
        percent(layer.zero_operands_ratio),
    ]);
    let mask = has_masks.then_some(layer.mask_accesses);
    // Three columns, the last of them for all further slices.
    let (first, rest) = layer
        .slice_accesses
        .split_at(layer.slice_accesses.len().min(2));
    let rest = (!rest.is_empty()).then(|| rest.iter().sum());
    let accesses = mask.into_iter().chain(first.iter().copied()).chain(rest);
    cells.extend(accesses.map(|count: u64| count.to_string()));
    cells.extend([
        layer.plain_accesses.to_string(),
        percent(layer.bits_ratio),
        layer.mismatches.to_string(),
        counters,
    ]);
    cells
}

fn differences(layer: &LayerReport, ran: &str) -> String {
    let mut text = String::new();
    if let Some((image, index, hardware, golden)) = layer.first_mismatch {
        text += &format!(
            "{}: {} values differ; image {image}, value {index}: {ran} {hardware}, golden network \
             {golden}\n",
            layer.name, layer.mismatches
        );
    }
    if let Some((image, counter, hardware, golden)) = layer.wrong_counters.first() {
        text += &format!(
            "{}: {} counters differ; image {image}, {counter}: {ran} {hardware}, predicted {golden}\n",
            layer.name,
            layer.wrong_counters.len()
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layer(name: &str) -> LayerReport {
        LayerReport {
            name: name.into(),
            macs: 147_456,
            cycles: 2622,
            utilisation: 0.8787,
            mask_accesses: 134_340,
            slice_accesses: vec![96_211, 12_305],
            plain_accesses: 134_340,
            bits_ratio: 0.6424,
            zero_operands_ratio: 0.4126,
            ..LayerReport::default()
        }
    }

    #[test]
    fn the_table_is_aligned_and_says_what_differs() {
        let mut second = layer("conv2");
        second.mismatches = 3;
        second.wrong_counters = vec![(0, "CYCLES".into(), 1, 2)];
        let host = LayerReport {
            host: true,
            slice_accesses: vec![0, 0],
            ..layer("add")
        };
        let found = NetworkReport {
            layers: vec![layer("conv1"), second, host],
            total: layer("total"),
            ..NetworkReport::default()
        };
        assert_eq!(
            table(&found),
            "                                        zero      mask   slice 0   slice 1     plain    bits   wrong
layer    MACs  cycles  utilisation  operands  accesses  accesses  accesses  accesses  /plain  values  counters
conv1  147456    2622       87.9 %    41.3 %    134340     96211     12305    134340  64.2 %       0        ok
conv2  147456    2622       87.9 %    41.3 %    134340     96211     12305    134340  64.2 %       3   1 wrong
add    147456    host            -         -         -         -         -         -       -       -         -
total  147456    2622       87.9 %    41.3 %    134340     96211     12305    134340  64.2 %       0        ok
"
        );
    }

    #[test]
    fn slices_from_the_third_on_share_a_column() {
        let columns = |masks: u64, slices: &[u64]| {
            let mut total = layer("total");
            total.mask_accesses = masks;
            total.slice_accesses = slices.to_vec();
            let found = NetworkReport {
                total,
                ..NetworkReport::default()
            };
            let text = table(&found);
            let cells = |line: usize| {
                let words = text.lines().nth(line).unwrap_or("").split_whitespace();
                words.collect::<Vec<_>>().join(" ")
            };
            (cells(0), cells(2))
        };
        let (heading, total) = columns(9, &[8, 4, 2]);
        assert_eq!(
            heading,
            "zero mask slice 0 slice 1 slice 2 plain bits wrong"
        );
        assert!(total.contains(" 9 8 4 2 134340 "), "{total}");
        let (heading, total) = columns(0, &[8, 4, 2, 1]);
        assert_eq!(heading, "zero slice 0 slice 1 the rest plain bits wrong");
        assert!(total.contains(" % 8 4 3 134340 "), "{total}");
        let (heading, total) = columns(0, &[8]);
        assert_eq!(heading, "zero slice 0 plain bits wrong");
        assert!(total.contains(" % 8 134340 "), "{total}");
    }

    #[test]
    fn long_names_are_shortened_until_the_table_fits() {
        let found = NetworkReport {
            layers: vec![layer("stage_1_block_2_convolution_3")],
            total: layer("total"),
            ..NetworkReport::default()
        };
        let text = table(&found);
        assert!(text.contains("\nstage_1..tion_3  "), "{text}");
        let longest = text.lines().map(|line| line.chars().count()).max();
        assert!(longest <= Some(LINE_COLUMNS), "{text}");
    }
}
