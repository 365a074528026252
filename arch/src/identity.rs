//! Which machine a program was made for: a checksum of the configuration.

use serde_json::Value;

use crate::params::{Params, schema};

/// Version of the instruction set. It changes when a program of the version before means something else.
pub const ISA_VERSION: u32 = 1;
/// Version of what lies in the memories of a machine, and where.
pub const IMAGE_VERSION: u32 = 1;
/// Fields that no program depends on.
const LEFT_OUT: [&str; 4] = ["counters", "name", "reset", "system"];

/// CRC-32 (as zlib) of [`identity_text`]: two machines that run the same programs have the same.
pub fn config_hash(params: &Params) -> u32 {
    crc32fast::hash(identity_text(params).as_bytes())
}

/// A line with the versions, then the configuration as JSON on one line without an end: all fields with their
/// values, keys sorted, no spaces, without counters, name, reset and system.
pub fn identity_text(params: &Params) -> String {
    let mut value = serde_json::to_value(resolved(params)).expect("strings and numbers");
    add_defaults(&schema(), &mut value);
    let fields = value.as_object_mut().expect("a configuration is an object");
    fields.retain(|key, _| !LEFT_OUT.contains(&key.as_str()));
    // The keys of a map of serde_json are in the order of their bytes.
    format!("heddle ISA {ISA_VERSION} image {IMAGE_VERSION}\n{value}")
}

/// With all sections, and with the values of fields whose default follows from others.
fn resolved(params: &Params) -> Params {
    let mut all = params.clone();
    let threshold = params.state_buffer.slices.threshold();
    all.state_buffer.slices.access_threshold = Some(threshold);
    let mut memory = params.sliced_memory();
    memory.slices.access_threshold = Some(memory.slices.threshold());
    all.sliced = Some(memory);
    all.offsets = Some(params.offset_unit());
    all.sparse = Some(params.sparse_cluster());
    let units = crate::params::MachineUnit::ALL.map(|unit| params.traversal.unit_loops(unit));
    all.traversal.units = Some(units.each_ref().map(Vec::as_slice).into());
    all
}

/// Adds the fields that are left out where they have their default.
fn add_defaults(schema: &Value, value: &mut Value) {
    let Some((fields, value)) = schema["properties"].as_object().zip(value.as_object_mut()) else {
        return;
    };
    for (key, field) in fields {
        if let Some(default) = field.get("default").filter(|default| !default.is_null()) {
            value.entry(key).or_insert_with(|| default.clone());
        }
        if let Some(inner) = value.get_mut(key) {
            add_defaults(field, inner);
        }
    }
}
