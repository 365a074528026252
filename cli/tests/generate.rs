//! `heddle gen`: folders of Verilog.

use crate::bench::{Bench, CONFIG};
use serde_json::Value;
use std::collections::BTreeMap;
use std::process::Command;

const GEN: &str = "gen -c c.json -o out/verilog";

#[test]
fn a_configuration_becomes_a_folder() {
    let bench = Bench::new(&[("c.json", CONFIG)]);
    let stdout = bench.done(GEN);
    assert!(stdout.starts_with("module"), "{stdout}");
    let folder = bench.path().join("out/verilog");
    let list = bench.read("out/verilog/filelist.f");
    let manifest = bench.read("out/verilog/manifest.json");
    let manifest: Value = serde_json::from_str(&manifest).expect("JSON");
    let top = manifest["top"].as_str().expect("a name");
    assert!(list.lines().count() > 10, "{list}");
    assert_eq!(
        list.lines().last(),
        Some(format!("{top}.v").as_str()),
        "leaves come first"
    );
    for file in list.lines() {
        assert!(folder.join(file).is_file(), "{file}");
    }
    let entries = std::fs::read_dir(&folder).expect("a folder").count();
    assert_eq!(entries, list.lines().count() + 4);
    let last = format!("wrote {entries} files to out/verilog, top module {top}\n");
    assert!(stdout.ends_with(&last), "{stdout}");
    let beside = std::fs::read_dir(bench.path().join("out"))
        .expect("a folder")
        .count();
    assert_eq!(beside, 1, "no temporary folder is left");
}

#[test]
fn equal_configurations_give_equal_bytes() {
    let bench = Bench::new(&[("c.json", CONFIG)]);
    bench.done(GEN);
    let first = bench.content();
    bench.done(GEN);
    assert!(first == bench.content());
}

#[test]
fn the_result_as_json() {
    let bench = Bench::new(&[("c.json", CONFIG)]);
    let report = bench.json("gen -c c.json -o out --top pe_row --json");
    assert_eq!(report["configuration"], "tiny");
    let top = report["top"].as_str().expect("a name");
    assert!(top.starts_with("heddle_pe_row_c4_"), "{top}");
    let modules = report["modules"].as_array().expect("modules");
    assert!(
        modules.iter().all(|m| m["lines"].as_u64() > Some(10)),
        "{report}"
    );
    let is_cell = |module: &Value| module["name"].as_str().is_some_and(|name| name.len() == 18);
    assert!(modules.iter().any(is_cell), "{report}");
}

#[test]
fn every_module_can_be_the_top() {
    let bench = Bench::new(&[("c.json", CONFIG)]);
    for entry in heddle_hdl::catalog::MODULES {
        let report = bench.json(&format!("gen -c c.json -o out --top {} --json", entry.name));
        let name = report["top"].as_str().expect("a name");
        let expected = format!("heddle_{}", entry.name);
        assert!(name.starts_with(&expected), "{name} for {}", entry.name);
    }
}

#[test]
fn a_machine_with_a_register_port_has_a_header_and_a_map_beside_it() {
    let axi = CONFIG.replacen('{', "{ \"system\": { \"registers\": \"axil\" },", 1);
    let wishbone = axi
        .replace("axil", "wishbone")
        .replace("\"tiny\"", "\"other\"");
    let bench = Bench::new(&[("a.json", &axi), ("b.json", &wishbone), ("c.json", CONFIG)]);
    let report = bench.json("gen -c a.json -o one --json");
    assert_eq!(report["top"], "heddle_system_tiny");
    let maps = [
        "component.xml",
        "heddle_regs.h",
        "heddle_regs.py",
        "heddle_tiny.core",
        "heddle_tiny.rdl",
        "tb_heddle_system_tiny.v",
    ];
    let beside = |folder: &str| {
        let manifest: Value =
            serde_json::from_str(&bench.read(&format!("{folder}/manifest.json"))).expect("JSON");
        let files = manifest["beside"].as_object().cloned().unwrap_or_default();
        files.keys().cloned().collect::<Vec<_>>()
    };
    assert_eq!(beside("one"), maps);
    let header = bench.read("one/heddle_regs.h");
    let hash = bench.done("config hash -c c.json");
    let line = format!(
        "#define HEDDLE_MACHINE_TINY_CONFIG 0x{}u\n",
        hash.trim()[2..].to_uppercase()
    );
    assert!(header.contains(&line), "{line} in {header}");
    let module = bench.read("one/heddle_regs.py");
    let line = format!(
        "MACHINE_TINY_CONFIG = 0x{}\n",
        hash.trim()[2..].to_uppercase()
    );
    assert!(module.contains(&line), "{line} in {module}");
    // Two machines have one header. The folder is replaced with all that belongs to it.
    bench.done("gen -c a.json -c b.json -o one");
    assert_eq!(
        beside("one"),
        [
            "heddle_other.core",
            "heddle_other.rdl",
            "heddle_regs.h",
            "heddle_regs.py",
            "heddle_tiny.core",
            "heddle_tiny.rdl",
            "tb_heddle_system_other.v",
            "tb_heddle_system_tiny.v"
        ]
    );
    let header = bench.read("one/heddle_regs.h");
    assert!(
        header.contains("HEDDLE_MACHINE_TINY_SHAPE")
            && header.contains("HEDDLE_MACHINE_OTHER_SHAPE")
    );
    // None without a register port, and nothing of a part of the machine.
    for (line, files) in [
        ("gen -c c.json -o one", &["heddle_tiny.core"][..]),
        ("gen -c a.json -o one --top pe", &[]),
    ] {
        bench.done(line);
        assert_eq!(beside("one"), files, "{line}");
        assert!(!bench.path().join("one/heddle_regs.h").exists());
    }
}

#[test]
fn a_folder_of_heddle_is_replaced_as_a_whole() {
    let bench = Bench::new(&[("c.json", CONFIG)]);
    bench.done("gen -c c.json -o out");
    bench.done("gen -c c.json -o out --top pe");
    assert!(bench.module("out", "heddle_pe").is_some());
    assert!(bench.module("out", "heddle_pe_row_c4").is_none());
}

#[test]
fn other_folders_are_left_alone() {
    let bench = Bench::new(&[
        ("c.json", CONFIG),
        ("thesis/chapter.tex", "years of work"),
        ("other/manifest.json", "{\"generator\": \"other\"}"),
        ("file", ""),
    ]);
    bench.refusals("gen -c c.json -o", &[
        "thesis | thesis: folder exists and was not written by heddle, it is left alone",
        "other | other: folder exists and was not written by heddle, it is left alone",
        "file | file: is a file, expected a folder that heddle wrote, or none",
        "file/out | file/out: cannot be read: Not a directory (os error 20)",
        ". | .: holds the current folder, expected a folder of its own",
        "'' | a value is required for '--output <DIR>' but none was supplied",
        "/proc/heddle | cannot write /proc/heddle: cannot create a folder in /proc: No such file or directory (os error 2)",
        "/proc/heddle/out | cannot write /proc/heddle/out: cannot create a folder in /proc/heddle: No such file or directory (os error 2)",
    ]);
    bench.done("gen -c c.json -o out");
    bench.write("out/notes.txt", "mine");
    bench.refusals(
        "gen -c c.json -o",
        &["out | out: folder holds \"notes.txt\", which heddle did not write, it is left alone"],
    );
}

#[test]
fn reset_styles_differ_in_the_text_and_in_the_names() {
    let bench = Bench::new(&[("c.json", CONFIG)]);
    let mut names = Vec::new();
    for (style, sensitive) in [("sync", false), ("async", true)] {
        bench.done(&format!(
            "gen -c c.json -o out --top pe_row --reset {style}"
        ));
        let file = bench.module("out", "heddle_pe").expect("a cell");
        let text = bench.read(&file);
        assert_eq!(text.contains("negedge rst_n"), sensitive, "{style}");
        names.push(file);
        let manifest: Value = serde_json::from_str(&bench.read("out/manifest.json")).expect("JSON");
        let expected = serde_json::json!({"style": style, "level": "low"});
        assert_eq!(manifest["reset"], expected);
    }
    assert_ne!(names[0], names[1]);
}

#[test]
fn loop_style_prints_the_array_as_one_module() {
    let bench = Bench::new(&[("c.json", CONFIG)]);
    let generate = |style: &str| -> Value {
        bench.done(&format!("gen -c c.json -o out --top pe_array {style}"));
        serde_json::from_str(&bench.read("out/manifest.json")).expect("JSON")
    };
    let count = |manifest: &Value| manifest["modules"].as_array().map(Vec::len);
    let (usual, loops) = (generate(""), generate("--style loops"));
    assert_eq!(
        (&usual["style"], count(&usual)),
        (&"structural".into(), Some(3))
    );
    assert_eq!((&loops["style"], count(&loops)), (&"loops".into(), Some(1)));
    let top = |manifest: &Value| {
        manifest["modules"]
            .as_array()
            .expect("modules")
            .last()
            .cloned()
    };
    let ports = |manifest: &Value| {
        let top = top(manifest).expect("a top module");
        [top["inputs"].clone(), top["outputs"].clone()]
    };
    assert_ne!(usual["top"], loops["top"]);
    assert!(ports(&usual)[0].is_object());
    assert_eq!(ports(&usual), ports(&loops));
}

#[test]
fn designs_of_different_resets_share_modules_without_a_reset_alone() {
    let mut seen = BTreeMap::new();
    for (style, level) in [
        ("sync", "low"),
        ("sync", "high"),
        ("async", "low"),
        ("async", "high"),
    ] {
        let reset =
            format!("\"reset\": {{ \"style\": \"{style}\", \"level\": \"{level}\" }}, \"program\"");
        let bench = Bench::new(&[("c.json", &CONFIG.replace("\"program\"", &reset))]);
        bench.done("gen -c c.json -o out");
        let folder = bench.path().join("out");
        let list = bench.read("out/filelist.f");
        for file in list.lines().filter(|file| *file != "heddle_ram_1r1w.v") {
            let text = std::fs::read_to_string(folder.join(file)).expect("a module");
            let other = seen.insert(file.to_string(), text.clone());
            let is_same = other.is_none_or(|other| other == text && !text.contains(" rst"));
            assert!(is_same, "{file} of {style}, {level}");
            let name = file.trim_end_matches(".v");
            let head = [format!("module {name} ("), format!("module {name};")];
            assert!(head.iter().any(|head| text.contains(head)), "{file}");
        }
    }
}

#[test]
fn the_number_of_modules_does_not_depend_on_the_array() {
    let array = |rows: u32, cols: u32| {
        CONFIG
            .replace("\"rows\": 4", &format!("\"rows\": {rows}"))
            .replace("\"cols\": 4", &format!("\"cols\": {cols}"))
    };
    let (larger, wider) = (array(7, 7), array(6, 7));
    let bench = Bench::new(&[
        ("c.json", CONFIG),
        ("larger.json", &larger),
        ("wider.json", &wider),
    ]);
    let count = |config| {
        // Of the wider one some columns are wasted, which is told on stderr.
        let run = bench.heddle(&format!("gen -c {config} -o out --json"));
        assert_eq!(
            (run.code, run.stderr.is_empty()),
            (Some(0), config != "wider.json")
        );
        let report: Value = serde_json::from_str(&run.stdout).expect("JSON");
        report["modules"].as_array().expect("modules").len()
    };
    assert_eq!(count("c.json"), count("larger.json"));
    // Column 0 of 6 x 7 drains to any of six partitions: turned by 1, 2 and 4.
    assert_eq!(count("c.json") + 3, count("wider.json"));
}

#[test]
fn a_folder_inside_the_output_is_not_heddles_whatever_the_list_says() {
    let bench = Bench::new(&[
        ("out/manifest.json", "{\"generator\": \"heddle 0.1.0\"}"),
        ("out/filelist.f", "sub\n"),
        ("out/sub/keep.txt", "mine"),
        ("tiny.json", CONFIG),
    ]);
    let run = bench.heddle("gen -c tiny.json -o out");
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("\"sub\""), "{}", run.stderr);
    assert!(bench.path().join("out/sub/keep.txt").exists());
}

/// A file of the repository.
fn document(path: &str) -> String {
    let path = format!("{}/../{path}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn the_examples_of_the_pages_run_one_after_the_other_and_keep_each_others_output() {
    let bench = Bench::new(&[]);
    for folder in ["configs", "models"] {
        let target = format!("{}/../{folder}", env!("CARGO_MANIFEST_DIR"));
        std::os::unix::fs::symlink(target, bench.path().join(folder)).expect("a link");
    }
    let mut outputs = Vec::new();
    let pages = ["blocks", "configurations", "compiler", "synthesis"];
    for page in pages.map(|name| format!("docs/{name}.md")) {
        let text = document(&page);
        let commands = text.lines().filter_map(|line| line.strip_prefix("    "));
        for example in commands.filter(|line| line.contains("configs/") || line.contains(" build/"))
        {
            let arguments: Vec<&str> = example.split_whitespace().collect();
            match arguments[0] {
                "heddle" => _ = bench.done(&arguments[1..].join(" ")),
                "jq" => {
                    let mut shell = Command::new("sh");
                    shell.args(["-c", example]).current_dir(bench.path());
                    assert!(shell.status().expect("a shell").success(), "{example}");
                }
                _ => continue,
            }
            let output = arguments.iter().position(|&argument| argument == "-o");
            outputs.extend(output.map(|at| arguments[at + 1].to_string()));
        }
        // What is to be synthesised is there.
        let modules = text
            .lines()
            .filter_map(|line| line.strip_prefix("    scripts/synth.sh build/"));
        for module in modules {
            let words: Vec<&str> = module.split_whitespace().collect();
            let list = bench.read(&format!("build/{}/filelist.f", words[0]));
            let name = words.get(1).filter(|name| name.starts_with("heddle_"));
            let is_there = name.is_none_or(|name| list.lines().any(|file| file.starts_with(*name)));
            assert!(is_there, "{page}: {module}");
        }
    }
    assert_eq!(
        outputs,
        [
            "build/traversal",
            "build/sliced",
            "build/offsets",
            "build/gemm",
            "build/conv.hdot",
            "build/cluster",
            "build/edge",
            "build/edge_banks",
            "build/tiny"
        ]
    );
    for output in outputs {
        assert!(bench.path().join(&output).exists(), "{output}");
    }
}

#[test]
fn the_page_about_generation_has_the_files_and_about_the_lines() {
    const FILES: usize = 6;
    const LINES: usize = 7;
    let page = document("benches/generation.md");
    let rows = page.lines().filter(|line| line.contains(" MiB |"));
    let rows = rows.map(|row| Vec::from_iter(row.split('|').map(str::trim)));
    let rows: Vec<_> = rows.collect();
    let number = |row: usize, column: usize| rows[row][column].parse::<usize>().unwrap();
    for (row, name) in ["tiny", "edge", "default"].into_iter().enumerate() {
        let config = document(&format!("configs/{name}.json"));
        let bench = Bench::new(&[("c.json", &config)]);
        bench.done(GEN);
        let content = bench.content();
        let out = bench.path().join("out/verilog");
        let files = content
            .iter()
            .filter(|(path, text)| path.starts_with(&out) && text.is_some());
        let verilog = files
            .clone()
            .filter(|(path, _)| path.extension().is_some_and(|e| e == "v"));
        let texts = verilog.filter_map(|(_, text)| text.as_ref());
        let lines: usize = texts
            .map(|text| text.iter().filter(|&&byte| byte == b'\n').count())
            .sum();
        assert_eq!((rows[row][1], number(row, FILES)), (name, files.count()));
        let off = number(row, LINES).abs_diff(lines);
        assert!(
            100 * off < 3 * lines,
            "{name} has {lines} lines, the page {}",
            number(row, LINES)
        );
    }
    // The size of the array makes no difference.
    assert_eq!([number(3, FILES), number(4, FILES)], [number(2, FILES); 2]);
}

#[test]
fn tables_of_the_documents_have_no_gaps() {
    let mut pages = vec!["README.md".to_string(), "ARCHITECTURE.md".to_string()];
    for folder in ["docs", "benches"] {
        let path = format!("{}/../{folder}", env!("CARGO_MANIFEST_DIR"));
        for entry in std::fs::read_dir(path).expect("a folder") {
            let name = entry.expect("an entry").file_name();
            let name = name.to_string_lossy().into_owned();
            pages.extend(name.ends_with(".md").then(|| format!("{folder}/{name}")));
        }
    }
    for page in pages {
        let text = document(&page);
        let lines: Vec<&str> = text.lines().collect();
        for at in 1..lines.len() {
            let begins = lines[at].starts_with('|') && !lines[at - 1].starts_with('|');
            let next = lines.get(at + 1).copied().unwrap_or_default();
            assert!(
                !begins || next.starts_with("|-"),
                "{page}:{}: a row without a heading",
                at + 1
            );
        }
    }
}

#[test]
fn a_timescale_is_the_first_line_of_every_file() {
    let bench = Bench::new(&[("c.json", CONFIG)]);
    let gen_with = |scale: &str| {
        bench.heddle(&format!(
            "gen -c c.json -o out --top bias_row --timescale '{scale}'"
        ))
    };
    for scale in ["1ns", "1ns/2ps", "1ps/1ns", "1 ns/1ps", "ns/ps", "/"] {
        let run = gen_with(scale);
        assert_eq!(run.code, Some(2), "{scale}");
        assert!(run.stderr.contains("such as 1ns/1ps"), "{}", run.stderr);
    }
    assert_eq!(gen_with("10ns/100ps").code, Some(0));
    let list = bench.read("out/filelist.f");
    assert!(list.contains("heddle_ram_1r1w.v"), "{list}");
    for file in list.lines() {
        let text = std::fs::read_to_string(bench.path().join("out").join(file)).expect("a file");
        assert!(text.starts_with("`timescale 10ns/100ps\n"), "{file}");
    }
    let run = bench.heddle("lint out");
    assert_eq!(run.code, Some(0), "{}", run.stdout);
}

#[test]
fn a_manifest_has_a_line_for_each_module_and_each_port_of_the_top() {
    let bench = Bench::new(&[("c.json", CONFIG)]);
    let run = bench.heddle("gen -c c.json -o out --json");
    let report: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let text = bench.read("out/manifest.json");
    let modules = report["modules"].as_array().expect("modules");
    let ports = modules.last().expect("a top")["ports"]
        .as_u64()
        .expect("ports");
    let manifest: Value = serde_json::from_str(&text).expect("JSON");
    let memories = manifest["memories"].as_array().expect("memories").len();
    let lines = modules.len() + memories + ports as usize + 15;
    assert_eq!(text.lines().count(), lines);
}

/// Paths, sizes and `Hold` of all memories that Icarus Verilog finds, indices as `*`, with their numbers.
fn elaborated(bench: &Bench, top: &str) -> BTreeMap<(String, [u64; 3]), u64> {
    for file in bench.read("out/filelist.f").lines() {
        if file.starts_with("heddle_ram_") {
            let text = bench.read(&format!("out/{file}"));
            let shown = "  initial $display(\"%m %0d %0d %0d\", Width, Depth, Hold);\n\nendmodule";
            bench.write(&format!("out/{file}"), text.replace("\nendmodule", shown));
        }
    }
    let command = format!("iverilog -g2005 -s {top} -o found -c filelist.f && vvp -n found");
    let mut shell = Command::new("sh");
    shell
        .args(["-c", &command])
        .current_dir(bench.path().join("out"));
    let output = shell.output().expect("a shell");
    let mut found = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |at: usize| words[at].parse().expect("a number");
        let pieces = words[0].split('[');
        let path: Vec<&str> = pieces
            .map(|piece| piece.split_once(']').map_or(piece, |(_, rest)| rest))
            .collect();
        *found
            .entry((path.join("[*]"), [number(1), number(2), number(3)]))
            .or_default() += 1;
    }
    found
}

#[test]
fn the_manifest_lists_the_memories_that_a_simulator_finds() {
    let options = [
        ("", 13),
        (r#""table_memory": "one_port","#, 13),
        (r#""sparse": {"engine": true},"#, 30),
    ];
    for (option, at_least) in options {
        let config = CONFIG.replacen("\"program\"", &format!("{option} \"program\""), 1);
        let bench = Bench::new(&[("c.json", &config)]);
        bench.done("gen -c c.json -o out");
        let manifest: Value = serde_json::from_str(&bench.read("out/manifest.json")).expect("JSON");
        let memories = manifest["memories"].as_array().expect("memories");
        let found = elaborated(&bench, manifest["top"].as_str().expect("a name"));
        let mut listed = 0;
        for memory in memories {
            let number = |field: &str| memory[field].as_u64().expect("a number");
            let hold = u64::from(memory["hold"].as_bool().expect("a flag"));
            let sizes = [number("width"), number("depth"), hold];
            let paths = memory["paths"].as_array().expect("paths").iter();
            let paths = paths.map(|path| path.as_str().expect("a path").to_string());
            let counts = paths.map(|path| found.get(&(path, sizes)).copied().unwrap_or_default());
            let counts: Vec<u64> = counts.collect();
            assert!(counts.iter().all(|count| *count > 0), "{memory}");
            assert_eq!(counts.iter().sum::<u64>(), number("instances"), "{memory}");
            let one_port = memory["cell"] == "heddle_ram_1rw";
            assert_eq!(
                one_port,
                memory["written"] == "at_rest" && option.contains("one_port")
            );
            listed += counts.len();
        }
        assert_eq!(listed, found.len(), "patterns of paths");
        assert!(found.values().sum::<u64>() >= at_least, "{found:?}");
        let stub = bench.read("out/ram_stub.v");
        for memory in memories {
            let key = format!(
                "{} x {},",
                memory["instances"],
                memory["key"].as_str().expect("a key")
            );
            assert!(stub.contains(&key), "{key}");
        }
    }
}

/// Two machines and a third, of which `heddle_sliced_packed_w8_s1` and others have several texts.
fn three(bench: &Bench) {
    let tiny: Value = serde_json::from_str(CONFIG).expect("JSON");
    for (name, mask, widths) in [
        ("a", "field", [4, 4]),
        ("b", "slice", [2, 6]),
        ("c", "slice", [4, 4]),
    ] {
        let mut config = tiny.clone();
        config["name"] = name.into();
        config["state_buffer"]["slices"]["mask"] = mask.into();
        config["state_buffer"]["slices"]["widths"] = serde_json::json!(widths);
        bench.write(&format!("{name}.json"), config.to_string());
    }
}

#[test]
fn machines_in_one_project_share_what_is_equal_and_nothing_else() {
    let bench = Bench::new(&[("c.json", CONFIG)]);
    three(&bench);
    let files = |line: &str| -> BTreeMap<String, String> {
        bench.done(line);
        let list = bench.read("out/filelist.f");
        let text = |file: &str| (file.to_string(), bench.read(&format!("out/{file}")));
        list.lines().map(text).collect()
    };
    let mut all = BTreeMap::new();
    for name in ["a", "b", "c"] {
        for (file, text) in files(&format!("gen -c {name}.json -o out")) {
            let other = all.insert(file.clone(), text.clone());
            assert!(
                other.is_none_or(|other| other == text),
                "{file} has two texts"
            );
        }
    }
    let together = files("gen -c a.json -c b.json -c c.json -o out");
    assert_eq!(together, all);
    let stdout = bench.done("lint out");
    assert!(
        stdout.contains("heddle_top_a, heddle_top_b, heddle_top_c: clean"),
        "{stdout}"
    );
    let prefixed = files("gen -c a.json -c b.json --prefix v2_ -o out");
    let plain = files("gen -c a.json -c b.json -o out");
    let rest: Vec<&String> = prefixed
        .keys()
        .filter(|file| plain.contains_key(*file))
        .collect();
    assert_eq!(rest, ["heddle_ram_1r1w.v"]);
    assert!(
        plain
            .keys()
            .all(|file| file == rest[0] || prefixed.contains_key(&format!("v2_{file}")))
    );
}

#[test]
fn two_machines_of_one_name_are_refused() {
    let bench = Bench::new(&[("c.json", CONFIG)]);
    let other = CONFIG.replacen("\"words_per_bank\": 256", "\"words_per_bank\": 128", 1);
    assert_ne!(other, CONFIG);
    bench.write("d.json", other);
    bench.refusals(
        "gen -o out -c",
        &["c.json -c d.json | heddle_top_tiny.v would have two texts, of c.json and d.json: give each configuration a name of its own"],
    );
}
