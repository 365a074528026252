//! Issue units of the waves, sequencer, host port, and what they are part of.

use crate::agreement::{Stimulus, agreement};
use crate::designs;

use super::set_below;

#[test]
fn stream_issue_agrees() {
    agreement("stream_issue", designs::stream_issue())
        .seed(31)
        .cycles(6000)
        .drive(|s| {
            let phase = s.cycle / 200;
            s.set("level_i", 0, phase % 3);
            s.set("rows_i", 0, 1 + phase % 4);
            let start = s.cycle % 200 == 0;
            s.set("start_i", 0, start.into());
            s.set("clear_i", 0, (s.cycle % 800 == 799).into());
            s.set("table_i", 0, phase % 2);
            set_below(s, "entry_i", 1, 20);
            set_below(s, "row_i", 1, 3);
            if s.get("row_i", 0) != 1 {
                set_below(s, "addr_i", 1, 4);
            } else if s.chance(0.99) {
                set_below(s, "addr_i", 1, 1024);
            }
        })
        .event("slot with an entry", |s| {
            s.is("op_valid_o") && s.is("op_table_o") && s.is("op_entry_o")
        })
        .event("last K tile", |s| s.is("vector_o") && s.is("last_tile_o"))
        .check();
}

#[test]
fn weight_issue_agrees() {
    agreement("weight_issue", designs::weight_issue())
        .seed(32)
        .drive(|s| {
            if s.chance(0.98) {
                set_below(s, "addr_i", 1, 1024);
            }
            set_below(s, "level_i", 1, 3);
            set_below(s, "row_i", 1, 2);
            s.set("streamed_i", 0, s.cycle / 100 % 2);
            s.set("copy_i", 0, u64::from(s.cycle / 50 % 4 == 1));
            set_below(s, "distance_i", 1, 100);
            s.set("clear_i", 0, (s.cycle % 500 == 499).into());
        })
        .event("streamed words", |s| {
            s.is("streamed_i") && s.is("addr_ready_o") && !s.is("stall_i")
        })
        .event("copies on their way", |s| {
            s.is("copying_o") && !s.is("addr_valid_i")
        })
        .event("copy beyond the memory", |s| {
            s.is("error_o") && !s.is("addr_valid_i")
        })
        .event("ready", |s| s.is("addr_valid_i") && s.is("addr_ready_o"))
        .check();
}

#[test]
fn drain_issue_agrees() {
    agreement("drain_issue", designs::drain_issue())
        .seed(33)
        .cycles(6000)
        .drive(|s| {
            if s.chance(0.98) {
                set_below(s, "addr_i", 1, 1024);
            }
            if s.chance(0.98) {
                set_below(s, "op_addr_i", 1, 64);
            }
            set_below(s, "tile_i", 1, 4);
            set_below(s, "level_i", 1, 2);
            s.set("start_i", 0, (s.cycle % 100 == 0).into());
            s.set("clear_i", 0, (s.cycle % 700 == 699).into());
        })
        .event("next column tile", |s| {
            s.is("post_load_o") && s.is("post_valid_o")
        })
        .check();
}

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

#[test]
fn sequencer_agrees() {
    let mut words = Vec::new();
    agreement("sequencer", designs::sequencer())
        .still(&["table_o", "repeat_o", "place_o"])
        .seed(34)
        .cycles(9000)
        .reset_chance(0.0)
        .drive(move |s| {
            let at = s.cycle % 150;
            if at == 0 {
                words = some_program(s);
            }
            // Between programs everything is back in reset.
            s.set("rst_n", 0, u64::from(at != 149 && s.cycle > 3));
            let word = words.get((at as usize).wrapping_sub(4)).copied();
            s.set("program_wen_i", 0, word.is_some().into());
            s.set("program_waddr_i", 0, at.wrapping_sub(4));
            s.set("program_wdata_i", 0, word.unwrap_or(0).into());
            s.set("host_start_i", 0, (at == 50).into());
            s.set("start_pc_i", 0, 0);
            for unit in 0..3 {
                let busy = s.chance(0.1);
                s.set("busy_i", unit, busy.into());
            }
            let error = s.chance(0.002);
            s.set("unit_error_i", 0, error.into());
        })
        .check();
}

#[test]
fn pet_60_prefetch_agrees() {
    let mut pc = 0;
    agreement("prefetch", designs::prefetch())
        .seed(38)
        .cycles(6000)
        .drive(move |s| {
            let at = s.cycle % 100;
            s.set("start_i", 0, (at == 0).into());
            set_below(s, "start_pc_i", 1, 4);
            s.set("run_i", 0, (at > 0 && at < 80).into());
            s.set("running_i", 0, (at > 0 && at < 90).into());
            // The sequencer reads on now and then.
            pc = match at {
                0 => 0,
                _ => pc + u64::from(s.chance(0.4)),
            };
            s.set("pc_i", 0, pc);
            let held = s.chance(0.7);
            s.set("program_wen_i", 0, (!held).into());
        })
        .event("pair asked for", |s| s.is("valid_o") && !s.is("write_o"))
        .event("program written", |s| s.is("valid_o") && s.is("write_o"))
        .check();
}

#[test]
fn host_port_agrees() {
    agreement("host_port", designs::host_port())
        .seed(35)
        .cycles(4000)
        .drive(|s| {
            // A request to the state buffer holds off the others for some cycles.
            let buffer = s.cycle / 64 % 2;
            let region = s.below(3 + buffer);
            let outer = s.below(5).saturating_sub(1) << 21;
            let inner = if s.chance(0.5) { 8 } else { 256 };
            let inner = s.below(inner) << 3;
            let table = s.below(2) << 29;
            let region = region << 30 | if region == 3 { table } else { 0 };
            if s.chance(0.7) {
                s.set("running_i", 0, 0);
            }
            s.set("host_addr_i", 0, region | outer | inner);
        })
        .event("buffer write", |s| {
            s.is("buffer_valid_o") && s.is("buffer_write_o")
        })
        .event("entry of a row table", |s| {
            s.is("buffer_valid_o") && s.is("buffer_table_o")
        })
        .event("held off", |s| {
            s.is("host_valid_i") && !s.is("host_ready_o")
        })
        .check();
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

#[test]
fn control_agrees() {
    let mut requests = Vec::new();
    let tables = ["op_table_o", "op_entry_o", "buffer_table_o"];
    let drains = [
        "post_tile_o",
        "post_skip_o",
        "post_rotate_o",
        "post_single_o",
    ];
    agreement("control", designs::control())
        .still(&tables)
        .still(&drains)
        .seed(36)
        .cycles(6000)
        .reset_chance(0.0)
        .drive(move |s| {
            drive_host(s, &mut requests, 300);
            // The wave comes back from the state buffer at once, with rare extra slots.
            if s.chance(0.999) {
                for (end, op) in [
                    ("end_valid_i", "op_valid_o"),
                    ("end_addr_i", "op_addr_o"),
                    ("end_tag_i", "op_tag_o"),
                ] {
                    let value = s.get(op, 0);
                    s.set(end, 0, value);
                }
                s.set("end_fault_i", 0, 0);
            }
        })
        .check();
}

/// With an input bank and all options of post-processing.
#[test]
fn pet_58_pet_59_pet_61_whole_machine_agrees() {
    let mut requests = Vec::new();
    agreement("top", designs::top())
        .seed(37)
        .cycles(2400)
        .reset_chance(0.0)
        .drive(move |s| drive_host(s, &mut requests, 300))
        .event("answer that is not 0", |s| {
            s.is("host_rvalid_o") && (0..8).any(|k| s.get("host_rdata_o", k) != 0)
        })
        .check();
}
