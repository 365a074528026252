//! A memory behind AXI4 that takes its time, breaks rules on demand and holds the manager to those of the bus.

use std::collections::{BTreeMap, VecDeque};

use heddle_sim::dma::{Burst, Windows};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::rtl::{Checked, Dut};

/// Pins of the DMA alone, and of a machine.
const PINS: [(&str, &str); 21] = [
    ("ar_valid_o", "m_axi_arvalid"),
    ("ar_ready_i", "m_axi_arready"),
    ("ar_addr_o", "m_axi_araddr"),
    ("ar_len_o", "m_axi_arlen"),
    ("r_valid_i", "m_axi_rvalid"),
    ("r_ready_o", "m_axi_rready"),
    ("r_data_i", "m_axi_rdata"),
    ("r_resp_i", "m_axi_rresp"),
    ("r_last_i", "m_axi_rlast"),
    ("aw_valid_o", "m_axi_awvalid"),
    ("aw_ready_i", "m_axi_awready"),
    ("aw_addr_o", "m_axi_awaddr"),
    ("aw_len_o", "m_axi_awlen"),
    ("w_valid_o", "m_axi_wvalid"),
    ("w_ready_i", "m_axi_wready"),
    ("w_data_o", "m_axi_wdata"),
    ("w_strb_o", "m_axi_wstrb"),
    ("w_last_o", "m_axi_wlast"),
    ("b_valid_i", "m_axi_bvalid"),
    ("b_ready_o", "m_axi_bready"),
    ("b_resp_i", "m_axi_bresp"),
];

/// What goes wrong, and with which beat or answer of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrong {
    /// A beat has this response.
    Read(usize, u64),
    /// A beat is the last one, or is not, against what was asked for.
    Last(usize),
    /// From this beat on none comes.
    Silent(usize),
    /// The answer to a write burst has this response.
    Write(usize, u64),
    /// From this answer on none comes.
    Mute(usize),
    /// A beat comes for nothing in this clock, the last one of a burst or not; addresses are not taken.
    Beat(u64, bool),
    /// An answer comes for nothing in this clock; addresses are not taken.
    Answer(u64),
    /// No address of a read, of a write, or no beat is taken.
    Deaf(usize),
}

/// How the other side behaves.
#[derive(Debug, Clone)]
pub struct Manners {
    /// Clocks to the first beat, or the answer, at least and at most.
    pub latency: (u64, u64),
    /// Of a hundred clocks so many are ready, or have a beat.
    pub pace: u32,
    /// What goes wrong.
    pub wrong: Option<Wrong>,
}

impl Manners {
    /// Always ready, this latency.
    pub fn quick(latency: u64) -> Self {
        Self {
            latency: (latency, latency),
            pace: 100,
            wrong: None,
        }
    }
}

/// What a memory has where nothing was written.
pub fn untouched(address: u64) -> u64 {
    (address ^ 0x5bd1_e995).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

struct Open {
    burst: Burst,
    at: u32,
    due: u64,
}

/// Payload of a channel while its VALID waits.
type Standing = Option<Vec<u64>>;

/// The bus and the memory.
pub struct Bus {
    pub manners: Manners,
    pub windows: Windows,
    pub bits: u32,
    pub most: u32,
    /// Words that were written.
    pub memory: BTreeMap<u64, u64>,
    /// Bursts that were announced: reads and writes.
    pub reads: Vec<Burst>,
    pub writes: Vec<Burst>,
    /// Beats of both directions, in the clocks in which they were taken.
    pub read_beats: Vec<u64>,
    pub write_beats: Vec<u64>,
    /// The manager has stopped: strobes may be 0, and nothing new is announced.
    pub stopped: bool,
    /// Strobes may be 0.
    pub empty: bool,
    /// The pins are those of a machine.
    pub of_machine: bool,
    /// Whose turn it is, where several managers share a memory: AR, AW, W, R, B.
    pub grant: [bool; 5],
    was_stopped: bool,
    answered: usize,
    open_reads: VecDeque<Open>,
    /// Bursts whose address stands or was taken, and whose beats are not all here.
    open_writes: VecDeque<Burst>,
    /// Addresses that were taken, and bursts whose beats were, that are not answered.
    addressed: usize,
    filled_up: usize,
    answers: VecDeque<u64>,
    beat: Option<(u64, u64, bool)>,
    answer: Option<u64>,
    standing: [Standing; 3],
    /// Beats of the first open write burst.
    filled: u32,
    ready: [bool; 3],
}

impl Bus {
    pub fn new(manners: Manners, windows: Windows, bits: u32, most: u32) -> Self {
        Self {
            manners,
            windows,
            bits,
            most,
            memory: BTreeMap::new(),
            reads: Vec::new(),
            writes: Vec::new(),
            read_beats: Vec::new(),
            write_beats: Vec::new(),
            stopped: false,
            empty: false,
            of_machine: false,
            grant: [true; 5],
            was_stopped: false,
            answered: 0,
            open_reads: VecDeque::new(),
            open_writes: VecDeque::new(),
            addressed: 0,
            filled_up: 0,
            answers: VecDeque::new(),
            beat: None,
            answer: None,
            standing: [None, None, None],
            filled: 0,
            ready: [false; 3],
        }
    }

    /// The pin of this name of the DMA alone.
    fn pin(&self, name: &str) -> &'static str {
        let pins = PINS.iter().find(|(own, _)| *own == name);
        let (own, of_machine) = pins.expect("a pin of the bus");
        if self.of_machine { of_machine } else { own }
    }

    /// Word at an address.
    pub fn word(&self, address: u64) -> u64 {
        let written = self.memory.get(&address);
        written.copied().unwrap_or_else(|| untouched(address))
    }

    /// Whether anything is outstanding.
    pub fn is_quiet(&self) -> bool {
        self.open() == [0, 0] && self.open_writes.is_empty() && self.beat.is_none()
    }

    /// Bursts that are open.
    pub fn open(&self) -> [usize; 2] {
        [
            self.open_reads.len(),
            self.addressed + self.answers.len() + usize::from(self.answer.is_some()),
        ]
    }

    /// Whether a beat, an answer stands on the bus; and whether another one could.
    pub fn offers(&self, now: u64) -> [(bool, bool); 2] {
        let reads = self.open_reads.front().is_some_and(|open| open.due <= now);
        let answers = self.answers.front().is_some_and(|due| *due <= now);
        [
            (self.beat.is_some(), reads),
            (self.answer.is_some(), answers),
        ]
    }

    /// Whether some beats of a read burst have come, and others have not.
    pub fn is_within_a_burst(&self) -> bool {
        self.open_reads.front().is_some_and(|open| open.at > 0)
    }

    /// Forgets what was counted; nothing is outstanding.
    pub fn forget(&mut self) {
        assert!(self.is_quiet(), "{:?} bursts are open", self.open());
        self.reads.clear();
        self.writes.clear();
        self.read_beats.clear();
        self.write_beats.clear();
        self.answered = 0;
    }

    /// Answers to write bursts so far.
    pub fn answers(&self) -> usize {
        self.answered
    }

    /// Drives the inputs of a clock.
    pub fn drive(&mut self, dut: &mut Dut, rng: &mut ChaCha8Rng) {
        let pace = self.manners.pace;
        let now = dut.cycle();
        let mut likes = || rng.random_range(0..100) < pace;
        self.ready = [likes(), likes(), likes()];
        for (ready, grant) in self.ready.iter_mut().zip(self.grant) {
            *ready &= grant;
        }
        if let Some(Wrong::Deaf(channel)) = self.manners.wrong {
            self.ready[channel] = false;
        }
        if let Some(Wrong::Beat(..) | Wrong::Answer(..)) = self.manners.wrong {
            self.ready[..2].fill(false);
        }
        if self.beat.is_none() && likes() && self.grant[3] {
            self.beat = self.next_beat(now);
        }
        let due = self.answers.front().is_some_and(|due| *due <= now);
        if self.answer.is_none() && likes() && self.grant[4] && due {
            let resp = match self.manners.wrong {
                Some(Wrong::Write(answer, resp)) if answer == self.answered => Some(resp),
                Some(Wrong::Mute(answer)) if answer <= self.answered => None,
                _ => Some(0),
            };
            if resp.is_some() {
                self.answer = resp;
                self.answers.pop_front();
            }
        }
        match self.manners.wrong {
            Some(Wrong::Beat(clock, last)) if clock == now => self.beat = Some((1, 0, last)),
            Some(Wrong::Answer(clock)) if clock == now => self.answer = Some(0),
            _ => {}
        }
        for (name, value) in [
            ("ar_ready_i", u64::from(self.ready[0])),
            ("aw_ready_i", u64::from(self.ready[1])),
            ("w_ready_i", u64::from(self.ready[2])),
            ("r_valid_i", u64::from(self.beat.is_some())),
            ("b_valid_i", u64::from(self.answer.is_some())),
            (
                "b_resp_i",
                self.answer.unwrap_or_else(|| rng.random_range(0..4)),
            ),
        ] {
            dut.set(self.pin(name), value);
        }
        let (data, resp, last) = self.beat.unwrap_or_else(|| (rng.random(), 3, rng.random()));
        dut.set(self.pin("r_data_i"), data);
        dut.set(self.pin("r_resp_i"), resp);
        dut.set(self.pin("r_last_i"), last);
    }

    fn next_beat(&mut self, now: u64) -> Option<(u64, u64, bool)> {
        let number = self.read_beats.len();
        let wrong = self.manners.wrong;
        let front = self.open_reads.front()?;
        if front.due > now || matches!(wrong, Some(Wrong::Silent(beat)) if beat <= number) {
            return None;
        }
        let address = front.burst.address + 8 * u64::from(front.at);
        let mut last = front.at + 1 >= front.burst.beats;
        let mut resp = 0;
        match wrong {
            Some(Wrong::Read(beat, response)) if beat == number => resp = response,
            Some(Wrong::Last(beat)) if beat == number => last = !last,
            _ => {}
        }
        Some((self.word(address), resp, last))
    }

    /// Looks at the outputs of a clock.
    pub fn look(&mut self, dut: &Dut, rng: &mut ChaCha8Rng) -> Checked {
        let (low, high) = self.manners.latency;
        let due = dut.cycle() + rng.random_range(low..=high);
        let stood = self.standing[1].is_some();
        self.steady(dut)?;
        self.was_stopped = self.stopped;
        if dut.get(self.pin("ar_valid_o")) == 1 && self.ready[0] {
            let burst = self.burst(dut, "ar", false)?;
            self.reads.push(burst);
            self.open_reads.push_back(Open { burst, at: 0, due });
        }
        if dut.get(self.pin("aw_valid_o")) == 1 {
            let burst = self.burst(dut, "aw", true)?;
            if !stood {
                self.open_writes.push_back(burst);
            }
            if self.ready[1] {
                self.writes.push(burst);
                self.addressed += 1;
            }
        }
        if self.beat.is_some() && dut.get(self.pin("r_ready_o")) == 1 {
            let (_, _, last) = self.beat.take().expect("a beat");
            self.read_beats.push(dut.cycle());
            if let Some(open) = self.open_reads.front_mut() {
                open.at += 1;
                if last {
                    self.open_reads.pop_front();
                }
            }
        }
        if dut.get(self.pin("b_ready_o")) != 1 {
            return Err(dut.message("b_ready_o is low"));
        }
        self.answered += usize::from(self.answer.take().is_some());
        self.written(dut)?;
        if self.addressed > 0 && self.filled_up > 0 {
            self.addressed -= 1;
            self.filled_up -= 1;
            self.answers.push_back(due);
        }
        Ok(())
    }

    /// A beat of a write burst.
    fn written(&mut self, dut: &Dut) -> Checked {
        if dut.get(self.pin("w_valid_o")) == 0 {
            return Ok(());
        }
        // The address of its burst has been taken, or stands.
        let Some(burst) = self.open_writes.front().copied() else {
            return Err(dut.message("a beat goes ahead of its address"));
        };
        let last = self.filled + 1 == burst.beats;
        dut.check(self.pin("w_last_o"), last)?;
        if !self.ready[2] {
            return Ok(());
        }
        let strobes = dut.get(self.pin("w_strb_o"));
        match strobes {
            0xff => {
                let address = burst.address + 8 * u64::from(self.filled);
                self.memory.insert(address, dut.get(self.pin("w_data_o")));
                self.write_beats.push(dut.cycle());
            }
            0 if self.stopped || self.empty => {}
            _ => return Err(dut.message(&format!("strobes {strobes:#x}"))),
        }
        self.filled += 1;
        if last {
            self.filled = 0;
            self.open_writes.pop_front();
            self.filled_up += 1;
        }
        Ok(())
    }

    /// VALID and payload stay until READY.
    fn steady(&mut self, dut: &Dut) -> Checked {
        const CHANNELS: [(&str, &[&str]); 3] = [
            ("ar_valid_o", &["ar_addr_o", "ar_len_o"]),
            ("aw_valid_o", &["aw_addr_o", "aw_len_o"]),
            ("w_valid_o", &["w_data_o", "w_strb_o", "w_last_o"]),
        ];
        for (channel, (valid, payload)) in CHANNELS.iter().enumerate() {
            let value = |name: &&str| dut.get(self.pin(name));
            let now = (value(valid) == 1).then(|| payload.iter().map(value).collect::<Vec<_>>());
            if self.standing[channel].is_some() && now != self.standing[channel] {
                return Err(dut.message(&format!("{valid} or its payload does not stay")));
            }
            if channel < 2 && self.was_stopped && self.standing[channel].is_none() && now.is_some()
            {
                return Err(dut.message(&format!("{valid} rises, though all is stopped")));
            }
            let comes = self.standing[channel].is_none();
            if channel == 2 && self.was_stopped && comes && now.as_ref().is_some_and(|w| w[1] != 0)
            {
                return Err(dut.message("a beat has strobes, though all is stopped"));
            }
            self.standing[channel] = now.filter(|_| !self.ready[channel]);
        }
        Ok(())
    }

    /// The burst on a channel of addresses, which stays in its page and in a window.
    fn burst(&self, dut: &Dut, channel: &str, write: bool) -> Checked<Burst> {
        let address = dut.get(self.pin(&format!("{channel}_addr_o")));
        let beats = dut.get(self.pin(&format!("{channel}_len_o"))) as u32 + 1;
        let burst = Burst { address, beats };
        let last = address + 8 * u64::from(beats) - 1;
        if address % 8 != 0 || address / 4096 != last / 4096 || beats > self.most {
            return Err(dut.message(&format!("{channel}: {burst:x?}")));
        }
        match self.windows.open(address, write, self.bits) {
            true => Ok(burst),
            false => Err(dut.message(&format!("{channel}: {address:#x} is in no window"))),
        }
    }
}
