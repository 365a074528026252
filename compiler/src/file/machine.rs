//! The machine of a program file.

use heddle_arch::params::{Params, ProgramMemory, Sparse, UnitLoops};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::FileError;

/// What a machine must have for the program to mean the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct MachineFile {
    /// array.rows
    pub rows: u32,
    /// array.cols
    pub cols: u32,
    /// state_buffer.banks without those of the program
    pub banks: u32,
    /// state_buffer.input_banks
    #[serde(default, skip_serializing_if = "is_none")]
    pub input_banks: u32,
    /// state_buffer.words_per_bank
    pub words_per_bank: u32,
    /// results_buffer.depth
    pub results_depth: u32,
    /// column_tiles
    pub column_tiles: u32,
    /// state_buffer.row_offsets
    pub row_offsets: u32,
    /// traversal.rows
    pub traversal_rows: u32,
    /// traversal.loops
    pub loops: u32,
    /// traversal.units
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "UnitLoops")]
    pub units: Option<UnitLoops>,
    /// traversal.offset_bits
    pub offset_bits: u32,
    /// traversal.address_bits
    pub address_bits: u32,
    /// post.pooling, 0 or 1
    pub pooling: u32,
    /// post.product, 0 or 1
    pub product: u32,
    /// post.median
    pub median: u32,
    /// post.activations
    pub activations: u32,
    /// post.left_shift, 0 or 1
    #[serde(default, skip_serializing_if = "is_none")]
    pub left_shift: u32,
    /// post.dual_scale, 0 or 1
    #[serde(default, skip_serializing_if = "is_none")]
    pub dual_scale: u32,
    /// post.columns_per_multiplier
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub columns_per_multiplier: u32,
    /// program.words
    pub program_words: u32,
    /// program.memory: words of "banks" are written in pairs. Files of version 3 do not have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ProgramMemory", required)]
    pub program_memory: Option<ProgramMemory>,
    /// Slots to a stored sum: where sums enter the array at the top, streamed weights may be lost.
    #[serde(default, skip_serializing_if = "is_none")]
    pub sum_distance: u32,
    /// The section sparse, if the cluster is an engine of the machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Sparse")]
    pub sparse: Option<Sparse>,
}

fn is_none(count: &u32) -> bool {
    *count == 0
}

fn one() -> u32 {
    1
}

fn is_one(count: &u32) -> bool {
    *count == 1
}

impl MachineFile {
    pub fn of(params: &Params) -> Self {
        Self {
            rows: params.array.rows,
            cols: params.array.cols,
            banks: params.operand_banks(),
            input_banks: params.state_buffer.input_banks,
            words_per_bank: params.state_buffer.words_per_bank,
            results_depth: params.results_buffer.depth,
            column_tiles: params.column_tiles,
            row_offsets: params.state_buffer.row_offsets,
            traversal_rows: params.traversal.rows,
            loops: params.traversal.loops,
            units: params.traversal.units.clone(),
            offset_bits: params.traversal.offset_bits,
            address_bits: params.traversal.address_bits,
            pooling: params.post.pooling.into(),
            product: params.post.product.into(),
            median: params.post.median,
            activations: params.post.activations,
            left_shift: params.post.left_shift.into(),
            dual_scale: params.post.dual_scale.into(),
            columns_per_multiplier: params.post.columns_per_multiplier,
            program_words: params.program.words,
            program_memory: Some(params.program.memory),
            sum_distance: params.sum_distance(),
            sparse: params.has_cluster().then(|| params.sparse_cluster()),
        }
    }

    pub fn check(&self, params: &Params) -> Result<(), FileError> {
        let machine = Self::of(params);
        let banks = match params.program_banks() {
            0 => "state_buffer.banks",
            _ => "state_buffer.banks without those of the program",
        };
        for (field, found, expected) in [
            ("array.rows", self.rows, machine.rows),
            ("array.cols", self.cols, machine.cols),
            (banks, self.banks, machine.banks),
            (
                "state_buffer.input_banks",
                self.input_banks,
                machine.input_banks,
            ),
            (
                "state_buffer.words_per_bank",
                self.words_per_bank,
                machine.words_per_bank,
            ),
            (
                "results_buffer.depth",
                self.results_depth,
                machine.results_depth,
            ),
            ("column_tiles", self.column_tiles, machine.column_tiles),
            (
                "state_buffer.row_offsets",
                self.row_offsets,
                machine.row_offsets,
            ),
            (
                "traversal.rows",
                self.traversal_rows,
                machine.traversal_rows,
            ),
            ("traversal.loops", self.loops, machine.loops),
            (
                "traversal.offset_bits",
                self.offset_bits,
                machine.offset_bits,
            ),
            (
                "traversal.address_bits",
                self.address_bits,
                machine.address_bits,
            ),
            ("post.pooling", self.pooling, machine.pooling),
            ("post.product", self.product, machine.product),
            ("post.median", self.median, machine.median),
            ("post.activations", self.activations, machine.activations),
            ("post.left_shift", self.left_shift, machine.left_shift),
            ("post.dual_scale", self.dual_scale, machine.dual_scale),
            (
                "post.columns_per_multiplier",
                self.columns_per_multiplier,
                machine.columns_per_multiplier,
            ),
            ("program.words", self.program_words, machine.program_words),
            (
                "slots to a stored sum (array.partial_sums)",
                self.sum_distance,
                machine.sum_distance,
            ),
        ] {
            if found != expected {
                return Err(FileError::Machine {
                    field,
                    found: found.to_string(),
                    expected: expected.to_string(),
                });
            }
        }
        let memory = |file: &Self| file.program_memory.unwrap_or_default().name();
        if memory(self) != memory(&machine) {
            return Err(FileError::Machine {
                field: "program.memory",
                found: memory(self).to_string(),
                expected: format!("{}: compile the network for it", memory(&machine)),
            });
        }
        if self.sparse != machine.sparse {
            let told = |sparse: &Option<Sparse>| match sparse {
                Some(sparse) => serde_json::to_string(sparse).expect("options are values"),
                None => "without sparse.engine".to_string(),
            };
            return Err(FileError::Machine {
                field: "sparse",
                found: told(&self.sparse),
                expected: told(&machine.sparse),
            });
        }
        if self.units != machine.units {
            let told = |units: &Option<UnitLoops>| match units {
                Some(units) => serde_json::to_string(units).expect("units are lists"),
                None => "of the same rows and loops".to_string(),
            };
            return Err(FileError::Machine {
                field: "traversal.units",
                found: told(&self.units),
                expected: told(&machine.units),
            });
        }
        Ok(())
    }
}
