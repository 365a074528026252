//! Measures what a sliced memory accesses.
//!
//!     cargo run -p heddle-cli --example sliced_bench
//!
//! writes and reads words of several origins on the verilated memories. The accesses at
//! the observation ports and at the RAMs must be those of the golden model, and the words read
//! those written; else the program panics. So it does if random words cost other bits than their
//! distribution says.

mod data;
mod designs;
mod ports;
mod run;

use data::Set;
use run::{Bench, Result};

fn main() {
    let mut benches: Vec<Bench> = designs::candidates().into_iter().map(Bench::new).collect();
    for (title, sets) in [
        ("random words", data::sweep()),
        ("activations", data::tensors()),
        ("weights", data::weights()),
    ] {
        table(title, &sets, &mut benches);
    }
}

/// Bits of an access, then changes at the ports of the RAMs for a word written and read.
fn table(title: &str, sets: &[Set], benches: &mut [Bench]) {
    let names: Vec<&str> = benches.iter().map(|b| b.candidate.name).collect();
    let rows: Vec<(&Set, Vec<Result>)> = sets
        .iter()
        .map(|set| (set, benches.iter_mut().map(|b| b.run(set)).collect()))
        .collect();
    let print = |what: &str, columns: &[&str], cells: &dyn Fn(&Set, &[Result]) -> Vec<f64>| {
        let title = format!("{title}{what}");
        let columns = [&[title.as_str()], columns].concat();
        println!(
            "\n| {} |\n|{}",
            columns.join(" | "),
            "---|".repeat(columns.len())
        );
        for (set, results) in &rows {
            let cells = cells(set, results).into_iter();
            let cells: Vec<String> = cells.map(|cell| format!("{cell:.2}")).collect();
            println!("| {} | {} |", set.name, cells.join(" | "));
        }
    };
    print(
        "",
        &[&["words", "zero bytes, %"], &names[..]].concat(),
        &|set, results| {
            let bits = results.iter().map(Result::bits_per_access);
            [set.words.len() as f64, set.zero_share()]
                .into_iter()
                .chain(bits)
                .collect()
        },
    );
    if sets.iter().all(|set| set.zero.is_some()) {
        print(", expected", &names, &|_, results| {
            results
                .iter()
                .filter_map(|result| result.expected)
                .collect()
        });
    }
    let of_word = |set: &Set, changes: u64| changes as f64 / set.words.len() as f64;
    print(", changes", &names, &|set, results| {
        let changes = results.iter().map(|result| result.activity.changes());
        changes.map(|changes| of_word(set, changes)).collect()
    });
    let parts = ["enables", "addresses", "written", "read"];
    let columns = names[..2]
        .iter()
        .flat_map(|name| parts.map(|part| format!("{name}: {part}")));
    let columns: Vec<String> = columns.collect();
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    print(", changes", &columns, &|set, results| {
        let parts = results[..2].iter().flat_map(|result| {
            let a = &result.activity;
            [a.enables, a.addresses, a.written, a.read]
        });
        parts.map(|changes| of_word(set, changes)).collect()
    });
}
