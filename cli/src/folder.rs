//! Output folders: they appear complete or not at all, and nobody else's files are touched.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};

use crate::scratch::{Scratch, undivided};

/// Writes `files` as the folder `target`.
///
/// The files are written to a temporary folder beside the target, which then takes its place; also
/// a signal leaves either nothing or the whole folder.
/// An existing target must be empty or have been written by heddle, as its manifest tells, and
/// must hold nothing else.
///
/// # Errors
/// If the target must not be replaced or cannot be written; it is unchanged then.
pub fn write(target: &Path, files: &[(String, String)]) -> Result<()> {
    let shown = target.display();
    let target = resolve(target)?;
    let parent = target.parent().context("output is the root folder")?;
    write_beside(&target, parent, files).with_context(|| format!("cannot write {shown}"))
}

/// Refuses targets that must not be replaced, before any work is done.
///
/// # Errors
/// As [`write`].
pub fn check(target: &Path) -> Result<()> {
    resolve(target).map(|_| ())
}

fn resolve(target: &Path) -> Result<PathBuf> {
    let shown = target.display();
    if target.as_os_str().is_empty() {
        bail!("output is empty, expected the name of a folder");
    }
    match fs::metadata(target) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if fs::symlink_metadata(target).is_ok() {
                bail!("{shown}: is a link to nothing, expected a folder");
            }
            if target.file_name().is_none() {
                bail!("{shown}: is not the name of a folder");
            }
            return std::path::absolute(target).with_context(|| shown.to_string());
        }
        Err(error) => bail!("{shown}: cannot be read: {error}"),
        Ok(metadata) if !metadata.is_dir() => {
            bail!("{shown}: is a file, expected a folder that heddle wrote, or none");
        }
        Ok(_) => {}
    }
    let resolved = fs::canonicalize(target).with_context(|| shown.to_string())?;
    if std::env::current_dir().is_ok_and(|current| current.starts_with(&resolved)) {
        bail!("{shown}: holds the current folder, expected a folder of its own");
    }
    check_replaceable(&resolved).with_context(|| shown.to_string())?;
    Ok(resolved)
}

/// A folder may be replaced when it is empty, or when every entry is a file its manifest names.
fn check_replaceable(folder: &Path) -> Result<()> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !entry.file_type()?.is_file() {
            bail!("folder holds {name:?}, which is no file of heddle, it is left alone");
        }
        names.push(name);
    }
    if names.is_empty() {
        return Ok(());
    }
    names.sort();
    let Some(own) = manifest_files(folder) else {
        bail!("folder exists and was not written by heddle, it is left alone");
    };
    if let Some(foreign) = names.iter().find(|name| !own.contains(name)) {
        bail!("folder holds {foreign:?}, which heddle did not write, it is left alone");
    }
    Ok(())
}

/// Names of the files of a folder that heddle wrote; `None` for any other folder.
fn manifest_files(folder: &Path) -> Option<Vec<String>> {
    let text = fs::read_to_string(folder.join("manifest.json")).ok()?;
    let manifest: serde_json::Value = serde_json::from_str(&text).ok()?;
    let generator = manifest.get("generator")?.as_str()?;
    if generator.split(' ').next() != Some("heddle") {
        return None;
    }
    let list = fs::read_to_string(folder.join("filelist.f")).unwrap_or_default();
    let mut files: Vec<String> = list.lines().map(|line| line.trim().to_string()).collect();
    let beside = manifest
        .get("beside")
        .and_then(serde_json::Value::as_object);
    files.extend(beside.into_iter().flat_map(|beside| beside.keys().cloned()));
    files.extend(["manifest.json", "filelist.f", "ram_stub.v"].map(String::from));
    Some(files)
}

fn write_beside(target: &Path, parent: &Path, files: &[(String, String)]) -> Result<()> {
    let scratch = Scratch::inside(parent).map_err(|(folder, error)| {
        anyhow!("cannot create a folder in {}: {error}", folder.display())
    })?;
    let fresh = scratch.path().join("new");
    undivided(|| fs::create_dir(&fresh))?;
    for (name, text) in files {
        undivided(|| fs::write(fresh.join(name), text)).with_context(|| name.clone())?;
    }
    undivided(|| replace(target, &fresh, &scratch.path().join("old")))
}

/// Puts the fresh folder in the place of the target, which becomes the old one.
fn replace(target: &Path, fresh: &Path, old: &Path) -> Result<()> {
    let replaced = target.exists();
    if replaced {
        fs::rename(target, old)?;
    }
    if let Err(error) = fs::rename(fresh, target) {
        if replaced {
            fs::rename(old, target).context("the old folder could not be put back")?;
        }
        return Err(error.into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(text: &str) -> Vec<(String, String)> {
        [
            ("a.v", text),
            ("filelist.f", "a.v\n"),
            ("manifest.json", "{\"generator\": \"heddle\"}"),
        ]
        .map(|(name, text)| (name.to_string(), text.to_string()))
        .to_vec()
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[track_caller]
    fn refused(target: &Path, message: &str) {
        let parent = target.parent().unwrap();
        let before = names(parent);
        for result in [check(target), write(target, &files("new"))] {
            let error = format!("{:#}", result.unwrap_err());
            assert!(error.contains(message), "{error}");
        }
        assert_eq!(names(parent), before);
    }

    #[test]
    fn folders_appear_complete_and_are_replaced_as_a_whole() {
        let scratch = tempfile::tempdir().unwrap();
        let target = scratch.path().join("deep/er/out");
        write(&target, &files("one")).unwrap();
        assert_eq!(names(&target), ["a.v", "filelist.f", "manifest.json"]);
        assert_eq!(names(target.parent().unwrap()), ["out"]);
        let mut other = files("two");
        other[0].0 = "b.v".to_string();
        write(&target, &other).unwrap();
        assert_eq!(names(&target), ["b.v", "filelist.f", "manifest.json"]);
        assert_eq!(names(target.parent().unwrap()), ["out"]);
    }

    #[test]
    fn empty_folders_are_replaced() {
        let scratch = tempfile::tempdir().unwrap();
        let target = scratch.path().join("out");
        fs::create_dir(&target).unwrap();
        write(&target, &files("one")).unwrap();
        assert_eq!(fs::read_to_string(target.join("a.v")).unwrap(), "one");
    }

    #[test]
    fn a_link_to_a_folder_stays_a_link() {
        let scratch = tempfile::tempdir().unwrap();
        let real = scratch.path().join("real");
        let link = scratch.path().join("link");
        fs::create_dir(&real).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        write(&link, &files("one")).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(real.join("a.v")).unwrap(), "one");
    }

    #[test]
    fn foreign_folders_are_left_alone() {
        let scratch = tempfile::tempdir().unwrap();
        let at = |name: &str| scratch.path().join(name);
        fs::create_dir(at("notes")).unwrap();
        fs::write(at("notes/thesis.txt"), "years of work").unwrap();
        refused(&at("notes"), "was not written by heddle");
        fs::create_dir(at("other")).unwrap();
        fs::write(at("other/manifest.json"), "{\"generator\": \"other\"}").unwrap();
        refused(&at("other"), "was not written by heddle");
        write(&at("mixed"), &files("one")).unwrap();
        fs::write(at("mixed/thesis.txt"), "years of work").unwrap();
        refused(&at("mixed"), "\"thesis.txt\", which heddle did not write");
        fs::write(at("file"), "").unwrap();
        refused(&at("file"), "is a file");
        std::os::unix::fs::symlink("nowhere", at("link")).unwrap();
        refused(&at("link"), "is a link to nothing");
        let error = check(&at("file/below")).unwrap_err();
        assert!(error.to_string().contains("cannot be read"), "{error}");
    }

    #[test]
    fn names_that_are_no_folder_are_refused() {
        for (name, message) in [
            ("", "is empty"),
            ("/", "holds the current folder"),
            (".", "holds the current folder"),
            ("..", "holds the current folder"),
        ] {
            let error = format!("{:#}", check(Path::new(name)).unwrap_err());
            assert!(error.contains(message), "{name:?}: {error}");
        }
    }

    #[test]
    fn failed_writes_leave_nothing() {
        let scratch = tempfile::tempdir().unwrap();
        let mut bad = files("one");
        bad[1].0 = "no/such/folder.f".to_string();
        let target = scratch.path().join("deep/out");
        write(&target, &bad).unwrap_err();
        assert!(names(scratch.path()).is_empty());
        write(&target, &files("one")).unwrap();
        write(&target, &bad).unwrap_err();
        assert_eq!(names(&target), ["a.v", "filelist.f", "manifest.json"]);
        assert_eq!(names(target.parent().unwrap()), ["out"]);
    }
}
