//! What of a legal configuration is wasted: a line on stderr, and the same as JSON.

use std::io::Write;
use std::path::Path;

use heddle_arch::Params;
use heddle_compiler::wasted;
use serde_json::{Value, json};

use crate::failure::one_line;

/// What is wasted, one text for each field.
pub fn texts(params: &Params) -> Vec<String> {
    let all = wasted(params).into_iter();
    all.map(|waste| waste.message).collect()
}

/// What is wasted, as a list of fields.
pub fn json(params: &Params) -> Value {
    let all = wasted(params).into_iter();
    let fields = all.map(|waste| json!({ "field": waste.field, "message": waste.message }));
    fields.collect()
}

/// Says in one line what is wasted, if anything is. A closed stderr is nobody's loss.
pub fn warn(path: &Path, params: &Params) {
    let texts = texts(params);
    if !texts.is_empty() {
        let line = format!("{}: {}", path.display(), texts.join("; "));
        let _ = writeln!(std::io::stderr().lock(), "wasted: {}", one_line(&line));
    }
}
