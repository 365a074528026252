//! What a partition does in a clock: waves, writes, operands, weights, answers, events.

use super::Partition;
use crate::prelude::*;

impl Logic for Partition {
    #[hdl_gen]
    fn update(&mut self) {
        // The waves
        self.op_valid.clk.next = self.clk.val();
        self.op_valid.rst_n.next = self.rst_n.val();
        self.op_valid.d_i.next = self.op_valid_i.val();
        self.op_valid_o.next = self.op_valid.q_o.val();
        self.op_addr.clk.next = self.clk.val();
        self.op_addr.d_i.next = self.op_addr_i.val();
        self.op_addr_o.next = self.op_addr.q_o.val();
        self.op_rows.clk.next = self.clk.val();
        self.op_rows.d_i.next = 0.into();
        if self.op_rows_i.val().any() {
            self.op_rows.d_i.next = self.op_rows_i.val() - 1;
        }
        self.op_rows_o.next = self.op_rows.q_o.val();
        self.op_thr.clk.next = self.clk.val();
        self.op_thr.d_i.next = self.op_thr_i.val();
        self.op_thr_o.next = self.op_thr.q_o.val();
        self.op_fresh.clk.next = self.clk.val();
        self.op_fresh.d_i.next = self.op_fresh_i.val();
        self.op_fresh_o.next = self.op_fresh.q_o.val();
        self.op_swap.clk.next = self.clk.val();
        self.op_swap.rst_n.next = self.rst_n.val();
        self.op_swap.d_i.next = self.op_swap_i.val();
        self.op_swap_o.next = self.op_swap.q_o.val();
        self.op_tag.clk.next = self.clk.val();
        self.op_tag.rst_n.next = self.rst_n.val();
        self.op_tag.d_i.next = self.op_tag_i.val();
        self.op_tag_o.next = self.op_tag.q_o.val();
        self.op_table.clk.next = self.clk.val();
        self.op_table.d_i.next = self.op_table_i.val();
        self.op_table_o.next = self.op_table.q_o.val();
        self.op_entry.clk.next = self.clk.val();
        self.op_entry.d_i.next = self.op_entry_i.val();
        self.op_entry_o.next = self.op_entry.q_o.val();
        self.op_fault.clk.next = self.clk.val();
        self.op_fault.rst_n.next = self.rst_n.val();
        self.op_fault.d_i.next = self.op_fault_i.val() | self.row_offset.beyond_o.val();
        self.op_fault_o.next = self.op_fault.q_o.val();
        self.wt_valid.clk.next = self.clk.val();
        self.wt_valid.rst_n.next = self.rst_n.val();
        self.wt_valid.d_i.next = self.wt_valid_i.val();
        self.wt_valid_o.next = self.wt_valid.q_o.val();
        self.wt_addr.clk.next = self.clk.val();
        self.wt_addr.d_i.next = self.wt_addr_i.val();
        self.wt_addr_o.next = self.wt_addr.q_o.val();
        self.wt_rows.clk.next = self.clk.val();
        self.wt_rows.d_i.next = 0.into();
        if self.wt_rows_i.val().any() {
            self.wt_rows.d_i.next = self.wt_rows_i.val() - 1;
        }
        self.wt_rows_o.next = self.wt_rows.q_o.val();
        self.wt_copy.clk.next = self.clk.val();
        self.wt_copy.d_i.next = self.wt_copy_i.val();
        self.wt_copy_o.next = self.wt_copy.q_o.val();
        self.wt_dest.clk.next = self.clk.val();
        self.wt_dest.d_i.next = self.wt_dest_i.val();
        self.wt_dest_o.next = self.wt_dest.q_o.val();
        self.host_valid.clk.next = self.clk.val();
        self.host_valid.rst_n.next = self.rst_n.val();
        self.host_valid.d_i.next = self.host_valid_i.val();
        self.host_valid_o.next = self.host_valid.q_o.val();
        self.host_write.clk.next = self.clk.val();
        self.host_write.d_i.next = self.host_write_i.val();
        self.host_write_o.next = self.host_write.q_o.val();
        self.host_table.clk.next = self.clk.val();
        self.host_table.d_i.next = self.host_table_i.val();
        self.host_table_o.next = self.host_table.q_o.val();
        self.host_partition.clk.next = self.clk.val();
        self.host_partition.d_i.next = self.host_partition_i.val() - 1;
        self.host_partition_o.next = self.host_partition.q_o.val();
        self.host_word.clk.next = self.clk.val();
        self.host_word.d_i.next = self.host_word_i.val();
        self.host_word_o.next = self.host_word.q_o.val();
        for k in 0..8 {
            self.host_data[k].clk.next = self.clk.val();
            self.host_data[k].d_i.next = self.host_data_i[k].val();
            self.host_data_o[k].next = self.host_data[k].q_o.val();
        }

        // Writes: drain words go first, then copies
        self.host_is_mine.next = self.host_valid_i.val() & (self.host_partition_i.val() == 0);
        self.host_is_here.next = self.host_is_mine.val() & !self.host_table_i.val();
        self.write_valid.next = self.dr_valid_i.val()
            | self.copy[2].q_o.val()
            | (self.host_is_here.val() & self.host_write_i.val());
        self.write_word.next = self.host_word_i.val();
        for k in 0..8 {
            self.write_data[k].next = self.host_data_i[k].val();
        }
        if self.copy[2].q_o.val() {
            self.write_word.next = self.wt_dest_i.val();
            for k in 0..8 {
                self.write_data[k].next = self.weight[k].q_o.val();
            }
        }
        if self.dr_valid_i.val() {
            self.write_word.next = self.dr_word_i.val();
            for k in 0..8 {
                self.write_data[k].next = self.dr_data_i[k].val();
            }
        }

        // The row's own address, two cycles behind the slot
        self.row_offset.clk.next = self.clk.val();
        self.row_offset.rst_n.next = self.rst_n.val();
        self.row_offset.active_i.next = self.op_valid_i.val() & self.op_rows_i.val().any();
        self.row_offset.table_i.next = self.op_table_i.val();
        self.row_offset.entry_i.next = self.op_entry_i.val();
        self.row_offset.addr_i.next = self.op_addr.q_o.val();
        self.row_offset.thr_i.next = self.op_thr.q_o.val();
        self.row_offset.fresh_i.next = self.op_fresh.q_o.val();
        self.row_offset.swap_i.next = self.op_swap.q_o.val();
        self.row_offset.wen_i.next =
            self.host_is_mine.val() & self.host_table_i.val() & self.host_write_i.val();
        self.row_offset.wentry_i.next = self.host_word_i.val().get_bits::<8>(0);
        self.row_offset.wdata_i.next = (self.host_data_i[2].val().get_bits::<17>(0) << 16)
            | (self.host_data_i[1].val().get_bits::<17>(0) << 8)
            | self.host_data_i[0].val().get_bits::<17>(0);

        // Operands
        self.op_word.next = self.row_offset.addr_o.val().get_bits::<13>(3);
        self.reader.clk.next = self.clk.val();
        self.reader.rst_n.next = self.rst_n.val();
        self.reader.valid_i.next = self.row_offset.valid_o.val();
        self.reader.addr_i.next = self.row_offset.addr_o.val();
        self.reader.thr_i.next = self.row_offset.thr_o.val();
        self.reader.fresh_i.next = self.row_offset.fresh_o.val();
        self.reader.swap_i.next = self.row_offset.swap_o.val();
        self.reader.write_valid_i.next = self.write_valid.val();
        self.reader.write_word_i.next = self.write_word.val();
        for k in 0..8 {
            self.reader.word_i[k].next = self.banks.op_data_o[k].val();
            self.reader.mask_i[k].next = self.banks.op_mask_o[k].val();
        }
        self.x_o.next = self.reader.x_o.val();
        self.nz_o.next = self.reader.nz_o.val();
        self.swap_o.next = self.reader.swap_o.val();

        // Memory
        self.wt_word.next = self.wt_addr_i.val().get_bits::<13>(3);
        self.wt_is_active.next = self.wt_valid_i.val() & self.wt_rows_i.val().any();
        self.host_reads.next = self.host_is_here.val() & !self.host_write_i.val();
        self.banks.clk.next = self.clk.val();
        self.banks.rst_n.next = self.rst_n.val();
        self.banks.op_read_i.next = self.reader.read_o.val();
        self.banks.op_word_i.next = self.op_word.val();
        self.banks.wt_read_i.next = self.wt_is_active.val();
        self.banks.wt_word_i.next = self.wt_word.val();
        self.banks.host_read_i.next = self.host_reads.val();
        self.banks.host_word_i.next = self.host_word_i.val();
        self.banks.write_i.next = self.write_valid.val();
        self.banks.write_word_i.next = self.write_word.val();
        for k in 0..8 {
            self.banks.write_data_i[k].next = self.write_data[k].val();
        }
        for i in 0..self._has_host {
            self.banks.host_write_i[i].next = self.host_is_here.val()
                & self.host_write_i.val()
                & !self.dr_valid_i.val()
                & !self.copy[2].q_o.val();
            for k in 0..8 {
                self.banks.host_data_i[i][k].next = self.host_data_i[k].val();
            }
        }

        // Weights
        for k in 0..8 {
            self.weight[k].clk.next = self.clk.val();
            self.weight[k].d_i.next = self.banks.wt_data_o[k].val();
            self.w_o[k].next = self.weight[k].q_o.val();
        }
        self.shift[0].clk.next = self.clk.val();
        self.shift[0].rst_n.next = self.rst_n.val();
        self.shift[0].d_i.next = self.wt_valid.q_o.val() & !self.wt_copy.q_o.val();
        self.shift[1].clk.next = self.clk.val();
        self.shift[1].rst_n.next = self.rst_n.val();
        self.shift[1].d_i.next = self.shift[0].q_o.val();
        self.shift_o.next = self.shift[1].q_o.val();

        self.copy[0].d_i.next = self.wt_is_active.val() & self.wt_copy_i.val();
        for i in 0..3 {
            self.copy[i].clk.next = self.clk.val();
            self.copy[i].rst_n.next = self.rst_n.val();
        }
        for i in 0..2 {
            self.copy[i + 1].d_i.next = self.copy[i].q_o.val();
        }

        // Answers to the host
        self.answer[0].d_i.next = self.host_reads.val();
        for i in 0..3 {
            self.answer[i].clk.next = self.clk.val();
            self.answer[i].rst_n.next = self.rst_n.val();
        }
        for i in 0..2 {
            self.answer[i + 1].d_i.next = self.answer[i].q_o.val();
        }
        self.host_rvalid.clk.next = self.clk.val();
        self.host_rvalid.rst_n.next = self.rst_n.val();
        self.host_rvalid.d_i.next = self.host_rvalid_i.val() | self.answer[2].q_o.val();
        self.host_rvalid_o.next = self.host_rvalid.q_o.val();
        for k in 0..8 {
            self.answer_word[k].clk.next = self.clk.val();
            self.answer_word[k].d_i.next = self.banks.host_data_o[k].val();
            self.host_rdata[k].clk.next = self.clk.val();
            self.host_rdata[k].d_i.next =
                self.host_rdata_i[k].val() | self.answer_word[k].q_o.val();
            self.host_rdata_o[k].next = self.host_rdata[k].q_o.val();
        }

        // Events
        self.ev_mask_read.clk.next = self.clk.val();
        self.ev_mask_read.rst_n.next = self.rst_n.val();
        self.ev_mask_read.total_i.next = self.ev_mask_read_i.val();
        self.ev_mask_read_o.next = self.ev_mask_read.total_o.val();
        self.ev_mask_write.clk.next = self.clk.val();
        self.ev_mask_write.rst_n.next = self.rst_n.val();
        self.ev_mask_write.total_i.next = self.ev_mask_write_i.val();
        self.ev_mask_write_o.next = self.ev_mask_write.total_o.val();
        self.ev_zero.clk.next = self.clk.val();
        self.ev_zero.rst_n.next = self.rst_n.val();
        self.ev_zero.total_i.next = self.ev_zero_i.val();
        self.ev_zero.event_i[0].next = self.reader.zero_o.val();
        self.ev_zero_o.next = self.ev_zero.total_o.val();
        for b in 0..self._data {
            self.ev_mask_read.event_i[b].next = self.banks.mask_read_o[b].val();
            self.ev_mask_write.event_i[b].next = self.banks.mask_write_o[b].val();
        }
        for k in 0..self._slices {
            self.ev_slice_read[k].clk.next = self.clk.val();
            self.ev_slice_read[k].rst_n.next = self.rst_n.val();
            self.ev_slice_read[k].total_i.next = self.ev_slice_read_i[k].val();
            self.ev_slice_read_o[k].next = self.ev_slice_read[k].total_o.val();
            self.ev_slice_write[k].clk.next = self.clk.val();
            self.ev_slice_write[k].rst_n.next = self.rst_n.val();
            self.ev_slice_write[k].total_i.next = self.ev_slice_write_i[k].val();
            self.ev_slice_write_o[k].next = self.ev_slice_write[k].total_o.val();
            for b in 0..self._data {
                self.ev_slice_read[k].event_i[b].next = self.banks.slice_read_o[b][k].val();
                self.ev_slice_write[k].event_i[b].next = self.banks.slice_write_o[b][k].val();
            }
        }
    }
    module!(|this| {
        let partition = Meta::module("partition")
            .param("banks", "b", this._banks, "banks")
            .feature(
                "input_banks",
                "in",
                this._input_banks,
                "the last banks, which are the input buffer",
            )
            .silent("has_host", this._has_host)
            .silent("data", this._data)
            .feature(
                "program_banks",
                "pr",
                this._program_banks,
                "the very last banks, which hold the program",
            )
            .param("offsets", "e", this._offsets, "entries of the offset table");
        let partition = match this._input_banks {
            0 => partition,
            _ => partition.doc(
                "Of the input buffer no weights are read; drain words for it are not written.",
            ),
        };
        let partition = match this._program_banks {
            0 => partition,
            _ => partition.doc("Nothing but the host path reaches the program."),
        };
        this._shape.describe_kind(partition)
    });
}
