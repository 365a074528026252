use std::env;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{FlockOperation, flock};

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

/// The same folder for tools that run in another one.
pub(crate) fn absolute(folder: &Path) -> Result<PathBuf, VerilateError> {
    std::path::absolute(folder).map_err(io_error("find folder", folder))
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

/// A folder that is removed when it goes out of scope, or by the next one made beside it if its process is killed: a lock,
/// which ends with the process, says that it is in use.
pub(crate) struct ScratchFolder(
    pub(crate) PathBuf,
    #[expect(dead_code, reason = "the lock")] File,
);

impl ScratchFolder {
    pub(crate) fn new(parent: &Path, name: &str) -> Result<Self, VerilateError> {
        create_folder(parent)?;
        // Nobody looks for left-overs between the making of a folder and its lock.
        let all = File::open(parent).map_err(io_error("open folder", parent))?;
        lock(&all, false).map_err(io_error("lock folder", parent))?;
        remove_left_over(parent);
        let folder = temporary(parent, name);
        fs::create_dir(&folder).map_err(io_error("create folder", &folder))?;
        let own = File::open(&folder).map_err(io_error("open folder", &folder))?;
        lock(&own, true).map_err(io_error("lock folder", &folder))?;
        Ok(Self(folder, own))
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        // A left-over folder costs space only.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Takes the lock of a folder; with `at_once` without waiting.
fn lock(folder: &File, at_once: bool) -> io::Result<()> {
    let operation = match at_once {
        true => FlockOperation::NonBlockingLockExclusive,
        false => FlockOperation::LockExclusive,
    };
    flock(folder, operation).map_err(io::Error::from)
}

/// Removes the scratch folders of processes that are gone.
fn remove_left_over(parent: &Path) {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| is_temporary(&entry.file_name().to_string_lossy())) {
        let free = File::open(entry.path()).is_ok_and(|folder| lock(&folder, true).is_ok());
        if free && entry.path().is_dir() {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether [`temporary`] gives such names.
fn is_temporary(name: &str) -> bool {
    let mut parts = name.rsplit('.');
    let number = |part: Option<&str>| part.is_some_and(|part| part.parse::<u64>().is_ok());
    name.starts_with('.') && number(parts.next()) && number(parts.next())
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
    fn scratch_folders_of_killed_processes_are_removed_by_the_next() {
        let parent = tempfile::tempdir().unwrap();
        let kept = ScratchFolder::new(parent.path(), "kept").unwrap();
        for name in [".top.1.0", ".keep.me", "model.1.0"] {
            fs::create_dir(parent.path().join(name)).unwrap();
        }
        drop(ScratchFolder::new(parent.path(), "next").unwrap());
        let names = fs::read_dir(parent.path()).unwrap();
        let mut names: Vec<_> = names.map(|entry| entry.unwrap().path()).collect();
        names.sort();
        let others = [".keep.me", "model.1.0"].map(|name| parent.path().join(name));
        let mut expected = vec![kept.0.clone()];
        expected.extend(others);
        expected.sort();
        assert_eq!(names, expected);
    }

    #[test]
    fn temporary_names_differ() {
        let folder = Path::new("/x");
        assert_ne!(temporary(folder, "a"), temporary(folder, "a"));
    }
}
