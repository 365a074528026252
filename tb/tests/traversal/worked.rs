//! The worked vectors on every engine and every unit that holds them, and what a sequence promises whoever walks it.

use heddle_arch::traverse::{Command, Row, RowKind, Run, UnitShape};
use heddle_sim::traversal::vectors::{UnitVector, named, unit_vectors};
use heddle_sim::traversal::{TraversalInputs, UnitElement};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::bench::{Bench, starting, taking, units};
use crate::rtl::Checked;
use crate::traversal_unit;
use crate::traversal_unit::bench::FLOW;
use crate::traversal_unit::traffic::play_steady;

/// What walks records. Each is compared with its golden model in every clock, and gives one address in each clock.
trait Device {
    fn shape(&self) -> UnitShape;

    /// Loads a record and walks it.
    fn traverse(&mut self, rows: &[Row], run: Run) -> Checked<Vec<UnitElement>>;

    /// Walks the record that is loaded once more.
    fn start(&mut self, run: Run) -> Checked<Vec<UnitElement>>;

    /// A clock in which whatever there is may leave: true if there is nothing.
    fn rests(&mut self) -> Checked<bool>;
}

/// Engines are written register by register.
impl Device for Bench {
    fn shape(&self) -> UnitShape {
        self.unit.unit_shape()
    }

    fn traverse(&mut self, rows: &[Row], run: Run) -> Checked<Vec<UnitElement>> {
        self.configure(rows)?;
        self.start(run)
    }

    fn start(&mut self, run: Run) -> Checked<Vec<UnitElement>> {
        self.collect(&TraversalInputs {
            offset_only: run.offset_only,
            ..starting()
        })
    }

    fn rests(&mut self) -> Checked<bool> {
        let outputs = self.step(&taking())?;
        Ok(outputs.element.is_none() && !outputs.busy)
    }
}

/// Units take instructions.
impl Device for traversal_unit::bench::Bench {
    fn shape(&self) -> UnitShape {
        self.unit.shape
    }

    fn traverse(&mut self, rows: &[Row], run: Run) -> Checked<Vec<UnitElement>> {
        let rows = rows.to_vec();
        play_steady(self, &Command::Traverse { run, rows }.encode())
    }

    fn start(&mut self, run: Run) -> Checked<Vec<UnitElement>> {
        play_steady(self, &Command::Start { run }.encode())
    }

    fn rests(&mut self) -> Checked<bool> {
        let outputs = self.step(&FLOW)?;
        Ok(outputs.address.is_none() && !outputs.busy)
    }
}

fn devices() -> Vec<Box<dyn Device>> {
    let mut all: Vec<Box<dyn Device>> = Vec::new();
    for unit in units() {
        all.push(Box::new(Bench::new(unit, 1)));
    }
    for unit in traversal_unit::units() {
        all.push(Box::new(traversal_unit::bench::Bench::new(unit, 1)));
    }
    all
}

fn addresses(elements: &[UnitElement]) -> Vec<u64> {
    elements.iter().map(|e| e.address).collect()
}

/// The vectors that a device holds.
fn vectors(device: &dyn Device) -> impl Iterator<Item = UnitVector> + use<> {
    let shape = device.shape();
    let all = unit_vectors(shape.offset_bits).into_iter();
    all.filter(move |vector| vector.stop.is_none() && vector.fits(&shape))
}

/// Runs a vector on all devices that hold it; gives its elements.
#[track_caller]
fn check(id: &str) -> Vec<UnitElement> {
    let vector = named(id);
    let mut elements = Vec::new();
    for device in &mut devices() {
        if vector.fits(&device.shape()) {
            elements = device.traverse(&vector.rows, Run::default()).unwrap();
            assert_eq!(addresses(&elements), vector.addresses, "{id}");
        }
    }
    elements
}

#[proves(
    "TTU-007", "TTU-008", "TTU-019", "TTU-022", "TTU-023", "TTU-026", "TTU-027", "TTU-028",
    "TTU-030", "TTU-031", "TTU-033", "TTU-045"
)]
#[test]
fn offsets_and_addresses_of_tv1_on_every_device() {
    let elements = check("TV1");
    let offsets: Vec<&[u64]> = elements.iter().map(|e| &e.offsets[..3]).collect();
    assert_eq!(offsets[3..7], [[0, 0, 0], [1, 0, 0], [0, 6, 0], [1, 6, 0]]);
}

#[proves("TTU-006", "TTU-036", "TTU-037", "TTU-038", "TTU-039", "TTU-046")]
#[test]
fn rows_and_kinds_follow_each_other() {
    use RowKind::{Epilogue, Prologue, Tensor};
    for (id, runs) in [
        (
            "TV3",
            &[(0, Prologue, 3), (1, Tensor, 12), (2, Epilogue, 2)][..],
        ),
        ("TV4", &[(0, Tensor, 12), (1, Epilogue, 3)]),
        (
            "TV17",
            &[
                (0, Prologue, 3),
                (1, Tensor, 12),
                (2, Tensor, 6),
                (3, Epilogue, 2),
            ],
        ),
    ] {
        let elements = check(id);
        let found: Vec<_> = elements.chunk_by(|a, b| a.row == b.row).collect();
        let found: Vec<_> = found
            .iter()
            .map(|run| (run[0].row, run[0].kind, run.len()))
            .collect();
        assert_eq!(found, runs, "{id}");
    }
}

#[proves(
    "TTU-004", "TTU-009", "TTU-025", "TTU-029", "TTU-032", "TTU-040", "TTU-041", "TTU-043",
    "TTU-044", "TTU-059", "TTU-060", "TTU-062", "TTU-063", "TTU-065", "TTU-067", "TTU-068"
)]
#[test]
fn every_vector_gives_its_addresses_three_times() {
    let mut counts = Vec::new();
    for device in &mut devices() {
        let mut count = 0;
        // One instance runs all of them, each of them three times.
        for vector in vectors(&**device) {
            let mut found = vec![device.traverse(&vector.rows, Run::default()).unwrap()];
            for _ in 0..2 {
                found.push(device.start(Run::default()).unwrap());
            }
            for elements in found {
                assert_eq!(addresses(&elements), vector.addresses, "{}", vector.id);
                let order: Vec<usize> = elements.iter().filter(|e| e.last).map(|e| e.row).collect();
                let plain = vector.rows.iter().all(|row| row.attach.is_none());
                let rows = vector.rows.iter().map(|row| usize::from(row.row));
                assert!(!plain || rows.eq(order), "{}", vector.id);
            }
            count += 1;
        }
        counts.push(count);
    }
    let expected = [12, 12, 2, 41, 28, 32, 12, 12, 40, 29, 12, 10, 4, 29, 41];
    assert_eq!(counts, expected, "vectors on each device");
}

#[proves("TTU-061")]
#[test]
fn rows_in_other_registers_run_in_the_order_of_the_record() {
    let mut rng = ChaCha8Rng::seed_from_u64(61);
    for device in &mut devices() {
        let mut numbers: Vec<u8> = (0..device.shape().rows as u8).collect();
        for mut vector in vectors(&**device) {
            numbers.shuffle(&mut rng);
            for (row, number) in vector.rows.iter_mut().zip(&numbers) {
                row.row = *number;
            }
            let elements = device.traverse(&vector.rows, Run::default()).unwrap();
            let place = format!("{}, {numbers:?}", vector.id);
            assert_eq!(addresses(&elements), vector.addresses, "{place}");
        }
    }
}

#[proves("TTU-024", "TTU-052", "TTU-055")]
#[test]
fn offsets_plus_bases_are_the_addresses() {
    let offset_only = Run {
        offset_only: true,
        ..Run::default()
    };
    for device in &mut devices() {
        let most = u64::MAX >> (64 - device.shape().address_bits);
        for mut vector in vectors(&**device) {
            // Bases up to the largest one.
            for (place, row) in (1..).zip(&mut vector.rows) {
                row.base = (most / place) as u32;
            }
            let full = device.traverse(&vector.rows, Run::default()).unwrap();
            let offsets = device.start(offset_only).unwrap();
            assert_eq!(full.len(), offsets.len());
            for (offset, full) in offsets.iter().zip(&full) {
                let rows = vector.rows.iter();
                let row = rows.clone().find(|row| usize::from(row.row) == full.row);
                let base = u64::from(row.expect("a row of the record").base);
                assert_eq!((offset.address + base) & most, full.address);
                assert_eq!(offset.offsets, full.offsets, "{}", vector.id);
            }
            // The bases are still there.
            assert_eq!(device.start(Run::default()).unwrap(), full);
        }
    }
}

#[proves("TTU-047", "TTU-048", "TTU-053")]
#[test]
fn every_address_comes_once_and_then_nothing() {
    for device in &mut devices() {
        for vector in vectors(&**device).take(3) {
            let elements = device.traverse(&vector.rows, Run::default()).unwrap();
            assert_eq!(elements.len(), vector.addresses.len());
            for _ in 0..100 {
                assert!(device.rests().unwrap(), "{}", vector.id);
            }
        }
    }
}

#[test]
fn every_number_of_stages_of_the_sum_occurs_among_the_engines() {
    let latencies = units().map(|unit| unit.shape.latency());
    assert_eq!(latencies, [2, 2, 2, 5, 3, 4, 2, 2]);
}
