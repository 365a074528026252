//! What a core is made of, by the netlist of Yosys: every register and memory by its name, and what
//! synthesis makes of the whole.

use super::sides::{core, ports};
use super::variants::options;
use crate::blocks::offsets::sides::unit;
use crate::rtl::{OrPanic, faults, mutated};
use heddle_sim::blocks::gemm::GemmOptions;
use heddle_sim::blocks::offsets::Stepping;
use heddle_tb::verilate::Sources;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// Kind of module, reason, and what holds state, line by line.
const ALLOWED: &str = include_str!("allowed.txt");

/// Module, reason and items of each line.
fn allowed() -> impl Iterator<Item = [&'static str; 3]> {
    let lines = ALLOWED.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| {
        let mut parts = line.split(" | ");
        [(); 3].map(|()| parts.next().expect("module, reason and items"))
    })
}

/// Cores with every option, 4 x 3, equal tables: memory for each row behind a skew and behind a
/// broadcast, banks, and rows that keep their bases.
fn cores() -> [(&'static str, GemmOptions); 4] {
    let core = |broadcast, banks, prefetch| {
        options(4, 3, |options| {
            options.unit.expand = true;
            options.store_each = true;
            options.unit.broadcast = broadcast;
            options.banks = banks;
            options.unit.prefetch = prefetch;
            if prefetch {
                options.unit.stepping = Stepping::BeforeRead;
            }
        })
    };
    [
        ("skew", core(false, 0, false)),
        ("broadcast", core(true, 0, false)),
        ("banks", core(true, 4, false)),
        ("ahead", core(false, 0, true)),
    ]
}

/// Runs yosys on a core; what it says if it fails.
pub fn yosys(sources: &Sources, commands: &str) -> Result<String, String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in &sources.files {
        std::fs::write(folder.path().join(name), text).expect("a file of the core");
    }
    let names: Vec<&str> = sources.files.iter().map(|file| file.0.as_str()).collect();
    let script = format!(
        "read_verilog {}; hierarchy -check -top {}; {commands}",
        names.join(" "),
        sources.top
    );
    let output = Command::new("yosys")
        .args(["-q", "-p", &script])
        .current_dir(folder.path())
        .output()
        .expect("yosys not found: run scripts/setup.sh");
    match output.status.success() {
        true => Ok(std::fs::read_to_string(folder.path().join("netlist.il")).unwrap_or_default()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

/// A name without backslash and with its indices left out: copies of a loop count as one.
fn plain(name: &str) -> String {
    let mut plain = String::new();
    let mut inside = false;
    for letter in name.trim_start_matches('\\').chars() {
        inside = inside && letter != ']';
        if !inside {
            plain.push(letter);
        }
        inside = inside || letter == '[';
    }
    plain
}

/// Kind of a module: its name without the letters and numbers of its sizes and the hash of its text.
fn kind(module: &str) -> String {
    let name = module.strip_prefix("heddle_").unwrap_or(module);
    let hash = name
        .rsplit_once('_')
        .filter(|(_, hash)| hash.len() == 8 && u32::from_str_radix(hash, 16).is_ok());
    let name = hash.map_or(name, |(name, _)| name);
    let size = |word: &str| {
        let number = word.trim_start_matches(|letter: char| letter.is_ascii_lowercase());
        word.len() == number.len() + 1
            && !number.is_empty()
            && number.bytes().all(|b| b.is_ascii_digit())
    };
    let words: Vec<&str> = name.split('_').collect();
    let last = words.iter().rposition(|word| !size(word)).unwrap_or(0);
    words[..=last].join("_")
}

/// What holds state in a module, and the modules in it: "name bits", "memory name bits x entries",
/// "instance name: kind x copies".
type Found = BTreeMap<String, BTreeSet<String>>;

/// State and instances of each kind of module of a netlist in Yosys' own text.
fn state(netlist: &str) -> Found {
    let mut found = Found::new();
    let mut instances: BTreeMap<(String, String, String), usize> = BTreeMap::new();
    let mut module = String::new();
    let mut widths: BTreeMap<String, String> = BTreeMap::new();
    let mut cell = String::new();
    for line in netlist.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["module", name] => {
                module = match name.contains("heddle_ram_1r1w") {
                    true => "ram".into(),
                    false => kind(plain(name).as_str()),
                };
                found.entry(module.clone()).or_default();
                widths.clear();
            }
            ["wire", ..] => {
                let width = words.iter().position(|word| *word == "width");
                let width = width.map_or("1", |at| words[at + 1]);
                widths.insert(words[words.len() - 1].into(), width.into());
            }
            ["memory", "width", width, "size", size, name] => {
                let item = format!("memory {} {width} x {size}", plain(name));
                // The cell of a memory has no other state: sizes stand where it is used.
                if module != "ram" {
                    found.entry(module.clone()).or_default().insert(item);
                }
            }
            ["cell", kind_of_cell, name] => {
                cell = kind_of_cell.into();
                if !cell.starts_with('$') || cell.starts_with("$paramod") {
                    let inner = match cell.contains("heddle_ram_1r1w") {
                        true => format!("ram {}", ram_size(netlist, &cell)),
                        false => kind(plain(&cell).as_str()),
                    };
                    *instances
                        .entry((module.clone(), plain(name), inner))
                        .or_default() += 1;
                }
            }
            ["connect", "\\Q", ref wires @ ..] if holds_state(&cell) && module != "ram" => {
                let names = wires
                    .iter()
                    .filter(|word| !word.starts_with(['[', '{', '}']));
                for name in names {
                    let width = widths.get(*name).map_or("?", String::as_str);
                    let item = format!("{} {width}", plain(name));
                    found.entry(module.clone()).or_default().insert(item);
                }
            }
            _ => (),
        }
    }
    for ((module, name, inner), copies) in instances {
        let item = format!("{name}: {inner} x {copies}");
        found.entry(module).or_default().insert(item);
    }
    found
}

/// Flip-flops, latches of every kind.
fn holds_state(cell: &str) -> bool {
    ["dff", "latch", "$ff", "$sr", "$_"]
        .iter()
        .any(|part| cell.contains(part))
}

/// Bits and entries of the memory in a module.
fn ram_size(netlist: &str, module: &str) -> String {
    let mut lines = netlist
        .lines()
        .skip_while(|line| *line != format!("module {module}"));
    let memory = lines.find_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["memory", "width", width, "size", size, _] => Some(format!("{width} x {size}")),
            _ => None,
        }
    });
    memory.expect("a memory cell holds a memory")
}

/// What a list with its reasons names, by module.
fn listed() -> Found {
    let mut listed = Found::new();
    for [module, _, items] in allowed() {
        for item in items.split(", ") {
            let known = listed.entry(module.into()).or_default();
            assert!(
                known.insert(item.into()),
                "{module}: {item} is listed twice"
            );
        }
    }
    listed
}

/// State and modules of a core that are not in the list.
fn unknown(sources: &Sources) -> Result<Vec<String>, String> {
    let netlist = yosys(sources, "proc; write_rtlil netlist.il")?;
    let listed = listed();
    let known = |module: &str, item: &String| {
        let items = listed.get(module);
        items.is_some_and(|items| items.contains(item))
    };
    let mut unknown = Vec::new();
    for (module, items) in state(&netlist) {
        let others = items.into_iter().filter(|item| !known(&module, item));
        unknown.extend(others.map(|item| format!("{module}: {item}")));
    }
    Ok(unknown)
}

#[proves("SGCR-09", "SGCR-29", "SGCR-31")]
#[test]
fn registers_and_memories_of_the_core_are_known_none_for_a_shape() {
    let mut seen = Found::new();
    for (name, options) in cores() {
        let sources = core(&options);
        let found = unknown(&sources).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(found, [""; 0], "{name}");
        let netlist = yosys(&sources, "proc; write_rtlil netlist.il").expect("it was made before");
        for (module, items) in state(&netlist) {
            seen.entry(module).or_default().extend(items);
        }
    }
    // Nothing is in the list that is in no core.
    seen.retain(|_, items| !items.is_empty());
    assert_eq!(seen, listed());
}

#[proves("SGCR-31")]
#[test]
fn core_and_unit_have_the_documented_ports_and_none_for_a_shape() {
    let mut designs = Vec::new();
    for (_, options) in cores() {
        designs.push((core(&options), ports(&options)));
        designs.push((
            unit(&options.unit),
            crate::blocks::offsets::sides::ports(&options.unit),
        ));
    }
    for (sources, documented) in designs {
        let top = format!("{}.v", sources.top);
        let top = sources.files.iter().find(|file| file.0 == top);
        let text = &top.expect("the module of the design").1;
        let lines = text.lines().map(str::trim);
        let lines = lines.filter(|line| line.starts_with("input ") || line.starts_with("output "));
        let found: BTreeSet<&str> = lines
            .filter_map(|line| line.split([',', ';']).next()?.split(' ').next_back())
            .collect();
        let documented = documented.iter().map(|port| port.0);
        let documented: BTreeSet<&str> = documented.chain(["clk", "rst_n"]).collect();
        assert_eq!(found, documented, "{}", sources.top);
    }
}

#[proves("SGCR-22")]
#[test]
fn nothing_in_a_core_without_the_expander_generates_tables() {
    let plain = core(&options(4, 3, |_| {}));
    let netlist = yosys(&plain, "proc; write_rtlil netlist.il").or_panic();
    let modules = state(&netlist);
    assert!(modules.contains_key("offsets_table"));
    assert!(!modules.contains_key("offsets_expander"));
    // Tables are written from the port alone: no sum comes near their data.
    let unit = "proc; opt; select -assert-none heddle_offsets_r4*/t:$add heddle_offsets_r4*/t:$sub \
                heddle_offsets_table*/t:$add";
    yosys(&plain, unit).or_panic();
}

#[proves("SGCR-31")]
#[test]
fn added_state_is_found_under_any_name() {
    let plain = core(&cores()[0].1);
    // A width that the host writes, without the usual ending of a register's name; a layout in a small memory beside a
    // row; one more number among the known ones; a latch; another copy of a known module.
    let list = r"
        heddle_offsets_registers: @ => reg [15:0] width; always @(posedge clk) width <= data_i[15:0];
        heddle_offsets_row_: @ => reg [3:0] layout[0:3]; always @(posedge clk) layout[row_i[1:0]] <= col_i;
        heddle_offsets_registers: reg [95:0] number_q => reg [111:0] number_q
        heddle_operand_row_: @ => reg stride; always @* if (ren_i) stride = addr_i[0];
        heddle_operand_rows_: @ => ROW u_more (.clk(clk));";
    let items = [
        "offsets_registers: width 16",
        "offsets_row: memory layout 4 x 4",
        "offsets_registers: number_q 112",
        "operand_row: stride 1",
        "operand_rows: u_more: operand_row x 1",
    ];
    let mut names = plain
        .files
        .iter()
        .map(|(file, _)| file.trim_end_matches(".v"));
    let row = names.find(|name| name.starts_with("heddle_operand_row_a16_d1024_"));
    let row = row.expect("a core has rows");
    for ((module, from, to), found) in faults(list).into_iter().zip(items) {
        let to = &to.replace("ROW", row);
        // Behind the ports.
        let planted = match from {
            "@" => planted(&plain, module, "\n);\n", &format!("\n);\n  {to}\n")),
            _ => planted(&plain, module, from, to),
        };
        let unknown = unknown(&planted).unwrap_or_else(|error| panic!("{found}: {error}"));
        // A small memory has the registers of its write port beside it.
        let module = found.split(':').next().unwrap_or_default();
        assert!(unknown.iter().any(|item| item == found), "{unknown:?}");
        assert!(unknown.iter().all(|item| item.starts_with(module)));
    }
}

/// A design with the first `from` in a module replaced.
fn planted(sources: &Sources, module: &str, from: &str, to: &str) -> Sources {
    let mut planted = sources.clone();
    let file = planted
        .files
        .iter_mut()
        .find(|file| file.0.starts_with(module));
    let text = &mut file.expect("the module is there").1;
    assert!(text.contains(from), "{module} has no {from}");
    *text = text.replacen(from, to, 1);
    planted
}

/// One module that makes weight addresses, one register in it, one adder behind that, one place
/// where it takes the origin.
const POINTER: &str = "select -assert-count 1 t:heddle_offsets_pass_*; \
                       select -assert-count 1 */w:*b_addr_q; \
                       select -assert-count 1 heddle_offsets_pass_*/w:b_addr_q %ci7 \
                       heddle_offsets_pass_*/t:$add %i; \
                       select -assert-count 1 */w:b_origin_i %co1 */c:* %i";

/// One adder in a row, none beside the memories; no multiplier, divider or power but in the cells.
const ADDERS: &str = "select -assert-none heddle_weight_*/t:$add heddle_weight_*/t:$sub \
                      heddle_operand_row*/t:$add heddle_operand_bank*/t:$add; \
                      select -assert-count 1 heddle_offsets_row_*/t:$add; \
                      select -assert-none heddle_dual_pe_*/t:$mul %n t:$mul %i t:$div t:$mod \
                      t:$divfloor t:$modfloor t:$pow t:$macc t:$alu";

#[proves("SGCR-16", "SGCR-30")]
#[test]
fn one_generator_of_weight_addresses_and_one_adder_a_row() {
    let of = |reason: &str| -> Vec<(&str, &str)> {
        let items = allowed().filter(|line| line[1] == reason);
        items.map(|line| (line[0], line[2])).collect()
    };
    // The columns only pass the address on.
    assert_eq!(of("weight pointer"), [("offsets_pass", "b_addr_q 16")]);
    let addresses = [("offsets_row", "addr_q 16"), ("operand_banks", "from_q 16")];
    assert_eq!(of("operand address"), addresses);
    for (name, options) in cores() {
        let (core, unit) = (core(&options), unit(&options.unit));
        yosys(&core, &format!("proc; opt; {ADDERS}")).unwrap_or_else(|e| panic!("{name}: {e}"));
        let pointer = format!("proc; opt; {POINTER}");
        yosys(&unit, &pointer).unwrap_or_else(|error| panic!("{name}: {error}"));
        // The checks can fail.
        let list = r"
            heddle_offsets_row_a: + value_i => * value_i
            heddle_offsets_row_a: + value_i => + value_i + {15'd0, took_q}
            heddle_offsets_pass: b_addr_q + 16'd1 => b_addr_q + 16'd1 + {7'd0, b_row_q}
            heddle_offsets_pass: b_addr_o = b_addr_q => b_addr_o = b_addr_q ^ b_origin_i";
        for (module, from, to) in faults(list) {
            let checks = if module == "heddle_offsets_pass" {
                POINTER
            } else {
                ADDERS
            };
            let planted = mutated(&unit, module, from, to);
            assert!(
                yosys(&planted, &format!("proc; opt; {checks}")).is_err(),
                "{name}: {to}"
            );
        }
    }
}
