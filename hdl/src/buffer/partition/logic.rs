//! What a partition does in a clock: waves, writes, operands, weights, answers, events.

use super::Partition;
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
        self.events();
    }

    /// What travels on, one row less to be served.
    fn waves(&mut self) {
        self.op.pass_on(rows = 0.into());
        if self.op_i.rows.val().any() {
            self.op.rows.d_i.next = self.op_i.rows.val() - 1;
        }
        self.op_fault.d_i.next = self.op_fault_i.val() | self.row_offset.beyond_o.val();
        self.op_fault_o.next = self.op_fault.q_o.val();
        self.wt.pass_on(rows = 0.into());
        if self.wt_i.rows.val().any() {
            self.wt.rows.d_i.next = self.wt_i.rows.val() - 1;
        }
        self.host
            .pass_on(partition = self.host_i.partition.val() - 1);
    }

    /// Writes: drain words go first, then copies.
    fn write(&mut self) {
        self.host_is_mine.next = self.host_i.valid.val() & (self.host_i.partition.val() == 0);
        self.host_is_here.next = self.host_is_mine.val() & !self.host_i.table.val();
        self.write.valid.next = self.dr_i.valid.val()
            | self.copy[2].q_o.val()
            | (self.host_is_here.val() & self.host_i.write.val());
        self.write.word.next = self.host_i.word.val();
        self.write.data.follow(&self.host_i.data);
        if self.copy[2].q_o.val() {
            self.write.word.next = self.wt_i.dest.val();
            self.write.data.follow(&self.weight);
        }
        if self.dr_i.valid.val() {
            self.write.word.next = self.dr_i.word.val();
            self.write.data.follow(&self.dr_i.data);
        }
    }

    /// The row's own address, two cycles behind the slot.
    fn address(&mut self) {
        self.row_offset.active_i.next = self.op_i.valid.val() & self.op_i.rows.val().any();
        self.row_offset.table_i.next = self.op_i.table.val();
        self.row_offset.entry_i.next = self.op_i.entry.val();
        self.row_offset.addr_i.next = self.op.addr.q_o.val();
        self.row_offset.thr_i.next = self.op.thr.q_o.val();
        self.row_offset.fresh_i.next = self.op.fresh.q_o.val();
        self.row_offset.swap_i.next = self.op.swap.q_o.val();
        self.row_offset.wen_i.next =
            self.host_is_mine.val() & self.host_i.table.val() & self.host_i.write.val();
        self.row_offset.wentry_i.next = self.host_i.word.val().get_bits::<8>(0);
        self.row_offset.wdata_i.next = (self.host_i.data[2].val().get_bits::<17>(0) << 16)
            | (self.host_i.data[1].val().get_bits::<17>(0) << 8)
            | self.host_i.data[0].val().get_bits::<17>(0);
    }

    /// Operands for the array.
    fn operands(&mut self) {
        self.op_word.next = self.row_offset.addr_o.val().get_bits::<13>(3);
        self.reader.valid_i.next = self.row_offset.valid_o.val();
        self.reader.addr_i.next = self.row_offset.addr_o.val();
        self.reader.thr_i.next = self.row_offset.thr_o.val();
        self.reader.fresh_i.next = self.row_offset.fresh_o.val();
        self.reader.swap_i.next = self.row_offset.swap_o.val();
        self.reader.write_valid_i.next = self.write.valid.val();
        self.reader.write_word_i.next = self.write.word.val();
        self.reader.word_i.follow(&self.banks.op_data_o);
        self.reader.mask_i.follow(&self.banks.op_mask_o);
        self.x_o.next = self.reader.x_o.val();
        self.nz_o.next = self.reader.nz_o.val();
        self.swap_o.next = self.reader.swap_o.val();
    }

    /// Accesses to the banks.
    fn memory(&mut self) {
        self.wt_word.next = self.wt_i.addr.val().get_bits::<13>(3);
        self.wt_is_active.next = self.wt_i.valid.val() & self.wt_i.rows.val().any();
        self.host_reads.next = self.host_is_here.val() & !self.host_i.write.val();
        self.banks.op_read_i.next = self.reader.read_o.val();
        self.banks.op_word_i.next = self.op_word.val();
        self.banks.wt_read_i.next = self.wt_is_active.val();
        self.banks.wt_word_i.next = self.wt_word.val();
        self.banks.host_read_i.next = self.host_reads.val();
        self.banks.host_word_i.next = self.host_i.word.val();
        self.banks.write_i.next = self.write.valid.val();
        self.banks.write_word_i.next = self.write.word.val();
        self.banks.write_data_i.follow(&self.write.data);
        for i in 0..self._has_host {
            self.banks.host_write_i[i].next = self.host_is_here.val()
                & self.host_i.write.val()
                & !self.dr_i.valid.val()
                & !self.copy[2].q_o.val();
            self.banks.host_data_i[i].follow(&self.host_i.data);
        }
    }

    /// Weight words, shifted in or copied.
    fn weights(&mut self) {
        self.weight.follow(&self.banks.wt_data_o);
        self.w_o.follow(&self.weight);
        self.shift
            .shift_in(self.wt.valid.q_o.val() & !self.wt.copy.q_o.val());
        self.shift_o.next = self.shift[1].q_o.val();

        self.copy
            .shift_in(self.wt_is_active.val() & self.wt_i.copy.val());
    }

    /// Answers to the host.
    fn answers(&mut self) {
        self.answer.shift_in(self.host_reads.val());
        self.host_rvalid.d_i.next = self.host_rvalid_i.val() | self.answer[2].q_o.val();
        self.host_rvalid_o.next = self.host_rvalid.q_o.val();
        for k in 0..8 {
            self.answer_word[k].d_i.next = self.banks.host_data_o[k].val();
            self.host_rdata[k].d_i.next =
                self.host_rdata_i[k].val() | self.answer_word[k].q_o.val();
            self.host_rdata_o[k].next = self.host_rdata[k].q_o.val();
        }
    }

    /// Events of this row are added to those of the rows before.
    fn events(&mut self) {
        self.ev_mask_read.total_i.next = self.ev_mask_read_i.val();
        self.ev_mask_read_o.next = self.ev_mask_read.total_o.val();
        self.ev_mask_write.total_i.next = self.ev_mask_write_i.val();
        self.ev_mask_write_o.next = self.ev_mask_write.total_o.val();
        self.ev_zero.total_i.next = self.ev_zero_i.val();
        self.ev_zero.event_i[0].next = self.reader.zero_o.val();
        self.ev_zero_o.next = self.ev_zero.total_o.val();
        self.ev_mask_read.event_i.follow(&self.banks.mask_read_o);
        self.ev_mask_write.event_i.follow(&self.banks.mask_write_o);
        for k in 0..self._slices {
            self.ev_slice_read[k].total_i.next = self.ev_slice_read_i[k].val();
            self.ev_slice_read_o[k].next = self.ev_slice_read[k].total_o.val();
            self.ev_slice_write[k].total_i.next = self.ev_slice_write_i[k].val();
            self.ev_slice_write_o[k].next = self.ev_slice_write[k].total_o.val();
            for b in 0..self._data {
                self.ev_slice_read[k].event_i[b].next = self.banks.slice_read_o[b][k].val();
                self.ev_slice_write[k].event_i[b].next = self.banks.slice_write_o[b][k].val();
            }
        }
    }
}
