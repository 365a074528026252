//! What a partition does in a clock: waves, writes, operands, weights, answers, events.

use super::Partition;
use crate::buffer::READ_CYCLES;
use heddle_kernel::prelude::*;

#[kernel]
impl Partition {
    fn update(&mut self) {
        self.waves();
        self.write();
        self.address();
        self.operands();
        self.memory();
        self.weights();
        self.answers();
        self.hides();
        self.events();
    }

    /// What travels on, one row less to be served.
    fn waves(&mut self) {
        self.op.pass_on(rows = 0.into());
        if self.op_i.rows.any() {
            self.op.rows = self.op_i.rows - 1;
        }
        self.op_fault = self.op_fault_i | self.row_offset.beyond_o;
        self.op_fault_o = self.op_fault;
        self.wt.pass_on(rows = 0.into());
        if self.wt_i.rows.any() {
            self.wt.rows = self.wt_i.rows - 1;
        }
        self.host.pass_on(partition = self.host_i.partition - 1);
    }

    /// Writes: drain words go first, then copies.
    fn write(&mut self) {
        self.host_is_mine = self.host_i.valid & (self.host_i.partition == 0);
        self.host_is_here = self.host_is_mine & !self.host_i.table;
        self.write.valid =
            self.dr_i.valid | self.copy[READ_CYCLES] | (self.host_is_here & self.host_i.write);
        let copies = self.copy[READ_CYCLES];
        let host_writes = self.host_is_here & self.host_i.write;
        self.one_writer.holds_i =
            !((self.dr_i.valid & (copies | host_writes)) | (copies & host_writes));
        self.write.word = self.host_i.word;
        self.write.data.follow(&self.host_i.data);
        if self.copy[READ_CYCLES] {
            self.write.word = self.wt_i.dest;
            self.write.data.follow(&self.word);
        }
        if self.dr_i.valid {
            self.write.word = self.dr_i.word;
            self.write.data.follow(&self.dr_i.data);
        }
    }

    /// The row's own address, two cycles after the slot.
    fn address(&mut self) {
        self.row_offset.active_i = self.op_i.valid & self.op_i.rows.any();
        self.row_offset.table_i = self.op_i.table;
        self.row_offset.entry_i = self.op_i.entry;
        self.row_offset.addr_i = self.op.addr;
        self.row_offset.thr_i = self.op.thr;
        self.row_offset.fresh_i = self.op.fresh;
        self.row_offset.swap_i = self.op.swap;
        self.row_offset.wen_i = self.host_is_mine & self.host_i.table & self.host_i.write;
        self.row_offset.wentry_i = self.host_i.word.get_bits::<8>(0);
        self.row_offset.wdata_i = (self.host_i.data[2].get_bits::<17>(0) << 16)
            | (self.host_i.data[1].get_bits::<17>(0) << 8)
            | self.host_i.data[0].get_bits::<17>(0);
    }

    /// Operands for the array.
    fn operands(&mut self) {
        self.op_word = self.row_offset.addr_o.get_bits::<13>(3);
        self.reader.valid_i = self.row_offset.valid_o;
        self.reader.addr_i = self.row_offset.addr_o;
        self.reader.thr_i = self.row_offset.thr_o;
        self.reader.fresh_i = self.row_offset.fresh_o;
        self.reader.swap_i = self.row_offset.swap_o;
        // Each source has a comparator of its own: they are compared before one of them is chosen.
        self.reader.write_valid_i[0] = self.dr_i.valid;
        self.reader.write_word_i[0] = self.dr_i.word;
        self.reader.write_valid_i[1] = self.copy[READ_CYCLES] & !self.dr_i.valid;
        self.reader.write_word_i[1] = self.wt_i.dest;
        self.reader.write_valid_i[2] =
            self.host_is_here & self.host_i.write & !self.dr_i.valid & !self.copy[READ_CYCLES];
        self.reader.write_word_i[2] = self.host_i.word;
        self.reader.word_i.follow(&self.banks.op_data_o);
        self.reader.mask_i.follow(&self.banks.op_mask_o);
        self.ports_o.x = self.reader.x_o;
        self.ports_o.nz = self.reader.nz_o;
        self.ports_o.swap = self.reader.swap_o;
    }

    /// Accesses to the banks.
    fn memory(&mut self) {
        self.wt_word = self.wt_i.addr.get_bits::<13>(3);
        self.wt_is_active = self.wt_i.valid & self.wt_i.rows.any();
        self.host_reads = self.host_is_here & !self.host_i.write;
        self.banks.op_read_i = self.reader.read_o;
        self.banks.op_word_i = self.op_word;
        self.banks.wt_read_i = self.wt_is_active;
        self.banks.wt_word_i = self.wt_word;
        self.banks.host_read_i = self.host_reads;
        self.banks.host_word_i = self.host_i.word;
        self.banks.write_i = self.write.valid;
        self.banks.write_word_i = self.write.word;
        self.banks.write_data_i.follow(&self.write.data);
        for i in 0..self._has_host {
            self.banks.host_write_i[i] = !self.dr_i.valid & !self.copy[READ_CYCLES];
        }
    }

    /// Weight words, shifted in or copied.
    fn weights(&mut self) {
        self.word.follow(&self.banks.data_o);
        self.ports_o.w.follow(&self.word);
        self.shift.shift_in(self.wt.valid & !self.wt.copy);
        self.ports_o.shift = self.shift[READ_CYCLES - 1];

        self.copy.shift_in(self.wt_is_active & self.wt_i.copy);
    }

    /// Answers to the host.
    fn answers(&mut self) {
        self.answer.shift_in(self.host_reads);
        self.host_ports.rvalid = self.host_ports_i.rvalid | self.answer[READ_CYCLES];
        if self._has_program > 0 {
            self.data_answer[0].shift_in(
                self.host_reads & (self.host_i.word < self._operand_words.to_bits::<13>()),
            );
            self.own_answer = self.data_answer[0][READ_CYCLES];
            self.program_word[0].follow(&self.banks.program_data_o[0]);
        } else {
            self.own_answer = self.answer[READ_CYCLES];
        }
        for k in 0..8 {
            self.answer_word[k] = mux(self.own_answer, self.word[k], 0.into());
            let answer = self.host_ports_i.rdata[k] | self.answer_word[k];
            if self._has_program > 0 {
                self.host_ports.rdata[k] = answer | self.program_word[0][k];
            } else {
                self.host_ports.rdata[k] = answer;
            }
        }
        self.host_ports_o.follow(&self.host_ports);
    }

    /// Accesses of the host, on their way to the slices.
    fn hides(&mut self) {
        for _i in 0..self._quiet {
            self.hides_write[0] = self.host_is_here & self.host_i.write;
            self.host_wrote.shift_in(self.hides_write[0]);
            for t in 0..self._last_access {
                self.hides_write[t + 1].follow(&self.host_wrote[t]);
            }
            for b in 0..self._data {
                self.hides_read[b][0].follow(&self.banks.host_take_o[b]);
                self.host_took[b].shift_in(self.banks.host_take_o[b]);
                for t in 0..self._last_access {
                    self.hides_read[b][t + 1].follow(&self.host_took[b][t]);
                }
            }
        }
    }

    /// Events of this row are added to those of the rows before.
    fn events(&mut self) {
        for i in 0..self._told {
            self.ev_mask_read[i].total_i = self.ev_i.mask_read[i];
            self.ev_o.mask_read[i] = self.ev_mask_read[i].total_o;
            self.ev_mask_write[i].total_i = self.ev_i.mask_write[i];
            self.ev_o.mask_write[i] = self.ev_mask_write[i].total_o;
            self.ev_zero[i].total_i = self.ev_i.zero[i];
            self.ev_zero[i].event_i[0] = self.reader.zero_o[i];
            self.ev_o.zero[i] = self.ev_zero[i].total_o;
            if self._quiet > 0 {
                for b in 0..self._data {
                    let cycle = self._shape.input_stages();
                    self.ev_mask_read[i].event_i[b] =
                        self.banks.mask_read_o[b] & !self.hides_read[b][cycle];
                    self.ev_mask_write[i].event_i[b] =
                        self.banks.mask_write_o[b] & !self.hides_write[cycle];
                }
            } else {
                self.ev_mask_read[i].event_i.follow(&self.banks.mask_read_o);
                self.ev_mask_write[i]
                    .event_i
                    .follow(&self.banks.mask_write_o);
            }
            for k in 0..self._slices {
                self.ev_slice_read[k].total_i = self.ev_i.slice_read[k];
                self.ev_o.slice_read[k] = self.ev_slice_read[k].total_o;
                self.ev_slice_write[k].total_i = self.ev_i.slice_write[k];
                self.ev_o.slice_write[k] = self.ev_slice_write[k].total_o;
                for b in 0..self._data {
                    if self._quiet > 0 {
                        let cycle = self._shape.access_cycles(k);
                        self.ev_slice_read[k].event_i[b] =
                            self.banks.slice_read_o[b][k] & !self.hides_read[b][cycle];
                        self.ev_slice_write[k].event_i[b] =
                            self.banks.slice_write_o[b][k] & !self.hides_write[cycle];
                    } else {
                        self.ev_slice_read[k].event_i[b] = self.banks.slice_read_o[b][k];
                        self.ev_slice_write[k].event_i[b] = self.banks.slice_write_o[b][k];
                    }
                }
            }
        }
    }
}
