//! What every program needs of the traversal units.

use heddle_arch::params::{MachineUnit, Params};

use crate::error::CompileError;

/// Whether the traversal units have the rows and loops of every program.
pub(crate) fn check_traversal(params: &Params) -> Result<(), CompileError> {
    let traversal = &params.traversal;
    for (field, found) in [
        ("traversal.rows", traversal.rows),
        ("traversal.loops", traversal.loops),
    ] {
        if found < 2 {
            return Err(CompileError::Traversal { field, found });
        }
    }
    // Loads walk the words of a tile and the tiles, and then a tail; the least of products are a prologue and two
    // loops of operands, of drains two loops of pixels.
    for (unit, needed) in [
        (MachineUnit::Weights, &[2, 1][..]),
        (MachineUnit::Stream, &[0, 2]),
        (MachineUnit::Drain, &[2]),
    ] {
        let loops = traversal.unit_loops(unit);
        if loops.len() < needed.len() || loops.iter().zip(needed).any(|(has, needs)| has < needs) {
            let field = traversal.unit_field(unit, "traversal.loops");
            return Err(CompileError::Unit {
                field,
                loops,
                needed,
            });
        }
    }
    Ok(())
}
