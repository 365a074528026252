//! State buffer and model side by side.

use std::sync::LazyLock;

use heddle_hdl::buffer::{BankCount, Partition, StateBuffer};
use heddle_sim::buffer::{
    DrainWord, HostRequest, OperandSlot, PartitionShape, StateBufferInputs, StateBufferModel,
    StateBufferOutputs, WeightSlot,
};
use heddle_sim::sliced::SliceLayout;
use heddle_tb::verilate::Sources;

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::random::random_word;
use crate::rtl::{Checked, Dut, emitted, unchecked};
use crate::sliced::sides;

/// Banks of 16 words whose first slice has `first` bytes.
pub fn shape(banks: usize, first: usize) -> PartitionShape {
    PartitionShape::new(banks, 16, &[first, 8 - first])
}

/// The partition on its own.
pub fn shape_1() -> PartitionShape {
    shape(4, 5)
}

/// Each of three partitions in a chain.
pub fn shape_3() -> PartitionShape {
    shape(2, 4)
}

pub static PARTITION: LazyLock<Sources> = LazyLock::new(|| partition(&shape_1()));
/// Banks without a bypass, as machines have them.
pub fn without_bypass(shape: PartitionShape) -> PartitionShape {
    let layout = SliceLayout {
        bypass: false,
        ..shape.layout
    };
    PartitionShape { layout, ..shape }
}

pub static STATE_3: LazyLock<Sources> = LazyLock::new(|| {
    let s = shape_3();
    unchecked(emitted(StateBuffer::new(
        3,
        s.banks,
        &sides::shape(&s.layout),
        s.offsets,
    )))
});

/// Partitions of the buffer that a single one is the last of.
pub const PARTITIONS: usize = 128;

pub fn partition(shape: &PartitionShape) -> Sources {
    let banks = BankCount {
        all: shape.banks,
        input: shape.input_banks,
        program: shape.program_banks,
        events: true,
        quiet_host: false,
    };
    // Several clients ask for one bank, as no program lets them do.
    unchecked(emitted(Partition::new(
        banks,
        &sides::shape(&shape.layout),
        shape.offsets,
        PARTITIONS,
    )))
}

/// Design and model side by side. A single partition has further ports: what a chain connects.
pub struct StateBench {
    pub dut: Dut,
    pub model: StateBufferModel,
    pub rows: usize,
    pub shape: PartitionShape,
    /// The offset tables of the rows as they were written.
    pub offsets: Vec<[Option<u16>; OFFSETS]>,
}

impl StateBench {
    /// The buffer with every word written once through the drain port, those of the input banks and every entry of
    /// the offset tables through the host port.
    pub fn new(sources: &Sources, rows: usize, shape: PartitionShape, seed: u64) -> Checked<Self> {
        let mut bench = Self {
            dut: Dut::new(sources, seed),
            model: StateBufferModel::new(rows, shape.clone()),
            rows,
            shape,
            offsets: vec![[None; OFFSETS]; rows],
        };
        let mut rng = bench.dut.rng();
        // Slots that mean nothing, until the waves hold known values everywhere.
        for _ in 0..rows + 13 {
            let idle = bench.idle();
            bench.drive(&idle);
            bench.model.step(&idle);
            bench.dut.clock();
        }
        for word in 0..(bench.shape.banks * bench.shape.words_per_bank) as u16 {
            let mut inputs = bench.idle();
            for drain in &mut inputs.drain {
                *drain = Some(DrainWord {
                    word,
                    data: random_word(&mut rng),
                });
            }
            bench.step(&inputs)?;
        }
        let words = bench.host_words();
        for (row, word) in (0..rows as u8).flat_map(|r| words.clone().map(move |w| (r, w))) {
            let mut inputs = bench.idle();
            inputs.host = HostRequest {
                valid: true,
                write: true,
                table: false,
                partition: row,
                word,
                data: random_word(&mut rng),
            };
            bench.step(&inputs)?;
        }
        for (row, entry) in (0..rows).flat_map(|r| (0..OFFSETS).map(move |e| (r, e))) {
            let mut inputs = bench.idle();
            inputs.host = table_write(row as u8, entry as u8, random_offset(&bench, &mut rng));
            bench.step(&inputs)?;
        }
        for _ in 0..rows + 12 {
            let idle = bench.idle();
            bench.step(&idle)?;
        }
        Ok(bench)
    }

    pub fn idle(&self) -> StateBufferInputs {
        StateBufferInputs {
            drain: vec![None; self.rows],
            ..StateBufferInputs::default()
        }
    }

    pub fn drive(&mut self, inputs: &StateBufferInputs) {
        let dut = &mut self.dut;
        dut.set("op_valid_i", inputs.operand.valid);
        dut.set("op_addr_i", inputs.operand.address);
        dut.set("op_rows_i", inputs.operand.rows);
        dut.set("op_thr_i", inputs.operand.threshold);
        dut.set("op_fresh_i", inputs.operand.fresh);
        dut.set("op_swap_i", inputs.operand.swap);
        dut.set("op_tag_i", inputs.operand.tag);
        dut.set("op_table_i", inputs.operand.table);
        dut.set("op_entry_i", inputs.operand.entry);
        dut.set("wt_valid_i", inputs.weight.valid);
        dut.set("wt_addr_i", inputs.weight.address);
        dut.set("wt_rows_i", inputs.weight.rows);
        dut.set("wt_copy_i", inputs.weight.copy);
        dut.set("wt_dest_i", inputs.destination);
        let drain = || inputs.drain.iter();
        dut.set_all("dr_valid_i", drain().map(|d| d.is_some().into()));
        dut.set_all("dr_word_i", drain().map(|d| d.map_or(0, |d| d.word.into())));
        dut.set_all("dr_data_i", drain().map(|d| d.map_or(0, |d| d.data)));
        dut.set("host_valid_i", inputs.host.valid);
        dut.set("host_write_i", inputs.host.write);
        dut.set("host_table_i", inputs.host.table);
        dut.set("host_partition_i", inputs.host.partition);
        dut.set("host_word_i", inputs.host.word);
        dut.set("host_data_i", inputs.host.data);
        let slices = self.shape.layout.slices();
        let counts = |all: &[u16; 8]| all.map(u64::from).into_iter().take(slices);
        if self.rows == 1 {
            dut.set("op_fault_i", inputs.fault);
            dut.set("host_rvalid_i", inputs.answer.is_some());
            dut.set("host_rdata_i", inputs.answer.unwrap_or_default());
            dut.set("ev_mask_read_i", inputs.events.mask_reads);
            dut.set("ev_mask_write_i", inputs.events.mask_writes);
            dut.set_all("ev_slice_read_i", counts(&inputs.events.slice_reads));
            dut.set_all("ev_slice_write_i", counts(&inputs.events.slice_writes));
            dut.set("ev_zero_i", inputs.events.zero_operands);
        }
        dut.settle();
    }

    /// One clock cycle: drives both, compares all outputs.
    pub fn step(&mut self, inputs: &StateBufferInputs) -> Checked<StateBufferOutputs> {
        self.drive(inputs);
        let host = &inputs.host;
        if host.valid && host.write && host.table {
            if let Some(offsets) = self.offsets.get_mut(usize::from(host.partition)) {
                let valid = host.data >> 16 & 1 == 1;
                offsets[usize::from(host.word)] = valid.then_some(host.data as u16);
            }
        }
        let expected = self.model.step(inputs);
        let (dut, rows) = (&self.dut, self.rows);
        dut.check("op_valid_o", expected.operand.valid)?;
        dut.check("op_addr_o", expected.operand.address)?;
        dut.check("op_tag_o", expected.operand.tag)?;
        dut.check("op_fault_o", expected.fault)?;
        dut.check("host_rvalid_o", expected.answer.is_some())?;
        if let Some(answer) = expected.answer {
            dut.check("host_rdata_o", answer)?;
        }
        let events = expected.events;
        let slices = self.shape.layout.slices();
        let counts = |all: &[u16; 8]| all.map(u64::from).into_iter().take(slices);
        dut.check("ev_mask_read_o", events.mask_reads)?;
        dut.check("ev_mask_write_o", events.mask_writes)?;
        for (k, reads) in counts(&events.slice_reads).enumerate() {
            dut.check_element("ev_slice_read_o", k, slices, reads)?;
        }
        for (k, writes) in counts(&events.slice_writes).enumerate() {
            dut.check_element("ev_slice_write_o", k, slices, writes)?;
        }
        dut.check("ev_zero_o", events.zero_operands)?;
        for r in 0..rows {
            if let Some(x) = expected.x[r] {
                dut.check_element("x_o", r, rows, x as u64)?;
            }
            dut.check_element("nz_o", r, rows, expected.nz[r])?;
            dut.check_element("swap_o", r, rows, expected.swap[r])?;
            dut.check_element("shift_o", r, rows, expected.shift[r])?;
            if let Some(w) = expected.w[r] {
                dut.check_element("w_o", r, rows, w)?;
            }
        }
        if rows == 1 {
            check_waves(dut, &expected)?;
        }
        self.dut.clock();
        Ok(expected)
    }

    /// In a partition without a bypass, writes of this cycle that would meet a read go elsewhere, or are left out.
    pub fn keep_apart(&self, inputs: &mut StateBufferInputs, rng: &mut ChaCha8Rng) {
        let meets = |inputs: &StateBufferInputs| {
            let mut model = self.model.clone();
            model.step(inputs);
            model.met() > self.model.met()
        };
        while !self.shape.layout.bypass && meets(inputs) {
            inputs.drain.fill(None);
            inputs.destination =
                self.random_word_address(rng.random_range(0..self.shape.banks), rng);
        }
    }

    /// Words of the input and program banks.
    pub fn host_words(&self) -> std::ops::Range<u16> {
        let shape = &self.shape;
        let work = (shape.banks - shape.input_banks - shape.program_banks) * shape.words_per_bank;
        work as u16..(shape.banks * shape.words_per_bank) as u16
    }

    pub fn bank(&self, word: u16) -> usize {
        usize::from(word) / self.shape.words_per_bank
    }

    /// A word in one of the banks, often one of few.
    pub fn random_word_address(&self, bank: usize, rng: &mut ChaCha8Rng) -> u16 {
        let few = if rng.random_bool(0.8) {
            3
        } else {
            self.shape.words_per_bank
        };
        (bank * self.shape.words_per_bank + rng.random_range(0..few)) as u16
    }
}

/// An operand of so many rows that is read in any case.
pub fn operand(address: u16, rows: u16) -> OperandSlot {
    OperandSlot {
        valid: true,
        address,
        rows,
        threshold: 127,
        fresh: true,
        ..OperandSlot::default()
    }
}

/// A weight word of so many rows.
pub fn weight(address: u16, rows: u16) -> WeightSlot {
    WeightSlot {
        valid: true,
        address,
        rows,
        ..WeightSlot::default()
    }
}

/// Entries of an offset table.
pub const OFFSETS: usize = 16;

/// A write to the offset table of a row.
pub fn table_write(row: u8, entry: u8, offset: Option<u16>) -> HostRequest {
    HostRequest {
        valid: true,
        write: true,
        table: true,
        partition: row,
        word: entry.into(),
        // Without a valid bit the rest means nothing.
        data: offset.map_or(0x5a5a, |offset| 1 << 16 | u64::from(offset)),
    }
}

/// An offset: none, a small one, one up to the size of a bank, or any.
pub fn random_offset(bench: &StateBench, rng: &mut ChaCha8Rng) -> Option<u16> {
    let bank = bench.shape.words_per_bank as u16 * 8;
    match rng.random_range(0..8) {
        0 => None,
        1 => Some(rng.random()),
        2 | 3 => Some(rng.random_range(0..2 * bank)),
        _ => Some(rng.random_range(0..20)),
    }
}

/// Compares what a partition hands to the next one.
pub fn check_waves(dut: &Dut, expected: &StateBufferOutputs) -> Checked {
    dut.check("op_rows_o", expected.operand.rows)?;
    dut.check("op_thr_o", expected.operand.threshold)?;
    dut.check("op_fresh_o", expected.operand.fresh)?;
    dut.check("op_swap_o", expected.operand.swap)?;
    dut.check("op_table_o", expected.operand.table)?;
    dut.check("op_entry_o", expected.operand.entry)?;
    dut.check("wt_valid_o", expected.weight.valid)?;
    dut.check("wt_addr_o", expected.weight.address)?;
    dut.check("wt_rows_o", expected.weight.rows)?;
    dut.check("wt_copy_o", expected.weight.copy)?;
    dut.check("wt_dest_o", expected.destination)?;
    dut.check("host_valid_o", expected.host.valid)?;
    dut.check("host_write_o", expected.host.write)?;
    dut.check("host_table_o", expected.host.table)?;
    dut.check("host_partition_o", expected.host.partition)?;
    dut.check("host_word_o", expected.host.word)?;
    dut.check("host_data_o", expected.host.data)
}
