//! The commands of the sparse cluster, and the registers of its units.

use super::{Field, Word};

words! {
    /// The first word of every command.
    header "every command" "word 0" {
        OPCODE 7 0 "opcode",
        LENGTH 15 8 "length in words, header included",
        WAIT_RUNS 29 29 "waits until the runs of all units are done",
    }
    /// SPARSE_SET. The words behind it are for registers that follow each other.
    set "SPARSE_SET" "word 1" {
        REGISTER 2 0 "first register",
        UNIT 13 8 "unit",
        ALL 16 16 "all units instead",
    }
    /// SPARSE_LOAD.
    load "SPARSE_LOAD" "word 1" {
        SET 1 0 "set, of the first chunk",
        APPEND 2 2 "goes on with the set that the load before has left open",
        MORE 3 3 "leaves the set open for the next load",
        ALTERNATE 4 4 "each chunk goes to a set of its own, the next one modulo the number of sets",
        STRIDE 6 5 "log2 of the stride, 0..2",
        LIST 16 8 "list of weights of lane 0",
        LANES 23 17 "lanes that are loaded, 1..R",
        THRESHOLD 31 24 "decode threshold 127 - z",
    }
    /// SPARSE_LOAD, where the map begins.
    load_first "SPARSE_LOAD" "word 2" {
        ROW 9 0 "row of the first position, in front of the stride",
        COL 25 16 "column of the first position",
    }
    /// SPARSE_LOAD, its size.
    load_size "SPARSE_LOAD" "word 3" {
        ROWS 9 0 "rows, from 1 on",
        COLS 25 16 "columns, from 1 on",
    }
    /// SPARSE_LOAD, input channels.
    load_chunks "SPARSE_LOAD" "word 4" {
        CHUNKS 7 0 "chunks - 1: each is the whole map again for the next lanes",
        STEP 24 16 "lists from chunk to chunk",
    }
    /// SPARSE_WEIGHTS.
    weights "SPARSE_WEIGHTS" "word 1" {
        FIRST 15 0 "first word of the memory",
        WORDS 31 16 "words, from 1 on",
    }
    /// SPARSE_WEIGHTS, its lists.
    weights_lists "SPARSE_WEIGHTS" "word 2" {
        LIST 8 0 "first list",
        HALF 16 16 "half that they belong to: runs that name it are done before, or wait",
    }
    /// SPARSE_RUN.
    run "SPARSE_RUN" "word 1" {
        SET 1 0 "set, of the first chunk",
        KEEP 2 2 "the sets stay full for another run",
        HALF 3 3 "half of the weights",
        REGION 4 4 "region of the sums: its window, and its drains",
        CHUNKS 15 8 "chunks - 1, each in the next set modulo the number of sets",
        KERNEL_ROWS 19 16 "kernel rows - 1",
        KERNEL_COLS 23 20 "kernel columns - 1",
        PITCH 27 24 "log2 of the words of sums of a row",
        AREA 31 28 "log2 of the words of sums of a group",
    }
    /// SPARSE_DRAIN.
    drain "SPARSE_DRAIN" "word 1" {
        REGION 0 0 "region of the sums",
        DISCARD 1 1 "nothing leaves: the sums are cleared",
        KEEP 2 2 "the sums stay as they are",
        PITCH 7 4 "log2 of the words of sums of a row",
        AREA 11 8 "log2 of the words of sums of a group",
        COUNT 12 12 "the results that leave are counted: of each position those that are not zero",
        GROUPS 23 16 "groups of output channels, from 1 on",
        EACH 31 24 "groups of a share, from 1 on",
    }
    /// SPARSE_DRAIN, where the results begin.
    drain_first "SPARSE_DRAIN" "word 2" {
        ROW 8 0 "first row of results",
        COL 24 16 "first column of results",
    }
    /// SPARSE_DRAIN, their number.
    drain_size "SPARSE_DRAIN" "word 3" {
        ROWS 8 0 "rows, from 1 on",
        COLS 24 16 "columns, from 1 on",
    }
    /// SPARSE_DRAIN, the first group.
    drain_group "SPARSE_DRAIN" "word 4" {
        GROUP 7 0 "first group",
        SHARE 13 8 "its share: units with this number have its sums",
        TILE 23 16 "its parameters; the next groups have the next ones",
    }
    /// SPARSE_DRAIN, what becomes of its sums.
    drain_bounds "SPARSE_DRAIN" "word 5" {
        LO 8 0 "lower bound min - z, signed",
        HI 24 16 "upper bound max - z, signed",
        SINGLE 31 31 "single rounding, else double",
    }
    /// SPARSE_CUT.
    cut "SPARSE_CUT" "word 1" {
        BANDS 3 0 "bands of rows - 1",
        CELLS 7 4 "cells of a band - 1",
        REGION 8 8 "region whose windows are written",
        HALO_ROWS 19 16 "rows above its own that a cell takes",
        HALO_COLS 23 20 "columns on the left",
    }
    /// SPARSE_CUT, its limits.
    cut_limits "SPARSE_CUT" "word 2" {
        BAND 8 0 "most rows of a band",
        CELL 24 16 "most columns of a cell",
    }
    /// SPARSE_CUT, what has been counted.
    cut_size "SPARSE_CUT" "word 3" {
        ROWS 8 0 "rows of counts, 1..256",
        COLS 24 16 "columns, 1..256",
    }
    /// SPARSE_CUT, from counts to values and results.
    cut_place "SPARSE_CUT" "word 4" {
        ABOVE 3 0 "rows of padding above the map",
        LEFT 7 4 "columns of it on the left",
        STRIDE 9 8 "log2 of the stride, 0..2",
        TAIL_ROWS 19 16 "kernel rows - 1, of results",
        TAIL_COLS 23 20 "kernel columns - 1",
    }
    /// SPARSE_CUT, rows of the results that will be drained.
    cut_rows "SPARSE_CUT" "word 5" {
        FIRST 8 0 "first row of the results that will be drained",
        END 24 16 "the one after the last",
    }
    /// SPARSE_CUT, their columns.
    cut_cols "SPARSE_CUT" "word 6" {
        FIRST 8 0 "first column",
        END 24 16 "the one after the last",
    }
    /// SPARSE_CUT, what is good.
    cut_good "SPARSE_CUT" "word 7" {
        SPREAD 31 0 "largest spread that is good",
    }
    /// SPARSE_SCALE. Three words for each lane follow: bias, multiplier, shift; behind the last lane comes the next tile.
    scale "SPARSE_SCALE" "word 1" {
        TILE 7 0 "tile",
        LANE 12 8 "first lane",
    }
    /// Units 0 to 31 of a command.
    mask_low "units" "first word" {
        UNITS 31 0 "units 31 to 0",
    }
    /// Units 32 to 63.
    mask_high "units" "second word" {
        UNITS 31 0 "units 63 to 32",
    }
    /// Registers 0 and 1: rows and columns that a unit takes; 4 and 5, 6 and 7: those of the results that it keeps, for each region.
    range "unit register" "0, 1, 4 to 7" reset 0 {
        FIRST 8 0 "first row, or column",
        END 24 16 "the one after the last",
    }
    /// Register 2: whose output channels a unit has.
    share "unit register" "2" reset 0 {
        SHARE 5 0 "share",
    }
}
