//! The clocked traversal unit as seen at its ports.

use super::walk::{Element, Row, Walk};

/// Register group selected by a configuration write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Register {
    /// V, initial offset (selector 0).
    Initial,
    /// X, step (selector 1).
    Step,
    /// Y, end (selector 2).
    End,
    /// Base address; the write also makes the row valid (selector 3).
    Base,
}

/// One configuration write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConfigWrite {
    /// Register group.
    pub register: Register,
    /// Row; writes to a row that does not exist are ignored.
    pub row: usize,
    /// Column, 0 = innermost; ignored for a base.
    pub column: usize,
    /// Value; the low offset or address bits are used.
    pub data: u32,
}

/// Inputs of one clock cycle.
#[derive(Debug, Clone, Default)]
pub struct TraversalInputs {
    /// Clears all registers and aborts.
    pub clear: bool,
    /// Configuration write of this cycle.
    pub write: Option<ConfigWrite>,
    /// Starts the traversal (ignored while busy).
    pub start: bool,
    /// No step is taken while high.
    pub pause: bool,
    /// The consumer takes the address.
    pub ready: bool,
}

/// Outputs of one clock cycle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraversalOutputs {
    /// The element on the output, if valid. The other outputs mean nothing without it.
    pub element: Option<Element>,
    /// Started and not all addresses accepted.
    pub busy: bool,
}

/// Traversal unit with M rows and N loops. Start at t: first address at t + 2, then one per clock.
#[derive(Debug, Clone)]
pub struct TraversalModel {
    offset_bits: u32,
    address_bits: u32,
    rows: Vec<Row>,
    row_valid: Vec<bool>,
    walk: Option<Walk>,
    shown: Option<Element>,
}

impl TraversalModel {
    /// A unit after reset: all registers zero, no row valid.
    pub fn new(rows: usize, loops: usize, offset_bits: u32, address_bits: u32) -> Self {
        Self {
            offset_bits,
            address_bits,
            rows: vec![Row::new(0, &vec![(0, 0, 0); loops]); rows],
            row_valid: vec![false; rows],
            walk: None,
            shown: None,
        }
    }

    /// One clock cycle: returns the outputs of this cycle, then takes the clock edge.
    pub fn step(&mut self, inputs: &TraversalInputs) -> TraversalOutputs {
        let outputs = TraversalOutputs {
            element: self.shown.clone(),
            busy: self.shown.is_some() || self.walk.is_some(),
        };

        if self.shown.is_none() || inputs.ready {
            self.shown = None;
            if !inputs.pause {
                self.shown = self.walk.as_mut().and_then(Walk::next);
            }
        }
        if self.walk.as_ref().is_some_and(|w| !w.has_more()) {
            self.walk = None;
        }
        if inputs.start && !outputs.busy {
            let rows: Vec<(usize, Row)> = (0..self.rows.len())
                .filter(|r| self.row_valid[*r])
                .map(|r| (r, self.rows[r].clone()))
                .collect();
            self.walk = (!rows.is_empty()).then(|| Walk::new(rows, self.address_bits));
        }
        if let Some(write) = inputs.write {
            self.write(write);
        }
        if inputs.clear {
            let loops = self.rows[0].initial.len();
            *self = Self::new(self.rows.len(), loops, self.offset_bits, self.address_bits);
        }
        outputs
    }

    fn write(&mut self, write: ConfigWrite) {
        let Some(row) = self.rows.get_mut(write.row) else {
            return;
        };
        let data = u64::from(write.data);
        let group = match write.register {
            Register::Base => {
                row.base = data & (u64::MAX >> (64 - self.address_bits));
                self.row_valid[write.row] = true;
                return;
            }
            Register::Initial => &mut row.initial,
            Register::Step => &mut row.step,
            Register::End => &mut row.end,
        };
        if let Some(value) = group.get_mut(write.column) {
            *value = data & (u64::MAX >> (64 - self.offset_bits));
        }
    }
}
