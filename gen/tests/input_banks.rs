//! Partitions with input banks, and what checks their addresses, in other people's tools, where they are installed.

use crate::linters;
use crate::linters::printed::text_of;
use heddle_gen::Design;

fn printed(top: &str, banks: u32, input_banks: u32) -> Design {
    let mut params = linters::printed::tiny();
    params.state_buffer.banks = banks;
    params.state_buffer.input_banks = input_banks;
    linters::printed::of_catalog(top, &params)
}

/// Prints a block into a folder of its own and lints it.
#[track_caller]
fn clean(top: &str, banks: u32, input_banks: u32) {
    let name = format!("input_{top}_{banks}_{input_banks}");
    linters::printed::clean(&name, &printed(top, banks, input_banks));
}

#[proves("PET-61")]
#[test]
fn partitions_with_input_banks_are_clean() {
    for (banks, input_banks) in [(4, 1), (4, 2), (8, 1), (8, 5), (8, 6)] {
        clean("partition", banks, input_banks);
    }
}

#[proves("PET-61")]
#[test]
fn machines_with_input_banks_are_clean() {
    clean("top", 4, 1);
}

#[proves("PET-61")]
#[test]
fn the_paths_of_weights_and_results_to_input_banks_are_not_built() {
    let design = printed("partition", 8, 3);
    let banks = text_of(&design, "heddle_banks_b8_in3_");
    // Each of the five other banks has a place among the weights, and results are written to them alone.
    assert!(banks.contains("wt_bank == 13'd4"), "{banks}");
    let write = "write = write_i & (host_write_i | (write_bank < 13'd5));";
    assert!(banks.contains(write), "{banks}");
    for bank in 5..8 {
        assert!(
            !banks.contains(&format!("wt_bank == 13'd{bank}")),
            "{banks}"
        );
        let read = format!("wanted[{bank}] = host_read_i & (host_bank == 13'd{bank})");
        assert!(banks.contains(&read), "{banks}");
    }
}

#[proves("PET-61")]
#[test]
fn input_banks_that_nobody_asked_for_leave_no_trace() {
    let words = ["InputBanks", "WorkWords", "input buffer"];
    let has = |design: &Design, word: &str| {
        let verilog = design.verilog().into_iter();
        verilog.filter(|(_, text)| text.contains(word)).count()
    };
    let (plain, with) = (printed("top", 4, 0), printed("top", 4, 1));
    for word in words {
        assert_eq!(has(&plain, word), 0, "{word}");
        assert!(has(&with, word) > 0, "{word}");
    }
    assert_eq!(plain.top, with.top, "the top keeps its name");
}
