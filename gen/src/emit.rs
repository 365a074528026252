//! The pipeline: runs the passes over all blocks of a tree. The order of passes is written here
//! and nowhere else.

use crate::blocks::Block;
use crate::design::{Design, Direction, EmitOptions, Module, Port, Reset, ResetLevel};
use crate::error::{EmitError, Fault};
use crate::ir::{self, BlockId, NetKind};
use crate::passes::legality::Paths;
use crate::passes::{
    connect, dedup, generate, legality, naming, pack, polarity, registers, schedule, unroll, unused,
};
use crate::print::{Style, plain, print};
use heddle_hdl::prim::Kind;
use std::collections::{BTreeMap, BTreeSet};

/// Prints the tree of `top`, each structurally different block once.
///
/// # Errors
/// The first fault found, with the path of its block.
pub fn emit(
    top: &dyn rust_hdl_core::prelude::Block,
    options: &EmitOptions,
) -> Result<Design, EmitError> {
    let blocks = dedup::walk(top)?;
    let names = naming::module_names(&blocks, options.suffix())?;
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
        reset: options.reset,
        reset_level: options.reset_level,
    })
}

/// The passes over one block, in order.
fn compile(
    block: &Block,
    blocks: &[Block],
    cells: &Cells,
    options: &EmitOptions,
    paths: &mut Vec<Paths>,
) -> Result<ir::Module, Fault> {
    let unrolled = options.unrolled;
    // Rust-hdl names to nets, kernels to statements of exact width.
    let (mut netlist, table) = pack::build(block, blocks)?;
    unroll::lower(block, &mut netlist, &table)?;
    let mut names = table.names;

    legality::drivers(&netlist)?;
    paths.push(legality::loops(&netlist, paths)?);

    // Sequence to wires, processes and registers.
    let mut schedule = schedule::schedule(&netlist)?;
    let mut inlined = connect::inline(&netlist, &mut schedule, &cells.address_bits);
    let mut instances = connect::connections(&netlist, &inlined, &cells.address_bits);
    connect::drop_dead(&netlist, &mut schedule, &inlined, &instances);
    connect::alias(&netlist, &mut schedule, &mut instances, &inlined);
    let named = naming::values::name_values(&mut netlist, &mut names, &mut schedule, &mut inlined);
    let registers = registers::group(&netlist, &schedule, &inlined, unrolled)?;

    // Elements to loops, in printing order.
    let named = named.into_iter().map(|(t, e)| (Vec::new(), t, e));
    let assigned = named.chain(schedule.continuous).collect();
    let mut items = generate::items::assigns(&netlist.nets, assigned, unrolled);
    items.extend(generate::items::instances(&netlist, instances, unrolled));
    items.extend(generate::items::processes(
        &netlist.nets,
        schedule.comb,
        unrolled,
    ));
    items.extend(registers);

    let mut module = ir::Module {
        name: String::new(),
        meta: netlist.meta,
        nets: netlist.nets,
        items,
        unused: Vec::new(),
    };
    unused::collect(&mut module, &mut names);
    if options.reset_level == ResetLevel::High {
        polarity::active_high(&mut module);
    }
    if options.reset == Reset::Async {
        legality::reset(&module.items)?;
    }
    Ok(module)
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
                .map(|name| (naming::upper_camel(name), value(name).to_string()));
            out.parameters.insert(id, parameters.to_vec());
        }
    }
    out
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
    let parameter = |p: &heddle_hdl::prim::Param| (naming::upper_camel(&p.name), p.value);
    Module {
        name: module.name.clone(),
        text,
        ports: ports.collect(),
        parameters: block.meta.params.iter().map(parameter).collect(),
        source: format!("{}, {}", block.meta.source, block.meta.item),
        children: children.into_iter().collect(),
    }
}
