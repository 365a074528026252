//! The pipeline: runs the passes over all blocks of a tree. The order of passes is written here
//! and nowhere else.

use crate::blocks::Block;
use crate::design::{Design, Direction, EmitOptions, Module, Port, Reset, ResetLevel, TextStyle};
use crate::error::{EmitError, Fault};
use crate::ir::{self, BlockId, NetKind};
use crate::memories::{self, Instance, Shape, Written};
use crate::passes::legality::Paths;
use crate::passes::{
    connect, contracts, dedup, forward, generate, grid, legality, naming, pack, polarity,
    registers, scatter, schedule, unroll, unused,
};
use crate::print::{Placed, Style, plain, print};
use crate::table::Table;
use heddle_kernel::BlockKind;
use std::collections::{BTreeMap, BTreeSet};

/// Prints the tree of `top`, each structurally different block once.
///
/// # Errors
/// The first fault found, with the path of its block.
pub fn emit(
    top: &dyn rust_hdl_core::prelude::Block,
    options: &EmitOptions,
) -> Result<Design, EmitError> {
    let mut blocks = dedup::walk(top)?;
    if options.one_port {
        share_ports(&mut blocks);
    }
    let cells = cells(&blocks);
    let mut modules = compiled(&blocks, &cells, options, false)?;
    let (names, mut texts) = printed(&blocks, &modules, &cells, options)?;
    if options.contracts {
        // The names stay: what is checked is no part of the logic.
        modules = compiled(&blocks, &cells, options, true)?;
        for (id, text) in texts.iter_mut().enumerate() {
            if let (Some(text), Some(module)) = (text, &modules[id]) {
                let (with, placed) = text_of(&blocks[id], module, &cells, options, &names);
                *text = (with.replace(naming::OWN_NAME, &names[id]), placed);
            }
        }
    }
    let mut found: Vec<Module> = Vec::new();
    for (id, text) in texts.into_iter().enumerate() {
        let (Some(module), Some((text, placed))) = (&modules[id], text) else {
            continue;
        };
        // Blocks that differ in what no text shows are one module.
        match found.iter().find(|other| other.name == names[id]) {
            None => {
                let instances = placed.iter().map(|p| instance(p, &blocks, &names));
                let mut module = describe(module, &blocks[id], text, names[id].clone());
                module.instances = instances.collect();
                found.push(module);
            }
            Some(other) if naming::is_same(&other.text, &text) => {}
            Some(_) => {
                return Err(EmitError {
                    path: blocks[id].path.clone(),
                    fault: Fault::NameClash(names[id].clone()),
                });
            }
        }
    }
    Ok(Design {
        top: names.last().cloned().unwrap_or_default(),
        modules: found,
        version: options.version.clone(),
        configuration: options.configuration.clone(),
        reset: options.reset,
        reset_level: options.reset_level,
        style: options.style,
        contracts: options.contracts,
        timescale: options.timescale.clone(),
    })
}

/// The modules of all blocks, with or without their contracts.
fn compiled(
    blocks: &[Block],
    cells: &Cells,
    options: &EmitOptions,
    contracts: bool,
) -> Result<Vec<Option<ir::Module>>, EmitError> {
    let mut paths: Vec<Paths> = Vec::new();
    let mut modules: Vec<Option<ir::Module>> = Vec::new();
    for block in blocks {
        if block.meta.kind == BlockKind::Prim {
            paths.push(Paths::new());
            modules.push(None);
            continue;
        }
        let fail = |fault| EmitError {
            path: block.path.clone(),
            fault,
        };
        let mut netlist = lowered(block, blocks).map_err(fail)?;
        if !contracts {
            contracts::drop(&mut netlist.0);
        }
        let module = compile(netlist, cells, options, &mut paths).map_err(fail)?;
        modules.push(Some(module));
    }
    match options.style {
        TextStyle::Structural => Ok(modules),
        TextStyle::Loops => grids(blocks, &modules),
    }
}

/// Gives memories that are written at rest only the cell with one port.
fn share_ports(blocks: &mut [Block]) {
    for block in blocks {
        if block.meta.name == "ram_1r1w" && block.meta.get_param("at_rest") == Some(1) {
            block.meta.name = "ram_1rw".into();
        }
    }
}

/// The text of a module and the instances in it.
type Printed = (String, Vec<Placed>);

/// Names of all blocks, and texts of those that are printed. Children come first: their names are part of the text that names their parent.
fn printed(
    blocks: &[Block],
    modules: &[Option<ir::Module>],
    cells: &Cells,
    options: &EmitOptions,
) -> Result<(Vec<String>, Vec<Option<Printed>>), EmitError> {
    let used = used(modules);
    let (mut names, mut final_names, mut texts) = (Vec::new(), Vec::new(), Vec::new());
    for (id, (block, module)) in blocks.iter().zip(modules).enumerate() {
        let module = module.as_ref().filter(|_| used.contains(&id));
        let Some(module) = module else {
            let name = naming::primitive(&block.meta);
            names.push(name.clone());
            final_names.push(name);
            texts.push(None);
            continue;
        };
        let text = |names: &[String]| text_of(block, module, cells, options, names);
        let plain = text(&names);
        let name = naming::module_name(&block.meta, &plain.0, options.suffix());
        let name = name.map_err(|fault| EmitError {
            path: block.path.clone(),
            fault,
        })?;
        let (own, (text, placed)) = match options.prefix.as_str() {
            "" => (name.clone(), plain),
            prefix => (format!("{prefix}{name}"), text(&final_names)),
        };
        texts.push(Some((text.replace(naming::OWN_NAME, &own), placed)));
        names.push(name);
        final_names.push(own);
    }
    Ok((final_names, texts))
}

/// The text of a module, in which its own name is still to be put.
fn text_of(
    block: &Block,
    module: &ir::Module,
    cells: &Cells,
    options: &EmitOptions,
    names: &[String],
) -> Printed {
    let style = Style {
        configuration: block.meta.is_top().then_some(&*options.configuration),
        version: &options.version,
        asynchronous: options.reset == Reset::Async,
        names,
        parameters: &cells.parameters,
    };
    print(module, &style)
}

/// The modules with everything below a grid taken into it.
fn grids(
    blocks: &[Block],
    modules: &[Option<ir::Module>],
) -> Result<Vec<Option<ir::Module>>, EmitError> {
    let mut out = Vec::new();
    for (block, module) in blocks.iter().zip(modules) {
        let fail = |fault| EmitError {
            path: block.path.clone(),
            fault,
        };
        out.push(match module {
            Some(module) if block.meta.is_grid() => {
                Some(grid::flatten(module, modules).map_err(fail)?)
            }
            module => module.clone(),
        });
    }
    Ok(out)
}

/// The blocks below the last one, which is the top, and the top itself.
fn used(modules: &[Option<ir::Module>]) -> BTreeSet<BlockId> {
    let mut out = BTreeSet::from([modules.len().saturating_sub(1)]);
    for (id, module) in modules.iter().enumerate().rev() {
        if let (true, Some(module)) = (out.contains(&id), module) {
            out.extend(ir::instances(&module.items));
        }
    }
    out
}

/// Rust-hdl names to nets, kernels to statements of exact width.
fn lowered(block: &Block, blocks: &[Block]) -> Result<(ir::Netlist, Table), Fault> {
    let (mut netlist, table) = pack::build(block, blocks)?;
    unroll::lower(block, &mut netlist, &table)?;
    Ok((netlist, table))
}

/// The passes over one block, in order.
fn compile(
    (mut netlist, table): (ir::Netlist, Table),
    cells: &Cells,
    options: &EmitOptions,
    paths: &mut Vec<Paths>,
) -> Result<ir::Module, Fault> {
    let unrolled = options.unrolled;
    let mut names = table.names;

    legality::drivers(&netlist)?;
    paths.push(legality::loops(&netlist, paths)?);

    // Sequence to wires, processes and registers.
    let mut schedule = schedule::schedule(&netlist)?;
    scatter::scatter(&mut netlist, &mut names, &mut schedule);
    forward::forward(&netlist, &mut schedule);
    let mut inlined = connect::inline(&netlist, &mut schedule, &cells.address_bits);
    let mut instances = connect::connections(&netlist, &inlined, &cells.address_bits);
    connect::drop_dead(&netlist, &mut schedule, &inlined, &instances);
    connect::alias(&netlist, &mut schedule, &mut instances, &inlined);
    let named = naming::values::name_values(
        &mut netlist,
        &mut names,
        &mut schedule,
        &mut inlined,
        &mut instances,
    );
    let contracts = contracts::take(&netlist, &mut schedule)?;
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
        name: naming::OWN_NAME.into(),
        meta: netlist.meta,
        nets: netlist.nets,
        items,
        unused: Vec::new(),
        contracts,
    };
    unused::collect(&mut module, &mut names);
    if options.reset_level == ResetLevel::High {
        polarity::active_high(&mut module);
    }
    if module.meta.is_axi() {
        polarity::axi_names(&mut module);
    }
    if options.reset == Reset::Async {
        legality::reset(&module.items)?;
    }
    described(&module)?;
    Ok(module)
}

/// Readers of the Verilog are told what a module is and what each of its ports means.
fn described(module: &ir::Module) -> Result<(), Fault> {
    if module.meta.doc.iter().all(|line| line.is_empty()) {
        return Err(Fault::NoDescription);
    }
    let is_port = |net: &&ir::Net| matches!(net.kind, NetKind::In | NetKind::Out);
    let mut ports = module.nets.iter().filter(is_port);
    match ports.find(|port| port.doc.is_empty()) {
        Some(port) => Err(Fault::NoPortDescription(port.name.clone())),
        None => Ok(()),
    }
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
        if block.meta.kind == BlockKind::Prim && memories::cell(&block.meta.name).is_some() {
            out.address_bits.insert(id, value("addr_bits") as usize);
            let mut shown = vec!["width", "depth", "addr_bits", "hold"];
            if value("lanes") > 1 {
                shown.insert(3, "lanes");
            }
            let parameter = |name| (naming::upper_camel(name), value(name).to_string());
            out.parameters
                .insert(id, shown.into_iter().map(parameter).collect());
        }
    }
    out
}

/// An instance in a text by its name, with what it must be if it is a memory.
fn instance(placed: &Placed, blocks: &[Block], names: &[String]) -> Instance {
    let meta = &blocks[placed.block].meta;
    let value = |name: &str| meta.get_param(name).unwrap_or_default();
    let shape = |cell| Shape {
        cell,
        width: value("width"),
        depth: value("depth"),
        lanes: value("lanes"),
        hold: value("hold") > 0,
        written: match value("at_rest") {
            0 => Written::DuringRuns,
            _ => Written::AtRest,
        },
    };
    Instance {
        module: names[placed.block].clone(),
        path: placed.path.clone(),
        count: placed.count,
        memory: memories::cell(&meta.name).map(shape),
    }
}

fn describe(module: &ir::Module, block: &Block, text: String, name: String) -> Module {
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
    let parameter = |p: &heddle_kernel::Param| (naming::upper_camel(&p.name), p.value);
    let shown = block.meta.params.iter().filter(|p| p.is_shown());
    Module {
        name,
        text,
        ports: ports.collect(),
        parameters: shown.map(parameter).collect(),
        source: format!("{}, {}", block.meta.source, block.meta.item),
        instances: Vec::new(),
    }
}
