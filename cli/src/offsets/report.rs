//! Tables as text and as JSON.

use heddle_arch::offsets::Tables;
use heddle_blocks::offsets::compress::compress;
use heddle_blocks::offsets::{Fill, Filled, Table};
use serde_json::{Value, json};

use super::{count, counts};
use crate::output;

/// Entries of each table that are shown without `--all`.
const SHOWN: usize = 64;

/// The tables for a reader.
pub(super) fn text(tables: &Tables, all: bool) -> String {
    let shown = if all { usize::MAX } else { SHOWN };
    let mut text = head(tables);
    text += "\n";
    text += &bases(tables, shown);
    text += &more(tables.bases.len(), shown);
    text += "\n";
    text += &offsets(tables, shown);
    text += &more(tables.offsets.len(), shown);
    let found = compress(tables);
    text += "\n";
    text += &compressed("bases", found.bases.as_ref());
    text += &compressed("offsets", found.offsets.as_ref());
    text
}

fn head(tables: &Tables) -> String {
    let images = tables.bases.len() / tables.pixels as usize;
    let weight_base = match tables.weight_base {
        Some(base) => format!(", weights from word {base}"),
        None => String::new(),
    };
    let form = match (tables.running, tables.unit_shift) {
        (false, 0) => "bytes".to_string(),
        (true, 0) => "bytes, offsets as steps".to_string(),
        (false, shift) => format!("units of {} bytes", 1 << shift),
        (true, shift) => format!("units of {} bytes, offsets as steps", 1 << shift),
    };
    let masks = if tables.masks.is_some() {
        ", masks"
    } else {
        ""
    };
    format!(
        "{} for {}{weight_base}; {} of {}\nentries: {form}{masks}\n",
        counts(tables),
        count(tables.outputs as usize, "output"),
        count(images, "image"),
        count(tables.pixels as usize, "row")
    )
}

fn bases(tables: &Tables, shown: usize) -> String {
    let mut head = vec!["row", "image", "pixel", "base"];
    if tables.masks.is_some() {
        head.extend(["filter rows", "columns"]);
    }
    let mut rows = vec![head.into_iter().map(String::from).collect::<Vec<_>>()];
    let pixels = tables.pixels as usize;
    for (row, base) in tables.bases.iter().enumerate().take(shown) {
        let cells = [row, row / pixels, row % pixels];
        let mut cells: Vec<String> = cells.iter().map(ToString::to_string).collect();
        cells.push(base.to_string());
        if let Some(masks) = &tables.masks {
            cells.extend([masks.rows[row], masks.cols[row]].map(|mask| format!("{mask:#06x}")));
        }
        rows.push(cells);
    }
    output::table(&rows)
}

fn offsets(tables: &Tables, shown: usize) -> String {
    let mut head = match tables.running {
        true => vec!["tap", "step", "from the base"],
        false => vec!["tap", "offset"],
    };
    if tables.masks.is_some() {
        head.extend(["filter row", "column"]);
    }
    let mut rows = vec![head.into_iter().map(String::from).collect::<Vec<_>>()];
    let distances = tables.distances();
    for (tap, offset) in tables.offsets.iter().enumerate().take(shown) {
        let mut cells = vec![tap.to_string(), offset.to_string()];
        if tables.running {
            cells.push(distances[tap].to_string());
        }
        if let Some(masks) = &tables.masks {
            let (v, u) = masks.taps[tap];
            cells.extend([v.to_string(), u.to_string()]);
        }
        rows.push(cells);
    }
    output::table(&rows)
}

fn more(entries: usize, shown: usize) -> String {
    match entries > shown {
        true => format!("  the first {shown} of {entries}, --all prints all\n"),
        false => String::new(),
    }
}

/// What the expander is told, one line for each list.
fn compressed(name: &str, filled: Option<&Filled>) -> String {
    let Some(filled) = filled else {
        return format!("expander, {name}: none\n");
    };
    let mut parts = Vec::new();
    if !filled.written.is_empty() {
        parts.push(format!("{} entries", filled.written.len()));
    }
    for fill in &filled.fills {
        parts.push(match fill {
            Fill::Nest(nest) => {
                let [a, b, c] = nest.counts;
                let [d, e, f] = nest.steps;
                format!(
                    "nest {a} x {b} x {c} from {}, steps {d}, {e}, {f}",
                    nest.value
                )
            }
            Fill::Repeat(repeat) => format!(
                "repeat {} entries {} times, step {}",
                repeat.block, repeat.blocks, repeat.step
            ),
        });
    }
    format!("expander, {name}: {}\n", parts.join("; "))
}

/// The tables for a program.
pub(super) fn json(tables: &Tables) -> Value {
    let found = compress(tables);
    json!({
        "bases": tables.bases,
        "offsets": tables.offsets,
        "running": tables.running,
        "unit_shift": tables.unit_shift,
        "masks": tables.masks.as_ref().map(|masks| json!({
            "rows": masks.rows,
            "cols": masks.cols,
            "taps": masks.taps,
        })),
        "pixels": tables.pixels,
        "outputs": tables.outputs,
        "weight_base": tables.weight_base,
        "expander": {
            "bases": found.bases.as_ref().map(|filled| json_filled(filled, Table::Bases)),
            "offsets": found.offsets.as_ref().map(|filled| json_filled(filled, Table::Offsets)),
        },
    })
}

/// Entries that are written one by one, and the register writes behind them.
fn json_filled(filled: &Filled, table: Table) -> Value {
    let fills = filled.fills.iter();
    json!({
        "written": filled.written.len(),
        "registers": fills.flat_map(|fill| fill.registers(table, 0)).collect::<Vec<_>>(),
    })
}
