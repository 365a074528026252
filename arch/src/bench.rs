//! A test bench of the register port, Verilog-2005: that a machine stands in a project as it should.

use crate::params::{Params, RegisterBus};
use crate::registers::{self, id, irq_enable, irq_status, start_pc};

const HEAD: &str = include_str!("bench/head.v");
const AXIL: &str = include_str!("bench/axil.v");
const WISHBONE: &str = include_str!("bench/wishbone.v");
const TAIL: &str = include_str!("bench/tail.v");

/// Reads what says which machine it is, writes and reads a register, and makes an interrupt. `module` is the name of the bench, `top` that of the
/// machine. Without a register port there is none.
pub fn bench(params: &Params, module: &str, top: &str, version: &str) -> Option<String> {
    let bus = match params.system.as_ref()?.registers {
        RegisterBus::Axil => AXIL,
        RegisterBus::Wishbone => WISHBONE,
    };
    let constants = registers::of(params).filter(|register| {
        let mut fields = register.fields_of(params);
        fields.any(|field| field.reset != Some(0))
    });
    let reads = constants.map(|register| {
        let (place, word) = (register.offset, register.reset(params));
        format!(
            "    expect_word(12'h{place:03X}, 32'h{word:08X});  // {}\n",
            register.name
        )
    });
    let hex = |number: u32| format!("h{number:03X}");
    let words = [
        ("VERSION", version.to_string()),
        ("CONFIGURATION", params.name.clone()),
        ("MODULE", module.to_string()),
        ("TOP", top.to_string()),
        ("READS", reads.collect::<String>().trim().to_string()),
        ("START_PC", hex(start_pc::REGISTER.offset)),
        ("IRQ_STATUS", hex(irq_status::REGISTER.offset)),
        ("IRQ_ENABLE", hex(irq_enable::REGISTER.offset)),
        ("ID", hex(id::REGISTER.offset)),
        ("BAD_ACCESS", hex(irq_status::BAD_ACCESS.mask())),
    ];
    let text = format!("{HEAD}{bus}{TAIL}");
    Some(words.iter().fold(text, |text, (name, word)| {
        text.replace(&format!("@{name}"), word)
    }))
}
