//! The table of docs/offsets.md that says where the worked examples are tested.

use std::path::Path;

const DOCUMENT: &str = include_str!("../../../../docs/offsets.md");
/// Folder of each column.
const FOLDERS: [&str; 2] = ["blocks/tests/offsets", "tb/tests/blocks"];

#[test]
fn the_tests_of_all_18_places_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let section = DOCUMENT
        .split("\n## ")
        .find(|part| part.starts_with("Where the worked"));
    let lines = section.expect("the section is there").lines();
    let examples: Vec<&str> = lines.filter(|line| line.starts_with("| 5.")).collect();
    assert_eq!(examples.len(), 9);
    for (number, line) in (1..).zip(examples) {
        assert!(line.starts_with(&format!("| 5.{number}, ")), "{line}");
        let cells: Vec<&str> = line.trim_matches('|').split('|').skip(1).collect();
        assert_eq!(cells.len(), FOLDERS.len(), "{line}");
        for (folder, cell) in FOLDERS.into_iter().zip(cells) {
            let mut text = String::new();
            let mut tests = 0;
            for word in cell.split('`').skip(1).step_by(2) {
                if word.ends_with(".rs") {
                    let file = root.join(folder).join(word);
                    text = std::fs::read_to_string(&file)
                        .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
                } else {
                    assert!(
                        text.contains(&format!("#[test]\nfn {word}(")),
                        "{folder}: {word}"
                    );
                    tests += 1;
                }
            }
            assert!(tests > 0, "5.{number} has no test in {folder}");
        }
    }
}
