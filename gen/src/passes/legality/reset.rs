//! An asynchronous reset is a signal, not logic.

use crate::error::Fault;
use crate::ir::{Expr, Item, NetId};
use crate::passes::fold::not;

/// Checks the processes of a module whose registers have an asynchronous reset.
pub fn reset(items: &[Item]) -> Result<(), Fault> {
    for item in items {
        match item {
            Item::Clocked(c) => {
                if let Some((run, _)) = &c.reset {
                    if edge(&not(run.clone())).is_none() {
                        let what = "an asynchronous reset computed by logic";
                        return Err(Fault::Unsupported(what.into()));
                    }
                }
            }
            Item::Loop(_, _, _, inner) => reset(inner)?,
            _ => {}
        }
    }
    Ok(())
}

/// The edge at which an asynchronous reset acts.
pub fn edge(condition: &Expr) -> Option<(&'static str, NetId)> {
    match condition {
        Expr::Not(e) => match &**e {
            Expr::Sel { net, .. } => Some(("negedge", *net)),
            _ => None,
        },
        Expr::Sel { net, .. } => Some(("posedge", *net)),
        _ => None,
    }
}
