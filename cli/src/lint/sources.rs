//! The folder to lint, as its manifest and file list describe it.

use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::input;

/// Largest manifest or file list.
const LIST_BYTES_MAX: u64 = 16 << 20;

/// Generated Verilog.
#[derive(Debug)]
pub struct Sources {
    /// The folder, absolute.
    pub folder: PathBuf,
    /// The top modules.
    pub tops: Vec<String>,
    /// File names inside the folder, leaves first.
    pub files: Vec<String>,
    /// Files that differ from their hashes in the manifest.
    pub changed: Vec<String>,
}

impl Sources {
    /// Reads manifest and file list of a folder.
    pub fn read(folder: &Path) -> Result<Sources, Failure> {
        let shown = folder.display();
        if !folder.is_dir() {
            return Err(Failure::new(format!(
                "{shown}: is not a folder, expected one that heddle gen wrote"
            )));
        }
        let absolute = std::path::absolute(folder)
            .map_err(|error| Failure::new(format!("{shown}: {error}")))?;
        let path = folder.join("manifest.json");
        let text = input::read_text(&path, "manifest", LIST_BYTES_MAX)?;
        let manifest: serde_json::Value = serde_json::from_str(&text)
            .map_err(|error| Failure::new(format!("{}: not JSON: {error}", path.display())))?;
        let designs = manifest.get("designs").and_then(|list| list.as_array());
        let designs = designs.map_or(std::slice::from_ref(&manifest), Vec::as_slice);
        let tops = designs.iter().map(|design| {
            let top = design.get("top").and_then(|top| top.as_str());
            top.filter(|top| is_plain(top)).map(str::to_string)
        });
        let tops = tops.collect::<Option<Vec<_>>>();
        let Some(tops) = tops.filter(|tops| !tops.is_empty()) else {
            let shown = path.display();
            return Err(Failure::new(format!(
                "{shown}: top is missing, expected a module name"
            )));
        };
        let list = folder.join("filelist.f");
        let text = input::read_text(&list, "file list", LIST_BYTES_MAX)?;
        let files: Vec<String> = text
            .lines()
            .map(|line| line.trim().to_string())
            .filter(|line| !line.is_empty())
            .collect();
        for file in &files {
            if !is_plain(file) || !folder.join(file).is_file() {
                return Err(Failure::new(format!(
                    "{}: names {file:?}, expected files of this folder",
                    list.display()
                )));
            }
        }
        if files.is_empty() {
            return Err(Failure::new(format!("{}: names no file", list.display())));
        }
        Ok(Sources {
            folder: absolute,
            tops,
            changed: changed(folder, &manifest),
            files,
        })
    }
}

/// The files of a manifest whose text is not that of their hashes.
fn changed(folder: &Path, manifest: &serde_json::Value) -> Vec<String> {
    let modules = manifest.get("modules").and_then(|list| list.as_array());
    let modules = modules.into_iter().flatten();
    let differs = |module: &serde_json::Value| {
        let file = module.get("file")?.as_str().filter(|name| is_plain(name))?;
        let hash = module.get("sha256")?.as_str()?;
        let text = std::fs::read_to_string(folder.join(file)).unwrap_or_default();
        (heddle_gen::sha256(&text) != hash).then(|| file.to_string())
    };
    modules.filter_map(differs).collect()
}

/// Names that no tool takes for an option, a path or a script.
fn is_plain(name: &str) -> bool {
    let first = name.chars().next();
    first.is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.')
}
