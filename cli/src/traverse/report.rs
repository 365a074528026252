//! What is printed about a nest or record, as text and as JSON.

use heddle_arch::traverse::{Command, EndTest, Row, RowKind, UnitShape};
use heddle_blocks::nest::Plan;
use heddle_sim::traversal::RowRegisters;
use serde_json::{Value, json};

use super::replay::{Refusal, Replay, Taking, Traversal};
use crate::output;

/// Columns of the lines with addresses.
const LINE: usize = 100;

/// The report as text.
pub fn text(unit: &UnitShape, plan: Option<&Plan>, words: &[u32], replay: &Replay) -> String {
    let mut text = format!(
        "unit: {} rows of {} loops, offsets of {} bits, addresses of {} bits\n",
        unit.rows, unit.loops, unit.offset_bits, unit.address_bits
    );
    if let Some(plan) = plan {
        text += &format!("\n{}\n{}", arrays(plan), rows(plan));
    }
    for taking in &replay.instructions {
        text += &instruction(taking, plan, words);
    }
    if let Some(refusal) = &replay.refusal {
        text += &format!("\n{}\n", refused(refusal));
    }
    text
}

fn arrays(plan: &Plan) -> String {
    let heading = ["array", "base", "displacement", "end", "pitches"];
    let mut table = vec![heading.map(String::from).to_vec()];
    for array in &plan.arrays {
        let sizes: String = array.sizes.iter().map(|size| format!("[{size}]")).collect();
        table.push(vec![
            array.name.clone() + &sizes,
            array.base.to_string(),
            array.displacement.to_string(),
            array.end.to_string(),
            list(&array.pitches, ", "),
        ]);
    }
    output::table(&table)
}

fn rows(plan: &Plan) -> String {
    let heading = [
        "row",
        "kind",
        "attached to",
        "end test",
        "walks",
        "addresses",
    ];
    let mut table = vec![heading.map(String::from).to_vec()];
    for (row, count) in plan.rows.iter().zip(plan.addresses()) {
        let Row {
            kind, attach, test, ..
        } = row.row;
        table.push(vec![
            row.row.row.to_string(),
            kind_name(kind).to_string(),
            attach.map_or("-".to_string(), |attach| format!("loop {attach}")),
            test_name(test).to_string(),
            row.walks(),
            count.map_or("more than 2^128".to_string(), |count| count.to_string()),
        ]);
    }
    output::table(&table)
}

fn instruction(taking: &Taking, plan: Option<&Plan>, words: &[u32]) -> String {
    let Taking {
        command,
        start,
        traversal,
    } = taking;
    let length = command.words();
    let mut text = format!("\n{command}\n\nwords: {length}\n");
    let mut rest = &words[*start..start + length];
    for block in blocks(command) {
        let (line, behind) = rest.split_at(block.min(rest.len()));
        let line: Vec<String> = line.iter().map(|word| format!("{word:08x}")).collect();
        text += &format!("  {}\n", line.join(" "));
        rest = behind;
    }
    if let Some(traversal) = traversal {
        text += &format!("\n{}\n", registers(traversal, plan));
        text += &addresses(traversal, plan);
    }
    text
}

/// Lengths of word 0 with the window, and of the row blocks.
fn blocks(command: &Command) -> Vec<usize> {
    let mut lengths: Vec<usize> = match command {
        Command::Traverse { rows, .. } => rows.iter().map(|r| 2 + 3 * r.loops.len()).collect(),
        Command::SetInitial { rows } => rows.iter().map(|r| 2 + r.initial.len()).collect(),
        Command::SetStep { rows } | Command::SetEnd { rows } => {
            rows.iter().map(|r| 1 + r.values.len()).collect()
        }
        Command::Start { .. } => Vec::new(),
    };
    let head = command.words() - lengths.iter().sum::<usize>();
    lengths.insert(0, head);
    lengths
}

/// The registers of all rows; loops in which all are 0 are left out behind the last other one.
fn registers(traversal: &Traversal, plan: Option<&Plan>) -> String {
    let heading = [
        "registers",
        "base",
        "loop",
        "index",
        "initial V",
        "step X",
        "end Y",
    ];
    let mut table = vec![heading.map(String::from).to_vec()];
    for (number, row) in traversal
        .registers
        .iter()
        .enumerate()
        .filter(|(_, row)| row.valid)
    {
        let planned = plan.and_then(|plan| plan.rows.get(number));
        let used =
            (0..row.initial.len()).rposition(|c| row.initial[c] | row.step[c] | row.end[c] != 0);
        let used = used.map_or(0, |last| last + 1);
        let loops = planned.map_or(used, |row| row.loops.len());
        let mut head = vec![format!("row {number}"), row.base.to_string()];
        for c in 0..loops {
            let index = planned.map_or("", |row| row.loops[c].index.as_str());
            let mut line = std::mem::replace(&mut head, vec![String::new(); 2]);
            line.extend([c.to_string(), index.to_string()]);
            line.extend([row.initial[c], row.step[c], row.end[c]].map(|v| v.to_string()));
            table.push(line);
        }
        if loops == 0 {
            table.push(head);
        }
    }
    output::table(&table)
}

/// One line, or more, for every run of a row.
fn addresses(traversal: &Traversal, plan: Option<&Plan>) -> String {
    let total = total(traversal, plan);
    let mut text = format!("addresses: {total}\n");
    for run in traversal.addresses.chunk_by(|a, b| a.0 == b.0) {
        let mut line = format!("  row {}:", run[0].0);
        for (_, address) in run {
            let item = format!(" {address}");
            if line.len() + item.len() > LINE {
                text += &format!("{line}\n");
                line = " ".repeat(8);
            }
            line += &item;
        }
        text += &format!("{line}\n");
    }
    let shown = traversal.addresses.len();
    if traversal.more {
        text += &format!("  the first {shown}, --all prints all\n");
    }
    text
}

/// Number of addresses with those of each row, such as `15 (row 0: 3, row 1: 12)`.
fn total(traversal: &Traversal, plan: Option<&Plan>) -> String {
    let mut counts: Vec<(usize, Option<u128>)> = Vec::new();
    match plan {
        Some(plan) => counts.extend(plan.addresses().into_iter().enumerate()),
        None => {
            let valid = |row: &usize| traversal.registers[*row].valid;
            let rows = (0..traversal.counts.len()).filter(valid);
            counts.extend(rows.map(|row| (row, Some(traversal.counts[row] as u128))));
        }
    }
    let unknown = || "more than 2^128".to_string();
    let sum = counts
        .iter()
        .try_fold(0u128, |sum, (_, count)| sum.checked_add((*count)?));
    let sum = sum.map_or_else(unknown, |sum| sum.to_string());
    let more = if plan.is_none() && !traversal.complete {
        "more than "
    } else {
        ""
    };
    let rows: Vec<String> = counts
        .into_iter()
        .map(|(row, count)| {
            format!(
                "row {row}: {}",
                count.map_or_else(unknown, |c| c.to_string())
            )
        })
        .collect();
    format!("{more}{sum} ({})", rows.join(", "))
}

fn refused(refusal: &Refusal) -> String {
    let Refusal {
        error,
        instruction,
        word,
        explanation,
    } = refusal;
    let what = match error {
        Some(error) => format!("stopped with error {} {}", error.number(), error.name()),
        None => "incomplete, the unit waits".to_string(),
    };
    format!("{what} at instruction {instruction}, word {word}: {explanation}")
}

/// The report as JSON.
pub fn json(unit: &UnitShape, plan: Option<&Plan>, words: &[u32], replay: &Replay) -> Value {
    let instructions = replay.instructions.iter();
    let mut report = json!({
        "unit": {
            "rows": unit.rows,
            "loops": unit.loops,
            "offset_bits": unit.offset_bits,
            "address_bits": unit.address_bits,
            "equality": unit.equality,
            "trips": unit.trips,
            "attach": unit.attach,
            "group_setup": unit.group_setup,
        },
        "words": words,
        "instructions": instructions.map(|t| json_instruction(t, plan)).collect::<Vec<_>>(),
        "refusal": replay.refusal.as_ref().map(|refusal| json!({
            "code": refusal.error.map(|error| error.number()),
            "name": refusal.error.map(|error| error.name()),
            "instruction": refusal.instruction,
            "word": refusal.word,
            "message": refusal.explanation,
        })),
    });
    if let Some(plan) = plan {
        report["arrays"] = plan
            .arrays
            .iter()
            .map(|array| {
                json!({
                    "name": array.name,
                    "sizes": array.sizes,
                    "element_bytes": array.element_bytes,
                    "base": array.base,
                    "displacement": array.displacement,
                    "end": array.end,
                    "pitches": array.pitches,
                })
            })
            .collect();
        report["rows"] = plan
            .rows
            .iter()
            .map(|row| {
                json!({
                    "row": row.row.row,
                    "kind": kind_name(row.row.kind),
                    "attach": row.row.attach,
                    "test": test_name(row.row.test),
                    "walks": row.walks(),
                    "loops": row.loops.iter().map(|l| json!({
                        "index": l.index,
                        "start": l.start,
                        "step": l.step,
                        "trips": l.trips,
                    })).collect::<Vec<_>>(),
                })
            })
            .collect();
    }
    report
}

fn json_instruction(taking: &Taking, plan: Option<&Plan>) -> Value {
    let mut value = json!({
        "name": taking.command.name(),
        "text": taking.command.to_string(),
        "start": taking.start,
        "words": taking.command.words(),
    });
    let Some(traversal) = &taking.traversal else {
        return value;
    };
    let counted: Vec<Option<u128>> = match plan {
        Some(plan) => plan.addresses(),
        None => traversal
            .counts
            .iter()
            .map(|count| Some(*count as u128))
            .collect(),
    };
    // JSON readers have no larger numbers.
    let number = |count: Option<u128>| count.and_then(|count| u64::try_from(count).ok());
    let register = |(row, registers): (usize, &RowRegisters)| {
        json!({
            "row": row,
            "base": registers.base,
            "initial": registers.initial,
            "step": registers.step,
            "end": registers.end,
            "count": number(counted[row]),
        })
    };
    let rows = traversal.registers.iter().enumerate();
    let registers: Vec<Value> = rows.filter(|(_, row)| row.valid).map(register).collect();
    let sum = counted
        .iter()
        .try_fold(0u128, |sum, count| sum.checked_add((*count)?));
    let addresses = traversal.addresses.iter();
    value["registers"] = registers.into();
    value["count"] = json!(number(sum));
    value["count_complete"] = json!(plan.is_some() || traversal.complete);
    value["addresses"] = addresses
        .map(|(row, address)| json!([row, address]))
        .collect();
    value
}

fn kind_name(kind: RowKind) -> &'static str {
    match kind {
        RowKind::Prologue => "prologue",
        RowKind::Tensor => "tensor",
        RowKind::Epilogue => "epilogue",
    }
}

fn test_name(test: EndTest) -> &'static str {
    match test {
        EndTest::AtLeast => "at_least",
        EndTest::Equal => "equal",
        EndTest::Trips => "trips",
    }
}

fn list(items: &[impl ToString], between: &str) -> String {
    let items: Vec<String> = items.iter().map(ToString::to_string).collect();
    items.join(between)
}
