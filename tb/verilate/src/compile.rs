use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::error::{VerilateError, io_error};
use crate::group;
use crate::options::Trace;
use crate::tool::Verilator;

/// A C++ compiler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CxxCompiler {
    /// Program and leading arguments, for instance `ccache`, `g++`.
    pub command: Vec<OsString>,
    /// First line of `--version`.
    pub version: String,
}

/// One translation unit.
pub(crate) struct Unit {
    /// The C++ file.
    pub source: PathBuf,
    /// The file to make.
    pub object: PathBuf,
    /// Optimisation level.
    pub opt_level: u8,
    /// A header to read before the file, compiled in advance.
    pub header: Option<PathBuf>,
}

impl CxxCompiler {
    /// The compiler in `CXX`, else `c++`.
    ///
    /// # Errors
    /// `MissingCompiler` if it cannot be started.
    pub fn find() -> Result<Self, VerilateError> {
        let command = std::env::var("CXX").unwrap_or_default();
        let mut words: Vec<OsString> = command.split_whitespace().map(OsString::from).collect();
        if words.is_empty() {
            words.push("c++".into());
        }
        Self::new(words)
    }

    /// The given program with leading arguments.
    ///
    /// # Errors
    /// `MissingCompiler` if it cannot be started.
    pub fn new(command: Vec<OsString>) -> Result<Self, VerilateError> {
        let mut compiler = Self {
            command,
            version: String::new(),
        };
        let output = compiler.start()?.arg("--version").output();
        let output = output.map_err(|_| compiler.missing())?;
        let text = String::from_utf8_lossy(&output.stdout);
        compiler.version = text.lines().next().unwrap_or_default().to_string();
        Ok(compiler)
    }

    fn start(&self) -> Result<Command, VerilateError> {
        let (program, arguments) = self.command.split_first().ok_or_else(|| self.missing())?;
        let mut command = Command::new(program);
        command.args(arguments);
        Ok(command)
    }

    fn missing(&self) -> VerilateError {
        let words: Vec<_> = self.command.iter().map(|w| w.to_string_lossy()).collect();
        VerilateError::MissingCompiler {
            program: words.join(" "),
        }
    }

    fn run(&self, top: &str, command: &Command) -> Result<(), VerilateError> {
        let output = group::output(command).map_err(|_| self.missing())?;
        if output.status.success() {
            return Ok(());
        }
        Err(VerilateError::Compile {
            top: top.to_string(),
            message: String::from_utf8_lossy(&output.stderr).into_owned(),
        })
    }

    /// Compiles all units, at most `jobs` at a time; stops at the first failure.
    pub(crate) fn compile(
        &self,
        top: &str,
        units: &[Unit],
        includes: &[PathBuf],
        trace: Trace,
        jobs: usize,
    ) -> Result<(), VerilateError> {
        let next = AtomicUsize::new(0);
        let failure: Mutex<Option<VerilateError>> = Mutex::new(None);
        let worker = || {
            while let Some(unit) = units.get(next.fetch_add(1, Ordering::Relaxed)) {
                if let Err(error) = self.compile_unit(top, unit, includes, trace) {
                    next.store(units.len(), Ordering::Relaxed);
                    let mut slot = failure.lock().expect("no worker panics");
                    slot.get_or_insert(error);
                }
            }
        };
        thread::scope(|scope| {
            for _ in 1..jobs.min(units.len()) {
                scope.spawn(worker);
            }
            worker();
        });
        match failure.into_inner().expect("no worker panics") {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    fn compile_unit(
        &self,
        top: &str,
        unit: &Unit,
        includes: &[PathBuf],
        trace: Trace,
    ) -> Result<(), VerilateError> {
        let mut command = self.start()?;
        command.arg("-c").args(self.flags(unit.opt_level, trace));
        if let Some(header) = &unit.header {
            command.arg("-include").arg(header);
        }
        for folder in includes {
            command.arg("-I").arg(folder);
        }
        command.arg("-o").arg(&unit.object).arg(&unit.source);
        self.run(top, &command)
    }

    /// What code and the header that it reads must be compiled with alike.
    pub(crate) fn flags(&self, opt_level: u8, trace: Trace) -> Vec<String> {
        // Generated code is not ours to warn about.
        let mut flags = [
            "-std=gnu++17",
            "-fPIC",
            "-fvisibility=hidden",
            "-w",
            "-pthread",
        ]
        .map(String::from)
        .to_vec();
        flags.push(format!("-O{opt_level}"));
        flags.extend(["-DVM_COVERAGE=0", "-DVM_SC=0", "-DVM_TIMING=0"].map(String::from));
        flags.push(format!("-DVM_TRACE={}", u8::from(trace != Trace::None)));
        flags.push(format!("-DVM_TRACE_VCD={}", u8::from(trace == Trace::Vcd)));
        flags.push(format!("-DVM_TRACE_FST={}", u8::from(trace == Trace::Fst)));
        // In a shared library every evaluation otherwise calls an initialiser of Verilator's
        // thread-local record, which holds plain data and needs none.
        if !self.version.contains("clang") {
            flags.push("-fno-extern-tls-init".to_string());
        }
        flags
    }

    /// Does a file read a compiled header instead of its text? Clang looks for one under another
    /// name; a compiler cache refuses files with one.
    pub(crate) fn reads_compiled_headers(&self) -> bool {
        self.command.len() == 1 && !self.version.contains("clang")
    }

    /// Compiles a header in advance.
    pub(crate) fn precompile(
        &self,
        header: &Path,
        flags: &[String],
        includes: &[PathBuf],
        output: &Path,
    ) -> Result<(), VerilateError> {
        let mut command = self.start()?;
        command.args(flags).args(["-x", "c++-header"]);
        for folder in includes {
            command.arg("-I").arg(folder);
        }
        command.arg(header).arg("-o").arg(output);
        self.run(&header.display().to_string(), &command)
    }

    /// Links objects into a shared library.
    pub(crate) fn link_shared(
        &self,
        top: &str,
        objects: &[PathBuf],
        libraries: &[&str],
        output: &Path,
    ) -> Result<(), VerilateError> {
        let mut command = self.start()?;
        command
            .args(["-shared", "-pthread", "-o"])
            .arg(output)
            .args(objects);
        for library in libraries {
            command.arg(format!("-l{library}"));
        }
        self.run(top, &command)
    }
}

/// System libraries that a model with this wave format needs.
pub(crate) fn system_libraries(tool: &Verilator, trace: Trace) -> &'static [&'static str] {
    // The FST writer was exchanged in 2026; the other one also needs lz4.
    let has_new_writer = tool.include().join("fstcpp").is_dir();
    match trace {
        Trace::None | Trace::Vcd => &[],
        Trace::Fst if has_new_writer => &["z", "lz4"],
        Trace::Fst => &["z"],
    }
}

/// Include folders of the run-time library.
pub(crate) fn include_folders(tool: &Verilator) -> Vec<PathBuf> {
    let include = tool.include();
    vec![include.clone(), include.join("vltstd")]
}

/// Groups generated C++ files into translation units of bounded size, each a list of includes:
/// a small design pays for the large Verilator headers once.
pub(crate) fn group_files(
    folder: &Path,
    files: &[String],
    limit_bytes: u64,
) -> Result<Vec<Vec<String>>, VerilateError> {
    let mut groups: Vec<Vec<String>> = Vec::new();
    let mut bytes = 0;
    for name in files {
        let file = format!("{name}.cpp");
        let path = folder.join(&file);
        let size = fs::metadata(&path).map_err(io_error("read", &path))?.len();
        match groups.last_mut() {
            Some(group) if bytes + size <= limit_bytes => group.push(file),
            _ => {
                groups.push(vec![file]);
                bytes = 0;
            }
        }
        bytes += size;
    }
    Ok(groups)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_respect_the_limit_and_keep_the_order() {
        let folder = tempfile::tempdir().unwrap();
        let names: Vec<String> = ["a", "b", "c", "d"].map(String::from).to_vec();
        for (name, size) in names.iter().zip([40, 40, 40, 500]) {
            fs::write(folder.path().join(format!("{name}.cpp")), vec![b' '; size]).unwrap();
        }
        let groups = group_files(folder.path(), &names, 100).unwrap();
        assert_eq!(
            groups,
            [vec!["a.cpp", "b.cpp"], vec!["c.cpp"], vec!["d.cpp"]]
        );
    }

    #[test]
    fn missing_compiler_is_named() {
        let error = CxxCompiler::new(vec!["no-such-compiler".into()]).unwrap_err();
        assert!(error.to_string().contains("no-such-compiler not found"));
        assert_eq!(error.exit_code(), 2);
    }
}
