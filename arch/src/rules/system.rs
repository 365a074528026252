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
    if value.pointer("/system/dma").is_some_and(Value::is_object) {
        beside_dma(value, faults);
    }
}

/// What a DMA that writes during runs does not allow.
fn beside_dma(value: &Value, faults: &mut Vec<Fault>) {
    if value.get("table_memory").and_then(Value::as_str) == Some("one_port") {
        let message = "is \"one_port\", expected \"two_ports\" with system.dma: it writes tables while a program reads them";
        faults.push(fault("table_memory", message.to_string()));
    }
    let number = |pointer: &str| value.pointer(pointer).and_then(Value::as_u64);
    let (rows, cols) = (number("/array/rows"), number("/array/cols"));
    let has_engine = value.pointer("/sparse/engine").and_then(Value::as_bool) == Some(true);
    if let (true, Some(rows), Some(cols)) = (has_engine && rows != cols, rows, cols) {
        let message = format!(
            "is true, expected false with system.dma on {rows} rows and {cols} columns: its drain words are announced on a square array alone"
        );
        faults.push(fault("sparse.engine", message));
    }
}
