//! The list of fields in `docs/isa.md` is that of the source. `HEDDLE_BLESS=1` rewrites it.

use heddle_arch::isa::fields::WORDS;

const BEGIN: &str = "HEDDLE_BLESS=1 -->\n";
const END: &str = "<!-- end of fields -->";

fn table() -> String {
    let mut text = String::from("| of | word | bits | field | meaning |\n|---|---|---|---|---|\n");
    for word in WORDS {
        for field in word.fields {
            let name = field.name.to_lowercase();
            text += &format!(
                "| {} | {} | `{}` | {name} | {} |\n",
                word.of,
                word.place,
                field.bits(),
                field.doc
            );
        }
    }
    text
}

#[test]
fn the_fields_of_the_document_are_those_of_the_source() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/isa.md");
    let text = std::fs::read_to_string(path).expect("docs/isa.md");
    let (before, rest) = text.split_once(BEGIN).expect("the begin of the table");
    let (found, behind) = rest.split_once(END).expect("the end of the table");
    let expected = table();
    if std::env::var_os("HEDDLE_BLESS").is_some() {
        let text = format!("{before}{BEGIN}{expected}{END}{behind}");
        std::fs::write(path, text).expect("docs/isa.md is written");
        return;
    }
    assert_eq!(
        found, expected,
        "HEDDLE_BLESS=1 cargo test -p heddle-arch isa_fields"
    );
}
