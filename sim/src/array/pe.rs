//! The clocked processing elements. Everything happens at the clock edge.

/// Inputs of one processing element.
#[derive(Debug, Clone, Copy, Default)]
pub struct PeInputs {
    /// Operand, 9 bits signed.
    pub x: i16,
    /// The operand is not zero; if false, it is zero whatever `x` is.
    pub nz: bool,
    /// The shadow weight becomes active for the slots after this one.
    pub swap: bool,
    /// Take `w` into the shadow weight.
    pub shift: bool,
    /// Weight.
    pub w: i8,
    /// Sum from above, one cycle later than its operand.
    pub psum: i32,
}

/// Outputs of one processing element, all registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PeOutputs {
    /// The last operand that was not zero.
    pub x: i16,
    /// The operand of the cycle before is not zero.
    pub nz: bool,
    /// Swap flag of the cycle before.
    pub swap: bool,
    /// Shadow weight.
    pub w: i8,
    /// Sum, two cycles after its operand.
    pub psum: i32,
}

/// One processing element.
#[derive(Debug, Clone, Copy, Default)]
pub struct PeModel {
    shown: PeOutputs,
    active: i8,
    product: i32,
}

impl PeModel {
    /// Outputs of the current cycle: functions of registers only.
    pub fn outputs(&self) -> PeOutputs {
        self.shown
    }

    /// One clock cycle: returns the outputs of this cycle, then takes the clock edge.
    pub fn step(&mut self, inputs: &PeInputs) -> PeOutputs {
        let outputs = self.shown;
        self.shown.psum = inputs.psum.wrapping_add(self.product);
        self.product = match inputs.nz {
            true => i32::from(inputs.x) * i32::from(self.active),
            false => 0,
        };
        if inputs.swap {
            self.active = outputs.w;
        }
        if inputs.shift {
            self.shown.w = inputs.w;
        }
        if inputs.nz {
            self.shown.x = inputs.x;
        }
        self.shown.nz = inputs.nz;
        self.shown.swap = inputs.swap;
        outputs
    }
}

/// Inputs of a row of processing elements.
#[derive(Debug, Clone, Default)]
pub struct PeRowInputs {
    /// Operand of the first column.
    pub x: i16,
    /// That operand is not zero.
    pub nz: bool,
    /// Swap flag of the first column.
    pub swap: bool,
    /// Take a word into the shadow weights (all columns at once).
    pub shift: bool,
    /// Weight word: byte c for column c below 8.
    pub w: u64,
    /// Sum from above per column.
    pub psum: Vec<i32>,
}

/// A row of processing elements.
#[derive(Debug, Clone)]
pub struct PeRowModel {
    pes: Vec<PeModel>,
}

impl PeRowModel {
    /// A row with `cols` columns.
    pub fn new(cols: usize) -> Self {
        Self {
            pes: vec![PeModel::default(); cols],
        }
    }

    /// One clock cycle: returns the sum of each column, then takes the clock edge.
    ///
    /// # Panics
    /// If `inputs.psum` does not have one entry per column.
    pub fn step(&mut self, inputs: &PeRowInputs) -> Vec<i32> {
        let before: Vec<PeOutputs> = self.pes.iter().map(PeModel::outputs).collect();
        for (c, pe) in self.pes.iter_mut().enumerate() {
            let (x, nz, swap) = match c {
                0 => (inputs.x, inputs.nz, inputs.swap),
                _ => (before[c - 1].x, before[c - 1].nz, before[c - 1].swap),
            };
            let w = match c {
                0..8 => inputs.w.to_le_bytes()[c] as i8,
                _ => before[c - 8].w,
            };
            pe.step(&PeInputs {
                x,
                nz,
                swap,
                shift: inputs.shift,
                w,
                psum: inputs.psum[c],
            });
        }
        before.iter().map(|pe| pe.psum).collect()
    }
}

/// Inputs of the array.
#[derive(Debug, Clone, Default)]
pub struct PeArrayInputs {
    /// Operand per row.
    pub x: Vec<i16>,
    /// Not-zero flag per row.
    pub nz: Vec<bool>,
    /// Swap flag per row.
    pub swap: Vec<bool>,
    /// Shift enable per row.
    pub shift: Vec<bool>,
    /// Weight word per row.
    pub w: Vec<u64>,
    /// Value entering at the top per column.
    pub psum: Vec<i32>,
}

impl PeArrayInputs {
    /// Inputs that do nothing.
    pub fn idle(rows: usize, cols: usize) -> Self {
        Self {
            x: vec![0; rows],
            nz: vec![false; rows],
            swap: vec![false; rows],
            shift: vec![false; rows],
            w: vec![0; rows],
            psum: vec![0; cols],
        }
    }
}

/// The array: sums travel down, operands travel right.
#[derive(Debug, Clone)]
pub struct PeArrayModel {
    rows: Vec<PeRowModel>,
}

impl PeArrayModel {
    /// An array of `rows` by `cols` processing elements.
    pub fn new(rows: usize, cols: usize) -> Self {
        Self {
            rows: vec![PeRowModel::new(cols); rows],
        }
    }

    /// One clock cycle: returns the sum of each column below the last row, then takes the edge.
    ///
    /// # Panics
    /// If an input vector does not have one entry per row or column.
    pub fn step(&mut self, inputs: &PeArrayInputs) -> Vec<i32> {
        let mut psum = inputs.psum.clone();
        for (r, row) in self.rows.iter_mut().enumerate() {
            psum = row.step(&PeRowInputs {
                x: inputs.x[r],
                nz: inputs.nz[r],
                swap: inputs.swap[r],
                shift: inputs.shift[r],
                w: inputs.w[r],
                psum,
            });
        }
        psum
    }
}
