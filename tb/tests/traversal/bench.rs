//! An engine and its golden model side by side, and the records that run on both.

use std::sync::LazyLock;

use heddle_arch::isa::Loop;
use heddle_arch::traverse::{EndTest, Row, UnitShape};
use heddle_hdl::traversal::{Arrangement, TraversalEngine, TraversalShape};
use heddle_sim::traversal::{
    ConfigWrite, EngineShape, TraversalInputs, TraversalModel, TraversalOutputs, UnitElement,
};
use heddle_tb::verilate::Sources;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::rtl::{Checked, Dut, emitted};

/// Emitted text, sizes and options of one engine.
#[derive(Clone)]
pub struct Unit {
    pub shape: TraversalShape,
    pub offset_bits: u32,
    pub address_bits: u32,
    pub sources: Sources,
}

macro_rules! unit {
    ($w:literal, $d:literal, $a:literal, $shape:expr) => {
        LazyLock::new(|| Unit {
            shape: $shape,
            offset_bits: $w,
            address_bits: $a,
            sources: emitted(TraversalEngine::<$w, $d, $a>::new($shape)),
        })
    };
}

/// The engine of the machine.
pub static MACHINE: LazyLock<Unit> = unit!(16, 17, 16, TraversalShape::of_machine(&[5; 3]));
/// No options.
pub static PLAIN: LazyLock<Unit> = unit!(16, 17, 16, TraversalShape::plain(3, 5));
/// One row of one loop.
pub static SINGLE: LazyLock<Unit> = unit!(16, 17, 16, TraversalShape::plain(1, 1));
/// All options and the largest sizes.
pub static FULL: LazyLock<Unit> = unit!(16, 17, 24, options(8, 8, true, 4));
/// All options, offsets of 8 bits.
pub static SMALL: LazyLock<Unit> = unit!(8, 9, 16, options(3, 3, true, 2));
/// All options but the second set of registers.
pub static ONE_SET: LazyLock<Unit> = unit!(16, 17, 16, options(4, 4, false, 3));

/// The leftmost register holds the innermost loop.
static MIRRORED: LazyLock<Unit> = unit!(16, 17, 16, arranged(Arrangement::Mirrored));
/// A column of registers holds a row.
static TRANSPOSED: LazyLock<Unit> = unit!(16, 17, 16, arranged(Arrangement::Transposed));

/// All units: every number of stages occurs, and every arrangement of the registers.
pub fn units() -> [&'static Unit; 8] {
    [
        &*MACHINE,
        &*PLAIN,
        &*SINGLE,
        &*FULL,
        &*SMALL,
        &*ONE_SET,
        &*MIRRORED,
        &*TRANSPOSED,
    ]
}

fn arranged(arrangement: Arrangement) -> TraversalShape {
    TraversalShape {
        double: true,
        arrangement,
        ..TraversalShape::plain(3, 4)
    }
}

impl Unit {
    /// Sizes and options as those of a stand-alone unit.
    pub fn unit_shape(&self) -> UnitShape {
        let shape = &self.shape;
        UnitShape {
            rows: shape.rows as u32,
            loops: shape.loops as u32,
            offset_bits: self.offset_bits,
            address_bits: self.address_bits,
            equality: shape.equality,
            trips: shape.trips,
            attach: shape.attach,
            group_setup: false,
        }
    }
}

fn options(rows: usize, loops: usize, double: bool, stages: usize) -> TraversalShape {
    TraversalShape {
        double,
        equality: true,
        trips: true,
        attach: true,
        stages,
        ..TraversalShape::plain(rows, loops)
    }
}

/// A tensor with the end test at least.
pub fn row(number: u8, base: u32, loops: &[(u32, u32, u32)]) -> Row {
    Row {
        row: number,
        base,
        loops: loops
            .iter()
            .map(|&(initial, step, end)| Loop { initial, step, end })
            .collect(),
        ..Row::default()
    }
}

/// The writes that load a record, in the order of its words.
pub fn writes(record: &[Row]) -> Vec<ConfigWrite> {
    let mut list = Vec::new();
    for row in record {
        list.push(ConfigWrite::Base {
            row: row.row.into(),
            base: row.base,
            kind: row.kind,
            attach: row.attach.map(usize::from),
            test: row.test,
        });
        for column in 0..row.loops.len() {
            list.extend(loop_writes(row, column));
        }
    }
    list
}

/// The three writes of one loop.
pub fn loop_writes(row: &Row, column: usize) -> [ConfigWrite; 3] {
    let l = row.loops[column];
    [
        ConfigWrite::Initial(l.initial),
        ConfigWrite::Step(l.step),
        ConfigWrite::End {
            row: row.row.into(),
            column,
            test: row.test,
            end: l.end,
        },
    ]
}

/// Addresses of elements.
pub fn addresses(elements: &[UnitElement]) -> Vec<u64> {
    elements.iter().map(|e| e.address).collect()
}

/// Inputs of a cycle in which addresses are taken and nothing else happens.
pub fn taking() -> TraversalInputs {
    TraversalInputs {
        ready: true,
        ..TraversalInputs::default()
    }
}

/// Inputs of a cycle with a start.
pub fn starting() -> TraversalInputs {
    TraversalInputs {
        start: true,
        ..taking()
    }
}

/// Design and model side by side.
pub struct Bench {
    pub dut: Dut,
    pub model: TraversalModel,
    pub shape: TraversalShape,
    pub unit: Unit,
    /// Values of pins that mean nothing.
    noise: ChaCha8Rng,
}

impl Bench {
    pub fn new(unit: &Unit, seed: u64) -> Self {
        let dut = Dut::new(&unit.sources, seed);
        let shape = unit.shape;
        Self {
            noise: dut.rng(),
            dut,
            model: TraversalModel::new(EngineShape {
                rows: shape.rows,
                loops: shape.loops,
                offset_bits: unit.offset_bits,
                address_bits: unit.address_bits,
                double: shape.double,
                stages: shape.latency(),
                keep: shape.kept,
            }),
            shape,
            unit: unit.clone(),
        }
    }

    /// Registers may be written in the coming cycle.
    pub fn cfg_ready(&mut self) -> bool {
        self.dut.settle();
        self.dut.get("cfg_ready_o") == 1
    }

    /// Drives the configuration pins; those without a meaning get anything.
    fn drive_write(&mut self, write: Option<ConfigWrite>) {
        let mut value = |bits: u32| u64::from(self.noise.random::<u32>() >> (32 - bits));
        let (mut kind, mut attached, mut of_loop) = (value(2), value(1), value(3));
        let (mut equal, mut trips) = (value(1), value(1));
        let (mut row, mut column, mut data) = (value(3), value(3), value(32));
        let mut flags = |test: EndTest| {
            equal = u64::from(test == EndTest::Equal);
            trips = u64::from(test == EndTest::Trips);
        };
        let sel = match write {
            None => value(2),
            Some(ConfigWrite::Initial(initial)) => {
                data = initial.into();
                0
            }
            Some(ConfigWrite::Step(step)) => {
                data = step.into();
                1
            }
            Some(ConfigWrite::End {
                row: r,
                column: c,
                test,
                end,
            }) => {
                (row, column, data) = (r as u64, c as u64, end.into());
                flags(test);
                2
            }
            Some(ConfigWrite::Base {
                row: r,
                base,
                kind: k,
                attach,
                test,
            }) => {
                (row, data, kind) = (r as u64, base.into(), k.number().into());
                attached = attach.is_some().into();
                of_loop = attach.map_or(of_loop, |a| a as u64);
                flags(test);
                3
            }
        };
        // Without the option the pin means nothing.
        let built = |option: bool, pin: u64, noise: u64| if option { pin } else { noise };
        let noise = [value(1), value(1), value(1)];
        let dut = &mut self.dut;
        dut.set("cfg_valid_i", write.is_some());
        dut.set("cfg_sel_i", sel);
        dut.set("cfg_row_i", row);
        dut.set("cfg_col_i", column);
        dut.set("cfg_data_i", data);
        dut.set("cfg_kind_i", kind);
        dut.set("cfg_loop_i", of_loop);
        dut.set(
            "cfg_attached_i",
            built(self.shape.attach, attached, noise[0]),
        );
        dut.set("cfg_equal_i", built(self.shape.equality, equal, noise[1]));
        dut.set("cfg_trips_i", built(self.shape.trips, trips, noise[2]));
        // Group set-up and traversals without neighbours are the stand-alone unit's.
        dut.set("cfg_group_i", false);
        dut.set("alone_i", false);
    }

    /// One clock cycle: drives both, compares all outputs.
    pub fn step(&mut self, inputs: &TraversalInputs) -> Checked<TraversalOutputs> {
        self.drive_write(inputs.write);
        let dut = &mut self.dut;
        dut.set("stop_i", inputs.stop);
        dut.set("cfg_clear_i", inputs.clear);
        dut.set("start_i", inputs.start);
        dut.set("offset_only_i", inputs.offset_only);
        dut.set("pause_i", inputs.pause);
        dut.set("ready_i", inputs.ready);
        dut.settle();

        let expected = self.model.step(inputs);
        dut.check("busy_o", expected.busy)?;
        dut.check("cfg_ready_o", expected.cfg_ready)?;
        dut.check("load_o", expected.load)?;
        dut.check("valid_o", expected.element.is_some())?;
        if let Some(element) = &expected.element {
            dut.check("addr_o", element.address)?;
            dut.check("row_o", element.row as u64)?;
            dut.check("kind_o", u64::from(element.kind.number()))?;
            for (column, is_final) in element.finals.iter().enumerate() {
                dut.check_element("final_o", column, element.finals.len(), *is_final)?;
            }
            dut.check("last_o", element.last)?;
            dut.check("end_o", element.end)?;
        }
        dut.clock();
        Ok(expected)
    }

    /// A cycle with a write.
    pub fn write(&mut self, write: ConfigWrite) -> Checked<TraversalOutputs> {
        self.step(&TraversalInputs {
            write: Some(write),
            ..taking()
        })
    }

    /// Clears the registers and loads a record; gives the addresses that leave meanwhile.
    pub fn configure(&mut self, record: &[Row]) -> Checked<Vec<UnitElement>> {
        let clear = TraversalInputs {
            clear: true,
            ..taking()
        };
        let mut elements = Vec::from_iter(self.step(&clear)?.element);
        for write in writes(record) {
            elements.extend(self.write(write)?.element);
        }
        Ok(elements)
    }

    /// Starts and takes every address at once; gives what came, and checks that there was one
    /// address per clock.
    pub fn collect(&mut self, start: &TraversalInputs) -> Checked<Vec<UnitElement>> {
        self.step(start)?;
        let inputs = TraversalInputs {
            start: false,
            ..start.clone()
        };
        let mut elements = Vec::new();
        let mut cycles = 0;
        loop {
            let outputs = self.step(&inputs)?;
            elements.extend(outputs.element);
            if !outputs.busy {
                break;
            }
            cycles += 1;
        }
        if cycles != elements.len() + self.shape.latency() {
            let text = format!("{} addresses in {cycles} cycles", elements.len());
            return Err(self.dut.message(&text));
        }
        Ok(elements)
    }

    /// Loads a record and takes its addresses.
    pub fn run(&mut self, record: &[Row]) -> Checked<Vec<UnitElement>> {
        self.configure(record)?;
        self.collect(&starting())
    }
}
