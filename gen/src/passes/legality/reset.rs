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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{BinOp, Clocked};
    use crate::passes::fold::binary;

    fn process(run: Expr) -> Item {
        Item::Clocked(Clocked {
            clk: 0,
            reset: Some((run, Vec::new())),
            enable: None,
            body: Vec::new(),
        })
    }

    #[test]
    fn a_signal_is_an_asynchronous_reset_and_logic_is_not() {
        let (a, b) = (Expr::bits_of(1, 0, 1), Expr::bits_of(2, 0, 1));
        assert_eq!(
            reset(&[process(a.clone()), process(not(b.clone()))]),
            Ok(())
        );
        let inside = Item::Loop(0, 0, 2, vec![process(binary(BinOp::And, a, b))]);
        assert!(matches!(reset(&[inside]), Err(Fault::Unsupported(_))));
    }
}
