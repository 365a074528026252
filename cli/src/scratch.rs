//! Temporary folders that do not outlive the command, whether it ends or is ended by SIGHUP, SIGINT or
//! SIGTERM.
//!
//! A thread waits for the signals. What must not be torn apart runs under one lock, which the thread
//! takes before it removes the folders and never gives back: the rest of the command stands still
//! until the process ends.

use std::fs::{self, DirBuilder};
use std::io::{self, ErrorKind};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

/// Makes a file that grows too large (`ulimit -f`) an error of the write that does it, which cleans up, instead of the
/// end of the command.
pub fn outlive_large_files() {
    // Without a handler the run ends as it always did.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

/// Names that are tried for a folder.
const NAMES: u32 = 10_000;

static LIVE: Mutex<Vec<Folders>> = Mutex::new(Vec::new());
static WATCHED: OnceLock<()> = OnceLock::new();

/// What one [`Scratch`] has made.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Folders {
    /// The temporary folder.
    path: PathBuf,
    /// The folders above it that did not exist before, outermost first.
    parents: Vec<PathBuf>,
}

impl Folders {
    fn remove(&self) {
        let _ = fs::remove_dir_all(&self.path);
        // Only while they are empty: behind a success they hold the output.
        for folder in self.parents.iter().rev() {
            let _ = fs::remove_dir(folder);
        }
    }
}

/// A temporary folder `.heddle-*`, removed with its contents when dropped.
#[derive(Debug)]
pub struct Scratch(Folders);

impl Scratch {
    /// Makes a folder inside `parent`, which is created if it does not exist. Created folders that
    /// are empty in the end are removed as well.
    ///
    /// # Errors
    /// The folder that cannot be created and why; nothing is left then.
    pub fn inside(parent: &Path) -> Result<Scratch, (PathBuf, io::Error)> {
        let at = |folder: &Path| {
            let folder = folder.to_path_buf();
            move |error| (folder, error)
        };
        watch().map_err(at(parent))?;
        let mut live = lock();
        let missing: Vec<&Path> = parent.ancestors().take_while(|p| !p.exists()).collect();
        let mut made = Folders {
            path: PathBuf::new(),
            parents: Vec::new(),
        };
        for folder in missing.into_iter().rev() {
            if let Err(error) = fs::create_dir(folder) {
                made.remove();
                return Err(at(folder)(error));
            }
            made.parents.push(folder.to_path_buf());
        }
        match create(parent) {
            Ok(path) => made.path = path,
            Err(error) => {
                made.remove();
                return Err(at(parent)(error));
            }
        }
        live.push(made.clone());
        Ok(Scratch(made))
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.0.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let mut live = lock();
        self.0.remove();
        live.retain(|folders| *folders != self.0);
    }
}

/// Runs a step that a signal must not tear apart. It must neither make nor drop a [`Scratch`].
pub fn undivided<T>(step: impl FnOnce() -> T) -> T {
    let _live = lock();
    step()
}

fn lock() -> MutexGuard<'static, Vec<Folders>> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A folder of a name that is free, for its owner alone.
fn create(parent: &Path) -> io::Result<PathBuf> {
    let process = std::process::id();
    for number in 0..NAMES {
        let path = parent.join(format!(".heddle-{process}-{number}"));
        match DirBuilder::new().mode(0o700).create(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            made => return made.map(|()| path),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

/// Starts the thread that waits for the signals. A command that makes no folder has none and ends
/// as usual.
fn watch() -> io::Result<()> {
    let mut failure = Ok(());
    WATCHED.get_or_init(|| failure = start());
    failure
}

fn start() -> io::Result<()> {
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    std::thread::Builder::new().spawn(move || {
        if let Some(signal) = signals.forever().next() {
            let live = lock();
            live.iter().for_each(Folders::remove);
            // The caller is to see the signal, not an exit code.
            let _ = emulate_default_handler(signal);
            std::process::exit(128 + signal);
        }
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_vanish_with_their_contents_and_empty_parents() {
        let outer = tempfile::tempdir().unwrap();
        let parent = outer.path().join("deep/er");
        let first = Scratch::inside(&parent).unwrap();
        let second = Scratch::inside(&parent).unwrap();
        assert_ne!(first.path(), second.path());
        fs::write(first.path().join("file"), "").unwrap();
        drop(first);
        assert!(second.path().is_dir());
        fs::write(parent.join("kept"), "").unwrap();
        drop(second);
        assert_eq!(fs::read_dir(&parent).unwrap().count(), 1);
        fs::remove_file(parent.join("kept")).unwrap();
        drop(Scratch::inside(&parent.join("again")).unwrap());
        assert!(parent.is_dir());
        assert_eq!(fs::read_dir(&parent).unwrap().count(), 0);
    }

    #[test]
    fn failures_name_the_folder_and_leave_nothing() {
        let outer = tempfile::tempdir().unwrap();
        fs::write(outer.path().join("file"), "").unwrap();
        let parent = outer.path().join("file/below");
        let (folder, error) = Scratch::inside(&parent).unwrap_err();
        assert_eq!(folder, parent);
        assert_eq!(error.kind(), ErrorKind::NotADirectory);
        let (folder, _) = Scratch::inside(Path::new("/proc/heddle")).unwrap_err();
        assert_eq!(folder, Path::new("/proc/heddle"));
    }
}
