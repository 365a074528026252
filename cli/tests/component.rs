//! `component.xml` of a machine, held against the table of registers and the Verilog as Yosys reads it.

use std::io::Write;
use std::process::{Command, Stdio};

use heddle_arch::params::Params;
use heddle_arch::registers;
use serde_json::{Map, Value, json};

use crate::bench::{Bench, CONFIG};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// What is in the file, or what is wrong with it.
fn read_back(text: &str) -> Result<Value, String> {
    let mut reader = Command::new(format!("{ROOT}/.venv/bin/python"))
        .arg(format!("{ROOT}/scripts/read_ipxact.py"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect(".venv is missing: run scripts/setup.sh");
    let mut input = reader.stdin.take().unwrap();
    input.write_all(text.as_bytes()).unwrap();
    drop(input);
    let result = reader.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&result.stderr).into_owned();
    match result.status.success() && told.is_empty() {
        true => Ok(serde_json::from_slice(&result.stdout).unwrap()),
        false => Err(told),
    }
}

/// Ports of the top with direction and bits, and their attributes, as Yosys reads them.
fn verilog(bench: &Bench, top: &str) -> (Value, Map<String, Value>) {
    let command = format!("read_verilog {top}.v; write_json top.json");
    let result = Command::new("yosys")
        .args(["-q", "-p", &command])
        .current_dir(bench.path().join("top"))
        .status();
    assert!(
        result
            .expect("yosys is missing: run scripts/setup.sh")
            .success()
    );
    let all: Value = serde_json::from_str(&bench.read("top/top.json")).unwrap();
    let module = &all["modules"][top];
    let (mut ports, mut attributes) = (Map::new(), Map::new());
    for (name, port) in module["ports"].as_object().unwrap() {
        let direction = port["direction"].as_str().unwrap().trim_end_matches("put");
        let bits = port["bits"].as_array().unwrap().len();
        ports.insert(name.clone(), json!([direction, bits]));
        let mut own = module["netnames"][name]["attributes"].clone();
        own.as_object_mut().unwrap().remove("src");
        attributes.insert(name.clone(), own);
    }
    (ports.into(), attributes)
}

/// Attributes of ports that say what the file says of its interfaces.
fn attributes(component: &Value) -> Map<String, Value> {
    let mut all = Map::new();
    for port in component["ports"].as_object().unwrap().keys() {
        all.insert(port.clone(), json!({}));
    }
    for (name, interface) in component["interfaces"].as_object().unwrap() {
        let kind = interface["kinds"][0].as_str().unwrap();
        let pairs = |of: &str| -> Vec<[String; 2]> {
            serde_json::from_value(interface[of].clone()).unwrap()
        };
        let parameters = pairs("parameters");
        let parameters: Vec<_> = parameters.iter().map(|own| own.join(" ")).collect();
        for (number, [logical, port]) in pairs("ports").iter().enumerate() {
            let own = &mut all[port];
            own["X_INTERFACE_INFO"] = json!(format!("{kind} {name} {logical}"));
            if number == 0 {
                own["X_INTERFACE_PARAMETER"] = json!(parameters.join(", "));
            }
        }
    }
    all
}

fn configuration(system: &str) -> String {
    CONFIG.replacen('{', &format!("{{ \"system\": {system},"), 1)
}

#[test]
fn the_component_has_the_registers_ports_and_files_of_the_machine() {
    let clock = |buses: &str| json!([["ASSOCIATED_BUSIF", buses], ["ASSOCIATED_RESET", "aresetn"]]);
    let of = |own: &[&str]| own.iter().map(|name| name.to_string()).collect::<Vec<_>>();
    let alone = json!([["ASSOCIATED_RESET", "aresetn"]]);
    for (system, buses, parameters, modes, others, count) in [
        (
            r#"{ "registers": "axil", "dma": { "address_bits": 36, "id_bits": 3 } }"#,
            of(&["s_axi", "m_axi"]),
            clock("s_axi:m_axi"),
            vec!["slave registers", "master m_axi"],
            0,
            86,
        ),
        (
            r#"{ "registers": "axil" }"#,
            of(&["s_axi"]),
            clock("s_axi"),
            vec!["slave registers"],
            0,
            45,
        ),
        (
            r#"{ "registers": "wishbone" }"#,
            of(&[]),
            alone,
            vec![],
            8,
            45,
        ),
    ] {
        let config = configuration(system);
        let bench = Bench::new(&[("c.json", &config)]);
        bench.done("gen -c c.json -o top");
        let text = bench.read("top/component.xml");
        let params = Params::from_json(&config).unwrap();
        let found = read_back(&text).unwrap_or_else(|told| panic!("{told}"));
        assert_eq!(found["registers"], registers::to_json(&params));
        assert_eq!(found["registers"].as_array().unwrap().len(), count);
        let top = "heddle_system_tiny";
        assert_eq!(
            (&found["name"], &found["models"]),
            (&json!(top), &json!([top]))
        );

        let interfaces = found["interfaces"].as_object().unwrap();
        let mut expected = of(&["aclk", "aresetn"]);
        expected.extend(buses.clone());
        expected.push("irq".into());
        expected.sort();
        assert_eq!(interfaces.keys().cloned().collect::<Vec<_>>(), expected);
        assert_eq!(interfaces["aclk"]["parameters"], parameters);
        assert_eq!(
            interfaces["aresetn"]["parameters"],
            json!([["POLARITY", "ACTIVE_LOW"]])
        );
        assert_eq!(interfaces["irq"]["ports"], json!([["INTERRUPT", "irq_o"]]));
        for (name, mode) in buses.iter().zip(modes) {
            assert_eq!(interfaces[name]["mode"], mode);
        }
        for (name, interface) in interfaces {
            let kind = match name.as_str() {
                "aclk" => "signal:clock",
                "aresetn" => "signal:reset",
                "irq" => "signal:interrupt",
                _ => "interface:aximm",
            };
            assert_eq!(interface["kinds"][0], format!("xilinx.com:{kind}:1.0"));
            let [bus, rtl] = [0, 1].map(|at| interface["kinds"][at].as_str().unwrap());
            assert_eq!(rtl, bus.replace(":1.0", "_rtl:1.0"));
        }
        let space = |name: &str| found["spaces"][name].clone();
        assert_eq!(space("reg0"), json!([4096, 32]));
        let memory = buses.contains(&"m_axi".to_string());
        assert_eq!(
            space("m_axi"),
            if memory {
                json!([1u64 << 36, 64])
            } else {
                json!(null)
            }
        );

        let (ports, seen) = verilog(&bench, top);
        assert_eq!(found["ports"], ports);
        assert_eq!(attributes(&found), seen);
        let without = seen
            .values()
            .filter(|own| own.as_object().unwrap().is_empty());
        assert_eq!(without.count(), others);
        let list: Vec<_> = found["files"]
            .as_array()
            .unwrap()
            .iter()
            .map(|own| own.as_str().unwrap())
            .collect();
        assert_eq!(list.join("\n"), bench.read("top/filelist.f").trim());

        // It can fail: an offset, an access, an order, a mark that is open.
        for (from, to) in [
            (
                "<spirit:addressOffset>0x120<",
                "<spirit:addressOffset>0x1F0<",
            ),
            ("<spirit:access>write-only<", "<spirit:access>read-only<"),
            (
                "<spirit:modifiedWriteValue>oneToClear</spirit:modifiedWriteValue>",
                "",
            ),
            ("<spirit:value>0x48454402<", "<spirit:value>0x48454401<"),
        ] {
            let wrong = text.replacen(from, to, 1);
            assert_ne!(wrong, text, "{from}");
            assert_ne!(
                read_back(&wrong).unwrap()["registers"],
                found["registers"],
                "{to}"
            );
        }
        for (from, to) in [
            ("<spirit:model>", "<spirit:vendor/><spirit:model>"),
            ("</spirit:component>", ""),
        ] {
            let wrong = text.replacen(from, to, 1);
            assert!(read_back(&wrong).is_err(), "{from}");
        }
    }
}

#[test]
fn a_folder_with_several_machines_is_no_ip_and_without_a_system_nothing_changes() {
    let axi = configuration(r#"{ "registers": "axil" }"#);
    let other = axi.replace("\"tiny\"", "\"other\"");
    let plain = CONFIG.replace("\"tiny\"", "\"plain\"");
    let bench = Bench::new(&[
        ("a.json", &axi),
        ("b.json", &other),
        ("c.json", CONFIG),
        ("d.json", &plain),
    ]);
    for (line, is_ip) in [
        ("gen -c a.json -c d.json -o top", true),
        ("gen -c a.json -c b.json -o top", false),
        ("gen -c c.json -o top", false),
        ("gen -c a.json --top csr -o top", false),
    ] {
        bench.done(line);
        assert_eq!(
            bench.path().join("top/component.xml").exists(),
            is_ip,
            "{line}"
        );
    }
    bench.done("gen -c c.json -o top");
    assert!(!bench.read("top/heddle_top_tiny.v").contains("X_INTERFACE"));
}
