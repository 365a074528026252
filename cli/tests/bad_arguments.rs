//! Faulty command lines and output that nobody reads.

use std::fs::OpenOptions;
use std::process::Stdio;

use crate::bench::{Bench, CONFIG};

#[test]
fn faulty_command_lines_are_one_line() {
    let bench = Bench::new(&[("c.json", CONFIG)]);
    bench.refusals("", &[
        "| command is missing, see heddle --help",
        "config | command is missing, see heddle --help",
        "generate | unrecognized subcommand 'generate' tip: a similar subcommand exists: 'gen'",
        "gen -c c.json | the following required arguments were not provided: --output <DIR>",
        "gen -c c.json -o out --reset maybe | invalid value 'maybe' for '--reset <RESET>' [possible values: sync, async]",
        "gen -c c.json -o out more | unexpected argument 'more' found",
        "lint | the following required arguments were not provided: <DIR|--config <CONFIG>>",
    ]);
}

#[test]
fn unknown_modules_are_answered_with_the_list() {
    let bench = Bench::new(&[("c.json", CONFIG)]);
    let before = bench.content();
    let run = bench.heddle("gen -c c.json -o out --top help");
    assert_eq!(run.code, Some(2));
    let told = run.stderr;
    let begin = "error: --top is \"help\", expected one of ";
    assert!(told.starts_with(begin), "{told}");
    for name in ["traversal", "sliced", "partition", "pe_array", "top"] {
        assert!(told.contains(&format!("{name} (")), "{name}: {told}");
    }
    assert_eq!(told.lines().count(), 1);
    assert!(before == bench.content());
}

#[test]
fn lint_refuses_folders_that_heddle_did_not_write() {
    let bench = Bench::new(&[
        ("empty/inside/x", ""),
        ("bad/manifest.json", "{}"),
        ("evil/manifest.json", "{\"top\": \"a\"}"),
        ("evil/filelist.f", "../c.v\n"),
        ("none/manifest.json", "{\"top\": \"a\"}"),
        ("none/filelist.f", "\n"),
    ]);
    bench.refusals("lint", &[
        "missing | missing: is not a folder, expected one that heddle gen wrote",
        "empty | empty/manifest.json: cannot read manifest: No such file or directory (os error 2)",
        "bad | bad/manifest.json: top is missing, expected a module name",
        "evil | evil/filelist.f: names \"../c.v\", expected files of this folder",
        "none | none/filelist.f: names no file",
    ]);
}

#[test]
fn help_and_version_are_output() {
    let bench = Bench::new(&[]);
    for line in ["--help", "--version", "gen --help"] {
        assert!(bench.done(line).len() > 10);
    }
}

#[test]
fn a_closed_pipe_is_no_fault() {
    let bench = Bench::new(&[]);
    let mut child = bench
        .command("config schema")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    drop(child.stdout.take());
    let result = child.wait_with_output().expect("the binary ends");
    assert_eq!(String::from_utf8_lossy(&result.stderr), "");
    assert_eq!(result.status.code(), Some(0));
}

#[test]
fn a_full_disk_is_reported() {
    let bench = Bench::new(&[]);
    let full = OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .expect("/dev/full");
    let result = bench
        .command("config schema")
        .stdout(full)
        .output()
        .expect("the binary runs");
    assert_eq!(
        String::from_utf8_lossy(&result.stderr),
        "error: cannot write to stdout: No space left on device (os error 28)\n"
    );
    assert_eq!(result.status.code(), Some(2));
}
