//! Memories with one read and one write port.

use super::meta::Meta;
use super::v;
use rust_hdl_core::prelude::*;

/// Bits of an address for `depth` words, at least 1.
pub fn address_bits(depth: usize) -> usize {
    depth.next_power_of_two().trailing_zeros().max(1) as usize
}

/// What a memory has to be, and what a memory of a cell library may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Demand {
    /// `rdata_o` may be anything behind a cycle without a read.
    passing: bool,
    at_rest: bool,
}

/// Words of `elems` elements. Empty until the first write: most memories are built only to be printed.
struct Words<const AW: usize, const DW: usize> {
    words: Vec<Bits<DW>>,
    elems: usize,
    depth: usize,
}

impl<const AW: usize, const DW: usize> Words<AW, DW> {
    fn new(elems: usize, depth: usize) -> Self {
        assert!(elems > 0 && depth > 0, "a memory needs elements and words");
        assert!(
            address_bits(depth) <= AW,
            "an address of {AW} bits cannot reach {depth} words"
        );
        Self {
            words: Vec::new(),
            elems,
            depth,
        }
    }

    fn at(&self, address: Bits<AW>) -> Option<usize> {
        let address = address.to_u64() & ((1u64 << address_bits(self.depth)) - 1);
        let address = usize::try_from(address).ok()?;
        (address < self.depth).then_some(address * self.elems)
    }

    fn read(&self, address: Bits<AW>, element: usize) -> Bits<DW> {
        let at = self.at(address);
        let word = at.and_then(|at| self.words.get(at + element));
        word.copied().unwrap_or_default()
    }

    fn write(&mut self, address: Bits<AW>, element: usize, value: Bits<DW>) {
        if let Some(at) = self.at(address) {
            self.words.resize(self.elems * self.depth, Bits::default());
            self.words[at + element] = value;
        }
    }

    fn meta(&self, name: &str, lanes: usize, demand: Demand) -> Meta {
        Meta::prim(name)
            .hidden("width", self.elems * DW, "bits of a word")
            .hidden("depth", self.depth, "words")
            .hidden("addr_bits", address_bits(self.depth), "bits of an address")
            .hidden(
                "lanes",
                lanes,
                "parts of a word that are written one by one",
            )
            .hidden(
                "hold",
                (!demand.passing).into(),
                "1: rdata_o keeps its word",
            )
            .hidden("at_rest", demand.at_rest.into(), "1: written at rest only")
    }
}

/// Memory of `depth` words of `elems` elements, one read and one write port, one clock.
///
/// `rdata_o` changes one cycle after `ren_i` and holds its value while `ren_i` is low; cells of a memory that is
/// [`passing`](Self::passing) need not hold it, this model does. A read
/// and a write of one address in one cycle must not happen: this model reads the old word, but
/// memories that replace it may differ. The emitter prints an instance of `heddle_ram_1r1w`, or if asked to of
/// `heddle_ram_1rw` for a memory that is written [`at_rest`](Self::at_rest).
/// Its address has [`address_bits`] bits; higher bits of the address ports are ignored.
/// Words beyond `depth` read as 0 and are not written. All words start at 0 in the model only.
#[derive(LogicBlock)]
pub struct Ram1r1w<const AW: usize, const DW: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Write enable.
    pub wen_i: Signal<In, Bit>,
    /// Write address in words.
    pub waddr_i: Signal<In, Bits<AW>>,
    /// Word to write, element 0 in the low bits.
    pub wdata_i: Vec<Signal<In, Bits<DW>>>,
    /// Read enable.
    pub ren_i: Signal<In, Bit>,
    /// Read address in words.
    pub raddr_i: Signal<In, Bits<AW>>,
    /// Word read last, element 0 in the low bits.
    pub rdata_o: Vec<Signal<Out, Bits<DW>>>,
    _words: Words<AW, DW>,
    _demand: Demand,
}

impl<const AW: usize, const DW: usize> Ram1r1w<AW, DW> {
    /// A memory of `depth` words of `elems` elements of `DW` bits.
    ///
    /// # Panics
    /// If the memory is empty, or if `AW` bits cannot address it.
    pub fn new(elems: usize, depth: usize) -> Self {
        Self {
            clk: Default::default(),
            wen_i: Default::default(),
            waddr_i: Default::default(),
            wdata_i: v(elems),
            ren_i: Default::default(),
            raddr_i: Default::default(),
            rdata_o: v(elems),
            _words: Words::new(elems, depth),
            _demand: Demand::default(),
        }
    }

    /// Nobody looks at `rdata_o` but in the cycle after a read.
    pub fn passing(mut self) -> Self {
        self._demand.passing = true;
        self
    }

    /// The memory is written while the machine is at rest, and never read then, if `at_rest`.
    pub fn at_rest(mut self, at_rest: bool) -> Self {
        self._demand.at_rest = at_rest;
        self
    }
}

impl<const AW: usize, const DW: usize> Logic for Ram1r1w<AW, DW> {
    fn update(&mut self) {
        if !self.clk.pos_edge() {
            return;
        }
        let both = self.ren_i.val() && self.wen_i.val();
        assert!(
            !(both && self._demand.at_rest),
            "a memory that is written at rest is read at once"
        );
        if self.ren_i.val() {
            for (i, q) in self.rdata_o.iter_mut().enumerate() {
                q.next = self._words.read(self.raddr_i.val(), i);
            }
        }
        if self.wen_i.val() {
            for (i, d) in self.wdata_i.iter().enumerate() {
                self._words.write(self.waddr_i.val(), i, d.val());
            }
        }
    }
    fn connect(&mut self) {
        for q in &mut self.rdata_o {
            q.connect();
        }
    }
    fn hdl(&self) -> Verilog {
        Verilog::Custom("memory".into())
    }
    fn timing(&self) -> Vec<TimingInfo> {
        let meta = self._words.meta("ram_1r1w", 1, self._demand);
        meta.into_timing()
    }
}

/// As [`Ram1r1w`], with a write enable for each element: an instance of `heddle_ram_1r1w_lanes`.
#[derive(LogicBlock)]
pub struct RamLanes<const AW: usize, const DW: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Write enable of each element.
    pub wen_i: Vec<Signal<In, Bit>>,
    /// Write address in words.
    pub waddr_i: Signal<In, Bits<AW>>,
    /// Word to write, element 0 in the low bits.
    pub wdata_i: Vec<Signal<In, Bits<DW>>>,
    /// Read enable.
    pub ren_i: Signal<In, Bit>,
    /// Read address in words.
    pub raddr_i: Signal<In, Bits<AW>>,
    /// Word read last, element 0 in the low bits.
    pub rdata_o: Vec<Signal<Out, Bits<DW>>>,
    _words: Words<AW, DW>,
    _demand: Demand,
}

impl<const AW: usize, const DW: usize> RamLanes<AW, DW> {
    /// A memory of `depth` words of `elems` elements of `DW` bits.
    ///
    /// # Panics
    /// If the memory is empty, or if `AW` bits cannot address it.
    pub fn new(elems: usize, depth: usize) -> Self {
        Self {
            clk: Default::default(),
            wen_i: v(elems),
            waddr_i: Default::default(),
            wdata_i: v(elems),
            ren_i: Default::default(),
            raddr_i: Default::default(),
            rdata_o: v(elems),
            _words: Words::new(elems, depth),
            _demand: Demand::default(),
        }
    }

    /// As [`Ram1r1w::passing`].
    pub fn passing(mut self) -> Self {
        self._demand.passing = true;
        self
    }
}

impl<const AW: usize, const DW: usize> Logic for RamLanes<AW, DW> {
    fn update(&mut self) {
        if !self.clk.pos_edge() {
            return;
        }
        if self.ren_i.val() {
            for (i, q) in self.rdata_o.iter_mut().enumerate() {
                q.next = self._words.read(self.raddr_i.val(), i);
            }
        }
        for (i, d) in self.wdata_i.iter().enumerate() {
            if self.wen_i[i].val() {
                self._words.write(self.waddr_i.val(), i, d.val());
            }
        }
    }
    fn connect(&mut self) {
        for q in &mut self.rdata_o {
            q.connect();
        }
    }
    fn hdl(&self) -> Verilog {
        Verilog::Custom("memory".into())
    }
    fn timing(&self) -> Vec<TimingInfo> {
        let lanes = self.wen_i.len();
        let meta = self._words.meta("ram_1r1w_lanes", lanes, self._demand);
        meta.into_timing()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock_cycle;

    fn write(u: &mut Ram1r1w<8, 8>, address: u64, word: [u64; 2]) {
        u.wen_i.next = true;
        u.waddr_i.next = address.into();
        for (port, byte) in u.wdata_i.iter_mut().zip(word) {
            port.next = byte.into();
        }
        clock_cycle!(*u);
        u.wen_i.next = false;
    }

    fn read(u: &mut Ram1r1w<8, 8>, address: u64) -> [u64; 2] {
        u.ren_i.next = true;
        u.raddr_i.next = address.into();
        clock_cycle!(*u);
        u.ren_i.next = false;
        [u.rdata_o[0].val().to_u64(), u.rdata_o[1].val().to_u64()]
    }

    #[test]
    fn reads_what_was_written_and_holds_it() {
        let mut u = Ram1r1w::<8, 8>::new(2, 12);
        for a in 0..12 {
            write(&mut u, a, [a, a + 100]);
        }
        for a in 0..12 {
            assert_eq!(read(&mut u, a), [a, a + 100]);
        }
        u.raddr_i.next = 3.into();
        clock_cycle!(u);
        assert_eq!(u.rdata_o[0].val().to_u64(), 11);
    }

    #[test]
    fn ignores_high_address_bits_and_words_beyond_the_depth() {
        let mut u = Ram1r1w::<8, 8>::new(2, 12);
        write(&mut u, 13, [1, 2]);
        assert_eq!(read(&mut u, 13), [0, 0]);
        write(&mut u, 0x50, [3, 4]);
        assert_eq!(read(&mut u, 0), [3, 4]);
    }

    #[test]
    fn reads_the_old_word_when_both_ports_meet() {
        let mut u = Ram1r1w::<8, 8>::new(2, 4);
        write(&mut u, 1, [7, 7]);
        u.ren_i.next = true;
        u.raddr_i.next = 1.into();
        write(&mut u, 1, [9, 9]);
        assert_eq!(u.rdata_o[0].val().to_u64(), 7);
        assert_eq!(read(&mut u, 1), [9, 9]);
    }

    #[test]
    fn lanes_are_written_one_by_one() {
        let mut u = RamLanes::<8, 8>::new(3, 4);
        for (lane, value) in [(0, 5), (1, 6), (2, 7), (1, 8)] {
            u.waddr_i.next = 2.into();
            for i in 0..3 {
                u.wen_i[i].next = i == lane;
                u.wdata_i[i].next = value.into();
            }
            clock_cycle!(u);
        }
        u.wen_i.iter_mut().for_each(|wen| wen.next = false);
        u.ren_i.next = true;
        u.raddr_i.next = 2.into();
        clock_cycle!(u);
        assert_eq!([0, 1, 2].map(|i| u.rdata_o[i].val().to_u64()), [5, 8, 7]);
    }

    #[test]
    #[should_panic(expected = "is read at once")]
    fn what_is_written_at_rest_is_not_read_then() {
        let mut u = Ram1r1w::<8, 8>::new(2, 4).at_rest(true);
        u.ren_i.next = true;
        write(&mut u, 1, [9, 9]);
    }

    #[test]
    fn address_has_at_least_one_bit() {
        assert_eq!([1, 2, 3, 4, 5, 512].map(address_bits), [1, 1, 2, 2, 3, 9]);
    }
}
