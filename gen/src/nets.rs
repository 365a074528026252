//! Array packing: groups the signals of a block and the ports of its children into nets.

use crate::error::Fault;
use crate::ir::{BlockId, Instance, Net, NetId, NetKind, Netlist, Port, Register};
use crate::names::{self, Names};
use crate::walk::{Block, Signal, Type};
use heddle_hdl::prim::Kind;
use rust_hdl_core::prelude::AtomKind;
use std::collections::BTreeMap;

/// What a name in the kernel stands for.
#[derive(Debug, Clone)]
pub enum Meaning {
    /// Elements of nets, row-major.
    Nets(Vec<(NetId, usize)>),
    /// Constants with width, signedness, and a localparam name for scalars.
    Constants(Vec<u128>, usize, bool, Option<String>),
}

/// A name with its dimensions.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Sizes, outermost first.
    pub dims: Vec<usize>,
    /// The elements.
    pub meaning: Meaning,
}

/// An enum variant.
#[derive(Debug, Clone)]
pub struct Variant {
    /// Name of the localparam.
    pub name: String,
    /// Value.
    pub value: u128,
    /// Bits.
    pub width: usize,
    /// Number of variants of the enum.
    pub count: usize,
}

/// Names of a block: signals by key (`cell$x_i`), enum variants (`State$Idle`).
#[derive(Debug, Default)]
pub struct Table {
    /// Signals and constants.
    pub entries: BTreeMap<String, Entry>,
    /// Enum variants.
    pub variants: BTreeMap<String, Variant>,
    /// Products: signed factors and result, element by element.
    pub products: Vec<(NetId, NetId, NetId)>,
    /// Names in use.
    pub names: Names,
}

/// An array of signals of one block.
#[derive(Debug, Clone)]
pub struct Group<'a> {
    /// Name without indices.
    pub key: String,
    /// Sizes.
    pub dims: Vec<usize>,
    /// First element.
    pub first: &'a Signal,
    /// Values, for constants.
    pub values: Vec<u128>,
}

/// Splits `cell$3$x` into `cell$x` and `[3]`.
fn split(name: &str) -> (String, Vec<usize>) {
    let mut keys = Vec::new();
    let mut index = Vec::new();
    for piece in name.split('$') {
        match piece.parse::<usize>() {
            Ok(i) => index.push(i),
            Err(_) => keys.push(piece),
        }
    }
    (keys.join("$"), index)
}

/// Sizes of an array from the indices of its elements, which arrive row-major.
fn dims_of(key: &str, indices: &[Vec<usize>]) -> Result<Vec<usize>, Fault> {
    let rank = indices[0].len();
    let size = |d: usize| indices.iter().map(|i| i[d] + 1).max().unwrap_or(0);
    if indices.iter().any(|i| i.len() != rank) {
        return Err(Fault::Ragged(key.replace('$', ".")));
    }
    let dims: Vec<usize> = (0..rank).map(size).collect();
    if dims.iter().product::<usize>() != indices.len() {
        return Err(Fault::Ragged(key.replace('$', ".")));
    }
    Ok(dims)
}

/// An array of things: name without indices, sizes, elements row-major.
type Array<T> = (String, Vec<usize>, Vec<T>);

/// Groups named things by their name without indices, in order of first appearance.
fn group<'a, T>(items: impl Iterator<Item = (&'a str, T)>) -> Result<Vec<Array<T>>, Fault> {
    let mut order: Vec<(String, Vec<Vec<usize>>, Vec<T>)> = Vec::new();
    let mut at: BTreeMap<String, usize> = BTreeMap::new();
    for (name, item) in items {
        let (key, index) = split(name);
        let slot = *at.entry(key.clone()).or_insert_with(|| {
            order.push((key, Vec::new(), Vec::new()));
            order.len() - 1
        });
        order[slot].1.push(index);
        order[slot].2.push(item);
    }
    let mut out = Vec::new();
    for (key, indices, items) in order {
        let dims = dims_of(&key, &indices)?;
        out.push((key, dims, items));
    }
    Ok(out)
}

/// The signals of a block as arrays.
pub fn groups(signals: &[Signal]) -> Result<Vec<Group<'_>>, Fault> {
    let named = signals.iter().map(|s| (s.name.as_str(), s));
    let mut out = Vec::new();
    for (key, dims, items) in group(named)? {
        out.push(Group {
            first: items[0],
            values: items.iter().map(|s| s.value).collect(),
            key,
            dims,
        });
    }
    Ok(out)
}

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
        let plain = g.key.replace('$', "_");
        if g.first.width == 0 {
            return Err(Fault::Unsupported(format!("{plain}, 0 bits wide,")));
        }
        names::check(&plain)?;
        let signed = g.first.ty == Type::Signed;
        if g.first.kind == AtomKind::Constant {
            let scalar = g.dims.is_empty();
            let name = scalar.then(|| table.names.claim(&names::upper_camel(&plain)));
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
        let field = g.key.split('$').next().unwrap_or(&g.key);
        let doc = doc_of(&netlist, field);
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

fn doc_of(netlist: &Netlist, field: &str) -> String {
    let fields = &netlist.meta.fields;
    let found = fields.iter().find(|(name, _)| name == field);
    found.map(|f| f.1.clone()).unwrap_or_default()
}

fn add_variants(table: &mut Table, ty: &Type, width: usize) {
    let Type::Enum(variants) = ty else {
        return;
    };
    for (value, name) in variants.iter().enumerate() {
        if !table.variants.contains_key(name) {
            let variant = Variant {
                name: table.names.claim(&names::upper_camel(name)),
                value: value as u128,
                width,
                count: variants.len(),
            };
            table.variants.insert(name.clone(), variant);
        }
    }
}

/// Names of the localparams of an enum, by value.
fn labels(table: &Table, ty: &Type) -> Vec<String> {
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

/// Sizes of a port and the elements of all instances.
type Elements = (Vec<usize>, Vec<(NetId, usize)>);

/// An array whose elements are different blocks: every element is an instance of its own.
fn add_mixed(
    netlist: &mut Netlist,
    table: &mut Table,
    blocks: &[Block],
    key: &str,
    dims: &[usize],
    ids: &[BlockId],
) -> Result<(), Fault> {
    let mut all: BTreeMap<String, Elements> = BTreeMap::new();
    for (flat, id) in ids.iter().enumerate() {
        let mut name = key.to_string();
        let mut rest = flat;
        let mut suffix = Vec::new();
        for size in dims.iter().rev() {
            suffix.push(rest % size);
            rest /= size;
        }
        for i in suffix.iter().rev() {
            name.push_str(&format!("_{i}"));
        }
        for (port, net) in add_child(netlist, table, blocks, key, &name, &[], *id)? {
            let entry = all.entry(port).or_default();
            if entry.1.is_empty() {
                entry.0 = netlist.nets[net].dims.clone();
            } else if entry.0 != netlist.nets[net].dims {
                return Err(Fault::Ragged(key.into()));
            }
            entry
                .1
                .extend((0..netlist.nets[net].elems()).map(|e| (net, e)));
        }
    }
    for (port, (inner, elems)) in all {
        let dims: Vec<usize> = dims.iter().chain(&inner).copied().collect();
        if dims.iter().product::<usize>() != elems.len() {
            return Err(Fault::Ragged(format!("{key}.{port}")));
        }
        let meaning = Meaning::Nets(elems);
        table
            .entries
            .insert(format!("{key}${port}"), Entry { dims, meaning });
    }
    Ok(())
}

/// Adds an instance or a primitive and returns its nets by port name.
fn add_child(
    netlist: &mut Netlist,
    table: &mut Table,
    blocks: &[Block],
    field: &str,
    name: &str,
    dims: &[usize],
    id: BlockId,
) -> Result<Vec<(String, NetId)>, Fault> {
    let child = &blocks[id];
    let prim = child.meta.kind == Kind::Prim;
    let register = prim
        && matches!(
            child.meta.name.as_str(),
            "reg" | "reg_en" | "reg_data" | "delay"
        );
    let doc = doc_of(netlist, field);
    let plain = name.replace('$', "_");
    let mut ports = Vec::new();
    let mut nets = Vec::new();
    for g in groups(&child.signals)? {
        add_variants(table, &g.first.ty, g.first.width);
        let output = match g.first.kind {
            AtomKind::InputParameter => false,
            AtomKind::OutputParameter => true,
            _ => continue,
        };
        let port = g.key.replace('$', "_");
        if g.first.width == 0 {
            return Err(Fault::Unsupported(format!("{plain}.{port}, 0 bits wide,")));
        }
        let (wanted, kind) = match (register, output) {
            (true, true) if plain.ends_with("_q") => (plain.clone(), NetKind::Register),
            (true, true) => (format!("{plain}_q"), NetKind::Register),
            (true, false) => (format!("{plain}_{}", names::stem(&port)), NetKind::ChildIn),
            (false, true) if prim && child.meta.name == "mul_s" => {
                (format!("{plain}_product"), NetKind::Wire)
            }
            (false, true) => (format!("{plain}_{port}"), NetKind::ChildOut),
            (false, false) => (format!("{plain}_{port}"), NetKind::ChildIn),
        };
        let net = Net {
            name: table.names.claim(&wanted),
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
        };
        netlist.nets.push(net);
        let net = netlist.nets.len() - 1;
        nets.push((g.key.clone(), net));
        ports.push(Port {
            name: port,
            net,
            elems: g.dims.iter().product(),
            output,
        });
    }
    let find = |port: &str| nets.iter().find(|(n, _)| n == port).map(|(_, net)| *net);
    let need = |port: &str| find(port).expect("a primitive has its ports");
    match (prim, child.meta.name.as_str()) {
        (false, _) | (true, "ram_1r1w") => netlist.instances.push(Instance {
            name: plain,
            dims: dims.to_vec(),
            block: id,
            ports,
        }),
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
    use super::*;

    #[test]
    fn elements_are_grouped_row_major() {
        let names = ["a$0$0", "a$0$1", "a$1$0", "a$1$1", "b", "c$0$x", "c$1$x"];
        let got = group(names.iter().map(|n| (*n, ()))).expect("rectangular");
        let got: Vec<_> = got.into_iter().map(|(k, d, _)| (k, d)).collect();
        let want = [("a", vec![2, 2]), ("b", vec![]), ("c$x", vec![2])];
        assert_eq!(got, want.map(|(k, d)| (k.to_string(), d)));
    }

    #[test]
    fn ragged_arrays_are_refused() {
        let names = ["a$0$0", "a$0$1", "a$1$0"];
        let got = group(names.iter().map(|n| (*n, ())));
        assert_eq!(got, Err(Fault::Ragged("a".into())));
    }
}
