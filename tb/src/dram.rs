//! A memory behind the AXI4 manager of a machine.

use std::collections::VecDeque;

use crate::error::ModelError;
use crate::model::{Beside, Model};
use crate::port::PortId;

/// Address of its first byte.
pub const BASE: u64 = 1 << 31;
/// Bytes of a beat.
const BEAT: u64 = 8;
/// There is nothing at this address.
const DECERR: u64 = 3;

struct Pins {
    ar: [PortId; 4],
    r: [PortId; 5],
    aw: [PortId; 4],
    w: [PortId; 5],
    b: [PortId; 3],
}

/// Beats of a burst that are to come, and when.
struct Burst {
    address: u64,
    beats: u64,
    due: u64,
}

/// Always ready, one beat in a clock, all in order. The first beat of a burst, and the answer to one, come `latency` clocks after its address or last beat.
pub struct Dram {
    pins: Pins,
    latency: u64,
    /// Its bytes, from [`BASE`] on.
    pub bytes: Vec<u8>,
    clock: u64,
    reads: VecDeque<Burst>,
    /// Beats that a read burst has given.
    given: u64,
    writes: VecDeque<(u64, u64)>,
    /// Beats of the first write burst, and whether all went to memory.
    filled: u64,
    response: u64,
    answers: VecDeque<(u64, u64)>,
}

impl Dram {
    /// A memory for a model with a DMA.
    ///
    /// # Errors
    /// If the model has none.
    pub fn new(model: &mut Model, latency: u64) -> Result<Self, ModelError> {
        let pin = |name: &str| model.port(&format!("m_axi_{name}"));
        let pins = Pins {
            ar: [
                pin("arvalid")?,
                pin("arready")?,
                pin("araddr")?,
                pin("arlen")?,
            ],
            r: [
                pin("rvalid")?,
                pin("rready")?,
                pin("rdata")?,
                pin("rresp")?,
                pin("rlast")?,
            ],
            aw: [
                pin("awvalid")?,
                pin("awready")?,
                pin("awaddr")?,
                pin("awlen")?,
            ],
            w: [
                pin("wvalid")?,
                pin("wready")?,
                pin("wdata")?,
                pin("wstrb")?,
                pin("wlast")?,
            ],
            b: [pin("bvalid")?, pin("bready")?, pin("bresp")?],
        };
        for ready in [pins.ar[1], pins.aw[1], pins.w[1]] {
            model.set(ready, 1);
        }
        Ok(Self {
            pins,
            latency,
            bytes: Vec::new(),
            clock: 0,
            reads: VecDeque::new(),
            given: 0,
            writes: VecDeque::new(),
            filled: 0,
            response: 0,
            answers: VecDeque::new(),
        })
    }

    fn place(&mut self, address: u64) -> Option<&mut [u8]> {
        let at = usize::try_from(address.checked_sub(BASE)?).ok()?;
        self.bytes.get_mut(at..at.checked_add(BEAT as usize)?)
    }

    fn write(&mut self, word: u64, strobes: u64) {
        let Some(&(address, beats)) = self.writes.front() else {
            return;
        };
        match self.place(address + BEAT * self.filled) {
            None => self.response = DECERR,
            Some(place) => {
                let bytes = word.to_le_bytes();
                for (at, (byte, new)) in place.iter_mut().zip(bytes).enumerate() {
                    *byte = if strobes >> at & 1 == 1 { new } else { *byte };
                }
            }
        }
        self.filled += 1;
        if self.filled == beats {
            self.writes.pop_front();
            self.answers
                .push_back((self.clock + self.latency, self.response));
            (self.filled, self.response) = (0, 0);
        }
    }
}

impl Beside for Dram {
    fn before(&mut self, model: &Model) {
        let Pins { ar, r, aw, w, b } = self.pins;
        let moves = |valid: PortId, ready: PortId| model.get(valid) == 1 && model.get(ready) == 1;
        if moves(r[0], r[1]) {
            self.given += 1;
            if self
                .reads
                .front()
                .is_some_and(|burst| self.given == burst.beats)
            {
                self.reads.pop_front();
                self.given = 0;
            }
        }
        if moves(b[0], b[1]) {
            self.answers.pop_front();
        }
        if moves(ar[0], ar[1]) {
            self.reads.push_back(Burst {
                address: model.get(ar[2]),
                beats: model.get(ar[3]) + 1,
                due: self.clock + self.latency,
            });
        }
        if moves(aw[0], aw[1]) {
            self.writes
                .push_back((model.get(aw[2]), model.get(aw[3]) + 1));
        }
        if moves(w[0], w[1]) {
            self.write(model.get(w[2]), model.get(w[3]));
        }
        self.clock += 1;
    }

    fn behind(&mut self, model: &mut Model) {
        let Pins { r, b, .. } = self.pins;
        let beat = { self.reads.front() }
            .filter(|burst| burst.due <= self.clock)
            .map(|burst| {
                (
                    burst.address + BEAT * self.given,
                    self.given + 1 == burst.beats,
                )
            });
        model.set(r[0], beat.is_some().into());
        if let Some((address, last)) = beat {
            let found = self
                .place(address)
                .map(|bytes| (*bytes).try_into().expect("eight bytes"));
            model.set(r[2], found.map_or(0, u64::from_le_bytes));
            model.set(r[3], if found.is_some() { 0 } else { DECERR });
            model.set(r[4], last.into());
        }
        let answer = self.answers.front().filter(|(due, _)| *due <= self.clock);
        model.set(b[0], answer.is_some().into());
        model.set(b[2], answer.map_or(0, |(_, response)| *response));
    }
}
