//! Drives any sliced memory cycle by cycle and says, from the rules of docs/sliced.md alone, what
//! its ports must show.

use heddle_hdl::sliced::{
    MaskPlace, Network, PlainMemory, Sliced, SlicedField, SlicedHybrid, SlicedShape,
};
use heddle_kernel::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Units of a word, unit 0 first.
pub type Word = Vec<u64>;

/// What the ports show in one cycle.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ports {
    /// Mask slice: read, written.
    pub mask: (bool, bool),
    /// Data slices read.
    pub reads: BTreeSet<usize>,
    /// Data slices written.
    pub writes: BTreeSet<usize>,
    /// Lanes written, by position.
    pub lanes: BTreeSet<usize>,
    /// Word read and its mask.
    pub word: Option<(Word, Vec<bool>)>,
}

/// Pins of a memory.
pub trait Memory {
    /// Sets the inputs; ports without a request carry what would do harm.
    fn drive(&mut self, run: bool, write: Option<(u64, &[u64])>, read: Option<u64>);
    /// Outputs of this cycle.
    fn ports(&self) -> Ports;
    /// Ends the cycle.
    fn tick(&mut self);
    /// Bits of a unit and number of units.
    fn units(&self) -> (usize, usize);
}

macro_rules! memory {
    ($($name:ident)*) => { $(
        impl<const UB: usize> Memory for $name<UB> {
            fn drive(&mut self, run: bool, write: Option<(u64, &[u64])>, read: Option<u64>) {
                self.rst_n.next = run;
                let other = write.map_or(1, |w| w.0);
                self.wen_i.next = write.is_some();
                self.waddr_i.next = write.map_or(read.unwrap_or(1), |w| w.0).into();
                for (k, unit) in self.wdata_i.iter_mut().enumerate() {
                    unit.next = write.map_or(k as u64 & 1, |w| w.1[k]).into();
                }
                self.ren_i.next = read.is_some();
                self.raddr_i.next = read.unwrap_or(other).into();
                settle(self);
            }
            fn ports(&self) -> Ports {
                let set = |bits: &[Signal<Out, Bit>]| {
                    (0..bits.len()).filter(|k| bits[*k].val()).collect()
                };
                let bit = |b: &Signal<Out, Bits<1>>| b.val().any();
                let unit = |u: &Signal<Out, Bits<UB>>| u.val().to_u64();
                let word = || {
                    let mask = self.rmask_o.iter().map(bit).collect();
                    (self.rdata_o.iter().map(unit).collect(), mask)
                };
                let lanes = self.lane_wen_o.iter().enumerate();
                Ports {
                    mask: (self.mask_ren_o.val(), self.mask_wen_o.val()),
                    reads: set(&self.slice_ren_o),
                    writes: set(&self.slice_wen_o),
                    lanes: lanes.filter(|(_, b)| bit(b)).map(|(p, _)| p).collect(),
                    word: self.rvalid_o.val().then(word),
                }
            }
            fn tick(&mut self) {
                clock_cycle!(*self);
            }
            fn units(&self) -> (usize, usize) {
                (UB, self.wdata_i.len())
            }
        }
    )* };
}
memory!(Sliced SlicedField SlicedHybrid PlainMemory);

/// The memory of this shape.
pub fn build(shape: &SlicedShape) -> Box<dyn Memory> {
    fn of<const UB: usize>(shape: &SlicedShape) -> Box<dyn Memory> {
        match shape.mask {
            _ if shape.plain => Box::new(PlainMemory::<UB>::new(shape.clone())),
            MaskPlace::Slice => Box::new(Sliced::<UB>::new(shape.clone())),
            MaskPlace::Field => Box::new(SlicedField::<UB>::new(shape.clone())),
            MaskPlace::Hybrid => Box::new(SlicedHybrid::<UB>::new(shape.clone())),
        }
    }
    match shape.unit_bits {
        4 => of::<4>(shape),
        8 => of::<8>(shape),
        16 => of::<16>(shape),
        _ => of::<32>(shape),
    }
}

/// A shape with changed options.
pub fn shape(words: usize, widths: &[usize], change: impl Fn(&mut SlicedShape)) -> SlicedShape {
    let mut shape = SlicedShape::new(words, widths.to_vec());
    change(&mut shape);
    if shape.access_threshold == widths[0] {
        shape.access_threshold = shape.first_units();
    }
    shape
}

/// Positions at which the non-zero units of a word arrive.
fn arrivals(units: &[bool], network: Network) -> BTreeSet<usize> {
    let half = units.len() / 2;
    let pop = units.iter().filter(|u| **u).count();
    let zeros = |from: usize, j: usize| units[from..j].iter().filter(|u| !**u).count();
    let place = |j: usize| match network {
        Network::Full => j - zeros(0, j),
        Network::Half => j - zeros(0, j).min(half),
        Network::Split if j < half || pop <= half => j - zeros(0, j),
        Network::Split => j - zeros(half, j),
    };
    (0..units.len()).filter(|j| units[*j]).map(place).collect()
}

/// A memory with what its ports must show in the cycles to come.
pub struct Bench {
    memory: Box<dyn Memory>,
    shape: SlicedShape,
    words: BTreeMap<u64, Word>,
    cycle: usize,
    expected: BTreeMap<usize, Ports>,
    /// Reads in the cycle of the write of their word, and in the cycles behind it.
    pub distances: [usize; 4],
    wrote: Vec<Option<u64>>,
}

impl Bench {
    /// The memory of this shape, reset.
    pub fn new(shape: SlicedShape) -> Self {
        let mut memory = build(&shape);
        memory.drive(false, None, None);
        memory.tick();
        Self {
            memory,
            shape,
            words: BTreeMap::new(),
            cycle: 0,
            expected: BTreeMap::new(),
            distances: [0; 4],
            wrote: Vec::new(),
        }
    }

    fn at(&mut self, delay: usize) -> &mut Ports {
        self.expected.entry(self.cycle + delay).or_default()
    }

    /// Mask of a stored word by unit, and the slices it needs.
    fn accesses(&self, word: &[u64]) -> (Vec<bool>, Vec<usize>) {
        let s = &self.shape;
        let mask: Vec<bool> = word.iter().map(|u| *u != 0).collect();
        let pop = mask.iter().filter(|b| **b).count();
        if s.plain {
            return (mask, vec![0]);
        }
        let t = s.write_threshold;
        let mut before = 0;
        let mut slices = Vec::new();
        for (k, width) in s.widths.iter().enumerate() {
            let always = k == 0 && s.mask != MaskPlace::Slice;
            let least = match k {
                0 => t,
                1 => s.access_threshold,
                _ if s.mask == MaskPlace::Hybrid => s.access_threshold,
                _ => before,
            };
            if always || pop > least && pop > t {
                slices.push(k);
            }
            before += width;
        }
        (mask, slices)
    }

    fn expect(&mut self, write: bool, word: &Word) {
        let s = self.shape.clone();
        let (mask, slices) = self.accesses(word);
        let i = usize::from(s.latency == 7);
        let d = [1, 2, 2, 3, 3, 3][s.latency - 2];
        if s.mask == MaskPlace::Slice && !s.plain {
            let port = &mut self.at(i).mask;
            *(if write { &mut port.1 } else { &mut port.0 }) = true;
        }
        let mut by_position = mask.clone();
        if !s.right {
            by_position.reverse();
        }
        let arrived = arrivals(&by_position, s.network);
        let mut from = 0;
        let widths = if s.plain {
            vec![s.units]
        } else {
            s.widths.clone()
        };
        for (k, width) in widths.iter().enumerate() {
            if slices.contains(&k) {
                let first = k == 0 && s.mask != MaskPlace::Slice && !s.plain;
                let turn = if s.in_turn { k } else { 0 };
                let ports = self.at(if first { i } else { i + d + turn });
                if write {
                    ports.writes.insert(k);
                    let lanes = from..from + width;
                    ports
                        .lanes
                        .extend(lanes.filter(|p| !s.exact || arrived.contains(p)));
                } else {
                    ports.reads.insert(k);
                }
            }
            from += width;
        }
        if !write {
            let turns = if s.in_turn { widths.len() - 1 } else { 0 };
            self.at(s.latency + turns).word = Some((word.clone(), mask));
        }
    }

    /// One cycle with at most one write and one read; compares all ports.
    #[track_caller]
    pub fn cycle(&mut self, write: Option<(u64, &[u64])>, read: Option<u64>) -> Ports {
        let words = self.shape.words as u64;
        if let Some((address, word)) = write {
            let pop = word.iter().filter(|u| **u != 0).count();
            let lost = pop <= self.shape.write_threshold && !self.shape.plain;
            let stored = if lost {
                vec![0; word.len()]
            } else {
                word.to_vec()
            };
            self.expect(true, &stored);
            self.words.insert(address % words, stored);
        }
        if let Some(address) = read {
            let word = self.words[&(address % words)].clone();
            self.expect(false, &word);
        }
        self.wrote.insert(0, write.map(|w| w.0 % words));
        self.wrote.truncate(4);
        for (n, wrote) in self.distances.iter_mut().zip(&self.wrote) {
            *n += usize::from(read.is_some() && *wrote == read.map(|r| r % words));
        }
        self.memory.drive(true, write, read);
        let found = self.memory.ports();
        let expected = self.expected.remove(&self.cycle).unwrap_or_default();
        assert_eq!(found, expected, "cycle {} of {:?}", self.cycle, self.shape);
        self.memory.tick();
        self.cycle += 1;
        found
    }

    /// Cycles until nothing is on its way.
    #[track_caller]
    pub fn drain(&mut self) {
        while !self.expected.is_empty() {
            self.cycle(None, None);
        }
    }

    /// Writes a word, reads it back, alone.
    #[track_caller]
    pub fn round_trip(&mut self, address: u64, word: &[u64]) {
        self.cycle(Some((address, word)), None);
        self.drain();
        self.cycle(None, Some(address));
        self.drain();
    }

    /// Random requests at few addresses, after dense words everywhere.
    #[track_caller]
    pub fn traffic(&mut self, seed: u64, cycles: usize) {
        let mut random = Random(seed);
        let (bits, units) = self.memory.units();
        for address in 0..self.shape.words as u64 {
            let word: Word = (0..units).map(|_| random.unit(bits)).collect();
            self.cycle(Some((address, &word)), None);
        }
        for _ in 0..cycles {
            let word = random.word(bits, units);
            let address = random.below(3);
            let write = (random.below(3) > 0).then_some((address, &word[..]));
            let read = (random.below(4) > 0).then(|| random.below(3));
            self.cycle(write, read);
        }
        self.drain();
        assert!(
            self.distances.iter().all(|n| *n > cycles / 20),
            "seed {seed}: reads so far behind the write of their word: {:?}",
            self.distances
        );
    }
}

/// A small generator of test values (xorshift).
pub struct Random(pub u64);

impl Random {
    /// A number below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }

    /// A unit that is not zero.
    pub fn unit(&mut self, bits: usize) -> u64 {
        1 << self.below(bits as u64) | self.below(1 << bits)
    }

    /// A word with any share of zero units.
    pub fn word(&mut self, bits: usize, units: usize) -> Word {
        let zeros = self.below(10);
        let unit = |_| {
            let unit = self.unit(bits);
            if self.below(9) < zeros { 0 } else { unit }
        };
        (0..units).map(unit).collect()
    }
}

/// A word as it is printed, leftmost byte first, in units of `bits` bits.
pub fn word(text: &str, bits: usize) -> Word {
    let digits: Vec<u64> = text
        .chars()
        .filter_map(|c| c.to_digit(16).map(u64::from))
        .collect();
    let unit = |d: &[u64]| d.iter().fold(0, |n, digit| n << 4 | digit);
    digits.chunks(bits / 4).rev().map(unit).collect()
}
