//! A folder of its own in which the binary runs.
// Each test file uses a part of this.
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// The tiny preset.
pub const CONFIG: &str = include_str!("../../../configs/tiny.json");
/// The tiny network.
pub const MODEL: &str = include_str!("../../../models/tiny.json");

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

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
        command
            .current_dir(self.path())
            .args(arguments)
            .env(
                "HEDDLE_VENV",
                concat!(env!("CARGO_MANIFEST_DIR"), "/../.venv"),
            )
            .stdin(Stdio::null());
        command
    }

    pub fn heddle(&self, arguments: &[&str]) -> Run {
        Self::run(self.command(arguments))
    }

    /// `heddle cosim` or `sim` with the models of all tests, which are built once: one at a time.
    pub fn simulate(&self, arguments: &[&str]) -> Run {
        static TURN: Mutex<()> = Mutex::new(());
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let mut command = self.command(arguments);
        command.env(
            "HEDDLE_CACHE",
            concat!(env!("CARGO_TARGET_TMPDIR"), "/models"),
        );
        Self::run(command)
    }

    fn run(mut command: Command) -> Run {
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
    pub fn refused(&self, arguments: &[&str], lines: &[&str]) {
        let before = self.content();
        let run = self.heddle(arguments);
        let expected: String = lines
            .iter()
            .map(|line| format!("error: {line}\n"))
            .collect();
        assert_eq!(run.stderr, expected, "{arguments:?}");
        assert_eq!(run.code, Some(2), "{arguments:?}");
        assert_eq!(run.stdout, "", "{arguments:?}");
        assert!(before == self.content(), "{arguments:?} changed the folder");
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
