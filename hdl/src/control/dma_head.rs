//! Who goes next on the way of the host: DMA loads, DMA stores, the window port.

use super::ControlShape;
use super::clocks::{ANSWER, DRAIN_WORD};
use crate::buffer::{HostRequest, OperandSlot};
use heddle_kernel::prelude::*;

/// Bit of an operand slot's tag: its sum goes to post.
const TO_POST: usize = 3;

/// A request of a client, with the zero point of its bytes.
#[bundle]
pub struct DmaRequest {
    /// There is a request.
    pub valid: Bit,
    /// Byte address on the host port.
    pub addr: Bits<32>,
    /// Bytes to write.
    pub wdata: [Bits<8>; 8],
    /// Zero point of the bytes.
    pub zero: Bits<8>,
}

/// What the waves will do, as far as it is known at partition 0.
#[bundle]
pub struct WaveNotice {
    /// A drain word leaves: column 0 writes it in the next clock.
    pub leaves: Bit,
    /// A copy is under way.
    pub copying: Bit,
    /// A weight slot is on its wave in the next clock.
    pub weight: Bit,
    /// A program runs or starts.
    pub running: Bit,
    /// The sparse cluster takes a command.
    pub takes_command: Bit,
    /// It takes a word of weights.
    pub takes_weights: Bit,
}

/// Lets requests to the memories go while a program runs, so that none meets another access.
///
/// All waves move one partition in a clock. So what a request will meet in partition r is known at partition 0 when the
/// request leaves. A write of the state buffer waits for drain words and copies, a read for weights, and for
/// operands of its bank. Requests to memories with ports of their own always go; those to the sparse cluster wait for
/// the end of the program. Clients take turns; one that may not go passes its turn on.
///
/// # Timing
/// Combinational. A request that is taken in cycle t is at partition r in t + 1 + r. A read of STORE answers in t + {answer}.
#[module(shape: ControlShape, describe)]
pub struct DmaHead {
    /// Requests of LOAD and STORE.
    pub dma_i: [DmaRequest<In>; 2],
    /// They are taken.
    pub dma_ready_o: [Signal<Out, Bit>; 2],
    /// Request of the window port.
    pub window_i: HostRequest<In>,
    /// Zero point of its bytes.
    pub window_zero_i: Signal<In, Bits<8>>,
    /// It is taken.
    pub window_ready_o: Signal<Out, Bit>,
    /// The request that goes.
    pub host_o: HostRequest<Out>,
    /// Zero point of the bytes that it writes.
    pub zero_o: Signal<Out, Bits<8>>,
    /// Zero point of bytes that are read.
    pub read_zero_o: Signal<Out, Bits<8>>,
    /// The memories take a request.
    pub host_ready_i: Signal<In, Bit>,
    /// An answer of this clock belongs to STORE.
    pub is_store_o: Signal<Out, Bit>,
    /// Operand wave of row 0.
    pub op_i: OperandSlot<In>,
    /// What the waves will do.
    pub wave_i: WaveNotice<In>,
    /// Reads of STORE that are on their way, the last one first.
    away: [Reg<Bit>; rows + ANSWER],
    /// Zero point of all of them.
    store_zero: RegEn<Bits<8>>,
    /// Counts while reads of STORE are on their way: its top bit is set.
    away_left: Reg<Bits<10>>,
    /// Counts while drain words of a slot may come, on an array that is not square: its top bit is set.
    post_left: [Reg<Bits<11>>; rectangular],
    /// An operand slot was on the wave in the cycle before.
    op_before: Reg<Bit>,
    /// Its bank is another one in each row.
    op_table: Delay<Bit>,
    op_word: Delay<Bits<13>>,
    /// The client that went last.
    last: Reg<Bits<2>>,
    valid: [Signal<Local, Bit>; 3],
    write: [Signal<Local, Bit>; 3],
    addr: [Signal<Local, Bits<32>>; 3],
    /// It would meet another access, or there is nobody to take it.
    waits: [Signal<Local, Bit>; 3],
    /// The request may go.
    may: [Signal<Local, Bit>; 3],
    /// It goes if the memories take it.
    goes: [Signal<Local, Bit>; 3],
    /// No write, no read of the state buffer may go, whatever its bank.
    holds_write: Signal<Local, Bit>,
    holds_read: Signal<Local, Bit>,
    takes_store: Signal<Local, Bit>,
    /// Rows of the array.
    #[new(shape.sequencer.rows)]
    _rows: Param<'r'>,
    /// Columns of the array.
    #[new(shape.sequencer.cols)]
    _cols: Param<'c'>,
    /// Bits of a word address in front of the bank.
    #[new(shape.bank_lsb())]
    _bank_lsb: Param<'b'>,
    /// Bits of a word address.
    #[new(shape.word_bits())]
    _word_bits: Param<'w'>,
    /// The program is read through the same way.
    #[new(shape.sequencer.banked.into())]
    _banked: Feature<"pr">,
    /// There is a sparse cluster.
    #[new(shape.sequencer.cluster.into())]
    _clusters: Feature<"sc">,
    #[new((rows != cols).into())]
    _rectangular: usize,
    /// Clocks from the operand wave to the last drain word of a slot.
    #[new(rows + cols + DRAIN_WORD + shape.sequencer.post.extra())]
    _post_clocks: usize,
}

impl DmaHead {
    fn describe(&self, meta: Meta) -> Meta {
        let meta = meta.doc_if(
            self._rectangular > 0,
            "The array is not square: a write waits until no drain word can come.",
        );
        let meta = meta.doc_if(
            self._banked > 0,
            "The program is fetched on the same way: nothing goes while it runs.",
        );
        meta.number("answer", self._rows + ANSWER)
    }
}

#[kernel]
impl DmaHead {
    fn update(&mut self) {
        self.waves();
        self.requests();
        self.turns();
        self.answers();
    }

    /// What a request would meet.
    fn waves(&mut self) {
        self.op_before = self.op_i.valid;
        self.op_table = self.op_i.table;
        self.op_word = self.op_i.addr.get_bits::<13>(3);
        self.holds_write = self.wave_i.leaves | self.wave_i.copying;
        for k in 0..self._rectangular {
            self.post_left[k] = mux(
                self.post_left[k].get_bit(10),
                self.post_left[k] - 1,
                self.post_left[k],
            );
            if (self.op_i.valid | self.op_i.tag.get_bit(1)) & self.op_i.tag.get_bit(TO_POST) {
                self.post_left[k] = (self._post_clocks + 1024).to_bits::<11>();
            }
            self.holds_write = self.holds_write | self.post_left[k].get_bit(10);
        }
        self.holds_read = self.wave_i.weight | (self.op_before & self.op_table);
    }

    /// Which requests may go.
    fn requests(&mut self) {
        for k in 0..2 {
            self.valid[k] = self.dma_i[k].valid;
            self.addr[k] = self.dma_i[k].addr;
        }
        self.write[0] = true;
        self.write[1] = false;
        self.valid[2] = self.window_i.valid;
        self.addr[2] = self.window_i.addr;
        self.write[2] = self.window_i.write;
        for k in 0..3 {
            let is_buffer = (self.addr[k].get_bits::<2>(30) == 3) & !self.addr[k].get_bit(29);
            let bank = self.addr[k].get_bits::<13>(3) >> self._bank_lsb.to_bits::<4>();
            let meets = self.op_before & (bank == (self.op_word >> self._bank_lsb.to_bits::<4>()));
            let holds =
                (self.write[k] & self.holds_write) | (!self.write[k] & (self.holds_read | meets));
            if self._banked > 0 {
                self.waits[k] = self.wave_i.running;
            } else if self._clusters > 0 {
                let is_cluster = (self.addr[k].get_bits::<2>(30) == 1) & self.addr[k].get_bit(29);
                let takes = (self.addr[k].get_bit(3) & self.wave_i.takes_weights)
                    | (!self.addr[k].get_bit(3) & self.wave_i.takes_command);
                let waits = self.wave_i.running | (self.write[k] & !takes);
                self.waits[k] = (is_buffer & holds) | (is_cluster & waits);
            } else {
                self.waits[k] = is_buffer & holds;
            }
        }
        // Reads that are on their way have one zero point.
        let other = self.away_left.get_bit(9) & (self.dma_i[1].zero != self.store_zero);
        self.may[0] = self.valid[0] & !self.waits[0];
        self.may[1] = self.valid[1] & !self.waits[1] & !other;
        self.may[2] = self.valid[2] & !self.waits[2];
    }

    /// One of them goes: the first one behind the one that went last.
    fn turns(&mut self) {
        let after_load = self.last == 0;
        let after_store = self.last == 1;
        let after_window = self.last == 2;
        self.goes[0] = self.may[0]
            & !((after_load & (self.may[1] | self.may[2])) | (after_store & self.may[2]));
        self.goes[1] = self.may[1]
            & !((after_store & (self.may[2] | self.may[0])) | (after_window & self.may[0]));
        self.goes[2] = self.may[2]
            & !((after_window & (self.may[0] | self.may[1])) | (after_load & self.may[1]));
        self.host_o.valid = self.goes[0] | self.goes[1] | self.goes[2];
        self.host_o.write = self.goes[0] | (self.goes[2] & self.window_i.write);
        self.host_o.addr = self.window_i.addr;
        self.host_o.wdata.follow(&self.window_i.wdata);
        self.zero_o = self.window_zero_i;
        if self.goes[0] {
            self.host_o.addr = self.addr[0];
            self.host_o.wdata.follow(&self.dma_i[0].wdata);
            self.zero_o = self.dma_i[0].zero;
        }
        if self.goes[1] {
            self.host_o.addr = self.addr[1];
        }
        for k in 0..2 {
            self.dma_ready_o[k] = self.goes[k] & self.host_ready_i;
        }
        self.window_ready_o = self.goes[2] & self.host_ready_i;
        self.last = self.last;
        for k in 0..3 {
            if self.goes[k] & self.host_ready_i {
                self.last = k.to_bits::<2>();
            }
        }
    }

    /// Whose answer comes.
    fn answers(&mut self) {
        self.takes_store = self.goes[1] & self.host_ready_i;
        self.away.shift_in(self.takes_store);
        self.store_zero.load(self.takes_store, self.dma_i[1].zero);
        self.away_left = mux(
            self.away_left.get_bit(9),
            self.away_left - 1,
            self.away_left,
        );
        if self.takes_store {
            self.away_left = (self._rows + ANSWER + 512).to_bits::<10>();
        }
        let last = self._rows + ANSWER - 1;
        self.is_store_o = self.away[last];
        self.read_zero_o = mux(self.away[last - 1], self.store_zero, self.window_zero_i);
    }
}
