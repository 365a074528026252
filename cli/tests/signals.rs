//! A run that is ended by a signal leaves nothing half done.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::bench::{Bench, CONFIG, MODEL};

/// Files of the folder that is replaced: many, so that its removal takes a while.
const OLD_FILES: usize = 2000;
/// Runs that have to be caught, and runs that may be tried for them.
const CAUGHT: u32 = 3;
const TRIES: u32 = 60;
/// Nothing that is waited for takes as long.
const LIMIT: Duration = Duration::from_secs(60);

fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let name = |entry: std::io::Result<std::fs::DirEntry>| entry.expect("an entry").file_name();
    entries
        .map(|entry| name(entry).to_string_lossy().into_owned())
        .collect()
}

fn temporary(folder: &Path) -> bool {
    names(folder)
        .iter()
        .any(|name| name.starts_with(".heddle-"))
}

/// Starts a run, sends the signal `delay` after its temporary folder has appeared, and tells
/// whether the signal ended it.
fn interrupted(bench: &Bench, output: &str, signal: Signal, delay: Duration) -> bool {
    let parent: PathBuf = bench.path().join(output);
    let parent = parent.parent().expect("a folder inside the bench");
    let mut child = bench
        .command(&format!("gen -c c.json -o {output}"))
        .stdout(Stdio::null())
        .spawn()
        .expect("the binary runs");
    let start = Instant::now();
    while !temporary(parent) && child.try_wait().expect("a child").is_none() {
        assert!(start.elapsed() < LIMIT, "nothing is written");
    }
    std::thread::sleep(delay);
    // Not by the command `kill`: the folder is complete before that has started.
    let id = Pid::from_child(&child);
    let _ = kill_process(id, signal);
    let status = child.wait().expect("a child");
    match status.signal() {
        Some(number) => assert_eq!(number, signal.as_raw()),
        None => assert!(status.success(), "{status}"),
    }
    status.signal().is_some()
}

/// Interrupts runs at different moments and checks what each leaves.
fn catch(output: &str, prepare: impl Fn(&Bench), check: impl Fn(&Path)) {
    let mut caught = 0;
    for attempt in 0..TRIES {
        let bench = Bench::new(&[("c.json", CONFIG)]);
        prepare(&bench);
        let signal = [Signal::TERM, Signal::INT][attempt as usize % 2];
        let delay = Duration::from_micros(u64::from(attempt % 10) * 300);
        caught += u32::from(interrupted(&bench, output, signal, delay));
        let left: Vec<PathBuf> = bench.content().into_keys().collect();
        let temporary = left
            .iter()
            .find(|path| path.to_string_lossy().contains(".heddle-"));
        assert_eq!(temporary, None, "attempt {attempt}");
        check(bench.path());
        if caught == CAUGHT {
            return;
        }
    }
    panic!("{caught} of {TRIES} runs were caught, expected {CAUGHT}");
}

/// Does the folder hold all files of its list, its manifest, and the memories of a machine?
fn is_complete(folder: &Path) -> bool {
    let list = std::fs::read_to_string(folder.join("filelist.f")).unwrap_or_default();
    let files = list.lines().count();
    let names = names(folder);
    // A new folder has two files more, one that was there before has not.
    let beside = |name: &&String| *name == "ram_stub.v" || name.ends_with(".core");
    files > 0 && names.len() == files + 2 + names.iter().filter(beside).count()
}

#[test]
fn an_interrupted_run_leaves_no_folder_or_a_complete_one() {
    let check = |folder: &Path| {
        let output = folder.join("deep/er/out");
        let whole = is_complete(&output) || !folder.join("deep").exists();
        assert!(whole, "{:?}", names(&output));
    };
    catch("deep/er/out", |_| {}, check);
}

#[test]
fn an_interrupted_replacement_leaves_the_old_folder_or_the_other() {
    let old = |bench: &Bench| {
        let files: Vec<String> = (0..OLD_FILES).map(|n| format!("old_{n}.v")).collect();
        for file in &files {
            bench.write(&format!("out/{file}"), "");
        }
        bench.write("out/filelist.f", files.join("\n"));
        bench.write("out/manifest.json", "{\"generator\": \"heddle 0.1.0\"}");
    };
    catch("out", old, |folder| {
        assert!(is_complete(&folder.join("out")));
    });
}

#[test]
fn a_file_that_grows_too_large_is_an_error_and_leaves_nothing() {
    let bench = Bench::new(&[("c.json", CONFIG)]);
    let binary = bench.command("").get_program().to_owned();
    let result = Command::new("sh")
        .args(["-c", "ulimit -f 2; exec \"$0\" gen -c c.json -o out"])
        .arg(binary)
        .current_dir(bench.path())
        .output()
        .expect("the shell runs");
    let stderr = String::from_utf8_lossy(&result.stderr);
    assert!(stderr.contains("File too large"), "{stderr}");
    assert_eq!(result.status.code(), Some(2), "{stderr}");
    assert_eq!(names(bench.path()), ["c.json"]);
}

/// A compiler that starts another process and waits for it, as compilers do.
const COMPILER: &str = "#!/bin/sh
[ \"$1\" = --version ] && { echo slow 1.0; exit; }
sleep 600 &
echo $! >>started
wait
";

#[test]
fn a_killed_build_ends_its_compilers() {
    for signal in ["-KILL", "-TERM"] {
        let bench = Bench::new(&[("c.json", CONFIG), ("m.json", MODEL), ("cxx", COMPILER)]);
        let compiler = bench.path().join("cxx");
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&compiler, executable).expect("the file is there");
        let mut child = bench
            .command("cosim -c c.json -m m.json")
            .env("CXX", &compiler)
            .env("HEDDLE_CACHE", "cache")
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary runs");
        let started = || {
            let list = std::fs::read_to_string(bench.path().join("started")).unwrap_or_default();
            list.lines().map(str::to_string).collect::<Vec<_>>()
        };
        wait_until("a compiler runs", || !started().is_empty());
        let id = child.id().to_string();
        let sent = Command::new("kill").args([signal, &id]).status();
        assert!(sent.expect("kill runs").success());
        child.wait().expect("a child");
        wait_until("no compiler runs", || {
            let mut all = started().into_iter();
            all.all(|id| !Path::new("/proc").join(id).exists())
        });
    }
}

#[track_caller]
fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < LIMIT, "expected: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
