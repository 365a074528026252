use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{VerilateError, io_error};

/// `HEDDLE_CACHE`, else `$XDG_CACHE_HOME/heddle`, else `~/.cache/heddle`.
pub(crate) fn default_folder() -> Result<PathBuf, VerilateError> {
    choose(|name| {
        env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    })
    .ok_or(VerilateError::NoCacheFolder)
}

fn choose(variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    if let Some(folder) = variable("HEDDLE_CACHE") {
        return Some(folder);
    }
    if let Some(folder) = variable("XDG_CACHE_HOME") {
        return Some(folder.join("heddle"));
    }
    Some(variable("HOME")?.join(".cache/heddle"))
}

/// A path in `folder` that no other process or thread uses, for a file that is renamed later.
pub(crate) fn temporary(folder: &Path, name: &str) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    folder.join(format!(".{name}.{}.{count}", std::process::id()))
}

/// Creates a folder and its parents.
pub(crate) fn create_folder(folder: &Path) -> Result<(), VerilateError> {
    fs::create_dir_all(folder).map_err(io_error("create folder", folder))
}

/// Publishes a finished file: a reader sees the whole file or none.
pub(crate) fn publish(from: &Path, to: &Path) -> Result<(), VerilateError> {
    fs::rename(from, to).map_err(io_error("rename to", to))
}

/// Writes a file in one step.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), VerilateError> {
    fs::write(path, text).map_err(io_error("write", path))
}

/// A folder that is removed when it goes out of scope.
pub(crate) struct ScratchFolder(pub(crate) PathBuf);

impl ScratchFolder {
    pub(crate) fn new(parent: &Path, name: &str) -> Result<Self, VerilateError> {
        let folder = temporary(parent, name);
        create_folder(&folder)?;
        Ok(Self(folder))
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        // A left-over folder costs space only.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cache_folder_follows_the_environment() {
        let with = |set: &[(&str, &str)]| {
            choose(|name| {
                let hit = set.iter().find(|(key, _)| *key == name)?;
                Some(PathBuf::from(hit.1))
            })
        };
        let all = [
            ("HEDDLE_CACHE", "/a"),
            ("XDG_CACHE_HOME", "/b"),
            ("HOME", "/c"),
        ];
        assert_eq!(with(&all), Some("/a".into()));
        assert_eq!(with(&all[1..]), Some("/b/heddle".into()));
        assert_eq!(with(&all[2..]), Some("/c/.cache/heddle".into()));
        assert_eq!(with(&[]), None);
    }

    #[test]
    fn temporary_names_differ() {
        let folder = Path::new("/x");
        assert_ne!(temporary(folder, "a"), temporary(folder, "a"));
    }
}
