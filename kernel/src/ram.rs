//! Memory with one read and one write port.

use super::meta::Meta;
use super::v;
use rust_hdl_core::prelude::*;

/// Bits of an address for `depth` words, at least 1.
pub fn address_bits(depth: usize) -> usize {
    depth.next_power_of_two().trailing_zeros().max(1) as usize
}

/// Memory of `depth` words of `elems` elements, one read and one write port, one clock.
///
/// `rdata_o` changes one cycle after `ren_i` and holds its value while `ren_i` is low. A read
/// and a write of one address in one cycle must not happen: this model reads the old word, but
/// memories that replace it may differ. The emitter prints an instance of `heddle_ram_1r1w`
/// whose address has [`address_bits`] bits; higher bits of the address ports are ignored.
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
    /// Empty until the first write: most memories are built only to be printed.
    _words: Vec<Bits<DW>>,
    _elems: usize,
    _depth: usize,
}

impl<const AW: usize, const DW: usize> Ram1r1w<AW, DW> {
    /// A memory of `depth` words of `elems` elements of `DW` bits.
    ///
    /// # Panics
    /// If the memory is empty, or if `AW` bits cannot address it.
    pub fn new(elems: usize, depth: usize) -> Self {
        assert!(elems > 0 && depth > 0, "a memory needs elements and words");
        assert!(
            address_bits(depth) <= AW,
            "an address of {AW} bits cannot reach {depth} words"
        );
        Self {
            clk: Default::default(),
            wen_i: Default::default(),
            waddr_i: Default::default(),
            wdata_i: v(elems),
            ren_i: Default::default(),
            raddr_i: Default::default(),
            rdata_o: v(elems),
            _words: Vec::new(),
            _elems: elems,
            _depth: depth,
        }
    }

    fn word(&self, address: Bits<AW>) -> Option<usize> {
        let address = address.to_u64() & ((1u64 << address_bits(self._depth)) - 1);
        let address = usize::try_from(address).ok()?;
        (address < self._depth).then_some(address * self._elems)
    }
}

impl<const AW: usize, const DW: usize> Logic for Ram1r1w<AW, DW> {
    fn update(&mut self) {
        if !self.clk.pos_edge() {
            return;
        }
        if self.ren_i.val() {
            let at = self.word(self.raddr_i.val());
            for i in 0..self._elems {
                let word = at.and_then(|at| self._words.get(at + i));
                self.rdata_o[i].next = word.copied().unwrap_or_default();
            }
        }
        if self.wen_i.val() {
            if let Some(at) = self.word(self.waddr_i.val()) {
                self._words
                    .resize(self._elems * self._depth, Bits::default());
                for i in 0..self._elems {
                    self._words[at + i] = self.wdata_i[i].val();
                }
            }
        }
    }
    fn connect(&mut self) {
        for q in &mut self.rdata_o {
            q.connect();
        }
    }
    fn hdl(&self) -> Verilog {
        Verilog::Custom("heddle_ram_1r1w".into())
    }
    fn timing(&self) -> Vec<TimingInfo> {
        Meta::prim("ram_1r1w")
            .hidden("width", self._elems * DW, "bits of a word")
            .hidden("depth", self._depth, "words")
            .hidden("addr_bits", address_bits(self._depth), "bits of an address")
            .into_timing()
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
    fn address_has_at_least_one_bit() {
        assert_eq!([1, 2, 3, 4, 5, 512].map(address_bits), [1, 1, 2, 2, 3, 9]);
    }
}
