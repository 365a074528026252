//! Runs the passes over all blocks of a tree.

use crate::assemble::{Context, assemble};
use crate::design::{Design, Direction, EmitOptions, Module, Port, RAM_NAME, Reset, ResetLevel};
use crate::error::{EmitError, Fault};
use crate::header::plain;
use crate::ir::{self, BlockId, Item, NetKind};
use crate::loops::Paths;
use crate::print::{Style, edge, print};
use crate::walk::{Block, walk};
use crate::{check, kernel, loops, names, nets, schedule};
use heddle_hdl::prim::Kind;
use std::collections::{BTreeMap, BTreeSet};

/// Prints the tree of `top`.
///
/// # Errors
/// The first fault found, with the path of its block.
pub fn emit(
    top: &dyn rust_hdl_core::prelude::Block,
    options: &EmitOptions,
) -> Result<Design, EmitError> {
    let blocks = walk(top)?;
    let names = module_names(&blocks)?;
    let cells = cells(&blocks);
    let mut paths: Vec<Paths> = Vec::new();
    let mut modules = Vec::new();
    for (id, block) in blocks.iter().enumerate() {
        if block.meta.kind == Kind::Prim {
            paths.push(Paths::new());
            continue;
        }
        let fail = |fault| EmitError {
            path: block.path.clone(),
            fault,
        };
        let mut module = compile(block, &blocks, &cells, options, &mut paths).map_err(fail)?;
        module.name.clone_from(&names[id]);
        if options.reset == Reset::Async {
            asynchronous(&module.items).map_err(fail)?;
        }
        let style = Style {
            configuration: &options.configuration,
            version: &options.version,
            asynchronous: options.reset == Reset::Async,
            names: &names,
            parameters: &cells.parameters,
        };
        let text = print(&module, &style);
        modules.push(describe(&module, block, text, &names));
    }
    Ok(Design {
        top: names.last().cloned().unwrap_or_default(),
        modules,
        version: options.version.clone(),
        configuration: options.configuration.clone(),
    })
}

/// Runs the passes over one block.
fn compile(
    block: &Block,
    blocks: &[Block],
    cells: &Cells,
    options: &EmitOptions,
    paths: &mut Vec<Paths>,
) -> Result<ir::Module, Fault> {
    let (mut netlist, table) = nets::build(block, blocks)?;
    kernel::lower(block, &mut netlist, &table)?;
    check::check(&netlist)?;
    paths.push(loops::paths(&netlist, paths)?);
    let schedule = schedule::schedule(&netlist)?;
    let context = Context {
        address_bits: &cells.address_bits,
        unrolled: options.unrolled,
        reset_high: options.reset_level == ResetLevel::High,
    };
    assemble(netlist, schedule, table.names, &context)
}

/// Hand-written cells.
struct Cells {
    address_bits: BTreeMap<BlockId, usize>,
    parameters: BTreeMap<BlockId, Vec<(String, String)>>,
}

fn cells(blocks: &[Block]) -> Cells {
    let mut out = Cells {
        address_bits: BTreeMap::new(),
        parameters: BTreeMap::new(),
    };
    for (id, block) in blocks.iter().enumerate() {
        let value = |name: &str| block.meta.get_param(name).unwrap_or(1);
        if block.meta.kind == Kind::Prim && block.meta.name == "ram_1r1w" {
            out.address_bits.insert(id, value("addr_bits") as usize);
            let parameters = ["width", "depth", "addr_bits"]
                .map(|name| (names::upper_camel(name), value(name).to_string()));
            out.parameters.insert(id, parameters.to_vec());
        }
    }
    out
}

/// Names by block; equal names of different blocks are refused.
fn module_names(blocks: &[Block]) -> Result<Vec<String>, EmitError> {
    let mut used: BTreeMap<String, BlockId> = BTreeMap::new();
    let mut out = Vec::new();
    for (id, block) in blocks.iter().enumerate() {
        if block.meta.kind == Kind::Prim {
            let ram = block.meta.name == "ram_1r1w";
            out.push(if ram { RAM_NAME.into() } else { String::new() });
            continue;
        }
        let mut name = format!("heddle_{}", block.meta.name);
        for p in block.meta.params.iter().filter(|p| !p.flag.is_empty()) {
            name.push_str(&format!("_{}{}", p.flag, p.value));
        }
        let fail = |fault| EmitError {
            path: block.path.clone(),
            fault,
        };
        names::check(&name).map_err(fail)?;
        if used.insert(name.to_ascii_lowercase(), id).is_some() || name == RAM_NAME {
            return Err(fail(Fault::NameClash(name)));
        }
        out.push(name);
    }
    Ok(out)
}

/// An asynchronous reset must be a signal, not logic.
fn asynchronous(items: &[Item]) -> Result<(), Fault> {
    for item in items {
        match item {
            Item::Clocked(c) => {
                if let Some((run, _)) = &c.reset {
                    if edge(&crate::expr::not(run.clone())).is_none() {
                        let what = "an asynchronous reset computed by logic";
                        return Err(Fault::Unsupported(what.into()));
                    }
                }
            }
            Item::Loop(_, _, _, inner) => asynchronous(inner)?,
            _ => {}
        }
    }
    Ok(())
}

fn describe(module: &ir::Module, block: &Block, text: String, names: &[String]) -> Module {
    let port = |n: &&ir::Net| matches!(n.kind, NetKind::In | NetKind::Out);
    let ports = module.nets.iter().filter(port).map(|n| Port {
        name: n.name.clone(),
        width: n.bits(),
        direction: match n.kind {
            NetKind::In => Direction::Input,
            _ => Direction::Output,
        },
        elements: n.dims.clone(),
        doc: plain(&n.doc),
    });
    let children: BTreeSet<String> = block
        .children
        .iter()
        .map(|(_, id)| names[*id].clone())
        .filter(|name| !name.is_empty())
        .collect();
    let parameter = |p: &heddle_hdl::prim::Param| (names::upper_camel(&p.name), p.value);
    Module {
        name: module.name.clone(),
        text,
        ports: ports.collect(),
        parameters: block.meta.params.iter().map(parameter).collect(),
        source: format!("{}, {}", block.meta.source, block.meta.item),
        children: children.into_iter().collect(),
    }
}
