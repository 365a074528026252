//! Faults that are planted in the unit.

use heddle_hdl::sparse::tile::TileUnit;

use super::shape;
use super::unit::{UNIT, WINDOW, random_commands};
use crate::rtl::{check_mutants, emitted, faults};

#[test]
fn faults_of_the_unit_are_noticed() {
    let sources = emitted(TileUnit::new(shape(&UNIT)));
    let mutants = r"
        // The tile is stored before all products have found their sums.
        heddle_tile_control: (state_q == TileStateDrain) & !busy_i => (state_q == TileStateDrain)
        // A word is lost behind one that is not taken.
        heddle_sparse_tile: shows_send_q <= shows_send_q & !moves => shows_send_q <= 1'b0
        // A word that is not taken changes.
        heddle_sparse_tile: (shows_send_q & moves)) word_q => shows_send_q) word_q
        // Rows follow each other without the words between them.
        heddle_tile_walk: row_addr_q + pitch_i => addr_q + 16'd1
        // The tile is stored where the walk has ended.
        heddle_tile_control: ? first_q => ? addr_o
        // Sums leave the register before they are written.
        heddle_sparse_tile: loads_q | control_store => loads_q
        // What is below 0 leaves.
        heddle_tile_out: results_relu_i & data_i[31] => 1'b0
        // The smallest sum is left.
        heddle_tile_out: $signed(positive) < $signed(total_q) => $signed(positive) > $signed(total_q)
        // Sums of two rectangles become one.
        heddle_tile_out: open_q <= (results_pool_i != 2'd0) & !last_i => open_q <= (results_pool_i != 2'd0)
        // The word is that of the last sum.
        heddle_tile_out: takes & !open_q => takes
        // Zeros leave in any case.
        heddle_tile_out: !results_nonzero_i => 1'b1
        // The tile goes on behind its last channel.
        heddle_tile_scatter: pick_ends_out & !is_last_q => pick_ends_out";
    check_mutants(&sources, &faults(mutants), |sources, seed| {
        random_commands(sources, UNIT, seed)
    });
}

#[test]
fn faults_of_windows_and_their_bank_are_noticed() {
    let sources = emitted(TileUnit::new(shape(&WINDOW)));
    let mutants = r"
        // The window does not turn the weight round.
        heddle_tile_matrix: kernel_rows_i - tap_row => tap_row
        // Rows and columns of the window are mixed up.
        heddle_tile_window: at_row[1] = row_i => at_row[1] = col_i
        // Products lose their sign.
        heddle_tile_window: {{14{placed[18*i+17]}}, => {14'd0,
        // The matrix stays.
        heddle_tile_matrix: valid_q <= any => valid_q <= 1'b1
        // What lies beyond the last row goes into another place.
        heddle_tile_bank_r7: row_here[1] = row_i == 8'd1 => row_here[1] = row_i[2:0] == 3'd1
        // All places are written.
        heddle_tile_bank_row: (wen_i & hits => (wen_i | hits
        // Columns move to the other side.
        heddle_tile_bank_row: direction_i == 2'd0 => direction_i != 2'd0
        // One step too many, or too few.
        heddle_tile_control: reads & (state_q == TileStateShift) => (state_q == TileStateShift) | takes";
    check_mutants(&sources, &faults(mutants), |sources, seed| {
        random_commands(sources, WINDOW, seed)
    });
}
