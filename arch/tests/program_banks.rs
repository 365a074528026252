//! Programs in banks of the state buffer: how many banks they take, and what is refused.

use heddle_arch::params::{Params, ProgramMemory};

/// The configuration `tiny` with these fields; words of 8 bytes in a bank.
fn with(
    rows: u32,
    banks: u32,
    input: u32,
    bank_words: u32,
    program: &str,
) -> Result<Params, String> {
    let text = include_str!("../../configs/tiny.json");
    let mut value: serde_json::Value = serde_json::from_str(text).expect("JSON");
    value["array"]["rows"] = rows.into();
    value["state_buffer"]["banks"] = banks.into();
    value["state_buffer"]["input_banks"] = input.into();
    value["state_buffer"]["words_per_bank"] = bank_words.into();
    value["program"] = serde_json::from_str(program).expect("JSON");
    Params::from_json(&value.to_string()).map_err(|errors| {
        let faults = errors.faults().iter();
        let texts = faults.map(|fault| fault.message.clone());
        texts.collect::<Vec<_>>().join("; ")
    })
}

/// A program of so many words in banks.
fn banked(words: u32) -> String {
    format!("{{\"words\": {words}, \"memory\": \"banks\"}}")
}

#[proves("PET-60")]
#[test]
fn a_program_takes_the_last_banks() {
    // Rows, banks, input banks, words of a bank, program words: banks it takes.
    for (rows, banks, input, bank_words, words, taken) in [
        (4, 4, 0, 128, 1024, 1),
        (4, 4, 0, 64, 1024, 2),
        (4, 8, 2, 64, 2048, 4),
        (4, 4, 0, 128, 64, 1),
        // Six rows deal the program to four partitions, one row keeps it.
        (6, 4, 1, 128, 1024, 1),
        (6, 4, 0, 64, 1024, 2),
        (1, 8, 0, 256, 2048, 4),
        (256, 4, 0, 16, 64, 1),
        (256, 4, 0, 4096 / 2, 65536, 1),
    ] {
        let place = format!("{rows} {banks} {input} {bank_words} {words}");
        let params = with(rows, banks, input, bank_words, &banked(words));
        let params = params.unwrap_or_else(|fault| panic!("{place}: {fault}"));
        let bank = params.bank_bytes();
        assert_eq!(params.program_banks(), taken, "{place}");
        assert_eq!(params.operand_bytes(), (banks - taken) * bank, "{place}");
        assert_eq!(params.work_banks(), banks - input - taken, "{place}");
        assert_eq!(params.work_bytes(), (banks - input - taken) * bank);
        assert!(params.program_partitions() <= rows && rows < 2 * params.program_partitions());
        assert_eq!(Params::from_json(&params.to_json()), Ok(params));
    }
}

#[proves("PET-60")]
#[test]
fn who_does_not_ask_has_a_memory_of_its_own() {
    let plain = with(4, 4, 0, 128, "{\"words\": 1024}").expect("legal");
    assert_eq!(plain.program.memory, ProgramMemory::Separate);
    assert_eq!(plain.program_banks(), 0);
    assert_eq!(plain.operand_bytes(), plain.partition_bytes());
    assert!(!plain.to_json().contains("memory"));
    let asked = "{\"words\": 1024, \"memory\": \"separate\"}";
    assert_eq!(with(4, 4, 0, 128, asked), Ok(plain));
}

#[proves("PET-60")]
#[test]
fn programs_leave_two_other_banks() {
    // As above without the banks it takes, and the fault.
    for row in [
        "4 2 0 128 1024 | program.memory is \"banks\", expected \"separate\" with 2 banks",
        "4 4 2 128 64 | program.memory is \"banks\", expected \"separate\" with 4 banks, 2 of them for the input",
        "4 4 1 64 1024 | program.words is 1024, expected at most 512 with \"memory\": \"banks\" and 4 banks, 1 of them for the input",
        "1 8 1 64 1024 | program.words is 1024, expected at most 512 with \"memory\": \"banks\" and 8 banks, 1 of them for the input",
        "1 8 0 16 65536 | program.words is 65536, expected at most 128 with \"memory\": \"banks\" and 8 banks",
    ] {
        let (numbers, expected) = row.split_once(" | ").expect("numbers and a fault");
        let numbers = numbers.split(' ').map(|n| n.parse().expect("a number"));
        let [rows, banks, input, bank_words, words] = numbers.collect::<Vec<u32>>()[..] else {
            panic!("five numbers: {row}");
        };
        let fault = with(rows, banks, input, bank_words, &banked(words)).expect_err(expected);
        let expected = format!("{expected}: 2 others hold weights and results");
        assert!(fault.contains(&expected), "{fault}");
        assert!(!fault.contains("; "), "one fault: {fault}");
    }
    // A kind of memory that does not exist.
    let fault = with(4, 4, 0, 128, "{\"words\": 1024, \"memory\": \"bank\"}");
    let fault = fault.expect_err("no such memory");
    assert!(
        fault.contains("program.memory is \"bank\", expected"),
        "{fault}"
    );
    // What else is wrong is told alone.
    let fault = with(4, 5, 0, 64, &banked(1024)).expect_err("five banks");
    assert!(!fault.contains("program"), "{fault}");
    let fault = with(0, 4, 0, 64, &banked(1024)).expect_err("no rows");
    assert!(!fault.contains("program"), "{fault}");
}

#[proves("PET-60")]
#[test]
fn clients_of_a_clock_do_not_count_on_the_banks_of_the_program() {
    let per_client = |banks: u32, bank_words: u32| {
        let params = with(4, banks, 0, bank_words, &banked(1024)).expect("legal");
        let text = params
            .to_json()
            .replace("\"banks\": 4,", "\"banks\": 4, \"bank_per_client\": true,");
        Params::from_json(&text).map_err(|errors| errors.faults()[0].message.clone())
    };
    per_client(4, 128).expect("three others");
    let fault = per_client(4, 64).expect_err("two others");
    let expected = "state_buffer.banks is 4, expected at least 8 with \"bank_per_client\": operands, weights and the drain, 3 clients beside 2 of the program";
    assert!(fault.contains(expected), "{fault}");
}
