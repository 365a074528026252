//! What the stages between graph and schedule have made, as tables.

use heddle_arch::params::Params;
use heddle_network::Network;

use crate::cutter::{self, Fitted};
use crate::error::CompileError;
use crate::options::Options;
use crate::table::Table;
use crate::{map, place};

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
    let Fitted { network, found, .. } = cutter::fitted(network, params, options, &[])?;
    let network = &*network;
    let taken = found.errors.len();
    match (stage, &found.program) {
        (Stage::Map, program) => {
            let taken = program.as_ref().map(|_| taken);
            Ok(map::tables(
                network,
                &found.candidates,
                taken,
                &found.errors,
            ))
        }
        (Stage::Place, None) => Err(found.least_special()),
        (Stage::Place, Some(_)) => {
            let candidate = &found.candidates.all[taken];
            let cut = &found.cut;
            let placement = place::place(network, candidate, cut, options, params)?;
            Ok(place::tables(network, candidate, &placement, params))
        }
    }
}
