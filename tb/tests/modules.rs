//! Agreement of whole designs with their Verilog: rust-hdl's simulator against Verilator.
//!
//! Stimulus is random and not always legal: what matters here is that both sides do the same.
//! Events prove that something happens. Modules are compared with their golden models elsewhere.

use crate::agreement::{Stimulus, agreement};
use crate::designs;

const HALT: u32 = 0x0101;

/// Weights and a copy, then a drain, then the product whose results it takes; `vectors` of them.
fn program(vectors: u32) -> Vec<u32> {
    let mut words = vec![0x0702, 4, 0x11, 512, 0, 8, 8];
    words.extend([0x0505, 3, 0x40, 1, 512, 0x0004_0107]);
    words.extend([
        0x0804,
        4,
        0x0080_0180 - 0x0000_0001,
        0x11,
        256,
        0,
        1,
        vectors,
    ]);
    words.extend([0x0a03, 4 | 1 << 9 | 1 << 10 | 100 << 16, 16, 0, 1]);
    words.extend([0x11, 0, 0, 1, vectors]);
    words.push(HALT);
    words
}

/// A program that is legal in two of three cases, else has one bit changed.
fn some_program(s: &mut Stimulus) -> Vec<u32> {
    let vectors = 1 + s.below(6) as u32;
    let mut words = program(vectors);
    if s.chance(0.33) {
        let at = s.below(words.len() as u64) as usize;
        words[at] ^= 1 << s.below(32);
    }
    words
}

/// Requests of the host for one program run, in order: address and data.
fn run_requests(s: &mut Stimulus) -> Vec<(u64, u64)> {
    let mut list = vec![(4 << 3, 128)];
    for (at, word) in some_program(s).into_iter().enumerate() {
        list.push((1 << 30 | (at as u64) << 3, word.into()));
    }
    for column in 0..4 {
        let bias = s.below(1 << 12);
        list.push((2 << 30 | column << 21, bias));
        let multiplier = (1 << 30) + s.below(1 << 30);
        let shift = (64 - s.below(12)) & 63;
        list.push((2 << 30 | column << 21 | 1 << 3, shift << 32 | multiplier));
    }
    for partition in 0..4 {
        for word in 0..2 {
            let data = s.below(u64::MAX);
            list.push((3 << 30 | partition << 21 | word << 3, data));
            let weights = s.below(u64::MAX);
            list.push((3 << 30 | partition << 21 | (64 + word) << 3, weights));
        }
    }
    list.push((1 << 3, 1));
    list
}

/// Drives whole programs through the host port, then reads back at random until the next.
fn drive_host(s: &mut Stimulus, requests: &mut Vec<(u64, u64)>, episode: u64) {
    let at = s.cycle % episode;
    if at == 0 {
        *requests = run_requests(s);
        requests.reverse();
    } else if at > 4 && s.previous("host_ready_o", 0) == 1 {
        requests.pop();
    }
    s.set("rst_n", 0, u64::from(at > 2));
    let request = if at > 3 { requests.last() } else { None };
    let (address, data) = request.copied().unwrap_or_else(|| {
        let region = if s.chance(0.5) { 0 } else { 3 };
        (region << 30 | s.below(4) << 21 | s.below(64) << 3, 0)
    });
    let valid = request.is_some() || s.chance(0.2);
    s.set("host_valid_i", 0, valid.into());
    s.set("host_write_i", 0, request.is_some().into());
    s.set("host_addr_i", 0, address);
    for byte in 0..8 {
        s.set("host_wdata_i", byte, data >> (8 * byte));
    }
}

/// With an input bank and all options of post-processing.
#[proves("PET-58", "PET-59", "PET-61")]
#[test]
fn whole_machine_agrees() {
    let mut requests = Vec::new();
    agreement("top", designs::top())
        .seed(37)
        .cycles(600)
        .reset_chance(0.0)
        .drive(move |s| drive_host(s, &mut requests, 300))
        .event("answer that is not 0", |s| {
            s.is("host_rvalid_o") && (0..8).any(|k| s.get("host_rdata_o", k) != 0)
        })
        .check();
}

#[test]
fn state_machine_with_shifts_agrees() {
    agreement("sample_shifter", designs::samples::Shifter::default())
        .seed(13)
        .cycles(6000)
        .event("done with negative value", |s| {
            s.is("done_o") && s.get("y_o", 0) >> 31 == 1
        })
        .event("ignored start", |s| s.is("start_i") && s.is("done_o"))
        .event("shift by 31", |s| s.get("places_i", 0) == 31)
        .check();
}
