//! Which unit has which share of a layer.

use super::axis::Span;
use super::error::{PlanError, check};
use super::layer::Shape;

/// What cells that lie beside each other have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Halo {
    /// Entries: each makes all products of its results, and others that it drops.
    Input,
    /// Results: each makes all products of its entries, and their sums meet when they are drained.
    Results,
}

/// How a layer is split. Unit (k outputs + c) cells + s has cell s of the map, share c of the output channels and share k of the input
/// channels; units beyond have nothing. [`Plan::near`](super::Plan::near) gives cells to other units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Split {
    /// Parts of the rows, and of the columns: cells of the map.
    pub grid: [u32; 2],
    /// Shares of the groups of output channels.
    pub outputs: u32,
    /// Shares of the input channels; one of a depthwise layer, which has them as its output channels.
    pub inputs: u32,
    /// Parts of the rows and of the columns of outputs: folds, one after the other.
    pub folds: [u32; 2],
    /// What cells have in common.
    pub halo: Halo,
}

impl Split {
    /// All in one unit.
    pub const ONE: Split = Split {
        grid: [1, 1],
        outputs: 1,
        inputs: 1,
        folds: [1, 1],
        halo: Halo::Input,
    };

    /// Cells of the map.
    pub(super) fn cells(&self) -> u32 {
        self.grid[0] * self.grid[1]
    }

    /// Share of the output channels of a unit.
    pub(super) fn share(&self, unit: u32) -> u32 {
        unit / self.cells() % self.outputs
    }

    /// The units with one of these shares of output and of input channels.
    pub(super) fn units(&self, outputs: Span, inputs: Span) -> u64 {
        let shares = inputs.flat_map(|k| outputs.clone().map(move |c| (k, c)));
        let cells = u64::MAX >> (64 - self.cells());
        shares.fold(0, |units, (k, c)| {
            units | cells << ((k * self.outputs + c) * self.cells())
        })
    }

    pub(super) fn check(&self, shape: &Shape, groups: u32, units: u32) -> Result<(), PlanError> {
        let units = i64::from(units);
        check("split.grid[0]", self.grid[0], 1..=units)?;
        check("split.grid[1]", self.grid[1], 1..=units)?;
        check("split.outputs", self.outputs, 1..=groups.into())?;
        let inputs = if shape.depthwise { 1 } else { shape.inputs };
        check("split.inputs", self.inputs, 1..=inputs.into())?;
        check("split.folds[0]", self.folds[0], 1..=shape.output[0].into())?;
        check("split.folds[1]", self.folds[1], 1..=shape.output[1].into())?;
        let [rows, cols] = self.grid.map(i64::from);
        let shares = i64::from(self.outputs).saturating_mul(self.inputs.into());
        check(
            "units of the split",
            (rows * cols).saturating_mul(shares),
            1..=units,
        )
    }
}
