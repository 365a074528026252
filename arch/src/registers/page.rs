//! The tables of `docs/registers.md`.

use super::{REGISTERS, Register};

/// A line for each register.
pub fn register_table() -> String {
    let head = "| address | register | access | what |\n|---|---|---|---|\n";
    let row = |register: &Register| {
        let (place, name) = match register.repeat {
            None => (format!("0x{:03X}", register.offset), register.name.into()),
            Some(repeat) => (
                format!("0x{:03X} + {} i", register.offset, repeat.stride),
                format!(
                    "{} i, i = {}..{}",
                    register.name,
                    repeat.first,
                    repeat.first + repeat.count - 1
                ),
            ),
        };
        format!(
            "| {place} | {name} | {} | {}{} |\n",
            register.access(),
            register.doc,
            with_dma(register.dma)
        )
    };
    head.to_string() + &REGISTERS.iter().map(row).collect::<String>()
}

/// What stands behind that of which only a machine with a DMA has it.
fn with_dma(dma: bool) -> &'static str {
    if dma { " (DMA)" } else { "" }
}

/// A line for each field.
pub fn field_table() -> String {
    let head =
        "| register | bits | field | access | after reset | meaning |\n|---|---|---|---|---|---|\n";
    let rows = REGISTERS.iter().flat_map(|register| {
        register.fields.iter().map(|field| {
            let bits = field.field.bits();
            let reset = match field.reset {
                None => "of the machine".to_string(),
                Some(value) if value > 9 => format!("0x{value:08X}"),
                Some(value) => value.to_string(),
            };
            format!(
                "| {} | `{bits}` | {} | {} | {reset} | {}{} |\n",
                register.name,
                field.field.name,
                field.access.name(),
                field.field.doc,
                with_dma(register.dma || field.dma)
            )
        })
    });
    head.to_string() + &rows.collect::<String>()
}
