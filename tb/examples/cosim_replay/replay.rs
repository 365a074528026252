//! The stand-alone C++ program: built by Verilator itself, fed with the recorded accesses.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use heddle_tb::host::Access;
use heddle_tb::verilate::{Sources, Verilator};

/// What the program or the co-simulation reports about the same accesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trail {
    /// Clock cycles.
    pub cycles: u64,
    /// Of all answers, in order.
    pub checksum: u64,
}

/// The accesses as the program reads them: 64-bit words, low byte first.
pub fn write_file(accesses: &[Access], path: &Path) {
    let mut words = Vec::new();
    for access in accesses {
        match access {
            Access::Write { address, data } => words.extend([0, u64::from(*address), *data]),
            Access::Read { addresses, .. } => {
                words.extend([1, addresses.len() as u64]);
                words.extend(addresses.iter().map(|&address| u64::from(address)));
            }
            Access::Wait => words.push(2),
        }
    }
    let bytes: Vec<u8> = words.into_iter().flat_map(u64::to_le_bytes).collect();
    fs::write(path, bytes).expect("the folder is ours");
}

/// Checksum of the recorded answers: FNV-1a over 64-bit words.
pub fn checksum(accesses: &[Access]) -> u64 {
    let mut sum = 0xcbf2_9ce4_8422_2325_u64;
    for access in accesses {
        if let Access::Read { answers, .. } = access {
            for answer in answers {
                sum = (sum ^ answer).wrapping_mul(0x100_0000_01b3);
            }
        }
    }
    sum
}

/// Builds the program with Verilator's own make flow and the flags of the co-simulation.
pub fn build(sources: &Sources, tool: &Verilator, folder: &Path) -> PathBuf {
    for (name, text) in &sources.files {
        fs::write(folder.join(name), text).expect("the folder is ours");
    }
    fs::write(folder.join("replay.cpp"), include_str!("replay.cpp")).expect("the folder is ours");
    let output = Command::new(&tool.program)
        .env("VERILATOR_ROOT", &tool.root)
        .current_dir(folder)
        .args(["--cc", "--exe", "--build", "-O3", "--no-assert"])
        .args(["--x-assign", "fast", "--x-initial", "fast"])
        .args(["--timescale", "1ns/1ns", "-Wno-fatal"])
        .args(["--output-split-cfuncs", "2000"])
        .args(["-MAKEFLAGS", "OPT_FAST=-O2 OPT_SLOW=-O0 OPT_GLOBAL=-O2"])
        .args(["--prefix", "Vmachine", "--top-module", &sources.top])
        .args(["--Mdir", "build", "-o", "replay", "replay.cpp"])
        .args(sources.files.iter().map(|(name, _)| name))
        .output()
        .expect("verilator was found");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    folder.join("build/replay")
}

/// Runs the program; gives its nanoseconds.
pub fn run(program: &Path, file: &Path) -> (Trail, f64) {
    let output = Command::new(program).arg(file).output();
    let output = output.expect("the program exists");
    assert!(output.status.success(), "the replay stopped");
    let text = String::from_utf8_lossy(&output.stdout);
    let numbers: Vec<u64> = text
        .split_whitespace()
        .map(|word| word.parse().expect("the program prints numbers"))
        .collect();
    let trail = Trail {
        cycles: numbers[0],
        checksum: numbers[2],
    };
    (trail, numbers[1] as f64)
}
