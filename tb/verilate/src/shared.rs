use std::path::PathBuf;

use crate::cache::{self, ScratchFolder};
use crate::compile::system_libraries;
use crate::error::VerilateError;
use crate::options::Options;
use crate::sources::Sources;
use crate::translate::Builder;

/// The function that every shared model exports; it returns the model's function table.
pub const MODEL_SYMBOL: &str = "heddle_model";

/// Builds a shared library with the model, or finds it in the cache.
///
/// The library's name contains a hash of the Verilog text, the port table, the options and the
/// versions of Verilator and compiler. Several processes may share one cache.
///
/// # Errors
/// Everything in [`VerilateError`].
pub fn build_shared(sources: &Sources, options: &Options) -> Result<PathBuf, VerilateError> {
    sources.check()?;
    let builder = Builder::new(options)?;
    let key = builder.key(sources, MODEL_SYMBOL);
    let models = builder.cache.join("models");
    let file = format!("{}_{}.so", sources.top, &key[..32]);
    let library = models.join(&file);
    if library.is_file() {
        return Ok(library);
    }
    cache::create_folder(&models)?;
    let scratch = ScratchFolder::new(&builder.cache, &sources.top)?;
    let class = format!("V{}", sources.top);
    let objects = builder.objects(sources, &class, MODEL_SYMBOL, &scratch.0)?;
    let libraries = system_libraries(&builder.tool, options.trace);
    let unfinished = scratch.0.join(&file);
    let compiler = &builder.compiler;
    compiler.link_shared(&sources.top, &objects, libraries, &unfinished)?;
    cache::publish(&unfinished, &library)?;
    Ok(library)
}
