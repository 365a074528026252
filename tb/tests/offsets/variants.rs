//! The units under test: both spreads, every width, every option.

use crate::sides::{Design, Side, design};
use heddle_sim::offsets::UnitOptions;
use std::sync::LazyLock;

/// A unit with small tables and changed options.
fn side(name: &str, rows: usize, cols: usize, change: impl Fn(&mut UnitOptions)) -> Side {
    let mut options = UnitOptions {
        bases: 32,
        offsets: 16,
        ..UnitOptions::new(rows, cols)
    };
    change(&mut options);
    Side::new(name, options)
}

fn broadcast(options: &mut UnitOptions) {
    options.broadcast = true;
}

fn everything(options: &mut UnitOptions) {
    (options.taps, options.running, options.expand) = (4, true, true);
}

/// All units side by side. Each has another name, that of its ports.
pub static VARIANTS: LazyLock<Design> = LazyLock::new(|| {
    design(vec![
        side("plain", 4, 4, |_| {}),
        side("plain_all", 3, 2, broadcast),
        side("masks", 4, 1, |o| o.taps = 8),
        side("masks_all", 9, 1, |o| {
            broadcast(o);
            o.taps = 16;
        }),
        side("steps", 5, 3, |o| o.running = true),
        side("steps_all", 2, 1, |o| {
            broadcast(o);
            o.running = true;
        }),
        side("expand", 1, 1, |o| {
            o.expand = true;
            o.offsets = 64;
        }),
        side("every", 4, 2, everything),
        side("every_all", 4, 2, |o| {
            everything(o);
            broadcast(o);
        }),
        side("wide", 3, 5, |o| {
            everything(o);
            (o.address_bits, o.bases, o.offsets) = (24, 16, 32);
        }),
        side("widest", 2, 3, |o| {
            everything(o);
            broadcast(o);
            (o.address_bits, o.taps, o.bases, o.offsets) = (32, 8, 16, 64);
        }),
        side("many", 16, 2, everything),
    ])
});
