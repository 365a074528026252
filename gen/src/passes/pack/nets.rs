//! Nets, instances and registers of a block; its kernel comes later.

use super::children::{add_child, add_mixed};
use super::{group, groups};
use crate::blocks::{Block, Type};
use crate::error::Fault;
use crate::ir::{Net, NetId, NetKind, Netlist};
use crate::passes::naming;
use crate::table::{Entry, Meaning, Table, Variant};
use rust_hdl_core::prelude::AtomKind;

fn kind_of(kind: AtomKind, name: &str) -> Result<NetKind, Fault> {
    match kind {
        AtomKind::InputParameter => Ok(NetKind::In),
        AtomKind::OutputParameter => Ok(NetKind::Out),
        AtomKind::LocalSignal => Ok(NetKind::Local),
        _ => Err(Fault::Unsupported(format!("direction of {name}"))),
    }
}

/// Builds nets, instances and registers of a block; the kernel comes later.
pub fn build(block: &Block, blocks: &[Block]) -> Result<(Netlist, Table), Fault> {
    let mut table = Table::default();
    let mut netlist = Netlist {
        contracts: Vec::new(),
        meta: block.meta.clone(),
        nets: Vec::new(),
        instances: Vec::new(),
        registers: Vec::new(),
        body: Vec::new(),
    };
    let mut own = groups(&block.signals)?;
    // Ports claim their names first, so that they never change.
    own.sort_by_key(|g| !matches!(kind_of(g.first.kind, ""), Ok(NetKind::In | NetKind::Out)));
    for g in own {
        add_variants(&mut table, &g.first.ty, g.first.width);
        let plain = naming::flat(&g.key);
        if g.first.width == 0 {
            return Err(Fault::Unsupported(format!("{plain}, 0 bits wide,")));
        }
        naming::check(&plain)?;
        let signed = g.first.ty == Type::Signed;
        if g.first.kind == AtomKind::Constant {
            let scalar = g.dims.is_empty();
            let name = scalar.then(|| table.names.claim(&naming::upper_camel(&plain)));
            let meaning = Meaning::Constants(g.values, g.first.width, signed, name);
            table.entries.insert(
                g.key,
                Entry {
                    dims: g.dims,
                    meaning,
                },
            );
            continue;
        }
        let kind = kind_of(g.first.kind, &plain)?;
        let name = match kind {
            NetKind::Local => table.names.claim(&plain),
            _ => {
                let claimed = table.names.claim(&plain);
                if claimed != plain {
                    return Err(Fault::BadName(plain));
                }
                claimed
            }
        };
        let doc = doc_of(&netlist, &g.key);
        let net = Net {
            name,
            rust: g.key.replace('$', "."),
            dims: g.dims.clone(),
            width: g.first.width,
            signed,
            clock: g.first.ty == Type::Clock,
            kind,
            doc,
            labels: labels(&table, &g.first.ty),
            part_of: None,
        };
        add_net(&mut netlist, &mut table, g.key, net);
    }
    for (key, dims, ids) in group(block.children.iter().map(|(n, id)| (n.as_str(), *id)))? {
        if ids.iter().all(|id| *id == ids[0]) {
            let nets = add_child(&mut netlist, &mut table, blocks, &key, &key, &dims, ids[0])?;
            for (port, net) in nets {
                let dims = netlist.nets[net].dims.clone();
                let elems = (0..netlist.nets[net].elems()).map(|e| (net, e)).collect();
                let meaning = Meaning::Nets(elems);
                let entry = Entry { dims, meaning };
                table.entries.insert(format!("{key}${port}"), entry);
            }
        } else {
            add_mixed(&mut netlist, &mut table, blocks, &key, &dims, &ids)?;
        }
    }
    Ok((netlist, table))
}

/// What the source says of a member of a bundle, else of the field.
pub fn doc_of(netlist: &Netlist, key: &str) -> String {
    let fields = &netlist.meta.fields;
    let find = |wanted: &str| fields.iter().find(|(name, _)| name == wanted);
    let found = find(key).or_else(|| find(key.split('$').next().unwrap_or(key)));
    found.map(|f| f.1.clone()).unwrap_or_default()
}

pub fn add_variants(table: &mut Table, ty: &Type, width: usize) {
    let Type::Enum(variants) = ty else {
        return;
    };
    for (value, name) in variants.iter().enumerate() {
        if !table.variants.contains_key(name) {
            let variant = Variant {
                name: table.names.claim(&naming::upper_camel(name)),
                value: value as u128,
                width,
                count: variants.len(),
            };
            table.variants.insert(name.clone(), variant);
        }
    }
}

/// Names of the localparams of an enum, by value.
pub fn labels(table: &Table, ty: &Type) -> Vec<String> {
    let Type::Enum(variants) = ty else {
        return Vec::new();
    };
    let found = variants.iter().filter_map(|v| table.variants.get(v));
    found.map(|v| v.name.clone()).collect()
}

fn add_net(netlist: &mut Netlist, table: &mut Table, key: String, net: Net) -> NetId {
    let id = netlist.nets.len();
    let dims = net.dims.clone();
    let elems = (0..net.elems()).map(|e| (id, e)).collect();
    let meaning = Meaning::Nets(elems);
    table.entries.insert(key, Entry { dims, meaning });
    netlist.nets.push(net);
    id
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::dedup::walk;
    use crate::samples::Tree;

    #[test]
    fn signals_and_ports_of_children_become_vectors() {
        let blocks = walk(&Tree::default()).expect("legal");
        let (netlist, table) = build(&blocks[2], &blocks).expect("legal");
        let find = |name: &str| {
            let net = netlist.nets.iter().find(|n| n.name == name);
            net.map(|n| (n.kind, n.dims.clone(), n.width))
        };
        assert_eq!(find("x_i"), Some((NetKind::In, vec![3], 8)));
        assert_eq!(find("leaf_x"), Some((NetKind::ChildIn, vec![3], 8)));
        assert_eq!(find("leaf_y"), Some((NetKind::ChildOut, vec![3], 8)));
        assert_eq!(table.entries["leaf$x_i"].dims, [3]);
        assert_eq!(netlist.nets[0].doc, "Clock.");
    }
}
