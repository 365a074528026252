//! `heddle gen`: the Verilog of configurations as a folder.

use heddle_arch::{Params, bench, python, registers};
use serde_json::json;

use crate::args::GenArgs;
use crate::design::{self, Design, Text};
use crate::failure::Failure;
use crate::{component, folder, input, output, waste};

/// Modules with the registers of a section `system`.
const REGISTER_PORTS: [&str; 3] = [design::TOP, "system", "csr"];

/// Runs the command.
pub fn run(args: &GenArgs) -> Result<(), Failure> {
    let configurations = args.config.iter().map(|path| input::read_config(path));
    let mut configurations = configurations.collect::<Result<Vec<_>, _>>()?;
    folder::check(&args.output)?;
    let text = Text {
        style: args.style.into(),
        timescale: args.timescale.clone(),
        prefix: args.prefix.clone(),
        contracts: args.assert,
    };
    let designs = configurations.iter_mut().map(|params| {
        if let Some(style) = args.reset {
            params.reset.style = style.into();
        }
        let module = match args.top.as_str() {
            design::TOP => design::machine(params),
            other => other,
        };
        design::generate(params, module, &text)
    });
    let designs = designs.collect::<Result<Vec<Design>, Failure>>()?;
    let all: Vec<&Design> = designs.iter().collect();
    let mut beside = beside(&configurations, &args.top);
    if args.top == design::TOP {
        let machines = configurations.iter().zip(&designs);
        beside.extend(machines.flat_map(|(params, design)| package(params, design)));
        let machines = configurations.iter().zip(&designs);
        let on_buses: Vec<_> = machines
            .filter(|(params, _)| params.system.is_some())
            .collect();
        // A folder is one IP.
        if let [(params, design)] = on_buses[..] {
            beside.push((component::FILE.into(), component::component(params, design)));
        }
    }
    let files = heddle_gen::files(&all, &beside).map_err(|name| clash(&name, args))?;
    folder::write(&args.output, &files)?;
    // Blocks that stand alone are not what networks run on.
    let machines = match args.top == design::TOP {
        true => &configurations[..],
        false => &[],
    };
    for (path, params) in args.config.iter().zip(machines) {
        waste::warn(path, params);
    }
    let shown = args.output.display().to_string();
    match args.json {
        true => output::print_json(&summary(&designs, machines, &files, &shown)),
        false => output::print(&report(&designs, &files, &shown)),
    }
}

/// The lists for C and Python and the SystemRDL files of machines with a register port.
fn beside(configurations: &[Params], top: &str) -> Vec<(String, String)> {
    let version = env!("CARGO_PKG_VERSION");
    let with_port = |params: &&Params| params.system.is_some() && REGISTER_PORTS.contains(&top);
    let machines: Vec<&Params> = configurations.iter().filter(with_port).collect();
    if machines.is_empty() {
        return Vec::new();
    }
    let header = registers::header(&machines, version);
    let lists = [
        ("heddle_regs.py".to_string(), python::constants(&header)),
        ("heddle_regs.h".to_string(), header),
    ];
    let maps = machines.iter();
    let maps = maps.map(|params| {
        (
            registers::rdl_file_name(params),
            registers::rdl(params, version),
        )
    });
    lists.into_iter().chain(maps).collect()
}

/// A machine for FuseSoC, with a test bench if it has a register port.
fn package(params: &Params, design: &Design) -> Vec<(String, String)> {
    let module = format!("tb_{}", design.top);
    let file = format!("{module}.v");
    let bench = bench::bench(params, &module, &design.top, &design.version);
    let core = heddle_gen::core(design, bench.as_ref().map(|_| file.as_str()));
    let core = (format!("heddle_{}.core", params.name), core);
    std::iter::once(core)
        .chain(bench.map(|text| (file, text)))
        .collect()
}

/// Two configurations of one name have different tops.
fn clash(name: &str, args: &GenArgs) -> Failure {
    let paths = args.config.iter().map(|path| path.display().to_string());
    Failure::new(format!(
        "{name} would have two texts, of {}: give each configuration a name of its own",
        paths.collect::<Vec<_>>().join(" and ")
    ))
}

/// What is written: of one design its fields, of several a list of these.
fn summary(
    designs: &[Design],
    machines: &[Params],
    files: &[(String, String)],
    folder: &str,
) -> serde_json::Value {
    let of_design = |(index, design): (usize, &Design)| {
        let mut summary = json!({
            "configuration": design.configuration,
            "top": design.top,
            "modules": design::summaries(design),
        });
        if let Some(params) = machines.get(index) {
            summary["wasted"] = waste::json(params);
        }
        summary
    };
    let mut summary = match designs {
        [design] => of_design((0, design)),
        _ => json!({ "designs": designs.iter().enumerate().map(of_design).collect::<Vec<_>>() }),
    };
    summary["output"] = json!(folder);
    summary["files"] = files.iter().map(|(name, _)| name.as_str()).collect();
    summary
}

fn report(designs: &[Design], files: &[(String, String)], folder: &str) -> String {
    let mut rows = vec![["module", "ports", "lines"].map(String::from).to_vec()];
    for module in designs.iter().flat_map(design::summaries) {
        let row = vec![
            module.name,
            module.ports.to_string(),
            module.lines.to_string(),
        ];
        if !rows.contains(&row) {
            rows.push(row);
        }
    }
    let tops: Vec<&str> = designs.iter().map(|design| design.top.as_str()).collect();
    let what = match tops.len() {
        1 => "top module",
        _ => "top modules",
    };
    output::table(&rows)
        + &format!(
            "wrote {} files to {folder}, {what} {}\n",
            files.len(),
            tops.join(", ")
        )
}
