//! What a cluster is given.

use heddle_arch::isa::sparse::{SparseCommand, SparseDrain, UnitRegister};
use heddle_arch::params::Params;

use super::passed::{MapPart, ResultPart};
use super::plan::Plan;

/// What a cluster is given for a layer. All sums are 0 before it and behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The commands.
    pub commands: Vec<SparseCommand>,
    /// The words of the weight stream.
    pub weights: Vec<u64>,
    pub(super) plan: Plan,
    /// What each load takes.
    pub(super) maps: Vec<MapPart>,
    /// What each drain gives.
    pub(super) results: Vec<ResultPart>,
}

/// The commands that clear all sums of a cluster after its reset.
#[must_use]
pub fn clear(params: &Params) -> Vec<SparseCommand> {
    let words = params.sparse_cluster().sums.ilog2();
    let size = [words - words / 2, words / 2];
    let [rows, cols] = size.map(|side| 0..1 << side);
    let windows = [
        UnitRegister::WindowRows(false, rows),
        UnitRegister::WindowCols(false, cols),
    ];
    vec![
        SparseCommand::Set(None, vec![UnitRegister::Share(0)]),
        SparseCommand::Set(None, windows.into()),
        SparseCommand::Drain(SparseDrain {
            discard: true,
            pitch: size[1],
            groups: 1,
            each: 1,
            size: size.map(|side| 1 << side),
            ..SparseDrain::default()
        }),
    ]
}
