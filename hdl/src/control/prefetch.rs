//! Requests to the state buffer where the program lies in its banks: the host's, and those of the fetch.

use super::clocks::{ANSWER, FIRST_PAIR};
use super::shape::SequencerShape;
use crate::buffer::{BankCount, HostAccess, HostAnswer};
use heddle_kernel::prelude::*;

/// A write of the program memory.
#[bundle]
pub struct ProgramWrite {
    /// Writes the program memory.
    pub wen: Bit,
    /// Word of the program memory.
    pub waddr: Bits<16>,
    /// Instruction word.
    pub wdata: Bits<32>,
}

/// Streams a program from the last banks of the state buffer into the prefetch buffer of the sequencer.
///
/// A program has no jumps. While it runs the host is held off, and its path to the partitions is free: pairs of words
/// are read over it from the start on, one in two cycles, until the buffer is full or the program memory ends. A
/// pair stands in the buffer at its word address modulo the buffer's size, and another one takes its place when the sequencer
/// has read both words. Pair w lies in partition w modulo 2^k, word w / 2^k of the program banks, 2^k being the largest power of
/// two of rows: an address is two fields of a count and a constant. Writes of the program by the host take the
/// same way.
///
/// The sequencer waits for the first pair alone. From then on word i behind it is there i cycles later at the latest, and
/// is read i cycles later at the earliest. The same holds behind a stop that has filled the buffer: say a word is read in
/// cycle c, the second one of its pair. The pair that takes its place can be read from c + {refilled} on, and not before c and the
/// words of the buffer, less one, is it its turn. So {words} words are enough.
///
/// # Timing
/// `start_i` in cycle t: the first pair is asked for in t + {asked}, arrives on `answer_i` in t + {arrives}, is written in
/// that cycle and the next; `ready_o` from t + {words} on. What the host asks for passes in no time. `run_i` is
/// low from the cycle after the end of the program on; answers that are still on their way then have arrived {refilled} cycles later.
#[module(describe)]
pub struct Prefetch {
    /// The program starts.
    pub start_i: Signal<In, Bit>,
    /// Word address of its first instruction.
    pub start_pc_i: Signal<In, Bits<16>>,
    /// The program runs and may read further words.
    pub run_i: Signal<In, Bit>,
    /// The program runs, or its waves run out: answers are not for the host.
    pub running_i: Signal<In, Bit>,
    /// Word address that the sequencer reads next.
    pub pc_i: Signal<In, Bits<17>>,
    /// State-buffer request of the host.
    pub host_i: HostAccess<In>,
    /// The host writes a pair of words of the program.
    pub program_wen_i: Signal<In, Bit>,
    /// The pair.
    pub program_pair_i: Signal<In, Bits<16>>,
    /// Answer of the state buffer.
    pub answer_i: HostAnswer<In>,
    /// State-buffer request.
    pub buffer_o: HostAccess<Out>,
    /// The answer is for the host.
    pub host_rvalid_o: Signal<Out, Bit>,
    /// Writes a word of the prefetch buffer; the buffer takes the low bits of the address.
    pub program_o: ProgramWrite<Out>,
    /// A pair is asked for.
    valid: Reg<Bit>,
    /// The pair that is asked for now or next.
    pair: Reg<Bits<16>>,
    /// The pair that arrives next.
    arriving: Reg<Bits<16>>,
    /// The second word of a pair is written.
    second: Reg<Bit>,
    /// The second word of the pair that arrived.
    rest: [Delay<Bits<8>>; 4],
    /// The first pair stands in the buffer.
    pub ready: OutReg<Bit>,
    first_pair: Signal<Local, Bits<16>>,
    /// Pairs that were asked for and are not read.
    ahead: Signal<Local, Bits<16>>,
    /// A pair has a place in the buffer.
    has_place: Signal<Local, Bit>,
    arrives: Signal<Local, Bit>,
    is_program: Signal<Local, Bit>,
    /// The pair that is read or written.
    place: Signal<Local, Bits<16>>,
    low: Signal<Local, Bits<32>>,
    high: Signal<Local, Bits<32>>,
    /// Shape of the machine.
    #[argument]
    _shape: SequencerShape,
    /// Banks of a partition.
    #[argument]
    _banks: BankCount,
    /// Bits of a word address of a partition.
    #[argument]
    _word_bits: usize,
    /// Rows of the array.
    #[new(shape.rows)]
    _rows: Param<'r'>,
    /// Bits of a program address.
    #[new(address_bits(shape.program_words))]
    _pc_bits: Param<'p'>,
    #[new(pc_bits - 1)]
    _pair_bits: usize,
    /// Words of the prefetch buffer.
    #[new(shape.fetch_words())]
    _fetch_words: Param<'f'>,
    /// Bits of a number of pairs in the buffer, less one.
    #[new((fetch_words / 2).ilog2() as usize)]
    _full_bit: usize,
    #[new(rows.ilog2().into())]
    _partition_bits: u64,
    #[new((1 << partition_bits) - 1)]
    _partition_mask: u64,
    /// Words of a partition in front of the program.
    #[new(banks.operand_guard(1 << word_bits) as u64)]
    _base: Param<'u', u64>,
}

impl Prefetch {
    fn describe(&self, meta: Meta) -> Meta {
        let words = FIRST_PAIR + self._rows + ANSWER;
        meta.number("asked", FIRST_PAIR)
            .number("arrives", words - 2)
            .number("refilled", words - 1)
            .number("words", words)
    }
}

#[kernel]
impl Prefetch {
    fn update(&mut self) {
        // Which pair to ask for. One in two cycles: the words of a pair are written one after the other.
        self.first_pair = self.start_pc_i >> 1;
        self.ahead = self.pair - self.pc_i.get_bits::<16>(1);
        self.has_place = !self.ahead.get_bit(self._full_bit)
            & ((self.pair >> self._pair_bits.to_bits::<5>()) == 0);
        self.valid = self.run_i & !self.valid & self.has_place;
        self.pair = mux(self.valid, self.pair + 1, self.pair);
        if self.start_i {
            self.pair = self.first_pair;
        }

        // Pairs that arrive
        self.arrives = self.answer_i.rvalid & self.running_i;
        self.host_rvalid_o = self.answer_i.rvalid & !self.running_i;
        self.second = self.arrives;
        self.arriving = mux(self.second, self.arriving + 1, self.arriving);
        if self.start_i {
            self.arriving = self.first_pair;
        }
        self.low = 0.into();
        self.high = 0.into();
        for i in 0..4 {
            self.rest[i] = self.answer_i.rdata[i + 4];
            self.low = (self.low << 8) | self.answer_i.rdata[3 - i].get_bits::<32>(0);
            self.high = (self.high << 8) | self.rest[3 - i].get_bits::<32>(0);
        }
        self.program_o.wen = self.arrives | self.second;
        self.program_o.waddr = self.arriving << 1;
        self.program_o.wdata = self.low;
        if self.second {
            self.program_o.waddr = (self.arriving << 1) | 1;
            self.program_o.wdata = self.high;
        }
        self.ready = self.run_i & (self.ready | self.second);

        // Requests to the partitions
        self.is_program = self.program_wen_i | self.valid;
        self.place = mux(self.valid, self.pair, self.program_pair_i);
        self.buffer_o.data.follow(&self.host_i.data);
        self.buffer_o.partition = self.host_i.partition;
        self.buffer_o.word = self.host_i.word;
        self.buffer_o.valid = self.host_i.valid | self.is_program;
        self.buffer_o.write = self.host_i.write & !self.valid;
        self.buffer_o.table = self.host_i.table & !self.is_program;
        if self.is_program {
            self.buffer_o.partition = self.place.get_bits::<8>(0) & self._partition_mask;
            self.buffer_o.word =
                (self.place >> self._partition_bits).get_bits::<13>(0) | self._base;
        }
    }
}
