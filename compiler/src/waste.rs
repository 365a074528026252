//! What of a legal machine is of no use to networks.

use heddle_arch::params::{Params, PartialSums};

use crate::engine::serves;
use crate::error::CompileError;
use crate::product::tile_clocks;
use crate::traversal::check_traversal;

/// Vectors of a K tile that a machine should be fit for: a map of 4 x 4.
const SMALL_MAP: u32 = 16;

/// A field of a configuration with a legal value that is wasted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waste {
    /// The field.
    pub field: &'static str,
    /// The field, its value, what is wasted and what is not.
    pub message: String,
}

/// What of a machine is wasted, by the rules that programs are made by.
#[must_use]
pub fn wasted(machine: &Params) -> Vec<Waste> {
    let found = [
        columns(machine),
        rows(machine),
        traversal(machine),
        engine(machine),
        sums(machine),
    ];
    found.into_iter().flatten().collect()
}

fn waste(field: &'static str, message: String) -> Waste {
    let message = format!("{field} is {message}");
    Waste { field, message }
}

fn columns(machine: &Params) -> Option<Waste> {
    let [cols, lanes] = [machine.array.cols, machine.lanes()];
    (cols > lanes).then(|| {
        let message = format!(
            "{cols}, layers of planes use {lanes} of them, as many as array.rows; only matrices use more"
        );
        waste("array.cols", message)
    })
}

fn rows(machine: &Params) -> Option<Waste> {
    let [rows, lanes] = [machine.array.rows, machine.lanes()];
    (rows > lanes).then(|| {
        let message = format!(
            "{rows}, layers of planes use {lanes} of them, as many as array.cols; only flattened layers and matrices use more"
        );
        waste("array.rows", message)
    })
}

/// No network can be compiled.
fn traversal(machine: &Params) -> Option<Waste> {
    let error = check_traversal(machine).err()?;
    let (CompileError::Traversal { field, .. } | CompileError::Unit { field, .. }) = error else {
        return None;
    };
    let message = format!("{error}: none runs on this machine");
    Some(Waste { field, message })
}

fn engine(machine: &Params) -> Option<Waste> {
    let reason = serves(machine).err().filter(|_| machine.has_cluster())?;
    let message = format!("true, but the cluster can do no layer: {reason}");
    Some(waste("sparse.engine", message))
}

/// Sums that enter at the top come too late for short K tiles.
fn sums(machine: &Params) -> Option<Waste> {
    let mut foot = machine.clone();
    foot.array.partial_sums = PartialSums::Foot;
    let costs_twice = |&vectors: &u32| {
        let [top, foot] = [machine, &foot].map(|machine| tile_clocks(vectors, machine));
        top > 2 * foot
    };
    let distance = machine.sum_distance();
    let most = (SMALL_MAP..=distance).rev().find(costs_twice)?;
    let message = format!(
        "\"top\", K tiles of up to {most} vectors take more than twice the clocks of \"foot\": a sum can enter again after \
         {distance} slots"
    );
    Some(waste("array.partial_sums", message))
}
