//! Handshakes of every module of the catalog in Icarus Verilog, which knows X: what is ready in reset, and what is known while
//! nothing is offered and no operand is.

use std::fmt::Write;
use std::process::Command;

use heddle_arch::params::Params;
use heddle_hdl::catalog;

use crate::machines;
use crate::rtl::{Checked, emitted_as, mutated};
use crate::sparse::machine;
use heddle_gen::TextStyle;
use heddle_tb::verilate::Sources;

/// A port of a module: its name without prefix, whether it is an input, its bits as they are declared.
struct Pin {
    name: String,
    input: bool,
    range: String,
}

/// The ports of the top of a design.
fn pins(sources: &Sources) -> Vec<Pin> {
    let file = format!("{}.v", sources.top);
    let (_, text) = sources
        .files
        .iter()
        .find(|(name, _)| *name == file)
        .expect("the top has a file");
    let (_, list) = text
        .split_once(&format!("module {} (", sources.top))
        .expect("a module");
    let (list, _) = list.split_once(");").expect("a list of ports");
    let lines = list
        .lines()
        .map(str::trim)
        .filter(|line| line.contains("put "));
    lines
        .map(|line| {
            let words: Vec<&str> = line.trim_end_matches(',').split_whitespace().collect();
            Pin {
                name: words.last().expect("a name").to_string(),
                input: words[0] == "input",
                range: words
                    .iter()
                    .find(|word| word.starts_with('['))
                    .map_or(String::new(), ToString::to_string),
            }
        })
        .collect()
}

/// Whether an input only means something while another one says so: those of a stream with a valid bit.
fn is_operand(pin: &Pin, pins: &[Pin]) -> bool {
    let streams = pins
        .iter()
        .filter(|pin| pin.input)
        .filter_map(|pin| pin.name.strip_suffix("valid_i"));
    let is_control = ["valid_i", "ready_i"]
        .iter()
        .any(|end| pin.name.ends_with(end));
    !is_control
        && streams
            .filter(|stream| !stream.is_empty())
            .any(|stream| pin.name.starts_with(stream))
}

fn ends(pin: &Pin, names: &[&str]) -> bool {
    names
        .iter()
        .any(|name| pin.name == *name || pin.name.ends_with(&format!("_{name}")))
}

/// A bench that holds a module in reset, then leaves it alone with unknown operands.
fn bench(sources: &Sources, pins: &[Pin]) -> String {
    let mut text = String::from("module bench;\n");
    let mut connections = Vec::new();
    let (mut unknown, mut idle) = (String::new(), String::new());
    for pin in pins {
        let kind = if pin.input { "reg" } else { "wire" };
        writeln!(text, "  {kind} {} {};", pin.range, pin.name).expect("a string takes all");
        connections.push(format!(".{0}({0})", pin.name));
        if pin.input && pin.name != "clk" && pin.name != "rst_n" {
            unknown += &format!("    {} = 'bx;\n", pin.name);
            if !is_operand(pin, pins) {
                idle += &format!("    {} = 0;\n", pin.name);
            }
        }
    }
    let outputs = |names: &[&str]| {
        let found: Vec<&str> = pins
            .iter()
            .filter(|pin| !pin.input && ends(pin, names))
            .map(|pin| pin.name.as_str())
            .collect();
        format!(
            "{{1'b0, {}}}",
            [&["1'b0"], found.as_slice()].concat().join(", ")
        )
    };
    let ready = outputs(&["ready_o"]);
    let code = outputs(&["error_code_o", "error_o"]);
    let known = outputs(&[
        "ready_o",
        "valid_o",
        "wen_o",
        "ren_o",
        "busy_o",
        "running_o",
        "done_o",
        "idle_o",
        "refused_o",
        "start_o",
    ]);
    let connections = connections.join(", ");
    write!(
        text,
        "  {} u_top ({connections});
  integer clocks;
  task step;
    begin
      #1;
      if (!rst_n && |{ready} !== 1'b0) $display(\"ready in reset, clock %0d: %b\", clocks, {ready});
      if (rst_n && ^{known} === 1'bx) $display(\"unknown, clock %0d: %b\", clocks, {known});
      if (rst_n && |{code} !== 1'b0) $display(\"error, clock %0d: %b\", clocks, {code});
      #1 clk = 1'b1;
      #2 clk = 1'b0;
    end
  endtask
  initial begin
    clk = 0;
    rst_n = 0;
{unknown}    for (clocks = 0; clocks < 3; clocks = clocks + 1) step;
{idle}    step;
    rst_n = 1;
    for (clocks = 0; clocks < 20; clocks = clocks + 1) step;
    // In the middle of a clock, and with registers that hold what they held.
    rst_n = 0;
{unknown}    step;
    $finish;
  end
endmodule
",
        sources.top
    )
    .expect("a string takes all");
    text
}

/// Runs the bench; what it says is what is wrong. How many readies there are.
fn check(sources: &Sources) -> Checked<usize> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let pins = pins(sources);
    for (name, text) in &sources.files {
        std::fs::write(folder.path().join(name), text).expect("a folder of ours");
    }
    std::fs::write(folder.path().join("bench.v"), bench(sources, &pins)).expect("a folder of ours");
    let command = "iverilog -g2005 -s bench -o bench *.v && vvp -n bench";
    let run = Command::new("sh")
        .args(["-c", command])
        .current_dir(folder.path())
        .output();
    let run = run.expect("there is a shell");
    let said = String::from_utf8_lossy(&[run.stdout, run.stderr].concat()).into_owned();
    match run.status.success() && said.lines().all(|line| line.contains("$finish called")) {
        true => Ok(pins
            .iter()
            .filter(|pin| !pin.input && ends(pin, &["ready_o"]))
            .count()),
        false => Err(format!("{}: {said}", sources.top)),
    }
}

fn emitted(name: &str, params: &Params) -> Sources {
    let block = catalog::build(name, params).expect("it is of the catalog");
    emitted_as(block.as_ref(), TextStyle::Structural)
}

/// The traversal unit of its own with two sets of registers.
fn double() -> Params {
    let mut params = machines::wide();
    params.traversal.unit.double_buffer = true;
    params
}

#[test]
fn nothing_is_ready_in_reset_and_nothing_depends_on_what_is_not_offered() {
    let (mut modules, mut readies) = (0, 0);
    let mut wrong = Vec::new();
    for params in [
        machines::tiny(),
        machines::pooling(),
        double(),
        machine::small(),
    ] {
        for entry in catalog::MODULES {
            let sources = emitted(entry.name, &params);
            if pins(&sources).iter().all(|pin| pin.name != "rst_n") {
                continue;
            }
            match check(&sources) {
                Ok(count) => {
                    modules += 1;
                    readies += count;
                }
                Err(message) => wrong.push(message),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Of so many modules with a reset; a machine has one, a sparse cluster three.
    assert_eq!((modules, readies), (200, 112));
}

#[test]
fn a_module_that_is_ready_in_reset_or_looks_at_an_idle_address_is_seen() {
    let top = emitted("top", &machines::tiny());
    for (from, says) in [
        ("rst_n & ", "ready in reset"),
        ("host_valid_i & ", "unknown"),
    ] {
        let wrong = mutated(&top, "heddle_host_port", from, "1'b1 & ");
        let message = check(&wrong).expect_err(from);
        assert!(message.contains(says), "{message}");
    }
}
