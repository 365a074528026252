//! Units side by side: a layer split over them in every way, its sums those of the reference.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use heddle_arch::isa::fields::Field;
use heddle_arch::isa::fields::sparse::{range, run, share};
use heddle_arch::params::Sparse;
use heddle_hdl::sparse::{SparseShape, SparseUnits};
use heddle_sim::sparse::reference::{Entry, Place, Tap, scatter};
use heddle_sim::sparse::{Fill, Layout};
use heddle_tb::verilate::Sources;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::unit::random_list;
use crate::rtl::{Checked, Coverage, Dut, check_mutants, emitted, faults, run_seeds};

/// As in [`super::unit`].
const LANES: usize = 3;
const UNITS: usize = 4;
const ENTRIES: usize = 2;
/// Words of sums: four groups of 16 x 16.
const SUMS: usize = 1024;
const LAYOUT: Layout = Layout {
    pitch: 4,
    area: 8,
    words: SUMS,
};
/// Cycles between the position on the first unit's wave and its first sum, and its sums behind the last unit.
const FIRST_SUM: usize = 4;
const LAST_SUM: usize = UNITS + 4;

static UNITS_4: LazyLock<Sources> = LazyLock::new(|| {
    emitted(SparseUnits::new(SparseShape::of(&super::with(Sparse {
        units: UNITS as u32,
        channels: LANES as u32,
        load_entries: ENTRIES as u32,
        map_entries: 512,
        lists: 16,
        sums: SUMS as u32,
        ..Sparse::default()
    }))))
});

/// A rectangle of rows and columns.
type Part = [Range<i32>; 2];

/// A layer, and which unit does what of it.
struct Layer {
    kernel: (i32, i32),
    groups: usize,
    map: [i32; 2],
    entries: Vec<Entry>,
    lists: Vec<Vec<Tap>>,
    /// Shares of space, of groups and of channels.
    split: [usize; 3],
    /// Values that each unit takes, and results that it keeps.
    parts: Vec<(Part, Part)>,
}

impl Layer {
    fn random(rng: &mut ChaCha8Rng) -> Self {
        let kernel = (rng.random_range(1..=4), rng.random_range(1..=4));
        let map = [rng.random_range(1..=8), rng.random_range(1..=8)];
        let groups = [2, 4][rng.random_range(0..2)];
        let splits = [[4, 1, 1], [2, 2, 1], [1, 2, 2], [2, 1, 2], [1, 1, 4]];
        let split = splits[rng.random_range(0..splits.len())];
        let channels = rng.random_range(4..=6);
        let share = rng.random_range(0..=10) as f64 / 10.0;
        let list = |_| random_list(rng, kernel, groups, share);
        let lists = (0..channels).map(list).collect();
        let share = rng.random_range(0..=10) as f64 / 10.0;
        let mut entries = Vec::new();
        for row in 0..map[0] {
            for col in 0..map[1] {
                for channel in 0..channels {
                    if rng.random_bool(share) {
                        let value = rng.random_range(1..256) * if rng.random() { 1 } else { -1 };
                        entries.push(Entry {
                            value,
                            channel,
                            row,
                            col,
                        });
                    }
                }
            }
        }
        let mut layer = Self {
            kernel,
            groups,
            map,
            entries,
            lists,
            split,
            parts: Vec::new(),
        };
        layer.cut(rng);
        layer
    }

    /// Cuts the map in rectangles, empty ones too. Neighbours overlap in what they take, or in what they keep.
    fn cut(&mut self, rng: &mut ChaCha8Rng) {
        let cells = self.split[0];
        let bands = [1, cells, 2.min(cells)][rng.random_range(0..3)];
        let halo = rng.random();
        let mut cuts = |parts: usize, size: i32| {
            let mut cuts: Vec<i32> = (1..parts).map(|_| rng.random_range(0..=size)).collect();
            cuts.extend([0, size]);
            cuts.sort_unstable();
            cuts.windows(2)
                .map(|cut| cut[0]..cut[1])
                .collect::<Vec<_>>()
        };
        let (rows, cols) = (cuts(bands, self.map[0]), cuts(cells / bands, self.map[1]));
        for _ in 0..UNITS / cells {
            for rows in &rows {
                for cols in &cols {
                    let rows = owned(rows, self.kernel.0 - 1, self.map[0], halo);
                    let cols = owned(cols, self.kernel.1 - 1, self.map[1], halo);
                    self.parts.push(([rows.0, cols.0], [rows.1, cols.1]));
                }
            }
        }
    }

    /// Group and channel share of a unit.
    fn share(&self, unit: usize) -> (usize, usize) {
        let rest = unit / self.split[0];
        (rest % self.split[1], rest / self.split[1])
    }

    /// Groups of a share.
    fn groups(&self, share: usize) -> Range<usize> {
        let groups = self.groups / self.split[1];
        groups * share..groups * (share + 1)
    }

    fn units(&self, chosen: impl Fn(usize, usize) -> bool) -> [bool; UNITS] {
        std::array::from_fn(|unit| {
            let (groups, channels) = self.share(unit);
            chosen(groups, channels)
        })
    }

    /// Lists with the groups of a share.
    fn lists(&self, share: usize) -> Vec<Vec<Tap>> {
        let groups = self.groups(share);
        let own = |list: &Vec<Tap>| {
            let taps = list.iter().filter(|tap| groups.contains(&tap.group));
            taps.cloned().collect()
        };
        self.lists.iter().map(own).collect()
    }

    /// Products of values and words of weights.
    fn products(&self) -> usize {
        let lists = self.entries.iter().map(|entry| &self.lists[entry.channel]);
        lists.map(Vec::len).sum()
    }
}

/// What a cell takes of the values and keeps of the results, along one side of the map.
fn owned(cell: &Range<i32>, more: i32, size: i32, halo: bool) -> (Range<i32>, Range<i32>) {
    if cell.is_empty() {
        return (0..0, 0..0);
    }
    if !halo {
        return (cell.clone(), cell.start..cell.end + more);
    }
    let behind = if cell.end == size { more } else { 0 };
    let takes = (cell.start - more).max(0)..cell.end;
    (takes, cell.start..cell.end + behind)
}

/// A part of the channels of a layer, one of so many, and the set that takes its values.
#[derive(Clone, Copy)]
struct Chunk {
    number: usize,
    of: usize,
    set: usize,
}

/// The units, and what they count.
struct Bench {
    dut: Dut,
    /// Words of weights multiplied, products dropped.
    taps: usize,
    drops: usize,
}

impl Bench {
    fn clock(&mut self) {
        self.dut.settle();
        self.taps += self.dut.get("tap_o").count_ones() as usize;
        self.drops += self.dut.get("drop_o").count_ones() as usize;
        self.dut.clock();
    }

    fn set_bits(&mut self, port: &str, bits: [bool; UNITS]) {
        let bits = bits
            .iter()
            .rev()
            .fold(0u64, |word, bit| word << 1 | u64::from(*bit));
        self.dut.set(port, bits);
    }

    /// Writes a register of each unit that is chosen, or gives it a run.
    fn order(&mut self, port: &str, units: [bool; UNITS], register: u64, fields: &[(Field, i32)]) {
        let word = fields
            .iter()
            .fold(0, |word, (field, value)| word | field.put(*value as u32));
        self.dut.set("order_register_i", register);
        self.dut.set("order_data_i", word);
        self.set_bits(port, units);
        self.clock();
        self.set_bits(port, [false; UNITS]);
    }

    /// The registers of rows and of columns of one unit.
    fn set_part(&mut self, unit: usize, register: u64, part: &Part) {
        let own = std::array::from_fn(|other| other == unit);
        for (side, range) in (0..).zip(part) {
            let fields = [(range::FIRST, range.start), (range::END, range.end)];
            self.order("write_i", own, register + side, &fields);
        }
    }

    /// The settings of a layer, its results in a region.
    fn set(&mut self, layer: &Layer, region: u64) {
        for (unit, (takes, keeps)) in layer.parts.iter().enumerate() {
            self.set_part(unit, 0, takes);
            self.set_part(unit, 4 + 2 * region, keeps);
        }
        for share in 0..layer.split[1] {
            let units = layer.units(|groups, _| groups == share);
            self.order("write_i", units, 2, &[(share::SHARE, share as i32)]);
        }
    }

    /// Fills the memories of units.
    fn fill(&mut self, units: [bool; UNITS], begin: (usize, usize), lists: &[Vec<Tap>]) {
        let begin = Fill {
            begin: Some(begin),
            word: None,
        };
        self.set_bits("fill_mask_i", units);
        super::set_fill(&mut self.dut, &begin);
        self.clock();
        self.fill_words(units, lists);
    }

    /// Words that follow those before.
    fn fill_words(&mut self, units: [bool; UNITS], lists: &[Vec<Tap>]) {
        self.set_bits("fill_mask_i", units);
        for fill in super::fills(lists, LANES) {
            super::set_fill(&mut self.dut, &fill);
            self.clock();
        }
    }

    /// Loads a chunk of a layer, those values of each share of channels for its units.
    fn load(&mut self, layer: &Layer, chunk: Chunk, rng: &mut ChaCha8Rng) {
        let shares = layer.split[2];
        let mut first = vec![true; shares];
        let mut beat = |bench: &mut Self, share: usize, entries: &[Entry], last: bool| {
            bench.set_bits("load_mask_i", layer.units(|_, channels| channels == share));
            bench.dut.set("load_valid_i", true);
            bench
                .dut
                .set("load_first_i", std::mem::take(&mut first[share]));
            bench.dut.set("load_last_i", last);
            bench.dut.set("load_set_i", chunk.set as u64);
            bench.dut.set("load_count_i", entries.len() as u64);
            bench.dut.set(
                "load_row_i",
                entries.first().map_or(0, |entry| entry.row as u64),
            );
            bench.dut.set(
                "load_col_i",
                entries.first().map_or(0, |entry| entry.col as u64),
            );
            let fields = |field: fn(&Entry) -> u64| {
                let fields = entries.iter().map(field).chain(std::iter::repeat(0));
                fields.take(ENTRIES).collect::<Vec<u64>>().into_iter()
            };
            bench
                .dut
                .set_all("load_value_i", fields(|entry| entry.value as u64));
            bench
                .dut
                .set_all("load_list_i", fields(|entry| entry.channel as u64));
            bench.clock();
            bench.dut.set("load_valid_i", false);
        };
        for share in 0..shares {
            beat(self, share, &[], false);
        }
        for row in 0..layer.map[0] {
            for col in 0..layer.map[1] {
                for share in 0..shares {
                    let here = layer.entries.iter().filter(|entry| {
                        (entry.row, entry.col, entry.channel % shares) == (row, col, share)
                            && entry.channel / shares % chunk.of == chunk.number
                    });
                    let here: Vec<Entry> = here.copied().collect();
                    for entries in here.chunks(ENTRIES) {
                        beat(self, share, entries, false);
                        if rng.random_bool(0.1) {
                            self.clock();
                        }
                    }
                }
            }
        }
        for share in 0..shares {
            beat(self, share, &[], true);
        }
    }

    /// All units compute chunks that begin in a set.
    fn run(&mut self, layer: &Layer, set: usize, chunks: usize, region: u64) {
        let fields = [
            (run::SET, set as i32),
            (run::CHUNKS, chunks as i32 - 1),
            (run::REGION, region as i32),
            (run::KERNEL_ROWS, layer.kernel.0 - 1),
            (run::KERNEL_COLS, layer.kernel.1 - 1),
            (run::PITCH, LAYOUT.pitch as i32),
            (run::AREA, LAYOUT.area as i32),
        ];
        self.order("run_i", [true; UNITS], 0, &fields);
    }

    /// The cycles until the last unit is done, and its sums may be drained.
    fn wait(&mut self) -> Checked<usize> {
        for cycles in 0..100_000 {
            self.dut.settle();
            let is_done = self.dut.get("running_o") == 0;
            self.clock();
            if is_done {
                return Ok(cycles);
            }
        }
        Err(self.dut.message("a run does not end"))
    }

    /// Drains positions, one in a clock, so many groups of a share; gives the sums of each.
    fn drain(&mut self, places: &[Place], region: u64, each: usize, first: i32) -> Vec<Vec<i32>> {
        self.dut.set("position_region_i", region);
        let mut found = Vec::new();
        for step in 0..places.len() + LAST_SUM {
            let place = places.get(step);
            self.dut.set("position_valid_i", place.is_some());
            let &(group, row, col) = place.unwrap_or(&(0, 0, 0));
            let word = LAYOUT.word((group, row, col));
            self.dut.set("position_addr_i", word as u64);
            self.dut.set("position_share_i", (group / each) as u64);
            self.dut.set("position_row_i", row as u64);
            self.dut.set("position_col_i", col as u64);
            // Where no position takes it there is another word.
            let takes = step >= FIRST_SUM && step - FIRST_SUM < places.len();
            let word = if takes { first } else { !first } as u64;
            self.dut.set_all("sum_i", [word; LANES].into_iter());
            self.dut.settle();
            if step >= LAST_SUM {
                let sum = |lane| self.dut.get_element("sum_o", lane, LANES) as i32;
                found.push((0..LANES).map(sum).collect());
            }
            self.clock();
        }
        found
    }

    /// All sums begin with any value.
    fn clear(&mut self) {
        for unit in 0..UNITS {
            self.set_part(unit, 4, &[0..16, 0..16]);
        }
        self.drain(&places(4, [16, 16]), 0, 4, 0);
    }
}

/// Results of groups, by rows.
fn places(groups: usize, [rows, cols]: [i32; 2]) -> Vec<Place> {
    let rows = (0..groups).flat_map(|group| (0..rows).map(move |row| (group, row)));
    rows.flat_map(|(group, row)| (0..cols).map(move |col| (group, row, col)))
        .collect()
}

fn random_layer(bench: &mut Bench, rng: &mut ChaCha8Rng, coverage: &mut Coverage) -> Checked {
    let layer = Layer::random(rng);
    let (set, first) = (rng.random_range(0..2), rng.random());
    let (chunks, region) = (rng.random_range(1..=2), rng.random_range(0..2));
    (bench.taps, bench.drops) = (0, 0);
    bench.set(&layer, region);
    for share in 0..layer.split[1] {
        let units = layer.units(|groups, _| groups == share);
        bench.fill(units, (0, 0), &[]);
        // What is for others does not disturb.
        bench.fill([false; UNITS], (500, 8), &layer.lists[..1]);
        bench.fill_words(units, &layer.lists(share));
    }
    let runs_first = rng.random();
    if runs_first {
        bench.run(&layer, set, chunks, region);
    }
    for number in 0..chunks {
        let set = (set + number) % 2;
        let of = chunks;
        bench.load(&layer, Chunk { number, of, set }, rng);
    }
    if !runs_first {
        bench.run(&layer, set, chunks, region);
    }
    let cycles = bench.wait()?;

    let sums: BTreeMap<Place, Vec<i32>> = scatter(&layer.entries, &layer.lists, layer.kernel);
    let results = [
        layer.map[0] + layer.kernel.0 - 1,
        layer.map[1] + layer.kernel.1 - 1,
    ];
    let places = places(layer.groups, results);
    let each = layer.groups / layer.split[1];
    let found = bench.drain(&places, region, each, first);
    for (place, found) in places.iter().zip(found) {
        let sums = sums.get(place).cloned().unwrap_or(vec![0; LANES]);
        let expected: Vec<i32> = sums.iter().map(|sum| sum.wrapping_add(first)).collect();
        if found != expected {
            return Err(bench
                .dut
                .message(&format!("{place:?}: {found:?}, expected {expected:?}")));
        }
    }
    // Each product is made by one unit, or dropped by the others that take its value.
    let kept = bench.taps - bench.drops;
    if kept != layer.products() {
        let expected = layer.products();
        return Err(bench
            .dut
            .message(&format!("{kept} products, expected {expected}")));
    }
    if layer.kernel == (1, 1) {
        assert_eq!(bench.drops, 0, "without a kernel nothing overlaps");
    }
    let cells = &layer.parts[..layer.split[0]];
    coverage.event("values in two units", bench.drops > 0);
    coverage.event(
        "cell without values",
        cells.iter().any(|(part, _)| part[0].is_empty()),
    );
    coverage.event("run that waits for its values", runs_first);
    coverage.event("kernel of one place", layer.kernel == (1, 1));
    coverage.event(
        "split of space, groups and channels",
        layer.split[1] * layer.split[2] > 1,
    );
    coverage.event("units at once", bench.taps > cycles);
    Ok(())
}

fn random_layers(sources: &Sources, seed: u64) -> Checked<Coverage> {
    let mut bench = Bench {
        dut: Dut::new(sources, seed),
        taps: 0,
        drops: 0,
    };
    let mut rng = bench.dut.rng();
    let mut coverage = Coverage::default();
    for port in [
        "load_valid_i",
        "fill_valid_i",
        "fill_begin_i",
        "position_valid_i",
        "position_keep_i",
        "write_i",
        "run_i",
    ] {
        bench.dut.set(port, false);
    }
    bench.clear();
    for _ in 0..25 {
        random_layer(&mut bench, &mut rng, &mut coverage)?;
    }
    Ok(coverage)
}

#[proves("FSA-11", "FSA-12", "FSA-13", "FSA-39", "FSA-54")]
#[test]
fn units_make_one_map_of_their_partitions() {
    run_seeds(|seed| random_layers(&UNITS_4, seed));
}

#[test]
fn faults_of_units_are_noticed() {
    let mutants = r"
        // Values of the first row of a rectangle are not taken.
        heddle_map_memory: load_row_i} >= part_row0_i => load_row_i} > part_row0_i
        // A sum reaches the next unit a cycle late.
        heddle_drain_link: has_q[1] => has_q[0]
        // Sums are not cleared as they are drained.
        heddle_unit_sums: busy_q[2] & writes_q[2] => busy_q[2] & writes_q[2] & !drains_q[1]";
    check_mutants(&UNITS_4, &faults(mutants), random_layers);
}
