//! All sides and their models, one clock cycle at a time.

use super::sides::{Design, Side};
use crate::rtl::{Checked, Dut};
use heddle_sim::sliced::{Counts, SliceLayout, SlicedInputs, SlicedModel, SlicedOutputs, Word};
use heddle_tb::PortId;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// Bits of an address at the ports.
const ADDRESS_BITS: u32 = 13;

/// More cycles than any request takes.
pub const DRAIN: usize = 16;

/// One memory and its model.
struct Driven {
    name: String,
    layout: SliceLayout,
    model: SlicedModel,
    wdata: PortId,
    rdata: PortId,
    rmask: PortId,
    /// Outputs that are defined in every cycle, in the order of [`always`].
    always: [(PortId, &'static str); 7],
    /// Rules broken before the test: registers start with random bits.
    broken: u64,
    seen: SlicedOutputs,
    /// The first disagreement; the memory is not looked at any more.
    failure: Option<String>,
}

/// What the outputs that are always defined must show.
fn always(outputs: &SlicedOutputs, broken: u64) -> [u64; 7] {
    let accesses = &outputs.accesses;
    [
        outputs.rdata.is_some().into(),
        accesses.mask_read.into(),
        accesses.mask_write.into(),
        accesses.slice_reads.into(),
        accesses.slice_writes.into(),
        accesses.lanes,
        broken,
    ]
}

/// All sides of a design.
pub struct Bench {
    dut: Dut,
    sides: Vec<Driven>,
    noise: ChaCha8Rng,
    /// Write enable and address, read enable and address.
    request: [PortId; 4],
    /// Reads and writes of all sides.
    pub operations: u64,
}

impl Bench {
    /// Builds the sides and resets them.
    pub fn new(design: &Design, seed: u64) -> Self {
        let dut = Dut::new(&design.sources, seed);
        let sides = design.sides.iter();
        let mut bench = Self {
            sides: sides.map(|side| Driven::new(side, &dut)).collect(),
            noise: dut.rng(),
            request: ["wen_i", "waddr_i", "ren_i", "raddr_i"].map(|name| dut.id(name)),
            dut,
            operations: 0,
        };
        // What the registers held before the reset moves on for a few cycles.
        for _ in 0..DRAIN {
            bench.drive(None, &[], None);
            bench.dut.clock();
        }
        for side in &mut bench.sides {
            side.broken = bench.dut.model().get(side.always[6].0);
        }
        bench
    }

    /// A random generator for stimulus.
    pub fn rng(&self) -> ChaCha8Rng {
        self.dut.rng()
    }

    /// Drives the inputs. Data and addresses without a request are random, and so are the address
    /// bits above those of the number of words.
    fn drive(&mut self, write: Option<u16>, words: &[Word], read: Option<u16>) {
        let depth = self.sides[0].layout.words as u64;
        for (index, request) in [(0, write), (2, read)] {
            let noise = self.noise.random::<u64>();
            let address = match request {
                Some(address) => (noise & !(depth - 1)) | u64::from(address),
                None => noise,
            };
            let address = address & ((1 << ADDRESS_BITS) - 1);
            let model = self.dut.model();
            model.set(self.request[index], request.is_some().into());
            model.set(self.request[index + 1], address);
        }
        for (index, side) in self.sides.iter().enumerate() {
            let limbs = match write {
                Some(_) => words[index].limbs(),
                None => self.noise.random(),
            };
            let bits = side.layout.word_bits() as u32;
            for (limb, value) in (0..bits.div_ceil(64)).zip(limbs) {
                let width = (bits - 64 * limb).min(64);
                let model = self.dut.model();
                model.set_bits(side.wdata, 64 * limb, width, value);
            }
        }
    }

    /// One clock cycle: a word for each side to write, and a read. Compares all outputs.
    pub fn step(&mut self, write: Option<u16>, words: &[Word], read: Option<u16>) {
        self.drive(write, words, read);
        self.dut.settle();
        for (index, side) in self.sides.iter_mut().enumerate() {
            let write = write.map(|address| (address, words[index]));
            side.seen = side.model.step(&SlicedInputs { write, read });
            if side.failure.is_none() {
                let result = side.compare(&mut self.dut);
                side.failure = result.err();
            }
        }
        let requests = u64::from(write.is_some()) + u64::from(read.is_some());
        self.operations += requests * self.sides.len() as u64;
        self.dut.clock();
    }

    /// Cycles without a request until all requests are done.
    pub fn drain(&mut self) {
        for _ in 0..DRAIN {
            self.step(None, &[], None);
        }
    }

    /// One word for each side.
    pub fn words(&self, word: impl Fn(&SliceLayout) -> Word) -> Vec<Word> {
        self.sides.iter().map(|side| word(&side.layout)).collect()
    }

    /// Writes one word for each side.
    pub fn write(&mut self, address: u16, word: impl Fn(&SliceLayout) -> Word) {
        let words = self.words(word);
        self.step(Some(address), &words, None);
    }

    /// Reads a word and waits for it; what each side returned.
    pub fn read(&mut self, address: u16) -> Vec<Word> {
        let mut found = vec![None; self.sides.len()];
        for cycle in 0..DRAIN {
            self.step(None, &[], (cycle == 0).then_some(address));
            for (found, side) in found.iter_mut().zip(&self.sides) {
                *found = found.or(side.seen.rdata);
            }
        }
        let word = |found: Option<Word>| found.expect("no word takes longer");
        found.into_iter().map(word).collect()
    }

    /// Outputs of a side in the last cycle.
    pub fn seen(&self, name: &str) -> SlicedOutputs {
        self.side(name).seen
    }

    /// Totals of a side: those of its model, with which it agreed in every cycle.
    pub fn counts(&self, name: &str) -> Counts {
        self.side(name).model.counts()
    }

    /// Totals of all sides with their names and layouts.
    pub fn all_counts(&self) -> impl Iterator<Item = (&str, &SliceLayout, Counts)> {
        let all = self.sides.iter();
        all.map(|side| (side.name.as_str(), &side.layout, side.model.counts()))
    }

    #[track_caller]
    fn side(&self, name: &str) -> &Driven {
        let found = self.sides.iter().find(|side| side.name == name);
        found.unwrap_or_else(|| panic!("no side {name}"))
    }

    /// The first disagreement of each side that has one.
    pub fn failures(&self) -> impl Iterator<Item = (&str, &str)> {
        let all = self.sides.iter();
        all.filter_map(|side| Some((side.name.as_str(), side.failure.as_deref()?)))
    }

    /// All sides have agreed with their models in all cycles.
    pub fn agreed(&self) -> Checked {
        match self.failures().next() {
            Some((name, failure)) => Err(format!("{name}: {failure}")),
            None => Ok(()),
        }
    }

    /// # Panics
    /// Unless all sides have agreed with their models in all cycles.
    #[track_caller]
    pub fn assert_agreed(&self) {
        let failures: Vec<_> = self.failures().collect();
        assert!(failures.is_empty(), "{failures:#?}");
    }
}

impl Driven {
    fn new(side: &Side, dut: &Dut) -> Self {
        let id = |port: &str| dut.id(&format!("{}_{port}", side.name));
        Self {
            name: side.name.clone(),
            layout: side.options.clone(),
            model: SlicedModel::new(&side.options),
            wdata: id("wdata_i"),
            rdata: id("rdata_o"),
            rmask: id("rmask_o"),
            always: [
                "rvalid_o",
                "mask_ren_o",
                "mask_wen_o",
                "slice_ren_o",
                "slice_wen_o",
                "lane_wen_o",
                "broken_o",
            ]
            .map(|port| (id(port), port)),
            broken: 0,
            seen: SlicedOutputs::default(),
            failure: None,
        }
    }

    fn compare(&self, dut: &mut Dut) -> Checked {
        let expected = always(&self.seen, self.broken);
        for ((port, name), expected) in self.always.iter().zip(expected) {
            let found = dut.model().get(*port);
            if found != expected {
                let text = format!("{name} is {found:#x}, model has {expected:#x}");
                return Err(dut.message(&text));
            }
        }
        let Some(word) = self.seen.rdata else {
            return Ok(());
        };
        let bits = self.layout.word_bits() as u32;
        for (limb, expected) in (0..bits.div_ceil(64)).zip(word.limbs()) {
            let width = (bits - 64 * limb).min(64);
            let found = dut.model().get_bits(self.rdata, 64 * limb, width);
            if found != expected {
                let text = format!("rdata_o is {found:#x}, model has {expected:#x}");
                return Err(dut.message(&text));
            }
        }
        let found = dut.model().get(self.rmask);
        if found != self.seen.rmask {
            let text = format!("rmask_o is {found:#x}, model has {:#x}", self.seen.rmask);
            return Err(dut.message(&text));
        }
        Ok(())
    }
}
