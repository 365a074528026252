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
    /// Only a machine with a DMA has it.
    pub dma: bool,
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
    /// Only a machine with a DMA has it.
    pub dma: bool,
    /// Whether there are several.
    pub repeat: Option<Repeat>,
}

macro_rules! registers {
    (@dma) => { false };
    (@dma $dma:ident) => { true };
    ($($(#[$doc:meta])* $module:ident $offset:literal $(@$dma:ident)? $name:literal $text:literal $(repeat $repeat:expr;)? {
        $($field:ident $high:literal $low:literal $access:ident $(@$field_dma:ident)? $meaning:literal $(= $reset:expr)?,)*
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
                        dma: registers!(@dma $($field_dma)?),
                    }),*],
                    dma: registers!(@dma $($dma)?),
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

/// Four of a kind in the register port of a DMA.
const fn four(stride: u32, name: fn(u32) -> String) -> Repeat {
    Repeat {
        first: 0,
        count: 4,
        stride,
        name,
    }
}

/// Names of the counters of the DMA, in the order of their registers.
pub const DMA_COUNTERS: [&str; 11] = [
    "LOAD_WORDS",
    "STORE_WORDS",
    "READ_BURSTS",
    "WRITE_BURSTS",
    "STALL_LOAD",
    "STALL_STORE",
    "LOAD_YIELDS",
    "STORE_YIELDS",
    "R_IDLE",
    "W_WAIT",
    "JOBS",
];

/// The counters of the DMA.
const OF_DMA: Repeat = Repeat {
    first: 0,
    count: DMA_COUNTERS.len() as u32,
    stride: 4,
    name: |number| DMA_COUNTERS[number as usize].into(),
};

fn counter_name(number: u32) -> String {
    let counter = Counter::ALL
        .iter()
        .find(|counter| counter.index() == number);
    counter.expect("a number of the table").name()
}

// What has `@dma` is there with a DMA alone; other machines treat it as an address or a bit of nothing.
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
        QUEUE 4 4 RW @dma "take entries of the ring; a bad access behind an error or while STATUS has HUNG",
        LOCK 8 8 RW @dma "windows and AXI_ATTR cannot be written; set only, until the reset of the machine",
    }
    /// STATUS.
    status 0x018 "STATUS" "what goes on" {
        RUNNING 0 0 RO "a program runs",
        DONE 1 1 RO "the last run ended with HALT",
        ERROR 2 2 RO "an error stands in ERROR; only RESET clears it",
        QUEUE_EMPTY 3 3 RO @dma "all entries were taken, and no command of theirs is open" = Some(1),
        HUNG 4 4 RO @dma "the bus owes answers behind a time-out; nothing starts",
        RESETTING 5 5 RO "a reset is under way: writes but to IRQ_STATUS and IRQ_ENABLE are bad accesses",
        CLUSTER_BUSY 6 6 RO "the sparse cluster has something under way",
        LOAD_BUSY 8 8 RO @dma "a load is under way",
        STORE_BUSY 9 9 RO @dma "a store is under way",
        PORT_BUSY 10 10 RO "the window port has an access under way: writes to PORT registers are bad accesses",
        PROGRAM_LOADS 15 12 RO @dma "open loads of the program",
        PROGRAM_STORES 19 16 RO @dma "open stores of the program",
        JOB_LOADS 23 20 RO @dma "open loads of jobs",
        JOB_STORES 27 24 RO @dma "open stores of jobs",
    }
    /// ERROR.
    error 0x01c "ERROR" "the first error" {
        CODE 7 0 RO "number of the error, 0 without one",
        SOURCE 11 8 RO "0 sequencer, 1 weight unit, 2 stream unit, 3 drain unit, 4 load, 5 store, 6 job list, 9 sparse cluster",
        RESPONSE 13 12 RO @dma "response of the bus, of error BUS",
        PROGRAM 14 14 RO @dma "the command is one of a program",
    }
    /// ERROR_PC.
    error_pc 0x020 "ERROR_PC" "where the first error was" {
        PC 15 0 RO "word address of the instruction, 0 of a job",
        INDEX 25 16 RO @dma "ring index of the entry: of the command, or of the RUN of the program",
    }
    /// ERROR_ADDR_LO.
    error_addr_lo 0x024 @dma "ERROR_ADDR_LO" "address of the burst of the first error, low half" {
        ADDRESS 31 0 RO "bits 31..0 of the byte address, else 0",
    }
    /// ERROR_ADDR_HI.
    error_addr_hi 0x028 @dma "ERROR_ADDR_HI" "address of the burst of the first error, high half" {
        ADDRESS 7 0 RO "bits 39..32",
    }
    /// IRQ_STATUS.
    irq_status 0x02c "IRQ_STATUS" "what has happened; an event in the clock of a clear wins" {
        DONE 0 0 W1C "a program of START has ended with HALT, or a fence with an interrupt was passed",
        ERROR 1 1 W1C "an error has stopped the engine",
        QUEUE_EMPTY 2 2 W1C @dma "all entries were taken, and no command of theirs is open any more",
        BAD_ACCESS 3 3 W1C "a register access was refused",
    }
    /// IRQ_ENABLE.
    irq_enable 0x030 "IRQ_ENABLE" "events that raise `irq_o`" {
        DONE 0 0 RW "a program of START has ended with HALT, or a fence with an interrupt was passed",
        ERROR 1 1 RW "an error has stopped the engine",
        QUEUE_EMPTY 2 2 RW @dma "all entries were taken, and no command of theirs is open any more",
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
    /// Q_BASE_LO.
    q_base_lo 0x054 @dma "Q_BASE_LO" "ring of jobs, low half of its byte address" {
        ADDRESS 31 6 RW "bits 31..6: a multiple of 64",
    }
    /// Q_BASE_HI.
    q_base_hi 0x058 @dma "Q_BASE_HI" "ring of jobs, high half of its byte address" {
        ADDRESS 7 0 RW "bits 39..32; those beyond the address bits of the machine are ignored",
    }
    /// Q_SIZE.
    q_size 0x05c @dma "Q_SIZE" "ring of jobs, how many entries" {
        LOG 3 0 RW "log2 of the entries, 1 to 10; another value is a bad access" = Some(1),
    }
    /// Q_TAIL.
    q_tail 0x060 @dma "Q_TAIL" "ring of jobs, doorbell" {
        INDEX 9 0 RW "the first entry that is not to be taken; beyond the ring it is a bad access",
    }
    /// Q_HEAD.
    q_head 0x064 @dma "Q_HEAD" "ring of jobs, progress" {
        INDEX 9 0 RO "the next entry to be taken",
    }
    /// Q_SEQ.
    q_seq 0x068 @dma "Q_SEQ" "ring of jobs, fences" {
        COUNT 31 0 RO "fences passed since the last RESET",
    }
    /// AXI_ATTR.
    axi_attr 0x06c @dma "AXI_ATTR" "attributes of the bursts of the DMA" {
        ARCACHE 3 0 RW "ARCACHE" = Some(2),
        PROT 6 4 RW "ARPROT and AWPROT",
        QOS 11 8 RW "ARQOS and AWQOS",
        AWCACHE 15 12 RW "AWCACHE; not bufferable: an answer means that the bytes are in memory" = Some(2),
    }
    /// TIMEOUT.
    timeout 0x070 @dma "TIMEOUT" "how long the bus may keep a channel waiting" {
        LOG 4 0 RW "log2 of the clocks, 0 no end" = Some(20),
    }
    /// REGION LO.
    region_lo 0x080 @dma "REGION_LO" "image, input, output, scratch: low half of the byte address; entries write it too" repeat four(8, |i| format!("REGION{i}_LO")); {
        ADDRESS 31 3 RW "bits 31..3: a multiple of 8",
    }
    /// REGION HI.
    region_hi 0x084 @dma "REGION_HI" "image, input, output, scratch: high half of the byte address" repeat four(8, |i| format!("REGION{i}_HI")); {
        ADDRESS 7 0 RW "bits 39..32; those beyond the address bits of the machine are ignored",
    }
    /// WINDOW BASE.
    window_base 0x0c0 @dma "WINDOW_BASE" "first page of 4 KiB that the DMA may reach" repeat four(16, |i| format!("WINDOW{i}_BASE")); {
        PAGE 27 0 RW "byte address / 4096",
    }
    /// WINDOW LIMIT.
    window_limit 0x0c4 @dma "WINDOW_LIMIT" "last page of 4 KiB that the DMA may reach" repeat four(16, |i| format!("WINDOW{i}_LIMIT")); {
        PAGE 27 0 RW "byte address / 4096; this page is in the window",
    }
    /// WINDOW CTRL.
    window_ctrl 0x0c8 @dma "WINDOW_CTRL" "what the DMA may do in the window" repeat four(16, |i| format!("WINDOW{i}_CTRL")); {
        READ 0 0 RW "read",
        WRITE 1 1 RW "write",
    }
    /// The counters of the engine.
    counter 0x100 "COUNTER" "counters of the engine; those that the machine lacks read 0" repeat COUNTERS; {
        COUNT 31 0 RO "as in `docs/isa.md`: cleared by a start, wraps",
    }
    /// The counters of the DMA.
    dma_counter 0x180 @dma "DMA_COUNTER" "counters of the DMA" repeat OF_DMA; {
        COUNT 31 0 RO "as in `docs/dma.md`: cleared by RESET, wraps",
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

    /// The fields that a machine has.
    pub fn fields_of(&self, params: &Params) -> impl Iterator<Item = &'static RegisterField> {
        let dma = params.has_dma();
        self.fields.iter().filter(move |field| dma || !field.dma)
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
        let fields = self.fields_of(params);
        fields.fold(0, |all, field| all | field.field.put(field.reset_in(word)))
    }
}

/// The registers of a machine.
pub fn of(params: &Params) -> impl Iterator<Item = &'static Register> {
    let dma = params.has_dma();
    REGISTERS
        .iter()
        .filter(move |register| dma || !register.dma)
}

/// The word of a register whose value is a constant of the machine.
fn machine_word(offset: u32, params: &Params) -> u32 {
    match offset {
        0x008 => config_hash(params),
        0x00c => shape::ROWS.put(params.array.rows) | shape::COLUMNS.put(params.array.cols),
        0x010 => {
            caps::DMA.flag(params.has_dma())
                | caps::PROGRAM_DMA.flag(params.programs_move())
                | caps::PROGRAM_BANKS.flag(params.program_banks() > 0)
                | caps::CLUSTER.flag(params.has_cluster())
                | caps::ADDRESS_BITS.put(params.dma().map_or(0, |dma| dma.address_bits))
                | caps::BANKS.put(params.state_buffer.banks.ilog2())
                | caps::BANK_WORDS.put(params.state_buffer.words_per_bank.ilog2())
                | caps::COLUMN_TILES.put(params.column_tiles.ilog2())
                | caps::PROGRAM_WORDS.put(params.program.words.ilog2() - 4)
        }
        _ => 0,
    }
}

/// The table of a machine as data, by address: what other forms of it are compared with.
pub fn to_json(params: &Params) -> Value {
    let entry = |register: &Register, name: String, offset: u32| {
        let word = register.reset(params);
        let fields = register.fields_of(params).map(|f| {
            json!({
                "name": f.field.name, "lsb": f.field.lsb, "width": f.field.width,
                "access": f.access.name(), "reset": f.field.get(word),
            })
        });
        json!({ "name": name, "offset": offset, "reset": word, "fields": fields.collect::<Vec<_>>() })
    };
    let mut all: Vec<_> = of(params)
        .flat_map(|register| { register.instances().into_iter() }.map(move |one| (register, one)))
        .collect();
    all.sort_by_key(|(_, (_, offset))| *offset);
    let all = all
        .into_iter()
        .map(|(register, (name, offset))| entry(register, name, offset));
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
        let (of_all, of_dma) = (19 + Counter::ALL.len(), 10 + 8 + 12 + DMA_COUNTERS.len());
        assert_eq!(taken.len(), of_all + of_dma);
        let (mut offsets, mut names): (Vec<u32>, Vec<String>) = taken.into_iter().unzip();
        offsets.sort();
        offsets.dedup();
        names.sort();
        names.dedup();
        assert_eq!((offsets.len(), names.len()), (86, 86));
    }

    #[test]
    fn values_after_a_reset_fit_their_fields() {
        for register in REGISTERS {
            for RegisterField {
                field,
                access,
                reset,
                ..
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
}
