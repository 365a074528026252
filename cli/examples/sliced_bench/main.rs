//! Measures what a sliced memory accesses, and writes the designs that `benches/sliced.md`
//! synthesises.
//!
//!     cargo run -p heddle-cli --example sliced_bench
//!     cargo run -p heddle-cli --example sliced_bench -- FOLDER
//!
//! The first writes and reads words of several origins on the verilated memories. The accesses at
//! the observation ports and at the RAMs must be those of the golden model, and the words read
//! those written; else the program panics. So it does if random words cost other bits than their
//! distribution says. The second writes the Verilog.

mod data;
mod designs;
mod ports;
mod run;

use std::path::Path;
use std::process::ExitCode;

use data::Set;
use run::{Bench, Result};

fn main() -> ExitCode {
    if let Some(folder) = std::env::args_os().nth(1) {
        let folder = Path::new(&folder);
        if let Err(error) = designs::write_all(folder) {
            eprintln!("sliced_bench: {}: {error}", folder.display());
            return ExitCode::from(2);
        }
        return ExitCode::SUCCESS;
    }
    let mut benches: Vec<Bench> = designs::candidates().into_iter().map(Bench::new).collect();
    for (title, sets) in [
        ("random words", data::sweep()),
        ("activations", data::tensors()),
        ("weights", data::weights()),
    ] {
        table(title, &sets, &mut benches);
    }
    ExitCode::SUCCESS
}

/// Bits of an access, then changes at the ports of the RAMs for a word written and read.
fn table(title: &str, sets: &[Set], benches: &mut [Bench]) {
    let names: Vec<&str> = benches.iter().map(|b| b.candidate.name).collect();
    let rows: Vec<(&Set, Vec<Result>)> = sets
        .iter()
        .map(|set| (set, benches.iter_mut().map(|b| b.run(set)).collect()))
        .collect();
    heading(title, &["words", "zero bytes"], &names);
    for (set, results) in &rows {
        let zeros = set.zero_share();
        print!("| {} | {} | {zeros:.1} % |", set.name, set.words.len());
        for result in results {
            print!(" {:.2} |", result.bits_per_access());
        }
        println!();
    }
    if sets.iter().any(|set| set.zero.is_some()) {
        heading(&format!("{title}, expected"), &[], &names);
        for (set, results) in &rows {
            print!("| {} |", set.name);
            for result in results {
                print!(" {:.2} |", result.expected.unwrap_or(f64::NAN));
            }
            println!();
        }
    }
    heading(&format!("{title}, changes"), &[], &names);
    for (set, results) in &rows {
        print!("| {} |", set.name);
        for result in results {
            print!(
                " {:.2} |",
                result.activity.changes() as f64 / set.words.len() as f64
            );
        }
        println!();
    }
    let parts = ["enables", "addresses", "written", "read"];
    let of = |name: &str| parts.map(|part| format!("{name}: {part}"));
    let columns = [of(names[0]), of(names[1])].concat();
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    heading(&format!("{title}, changes"), &[], &columns);
    for (set, results) in &rows {
        print!("| {} |", set.name);
        for result in &results[..2] {
            let a = &result.activity;
            for part in [a.enables, a.addresses, a.written, a.read] {
                print!(" {:.2} |", part as f64 / set.words.len() as f64);
            }
        }
        println!();
    }
}

fn heading(title: &str, first: &[&str], names: &[&str]) {
    let columns = [&[title], first, names].concat();
    println!("\n| {} |", columns.join(" | "));
    println!("|{}", "---|".repeat(columns.len()));
}
