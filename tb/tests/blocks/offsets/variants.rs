//! The units under test: both spreads, every width, every option.

use super::sides::{Design, Side, design};
use heddle_sim::blocks::offsets::{Stepping, UnitOptions};
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

fn every_all(options: &mut UnitOptions) {
    everything(options);
    broadcast(options);
}

fn wide(options: &mut UnitOptions) {
    everything(options);
    (options.address_bits, options.bases, options.offsets) = (24, 16, 32);
}

fn single(options: &mut UnitOptions) {
    (options.expand, options.offsets) = (true, 64);
}

fn before(options: &mut UnitOptions) {
    options.stepping = Stepping::BeforeRead;
}

fn prefetch(options: &mut UnitOptions) {
    options.prefetch = true;
}

/// Units that differ from one without their option in nothing else: that one, the one whose rows keep their bases.
pub const PREFETCHED: [(&str, &str); 4] = [
    ("plain", "ahead"),
    ("every_all", "ahead_all"),
    ("wide", "ahead_wide"),
    ("expand", "ahead_one"),
];

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
        side("expand", 1, 1, single),
        side("every", 4, 2, everything),
        side("every_all", 4, 2, every_all),
        side("wide", 3, 5, wide),
        side("widest", 2, 3, |o| {
            everything(o);
            broadcast(o);
            (o.address_bits, o.taps, o.bases, o.offsets) = (32, 8, 16, 64);
        }),
        side("many", 16, 2, everything),
        side("before", 4, 4, before),
        side("before_all", 4, 2, |o| {
            every_all(o);
            before(o);
        }),
        side("ahead", 4, 4, prefetch),
        side("ahead_all", 4, 2, |o| {
            every_all(o);
            prefetch(o);
        }),
        side("ahead_wide", 3, 5, |o| {
            wide(o);
            prefetch(o);
        }),
        side("ahead_one", 1, 1, |o| {
            single(o);
            prefetch(o);
        }),
        side("ahead_before", 2, 1, |o| {
            everything(o);
            prefetch(o);
            before(o);
        }),
    ])
});
