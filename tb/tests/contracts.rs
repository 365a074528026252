//! Contracts of the text: a breach of each kind is seen, once and by its own contract.

use heddle_gen::CELLS;
use heddle_hdl::catalog;
use heddle_hdl::sparse::{DrainOut, UnitSums};
use heddle_tb::verilate::Sources;
use rust_hdl_core::prelude::Block;

use crate::designs::tiny;
use crate::rtl::{Dut, emitted, emitted_as};

/// The design with one contract, and with a fault in the text if there is one.
fn alone(mut sources: Sources, contract: &str, fault: Option<(&str, &str)>) -> Sources {
    let (mut contracts, mut faults) = (0, 0);
    for (_, text) in &mut sources.files {
        let parts: Vec<&str> = text.split("$stop;").collect();
        let (last, checks) = parts.split_last().expect("a text");
        let keep = |part: &&str| {
            let is_it = part
                .rsplit("$display")
                .next()
                .is_some_and(|display| display.contains(contract));
            contracts += usize::from(is_it);
            format!("{part}{}", if is_it { "$stop;" } else { ";" })
        };
        let mut kept: String = checks.iter().map(keep).collect();
        kept += last;
        if let Some((from, to)) = fault {
            faults += kept.matches(from).count();
            kept = kept.replace(from, to);
        }
        *text = kept;
    }
    assert!(contracts > 0, "no contract about {contract}");
    assert_eq!(faults, usize::from(fault.is_some()), "{contract}");
    sources
}

/// Sets ports.
type Clock<'a> = &'a [(&'a str, u64)];

/// Breaches of a contract in so many clocks, each with its ports set; the others stay as they were. Inputs begin with 0.
fn breaches(sources: &Sources, clocks: &[Clock<'_>]) -> u64 {
    let mut dut = Dut::new(sources, 1);
    let model = dut.model();
    let inputs: Vec<_> = model.ports().filter(|(_, _, _, output)| !output).collect();
    let inputs: Vec<(_, u32)> = { inputs.iter() }
        .filter(|(_, name, _, _)| !["clk", "rst_n"].contains(name))
        .map(|(id, _, width, _)| (*id, *width))
        .collect();
    for (id, width) in inputs {
        model.set_words(id, &vec![0; width.div_ceil(32) as usize]);
    }
    // Memory cells wait so long for a reset.
    (0..4).for_each(|_| dut.clock());
    for ports in clocks {
        ports.iter().for_each(|(port, value)| dut.set(port, *value));
        dut.settle();
        dut.clock();
    }
    dut.model().take_stops()
}

fn module(name: &str) -> Sources {
    let block = catalog::build(name, &tiny()).expect("a name of the catalogue");
    emitted_as(block.as_ref(), heddle_gen::TextStyle::Structural)
}

/// A memory of 5 words of 4 bits behind the ports of its cell.
fn cell(name: &str) -> Sources {
    let (_, text) = CELLS
        .into_iter()
        .find(|(cell, _)| *cell == name)
        .expect("a cell");
    let text = heddle_gen::with_contracts(text);
    let text = text
        .replace("Width = 8", "Width = 4")
        .replace("Depth = 2", "Depth = 5");
    let text = text
        .replace("AddrBits = 1", "AddrBits = 3")
        .replace("Lanes = 1", "Lanes = 2");
    Sources {
        top: name.into(),
        files: vec![(format!("{name}.v"), text)],
        ports: Vec::new(),
    }
}

#[test]
fn a_breach_of_each_contract_is_seen() {
    const TWO_PORTS: [&str; 2] = ["heddle_ram_1r1w", "heddle_ram_1r1w_lanes"];
    let mut seen = Vec::new();
    let mut check = |sources: Sources, contract, fault, right: &[Clock<'_>], wrong: Clock<'_>| {
        let sources = alone(sources, contract, fault);
        assert_eq!(breaches(&sources, right), 0, "{contract}");
        let clocks = [right, &[wrong]].concat();
        assert_eq!(breaches(&sources, &clocks), 1, "{contract}");
        seen.push(contract);
    };
    for name in TWO_PORTS {
        let read = [("ren_i", 1), ("raddr_i", 4), ("wen_i", 0), ("waddr_i", 4)];
        let both = [("wen_i", 1), ("waddr_i", 3), ("raddr_i", 4)];
        let right: [Clock<'_>; 2] = [&read, &both];
        check(
            cell(name),
            "while it is written",
            None,
            &right,
            &[("raddr_i", 3)],
        );
        check(
            cell(name),
            "read beyond the depth",
            None,
            &right,
            &[("raddr_i", 5)],
        );
        check(
            cell(name),
            "write beyond the depth",
            None,
            &right,
            &[("waddr_i", 7)],
        );
    }
    let right: [Clock<'_>; 2] = [&[("en_i", 1), ("addr_i", 4)], &[("wen_i", 1)]];
    let one_port = "heddle_ram_1rw";
    check(
        cell(one_port),
        "write beyond the depth",
        None,
        &right,
        &[("addr_i", 5)],
    );
    check(
        cell(one_port),
        "read beyond the depth",
        None,
        &right,
        &[("wen_i", 0), ("addr_i", 5)],
    );

    let partition = || module("partition");
    let first = [("op_rows_i", 1), ("op_fresh_i", 1), ("wt_rows_i", 1)];
    let both = [("op_valid_i", 1), ("wt_valid_i", 1), ("wt_addr_i", 256 * 8)];
    let right: [Clock<'_>; 6] = [&first, &both, &[], &[], &[], &[]];
    check(
        partition(),
        "two readers of one bank",
        None,
        &right,
        &[("wt_addr_i", 0)],
    );
    let right: [Clock<'_>; 2] = [
        &[("host_valid_i", 1)],
        &[("wt_valid_i", 1), ("host_valid_i", 0), ("wt_rows_i", 1)],
    ];
    check(
        partition(),
        "weights and the host",
        None,
        &right,
        &[("host_valid_i", 1)],
    );
    let right: [Clock<'_>; 2] = [
        &[("host_write_i", 1), ("host_valid_i", 1)],
        &[("dr_valid_i", 1), ("host_valid_i", 0)],
    ];
    check(
        partition(),
        "two writers",
        None,
        &right,
        &[("host_valid_i", 1)],
    );

    let port = || module("host_port");
    let waits = [
        ("running_i", 1),
        ("host_valid_i", 1),
        ("host_write_i", 1),
        ("host_addr_i", 1 << 30),
    ];
    let right: [Clock<'_>; 3] = [&waits, &[], &[]];
    check(
        port(),
        "host request changes",
        None,
        &right,
        &[("host_wdata_i", 1)],
    );
    check(
        port(),
        "host request changes",
        None,
        &right,
        &[("host_valid_i", 0)],
    );
    let taken = Some((
        "assign take = host_valid_i & host_ready_o;",
        "assign take = host_valid_i;",
    ));
    let right: [Clock<'_>; 1] = [&[
        ("running_i", 1),
        ("host_write_i", 1),
        ("host_addr_i", 1 << 30),
    ]];
    check(
        port(),
        "taken and lost",
        taken,
        &right,
        &[("host_valid_i", 1)],
    );

    let sums = || emitted(UnitSums::new(2, 32));
    let product = [("valid_i", 1), ("addr_i", 5), ("next_addr_i", 9)];
    let right: [Clock<'_>; 3] = [
        &product,
        &[("valid_i", 0), ("drain_valid_i", 1), ("drain_addr_i", 6)],
        &[],
    ];
    check(
        sums(),
        "drained before its last product",
        None,
        &right[..2],
        &[("drain_addr_i", 5)],
    );

    let out = || emitted(DrainOut::new(4, 1, 1));
    let result = [("send_i", 1), ("valid_i", 1), ("data_i", 7)];
    let right: [Clock<'_>; 8] = [
        &result,
        &[("send_i", 0), ("valid_i", 0)],
        &[],
        &[],
        &[],
        &[],
        &[],
        &[("out_ready_i", 1)],
    ];
    let falls = Some(("moves | (out_valid_q & !(leaves & ends))", "moves"));
    let sources = alone(out(), "a word of a result", None);
    assert_eq!(breaches(&sources, &right), 0);
    assert!(breaches(&alone(out(), "a word of a result", falls), &right) > 0);
    seen.push("a word of a result");
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 10, "kinds of contracts: {seen:?}");
}

#[test]
#[should_panic(expected = "1 breaches of contracts")]
fn a_model_that_has_broken_a_contract_fails_at_its_end() {
    let sources = cell("heddle_ram_1rw");
    let mut dut = Dut::new(&sources, 1);
    dut.set("en_i", true);
    dut.set("wen_i", true);
    dut.set("addr_i", 7u64);
    (0..5).for_each(|_| dut.clock());
}

#[test]
fn contracts_name_the_module_of_each_prose_and_leave_the_names_alone() {
    let block = catalog::build("top", &tiny()).expect("a machine");
    let emit = |contracts: bool| {
        let options = heddle_gen::EmitOptions {
            configuration: "tiny".into(),
            contracts,
            ..Default::default()
        };
        heddle_gen::emit(block.as_ref() as &dyn Block, &options).expect("a design")
    };
    let (plain, checked) = (emit(false), emit(true));
    let names = |design: &heddle_gen::Design| -> Vec<String> {
        design
            .modules
            .iter()
            .map(|module| module.name.clone())
            .collect()
    };
    assert_eq!(names(&plain), names(&checked));
    let mut with = 0;
    for ((name, plain), (_, checked)) in plain.verilog().iter().zip(checked.verilog()) {
        assert!(!plain.contains("HEDDLE_ASSERT"), "{name}");
        // Without the blocks the text is the plain one.
        let mut rest = String::new();
        let mut is_inside = false;
        for line in checked.lines() {
            is_inside |= line == "`ifdef HEDDLE_ASSERT";
            if !is_inside {
                rest += line;
                rest += "\n";
            }
            is_inside &= line != "`endif";
        }
        with += usize::from(checked != *plain);
        assert_eq!(rest.replace("\n\n\n", "\n\n"), *plain, "{name}");
    }
    assert_eq!(with, 4, "memory, banks, partition, host port");
}
