//! Networks of matrices: products and transposes, by the programs of [`matrix`](crate::matrix).
//!
//! `lower` makes operations on matrices of the layers, `colour` parts the matrices that are read at the same
//! time, `place` gives them addresses, `emit` makes the program.

mod colour;
mod emit;
mod lower;
mod place;

use heddle_arch::network::Network;
use heddle_arch::params::Params;

use crate::error::{CompileError, Memory, Shortage};
use crate::mapping::Options;
use crate::matrix::DrainForm;
use crate::program::Program;
use lower::Lowered;

/// Where the identity of transposes comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum IdentitySource {
    /// The host writes it with the image.
    #[default]
    Stored,
    /// The host writes a 1 and seven 0; the first layer that transposes builds the identity of them.
    Built,
}

/// Options for layers of matrices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatrixOptions {
    /// Where the identity comes from.
    pub identity: IdentitySource,
    /// Transposes that only products read are left out: the products take, or make, the matrix as it is needed.
    pub fold: bool,
    /// How the sums of a transpose leave the array.
    pub form: DrainForm,
}

impl Default for MatrixOptions {
    fn default() -> Self {
        Self {
            identity: IdentitySource::Stored,
            fold: false,
            form: DrainForm::All,
        }
    }
}

/// The program of a network that has a layer of matrices.
///
/// # Errors
/// [`CompileError`]: a layer of another kind, matrices that do not fit.
pub(crate) fn build(
    network: &Network,
    options: Options,
    params: &Params,
) -> Result<Program, CompileError> {
    if let Some(layer) = network.layers.iter().find(|l| !l.kind.is_of_matrices()) {
        return Err(CompileError::Layer {
            layer: layer.name.clone(),
            message: format!(
                "is {}, expected matmul or transpose: they cannot be mixed with layers of planes",
                layer.kind.name()
            ),
        });
    }
    let attempt = |keep| {
        let lowered = lower::lower(network, options.matrices, keep, params.array.cols)?;
        check_program(network, &lowered, params)?;
        let colours = colour::colours(network, &lowered, params)?;
        let placed = place::place(network, &lowered, &colours, options.matrices, params)?;
        emit::emit(network, &lowered, &placed, options, params)
    };
    // Copies that stay save time and take room.
    attempt(true).or_else(|_| attempt(false))
}

/// Fewest words of an operation: a load, a product and a drain, each with a record of one row without loops.
const OPERATION_WORDS: u64 = 4 + 5 + 5;

/// Whether the program memory can hold so many operations, before any of them gets a place.
fn check_program(
    network: &Network,
    lowered: &Lowered,
    params: &Params,
) -> Result<(), CompileError> {
    let operations: usize = lowered.layers.iter().map(Vec::len).sum();
    let needed = OPERATION_WORDS * operations as u64;
    match Shortage::of(Memory::Program, needed, params.program.words.into()) {
        None => Ok(()),
        Some(shortage) => Err(CompileError::DoesNotFit {
            network: network.name.clone(),
            configuration: params.name.clone(),
            shortages: vec![shortage],
        }),
    }
}
