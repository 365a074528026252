//! Rules of a configuration that the schema cannot express.

use serde_json::Value;

use crate::fault::Fault;
use crate::params::{Params, program_banks};

mod offsets;
mod post;
mod slices;
mod sparse;
mod system;

/// Numbers of banks that a partition may have.
const BANKS: [u64; 3] = [2, 4, 8];
/// Fewest words of a program memory.
const PROGRAM_WORDS_MIN: u64 = 64;

/// Adds the violations of all rules whose fields are free of faults.
pub(crate) fn check(value: &Value, faults: &mut Vec<Fault>) {
    let known = Known { value };
    let checks = [
        name(&known),
        offset_bits(&known),
        unit_loops(&known, "weights"),
        unit_loops(&known, "stream"),
        unit_loops(&known, "drain"),
        partition_bytes(&known),
        banks(&known),
        input_banks(&known),
        program(&known),
        multipliers(&known),
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
    sparse::check(value, faults);
    system::check(value, faults);
}

struct Known<'a> {
    value: &'a Value,
}

impl Known<'_> {
    fn number(&self, pointer: &str) -> Option<u64> {
        self.value.pointer(pointer)?.as_u64()
    }

    /// Banks that the program takes; 0 if it has a memory of its own.
    fn program_banks(&self) -> Option<u64> {
        if self
            .value
            .pointer("/program/memory")
            .and_then(Value::as_str)
            != Some("banks")
        {
            return Some(0);
        }
        let small = |pointer| u32::try_from(self.number(pointer)?).ok().filter(|n| *n > 0);
        let words = small("/program/words")?;
        let (rows, bank) = (
            small("/array/rows")?,
            small("/state_buffer/words_per_bank")?,
        );
        Some(program_banks(words, rows, bank).into())
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

fn unit_loops(known: &Known, unit: &str) -> Option<Fault> {
    let rows = known.number("/traversal/rows")?;
    let most = known.number("/traversal/loops")?;
    let list = known.value.pointer("/traversal/units")?.get(unit)?;
    let loops: Option<Vec<u64>> = list.as_array()?.iter().map(Value::as_u64).collect();
    let loops = loops?;
    let allowed = match loops.iter().max()? {
        _ if loops.len() as u64 > rows => format!("at most {rows} rows, traversal.rows"),
        largest if *largest > most => format!("at most {most} loops in a row, traversal.loops"),
        0 => "a row with at least 1 loop".to_string(),
        _ => return None,
    };
    let message = format!("is {loops:?}, expected {allowed}");
    Some(fault(&format!("traversal.units.{unit}"), message))
}

fn banks(known: &Known) -> Option<Fault> {
    let banks = known.number("/state_buffer/banks")?;
    let wanted = known
        .value
        .pointer("/state_buffer/bank_per_client")?
        .as_bool()?;
    let clients = u64::from(Params::PARTITION_CLIENTS);
    let program = known.program_banks()?;
    // Beside a program that leaves too few of any number of banks there is no right one.
    let enough = BANKS.into_iter().find(|&n| n >= clients + program)?;
    let too_few = wanted && banks < enough;
    too_few.then(|| {
        let beside = match program {
            0 => String::new(),
            _ => format!(" beside {program} of the program"),
        };
        let message = format!(
            "is {banks}, expected at least {enough} with \"bank_per_client\": operands, weights and the drain, {clients} \
             clients{beside}, may use a partition in one clock"
        );
        fault("state_buffer.banks", message)
    })
}

fn multipliers(known: &Known) -> Option<Fault> {
    let cols = known.number("/array/cols")?;
    let shared = known.number("/post/columns_per_multiplier")?;
    let is_wrong = matches!(shared, 2 | 4) && cols % shared != 0;
    is_wrong.then(|| {
        let allowed = if cols % 2 == 0 { "1 or 2" } else { "1" };
        let message =
            format!("is {shared}, expected {allowed}: a divisor of array.cols, which is {cols}");
        fault("post.columns_per_multiplier", message)
    })
}

fn input_banks(known: &Known) -> Option<Fault> {
    let banks = known.number("/state_buffer/banks")?;
    let input = known.number("/state_buffer/input_banks")?;
    let least = u64::from(Params::WORK_BANKS_MIN);
    let too_many = BANKS.contains(&banks) && input + least > banks;
    too_many.then(|| {
        let message = format!(
            "is {input}, expected at most {} with {banks} banks: {least} others hold weights and results",
            banks - least
        );
        fault("state_buffer.input_banks", message)
    })
}

fn program(known: &Known) -> Option<Fault> {
    let banks = known.number("/state_buffer/banks")?;
    let needed = known.program_banks()?;
    let input = known.number("/state_buffer/input_banks").unwrap_or(0);
    let least = u64::from(Params::WORK_BANKS_MIN);
    let clients = u64::from(Params::PARTITION_CLIENTS);
    let too_few = BANKS.contains(&banks) && input + least <= banks;
    // Banks for all clients that no number of banks has beside the program.
    let apart = known.value.pointer("/state_buffer/bank_per_client");
    let apart = apart.and_then(Value::as_bool) == Some(true) && needed + clients > BANKS[2];
    let least = if apart {
        least.max(clients.saturating_sub(input))
    } else {
        least
    };
    let too_many = too_few && needed + input + least > banks;
    too_many.then(|| {
        let apart = match input {
            0 => format!("{banks} banks"),
            _ => format!("{banks} banks, {input} of them for the input"),
        };
        let others = format!("{least} others hold weights and results");
        let room = banks.saturating_sub(input + least);
        // Each bank more holds as many words more; their number is a power of two.
        let words = known.number("/program/words").unwrap_or(0);
        let most = room
            .checked_ilog2()
            .map_or(0, |power| (words / needed) << power);
        if most < PROGRAM_WORDS_MIN {
            let message = format!("is \"banks\", expected \"separate\" with {apart}: {others}");
            return fault("program.memory", message);
        }
        let message = format!(
            "is {words}, expected at most {most} with \"memory\": \"banks\" and {apart}: {others}"
        );
        fault("program.words", message)
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
