//! Programs in lockstep once more in Icarus Verilog, which knows X: memories and registers without reset hold nothing
//! that is known. And on netlists, whose cells have models of their makers.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use heddle_arch::params::Params;
use heddle_tb::host::Access;
use heddle_tb::verilate::Sources;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use tempfile::TempDir;

use crate::machines::dump::encode;
use crate::machines::pair::{End, Pair};
use crate::machines::programs::random_program;
use crate::machines::{self, Machine};
use crate::rtl::{Checked, OrPanic, mutated};

const BENCH: &str = include_str!("replay.v");

/// What a host does for random legal programs, and the answers, which are those of the golden machine: a line each.
fn accesses(params: &Params, programs: u32) -> String {
    let mut machine = Machine::new(params.clone());
    machine.recorded = true;
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut pair = Pair::new(&machine, 1, &mut rng).or_panic();
    let mut halted = 0;
    for _ in 0..programs {
        let program = random_program(&mut rng, params);
        pair.write_program(0, &encode(&program));
        match pair.run(0, 500_000).or_panic() {
            End::Halt(_) => halted += 1,
            _ => pair.prepare().or_panic(),
        }
    }
    pair.compare().or_panic();
    assert!(2 * halted > programs, "{halted} reached HALT");
    let mut text = String::new();
    let mut line = |write: u8, address: u32, data: u64| {
        writeln!(text, "{write}{address:08x}{data:016x}").expect("a string takes all");
    };
    for access in pair.host.take_record() {
        match access {
            Access::Write { address, data } => line(1, address, data),
            Access::Read { addresses, answers } => {
                let pairs = addresses.into_iter().zip(answers);
                pairs.for_each(|(address, answer)| line(0, address, answer));
            }
            Access::Wait => {}
        }
    }
    text
}

/// Runs the files of a folder with these accesses; what the bench says if it is not PASS.
fn replay(folder: &Path, top: &str, accesses: &str) -> Checked {
    let bench = BENCH
        .replace("MACHINE", top)
        .replace("COUNT", &accesses.lines().count().to_string());
    fs::write(folder.join("replay.v"), bench).expect("a folder of ours");
    fs::write(folder.join("accesses.hex"), accesses).expect("a folder of ours");
    let run = |command: &str| {
        let output = Command::new("sh")
            .args(["-c", command])
            .current_dir(folder)
            .output();
        let output = output.expect("there is a shell");
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(output.status.success(), "{command}: {said}");
        said
    };
    run("iverilog -g2005 -s replay -o replay *.v");
    match run("vvp -n replay").trim() {
        "PASS" => Ok(()),
        said => Err(said.to_string()),
    }
}

/// Writes a design as `heddle gen` does.
fn write(sources: &Sources, folder: &Path) {
    let mut list = String::new();
    for (name, text) in &sources.files {
        fs::write(folder.join(name), text).expect("a folder of ours");
        list += &format!("{name}\n");
    }
    fs::write(folder.join("filelist.f"), list).expect("a folder of ours");
}

#[test]
fn no_output_is_x_after_the_reset_and_while_programs_run() {
    let params = machines::tiny();
    let accesses = accesses(&params, 4);
    let sources = machines::verilog(&params);
    let run = |sources: &Sources| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        write(sources, folder.path());
        replay(folder.path(), &sources.top, &accesses)
    };
    run(&sources).or_panic();
    // Registers without their resets.
    for module in ["heddle_host_port", "heddle_weight_issue"] {
        let mutant = mutated(&sources, module, "if (!rst_n)", "if (1'b0)");
        run(&mutant).expect_err(module);
    }
}

/// A folder with the netlist of a design in these cells in its folder `netlist`.
fn netlist(sources: &Sources, cells: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    write(sources, folder.path());
    let out = folder.path().join("netlist");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../scripts/netlist.sh");
    let made = Command::new(script)
        .args([folder.path(), Path::new(cells), &out])
        .status();
    assert!(made.expect("scripts/netlist.sh").success(), "{cells}");
    folder
}

/// Programs on the netlist of `tiny`, then on one with the sign and the lowest bit of all weights exchanged.
fn check_netlist(cells: &str) {
    let params = machines::tiny();
    let accesses = accesses(&params, 2);
    let sources = machines::verilog(&params);
    let folder = netlist(&sources, cells);
    let folder = folder.path().join("netlist");
    replay(&folder, &sources.top, &accesses).or_panic();
    let file = folder.join("netlist.v");
    let text = fs::read_to_string(&file).expect("yosys has written it");
    let bits = ["u_pe.active_q [0])", "u_pe.active_q [7])"];
    let register = |line: &str| line.trim_start().starts_with(".Q(");
    let exchanged = |line: &str| match bits.map(|bit| register(line) && line.contains(bit)) {
        [true, _] => line.replace(bits[0], bits[1]),
        [_, true] => line.replace(bits[1], bits[0]),
        _ => line.to_string(),
    };
    let faulty: Vec<String> = text.lines().map(exchanged).collect();
    let faulty = faulty.join("\n");
    assert_ne!(faulty, text.trim_end(), "no weight in the netlist");
    fs::write(&file, faulty).expect("a folder of ours");
    replay(&folder, &sources.top, &accesses).expect_err("a fault goes unnoticed");
}

#[test]
fn programs_run_on_the_netlist_of_ecp5_cells_slow() {
    check_netlist("ecp5");
}

#[test]
fn programs_run_on_the_netlist_of_osu035_cells_slow() {
    match Path::new("/usr/share/qflow/tech/osu035").exists() {
        true => check_netlist("osu035"),
        false => println!("skipped: apt-get install qflow-tech-osu035"),
    }
}
