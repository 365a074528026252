//! Measures what the binding costs: clocks per second of a verilated design through
//! `Model`, against a stand-alone C++ program with the same loop built by Verilator itself.
//!
//! `cargo run --release -p heddle-tb --example cosim_speed`. Exit code 1 if `run_until` reaches
//! less than 0.9 of the C++ program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

use heddle_tb::Model;
use heddle_tb::verilate::{Options, Sources, Verilator, build_shared};

/// Best of this many runs each, taken in turns: the machine is shared.
const RUNS: usize = 7;

const LIMIT: f64 = 0.9;

struct Design {
    name: &'static str,
    what: &'static str,
    text: &'static str,
    cycles: u64,
}

const DESIGNS: [Design; 2] = [
    Design {
        name: "counter",
        what: "one 32-bit counter",
        cycles: 30_000_000,
        text: "
module counter (
  input wire clk,
  input wire rst_n,
  input wire [7:0] step_i,
  output reg [31:0] count_o
);
  always @(posedge clk)
    if (!rst_n) count_o <= 32'd0;
    else count_o <= count_o + {24'd0, step_i};
endmodule
",
    },
    Design {
        name: "macs",
        what: "counter and 64 multiply-accumulate cells",
        cycles: 3_000_000,
        text: "
module macs (
  input wire clk,
  input wire rst_n,
  input wire [7:0] step_i,
  output reg [31:0] count_o,
  output wire [31:0] sum_o
);
  reg [31:0] acc_q[0:63];
  integer i;
  always @(posedge clk)
    if (!rst_n) begin
      count_o <= 32'd0;
      for (i = 0; i < 64; i = i + 1) acc_q[i] <= i;
    end else begin
      count_o <= count_o + {24'd0, step_i};
      acc_q[0] <= acc_q[63] + count_o;
      for (i = 1; i < 64; i = i + 1)
        acc_q[i] <= acc_q[i - 1] + ({24'd0, acc_q[i][7:0]} * {24'd0, acc_q[i - 1][15:8]});
    end
  assign sum_o = acc_q[63];
endmodule
",
    },
];

/// The same loop as in the shim, without anything around it. Prints nanoseconds.
fn bare_main(design: &Design) -> String {
    let Design { name, cycles, .. } = design;
    format!(
        r#"#include <chrono>
#include <cstdio>
#include "V{name}.h"
#include "verilated.h"
int main() {{
  VerilatedContext context;
  V{name} top{{&context}};
  auto cycle = [&] {{
    top.clk = 1;
    top.eval();
    top.clk = 0;
    top.eval();
  }};
  top.eval();
  cycle();
  top.rst_n = 1;
  top.step_i = 1;
  auto start = std::chrono::steady_clock::now();
  uint64_t n = 0;
  do {{
    cycle();
    n++;
  }} while (top.count_o != {cycles} && n < 2 * {cycles}ull);
  std::chrono::nanoseconds time = std::chrono::steady_clock::now() - start;
  std::printf("%lld\n", static_cast<long long>(time.count()));
  return n == {cycles} ? 0 : 1;
}}
"#
    )
}

/// Builds the C++ program with Verilator's own make flow.
fn build_bare(design: &Design, tool: &Verilator, folder: &Path) -> PathBuf {
    let file = format!("{}.v", design.name);
    fs::write(folder.join(&file), design.text).expect("the folder is ours");
    fs::write(folder.join("main.cpp"), bare_main(design)).expect("the folder is ours");
    let output = Command::new(&tool.program)
        .env("VERILATOR_ROOT", &tool.root)
        .current_dir(folder)
        .args(["--cc", "--exe", "--build", "-O3", "--no-assert"])
        .args(["--x-assign", "fast", "--x-initial", "fast"])
        .args(["-MAKEFLAGS", "OPT_FAST=-O2 OPT_SLOW=-O2 OPT_GLOBAL=-O2"])
        .args(["--Mdir", "build", "-o", "bare", "main.cpp", &file])
        .output()
        .expect("verilator was found");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    folder.join("build/bare")
}

fn time_bare(program: &Path) -> f64 {
    let output = Command::new(program).output().expect("the program exists");
    assert!(output.status.success(), "the counter missed its value");
    let text = String::from_utf8_lossy(&output.stdout);
    text.trim().parse().expect("the program prints a number")
}

fn prepared(library: &Path) -> Model {
    let mut model = Model::load(library).expect("the library was just built");
    model.clock();
    let port = |name| model.port(name).expect("the text declares it");
    let (rst_n, step) = (port("rst_n"), port("step_i"));
    model.set(rst_n, 1);
    model.set(step, 1);
    model
}

fn time_ns(run: impl FnOnce()) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_nanos() as f64
}

fn main() -> ExitCode {
    let tool = match Verilator::find() {
        Ok(tool) => tool,
        Err(error) => {
            eprintln!("cosim_speed: {error}");
            return ExitCode::from(2);
        }
    };
    println!("{}, -O2, best of {RUNS} runs\n", tool.version);
    println!("| design | loop | million cycles/s | of bare C++ |");
    println!("|---|---|---|---|");
    let mut passed = true;
    for design in &DESIGNS {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let bare = build_bare(design, &tool, folder.path());
        let sources = Sources::single(design.name, design.text);
        let library = build_shared(&sources, &Options::default()).expect("the text is legal");
        let mut best = [f64::INFINITY; 4];
        for _ in 0..RUNS {
            let mut model = prepared(&library);
            let port = |name| model.port(name).expect("the text declares it");
            let (count, step) = (port("count_o"), port("step_i"));
            let times = [
                time_bare(&bare),
                time_ns(|| {
                    let cycles = model.run_until(count, design.cycles, 2 * design.cycles);
                    assert_eq!(cycles, Some(design.cycles));
                }),
                time_ns(|| model.cycles(design.cycles)),
                time_ns(|| {
                    let mut changes = 1u64;
                    for _ in 0..design.cycles {
                        model.set(step, changes & 1);
                        model.clock();
                        changes += model.get(count) & 3;
                    }
                    assert!(changes > 1);
                }),
            ];
            for (best, time) in best.iter_mut().zip(times) {
                *best = best.min(time);
            }
        }
        let loops = [
            "bare C++",
            "`run_until`",
            "`cycles`",
            "Rust: set, `clock`, get",
        ];
        for (name, time) in loops.iter().zip(best) {
            let speed = design.cycles as f64 / time * 1e3;
            let ratio = best[0] / time;
            println!("| {} | {name} | {speed:.2} | {ratio:.2} |", design.what);
        }
        passed &= best[0] / best[1] >= LIMIT;
    }
    if passed {
        return ExitCode::SUCCESS;
    }
    eprintln!("cosim_speed: run_until reaches less than {LIMIT} of bare C++");
    ExitCode::FAILURE
}
