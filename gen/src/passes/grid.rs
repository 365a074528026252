//! Loop style: a grid of instances becomes one module with `for` loops.
//!
//! Verilator copies the text of a module once for each instance, and a generate loop is unrolled by
//! every tool. Here the instances of a grid and of all modules below it are taken in ([`inline`]):
//! each register and wire of a cell becomes a packed vector with one element per cell. Then what
//! belongs to the cells is moved into processes with loops over them ([`processes`]), so that the
//! text and the time to compile it do not grow with the grid.
//!
//! Vectors are packed, not arrays of registers: Verilator 5.006 refuses a non-blocking assignment to
//! an array in a loop that it does not unroll, and Icarus Verilog warns of an array read in
//! `always @*`.

mod inline;
mod processes;

use crate::error::Fault;
use crate::ir::Module;
use crate::passes::naming::Names;
use crate::passes::unused;

/// Depth of the outermost loop over cells inside a process.
pub const GRID_LOOP: usize = 16;
/// Number of loops over cells and their elements that have a variable.
pub const GRID_LOOPS: usize = 4;

/// The module with everything below it taken in. `modules` are the modules before this pass, by
/// block; cells have none.
pub fn flatten(module: &Module, modules: &[Option<Module>]) -> Result<Module, Fault> {
    let mut out = inline::take_in(module, modules)?;
    out.items = processes::loops(&out.nets, out.items)?;
    let mut names = Names::default();
    for net in &out.nets {
        names.claim(&net.name);
    }
    unused::collect(&mut out, &mut names);
    Ok(out)
}

fn unsupported(what: &str) -> Fault {
    Fault::Unsupported(format!("{what} in a grid printed as loops"))
}
