//! Active-high reset: `rst_n` becomes `rst` everywhere, with the opposite meaning.

use crate::cells::map_expressions;
use crate::ir::{Expr, Item, Module, NetId, NetKind};
use crate::passes::fold::not;

/// Name of the reset in Rust.
const LOW: &str = "rst_n";
/// Its name when it is active high.
pub const HIGH: &str = "rst";

/// Rewrites a module.
pub fn active_high(module: &mut Module) {
    let is_reset = |n: &crate::ir::Net| n.kind == NetKind::In && n.name == LOW;
    let reset = module.nets.iter().position(is_reset);
    if let Some(net) = reset {
        module.nets[net].name = HIGH.into();
        module.nets[net].doc = "Reset, active high.".into();
    }
    let items = std::mem::take(&mut module.items);
    module.items = rewrite(items, reset);
}

fn invert(e: Expr, reset: Option<NetId>) -> Expr {
    e.map_nets(&mut |net, lsb, width| {
        let lsb = lsb.clone();
        (Some(net) == reset).then(|| not(Expr::Sel { net, lsb, width }))
    })
}

fn rewrite(items: Vec<Item>, reset: Option<NetId>) -> Vec<Item> {
    let one = |item| match item {
        Item::Assign(t, e) => Item::Assign(t, invert(e, reset)),
        Item::Instance(mut c) => {
            for c in &mut c.ports {
                c.value = invert(c.value.clone(), reset);
                if c.port == LOW && !c.output {
                    c.port = HIGH.into();
                    c.value = not(c.value.clone());
                }
            }
            Item::Instance(c)
        }
        Item::Comb(body) => Item::Comb(map_expressions(body, &mut |e| invert(e, reset))),
        Item::Clocked(mut c) => {
            c.reset = c.reset.map(|(e, body)| (invert(e, reset), body));
            c.enable = c.enable.map(|e| invert(e, reset));
            c.body = map_expressions(c.body, &mut |e| invert(e, reset));
            Item::Clocked(c)
        }
        Item::Comment(text) => Item::Comment(text),
        Item::Loop(v, from, to, inner) => Item::Loop(v, from, to, rewrite(inner, reset)),
    };
    items.into_iter().map(one).collect()
}
