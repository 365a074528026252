//! The worked vectors of the specification by their instruction words.

use heddle_sim::traversal::vectors::unit_vectors;

use crate::bench::{Bench, Unit};
use crate::traffic::play_steady;
use crate::{FULL, NARROW, PLAIN, SINGLE};

/// All vectors that fit, one instruction each, one after another on one instance.
#[track_caller]
fn check_all(unit: &Unit, expected: usize) {
    let mut bench = Bench::new(unit, 1);
    let vectors = unit_vectors(unit.shape.offset_bits);
    let fitting = vectors.iter().filter(|v| v.fits(&unit.shape));
    let mut passed = 0;
    for vector in fitting {
        let found = play_steady(&mut bench, &vector.command().encode());
        let found = found.unwrap_or_else(|message| panic!("{}: {message}", vector.id));
        assert_eq!(found, vector.addresses, "{}", vector.id);
        assert_eq!(bench.model.stop(), vector.stop, "{}", vector.id);
        if vector.stop.is_some() {
            bench.clear().unwrap();
        }
        passed += 1;
    }
    assert_eq!(passed, expected, "vectors that fit the unit");
}

#[test]
fn ttu_004_ttu_065_ttu_067_vectors_on_every_size() {
    check_all(&FULL, 20);
    check_all(&NARROW, 16);
    check_all(&PLAIN, 11);
    check_all(&SINGLE, 5);
}
