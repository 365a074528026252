//! Rules of the sparse cluster: as an engine of the machine, and of its memories.

use serde_json::Value;

use super::fault;
use crate::fault::Fault;
use crate::params::Sparse;

/// Adds the violations of all rules whose fields are free of faults.
pub(super) fn check(value: &Value, faults: &mut Vec<Fault>) {
    check_engine(value, faults);
    check_memories(value, faults);
}

fn check_engine(value: &Value, faults: &mut Vec<Fault>) {
    let section = value.get("sparse");
    let is_engine = section.and_then(|section| section.get("engine")?.as_bool());
    if is_engine != Some(true) {
        return;
    }
    let number = |pointer: &str| value.pointer(pointer).and_then(Value::as_u64);
    let (Some(rows), Some(cols)) = (number("/array/rows"), number("/array/cols")) else {
        return;
    };
    let tiles = number("/column_tiles").unwrap_or(0);
    let shared = number("/post/columns_per_multiplier").unwrap_or(1);
    let mut found = Vec::new();
    // What no value of the cluster's options suits is a fault of the array.
    let channels = number("/sparse/channels").unwrap_or(cols);
    if !(cols.is_power_of_two() && cols <= u64::from(Sparse::CHANNELS_MAX)) {
        let message = format!("is {cols}, expected 1, 2, 4, 8, 16 or 32 with sparse.engine");
        found.push(fault("array.cols", message));
    } else if channels != cols {
        let message =
            format!("is {channels}, expected array.cols, which is {cols}, with \"engine\"");
        found.push(fault("sparse.channels", message));
    }
    let lanes = number("/sparse/load_lanes").unwrap_or(rows);
    if rows > u64::from(Sparse::LANES_MAX) {
        let most = Sparse::LANES_MAX;
        let message = format!("is {rows}, expected at most {most} with sparse.engine");
        found.push(fault("array.rows", message));
    } else if lanes != rows {
        let message = format!("is {lanes}, expected array.rows, which is {rows}, with \"engine\"");
        found.push(fault("sparse.load_lanes", message));
    }
    let kept = number("/sparse/tiles").unwrap_or(tiles);
    if tiles > u64::from(Sparse::TILES_MAX) {
        let most = Sparse::TILES_MAX;
        let message = format!("is {tiles}, expected at most {most} with sparse.engine");
        found.push(fault("column_tiles", message));
    } else if kept < tiles {
        let message =
            format!("is {kept}, expected at least column_tiles, which is {tiles}, with \"engine\"");
        found.push(fault("sparse.tiles", message));
    }
    if shared > 1 {
        let message = format!("is {shared}, expected 1 with sparse.engine");
        found.push(fault("post.columns_per_multiplier", message));
    }
    let known = |fault: &Fault| faults.iter().any(|other| other.field == fault.field);
    found.retain(|fault| !known(fault));
    faults.append(&mut found);
}

/// More memories than units need a network to them.
fn check_memories(value: &Value, faults: &mut Vec<Fault>) {
    let Some(section) = value.get("sparse") else {
        return;
    };
    let fields = ["sparse.units", "sparse.memories", "sparse.memory_network"];
    let is_reported = |fault: &Fault| fields.contains(&fault.field.as_str());
    let Some(memories) = section.get("memories").and_then(Value::as_u64) else {
        return;
    };
    if faults.iter().any(is_reported) {
        return;
    }
    let units = section.get("units").and_then(Value::as_u64);
    let units = units.unwrap_or(Sparse::default().units.into());
    let network = section.get("memory_network").and_then(Value::as_str);
    if memories < units {
        let message = format!("is {memories}, expected at least the {units} units");
        faults.push(fault("sparse.memories", message));
    } else if memories > units && network != Some("benes") {
        let message = format!(
            "is {memories}, expected the {units} units: more of them need memory_network \"benes\""
        );
        faults.push(fault("sparse.memories", message));
    }
}
