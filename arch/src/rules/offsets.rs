//! Rules of `docs/offsets.md` between the options of the offset unit and the GEMM core.

use serde_json::Value;

use super::fault;
use crate::fault::Fault;

/// Adds the violations of all rules whose fields are free of faults.
pub(super) fn check(value: &Value, faults: &mut Vec<Fault>) {
    let Some(section) = value.get("offsets") else {
        return;
    };
    let faulty = |field: &str| faults.iter().any(|fault| fault.field == field);
    if faulty("offsets.banks") || faulty("offsets.spread") {
        return;
    }
    let banks = section.get("banks").and_then(Value::as_u64).unwrap_or(0);
    let spread = section.get("spread").and_then(Value::as_str);
    if banks > 0 && spread != Some("broadcast") {
        let message = format!(
            "is {banks}, expected 0 with spread \"skew\": only rows that read at once share a \
             memory"
        );
        faults.push(fault("offsets.banks", message));
    }
}
