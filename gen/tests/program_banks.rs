//! Machines whose program lies in banks, in other people's tools, where they are installed.

use crate::linters::printed::{self, of_catalog, text_of};
use heddle_arch::Params;
use heddle_arch::params::ProgramMemory;
use heddle_gen::Design;

/// So many rows and banks, some of them for the input, with the program in as many as it takes.
fn params(rows: u32, banks: u32, input: u32, words: u32) -> Params {
    let mut params = printed::tiny();
    params.array.rows = rows;
    params.state_buffer.banks = banks;
    params.state_buffer.input_banks = input;
    params.program.words = words;
    params.program.memory = ProgramMemory::Banks;
    params
}

/// Prints a block into a folder of its own and lints it.
#[track_caller]
fn clean(top: &str, params: &Params) {
    let (rows, buffer) = (params.array.rows, &params.state_buffer);
    let words = params.program.words;
    let name = format!(
        "program_{top}_{rows}_{}_{}_{words}",
        buffer.banks, buffer.input_banks
    );
    printed::clean(&name, &of_catalog(top, params));
}

#[proves("PET-60")]
#[test]
fn parts_of_machines_with_the_program_in_banks_are_clean() {
    for params in [
        params(1, 8, 3, 1024),
        params(6, 4, 0, 4096),
        params(4, 4, 1, 64),
    ] {
        for top in ["partition", "control"] {
            clean(top, &params);
        }
    }
}

#[proves("PET-60")]
#[test]
fn machines_with_the_program_in_banks_are_clean() {
    clean("top", &params(3, 8, 2, 2048));
}

#[proves("PET-60")]
#[test]
fn only_the_path_of_the_host_to_program_banks_is_built() {
    // Eight banks: three work banks, one for the input, four for the program.
    let mut params = params(4, 8, 1, 8192);
    params.state_buffer.words_per_bank = 256;
    assert_eq!(params.program_banks(), 4);
    let design = of_catalog("partition", &params);
    let banks = text_of(&design, "heddle_banks_b8_in1_pr4_");
    for mux in ["op_mux", "data_mux", "program_mux"] {
        assert!(instantiates(&banks, "heddle_word_mux_b4_", mux), "{banks}");
    }
    let write = "write = write_i & (host_write_i | (write_bank < 13'd3));";
    assert!(banks.contains(write), "{banks}");
    for bank in 4..8 {
        let read = format!("wanted[{bank}] = host_read_i & (host_bank == 13'd{bank});");
        assert!(banks.contains(&read), "{banks}");
        for other in ["op", "wt"] {
            let path = format!("{other}_bank == 13'd{bank}");
            assert!(!banks.contains(&path), "{banks}");
        }
    }
    // Their accesses are no events: four banks are counted.
    let partition = text_of(&design, "heddle_partition_");
    let counts = instantiates(&partition, "heddle_event_sum_b4_", "ev_mask_read");
    assert!(counts, "{partition}");
}

/// A module whose name begins so has an instance of this name.
fn instantiates(text: &str, module: &str, instance: &str) -> bool {
    let instance = format!(" u_{instance} (");
    let mut lines = text.lines().map(str::trim);
    lines.any(|line| line.starts_with(module) && line.ends_with(&instance))
}

#[proves("PET-60")]
#[test]
fn program_banks_that_nobody_asked_for_leave_no_trace() {
    let words = [
        "ProgramBanks",
        "prefetch",
        "FetchWords",
        "OperandWords",
        "Banked",
    ];
    let has = |design: &Design, word: &str| {
        let verilog = design.verilog().into_iter();
        verilog.filter(|(_, text)| text.contains(word)).count()
    };
    let banked = params(4, 4, 0, 1024);
    let mut separate = banked.clone();
    separate.program.memory = ProgramMemory::Separate;
    let (plain, with) = (of_catalog("top", &separate), of_catalog("top", &banked));
    for word in words {
        assert_eq!(has(&plain, word), 0, "{word}");
        assert!(has(&with, word) > 0, "{word}");
    }
    assert_eq!(plain.top, with.top, "the top keeps its name");
}
