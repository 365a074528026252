//! Measures what a large machine costs in Verilator: the time to build its model, its speed at rest and in
//! a transpose of a block as large as the array, which is checked.
//!
//! `cargo run -p heddle-tb --example large_machines -- ROWS COLS structural|loops flat|blocks`, with
//! `HEDDLE_CACHE` set to an empty folder.

use std::process::ExitCode;
use std::time::Instant;

use heddle_gen::TextStyle;
use machine::Form;

#[path = "../tests/large/machine.rs"]
mod machine;

/// Clocks at rest are counted for this long.
const REST_SECONDS: f64 = 5.0;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match form(&arguments).and_then(|(rows, cols, form)| measure(rows, cols, form)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("large_machines: {message}");
            ExitCode::from(2)
        }
    }
}

fn form(arguments: &[String]) -> Result<(u32, u32, Form), String> {
    let usage = "expected ROWS COLS structural|loops flat|blocks";
    let [rows, cols, style, mode] = arguments else {
        return Err(usage.into());
    };
    let size = |text: &str| match text.parse() {
        Ok(size @ 1..=128) => Ok(size),
        _ => Err(format!("size is {text:?}, expected 1 to 128")),
    };
    let style = match style.as_str() {
        "structural" => TextStyle::Structural,
        "loops" => TextStyle::Loops,
        _ => return Err(usage.into()),
    };
    let has_blocks = match mode.as_str() {
        "flat" => false,
        "blocks" => true,
        _ => return Err(usage.into()),
    };
    let form = Form { style, has_blocks };
    Ok((size(rows)?, size(cols)?, form))
}

fn measure(rows: u32, cols: u32, form: Form) -> Result<(), String> {
    let params = machine::params(machine::LARGE, rows, cols);
    let begin = Instant::now();
    let sources = machine::verilog(&params, form.style);
    println!("Verilog   {:8.1} s", begin.elapsed().as_secs_f64());
    let begin = Instant::now();
    let mut host = machine::host(&sources, &params, form);
    println!("model     {:8.1} s", begin.elapsed().as_secs_f64());

    let took = machine::transpose(&mut host, &params, |row, col| (row * 31 + col * 7) as i8)?;
    let seconds = took.time.as_secs_f64();
    println!(
        "transpose {seconds:8.1} s, {} clocks of the program, {} in all, {:.0} clocks/s",
        took.program_clocks,
        took.all_clocks,
        took.all_clocks as f64 / seconds
    );
    let (begin, mut clocks) = (Instant::now(), 0);
    while begin.elapsed().as_secs_f64() < REST_SECONDS {
        host.model().cycles(100);
        clocks += 100;
    }
    let speed = f64::from(clocks) / begin.elapsed().as_secs_f64();
    println!("at rest   {speed:8.0} clocks/s");
    Ok(())
}
