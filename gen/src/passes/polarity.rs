//! Active-high reset: `rst_n` becomes `rst` everywhere, with the opposite meaning. And the names of an AXI bus.

use crate::cells::map_expressions;
use crate::ir::{Expr, Item, Module, NetId, NetKind, Rule};
use crate::passes::fold::not;

/// Name of the reset in Rust.
const LOW: &str = "rst_n";
/// Its name when it is active high.
pub const HIGH: &str = "rst";

/// Gives clock and reset the names of an AXI bus; the reset of one is active low.
pub fn axi_names(module: &mut Module) {
    for net in module.nets.iter_mut().filter(|net| net.kind == NetKind::In) {
        match net.name.as_str() {
            "clk" => net.name = "aclk".into(),
            LOW => net.name = "aresetn".into(),
            _ => {}
        }
    }
}

/// Rewrites a module.
pub fn active_high(module: &mut Module) {
    let is_reset = |n: &crate::ir::Net| n.kind == NetKind::In && n.name == LOW;
    let reset = module.nets.iter().position(is_reset);
    if let Some(net) = reset {
        module.nets[net].name = HIGH.into();
        module.nets[net].doc = "Reset, active high.".into();
    }
    for contract in &mut module.contracts {
        contract.rule = match contract.rule.clone() {
            Rule::Holds(e) => Rule::Holds(invert(e, reset)),
            Rule::Waits(a, b, c) => {
                let [a, b, c] = [a, b, c].map(|e| invert(e, reset));
                Rule::Waits(a, b, c)
            }
        };
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Connected, Connection};
    use crate::samples::{net, netlist, place};

    #[test]
    fn port_uses_and_connections_change_their_meaning() {
        let nets = vec![
            net("rst_n", NetKind::In, &[], 1),
            net("y", NetKind::Out, &[], 1),
        ];
        let reset = Expr::bits_of(0, 0, 1);
        let child = |port: &str, value| {
            Item::Instance(Connected {
                name: "u".into(),
                index: Vec::new(),
                block: 0,
                ports: vec![Connection {
                    port: port.into(),
                    value,
                    output: false,
                }],
            })
        };
        let y = place(&nets, 1, 0);
        let netlist = netlist(nets, Vec::new());
        let mut module = Module {
            name: String::new(),
            meta: netlist.meta,
            nets: netlist.nets,
            items: vec![
                Item::Assign(y.clone(), reset.clone()),
                child(LOW, reset.clone()),
            ],
            unused: Vec::new(),
            contracts: Vec::new(),
        };
        active_high(&mut module);
        assert_eq!(module.nets[0].name, "rst");
        // The child inverts once more: the signal passes through.
        let want = [Item::Assign(y, not(reset.clone())), child(HIGH, reset)];
        assert_eq!(module.items, want);
    }
}
