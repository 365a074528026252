//! The clocked partition: one row of the state buffer.

use heddle_arch::word::WORD_BYTES;

use super::slots::{DrainWord, Events, HostRequest, OperandSlot, PartitionInputs, WeightSlot};
use crate::delay::DelayLine;
use crate::sliced::{Accesses, SliceLayout};

/// Cycles from the read of a bank to its word.
const READ_CYCLES: usize = 5;

/// Size of a partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartitionShape {
    /// Number of banks.
    pub banks: usize,
    /// So many in front of the program are the input buffer: written by the host alone, no weights are read from it.
    pub input_banks: usize,
    /// The very last so many hold the program: nothing but host accesses, which are no events.
    pub program_banks: usize,
    /// 8-byte words per bank.
    pub words_per_bank: usize,
    /// Slices of a bank.
    pub layout: SliceLayout,
    /// Entries of the offset table.
    pub offsets: usize,
}

impl PartitionShape {
    /// Banks with data slices of the given bytes and all options at their defaults, and a table of
    /// 16 offsets.
    pub fn new(banks: usize, words_per_bank: usize, widths: &[usize]) -> Self {
        Self {
            banks,
            input_banks: 0,
            program_banks: 0,
            words_per_bank,
            layout: SliceLayout {
                latency: READ_CYCLES,
                ..SliceLayout::new(words_per_bank, widths)
            },
            offsets: 16,
        }
    }

    /// Whether a word lies in the program banks.
    fn is_program(&self, word: u16) -> bool {
        u32::from(word) * WORD_BYTES >= self.operand_bytes()
    }

    /// Whether a word lies in the input buffer or the program: the host alone writes it.
    fn is_host(&self, word: u16) -> bool {
        let work = self.banks - self.program_banks - self.input_banks;
        usize::from(word) >= work * self.words_per_bank
    }

    /// Bytes that operands may lie in.
    fn operand_bytes(&self) -> u32 {
        WORD_BYTES * ((self.banks - self.program_banks) * self.words_per_bank) as u32
    }
}

/// Outputs of one clock cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PartitionOutputs {
    /// Operand wave for the next partition.
    pub operand: OperandSlot,
    /// The slot of two cycles ago has no address in this partition or one before.
    pub fault: bool,
    /// Weight wave for the next partition.
    pub weight: WeightSlot,
    /// Destination for the next partition.
    pub destination: u16,
    /// Host access for the next partition.
    pub host: HostRequest,
    /// Host read answer.
    pub answer: Option<u64>,
    /// Events of this and the earlier partitions.
    pub events: Events,
    /// The last operand that was not zero, 9 bits signed; none before the first.
    pub x: Option<i16>,
    /// The slot holds an operand that is not zero: it is in `x`.
    pub nz: bool,
    /// Swap flag that goes with the operand.
    pub swap: bool,
    /// Shift enable of the weights.
    pub shift: bool,
    /// Weight word; none where the hardware may drive anything.
    pub w: Option<u64>,
}

/// An operand slot with its address in this partition.
#[derive(Debug, Clone, Copy, Default)]
struct OwnSlot {
    /// None for an empty slot, an inactive row, an entry that is not valid or a sum beyond the
    /// memory.
    address: Option<u16>,
    slot: OperandSlot,
}

/// What leaves towards the PE row for one operand slot.
#[derive(Debug, Clone, Copy, Default)]
struct Operand {
    /// None for an empty slot or an inactive row.
    x: Option<i16>,
    swap: bool,
}

/// One partition. The memory is a flat list of words: the banks only decide who may read.
#[derive(Debug, Clone)]
pub struct PartitionModel {
    shape: PartitionShape,
    words: Vec<u64>,
    offsets: Vec<Option<u16>>,
    /// Reads so far of the word that was written in the same cycle.
    met: u64,
    kept: Option<u16>,
    /// The slot on its way through table and adder.
    own_slots: DelayLine<OwnSlot>,
    own_faults: DelayLine<bool>,
    faults: DelayLine<bool>,
    next_operand: DelayLine<OperandSlot>,
    next_weight: DelayLine<WeightSlot>,
    next_destination: DelayLine<u16>,
    next_host: DelayLine<HostRequest>,
    operands: DelayLine<Operand>,
    /// The last operand shown that was not zero.
    held: Option<i16>,
    shifts: DelayLine<Option<Option<u64>>>,
    /// Words that are copied here, until the cycle before they are written.
    copies: DelayLine<Option<u64>>,
    /// The word that is written in this cycle.
    copied: Option<u64>,
    own_answers: DelayLine<Option<u64>>,
    answers: DelayLine<Option<u64>>,
    mask_events: DelayLine<Events>,
    data_events: DelayLine<Events>,
    own_events: DelayLine<Events>,
    events: DelayLine<Events>,
}

impl PartitionModel {
    /// A partition after reset. Words start at zero here; in the hardware they are undefined until
    /// written.
    ///
    /// # Panics
    /// If the banks do not have 8-byte words after 5 cycles.
    pub fn new(shape: PartitionShape) -> Self {
        let layout = &shape.layout;
        assert_eq!(
            (layout.word_bytes(), layout.read_cycle()),
            (8, READ_CYCLES),
            "bytes of a word, cycles to the word"
        );
        Self {
            words: vec![0; shape.banks * shape.words_per_bank],
            offsets: vec![None; shape.offsets],
            mask_events: DelayLine::new(layout.mask_cycle()),
            data_events: DelayLine::new(layout.slice_cycle(1)),
            own_slots: DelayLine::new(2),
            own_faults: DelayLine::new(1),
            faults: DelayLine::new(1),
            shape,
            met: 0,
            kept: None,
            next_operand: DelayLine::new(1),
            next_weight: DelayLine::new(1),
            next_destination: DelayLine::new(1),
            next_host: DelayLine::new(1),
            operands: DelayLine::new(READ_CYCLES + 2),
            held: None,
            shifts: DelayLine::new(READ_CYCLES + 1),
            copies: DelayLine::new(READ_CYCLES),
            copied: None,
            own_answers: DelayLine::new(READ_CYCLES + 1),
            answers: DelayLine::new(1),
            own_events: DelayLine::new(1),
            events: DelayLine::new(1),
        }
    }

    /// Content of a word, for checks.
    pub fn word(&self, word: u16) -> u64 {
        self.words[usize::from(word)]
    }

    /// Reads so far of the word that was written in the same cycle: without a bypass the hardware may give anything.
    pub fn met(&self) -> u64 {
        self.met
    }

    /// One clock cycle: returns the outputs of this cycle, then takes the clock edge.
    ///
    /// # Panics
    /// If a weight or host address lies outside the partition or its table, or a host read meets a
    /// bank in use.
    pub fn step(&mut self, inputs: &PartitionInputs) -> PartitionOutputs {
        let mut now = Events::default();
        let mut later = Events::default();
        let chosen = inputs.host.valid && inputs.host.partition == 0;
        let mine = chosen && !inputs.host.table;

        let (own_slot, own_fault) = self.own_slot(inputs.operand);
        let own_slot = self.own_slots.shift(own_slot);
        let fault = inputs.fault | self.own_faults.shift(own_fault);
        if chosen && inputs.host.table && inputs.host.write {
            let valid = inputs.host.data >> 16 & 1 == 1;
            let entry = usize::from(inputs.host.word & 0xff);
            self.offsets[entry] = valid.then_some(inputs.host.data as u16);
        }
        let copied = self.copied.map(|data| DrainWord {
            word: inputs.destination,
            data,
        });
        let written = self.write(inputs, copied, mine, &mut now, &mut later);
        let mut reads = Reads::default();
        let operand = self.operand(&own_slot, written, &mut reads);
        let word = self.weight(&inputs.weight, &mut reads);
        let active = inputs.weight.copy && inputs.weight.is_active();
        // The bank gives 0 to a reader that is not served.
        let copies = word.filter(|_| active).map(Option::unwrap_or_default);
        self.copied = self.copies.shift(copies);
        let shift = word.filter(|_| !inputs.weight.copy);
        let answer = (mine && !inputs.host.write).then(|| {
            let word = self.read(inputs.host.word, &mut reads);
            word.expect("the host reads only banks that nobody else uses")
        });
        self.met += reads
            .places
            .iter()
            .filter(|&&word| Some(word) == written)
            .count() as u64;
        for word in reads.words {
            let pop = self.shape.layout.mask_of(word.into()).count_ones();
            let accesses = Accesses::of_read(&self.shape.layout, pop as usize);
            self.count(&accesses, &mut now, &mut later);
        }

        let mut own_events = self.mask_events.shift(now);
        own_events = own_events.plus(self.data_events.shift(later));
        let own_answer = self.own_answers.shift(answer);
        let shift = self.shifts.shift(shift);
        let operand = self.operands.shift(operand);
        own_events.zero_operands += u16::from(operand.x == Some(0));
        let nz = operand.x.is_some_and(|x| x != 0);
        if nz {
            self.held = operand.x;
        }
        PartitionOutputs {
            operand: self.next_operand.shift(inputs.operand.for_next()),
            fault: self.faults.shift(fault),
            weight: self.next_weight.shift(inputs.weight.for_next()),
            destination: self.next_destination.shift(inputs.destination),
            host: self.next_host.shift(inputs.host.for_next()),
            answer: self.answers.shift(inputs.answer.or(own_answer)),
            events: self
                .events
                .shift(inputs.events.plus(self.own_events.shift(own_events))),
            x: self.held,
            nz,
            swap: operand.swap,
            shift: shift.is_some(),
            w: shift.flatten(),
        }
    }

    /// One word per clock, drain words first, then copies. Returns the word address of the write, which is that of such a word
    /// also where the input buffer does not take it.
    fn write(
        &mut self,
        inputs: &PartitionInputs,
        copied: Option<DrainWord>,
        mine: bool,
        now: &mut Events,
        later: &mut Events,
    ) -> Option<u16> {
        let host = (mine && inputs.host.write).then_some(DrainWord {
            word: inputs.host.word,
            data: inputs.host.data,
        });
        let moved = inputs.drain.or(copied);
        let DrainWord { word, data } = moved.or(host)?;
        if moved.is_some() && self.shape.is_host(word) {
            return Some(word);
        }
        self.words[usize::from(word)] = data;
        if self.shape.is_program(word) {
            return Some(word);
        }
        let layout = &self.shape.layout;
        let mask = layout.turned(layout.mask_of(data.into()));
        self.count(&Accesses::of_write(layout, mask), now, later);
        Some(word)
    }

    /// The slot with its address here, and whether the sum lies beyond the memory.
    fn own_slot(&self, slot: OperandSlot) -> (OwnSlot, bool) {
        let offset = match slot.table {
            true if slot.is_active() => self.offsets[usize::from(slot.entry)],
            _ => Some(0),
        };
        let sum = offset.map(|offset| u32::from(slot.address) + u32::from(offset));
        let sum = sum.filter(|_| slot.is_active());
        let beyond = sum.is_some_and(|sum| sum >= self.shape.operand_bytes());
        let address = sum.filter(|_| !beyond).map(|sum| sum as u16);
        (OwnSlot { address, slot }, beyond)
    }

    fn operand(&mut self, own: &OwnSlot, written: Option<u16>, reads: &mut Reads) -> Operand {
        if written.is_some() && self.kept == written {
            self.kept = None;
        }
        let slot = &own.slot;
        let swap = slot.swap;
        let Some(address) = own.address else {
            return Operand { x: None, swap };
        };
        let word = address >> 3;
        if slot.fresh || self.kept != Some(word) {
            self.read(word, reads);
            self.kept = Some(word);
        }
        let byte = self.words[usize::from(word)].to_le_bytes()[usize::from(address & 7)];
        let x = match byte <= slot.threshold {
            true => i16::from(byte),
            false => i16::from(byte) - 256,
        };
        Operand { x: Some(x), swap }
    }

    /// The word to shift in: none without a slot, unknown for an inactive row or a taken bank, 0 for the input buffer.
    fn weight(&mut self, slot: &WeightSlot, reads: &mut Reads) -> Option<Option<u64>> {
        if !slot.valid {
            return None;
        }
        Some(match slot.is_active() {
            true if self.shape.is_host(slot.address >> 3) => Some(0),
            true => self.read(slot.address >> 3, reads),
            false => None,
        })
    }

    /// Reads through the one read port of the word's bank, if it is free.
    fn read(&self, word: u16, reads: &mut Reads) -> Option<u64> {
        let bank = self.bank(word);
        if reads.banks.contains(&bank) {
            return None;
        }
        let data = self.words[usize::from(word)];
        reads.banks.push(bank);
        reads.places.push(word);
        if !self.shape.is_program(word) {
            reads.words.push(data);
        }
        Some(data)
    }

    fn bank(&self, word: u16) -> usize {
        usize::from(word) / self.shape.words_per_bank
    }

    /// Accesses in the cycle of the mask slice, and in that of the data slices.
    fn count(&self, accesses: &Accesses, now: &mut Events, later: &mut Events) {
        now.mask_reads += u16::from(accesses.mask_read);
        now.mask_writes += u16::from(accesses.mask_write);
        for slice in 0..self.shape.layout.slices() {
            let events = match self.shape.layout.slice_cycle(slice) {
                cycle if cycle == self.shape.layout.mask_cycle() => &mut *now,
                _ => &mut *later,
            };
            events.slice_reads[slice] += u16::from(accesses.reads(slice));
            events.slice_writes[slice] += u16::from(accesses.writes(slice));
        }
    }
}

/// Reads of one clock cycle.
#[derive(Debug, Default)]
struct Reads {
    banks: Vec<usize>,
    places: Vec<u16>,
    words: Vec<u64>,
}
