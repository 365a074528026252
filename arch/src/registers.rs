//! The registers of a machine with a section `system`: the one table from which the hardware, `docs/registers.md`, the C header
//! and the SystemRDL file are made.

pub(crate) mod header;
mod page;
mod rdl;

use serde_json::{Value, json};

use crate::host::Counter;
use crate::identity::config_hash;
use crate::isa::fields::Field;
use crate::params::Params;

pub use header::header;
pub use page::{field_table, register_table};
pub use rdl::{file_name as rdl_file_name, rdl};

/// Bits of an address of the register port.
pub const ADDRESS_BITS: usize = 12;
/// Value of ID: the register port is the second port of a Heddle machine.
pub const ID: u32 = 0x4845_4402;
/// Version of the map: a greater major one means that a driver has to change.
pub const MAP_VERSION: [u32; 2] = [1, 0];

/// What a host does with a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// Read only.
    RO,
    /// Read and written.
    RW,
    /// A 1 that is written acts; reads 0.
    W1,
    /// A 1 that is written clears the bit.
    W1C,
}

impl Access {
    /// Name in documents.
    pub const fn name(self) -> &'static str {
        match self {
            Access::RO => "RO",
            Access::RW => "RW",
            Access::W1 => "W1",
            Access::W1C => "W1C",
        }
    }
}

/// A field of a register; other bits read 0 and are ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegisterField {
    /// Name, bits and meaning.
    pub field: Field,
    /// What a host does with it.
    pub access: Access,
    /// Value after a reset; `None` if it is a constant of the machine.
    pub reset: Option<u32>,
}

/// Several registers of one kind.
#[derive(Debug, Clone, Copy)]
pub struct Repeat {
    /// Number of the first one.
    pub first: u32,
    /// How many there are.
    pub count: u32,
    /// Bytes from one to the next.
    pub stride: u32,
    /// The name of one.
    pub name: fn(u32) -> String,
}

/// A register, or several of one kind.
#[derive(Debug, Clone, Copy)]
pub struct Register {
    /// Byte address; of several that of number 0, which need not exist.
    pub offset: u32,
    /// Name.
    pub name: &'static str,
    /// What a host has to know of all fields.
    pub doc: &'static str,
    /// Its fields, lowest first.
    pub fields: &'static [RegisterField],
    /// Whether there are several.
    pub repeat: Option<Repeat>,
}

macro_rules! registers {
    ($($(#[$doc:meta])* $module:ident $offset:literal $name:literal $text:literal $(repeat $repeat:expr;)? {
        $($field:ident $high:literal $low:literal $access:ident $meaning:literal $(= $reset:expr)?,)*
    })*) => {
        $(
            $(#[$doc])*
            pub mod $module {
                #[allow(unused_imports, reason = "of rows with constants or repeats alone")]
                use super::*;
                $(
                    #[doc = $meaning]
                    pub const $field: Field = Field {
                        name: stringify!($field),
                        lsb: $low,
                        width: $high - $low + 1,
                        doc: $meaning,
                    };
                )*
                /// The register.
                pub const REGISTER: Register = Register {
                    offset: $offset,
                    name: $name,
                    doc: $text,
                    fields: &[$(RegisterField {
                        field: $field,
                        access: Access::$access,
                        reset: [$($reset,)? Some(0)][0],
                    }),*],
                    repeat: [$(Some($repeat),)? None][0],
                };
            }
        )*
        /// All registers in the order of their addresses.
        pub const REGISTERS: &[Register] = &[$($module::REGISTER),*];
    };
}

/// The value is a constant of the machine.
const OF_MACHINE: Option<u32> = None;

/// The counters of the engine: number i is register i of `docs/isa.md`.
const COUNTERS: Repeat = Repeat {
    first: Counter::StallSums.index(),
    count: Counter::ALL.len() as u32,
    stride: 4,
    name: counter_name,
};

fn counter_name(number: u32) -> String {
    let counter = Counter::ALL
        .iter()
        .find(|counter| counter.index() == number);
    counter.expect("a number of the table").name()
}

// Addresses that are not here belong to the DMA and its job list: 0x024, 0x028, 0x054 to 0x070, 0x080 to 0x0fc and 0x180 to 0x1a8.
registers! {
    /// ID.
    id 0x000 "ID" "which port this is" {
        VALUE 31 0 RO "letters HED, then 2: a register port" = Some(ID),
    }
    /// VERSION.
    version 0x004 "VERSION" "version of this map" {
        MINOR 15 0 RO "goes up with each addition" = Some(MAP_VERSION[1]),
        MAJOR 31 16 RO "goes up when drivers have to change" = Some(MAP_VERSION[0]),
    }
    /// CONFIG.
    config 0x008 "CONFIG" "which machine this is" {
        HASH 31 0 RO "checksum of the configuration, as `heddle config hash` prints it" = OF_MACHINE,
    }
    /// SHAPE.
    shape 0x00c "SHAPE" "the array" {
        ROWS 8 0 RO "rows of the array" = OF_MACHINE,
        COLUMNS 24 16 RO "columns of the array" = OF_MACHINE,
    }
    /// CAPS.
    caps 0x010 "CAPS" "what the machine has" {
        DMA 0 0 RO "a DMA with a job list" = OF_MACHINE,
        PROGRAM_DMA 1 1 RO "programs may load and store" = OF_MACHINE,
        PROGRAM_BANKS 2 2 RO "the program lies in banks of the state buffer" = OF_MACHINE,
        CLUSTER 3 3 RO "a sparse cluster" = OF_MACHINE,
        ADDRESS_BITS 15 8 RO "bits of a DMA address, 0 without a DMA" = OF_MACHINE,
        BANKS 19 16 RO "log2 of the banks of a partition" = OF_MACHINE,
        BANK_WORDS 23 20 RO "log2 of the words of a bank" = OF_MACHINE,
        COLUMN_TILES 27 24 RO "log2 of the column tiles" = OF_MACHINE,
        PROGRAM_WORDS 31 28 RO "log2 of the program words, less 4" = OF_MACHINE,
    }
    /// CTRL.
    ctrl 0x014 "CTRL" "starts and resets" {
        START 0 0 W1 "clear the counters and start at START_PC; a bad access while a program runs or behind an error",
        RESET 1 1 W1 "reset the engine and clear errors; START beside it is ignored",
    }
    /// STATUS.
    status 0x018 "STATUS" "what goes on" {
        RUNNING 0 0 RO "a program runs",
        DONE 1 1 RO "the last run ended with HALT",
        ERROR 2 2 RO "an error stands in ERROR; only RESET clears it",
        RESETTING 5 5 RO "a reset is under way: writes but to IRQ_STATUS and IRQ_ENABLE are bad accesses",
        CLUSTER_BUSY 6 6 RO "the sparse cluster has something under way",
        PORT_BUSY 10 10 RO "the window port has an access under way: writes to PORT registers are bad accesses",
    }
    /// ERROR.
    error 0x01c "ERROR" "the first error" {
        CODE 7 0 RO "number of the error, 0 without one",
        SOURCE 11 8 RO "0 sequencer, 1 weight unit, 2 stream unit, 3 drain unit, 9 sparse cluster",
    }
    /// ERROR_PC.
    error_pc 0x020 "ERROR_PC" "where the first error was" {
        PC 15 0 RO "word address of the instruction",
    }
    /// IRQ_STATUS.
    irq_status 0x02c "IRQ_STATUS" "what has happened; an event in the clock of a clear wins" {
        DONE 0 0 W1C "a program has ended with HALT",
        ERROR 1 1 W1C "an error has stopped the engine",
        BAD_ACCESS 3 3 W1C "a register access was refused",
    }
    /// IRQ_ENABLE.
    irq_enable 0x030 "IRQ_ENABLE" "events that raise `irq_o`" {
        DONE 0 0 RW "a program has ended with HALT",
        ERROR 1 1 RW "an error has stopped the engine",
        BAD_ACCESS 3 3 RW "a register access was refused",
    }
    /// START_PC.
    start_pc 0x034 "START_PC" "where START begins" {
        PC 15 0 RW "word address of the first instruction",
    }
    /// HOST_ZERO.
    host_zero 0x038 "HOST_ZERO" "codec of the window port" {
        ZERO 7 0 RW "zero point of the bytes that pass",
    }
    /// PORT_ADDR.
    port_addr 0x03c "PORT_ADDR" "window port, where" {
        ADDRESS 31 0 RW "address on the host port of `docs/isa.md`, regions 1 to 3; goes up by 8 with each access",
    }
    /// PORT_CTRL.
    port_ctrl 0x040 "PORT_CTRL" "window port, read" {
        READ 0 0 W1 "read the word at PORT_ADDR; it is in PORT_RLO and PORT_RHI when PORT_BUSY is low",
    }
    /// PORT_WLO.
    port_wlo 0x044 "PORT_WLO" "window port, low half of the word to write" {
        WORD 31 0 RW "bits 31..0",
    }
    /// PORT_WHI.
    port_whi 0x048 "PORT_WHI" "window port, high half; a write to it writes the word at PORT_ADDR" {
        WORD 31 0 RW "bits 63..32",
    }
    /// PORT_RLO.
    port_rlo 0x04c "PORT_RLO" "window port, low half of the word read" {
        WORD 31 0 RO "bits 31..0",
    }
    /// PORT_RHI.
    port_rhi 0x050 "PORT_RHI" "window port, high half of the word read" {
        WORD 31 0 RO "bits 63..32",
    }
    /// The counters of the engine.
    counter 0x100 "COUNTER" "counters of the engine; those that the machine lacks read 0" repeat COUNTERS; {
        COUNT 31 0 RO "as in `docs/isa.md`: cleared by a start, wraps",
    }
}

impl RegisterField {
    /// Its value in the word of the whole register after a reset.
    fn reset_in(&self, word: u32) -> u32 {
        self.reset.unwrap_or_else(|| self.field.get(word))
    }
}

impl Register {
    /// Name and address of each, in order.
    pub fn instances(&self) -> Vec<(String, u32)> {
        let Some(repeat) = self.repeat else {
            return vec![(self.name.to_string(), self.offset)];
        };
        let numbers = repeat.first..repeat.first + repeat.count;
        let place = |number| ((repeat.name)(number), self.offset + repeat.stride * number);
        numbers.map(place).collect()
    }

    /// What a host does with its fields, each kind once: `W1, RW`.
    pub fn access(&self) -> String {
        let mut names: Vec<&str> = Vec::new();
        for field in self.fields {
            if !names.contains(&field.access.name()) {
                names.push(field.access.name());
            }
        }
        names.join(", ")
    }

    /// Its word after a reset.
    pub fn reset(&self, params: &Params) -> u32 {
        let word = machine_word(self.offset, params);
        let fields = self.fields.iter();
        fields.fold(0, |all, field| all | field.field.put(field.reset_in(word)))
    }
}

/// The word of a register whose value is a constant of the machine.
fn machine_word(offset: u32, params: &Params) -> u32 {
    match offset {
        0x008 => config_hash(params),
        0x00c => shape::ROWS.put(params.array.rows) | shape::COLUMNS.put(params.array.cols),
        0x010 => {
            caps::PROGRAM_BANKS.flag(params.program_banks() > 0)
                | caps::CLUSTER.flag(params.has_cluster())
                | caps::BANKS.put(params.state_buffer.banks.ilog2())
                | caps::BANK_WORDS.put(params.state_buffer.words_per_bank.ilog2())
                | caps::COLUMN_TILES.put(params.column_tiles.ilog2())
                | caps::PROGRAM_WORDS.put(params.program.words.ilog2() - 4)
        }
        _ => 0,
    }
}

/// The table of a machine as data: what other forms of it are compared with.
pub fn to_json(params: &Params) -> Value {
    let entry = |register: &Register, name: String, offset: u32| {
        let word = register.reset(params);
        let fields = register.fields.iter().map(|f| {
            json!({
                "name": f.field.name, "lsb": f.field.lsb, "width": f.field.width,
                "access": f.access.name(), "reset": f.field.get(word),
            })
        });
        json!({ "name": name, "offset": offset, "reset": word, "fields": fields.collect::<Vec<_>>() })
    };
    let all = REGISTERS.iter().flat_map(|register| {
        let instances = register.instances().into_iter();
        instances.map(move |(name, offset)| entry(register, name, offset))
    });
    json!(all.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_address_and_no_bit_has_two_meanings() {
        let mut taken = Vec::new();
        for register in REGISTERS {
            let mut bits = 0u32;
            for field in register.fields.iter().map(|field| field.field) {
                assert!(
                    field.width > 0 && field.lsb + field.width <= 32,
                    "{} {}",
                    register.name,
                    field.name
                );
                assert_eq!(bits >> field.lsb, 0, "{} {}", register.name, field.name);
                bits |= field.mask();
            }
            assert_ne!(bits, 0, "{} has fields", register.name);
            for (name, offset) in register.instances() {
                assert_eq!(offset % 4, 0, "{name}");
                assert!(offset < 1 << ADDRESS_BITS, "{name}");
                taken.push((offset, name));
            }
        }
        assert_eq!(taken.len(), 19 + Counter::ALL.len());
        let (mut offsets, mut names): (Vec<u32>, Vec<String>) = taken.into_iter().unzip();
        assert!(offsets.is_sorted(), "{offsets:x?}");
        offsets.dedup();
        names.sort();
        names.dedup();
        assert_eq!((offsets.len(), names.len()), (45, 45));
    }

    #[test]
    fn values_after_a_reset_fit_their_fields() {
        for register in REGISTERS {
            for RegisterField {
                field,
                access,
                reset,
            } in register.fields
            {
                match reset {
                    Some(value) => {
                        assert_eq!(field.get(field.put(*value)), *value, "{}", field.name)
                    }
                    None => assert_eq!(*access, Access::RO, "{}", field.name),
                }
            }
        }
    }

    #[test]
    fn addresses_of_later_registers_are_free() {
        let later = [0x024, 0x028].into_iter().chain((0x054..=0x070).step_by(4));
        let later = later
            .chain((0x080..0x100).step_by(4))
            .chain((0x180..=0x1a8).step_by(4));
        let all: Vec<_> = REGISTERS.iter().flat_map(Register::instances).collect();
        for offset in later {
            assert!(all.iter().all(|(_, taken)| *taken != offset), "{offset:#x}");
        }
    }
}
