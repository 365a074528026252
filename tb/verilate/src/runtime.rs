//! What all designs share, compiled once per Verilator and compiler and kept in the cache.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use sha2::{Digest, Sha256};

use crate::cache::{self, ScratchFolder};
use crate::compile::{CxxCompiler, Unit, include_folders};
use crate::error::VerilateError;
use crate::options::Trace;
use crate::sources::{hash_hex, hash_str};
use crate::tool::Verilator;

/// Verilator's run-time library and its header.
pub(crate) struct Runtime<'a> {
    tool: &'a Verilator,
    compiler: &'a CxxCompiler,
    folder: PathBuf,
}

impl<'a> Runtime<'a> {
    pub(crate) fn new(
        tool: &'a Verilator,
        compiler: &'a CxxCompiler,
        cache_folder: &Path,
    ) -> Result<Self, VerilateError> {
        let mut hash = Sha256::new();
        hash_str(&mut hash, &tool.version);
        hash_str(&mut hash, &tool.root.to_string_lossy());
        hash_str(&mut hash, &compiler.version);
        let key = &hash_hex(hash)[..16];
        let folder = cache_folder.join(format!("runtime_{key}"));
        cache::create_folder(&folder)?;
        Ok(Self {
            tool,
            compiler,
            folder,
        })
    }

    /// The objects of the library. They do not depend on the wave format or on the design.
    pub(crate) fn objects(
        &self,
        files: &[String],
        jobs: usize,
    ) -> Result<Vec<PathBuf>, VerilateError> {
        let _guard = one_at_a_time();
        let objects: Vec<PathBuf> = files
            .iter()
            .map(|name| self.folder.join(format!("{name}.o")))
            .collect();
        let mut units = Vec::new();
        let mut finished = Vec::new();
        if objects.iter().all(|object| object.is_file()) {
            return Ok(objects);
        }
        let scratch = ScratchFolder::new(&self.folder, "objects")?;
        for (name, object) in files.iter().zip(&objects) {
            if !object.is_file() {
                let temporary = scratch.0.join(format!("{name}.o"));
                finished.push((temporary.clone(), object));
                units.push(Unit {
                    source: self.tool.include().join(format!("{name}.cpp")),
                    object: temporary,
                    opt_level: 2,
                    header: None,
                });
            }
        }
        let includes = include_folders(self.tool);
        let name = "the Verilator run-time library";
        self.compiler
            .compile(name, &units, &includes, Trace::None, jobs)?;
        for (temporary, object) in finished {
            cache::publish(&temporary, object)?;
        }
        Ok(objects)
    }

    /// The library's header, compiled in advance: reading it takes a second, which is half of what
    /// most files need. None if the compiler does not offer it.
    pub(crate) fn header(
        &self,
        opt_level: u8,
        trace: Trace,
    ) -> Result<Option<PathBuf>, VerilateError> {
        if !self.compiler.reads_compiled_headers() {
            return Ok(None);
        }
        let _guard = one_at_a_time();
        let flags = self.compiler.flags(opt_level, trace);
        let mut hash = Sha256::new();
        flags.iter().for_each(|flag| hash_str(&mut hash, flag));
        let name = format!("verilated_{}.h", &hash_hex(hash)[..16]);
        let header = self.folder.join(&name);
        let compiled = self.folder.join(format!("{name}.gch"));
        if compiled.is_file() && header.is_file() {
            return Ok(Some(header));
        }
        let scratch = ScratchFolder::new(&self.folder, "header")?;
        let temporary = scratch.0.join(&name);
        cache::write(&temporary, "#include \"verilated.h\"\n")?;
        cache::publish(&temporary, &header)?;
        let temporary = scratch.0.join(format!("{name}.gch"));
        let includes = include_folders(self.tool);
        let done = self
            .compiler
            .precompile(&header, &flags, &includes, &temporary);
        if done.is_err() {
            // The files say what is wrong with the compiler, if anything is.
            return Ok(None);
        }
        cache::publish(&temporary, &compiled)?;
        Ok(Some(header))
    }
}

/// Threads of one process wait for each other; two processes at worst both do the work.
fn one_at_a_time() -> MutexGuard<'static, ()> {
    static LOCK: Mutex<()> = Mutex::new(());
    LOCK.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Behind a changed text the compiler can only have read the compiled header.
    #[test]
    fn files_read_the_compiled_header() {
        let (tool, compiler) = (Verilator::find().unwrap(), CxxCompiler::find().unwrap());
        let folder = tempfile::tempdir().unwrap();
        let runtime = Runtime::new(&tool, &compiler, folder.path()).unwrap();
        let Some(header) = runtime.header(1, Trace::None).unwrap() else {
            eprintln!(
                "skipped: {} compiles no headers in advance",
                compiler.version
            );
            return;
        };
        cache::write(&header, "#error the text was read\n").unwrap();
        assert_eq!(
            runtime.header(1, Trace::None).unwrap(),
            Some(header.clone())
        );
        let source = folder.path().join("unit.cpp");
        cache::write(
            &source,
            "VerilatedContext* made() { return new VerilatedContext; }\n",
        )
        .unwrap();
        let unit = |opt_level, header| Unit {
            source: source.clone(),
            object: folder.path().join("unit.o"),
            opt_level,
            header,
        };
        let compile = |unit| {
            let includes = include_folders(&tool);
            compiler.compile("unit", &[unit], &includes, Trace::None, 1)
        };
        compile(unit(1, Some(header.clone()))).unwrap();
        // Another level cannot take it.
        let error = compile(unit(0, Some(header))).unwrap_err();
        assert!(error.to_string().contains("the text was read"), "{error}");
        assert!(compile(unit(1, None)).is_err(), "the file needs the header");
    }
}
