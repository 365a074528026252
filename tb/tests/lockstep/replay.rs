//! Programs in lockstep once more in Icarus Verilog, which knows X: memories and registers without reset hold nothing
//! that is known. And on netlists, whose cells have models of their makers.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use heddle_arch::params::{Params, TableMemory};
use heddle_tb::host::Access;
use heddle_tb::verilate::Sources;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use tempfile::TempDir;

use crate::machines::dump::encode;
use crate::machines::pair::{End, Pair};
use crate::machines::{self, Machine};
use crate::rtl::{self, Checked, OrPanic, mutated};

const BENCH: &str = include_str!("replay.v");

/// What a host does for random legal programs, and the answers, which are those of the golden machine: a line each.
fn accesses(params: &Params, programs: u32) -> String {
    let mut machine = Machine::new(params.clone());
    machine.recorded = true;
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut pair = Pair::new(&machine, 1, &mut rng).or_panic();
    let mut halted = 0;
    for _ in 0..programs {
        let (_, program) = pair.defined_program(&mut rng, |_, _| 0);
        pair.write_program(0, &encode(&program));
        match pair.run(0, 500_000).or_panic() {
            End::Halt(_) => halted += 1,
            _ => pair.prepare().or_panic(),
        }
    }
    pair.compare().or_panic();
    assert!(halted > 0, "none of {programs} programs reached HALT");
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

/// Runs the files of a folder, machines with their accesses; what the benches say if it is not PASS for each.
fn replay(folder: &Path, machines: &[(&str, &str)], defined: &[&str]) -> Checked {
    let mut roots = String::new();
    for (top, accesses) in machines {
        let bench = BENCH
            .replace("MACHINE", top)
            .replace("COUNT", &accesses.lines().count().to_string());
        fs::write(folder.join(format!("replay_{top}.v")), bench).expect("a folder of ours");
        fs::write(folder.join(format!("{top}.hex")), accesses).expect("a folder of ours");
        write!(roots, " -s replay_{top}").expect("a string takes all");
    }
    let defined: String = defined.iter().map(|name| format!(" -D{name}")).collect();
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
    run(&format!("iverilog -g2005{defined}{roots} -o replay *.v"));
    let said = run("vvp -n replay");
    match said.lines().eq(machines.iter().map(|_| "PASS")) {
        true => Ok(()),
        false => Err(said),
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
        replay(
            folder.path(),
            &[(&sources.top, &accesses)],
            &["HEDDLE_ASSERT"],
        )
    };
    run(&sources).or_panic();
    // Registers without their resets.
    for module in ["heddle_host_port", "heddle_weight_issue"] {
        let mutant = mutated(&sources, module, "if (!rst_n)", "if (1'b0)");
        run(&mutant).expect_err(module);
    }
}

/// Small machines that differ in their memories: the mask in the words, slices of other widths, lanes written one by one.
fn small_machines() -> [Params; 3] {
    let slices = [
        ("a", r#""widths": [4, 4], "mask": "field""#),
        ("b", r#""widths": [2, 6]"#),
        ("c", r#""widths": [4, 4], "write": "exact""#),
    ];
    slices.map(|(name, slices)| machines::sliced(name, slices))
}

/// The modules of `ram_stub.v` with macros as those of OpenRAM: address and data are taken at the rising edge, the word is
/// there behind the falling one and for half a clock only, and nothing is known of a word that is read while it is written.
fn with_macros(stub: &str) -> String {
    let (mut macros, mut hold) = (0, false);
    let mut out = String::new();
    for line in stub.lines() {
        if line.starts_with("module ") {
            hold = line.contains("_hold ");
        }
        let read = [
            (
                "if (ren_i) rdata_o <= mem_q[raddr_i];",
                "ren_i",
                "raddr_i",
                "|wen_i && waddr_i === raddr_i",
            ),
            (
                "if (en_i && !wen_i) rdata_o <= mem_q[addr_i];",
                "en_i && !wen_i",
                "addr_i",
                "1'b0",
            ),
        ];
        match read.into_iter().find(|(text, ..)| line.trim() == *text) {
            None => out += line,
            Some((_, read, address, meets)) => {
                macros += 1;
                let keep = if hold { "if (reads) " } else { "" };
                writeln!(
                    out,
                    "    reads = {read};\n    meets = {meets};\n    at = {address};\n    {keep}rdata_o <= 'bx;\n  end\n  \
                     reg reads, meets;\n  integer at;\n  always @(negedge clk) begin\n    \
                     if (reads && !meets) rdata_o <= mem_q[at];"
                )
                .expect("a string takes all");
            }
        }
        out += "\n";
    }
    assert!(macros > 4, "{macros} macros");
    out
}

/// Every kind of memory, whose words are not known at first: as `heddle gen` writes it; one that shows a word in the clock after a
/// read alone, and nothing if it is written then; macros in `ram_stub.v`, of which tables have one port.
#[test]
fn four_machines_run_with_memories_of_three_kinds() {
    let run = |files: &[(String, String)], top: &str, accesses: &str, defined: &[&str]| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for (name, text) in files.iter().filter(|(name, _)| name.ends_with(".v")) {
            fs::write(folder.path().join(name), text).expect("a folder of ours");
        }
        replay(folder.path(), &[(top, accesses)], defined)
    };
    let [with_tables, other, exact] = small_machines();
    let with_tables = Params {
        name: "tables".into(),
        post: machines::pooling().post,
        ..with_tables
    };
    let mut runs = 0;
    for mut params in [with_tables, other, exact, machines::banked()] {
        let name = params.name.clone();
        let accesses = accesses(&params, 2);
        let design = machines::design(&params);
        let checked = ["HEDDLE_ASSERT"];
        run(&design.files(), &design.top, &accesses, &checked).or_panic();
        let unknown = machines::design(&params)
            .files()
            .into_iter()
            .map(|(name, text)| {
                let text = rtl::unknown(&name, &text);
                (name, text)
            });
        run(
            &unknown.collect::<Vec<_>>(),
            &design.top,
            &accesses,
            &checked,
        )
        .or_panic();
        params.table_memory = TableMemory::OnePort;
        let design = machines::design(&params);
        let one_port = ["HEDDLE_ASSERT"];
        run(&design.files(), &design.top, &accesses, &one_port).or_panic();
        let mut files = design.files();
        files.retain(|(name, _)| !name.starts_with("heddle_ram_"));
        let stub = files.iter_mut().find(|(name, _)| name == "ram_stub.v");
        let stub = &mut stub.expect("a machine has memories").1;
        *stub = with_macros(stub);
        let defined = ["HEDDLE_ASSERT", "HEDDLE_RAM_STUB"];
        run(&files, &design.top, &accesses, &defined).or_panic();
        // The word of a macro that comes a clock later is not the right one.
        let late = |text: &str| {
            text.replace(
                "always @(negedge clk) begin",
                "always @(negedge clk) begin #12",
            )
        };
        let files: Vec<_> = files
            .iter()
            .map(|(name, text)| (name.clone(), late(text)))
            .collect();
        run(&files, &design.top, &accesses, &defined).expect_err(&name);
        runs += 1;
    }
    assert_eq!(runs, 4);
}

/// Two machines of one folder whose slices differ in what their parameters do not say, and a third.
#[test]
fn machines_of_one_folder_run_as_one() {
    let machines = small_machines();
    let accesses = machines.each_ref().map(|params| accesses(params, 1));
    let designs = machines.each_ref().map(machines::design);
    let files = heddle_gen::files(&designs.each_ref(), &[]).expect("one text for each name");
    let count = |term: &str| {
        files
            .iter()
            .filter(|(name, _)| name.starts_with(term))
            .count()
    };
    assert!(count("heddle_sliced_pack") > 1 && count("heddle_pe_array") == 1);
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in files.iter().filter(|(name, _)| name.ends_with(".v")) {
        fs::write(folder.path().join(name), text).expect("a folder of ours");
    }
    let tops = [0, 1, 2].map(|i| (&*designs[i].top, &*accesses[i]));
    replay(folder.path(), &tops, &["HEDDLE_ASSERT"]).or_panic();
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
    replay(&folder, &[(&sources.top, &accesses)], &[]).or_panic();
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
    replay(&folder, &[(&sources.top, &accesses)], &[]).expect_err("a fault goes unnoticed");
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
