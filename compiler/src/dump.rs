//! What the stages between graph and schedule have made, as tables.

use heddle_arch::network::Network;
use heddle_arch::params::Params;

use crate::error::CompileError;
use crate::options::Options;
use crate::table::Table;
use crate::{first_fit, ir, least_special, map, place};

/// A stage whose result is a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// All ways that the layers can take through the array together, and why one of them was taken.
    Map,
    /// Where everything lies in the memories.
    Place,
}

/// What a stage makes of a network.
///
/// # Errors
/// As [`compile`](crate::compile); the ways are shown even if none of them fits.
pub fn dump(
    network: &Network,
    params: &Params,
    options: Options,
    stage: Stage,
) -> Result<Vec<Table>, CompileError> {
    let constants = ir::constants(network, params)?;
    let candidates = super::candidates(network, &constants, params, options)?;
    let (program, errors) = first_fit(network, (&constants, &candidates), params, (options, &[]));
    match (stage, program) {
        (Stage::Map, program) => {
            let taken = program.map(|_| errors.len());
            Ok(map::tables(network, &candidates, taken, &errors))
        }
        (Stage::Place, None) => Err(least_special(&candidates, errors)),
        (Stage::Place, Some(_)) => {
            let candidate = &candidates.all[errors.len()];
            let placement = place::place(network, candidate, options, params)?;
            Ok(place::tables(network, candidate, &placement, params))
        }
    }
}
