//! Everything in a core of 4 x 3 with 16-bit addresses and every option that holds state, with the
//! reason why it may: nothing of it is a width, height, stride, dilation, filter or layout.

/// Number of rows, taps, channels or slots, or how many of them are left.
const COUNT: &str = "count";
/// Where a tensor or a list begins.
const ORIGIN: &str = "origin";
/// An entry of a table: in it, held by a row, or on its way; base plus offset is one too.
const ENTRY: &str = "entry";
/// The number of the entry that is read next.
const POINTER: &str = "pointer into a table";
/// The one pointer to weight words.
pub const WEIGHT_POINTER: &str = "weight pointer";
/// Base plus offset.
pub const ADDRESS: &str = "operand address";
/// A bit of a state machine, or a flag that travels with a slot.
const CONTROL: &str = "control";
/// MODE, UNIT_SHIFT and what is wrong with them.
const MODE: &str = "mode";
/// Row of the array, GEMM row or output channel of what is on its way.
const NUMBER: &str = "number of a row or channel";
/// Operands, weights, products, sums.
const DATA: &str = "data";
/// A write on its way into a memory, or a word address on its way to the next column.
const PIPELINE: &str = "write or word address on its way";
/// What the host tells the expander, and what it counts while no run is under way.
const EXPANDER: &str = "expander";
/// What a run has counted, for the host.
const COUNTER: &str = "event counter";
/// Modules, which have lists of their own.
const MODULE: &str = "module";

/// Kind of module, reason, registers and memories with their bits, modules with their copies.
pub const ALLOWED: [(&str, &str, &str); 107] = [
    // The unit: registers and tables.
    ("offsets_registers", ORIGIN, "a_origin_q 16"),
    // B_ORIGIN, T, K, N, BASE_PTR, OFFSET_PTR.
    ("offsets_registers", COUNT, "number_q 96"),
    // BASE_PTR + T, OFFSET_PTR + K.
    ("offsets_registers", COUNT, "end_q 34"),
    ("offsets_registers", MODE, "mode_q 3, mode_beyond_q 1"),
    ("offsets_registers", MODE, "shift_q 2, shift_beyond_q 1"),
    ("offsets", CONTROL, "busy_q 1, done_q 1, refused_q 1"),
    ("offsets", MODE, "error_q 3"),
    ("offsets", MODULE, "u_registers: offsets_registers x 1"),
    ("offsets", MODULE, "u_expander_0: offsets_expander x 1"),
    ("offsets", MODULE, "u_base_table: offsets_table x 1"),
    ("offsets", MODULE, "u_offset_table: offsets_table x 1"),
    ("offsets", MODULE, "u_sequencer: offsets_sequencer x 1"),
    ("offsets", MODULE, "u_entry: offsets_entry x 1"),
    ("offsets", MODULE, "u_head: offsets_head x 1"),
    ("offsets", MODULE, "u_row: offsets_rows x 1"),
    ("offsets", MODULE, "u_pass: offsets_pass x 1"),
    // 16 bits and two masks of 4; bases and offsets have tables of one size.
    ("offsets_table", ENTRY, "u_ram: ram 24 x 64 x 1"),
    // The expander: EX_TABLE, EX_ENTRY, EX_VALUE, three EX_COUNT, three EX_STEP.
    ("offsets_expander", EXPANDER, "of_bases_q 1, of_offsets_q 1"),
    (
        "offsets_expander",
        EXPANDER,
        "start_entry_q 16, start_value_q 16",
    ),
    ("offsets_expander", EXPANDER, "count_q 48, addend_q 48"),
    (
        "offsets_expander",
        EXPANDER,
        "busy_q 1, repeats_q 1, phase_q 2, left_q 51",
    ),
    ("offsets_expander", EXPANDER, "entry_q 17, source_q 16"),
    ("offsets_expander", ENTRY, "value_q 16, row_q 4, col_q 4"),
    // Order of the slots.
    (
        "offsets_sequencer",
        CONTROL,
        "active_q 1, loading_q 1, first_q 1",
    ),
    (
        "offsets_sequencer",
        CONTROL,
        "inner_first_q 1, outer_first_q 1",
    ),
    (
        "offsets_sequencer",
        COUNT,
        "rows_left_q 9, held_left_q 17, steps_left_q 17, cols_left_q 17",
    ),
    (
        "offsets_sequencer",
        POINTER,
        "held_entry_q 16, step_entry_q 16",
    ),
    // Entries on their way: read, shifted, origin or running sum added.
    (
        "offsets_entry",
        CONTROL,
        "valid_q 3, tag_q 21, origin_q 3, sum_q 3, keep_q 3",
    ),
    (
        "offsets_entry",
        ENTRY,
        "base_q 16, base_row_q 4, base_col_q 4",
    ),
    (
        "offsets_entry",
        ENTRY,
        "offset_q 16, offset_row_q 4, offset_col_q 4",
    ),
    ("offsets_entry", ENTRY, "value_q 16, row_q 4, col_q 4"),
    ("offsets_head", CONTROL, "valid_q 1, tag_q 7"),
    (
        "offsets_head",
        ENTRY,
        "value_q 16, row_q 4, col_q 4, sum_q 16",
    ),
    // Rows: the held entry, the address.
    ("offsets_rows", CONTROL, "last_step_q 1"),
    ("offsets_rows", MODULE, "gen_row[].u_row: offsets_row x 4"),
    (
        "offsets_rows",
        MODULE,
        "gen_wave[].u_wave: offsets_wave x 3",
    ),
    (
        "offsets_row",
        CONTROL,
        "took_q 1, enabled_q 1, valid_q 1, ren_q 1, first_q 1, last_q 1",
    ),
    (
        "offsets_row",
        ENTRY,
        "held_q 16, held_row_q 4, held_col_q 4",
    ),
    ("offsets_row", ADDRESS, "addr_q 16"),
    (
        "offsets_wave",
        CONTROL,
        "load_q 1, step_q 1, first_q 1, last_q 1, mark_q 1",
    ),
    ("offsets_wave", ENTRY, "value_q 16, row_q 4, col_q 4"),
    // Weight words and passes.
    ("offsets_pass", WEIGHT_POINTER, "b_addr_q 16"),
    (
        "offsets_pass",
        CONTROL,
        "b_valid_q 1, sum_first_q 1, sum_last_q 1",
    ),
    ("offsets_pass", NUMBER, "b_row_q 9, held_q 16, channel_q 16"),
    // The core.
    ("gemm", CONTROL, "done_q 1"),
    ("gemm", MODULE, "u_settings: gemm_settings x 1"),
    ("gemm", MODULE, "u_unit: offsets x 1"),
    ("gemm", MODULE, "u_head: gemm_head x 1"),
    ("gemm", MODULE, "u_rows_0: operand_rows x 1"),
    ("gemm", MODULE, "u_banks_0: operand_banks x 1"),
    ("gemm", MODULE, "u_skew_0: operand_skew x 1"),
    ("gemm", MODULE, "u_weights: weight_memory x 1"),
    ("gemm", MODULE, "u_array: dual_array x 1"),
    ("gemm", MODULE, "u_passes: pass_queue x 1"),
    ("gemm", MODULE, "u_result_head: result_head x 1"),
    ("gemm", MODULE, "u_results: results_buffer x 1"),
    ("gemm", MODULE, "gen_name[].u_name: result_name x 3"),
    ("gemm", MODULE, "u_counters: gemm_counters x 1"),
    // T and N for the results.
    ("gemm_settings", COUNT, "total_q 16, channels_q 16"),
    ("gemm_settings", MODE, "stay_q 1, each_q 1, refused_q 1"),
    ("gemm_head", COUNT, "gap_q 9, waiting_q 9"),
    (
        "gemm_head",
        CONTROL,
        "step_q 1, first_q 1, load_q 1, drain_q 1, tag_q 4, run_ends_q 1",
    ),
    ("gemm_head", MODE, "stay_q 1"),
    ("gemm_head", NUMBER, "row_q 9"),
    // Operand memories.
    ("operand_rows", MODULE, "gen_row[].u_row: operand_row x 4"),
    ("operand_row", DATA, "u_ram: ram 8 x 1024 x 1, x_q 8"),
    ("operand_row", CONTROL, "reading_q 1, read_q 1, nz_q 1"),
    ("operand_row", PIPELINE, "wen_q 1, waddr_q 16, wdata_q 8"),
    (
        "operand_banks",
        MODULE,
        "gen_bank[].u_bank: operand_bank x 4",
    ),
    (
        "operand_banks",
        CONTROL,
        "served_q 4, arrives_q 4, reading_q 4, read_q 4, not_zero_q 4",
    ),
    // The bank that serves each row: low bits of the address of the step before.
    ("operand_banks", ADDRESS, "from_q 16"),
    ("operand_banks", DATA, "x_q 32"),
    ("operand_banks", PIPELINE, "wen_q 1, waddr_q 16, wdata_q 8"),
    ("operand_bank", DATA, "u_ram: ram 8 x 256 x 1"),
    ("operand_skew", DATA, "x_q 48"),
    ("operand_skew", CONTROL, "nz_q 6, read_q 6"),
    // Weight memory.
    (
        "weight_memory",
        MODULE,
        "gen_column[].u_column: weight_column x 3",
    ),
    ("weight_memory", PIPELINE, "wen_q 1, waddr_q 16, wdata_q 24"),
    ("weight_column", DATA, "u_ram: ram 8 x 2048 x 1, w_q 8"),
    ("weight_column", PIPELINE, "ren_q 1, addr_q 16"),
    // The array.
    ("dual_array", MODULE, "gen_row[].u_row: dual_row x 4"),
    ("dual_row", MODULE, "gen_pe[].u_pe: dual_pe x 3"),
    (
        "dual_row",
        CONTROL,
        "step_q 1, first_q 1, load_q 1, drain_q 1, tag_q 4, keep_q 1",
    ),
    ("dual_row", CONTROL, "above_q 1, shift_q 1, zero_q 1"),
    ("dual_row", MODE, "stay_q 1"),
    ("dual_row", COUNT, "row_q 9, waiting_q 9"),
    ("dual_pe", CONTROL, "above_q 1, nz_q 1, take_q 1, zero_q 1"),
    (
        "dual_pe",
        DATA,
        "passing_q 8, weight_q 8, x_q 8, product_q 16, psum_q 32",
    ),
    // Results: passes under way, names of the sums, sums of K tiles.
    ("pass_queue", COUNT, "pushed_q 2, popped_q 2"),
    // First row and first channel; rows and channels of the pass.
    ("pass_queue", NUMBER, "u_numbers: ram 32 x 4 x 1"),
    ("pass_queue", COUNT, "u_sizes: ram 18 x 4 x 1"),
    ("pass_queue", CONTROL, "u_flags: ram 4 x 4 x 1"),
    (
        "result_head",
        CONTROL,
        "sum_q 1, first_q 1, end_flag_q 1, slot_q 1, slot_end_q 1",
    ),
    (
        "result_head",
        CONTROL,
        "add_q 1, store_q 1, result_q 1, named_q 1, named_end_q 1",
    ),
    (
        "result_head",
        NUMBER,
        "row_q 16, col_q 16, place_q 9, named_row_q 16, named_col_q 16",
    ),
    ("result_head", COUNT, "width_q 9, named_width_q 9"),
    (
        "result_name",
        CONTROL,
        "valid_q 1, result_q 1, end_flag_q 1",
    ),
    ("result_name", NUMBER, "row_q 16, col_q 16"),
    ("result_name", COUNT, "width_q 9"),
    (
        "results_buffer",
        MODULE,
        "gen_column[].u_column: result_column x 3",
    ),
    (
        "result_column",
        DATA,
        "u_ram: ram 32 x 32 x 1, acc_q 32, old_acc_q 32",
    ),
    (
        "result_column",
        CONTROL,
        "valid_q 1, add_q 1, write_q 1, sum_en_q 1, store_q 1, bank_q 1",
    ),
    ("result_column", CONTROL, "is_last_q 1, is_second_last_q 1"),
    // Places of the sums: GEMM row, or row of the array.
    ("result_column", NUMBER, "addr_q 12, store_addr_q 13"),
    ("gemm_counters", MODULE, "gen_row[].u_row: read_count x 4"),
    ("gemm_counters", COUNTER, "reads_q 32, stalls_q 32"),
    ("read_count", COUNTER, "total_q 9"),
];
