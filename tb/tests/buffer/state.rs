//! Partitions alone and in a chain.

use heddle_sim::buffer::PartitionShape;
use heddle_sim::sliced::{MaskPlace, Network, SliceLayout};

use super::bench::*;
use super::random::*;
use crate::rtl::{check_mutants, faults, run_seeds};

#[test]
fn one_partition_follows_its_model() {
    run_seeds(|seed| random_state(&PARTITION, 1, shape_1(), seed));
}

/// Raw and packed rows, no mask slice.
fn shape_hybrid() -> PartitionShape {
    PartitionShape {
        layout: SliceLayout {
            latency: 5,
            ..SliceLayout::new(16, [5, 3]).with_mask(MaskPlace::Hybrid)
        },
        ..shape(2, 4)
    }
}

/// Three slices of half bytes, written exactly, packed to the right.
fn shape_halves() -> PartitionShape {
    let layout = SliceLayout {
        unit_bits: 4,
        exact: true,
        right: true,
        access_threshold: 1,
        latency: 5,
        ..SliceLayout::new(16, [3, 5, 8])
    };
    PartitionShape {
        layout,
        ..shape(2, 4)
    }
}

/// Bytes with a mask slice: packed to the right and written exactly, or by another network.
fn shape_bytes(network: Network) -> PartitionShape {
    let layout = SliceLayout {
        network,
        right: network == Network::Full,
        exact: network != Network::Half,
        latency: 5,
        ..SliceLayout::new(16, [4, 4])
    };
    PartitionShape {
        layout,
        ..shape(2, 4)
    }
}

/// Layouts that differ in everything that a partition sees: mask, number of slices, units, network.
#[proves("SPM-45")]
#[test]
fn partitions_of_other_layouts_follow_their_models() {
    let bytes = [Network::Full, Network::Half, Network::Split].map(shape_bytes);
    for shape in [shape_hybrid(), shape_halves()].into_iter().chain(bytes) {
        let sources = partition(&shape);
        run_seeds(|seed| random_state(&sources, 1, shape.clone(), seed));
    }
}

#[proves("SPM-45")]
#[test]
fn faults_of_other_layouts_are_noticed() {
    let mutants = r"
        heddle_sliced_bank: half_rmask[2*i] | half_rmask[2*i+1] => half_rmask[2*i]
        heddle_banks: bank_nz) => bank_nz | 16'd1)
        heddle_partition: ev_slice_read_i[10*i+:10] => ev_slice_read_i[0+:10]";
    check_mutants(
        &partition(&shape_halves()),
        &faults(mutants),
        |sources, seed| random_state(sources, 1, shape_halves(), seed),
    );
}

#[test]
fn chain_of_partitions_follows_its_model() {
    run_seeds(|seed| random_state(&STATE_3, 3, shape_3(), seed));
}

/// Traffic in which no read meets the write of its word.
#[test]
fn partitions_without_a_bypass_follow_their_models() {
    let mut plain = shape_1();
    plain.layout.plain = true;
    let bytes = [Network::Full, Network::Half].map(shape_bytes);
    let shapes = [shape_1(), plain, shape_hybrid(), shape_halves()];
    for shape in shapes.into_iter().chain(bytes).map(without_bypass) {
        let sources = partition(&shape);
        run_seeds(|seed| random_state(&sources, 1, shape.clone(), seed));
    }
}

#[test]
fn faults_of_a_partition_are_noticed() {
    let mutants = r"
        heddle_operand_reader: & !kept_is_written => & 1'b1
        heddle_operand_reader: & !fresh_i => & 1'b1
        heddle_operand_reader: > thr_q => >= thr_q
        heddle_operand_reader: zero_q <= valid_q[5] & !is_nz => zero_q <= !is_nz
        heddle_operand_reader: if (valid_q[5] & is_nz) x_q => if (valid_q[5]) x_q
        heddle_operand_reader: found = kept_mask_q[3] => found = kept_mask_q[2]
        heddle_operand_reader: position > 3'd2 => position > 3'd1
        heddle_operand_reader: (write_valid_i[1] & => (1'b0 &
        heddle_banks: wanted[i] & !op_take[i] => wanted[i]
        heddle_partition: op_rows_i - 9'd1 => op_rows_i
        // The row's offset is not added, added to slots without table, added without its valid bit;
        // no fault, a fault of an inactive row, a read beyond the memory.
        heddle_row_offset: addr_q <= sum[15:0] => addr_q <= addr_i
        heddle_row_offset: if (is_added_q) => if (1'b1)
        heddle_row_offset: has_address = entry[16] => has_address = 1'b1
        heddle_row_offset: beyond_o = beyond => beyond_o = 1'b0
        heddle_row_offset: valid_q <= active_q & has_address & !beyond => valid_q <= active_q & has_address
        heddle_partition: op_fault_i |  =>
        // Copies are shifted in, written by rows that take no part, or a cycle late; weights are copied.
        heddle_partition: wt_valid_q & !wt_copy_q => wt_valid_q
        heddle_partition: wt_is_active & wt_copy_i => wt_valid_i & wt_copy_i
        heddle_partition: write_word = wt_dest_i => write_word = wt_dest_q
        heddle_partition: wt_is_active & wt_copy_i => wt_is_active";
    check_mutants(&PARTITION, &faults(mutants), |sources, seed| {
        random_state(sources, 1, shape_1(), seed)
    });
}

/// The last of four banks is the input buffer.
fn shape_input() -> PartitionShape {
    PartitionShape {
        input_banks: 1,
        ..shape(4, 5)
    }
}

#[proves("PET-60", "PET-61")]
#[test]
fn only_the_host_writes_input_banks_or_reaches_program_banks() {
    for (banks, input_banks, program_banks) in [(4, 2, 0), (4, 0, 1), (8, 1, 2)] {
        let shape = PartitionShape {
            input_banks,
            program_banks,
            ..shape(banks, 5)
        };
        let sources = partition(&shape);
        run_seeds(|seed| random_state(&sources, 1, shape.clone(), seed));
    }
}

#[proves("PET-60")]
#[test]
fn faults_of_a_partition_with_a_program_bank_are_noticed() {
    let shape = PartitionShape {
        program_banks: 1,
        ..shape(4, 5)
    };
    let mutants = r"
        // Drains and copies may write there, sums with offsets lead there.
        heddle_banks: write_i & (host_write_i | (write_bank < 13'd3)) => write_i
        heddle_row_offset: >= 13'd48 => >= 13'd64
        // The host reads another word.
        heddle_banks: raddr[51:39] = host_word_i => raddr[51:39] = op_word_i";
    check_mutants(&partition(&shape), &faults(mutants), |sources, seed| {
        random_state(sources, 1, shape.clone(), seed)
    });
}

#[proves("PET-61")]
#[test]
fn faults_of_a_partition_with_an_input_bank_are_noticed() {
    let mutants = r"
        // The drain may write there, in the place of the host or beside it; the host writes beside the drain.
        heddle_banks: write_i & (host_write_i | (write_bank < 13'd3)) => write_i
        heddle_banks: (host_write_i | (write_bank < 13'd3)) => (write_bank < 13'd3)
        heddle_partition: banks_host_write = !dr_valid_i & => banks_host_write =
        // Weights may be read from there: the word of the bank below, or the bank's own.
        heddle_banks: wt_bank == 13'd2 => wt_bank >= 13'd2
        heddle_banks: wanted[3] = host_read_i & (host_bank == 13'd3) & !wt_read_i => wanted[3] = wt_read_i ? wt_bank == 13'd3 : host_read_i & (host_bank == 13'd3)
        // The host's word is read instead of the operand's.
        heddle_banks: op_take[3] ? op_word_i => 1'b0 ? op_word_i";
    check_mutants(
        &partition(&shape_input()),
        &faults(mutants),
        |sources, seed| random_state(sources, 1, shape_input(), seed),
    );
}
