//! The linters and how each of them is asked.

use super::sources::Sources;
use super::tools::{self, Tool};

/// One linter.
pub struct Check {
    /// Name for the user.
    pub tool: &'static str,
    /// Where it is.
    pub find: fn() -> Option<Tool>,
    /// What makes it print its version.
    pub version_argument: &'static str,
    /// What makes it check the sources below a top; it runs in their folder.
    pub arguments: fn(&Sources, &str) -> Vec<String>,
}

/// Verible's rules that ask for SystemVerilog.
const VERIBLE_RULES: &str =
    "--rules=-always-comb,-explicit-parameter-storage-type,-unpacked-dimensions-range-ordering";

/// Runs slang's own driver.
const SLANG_DRIVER: &str = "\
import shlex, sys
from pyslang import driver
run = driver.Driver()
run.addStandardArgs()
ready = run.parseCommandLine(shlex.join(['slang', *sys.argv[1:]])) and run.processOptions()
sys.exit(not (ready and run.parseAllSources() and run.runFullCompilation(True)))";

/// All linters, in the order of the report.
pub fn all() -> [Check; 6] {
    [
        Check {
            tool: "verilator",
            find: || tools::program("verilator"),
            version_argument: "--version",
            arguments: verilator,
        },
        Check {
            tool: "verilator (Python package)",
            find: tools::packaged_verilator,
            version_argument: "--version",
            arguments: |sources, top| {
                let mut arguments = verilator(sources, top);
                arguments.insert(0, "--quiet".to_string());
                arguments
            },
        },
        Check {
            tool: "iverilog",
            find: || tools::program("iverilog"),
            version_argument: "-V",
            arguments: |sources, top| {
                let options = ["-g2005", "-Wall", "-t", "null", "-s", top];
                with_files(&options, sources)
            },
        },
        Check {
            tool: "yosys",
            find: || tools::program("yosys"),
            version_argument: "-V",
            arguments: |sources, top| {
                let files = sources.files.join(" ");
                let script = format!(
                    "read_verilog {files}; hierarchy -check -top {top}; proc; check -assert; \
                     select -assert-none t:$dlatch t:$adlatch t:$dlatchsr"
                );
                ["-q", "-e", ".", "-p", &script].map(String::from).to_vec()
            },
        },
        Check {
            tool: "slang",
            find: || tools::slang(SLANG_DRIVER),
            version_argument: "--version",
            arguments: |sources, top| {
                let options = ["--std", "1364-2005", "-Wextra", "-Werror", "--top", top];
                with_files(&options, sources)
            },
        },
        Check {
            tool: "verible-verilog-lint",
            find: tools::verible,
            version_argument: "--version",
            arguments: |sources, _| with_files(&[VERIBLE_RULES], sources),
        },
    ]
}

fn verilator(sources: &Sources, top: &str) -> Vec<String> {
    let options = ["--lint-only", "-Wall", "--top-module", top];
    with_files(&options, sources)
}

fn with_files(options: &[&str], sources: &Sources) -> Vec<String> {
    let options = options.iter().map(|option| option.to_string());
    options.chain(sources.files.iter().cloned()).collect()
}
