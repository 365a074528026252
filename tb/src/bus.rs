//! Buses of a register port, an access at a time.

use crate::error::ModelError;
use crate::model::Model;
use crate::port::PortId;

/// Clocks of an access: the one in which it is taken, and 4 up to its answer.
const CLOCKS: u64 = 5;

/// Clocks behind a reset in which a machine may take no access.
const CLEARING: u64 = 10;

/// What was not answered.
pub type Unanswered = &'static str;

/// Valid, ready and what goes with them.
type Channel<const N: usize> = [PortId; N];

/// Handles of a bus.
pub enum Bus {
    /// AXI4-Lite: channels AW, W, B, AR, R.
    Axil {
        /// Write address.
        aw: Channel<3>,
        /// Word and strobes.
        w: Channel<4>,
        /// Answer to a write.
        b: Channel<2>,
        /// Read address.
        ar: Channel<3>,
        /// Word read.
        r: Channel<3>,
    },
    /// Wishbone: CYC, STB, WE, SEL, ADR, DAT, then ACK and DAT of the slave.
    Wishbone([PortId; 6], [PortId; 2]),
}

impl Bus {
    /// The bus of a model, which is reset.
    ///
    /// # Errors
    /// If it has none.
    pub fn new(model: &mut Model) -> Result<Self, ModelError> {
        let reset = model.port("aresetn")?;
        let pin = |name: &str| model.port(&format!("s_axi_{name}"));
        let bus = match model.port("wb_cyc_i") {
            Err(_) => Bus::Axil {
                aw: [pin("awvalid")?, pin("awready")?, pin("awaddr")?],
                w: [pin("wvalid")?, pin("wready")?, pin("wdata")?, pin("wstrb")?],
                b: [pin("bvalid")?, pin("bready")?],
                ar: [pin("arvalid")?, pin("arready")?, pin("araddr")?],
                r: [pin("rvalid")?, pin("rready")?, pin("rdata")?],
            },
            Ok(cyc) => {
                let pin = |name: &str| model.port(&format!("wb_{name}"));
                let [stb, we, sel] = [pin("stb_i")?, pin("we_i")?, pin("sel_i")?];
                let [adr, dat] = [pin("adr_i")?, pin("dat_i")?];
                Bus::Wishbone(
                    [cyc, stb, we, sel, adr, dat],
                    [pin("ack_o")?, pin("dat_o")?],
                )
            }
        };
        bus.rest(model);
        model.set(reset, 0);
        model.cycles(4);
        model.set(reset, 1);
        // A machine with a DMA clears its windows first.
        model.cycles(CLEARING);
        Ok(bus)
    }

    /// Nothing is offered, answers are taken.
    fn rest(&self, model: &mut Model) {
        match self {
            Bus::Axil { aw, w, b, ar, r } => {
                for valid in [aw[0], w[0], ar[0]] {
                    model.set(valid, 0);
                }
                for ready in [b[1], r[1]] {
                    model.set(ready, 1);
                }
            }
            Bus::Wishbone([cyc, stb, ..], _) => {
                [cyc, stb].into_iter().for_each(|pin| model.set(*pin, 0))
            }
        }
    }

    /// Writes a word.
    ///
    /// # Errors
    /// If there is no answer in time.
    pub fn write(
        &self,
        model: &mut Model,
        address: u32,
        word: u32,
        bytes: u8,
    ) -> Result<(), Unanswered> {
        let (aw, w, b) = match self {
            Bus::Axil { aw, w, b, .. } => (aw, w, b),
            Bus::Wishbone(..) => {
                return self.cycle(model, address, Some((word, bytes))).map(|_| ());
            }
        };
        let offers = [
            (aw[0], 1),
            (aw[2], address.into()),
            (w[0], 1),
            (w[2], word.into()),
            (w[3], bytes.into()),
        ];
        for (pin, value) in offers {
            model.set(pin, value);
        }
        for _ in 0..CLOCKS {
            model.eval();
            let taken =
                [(aw[0], aw[1]), (w[0], w[1])].map(|(valid, ready)| (valid, model.get(ready) == 1));
            let ends = model.get(b[0]) == 1;
            model.clock();
            for (valid, _) in taken.into_iter().filter(|(_, taken)| *taken) {
                model.set(valid, 0);
            }
            if ends {
                return Ok(());
            }
        }
        Err("answer to a write")
    }

    /// Reads a word.
    ///
    /// # Errors
    /// If there is no answer in time.
    pub fn read(&self, model: &mut Model, address: u32) -> Result<u32, Unanswered> {
        let (ar, r) = match self {
            Bus::Axil { ar, r, .. } => (ar, r),
            Bus::Wishbone(..) => return self.cycle(model, address, None),
        };
        model.set(ar[0], 1);
        model.set(ar[2], address.into());
        for _ in 0..CLOCKS {
            model.eval();
            let taken = model.get(ar[1]) == 1;
            let word = (model.get(r[0]) == 1).then(|| model.get(r[2]) as u32);
            model.clock();
            if taken {
                model.set(ar[0], 0);
            }
            if let Some(word) = word {
                return Ok(word);
            }
        }
        Err("answer to a read")
    }

    /// A classic cycle of Wishbone.
    fn cycle(
        &self,
        model: &mut Model,
        address: u32,
        write: Option<(u32, u8)>,
    ) -> Result<u32, Unanswered> {
        let Bus::Wishbone([cyc, stb, we, sel, adr, dat], [ack, found]) = self else {
            return Err("bus");
        };
        let (word, bytes) = write.unwrap_or((0, 0b1111));
        for (pin, value) in [
            (cyc, 1),
            (stb, 1),
            (we, u32::from(write.is_some())),
            (sel, bytes.into()),
            (adr, address),
            (dat, word),
        ] {
            model.set(*pin, value.into());
        }
        for _ in 0..CLOCKS {
            model.eval();
            let answer = (model.get(*ack) == 1).then(|| model.get(*found) as u32);
            model.clock();
            if let Some(word) = answer {
                self.rest(model);
                return Ok(word);
            }
        }
        Err("acknowledge")
    }
}
