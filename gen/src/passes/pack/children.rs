//! Children of a block: instances of modules, and primitives that become part of the module.

use super::groups;
use super::nets::{add_variants, doc_of, labels};
use crate::blocks::{Block, Type};
use crate::error::Fault;
use crate::ir::{BlockId, ContractPorts, Instance, Net, NetId, NetKind, Netlist, Port, Register};
use crate::passes::naming;
use crate::table::{Entry, Meaning, SharedPort, Table};
use heddle_kernel::BlockKind;
use rust_hdl_core::prelude::AtomKind;
use std::collections::BTreeMap;

/// An array whose elements are different blocks: every element is an instance of its own.
pub fn add_mixed(
    netlist: &mut Netlist,
    table: &mut Table,
    blocks: &[Block],
    key: &str,
    dims: &[usize],
    ids: &[BlockId],
) -> Result<(), Fault> {
    let mut all: BTreeMap<String, Vec<NetId>> = BTreeMap::new();
    for (flat, id) in ids.iter().enumerate() {
        let mut name = key.to_string();
        let mut rest = flat;
        let mut suffix = Vec::new();
        for size in dims.iter().rev() {
            suffix.push(rest % size);
            rest /= size;
        }
        // The only element of an array needs no number.
        for i in suffix.iter().rev().filter(|_| ids.len() > 1) {
            name.push_str(&format!("_{i}"));
        }
        for (port, net) in add_child(netlist, table, blocks, key, &name, &[], *id)? {
            all.entry(port).or_default().push(net);
        }
    }
    for (port, nets) in all {
        let sizes = |net: &NetId| netlist.nets[*net].dims.as_slice();
        let longest = nets.iter().map(sizes).max().unwrap_or_default();
        let alike = |net: &NetId| sizes(net).get(1..) == longest.get(1..);
        if nets.len() != ids.len() || !nets.iter().all(alike) {
            return Err(Fault::Ragged(format!("{key}.{port}")));
        }
        let mut elems = Vec::new();
        for (count, net) in (1..).zip(&nets) {
            elems.extend((0..netlist.nets[*net].elems()).map(|e| (*net, e)));
            // Behind a shorter port are places for which no kernel asks.
            elems.resize(count * longest.iter().product::<usize>(), (*net, 0));
        }
        let dims = dims.iter().chain(longest).copied().collect();
        let meaning = Meaning::Nets(elems);
        table
            .entries
            .insert(format!("{key}${port}"), Entry { dims, meaning });
    }
    Ok(())
}

fn is_contract(child: &Block) -> bool {
    child.meta.kind == BlockKind::Prim && child.meta.name.ends_with("contract")
}

/// Adds a wire of an instance, or of an array of them.
fn wire(
    netlist: &mut Netlist,
    table: &mut Table,
    instance: &str,
    name: &str,
    dims: &[usize],
    width: usize,
) -> NetId {
    netlist.nets.push(Net {
        name: table.names.claim(&format!("{instance}_{name}")),
        rust: format!("{instance}.{name}"),
        dims: dims.to_vec(),
        width,
        signed: false,
        clock: false,
        kind: NetKind::Wire,
        doc: String::new(),
        labels: Vec::new(),
        part_of: None,
    });
    netlist.nets.len() - 1
}

/// Adds an instance or a primitive and returns its nets by port name.
pub fn add_child(
    netlist: &mut Netlist,
    table: &mut Table,
    blocks: &[Block],
    field: &str,
    name: &str,
    dims: &[usize],
    id: BlockId,
) -> Result<Vec<(String, NetId)>, Fault> {
    let child = &blocks[id];
    let prim = child.meta.kind == BlockKind::Prim;
    let register = prim
        && matches!(
            child.meta.name.as_str(),
            "reg" | "reg_en" | "reg_data" | "delay"
        );
    let doc = doc_of(netlist, field);
    let plain = naming::flat(name);
    let mut ports = Vec::new();
    let mut nets = Vec::new();
    let all = groups(&child.signals)?;
    let names: Vec<String> = all.iter().map(|g| naming::flat(&g.key)).collect();
    for (g, port) in all.iter().zip(&names) {
        add_variants(table, &g.first.ty, g.first.width);
        let output = match g.first.kind {
            AtomKind::InputParameter => false,
            AtomKind::OutputParameter => true,
            _ => continue,
        };
        if g.first.width == 0 {
            return Err(Fault::Unsupported(format!("{plain}.{port}, 0 bits wide,")));
        }
        // Suffixes are for ports: `check_target` is the net at `target_o` of `u_check`, unless that
        // has a `target_i` too.
        let stem = naming::stem(port);
        let inner = || {
            let direction = if output { "out" } else { "in" };
            let wanted = [
                format!("{plain}_{stem}"),
                format!("{plain}_{stem}_{direction}"),
            ];
            let pair = |name: &String| name != port && naming::stem(name) == stem;
            wanted[usize::from(names.iter().any(pair))..].to_vec()
        };
        let (wanted, kind) = match (register, output) {
            (true, true) if plain.ends_with("_q") => (vec![plain.clone()], NetKind::Register),
            (true, true) => (vec![format!("{plain}_q")], NetKind::Register),
            (true, false) => (vec![format!("{plain}_{stem}")], NetKind::ChildIn),
            (false, true) if prim && child.meta.name == "mul_s" => {
                (vec![format!("{plain}_product")], NetKind::Wire)
            }
            (false, true) => (inner(), NetKind::ChildOut),
            (false, false) => (inner(), NetKind::ChildIn),
        };
        let net = Net {
            name: match is_contract(child) {
                true => wanted[0].clone(),
                false => table.names.claim_first(&wanted),
            },
            rust: format!(
                "{}{}.{}",
                name.replace('$', "."),
                "[]".repeat(dims.len()),
                g.key.replace('$', ".")
            ),
            dims: dims.iter().chain(&g.dims).copied().collect(),
            width: g.first.width,
            signed: g.first.ty == Type::Signed,
            clock: g.first.ty == Type::Clock,
            kind,
            doc: if kind == NetKind::Register {
                doc.clone()
            } else {
                String::new()
            },
            labels: labels(table, &g.first.ty),
            part_of: None,
        };
        netlist.nets.push(net);
        let net = netlist.nets.len() - 1;
        nets.push((g.key.clone(), net));
        ports.push(Port {
            name: port.clone(),
            net,
            elems: g.dims.iter().product(),
            output,
        });
    }
    let find = |port: &str| nets.iter().find(|(n, _)| n == port).map(|(_, net)| *net);
    let need = |port: &str| find(port).expect("a primitive has its ports");
    match (prim, child.meta.name.as_str()) {
        (true, "ram_1rw") => {
            let bits = child.meta.get_param("addr_bits").unwrap_or(1) as usize;
            let [enable, address] = [("en", 1), ("addr", bits)]
                .map(|(name, width)| wire(netlist, table, &plain, name, dims, width));
            table.shared_ports.push(SharedPort {
                write: (need("wen_i"), need("waddr_i")),
                read: (need("ren_i"), need("raddr_i")),
                port: (enable, address),
            });
            let input = |name: &str, net| Port {
                name: name.into(),
                net,
                elems: 1,
                output: false,
            };
            ports.retain(|port| !["waddr_i", "ren_i", "raddr_i"].contains(&port.name.as_str()));
            ports.insert(1, input("en_i", enable));
            ports.insert(3, input("addr_i", address));
            netlist.instances.push(Instance {
                name: plain,
                dims: dims.to_vec(),
                block: id,
                ports,
            });
        }
        (false, _) | (true, "ram_1r1w" | "ram_1r1w_lanes") => netlist.instances.push(Instance {
            name: plain,
            dims: dims.to_vec(),
            block: id,
            ports,
        }),
        (true, "contract" | "stream_contract") => {
            let ports = ["holds_i", "valid_i", "ready_i", "word_i"];
            netlist.contracts.push(ContractPorts {
                name: plain,
                text: child.meta.get_attribute("text").unwrap_or_default().into(),
                nets: ports.into_iter().filter_map(find).collect(),
            });
        }
        (true, "mul_s") => table.products.push((need("a_i"), need("b_i"), need("p_o"))),
        (true, _) if register => {
            let init = child.meta.get_attribute("init").unwrap_or("1'h0");
            let digits = init.split_once("'h").map_or("0", |x| x.1);
            netlist.registers.push(Register {
                name: plain,
                q: need("q_o"),
                d: need("d_i"),
                clk: need("clk"),
                rst: find("rst_n"),
                en: find("en_i"),
                init: u128::from_str_radix(digits, 16)
                    .map_err(|_| Fault::Unsupported(format!("initial value {init}")))?,
            });
        }
        (true, other) => return Err(Fault::UnknownPrimitive(other.into())),
    }
    Ok(nets)
}

#[cfg(test)]
mod tests {
    use super::super::build;
    use super::*;
    use crate::passes::dedup::walk;
    use crate::samples::Tree;

    #[test]
    fn modules_become_instances_and_primitives_registers() {
        let blocks = walk(&Tree::default()).expect("legal");
        let (netlist, _) = build(&blocks[2], &blocks).expect("legal");
        let [leaves] = netlist.instances.as_slice() else {
            panic!("{:?}", netlist.instances)
        };
        assert_eq!(
            (leaves.name.as_str(), leaves.dims.as_slice()),
            ("leaf", &[3][..])
        );
        let [first] = netlist.registers.as_slice() else {
            panic!("{:?}", netlist.registers)
        };
        assert_eq!(netlist.nets[first.q].name, "first_q");
        assert_eq!((first.rst, first.en), (None, None));
    }

    #[test]
    fn primitives_without_a_printer_are_refused() {
        let mut blocks = walk(&Tree::default()).expect("legal");
        blocks[1].meta.name = "fancy".into();
        let got = build(&blocks[2], &blocks).map(|_| ());
        assert_eq!(got, Err(Fault::UnknownPrimitive("fancy".into())));
    }
}
