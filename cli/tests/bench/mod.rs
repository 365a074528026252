//! A folder of its own in which the binary runs.
// Each test file uses a part of this.
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

/// The tiny preset.
pub const CONFIG: &str = include_str!("../../../configs/tiny.json");
/// The tiny network.
pub const MODEL: &str = include_str!("../../../models/tiny.json");

/// The arguments of a command line; one with spaces stands between single quotes.
fn split(line: &str) -> impl Iterator<Item = &str> {
    let parts = line.split('\'').enumerate();
    parts.flat_map(|(at, part)| match at % 2 {
        0 => part.split_whitespace().collect(),
        _ => vec![part],
    })
}

/// What a run gave.
pub struct Run {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// A temporary folder.
pub struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    /// A folder with these files.
    pub fn new(files: &[(&str, &str)]) -> Bench {
        let bench = Bench {
            folder: tempfile::tempdir().expect("a temporary folder"),
        };
        for (name, text) in files {
            bench.write(name, text);
        }
        bench
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path().join(name);
        let parent = path.parent().expect("inside the folder");
        std::fs::create_dir_all(parent).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }

    pub fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
        let venv = concat!(env!("CARGO_MANIFEST_DIR"), "/../.venv");
        command
            .current_dir(self.path())
            .args(split(line))
            .env("HEDDLE_VENV", venv)
            .stdin(Stdio::null());
        command
    }

    /// The binary in a shell with these limits (`-f 100`); the line is one for the shell.
    pub fn limited(&self, limits: &str, line: &str) -> Command {
        let script = format!("ulimit {limits}; exec \"$0\" {line}");
        let mut shell = Command::new("bash");
        shell
            .args(["-c", &script])
            .arg(env!("CARGO_BIN_EXE_heddle"))
            .current_dir(self.path());
        shell
    }

    pub fn heddle(&self, line: &str) -> Run {
        Self::run(self.command(line))
    }

    /// Runs the binary, asserts that it ends with 0 and without a message, and gives what it prints.
    #[track_caller]
    pub fn done(&self, line: &str) -> String {
        let run = self.heddle(line);
        let ended = (run.code, run.stderr.as_str());
        assert_eq!(ended, (Some(0), ""), "{line}: {}", run.stdout);
        run.stdout
    }

    /// The JSON that a run prints which must be [`done`](Self::done).
    #[track_caller]
    pub fn json(&self, line: &str) -> Value {
        serde_json::from_str(&self.done(line)).expect("JSON")
    }

    /// The text of a file of the folder.
    #[track_caller]
    pub fn read(&self, name: &str) -> String {
        let path = self.path().join(name);
        std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The file of a module whose name is this, but for the hash, in a folder of Verilog.
    pub fn module(&self, folder: &str, name: &str) -> Option<String> {
        let entries = std::fs::read_dir(self.path().join(folder)).expect("a folder");
        let names = entries.map(|entry| entry.expect("an entry").file_name());
        let mut names = names.map(|name| name.to_string_lossy().into_owned());
        let file = names.find(|file| {
            let hash = file
                .strip_suffix(".v")
                .and_then(|file| file.rsplit_once('_'));
            hash.is_some_and(|(stem, hash)| stem == name && hash.len() == 8)
        });
        file.map(|file| format!("{folder}/{file}"))
    }

    /// `heddle cosim` or `sim` with the models of all tests, which are built once: one at a time.
    pub fn simulate(&self, line: &str) -> Run {
        static TURN: Mutex<()> = Mutex::new(());
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        self.with_cache(self.command(line))
    }

    /// Runs a command with the models of all tests.
    pub fn with_cache(&self, mut command: Command) -> Run {
        command.env(
            "HEDDLE_CACHE",
            concat!(env!("CARGO_TARGET_TMPDIR"), "/models"),
        );
        Self::run(command)
    }

    pub fn run(mut command: Command) -> Run {
        let result = command.output().expect("the binary runs");
        Run {
            code: result.status.code(),
            stdout: String::from_utf8(result.stdout).expect("text"),
            stderr: String::from_utf8(result.stderr).expect("text"),
        }
    }

    /// Runs the binary and asserts that it refuses with exactly these lines, says nothing else,
    /// and changes nothing in the folder.
    #[track_caller]
    pub fn refused(&self, line: &str, lines: &[&str]) {
        let before = self.content();
        let run = self.heddle(line);
        let expected = lines.iter().map(|text| format!("error: {text}\n"));
        let expected: String = expected.collect();
        assert_eq!(run.stderr, expected, "{line}");
        assert_eq!(run.code, Some(2), "{line}");
        assert_eq!(run.stdout, "", "{line}");
        assert!(before == self.content(), "{line} changed the folder");
    }

    /// As [`refused`](Self::refused) for each row: more arguments, then the lines, with ` | ` between them.
    #[track_caller]
    pub fn refusals(&self, command: &str, rows: &[&str]) {
        for row in rows {
            let (arguments, lines) = row.split_once("| ").expect("arguments and lines");
            let lines: Vec<&str> = lines.split(" | ").collect();
            self.refused(&format!("{command} {arguments}"), &lines);
        }
    }

    /// Asserts for each row, arguments and ` | ` and a part of the message, that they are refused in one line.
    #[track_caller]
    pub fn refused_with(&self, rows: &[&str]) {
        for row in rows {
            let (line, part) = row.split_once(" | ").expect("arguments and a message");
            let run = self.heddle(line);
            let told = run.stderr.lines().count() == 1 && run.stderr.contains(part);
            assert!(told, "{line}: {}", run.stderr);
            assert_eq!(run.code, Some(2), "{line}: {}", run.stdout);
        }
    }

    /// All files and folders with their contents.
    pub fn content(&self) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        let mut content = BTreeMap::new();
        let mut folders = vec![self.path().to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    content.insert(path.clone(), None);
                    folders.push(path);
                } else {
                    content.insert(path.clone(), std::fs::read(&path).ok());
                }
            }
        }
        content
    }
}
