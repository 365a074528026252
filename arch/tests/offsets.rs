//! The options of the offset unit and the GEMM core: defaults, and what the document says of them.

use heddle_arch::Params;
use heddle_arch::params::{Index, Offsets, Spread};

const TINY: &str = include_str!("../../configs/tiny.json");
const DOCUMENT: &str = include_str!("../../docs/offsets.md");

fn with(section: &str) -> Params {
    let text = TINY.replacen('{', &format!("{{ \"offsets\": {section},"), 1);
    Params::from_json(&text).unwrap_or_else(|e| panic!("{section}: {e}"))
}

#[test]
fn the_section_and_all_its_fields_are_optional() {
    let params = Params::from_json(TINY).expect("a preset");
    assert_eq!(params.offsets, None);
    let unit = params.offset_unit();
    let expected = Offsets {
        rows: Some(4),
        cols: Some(4),
        ..Offsets::default()
    };
    assert_eq!(unit, expected);
    assert_eq!(with("{}").offset_unit(), unit);
    assert_eq!(with("{}").offsets, Some(Offsets::default()));
}

#[test]
fn all_options_are_read() {
    let params = with(
        r#"{ "rows": 3, "cols": 5, "address_bits": 24, "bases": 16, "offsets": 65536, "taps": 8,
           "spread": "broadcast", "running": true, "index": "before", "prefetch": true,
           "expand": true, "banks": 16, "merge": false, "operand_bytes": 64, "weight_words": 32, "results": 16, "store_each": true }"#,
    );
    let expected = Offsets {
        rows: Some(3),
        cols: Some(5),
        address_bits: 24,
        bases: 16,
        offsets: 65536,
        taps: 8,
        spread: Spread::Broadcast,
        running: true,
        index: Index::Before,
        prefetch: true,
        expand: true,
        banks: 16,
        merge: false,
        operand_bytes: 64,
        weight_words: 32,
        results: 16,
        store_each: true,
    };
    assert_eq!(params.offset_unit(), expected);
    let again = Params::from_json(&params.to_json()).expect("own output is valid");
    assert_eq!(again, params);
}

#[test]
fn each_row_needs_a_sum_to_store_each_iteration() {
    for (rows, results, store_each, legal) in [
        (Some(16), 16, true, true),
        (Some(17), 16, true, false),
        (Some(17), 16, false, true),
        (None, 16, true, true),
        (Some(256), 256, true, true),
    ] {
        let mut params = with("{}");
        params.offsets = Some(Offsets {
            rows,
            results,
            store_each,
            ..Offsets::default()
        });
        let result = params.validate();
        assert_eq!(result.is_ok(), legal, "{rows:?} {results}: {result:?}");
    }
}

#[test]
fn banks_need_rows_that_read_at_once() {
    for (spread, banks, legal) in [
        (Spread::Skew, 0, true),
        (Spread::Broadcast, 0, true),
        (Spread::Broadcast, 2, true),
        (Spread::Skew, 2, false),
    ] {
        let mut params = with("{}");
        params.offsets = Some(Offsets {
            spread,
            banks,
            ..Offsets::default()
        });
        let result = params.validate();
        assert_eq!(result.is_ok(), legal, "{spread:?} {banks}: {result:?}");
    }
}

#[test]
fn the_document_lists_every_option_with_its_default() {
    let json = serde_json::to_value(Offsets::default()).expect("JSON");
    let options = json.as_object().expect("an object");
    for (name, default) in options {
        let line = match name.as_str() {
            "bases" | "offsets" => "| `bases`, `offsets` | 1024, 512 | ".to_string(),
            _ => format!("| `{name}` | {} | ", written(default)),
        };
        assert!(DOCUMENT.contains(&line), "{line}");
    }
    assert_eq!(options.len(), 15);
    assert_eq!(
        (&options["bases"], &options["offsets"]),
        (&1024.into(), &512.into())
    );
    assert!(DOCUMENT.contains("| `rows`, `cols` | those of `array` | "));
}

fn written(default: &serde_json::Value) -> String {
    match default {
        serde_json::Value::String(text) => format!("`\"{text}\"`"),
        other => other.to_string(),
    }
}
