//! Other people's tools: on the PATH, or in the Python environment beside the workspace or named
//! by `HEDDLE_VENV`. A tool that is missing is reported once and skipped.

pub mod printed;

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

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

/// A program with the arguments that come before all others.
pub struct Tool {
    /// Name for messages.
    pub name: &'static str,
    program: PathBuf,
    before: Vec<String>,
    environment: Vec<(&'static str, PathBuf)>,
}

impl Tool {
    /// Runs the tool in a folder; silent success is what we want.
    #[track_caller]
    pub fn check(&self, folder: &Path, arguments: &[&str]) {
        let text = self.prove(folder, arguments);
        assert!(text.is_empty(), "{} {arguments:?}:\n{text}", self.name);
    }

    /// Runs the tool in a folder: did it succeed, and what did it print?
    pub fn run(&self, folder: &Path, arguments: &[&str]) -> (bool, String) {
        let output = self.output(folder, arguments);
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text).into_owned();
        (output.status.success(), text)
    }

    fn output(&self, folder: &Path, arguments: &[&str]) -> std::process::Output {
        let mut command = Command::new(&self.program);
        command.args(&self.before).args(arguments);
        command.current_dir(folder);
        command.envs(self.environment.iter().map(|(key, value)| (key, value)));
        let output = command.output();
        output.unwrap_or_else(|e| panic!("{} does not start: {e}", self.name))
    }

    /// Runs the tool in a folder; success is what we want. Gives what it printed.
    #[track_caller]
    pub fn prove(&self, folder: &Path, arguments: &[&str]) -> String {
        let (success, text) = self.run(folder, arguments);
        assert!(success, "{} {arguments:?} failed:\n{text}", self.name);
        text
    }
}

/// Checks the files of a design with every tool there is.
#[track_caller]
pub fn lint(folder: &Path, top: &str, files: &[String]) {
    let script = format!(
        "read_verilog {}; hierarchy -check -top {top}; proc; check -assert; \
         select -assert-none t:$dlatch t:$adlatch t:$dlatchsr",
        files.join(" ")
    );
    let verilator = ["--lint-only", "-Wall", "--top-module", top];
    let newer = ["--quiet", "--lint-only", "-Wall", "--top-module", top];
    let iverilog = ["-g2005", "-Wall", "-o", "/dev/null", "-s", top];
    let slang = ["--std", "1364-2005", "-Wextra", "-Werror", "--top", top];
    let all: [(Option<Tool>, &[&str]); 5] = [
        (program("verilator"), &verilator),
        (packaged_verilator(), &newer),
        (program("iverilog"), &iverilog),
        (slang_driver(), &slang),
        (program("verible-verilog-lint"), &[VERIBLE_RULES]),
    ];
    for (tool, options) in all {
        let files = files.iter().map(String::as_str);
        let arguments: Vec<&str> = options.iter().copied().chain(files).collect();
        if let Some(tool) = tool {
            tool.check(folder, &arguments);
        }
    }
    if let Some(yosys) = program("yosys") {
        yosys.check(folder, &["-q", "-e", ".", "-p", &script]);
    }
}

/// A program on the PATH, else in an environment.
pub fn program(name: &'static str) -> Option<Tool> {
    let search = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&search).filter(|folder| folder.is_absolute());
    let folders = folders.chain(environments().into_iter().map(|root| root.join("bin")));
    let found = folders
        .map(|folder| folder.join(name))
        .find(|p| p.is_file());
    tool(name, found, Vec::new(), Vec::new())
}

/// The Verilator of an environment, usually newer than that of the distribution.
fn packaged_verilator() -> Option<Tool> {
    let root = package("verilator").map(|(_, root)| root);
    let program = root.as_ref().map(|root| root.join("bin/verilator"));
    let variables = root.map(|root| ("VERILATOR_ROOT", root));
    let variables = variables.into_iter().collect();
    tool("verilator (Python package)", program, Vec::new(), variables)
}

fn slang_driver() -> Option<Tool> {
    let program = package("pyslang").map(|(environment, _)| environment.join("bin/python"));
    let before = ["-c", SLANG_DRIVER].map(String::from).to_vec();
    tool(
        "slang (Python package pyslang)",
        program,
        before,
        Vec::new(),
    )
}

fn tool(
    name: &'static str,
    program: Option<PathBuf>,
    before: Vec<String>,
    environment: Vec<(&'static str, PathBuf)>,
) -> Option<Tool> {
    let Some(program) = program.filter(|program| program.is_file()) else {
        report(name);
        return None;
    };
    Some(Tool {
        name,
        program,
        before,
        environment,
    })
}

/// Says once that a tool is missing, past the capture of the test harness.
fn report(name: &'static str) {
    static SAID: Mutex<BTreeSet<&str>> = Mutex::new(BTreeSet::new());
    let first = SAID.lock().is_ok_and(|mut said| said.insert(name));
    if first {
        let line = format!("lint: {name} is missing, its checks are skipped\n");
        // Nothing to do if nobody listens.
        let _ = std::io::stderr().write_all(line.as_bytes());
    }
}

fn environments() -> Vec<PathBuf> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let named = std::env::var_os("HEDDLE_VENV").filter(|name| !name.is_empty());
    let named = named.map(|name| workspace.join(name));
    [Some(workspace.join(".venv")), named]
        .into_iter()
        .flatten()
        .collect()
}

/// The first environment that has a Python package, and the folder of the package.
fn package(name: &str) -> Option<(PathBuf, PathBuf)> {
    environments().into_iter().find_map(|root| {
        let pythons = std::fs::read_dir(root.join("lib")).ok()?;
        let mut pythons: Vec<PathBuf> = pythons.filter_map(|e| Some(e.ok()?.path())).collect();
        pythons.sort();
        let folders = pythons.into_iter();
        let mut folders = folders.map(|p| p.join("site-packages").join(name));
        let found = folders.find(|folder| folder.is_dir())?;
        Some((root, found))
    })
}
