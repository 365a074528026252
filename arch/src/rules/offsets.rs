//! Rules of `docs/offsets.md` between the options of the offset unit and the GEMM core.

use serde_json::Value;

use super::fault;
use crate::fault::Fault;
use crate::params::Offsets;

/// Adds the violations of all rules whose fields are free of faults.
pub(super) fn check(value: &Value, faults: &mut Vec<Fault>) {
    let Some(section) = value.get("offsets") else {
        return;
    };
    check_banks(section, faults);
    check_store(value, section, faults);
}

fn faulty(fields: &[&str], faults: &[Fault]) -> bool {
    faults
        .iter()
        .any(|fault| fields.contains(&fault.field.as_str()))
}

fn check_banks(section: &Value, faults: &mut Vec<Fault>) {
    if faulty(&["offsets.banks", "offsets.spread"], faults) {
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

/// A core that stores each iteration keeps a sum for each of its rows.
fn check_store(value: &Value, section: &Value, faults: &mut Vec<Fault>) {
    let fields = [
        "array.rows",
        "offsets.rows",
        "offsets.results",
        "offsets.store_each",
    ];
    let stores = section.get("store_each").and_then(Value::as_bool);
    if faulty(&fields, faults) || stores != Some(true) {
        return;
    }
    let rows = section
        .get("rows")
        .or_else(|| value.get("array")?.get("rows"));
    let rows = rows.and_then(Value::as_u64).unwrap_or(0);
    let results = section.get("results").and_then(Value::as_u64);
    let results = results.unwrap_or(Offsets::default().results.into());
    if results < rows {
        let message = format!(
            "is {results}, expected at least {} with \"store_each\": each of {rows} rows keeps a sum",
            rows.next_power_of_two()
        );
        faults.push(fault("offsets.results", message));
    }
}
