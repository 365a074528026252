//! A partition cycle by cycle, beside a plain memory.

use heddle_hdl::buffer::Partition;
use heddle_hdl::sliced::SlicedShape;
use heddle_kernel::prelude::*;

pub const BANKS: usize = 4;
pub const WORDS: usize = 16;
pub const OFFSETS: usize = 16;

/// One operand slot.
#[derive(Clone, Copy, Default)]
pub struct Operand {
    pub addr: u64,
    pub rows: u64,
    pub thr: u64,
    pub fresh: bool,
    pub swap: bool,
    /// Entry of the offset table, if it is used.
    pub entry: Option<u64>,
}

/// Everything that enters a partition in one cycle.
#[derive(Clone, Default)]
pub struct Cycle {
    pub op: Option<Operand>,
    /// Address and rows.
    pub wt: Option<(u64, u64)>,
    /// The word at `wt` is copied.
    pub copies: bool,
    /// Destination of a copy of three cycles ago.
    pub dest: u64,
    /// Word and data.
    pub drain: Option<(u64, u64)>,
    /// Partition, word, data of a write.
    pub host: Option<(u64, u64, Option<u64>)>,
    /// Partition, entry and data of a write to the offset table, instead of `host`.
    pub table: Option<(u64, u64, u64)>,
}

/// What leaves a partition in one cycle.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Seen {
    /// Operand of the slot, 0 if there is none.
    pub x: i64,
    /// What the multipliers see: the last operand that was not zero.
    pub held: i64,
    pub swap: bool,
    pub shift: bool,
    pub w: u64,
    pub answer: Option<u64>,
    /// The slot of two cycles ago has no address.
    pub fault: bool,
    /// Mask reads and writes, slice a reads and writes, slice b reads and writes, zero operands.
    pub events: [u64; 7],
}

pub fn join(bytes: &[Bits<8>]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |word, byte| word << 8 | byte.to_u64())
}

pub fn signed_9(x: Bits<9>) -> i64 {
    let x = x.to_u64() as i64;
    if x < 256 { x } else { x - 512 }
}

macro_rules! drive {
    ($u:expr, $cycle:expr) => {{
        let op = $cycle.op.unwrap_or_default();
        $u.op_i.valid.next = $cycle.op.is_some_and(|op| op.rows < 512);
        $u.op_i.addr.next = op.addr.into();
        $u.op_i.rows.next = (op.rows % 512).into();
        $u.op_i.thr.next = op.thr.into();
        $u.op_i.fresh.next = op.fresh;
        $u.op_i.swap.next = op.swap;
        $u.op_i.table.next = op.entry.is_some();
        $u.op_i.entry.next = op.entry.unwrap_or(0).into();
        let (addr, rows) = $cycle.wt.unwrap_or_default();
        $u.wt_i.valid.next = $cycle.wt.is_some();
        $u.wt_i.addr.next = addr.into();
        $u.wt_i.rows.next = rows.into();
        $u.wt_i.copy.next = $cycle.copies;
        $u.wt_i.dest.next = $cycle.dest.into();
        let table = $cycle.table.map(|(p, entry, data)| (p, entry, Some(data)));
        let (partition, word, data) = $cycle.host.or(table).unwrap_or_default();
        $u.host_i.valid.next = $cycle.host.is_some() || table.is_some();
        $u.host_i.table.next = $cycle.host.is_none() && table.is_some();
        $u.host_i.write.next = data.is_some();
        $u.host_i.partition.next = partition.into();
        $u.host_i.word.next = word.into();
        for k in 0..8 {
            $u.host_i.data[k].next = (data.unwrap_or(0) >> (8 * k) & 0xff).into();
        }
    }};
}

/// A bank with slices of four bytes.
pub fn bank() -> SlicedShape {
    SlicedShape::new(WORDS, vec![4, 4])
}

pub fn run_partition(cycles: &[Cycle]) -> Vec<Seen> {
    let mut u = Partition::new(BANKS, &bank(), OFFSETS);
    u.rst_n.next = true;
    let mut seen = Vec::new();
    for cycle in cycles {
        drive!(u, cycle);
        let (word, data) = cycle.drain.unwrap_or_default();
        u.dr_i.valid.next = cycle.drain.is_some();
        u.dr_i.word.next = word.into();
        for k in 0..8 {
            u.dr_i.data[k].next = (data >> (8 * k) & 0xff).into();
        }
        settle(&mut u);
        let bytes = |port: &[Signal<Out, Bits<8>>]| {
            join(&port.iter().map(|byte| byte.val()).collect::<Vec<_>>())
        };
        seen.push(Seen {
            x: if u.nz_o.val() {
                signed_9(u.x_o.val())
            } else {
                0
            },
            held: signed_9(u.x_o.val()),
            swap: u.swap_o.val(),
            shift: u.shift_o.val(),
            w: if u.shift_o.val() { bytes(&u.w_o) } else { 0 },
            fault: u.op_fault_o.val(),
            answer: u.host_rvalid_o.val().then(|| bytes(&u.host_rdata_o)),
            events: [
                u.ev_mask_read_o.val().to_u64(),
                u.ev_mask_write_o.val().to_u64(),
                u.ev_slice_read_o[0].val().to_u64(),
                u.ev_slice_write_o[0].val().to_u64(),
                u.ev_slice_read_o[1].val().to_u64(),
                u.ev_slice_write_o[1].val().to_u64(),
                u.ev_zero_o.val().to_u64(),
            ],
        });
        clock_cycle!(u);
    }
    seen
}

/// Slice a, slice b: does the word use them? Slice a holds four packed bytes.
pub fn slices(word: u64) -> [u64; 2] {
    let count = word.to_le_bytes().iter().filter(|&&byte| byte != 0).count();
    [(count > 0).into(), (count > 4).into()]
}

/// A plain memory with the clocks of the document, and the number of operands that came from
/// the kept word.
pub fn model(cycles: &[Cycle]) -> (Vec<Seen>, u64) {
    let mut seen = vec![Seen::default(); cycles.len() + 8];
    let mut memory = [0u64; BANKS * WORDS];
    let mut offsets = [0u64; OFFSETS];
    // The slot of each cycle with its address in this partition, if it has one.
    let mut slots: Vec<Option<(Operand, Option<u64>)>> = Vec::new();
    let mut kept = None;
    let mut reused = 0;
    // Words to be copied, by the cycle in which they are written.
    let mut copied = std::collections::BTreeMap::new();
    let bank = |word: u64| word as usize / WORDS;
    for (t, cycle) in cycles.iter().enumerate() {
        let here = cycle.host.filter(|host| host.0 == 0);
        let write = cycle
            .drain
            .or(copied.remove(&t).map(|data| (cycle.dest, data)))
            .or(here.and_then(|(_, word, data)| Some((word, data?))));
        if let Some((word, data)) = write {
            memory[word as usize] = data;
            seen[t + 1].events[1] += 1;
            seen[t + 2].events[3] += slices(data)[0];
            seen[t + 2].events[5] += slices(data)[1];
            if kept == Some(word) {
                kept = None;
            }
        }
        let mut busy = vec![];
        let mut read = |word: u64, seen: &mut Vec<Seen>| {
            if busy.contains(&bank(word)) {
                return 0;
            }
            busy.push(bank(word));
            let data = memory[word as usize];
            seen[t + 1].events[0] += 1;
            seen[t + 2].events[2] += slices(data)[0];
            seen[t + 2].events[4] += slices(data)[1];
            data
        };
        slots.push(cycle.op.map(|op| {
            let active = op.rows > 0 && op.rows < 512;
            let entry = op.entry.map_or(1 << 16, |entry| offsets[entry as usize]);
            let sum = op.addr + (entry & 0xffff);
            let address = (active && entry >> 16 == 1).then_some(sum);
            (op, address)
        }));
        if let Some((0, entry, data)) = cycle.table.filter(|_| cycle.host.is_none()) {
            offsets[entry as usize] = data;
        }
        if let Some((op, address)) = t.checked_sub(2).and_then(|t| slots[t]) {
            seen[t + 4].swap = op.swap;
            let limit = (BANKS * WORDS * 8) as u64;
            seen[t].fault = address.is_some_and(|address| address >= limit);
            if let Some(address) = address.filter(|&address| address < limit) {
                let word = address >> 3;
                if op.fresh || kept != Some(word) {
                    read(word, &mut seen);
                    kept = Some(word);
                } else {
                    reused += 1;
                }
                let byte = (memory[word as usize] >> (8 * (address & 7)) & 0xff) as i64;
                seen[t + 4].x = if byte <= op.thr as i64 {
                    byte
                } else {
                    byte - 256
                };
                seen[t + 5].events[6] += u64::from(byte == 0);
            }
        }
        if let Some((addr, rows)) = cycle.wt {
            seen[t + 3].shift = !cycle.copies;
            if rows > 0 {
                let word = read(addr >> 3, &mut seen);
                match cycle.copies {
                    true => _ = copied.insert(t + 3, word),
                    false => seen[t + 3].w = word,
                }
            }
        }
        if let Some((_, word, None)) = here {
            seen[t + 4].answer = Some(read(word, &mut seen));
        }
    }
    let mut held = 0;
    for cycle in &mut seen {
        if cycle.x != 0 {
            held = cycle.x;
        }
        cycle.held = held;
    }
    seen.truncate(cycles.len());
    (seen, reused)
}

#[track_caller]
pub fn check_partition(cycles: &[Cycle]) -> Vec<Seen> {
    let got = run_partition(cycles);
    for (t, (got, want)) in got.iter().zip(model(cycles).0).enumerate() {
        assert_eq!(*got, want, "cycle {t}");
    }
    got
}

pub fn host_write(word: u64, data: u64) -> Cycle {
    Cycle {
        host: Some((0, word, Some(data))),
        ..Cycle::default()
    }
}

pub fn operand(addr: u64) -> Cycle {
    Cycle {
        op: Some(Operand {
            addr,
            rows: 1,
            thr: 127,
            ..Operand::default()
        }),
        ..Cycle::default()
    }
}

/// Writes an entry of the offset table.
pub fn table_write(entry: u64, offset: Option<u64>) -> Cycle {
    let data = offset.map_or(0, |offset| 1 << 16 | offset);
    Cycle {
        table: Some((0, entry, data)),
        ..Cycle::default()
    }
}

pub fn idle(n: usize) -> Vec<Cycle> {
    vec![Cycle::default(); n]
}

pub fn mask_reads(seen: &[Seen]) -> u64 {
    seen.iter().map(|s| s.events[0]).sum()
}
