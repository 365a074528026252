//! The lists of fields and of what is reserved in `docs/isa.md` are those of the source. `HEDDLE_BLESS=1` rewrites them.

use heddle_arch::host;
use heddle_arch::isa::fields::{Field, RESERVED, Space, WORDS, Word, header, sparse};
use heddle_arch::isa::{ErrorCode, Instruction, SystemError};

const END: &str = "<!-- end of ";

fn rows(of: &[&str], row: impl Fn(&Word, &Field) -> String) -> String {
    let words = WORDS.iter().filter(|word| of.contains(&word.of));
    let rows = words.flat_map(|word| word.fields.iter().map(|field| row(word, field)));
    rows.collect()
}

/// The fields of some words.
fn table(words: &[Word], chosen: impl Fn(&Word) -> bool) -> String {
    let head = "| of | word | bits | field | meaning |\n|---|---|---|---|---|\n";
    let row = |word: &Word, field: &Field| {
        let (name, bits) = (field.name.to_lowercase(), field.bits());
        format!(
            "| {} | {} | `{bits}` | {name} | {} |\n",
            word.of, word.place, field.doc
        )
    };
    let words = words.iter().filter(|word| chosen(word));
    let rows = words.flat_map(|word| word.fields.iter().map(move |field| row(word, field)));
    head.to_string() + &rows.collect::<String>()
}

fn instructions() -> String {
    table(WORDS, |word| !word.of.starts_with("host"))
}

fn registers() -> String {
    let head = "| register | bits | field | after reset | meaning |\n|---|---|---|---|---|\n";
    let rows = rows(&["host port"], |word, field| {
        let (name, bits) = (field.name.to_lowercase(), field.bits());
        let reset = word
            .reset
            .map_or("constant".to_string(), |value| field.get(value).to_string());
        format!(
            "| {} | `{bits}` | {name} | {reset} | {} |\n",
            word.place, field.doc
        )
    });
    head.to_string() + &rows
}

fn addresses() -> String {
    let head = "| what | bits | field | meaning |\n|---|---|---|---|\n";
    let rows = rows(&["host address", "host data"], |word, field| {
        let (name, bits) = (field.name.to_lowercase(), field.bits());
        let what = word.of.trim_start_matches("host ");
        format!(
            "| {what}: {} | `{bits}` | {name} | {} |\n",
            word.place, field.doc
        )
    });
    head.to_string() + &rows
}

fn reserved() -> String {
    let head = "| what | owner | meaning there |\n|---|---|---|\n";
    let rows = RESERVED
        .iter()
        .map(|row| format!("| {} | {} | {} |\n", row.place(), row.owner, row.name));
    head.to_string() + &rows.collect::<String>()
}

/// The tables of a document are those given, which a file of tests writes. With HEDDLE_BLESS they are written instead.
pub fn check_tables(path: &str, test: &str, tables: &[(&str, String)]) {
    let found = std::fs::read_to_string(path).expect(path);
    let mut text = found.clone();
    for (name, list) in tables {
        let begin =
            format!("<!-- {name}: arch/tests/{test}.rs writes this table, HEDDLE_BLESS=1 -->\n");
        let (before, rest) = text.split_once(&begin).expect("the begin of a table");
        let (_, behind) = rest.split_once(END).expect("the end of a table");
        text = format!("{before}{begin}{list}{END}{behind}");
    }
    if std::env::var_os("HEDDLE_BLESS").is_some() {
        std::fs::write(path, text).expect(path);
        return;
    }
    assert!(
        found == text,
        "{path}: HEDDLE_BLESS=1 cargo test -p heddle-arch {test}"
    );
}

#[test]
fn the_lists_of_the_documents_are_those_of_the_source() {
    let tables = [
        ("fields", instructions()),
        ("registers", registers()),
        ("addresses", addresses()),
        ("reserved", reserved()),
    ];
    check_tables(
        concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/isa.md"),
        "isa_fields",
        &tables,
    );
    let commands = [("commands", table(sparse::WORDS, |_| true))];
    check_tables(
        concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/sparse.md"),
        "isa_fields",
        &commands,
    );
}

#[test]
fn nothing_in_use_is_reserved_and_nothing_is_reserved_twice() {
    for (at, row) in RESERVED.iter().enumerate() {
        let place = row.place();
        for other in &RESERVED[..at] {
            assert!(
                !row.meets(other),
                "{place}: {} and {}",
                row.name,
                other.name
            );
        }
        let code = |word: u32| Instruction::decode(&[word]).map_err(|error| error.code);
        match row.space {
            Space::Opcode => {
                let word = header::OPCODE.put(row.first) | header::LENGTH.put(1);
                assert_eq!(code(word), Err(ErrorCode::IllegalOpcode), "{place}");
            }
            Space::HeaderBit => {
                assert_eq!(row.mask() & header::WORD.used(), 0, "{place}");
                let sync = header::OPCODE.put(heddle_arch::isa::OP_SYNC) | header::LENGTH.put(1);
                assert!(code(sync).is_ok());
                for bit in row.first..=row.last {
                    assert_eq!(code(sync | 1 << bit), Err(ErrorCode::BadField), "{place}");
                }
            }
            Space::ErrorCode => {
                let number = row.first.try_into().unwrap();
                assert_eq!(ErrorCode::from_number(number), None, "{place}");
                assert_eq!(SystemError::from_number(number), None, "{place}");
            }
            Space::Id => assert_ne!(row.first, host::ID),
        }
    }
    // All bits of the header have an owner.
    let bits = RESERVED.iter().filter(|row| row.space == Space::HeaderBit);
    let bits: u32 = bits.map(|row| row.mask()).sum();
    assert_eq!(bits, !header::WORD.used());
}
