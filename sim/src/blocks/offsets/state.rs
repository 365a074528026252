//! Registers, tables, and what a write does to them.

use super::expand::{self, Expanded};
use super::options::UnitOptions;

/// What a write is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegisterKind {
    /// A register.
    Register,
    /// An entry of the table of bases.
    Base,
    /// An entry of the table of offsets.
    Offset,
    /// There is nothing of this kind.
    Nothing,
}

impl RegisterKind {
    /// The code at the port.
    pub fn code(self) -> u64 {
        match self {
            Self::Register => 0,
            Self::Base => 1,
            Self::Offset => 2,
            Self::Nothing => 3,
        }
    }
}

/// One write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Write {
    /// What it is for.
    pub kind: RegisterKind,
    /// Register or entry.
    pub index: u16,
    /// Value.
    pub data: u32,
    /// Of a base: bit v is 1 if filter row v lies in the image; of an offset: one-hot v.
    pub row: u16,
    /// The same for the filter columns.
    pub col: u16,
}

impl Write {
    /// A register.
    pub fn register(index: u16, data: u32) -> Self {
        Self {
            kind: RegisterKind::Register,
            index,
            data,
            row: 0,
            col: 0,
        }
    }
}

/// A table entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableEntry {
    /// Base or offset, address bits only.
    pub value: u32,
    /// Mask or one-hot row.
    pub row: u16,
    /// Mask or one-hot column.
    pub col: u16,
}

/// The registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Registers {
    /// Byte address of the first operand.
    pub a_origin: u32,
    /// Address of the first weight word.
    pub b_origin: u16,
    /// T: GEMM rows.
    pub gemm_rows: u16,
    /// K: taps.
    pub taps: u16,
    /// N: output channels.
    pub outputs: u16,
    /// Entry of the first base.
    pub base_ptr: u16,
    /// Entry of the first offset.
    pub offset_ptr: u16,
    /// Shift of all entries.
    pub unit_shift: u32,
    /// Bit 0: weight stationary; bit 1: steps; bit 2: masks.
    pub mode: u32,
    /// EX_TABLE, EX_ENTRY, EX_VALUE, EX_COUNT0, EX_STEP0, EX_COUNT1, EX_STEP1, EX_COUNT2, EX_STEP2.
    pub expander: [u32; 9],
}

/// Everything that lasts from run to run.
#[derive(Debug, Clone)]
pub struct OffsetState {
    /// What is built.
    pub options: UnitOptions,
    /// The registers.
    pub registers: Registers,
    /// Bases; `None` until written.
    pub bases: Vec<Option<TableEntry>>,
    /// Offsets; `None` until written.
    pub offsets: Vec<Option<TableEntry>>,
    /// A write was refused after the last accepted start.
    pub refused: bool,
}

impl OffsetState {
    /// Counts are 0, tables undefined.
    pub fn new(options: &UnitOptions) -> Self {
        Self {
            options: *options,
            registers: Registers::default(),
            bases: vec![None; options.bases],
            offsets: vec![None; options.offsets],
            refused: false,
        }
    }

    /// A write taken from the port. Returns what the expander does now; that it stops at the end of
    /// a table counts as refused as well.
    pub fn write(&mut self, write: &Write, busy: bool) -> Option<Expanded> {
        let done = match busy {
            true => Err(Refused),
            false => self.accept(write),
        };
        let Ok(expanded) = done else {
            self.refused = true;
            return None;
        };
        self.refused |= expanded.is_some_and(|expanded| expanded.cut);
        expanded
    }

    fn accept(&mut self, write: &Write) -> Result<Option<Expanded>, Refused> {
        let entry = TableEntry {
            value: self.options.address(write.data.into()),
            row: self.options.mask(write.row),
            col: self.options.mask(write.col),
        };
        let index = usize::from(write.index);
        match write.kind {
            RegisterKind::Register => return self.set_register(write),
            RegisterKind::Base => *self.bases.get_mut(index).ok_or(Refused)? = Some(entry),
            RegisterKind::Offset => *self.offsets.get_mut(index).ok_or(Refused)? = Some(entry),
            RegisterKind::Nothing => return Err(Refused),
        }
        Ok(None)
    }

    fn set_register(&mut self, write: &Write) -> Result<Option<Expanded>, Refused> {
        let (index, data) = (write.index, write.data);
        let address = self.options.address(data.into());
        let registers = &mut self.registers;
        match index {
            0 => registers.a_origin = address,
            1 => registers.b_origin = data as u16,
            2 => registers.gemm_rows = data as u16,
            3 => registers.taps = data as u16,
            4 => registers.outputs = data as u16,
            5 => registers.base_ptr = data as u16,
            6 => registers.offset_ptr = data as u16,
            7 => registers.unit_shift = data,
            8 => registers.mode = data,
            16..=24 if self.options.expand => {
                registers.expander[usize::from(index - 16)] = data;
            }
            25 if self.options.expand => {
                let expanded = expand::expand(self, data & 1 == 1, write.row, write.col);
                return Ok(Some(expanded.ok_or(Refused)?));
            }
            _ => return Err(Refused),
        }
        Ok(None)
    }
}

/// The write changes nothing.
struct Refused;
