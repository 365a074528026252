//! The layers of a network on a machine: one table and one JSON for all commands that print them.

use heddle_compiler::{Clocks, Counted, Row, Rows, RunsOn};
use serde_json::{Value, json};

use crate::output;

/// Columns of a name, at most, and of reasons where the others leave fewer; `--json` has all of them.
const NAME_COLUMNS: usize = 24;
const REASON_COLUMNS: usize = 16;

/// Puts the rows into what a command prints as JSON.
pub fn add_json(rows: &Rows, summary: &mut Value) {
    let [all, host] = macs(rows);
    summary["layers"] = json!(rows.layers);
    summary["macs"] = json!({ "all": all, "host": host });
    summary["host_operations"] = json!(operations(rows));
    summary["clocks"] = json!(rows.clocks);
}

/// A line for each layer, and what an image takes.
pub fn text(rows: &Rows) -> String {
    let [all, host] = macs(rows);
    let Clocks {
        all: clocks,
        machine,
        host: words,
    } = rows.clocks;
    let by_host = match operations(rows) {
        0 => String::new(),
        operations => format!(
            ", {host} of them on the host, which does {operations} operations: MACs, or elements of layers without"
        ),
    };
    let alone = match rows
        .layers
        .iter()
        .any(|row| row.cycles_are == Counted::Alone)
    {
        true => "(cycles): of a layer in a run of its own\n",
        false => "",
    };
    format!(
        "{}{alone}\n\
         {all} MACs{by_host}\n\
         an image takes {clocks} clocks: {machine} cycles of the machine and {words} words of the host, one clock each\n",
        table(&rows.layers)
    )
}

/// Multiply-accumulates of all layers, and of those on the host.
fn macs(rows: &Rows) -> [u64; 2] {
    let rows = rows.layers.iter();
    let host = rows.clone().filter(|row| row.runs_on == RunsOn::Host);
    [
        rows.map(|row| row.macs).sum(),
        host.map(|row| row.macs).sum(),
    ]
}

fn operations(rows: &Rows) -> u64 {
    rows.layers.iter().map(|row| row.host_operations).sum()
}

fn table(layers: &[Row]) -> String {
    let heading = [
        ["", "layer"],
        ["", "runs on"],
        ["", "exact"],
        ["", "MACs"],
        ["", "cycles"],
        ["host", "words"],
        ["host", "operations"],
        ["", "because"],
    ];
    let line = |at: usize| heading.map(|name| name[at].to_string()).to_vec();
    let rows = [line(0), line(1)]
        .into_iter()
        .chain(layers.iter().map(cells));
    let mut rows: Vec<Vec<String>> = rows.collect();
    let last = heading.len() - 1;
    let is_left = |column: usize| column <= 2 || column == last;
    let reasons = rows
        .iter_mut()
        .map(|row| row.pop().expect("reasons"))
        .collect::<Vec<_>>();
    let left =
        output::LINE_COLUMNS.saturating_sub(output::longest(&output::aligned(&rows, is_left)) + 2);
    for (row, reason) in rows.iter_mut().zip(reasons) {
        row.push(output::cut(&reason, left.max(REASON_COLUMNS)));
    }
    output::aligned(&rows, is_left)
}

fn cells(row: &Row) -> Vec<String> {
    let place = match (row.runs_on, row.mapping) {
        (RunsOn::Host, _) => "host".to_string(),
        (RunsOn::Transfers, _) => "transfers".to_string(),
        (RunsOn::Cluster, _) => "sparse cluster".to_string(),
        (RunsOn::Array, mapping) => format!("array, {}", mapping.unwrap_or("-")),
    };
    let place = match row.pieces {
        1 => place,
        pieces => format!("{place}, {pieces} pieces"),
    };
    let cycles = match row.cycles_are {
        _ if matches!(row.runs_on, RunsOn::Host | RunsOn::Transfers) => "-".to_string(),
        Counted::Exact => row.cycles.to_string(),
        Counted::Alone => format!("({})", row.cycles),
        Counted::Estimated => format!("about {}", row.cycles),
    };
    let because = match (row.exact, row.compared) {
        (true, None) => row.reason.clone(),
        _ => format!("{}; {}", row.known, row.reason),
    };
    vec![
        output::shortened(&row.layer, NAME_COLUMNS),
        place,
        if row.exact { "yes" } else { "no" }.to_string(),
        row.macs.to_string(),
        cycles,
        row.host_words.to_string(),
        row.host_operations.to_string(),
        because,
    ]
}
