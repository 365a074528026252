use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::blocks::{self, Blocks};
use crate::cache;
use crate::classes::Classes;
use crate::compile::{CxxCompiler, Unit, group_files, include_folders};
use crate::error::{VerilateError, io_error};
use crate::group;
use crate::header;
use crate::options::Options;
use crate::runtime::Runtime;
use crate::shim::{self, Shim};
use crate::sources::{Sources, hash_hex, hash_str};
use crate::tool::Verilator;

/// Bytes of generated C++ per translation unit.
const UNIT_BYTES: u64 = 300_000;

/// Everything that is the same for all designs of one build.
pub(crate) struct Builder<'a> {
    pub(crate) tool: Verilator,
    pub(crate) compiler: CxxCompiler,
    pub(crate) options: &'a Options,
    pub(crate) cache: PathBuf,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(options: &'a Options) -> Result<Self, VerilateError> {
        Ok(Self {
            tool: options.tool()?,
            compiler: CxxCompiler::find()?,
            options,
            cache: cache::absolute(&match &options.cache {
                Some(folder) => folder.clone(),
                None => cache::default_folder()?,
            })?,
        })
    }

    /// 64 hexadecimal digits that differ for any two different models.
    pub(crate) fn key(&self, sources: &Sources, symbol: &str) -> String {
        let mut hash = Sha256::new();
        sources.hash_into(&mut hash);
        for text in self.options.verilator_args() {
            hash_str(&mut hash, &text);
        }
        if let Some(text) = blocks::control_text(&self.options.hier_blocks) {
            hash_str(&mut hash, &text);
        }
        hash_str(&mut hash, &self.options.opt_level.to_string());
        hash_str(&mut hash, &self.tool.version);
        hash_str(&mut hash, &self.tool.root.to_string_lossy());
        hash_str(&mut hash, &self.compiler.version);
        hash_str(&mut hash, shim::TEMPLATE);
        hash_str(&mut hash, symbol);
        hash_hex(hash)
    }

    /// Verilates and compiles in `folder`. Returns the design's objects, then the run-time
    /// library's.
    pub(crate) fn objects(
        &self,
        sources: &Sources,
        class: &str,
        symbol: &str,
        folder: &Path,
    ) -> Result<Vec<PathBuf>, VerilateError> {
        sources.check()?;
        let blocks = Blocks::new(&self.options.hier_blocks, sources)?;
        let generated = folder.join("cpp");
        self.verilate(sources, &blocks, class, folder, &generated)?;

        let read = |name: String| {
            let path = generated.join(&name);
            fs::read_to_string(&path).map_err(io_error("read", &path))
        };
        let found = header::parse_ports(&read(format!("{class}.h"))?);
        let ports = header::check_ports(&sources.top, &sources.ports, found)?;
        let fragment = format!("{class}_classes.mk");
        let classes = Classes::parse_design(&fragment, &read(fragment.clone())?)?;

        let shim = Shim {
            top: &sources.top,
            class,
            symbol,
            ports: &ports,
            trace: self.options.trace,
        };
        cache::write(&generated.join("shim.cpp"), &shim.text())?;
        // The shim comes first, with the code that it calls most.
        let mut units = self.units("shim", &classes, &generated)?;
        for block in blocks.names() {
            units.extend(self.block_units(block, &sources.top, &generated)?);
        }
        let mut includes = vec![generated];
        includes.extend(include_folders(&self.tool));
        let jobs = self.options.jobs.max(1);
        let trace = self.options.trace;
        let runtime = Runtime::new(&self.tool, &self.compiler, &self.cache)?;
        for unit in &mut units {
            unit.header = runtime.header(unit.opt_level, trace)?;
        }
        self.compiler
            .compile(&sources.top, &units, &includes, trace, jobs)?;

        let mut objects: Vec<PathBuf> = units.into_iter().map(|unit| unit.object).collect();
        objects.extend(self.runtime(&classes.global)?);
        Ok(objects)
    }

    /// The run-time library's objects.
    pub(crate) fn runtime(&self, files: &[String]) -> Result<Vec<PathBuf>, VerilateError> {
        let jobs = self.options.jobs.max(1);
        Runtime::new(&self.tool, &self.compiler, &self.cache)?.objects(files, jobs)
    }

    fn verilate(
        &self,
        sources: &Sources,
        blocks: &Blocks,
        class: &str,
        folder: &Path,
        generated: &Path,
    ) -> Result<(), VerilateError> {
        let texts = folder.join("verilog");
        cache::create_folder(&texts)?;
        for (name, text) in &sources.files {
            cache::write(&texts.join(name), text)?;
        }
        let mut command = self.tool.command();
        command
            // Messages then show plain file names.
            .current_dir(&texts)
            .env("MAKEFLAGS", Blocks::make_flags(&self.tool))
            .args(self.options.verilator_args())
            .args(blocks.arguments(folder)?)
            .args(["--prefix", class, "--top-module", &sources.top, "--Mdir"])
            .arg(generated)
            .args(sources.files.iter().map(|(name, _)| name));
        let output = group::output(&command).map_err(|e| VerilateError::MissingVerilator {
            searched: format!("{}: {e}", self.tool.program.display()),
        })?;
        if output.status.success() {
            return Ok(());
        }
        let mut message = String::from_utf8_lossy(&output.stderr).into_owned();
        message += &String::from_utf8_lossy(&output.stdout);
        Err(VerilateError::Verilator {
            top: sources.top.clone(),
            message: message.trim_end().to_string(),
        })
    }

    /// The translation units of a hierarchical block, which has a folder of its own.
    fn block_units(
        &self,
        block: &str,
        top: &str,
        generated: &Path,
    ) -> Result<Vec<Unit>, VerilateError> {
        let class = format!("V{block}");
        let folder = generated.join(&class);
        let fragment = folder.join(format!("{class}_classes.mk"));
        // Verilator says nothing about a block without an instance.
        if !fragment.is_file() {
            return Err(VerilateError::NoBlock {
                block: block.to_string(),
                top: top.to_string(),
            });
        }
        let text = fs::read_to_string(&fragment).map_err(io_error("read", &fragment))?;
        let classes = Classes::parse(&fragment.display().to_string(), &text)?;
        // The file with the block's name holds the functions that the instances call.
        self.units(block, &classes, &folder)
    }

    /// Writes the translation units of the classes in a folder, with the file `first` before them.
    fn units(
        &self,
        first: &str,
        classes: &Classes,
        generated: &Path,
    ) -> Result<Vec<Unit>, VerilateError> {
        let mut fast = vec![first.to_string()];
        fast.extend(classes.fast.iter().cloned());
        let all: Vec<String> = fast.iter().chain(&classes.slow).cloned().collect();
        let opt_level = self.options.opt_level.min(3);
        let mut groups: Vec<(Vec<String>, u8)> = Vec::new();
        let together = group_files(generated, &all, UNIT_BYTES)?;
        if together.len() == 1 {
            groups.extend(together.into_iter().map(|g| (g, opt_level)));
        } else {
            for group in group_files(generated, &fast, UNIT_BYTES)? {
                groups.push((group, opt_level));
            }
            // What runs once is worth no work: it is two fifths of the text.
            for group in group_files(generated, &classes.slow, UNIT_BYTES)? {
                groups.push((group, 0));
            }
        }
        let mut units = Vec::new();
        for (index, (files, opt_level)) in groups.into_iter().enumerate() {
            let text: String = files
                .iter()
                .map(|f| format!("#include \"{f}\"\n"))
                .collect();
            let source = generated.join(format!("unit{index}.cpp"));
            cache::write(&source, &text)?;
            units.push(Unit {
                object: source.with_extension("o"),
                source,
                opt_level,
                header: None,
            });
        }
        Ok(units)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Verilator and the compiler run in folders of their own.
    #[test]
    fn a_relative_cache_is_one_folder_for_all_tools() {
        let options = Options {
            cache: Some("some/cache".into()),
            ..Options::default()
        };
        let here = std::env::current_dir().unwrap();
        let builder = Builder::new(&options).unwrap();
        assert_eq!(builder.cache, here.join("some/cache"));
    }
}
