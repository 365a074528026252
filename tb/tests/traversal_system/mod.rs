//! The emitted traversal unit among its neighbours: a controller, a processing unit, a memory, a bus.

mod controller;
mod sinks;

use crate::rtl::{Checked, Dut, emitted};
use heddle_arch::traverse::{Command, Row, Run, UnitShape};
use heddle_hdl::traversal::{TraversalShape, TraversalUnit};
use heddle_sim::traversal::{UnitElement, UnitModel};
use heddle_tb::verilate::Sources;

/// The unit of all tests here: the options that are on by default.
const SHAPE: UnitShape = UnitShape {
    rows: 3,
    loops: 3,
    offset_bits: 8,
    address_bits: 12,
    equality: false,
    trips: true,
    attach: true,
    group_setup: false,
};

/// Register stages of its address sum.
const SUM_STAGES: u64 = 2;

/// Emits the unit and puts hand-written modules around it, the last one being the top.
fn system(top: &str, around: &[(&str, &str)]) -> Sources {
    let shape = TraversalShape {
        double: true,
        trips: true,
        attach: true,
        check: true,
        stages: SUM_STAGES as usize,
        ..TraversalShape::plain(SHAPE.rows as usize, SHAPE.loops as usize)
    };
    let mut sources = emitted(TraversalUnit::<8, 9, 12>::new(shape));
    for (name, text) in around {
        let text = text.replace(
            "  traversal_unit u_unit",
            &format!("  {} u_unit", sources.top),
        );
        sources.files.push(((*name).into(), text));
    }
    sources.top = top.into();
    sources
}

/// Words of the instruction that walks the rows.
fn words(rows: &[Row]) -> Vec<u32> {
    let command = Command::Traverse {
        run: Run::default(),
        rows: rows.to_vec(),
    };
    command.encode()
}

/// What the golden model makes of the words.
fn elements(words: &[u32]) -> Vec<UnitElement> {
    let execution = UnitModel::new(SHAPE).execute(words);
    assert_eq!(execution.stop, None, "the record is legal");
    execution.elements
}

/// Resets a design that has run before.
fn reset(dut: &mut Dut) {
    dut.set("rst_n", false);
    dut.clock();
    dut.set("rst_n", true);
}

/// Compares the address at the output with the next one of the model.
fn check_address(dut: &Dut, expected: Option<&UnitElement>) -> Checked {
    let Some(element) = expected else {
        return Err(dut.message("an address too many"));
    };
    dut.check("addr_o", element.address)?;
    dut.check("row_o", element.row as u64)?;
    dut.check("last_o", element.last)?;
    dut.check("end_o", element.end)
}
