//! Rules of a configuration that the schema cannot express.

use serde_json::Value;

use crate::fault::Fault;
use crate::params::Params;

mod offsets;
mod post;
mod slices;

/// Adds the violations of all rules whose fields are free of faults.
pub(crate) fn check(value: &Value, faults: &mut Vec<Fault>) {
    let known = Known { value };
    let checks = [
        name(&known),
        offset_bits(&known),
        partition_bytes(&known),
        banks(&known),
        input_banks(&known),
    ];
    for fault in checks.into_iter().flatten() {
        let reported = |f: &Fault| f.field.starts_with(&fault.field);
        if !faults.iter().any(reported) {
            faults.push(fault);
        }
    }
    slices::check(value, faults);
    offsets::check(value, faults);
    post::check(value, faults);
}

struct Known<'a> {
    value: &'a Value,
}

impl Known<'_> {
    fn number(&self, pointer: &str) -> Option<u64> {
        self.value.pointer(pointer)?.as_u64()
    }
}

fn fault(field: &str, message: String) -> Fault {
    Fault {
        line: None,
        field: field.to_string(),
        message: format!("{field} {message}"),
    }
}

fn name(known: &Known) -> Option<Fault> {
    let name = known.value.pointer("/name")?.as_str()?;
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let good = name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(plain);
    if good {
        return None;
    }
    let allowed = "a lower-case letter, then lower-case letters, digits and underscores";
    Some(fault("name", format!("is {name:?}, expected {allowed}")))
}

fn offset_bits(known: &Known) -> Option<Fault> {
    let offset = known.number("/traversal/offset_bits")?;
    let address = known.number("/traversal/address_bits")?;
    let wider = offset > address;
    wider.then(|| {
        let message = format!("is {offset}, expected at most traversal.address_bits, {address}");
        fault("traversal.offset_bits", message)
    })
}

fn banks(known: &Known) -> Option<Fault> {
    let banks = known.number("/state_buffer/banks")?;
    let wanted = known
        .value
        .pointer("/state_buffer/bank_per_client")?
        .as_bool()?;
    let clients = u64::from(Params::PARTITION_CLIENTS);
    let too_few = wanted && banks < clients;
    too_few.then(|| {
        let message = format!(
            "is {banks}, expected at least {clients} with \"bank_per_client\": operands, weights and the drain \
             may use a partition in one clock"
        );
        fault("state_buffer.banks", message)
    })
}

fn input_banks(known: &Known) -> Option<Fault> {
    let banks = known.number("/state_buffer/banks")?;
    let input = known.number("/state_buffer/input_banks")?;
    let least = u64::from(Params::WORK_BANKS_MIN);
    let bank_count = matches!(banks, 2 | 4 | 8);
    let too_many = bank_count && input + least > banks;
    too_many.then(|| {
        let message = format!(
            "is {input}, expected at most {} with {banks} banks: {least} others hold weights and results",
            banks - least
        );
        fault("state_buffer.input_banks", message)
    })
}

fn partition_bytes(known: &Known) -> Option<Fault> {
    let banks = known.number("/state_buffer/banks")?;
    let words = known.number("/state_buffer/words_per_bank")?;
    let limit = u64::from(Params::PARTITION_BYTES_MAX);
    let fields_in_range = banks <= 8 && words <= 4096;
    let too_large = fields_in_range && banks * words * 8 > limit;
    too_large.then(|| {
        let message = format!(
            "is {words}, expected at most {} with {banks} banks: a partition holds at most \
             {limit} bytes",
            limit / 8 / banks
        );
        fault("state_buffer.words_per_bank", message)
    })
}
