//! What becomes of each operator, for people and as JSON: what it needs on any machine, or where its layer runs on one.

use std::collections::BTreeMap;

use heddle_compiler::{Need, Rows, RunsOn, needs};
use heddle_import::{Import, Row, Runs};
use heddle_network::Network;
use serde_json::{Value, json};

use crate::failure::one_line;
use crate::output::{self, LINE_COLUMNS};
use crate::rows;

/// Columns of names in a table that is too wide.
const LAYER_COLUMNS: usize = 24;
const OPERATOR_COLUMNS: usize = 36;

/// What is known of the layers.
pub enum Layers {
    /// What those of each operator need, by the name of the last of them; nothing of a network that cannot run.
    Needs(BTreeMap<String, Need>),
    /// What the compiler made of them for a machine.
    Rows(Rows),
}

/// What the layers of each operator need: some are parts of an operator, and stand before the layer that it is.
pub fn needs_of(found: &Import, network: &Network) -> BTreeMap<String, Need> {
    let mut parts = Vec::new();
    let layers = network.layers.iter().zip(needs(network));
    let operators = layers.filter_map(|(layer, need)| {
        parts.push(need);
        found.row(&layer.name)?;
        Some((layer.name.clone(), together(parts.drain(..))))
    });
    operators.collect()
}

fn together(needs: impl Iterator<Item = Need>) -> Need {
    let all = needs.reduce(|one, other| match (one, other) {
        (host @ Need::Host(_), _) | (_, host @ Need::Host(_)) => host,
        (Need::Machine(mut fields), Need::Machine(more)) => {
            fields.extend(more);
            fields.sort_unstable();
            fields.dedup();
            Need::Machine(fields)
        }
    });
    all.unwrap_or(Need::Machine(Vec::new()))
}

impl Layers {
    fn need(&self, row: &Row) -> Option<&Need> {
        match self {
            Layers::Needs(needs) if !matches!(row.runs, Runs::State) => {
                needs.get(row.layer.as_ref()?)
            }
            Layers::Needs(_) | Layers::Rows(_) => None,
        }
    }
}

/// The operators, and what is known of their layers.
pub fn text(found: &Import, layers: &Layers) -> String {
    match layers {
        Layers::Needs(_) => {
            let faults = found.faults.iter().map(|fault| format!("{fault}\n"));
            operators(found, layers) + &faults.collect::<String>() + &count(found, layers)
        }
        Layers::Rows(rows) => format!(
            "{}{}\n{}",
            rows::text(rows),
            others(found),
            count(found, layers)
        ),
    }
}

/// All operators, and what they need.
fn operators(found: &Import, layers: &Layers) -> String {
    let heading = ["layer", "operator (tensor)", "runs as", "needs", "exact"];
    let mut cells = vec![heading.map(str::to_string).to_vec()];
    for row in &found.rows {
        let needs = match (layers.need(row), &row.runs) {
            (Some(Need::Host(_)), _) | (None, Runs::HostLayer(_) | Runs::End(_)) => {
                "the host".to_string()
            }
            (Some(Need::Machine(fields)), _) if !fields.is_empty() => fields.join(", "),
            // Needs depend on the layers around, which are not known where some cannot run.
            (None, Runs::Layer(_)) => "unknown".to_string(),
            _ => "-".to_string(),
        };
        let exact = match row.runs {
            Runs::Layer(_) | Runs::HostLayer(_) | Runs::End(_) => row.exact.text(),
            _ => "-".to_string(),
        };
        cells.push(vec![
            row.layer.clone().unwrap_or_else(|| "-".to_string()),
            shown(&named(row)),
            row.runs.text(),
            needs,
            exact,
        ]);
    }
    if output::longest(&output::list(&cells)) > LINE_COLUMNS {
        for row in &mut cells {
            row[0] = output::shortened(&row[0], LAYER_COLUMNS);
            row[1] = output::shortened(&row[1], OPERATOR_COLUMNS);
        }
    }
    output::list(&cells)
}

/// The operators that are no layers; nothing if there are none.
fn others(found: &Import) -> String {
    let is_other = |row: &&Row| row.layer.is_none() || matches!(row.runs, Runs::State);
    let others = found.rows.iter().filter(is_other);
    let others: Vec<_> = others
        .map(|row| vec![shown(&named(row)), row.runs.text()])
        .collect();
    match others.is_empty() {
        true => String::new(),
        false => format!("\n{}", output::list(&others)),
    }
}

/// How many operators are what, and the size of the network.
fn count(found: &Import, layers: &Layers) -> String {
    let count = |wanted: &dyn Fn(&Row) -> bool| found.rows.iter().filter(|row| wanted(row)).count();
    let folded = count(&|row| matches!(row.runs, Runs::Folded(_) | Runs::State));
    let outside = count(&|row| matches!(row.runs, Runs::Host | Runs::End(_)));
    let counts = match layers {
        Layers::Needs(_) => {
            let is_layer = |row: &Row| matches!(row.runs, Runs::Layer(_));
            let is_for_host = |row: &Row| {
                matches!(row.runs, Runs::HostLayer(_))
                    || matches!(layers.need(row), Some(Need::Host(_)))
            };
            format!(
                "{} for a machine, {folded} folded, {} for the host always, {} not possible",
                count(&|row| is_layer(row) && !is_for_host(row)),
                outside + count(&is_for_host),
                count(&|row| !row.runs.is_possible()),
            )
        }
        Layers::Rows(rows) => {
            let on = |place| {
                count(&|row| {
                    !matches!(row.runs, Runs::State)
                        && rows.layers.iter().any(|layer| {
                            row.layer.as_ref() == Some(&layer.layer) && layer.runs_on == place
                        })
                })
            };
            let cluster = match on(RunsOn::Cluster) {
                0 => String::new(),
                layers => format!("{layers} on the sparse cluster, "),
            };
            format!(
                "{} on the array, {cluster}{folded} folded, {} on the host",
                on(RunsOn::Array),
                outside + on(RunsOn::Host)
            )
        }
    };
    let input = found.network.as_ref().map(|network| &network.input);
    let input = input.map_or(String::new(), |input| {
        let sign = if found.unsigned { "uint8" } else { "int8" };
        format!(
            "; input {} x {} x {} {sign}",
            input.height, input.width, input.channels
        )
    });
    format!(
        "{} operators: {counts}; {} weights{input}\n",
        found.rows.len(),
        weights(found)
    )
}

fn named(row: &Row) -> String {
    format!("{} ({})", row.operator, row.tensor)
}

/// A text of the file, so that it cannot change what stands around it.
pub fn shown(text: &str) -> String {
    let text: String = text.chars().take(80).collect();
    one_line(&text)
}

fn weights(found: &Import) -> usize {
    let layers = found.network.iter().flat_map(|network| &network.layers);
    layers
        .filter_map(|layer| layer.kind.weights())
        .map(Vec::len)
        .sum()
}

/// The same for `--json`.
pub fn json(found: &Import, layers: &Layers) -> Value {
    let operators = found.rows.iter().map(|row| {
        let mut operator = json!({
            "layer": row.layer,
            "operator": row.operator,
            "tensor": row.tensor,
            "tensor_index": row.index,
            "possible": row.runs.is_possible(),
            "runs_as": row.runs.text(),
            "exact": row.exact.is_exact(),
            "compared": row.exact.compared(),
        });
        match layers.need(row) {
            Some(Need::Host(reason)) => operator["host_always"] = json!(reason),
            Some(Need::Machine(fields)) => operator["needs"] = json!(fields),
            None => {}
        }
        operator
    });
    let mut summary = json!({
        "possible": found.reasons().is_empty(),
        "operators": operators.collect::<Vec<_>>(),
        "faults": found.faults,
        "weights": weights(found),
    });
    if let Layers::Rows(rows) = layers {
        rows::add_json(rows, &mut summary);
    }
    summary
}
