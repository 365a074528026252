//! Words through a verilated memory, and its accesses against the golden model.

use std::path::PathBuf;

use heddle_sim::sliced::choose::{binomial, expected_bits};
use heddle_sim::sliced::{Counts, SlicedReference, Word};
use heddle_tb::verilate::{Options, Sources, Trace, build_shared};
use heddle_tb::{Model, PortId};

use crate::data::Set;
use crate::designs::{Candidate, WORDS, memory};
use crate::ports::{Activity, activity};

/// Bits by which random words may differ from their distribution: more than four standard
/// deviations of the mean.
const SAMPLING_BITS: f64 = 1.5;

/// A memory and its verilated design.
pub struct Bench {
    pub candidate: Candidate,
    library: PathBuf,
}

/// What a run of words costs.
pub struct Result {
    bits: u64,
    accesses: u64,
    pub activity: Activity,
    /// Bits of an access by the distribution of random words.
    pub expected: Option<f64>,
}

impl Result {
    /// Bits of the rows that an access reads or writes, on average.
    pub fn bits_per_access(&self) -> f64 {
        self.bits as f64 / self.accesses as f64
    }
}

impl Bench {
    /// Verilates the memory.
    pub fn new(candidate: Candidate) -> Self {
        let design = memory(&candidate.shape);
        let sources = Sources {
            files: design.verilog(),
            top: design.top,
            ports: Vec::new(),
        };
        let options = Options {
            trace: Trace::Vcd,
            opt_level: 1,
            ..Options::default()
        };
        let library = build_shared(&sources, &options).unwrap_or_else(|error| panic!("{error}"));
        Self { candidate, library }
    }

    /// Fills the memory with as many words as it holds, one in each clock, and reads them back,
    /// one in each clock; then the next words.
    ///
    /// # Panics
    /// If a word or the accesses differ from those of the golden model.
    pub fn run(&mut self, set: &Set) -> Result {
        let words = &set.words;
        let name = self.candidate.name;
        let layout = &self.candidate.layout;
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let wave = folder.path().join("ports.vcd");
        let mut memory = Memory::new(&self.library);
        memory.model.trace_open(&wave).expect("the folder is ours");
        memory.reset();
        let mut reference = SlicedReference::new(layout);
        for chunk in words.chunks(WORDS) {
            for (address, word) in (0..).zip(chunk) {
                memory.write(address, *word);
                reference.write(address, Word::from(*word));
            }
            for address in 0..chunk.len() as u32 {
                memory.read(address);
                let (word, _) = reference.read(address);
                assert_eq!(word.low(), chunk[address as usize], "{name}: golden model");
            }
            memory.idle(8);
        }
        memory.model.trace_close();
        assert_eq!(&memory.words, words, "{name}: words read");
        let expected = reference.counts();
        let counts = Counts {
            zero_words: expected.zero_words,
            small_words: expected.small_words,
            large_words: expected.large_words,
            ..memory.counts
        };
        assert_eq!(
            counts, expected,
            "{name}: accesses at the observation ports"
        );
        let activity = activity(&wave);
        let bits = counts.bits(layout);
        assert_eq!(activity.row_bits, bits, "{name}: bits accessed at the RAMs");
        let result = Result {
            bits,
            accesses: 2 * words.len() as u64,
            activity,
            expected: set
                .zero
                .map(|zero| expected_bits(layout, &binomial(layout.units, zero))),
        };
        if let Some(expected) = result.expected {
            let found = result.bits_per_access();
            assert!(
                (found - expected).abs() < SAMPLING_BITS,
                "{name}, {}: {found} bits, expected {expected}",
                set.name
            );
        }
        result
    }
}

/// The ports of a memory.
struct Memory {
    model: Model,
    wen: PortId,
    waddr: PortId,
    wdata: PortId,
    ren: PortId,
    raddr: PortId,
    seen: [PortId; 7],
    counts: Counts,
    words: Vec<u64>,
}

impl Memory {
    fn new(library: &std::path::Path) -> Self {
        let model = Model::load(library).expect("the library was just built");
        let port = |name| model.port(name).expect("every memory has this port");
        let seen = [
            "rvalid_o",
            "rdata_o",
            "mask_ren_o",
            "mask_wen_o",
            "slice_ren_o",
            "slice_wen_o",
            "lane_wen_o",
        ];
        Self {
            wen: port("wen_i"),
            waddr: port("waddr_i"),
            wdata: port("wdata_i"),
            ren: port("ren_i"),
            raddr: port("raddr_i"),
            seen: seen.map(port),
            counts: Counts::default(),
            words: Vec::new(),
            model,
        }
    }

    fn reset(&mut self) {
        let rst_n = self
            .model
            .port("rst_n")
            .expect("every memory has this port");
        for port in [
            rst_n, self.wen, self.waddr, self.wdata, self.ren, self.raddr,
        ] {
            self.model.set(port, 0);
        }
        self.model.cycles(2);
        self.model.set(rst_n, 1);
    }

    fn write(&mut self, address: u32, word: u64) {
        self.model.set(self.wen, 1);
        self.model.set(self.waddr, address.into());
        self.model.set(self.wdata, word);
        self.clock();
        self.model.set(self.wen, 0);
    }

    fn read(&mut self, address: u32) {
        self.model.set(self.ren, 1);
        self.model.set(self.raddr, address.into());
        self.clock();
        self.model.set(self.ren, 0);
    }

    fn idle(&mut self, clocks: usize) {
        for _ in 0..clocks {
            self.clock();
        }
    }

    /// Counts the accesses of this cycle and ends it.
    fn clock(&mut self) {
        self.model.eval();
        let [valid, word, mask_reads, mask_writes, reads, writes, lanes] =
            self.seen.map(|port| self.model.get(port));
        if valid == 1 {
            self.words.push(word);
        }
        self.counts.mask_reads += mask_reads;
        self.counts.mask_writes += mask_writes;
        for slice in 0..8 {
            self.counts.slice_reads[slice] += reads >> slice & 1;
            self.counts.slice_writes[slice] += writes >> slice & 1;
        }
        self.counts.lanes += u64::from(lanes.count_ones());
        self.model.clock();
    }
}
