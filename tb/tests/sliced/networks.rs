//! The packing networks as emitted Verilog: which units arrive where, over all masks.

use std::collections::BTreeSet;

use heddle_hdl::sliced::{Pack, Route};
use heddle_sim::sliced::Network;

use super::sides::network;
use crate::rtl::{Dut, emitted};

/// Connections with different ends: stage, from, to.
type Connections = BTreeSet<(u8, usize, usize)>;

/// The connections that units have taken, and how many masks there were. Two stages of a split network are told apart by where
/// the first one must bring a unit: as far as there are others before it in its half.
fn taken(units: usize, of: Network) -> (Connections, usize) {
    let mut route = Dut::new(&emitted(Route::new(units, network(of))), 1);
    let mut pack = Dut::new(&emitted(Pack::<8>::new(units, network(of))), 1);
    let half = units / 2;
    let (mut all, mut masks) = (Connections::new(), 0);
    for mask in 0u64..1 << units {
        route.set("mask_i", mask);
        route.settle();
        pack.set("mask_i", mask);
        pack.set("move_i", route.get("move_o"));
        // A unit tells its position.
        pack.set_all(
            "word_i",
            (0..units).map(|unit| (mask >> unit & 1) * (unit as u64 + 1)),
        );
        pack.settle();
        let mut ranks = [0, half];
        for unit in (0..units).filter(|unit| mask >> unit & 1 == 1) {
            let is_here = |place: &usize| {
                let lane = pack.get_element("lane_o", *place, units);
                lane == 1 && pack.get_element("packed_o", *place, units) == unit as u64 + 1
            };
            let mut places = (0..units).filter(is_here);
            let place = places.next().expect("each unit arrives");
            assert_eq!(places.next(), None, "unit {unit} of {mask:x} arrives twice");
            if of == Network::Split {
                let side = &mut ranks[usize::from(unit >= half)];
                all.extend([(0, unit, *side), (1, *side, place)]);
                *side += 1;
            } else {
                all.insert((0, unit, place));
            }
        }
        masks += 1;
    }
    all.retain(|(_, from, to)| from != to);
    (all, masks)
}

/// Connections to each place in a stage.
fn fan_in(all: &Connections, stage: u8, units: usize) -> Vec<usize> {
    let to = |place| {
        all.iter()
            .filter(|one| one.0 == stage && one.2 == place)
            .count()
    };
    (0..units).map(to).collect()
}

#[proves("SPM-35", "SPM-36", "SPM-37")]
#[test]
fn the_emitted_networks_have_the_connections_of_the_formulas() {
    for n in [4, 8, 16] {
        let formulas = [
            (Network::Full, n * (n - 1) / 2),
            (Network::Half, 3 * n * n / 8 - n / 4),
            (Network::Split, 3 * n * n / 8 - n / 4),
        ];
        for (of, count) in formulas {
            let (all, masks) = taken(n, of);
            println!(
                "{of:?}, {n} units: {} connections over {masks} masks",
                all.len()
            );
            assert_eq!((all.len(), masks), (count, 1 << n), "{of:?}, {n} units");
            let last = u8::from(of == Network::Split);
            let most = fan_in(&all, last, n).into_iter().max();
            assert_eq!(
                most,
                Some(if of == Network::Full { n - 1 } else { n / 2 }),
                "{of:?}"
            );
        }
    }
    // Two packs of four units, and what joins them.
    let (split, _) = taken(8, Network::Split);
    let of_stage = |stage: u8| split.iter().filter(|one| one.0 == stage).count();
    assert_eq!([0, 1].map(of_stage), [12, 10]);
    assert_eq!(fan_in(&split, 0, 8), [3, 2, 1, 0, 3, 2, 1, 0]);
}
