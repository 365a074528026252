//! `heddle cosim`: a network on the Verilated machine against the golden model.

use crate::args::CosimArgs;
use crate::failure::Failure;
use crate::input;

/// Runs the command; false when a result differs from the golden model.
pub fn run(args: &CosimArgs) -> Result<bool, Failure> {
    let _params = input::read_config(&args.config)?;
    let network = input::read_model(&args.model)?;
    let available = network.images.len();
    let images = args.images.unwrap_or(available);
    if images == 0 || images > available {
        return Err(Failure::new(format!(
            "--images is {images}, expected 1 to {available}, the images of {}",
            args.model.display()
        )));
    }
    Err(Failure::new("cosim: this build has no network driver"))
}
