//! Rules of the system around the engine.

use serde_json::Value;

use super::fault;
use crate::fault::Fault;

/// Adds the violations of all rules whose fields are free of faults.
pub(super) fn check(value: &Value, faults: &mut Vec<Fault>) {
    let is_high = value.pointer("/reset/level").and_then(Value::as_str) == Some("high");
    if is_high && value.get("system").is_some_and(Value::is_object) {
        let message =
            "is \"high\", expected \"low\" with a section system: its ports are reset by aresetn";
        faults.push(fault("reset.level", message.to_string()));
    }
}
