//! 900 random layers on all cores, bit for bit against nested loops.

use super::bench::Bench;
use super::driven::{Driven, Op};
use super::layer::Layer;
use super::loops::walk;
use super::shapes::{Shape, random_shape};
use super::shown::Shown;
use super::sides::Design;
use super::variants::VARIANTS;
use crate::rtl::{Checked, Coverage, run_seeds};
use heddle_blocks::offsets::{Layout, Pad};
use std::collections::BTreeMap;

/// Layers of each core, with each of the three seeds.
const LAYERS: usize = 21;

/// Layers on all cores; what ran on each.
pub fn traffic(design: &Design, seed: u64, layers: usize) -> (Bench, Vec<Vec<Shape>>) {
    let mut bench = Bench::new(design, seed);
    let mut rng = bench.rng();
    let mut all = Vec::new();
    for side in &mut bench.sides {
        let shapes: Vec<_> = (0..layers)
            .map(|_| random_shape(&side.options, &mut rng))
            .collect();
        for shape in &shapes {
            for (group, layer) in shape.groups.iter().enumerate() {
                match group {
                    // One load of the tables and of the tensor serves all groups.
                    0 => side.load(layer),
                    _ => {
                        side.ops
                            .extend(layer.registers().into_iter().map(Op::Write));
                        side.load_weights(layer);
                    }
                }
                side.ops.push_back(Op::Run);
                side.ops.push_back(Op::Settled);
            }
        }
        all.push(shapes);
    }
    bench.run();
    (bench, all)
}

/// What a run has read, against operands and weights of nested loops and the bytes that were loaded.
fn wrong_reads(
    run: &Shown,
    layer: &Layer,
    operands: &[Vec<Option<i8>>],
    side: &Driven,
) -> Option<String> {
    let options = &side.options;
    let unit = &options.unit;
    let tiles = layer.outputs.div_ceil(unit.cols);
    let stationary = layer.weight_stationary();
    let rows = walk(operands, unit.rows, tiles, stationary);
    if run.reads.rows != rows {
        return Some(format!(
            "operands {:?}, loops give {rows:?}",
            run.reads.rows
        ));
    }
    let bytes = options.operand_bytes as u32;
    let placed = layer.placed_operands().into_iter();
    let content: BTreeMap<u32, i8> = placed.map(|(at, byte)| (at % bytes, byte)).collect();
    for (bank, reads) in run.reads.memories.iter().enumerate() {
        for (at, byte) in reads {
            let address = match options.banks {
                0 => *at,
                banks => at * banks as u32 + bank as u32,
            };
            if content.get(&address) != Some(byte) {
                return Some(format!(
                    "byte {address} is {byte}, there lies {:?}",
                    content.get(&address)
                ));
            }
        }
    }
    wrong_weights(run, layer, side)
}

/// Weight addresses that are not one word of Q bytes behind the one before, or whose byte is not the
/// weight of this channel and tap.
pub fn wrong_weights(run: &Shown, layer: &Layer, side: &Driven) -> Option<String> {
    let unit = &side.options.unit;
    let taps = layer.lists.offsets.len();
    let tiles = layer.outputs.div_ceil(unit.cols);
    let (length, walks) = match layer.weight_stationary() {
        true => (taps.next_multiple_of(unit.rows), 1),
        false => (taps, layer.lists.bases.len().div_ceil(unit.rows)),
    };
    for (col, reads) in run.reads.weights.iter().enumerate() {
        let mut expected = Vec::new();
        let mut pointer = u32::from(layer.b_origin);
        for tile in 0..tiles {
            for tap in 0..length {
                let channel = tile * unit.cols + col;
                let weight = match channel < layer.outputs && tap < taps {
                    true => layer.weights[channel * taps + layer.order[tap] as usize],
                    false => 0,
                };
                expected.push((pointer, weight));
                pointer += 1;
            }
        }
        let expected = expected.repeat(walks);
        if *reads != expected {
            return Some(format!(
                "weights of column {col}: {reads:?}, expected {expected:?}"
            ));
        }
    }
    None
}

/// The first run of a core that does not give what the nested loops give.
pub fn wrong(side: &Driven, shapes: &[Shape]) -> Option<String> {
    if let Some(failure) = &side.failure {
        return Some(failure.clone());
    }
    let layers = shapes.iter().flat_map(|shape| {
        let operands = shape.groups.iter().zip(&shape.operands);
        operands.zip(&shape.expected)
    });
    let count = layers.clone().count();
    let runs = side.runs.iter().zip(layers).enumerate();
    let mut differ = runs.filter_map(|(number, (run, ((layer, operands), sums)))| {
        if let Some(text) = wrong_reads(run, layer, operands, side) {
            return Some(format!("run {number}: {text}"));
        }
        let stores = sums.len() * layer.iterations(side.options.unit.rows);
        let same = run.last_sums() == *sums && run.stores() == stores;
        (!same).then(|| {
            format!(
                "run {number}: {:?}, nested loops give {sums:?}; {} results",
                run.last_sums(),
                run.stores()
            )
        })
    });
    let first = differ.next();
    let missing = side.runs.len() != count;
    first.or(missing.then(|| "runs are missing".into()))
}

fn all_variants(seed: u64) -> Checked<Coverage> {
    let (bench, shapes) = traffic(&VARIANTS, seed, LAYERS);
    for (side, shapes) in bench.sides.iter().zip(&shapes) {
        if let Some(failure) = wrong(side, shapes) {
            return Err(format!("seed {seed}: {}: {failure}", side.name));
        }
    }
    let mut coverage = Coverage::default();
    for (side, shapes) in bench.sides.iter().zip(&shapes) {
        for shape in shapes {
            let (c, layer) = (&shape.convolution, &shape.groups[0]);
            coverage.event("NCHW", c.layout == Layout::Nchw);
            coverage.event("CNHW", c.layout == Layout::Cnhw);
            coverage.event("NHWC", c.layout == Layout::Nhwc);
            coverage.event(
                "NCHW vector",
                c.layout == Layout::NchwVector && c.vector > 1,
            );
            coverage.event("fully connected", shape.request.fully_connected.is_some());
            coverage.event("stride", c.stride != [1, 1]);
            coverage.event("dilation", c.dilation != [1, 1]);
            coverage.event("groups", c.groups > 1);
            coverage.event("images", c.images > 1);
            let padded = c.padding != Default::default();
            coverage.event("padding by mask", padded && c.pad == Pad::Mask);
            coverage.event("padding by border", padded && c.pad == Pad::Border);
            coverage.event("steps", shape.request.running);
            coverage.event("negative step", {
                shape.request.running && layer.lists.offsets.iter().any(|offset| offset.0 < 0)
            });
            coverage.event("unit shift", shape.request.unit_shift > 0);
            coverage.event("reuse order", shape.request.reuse_order);
            coverage.event("random order", shape.turned);
            coverage.event("weight stationary", layer.weight_stationary());
            coverage.event("output stationary", !layer.weight_stationary());
            let rows = side.options.unit.rows;
            let ahead = side.options.unit.prefetch && !layer.weight_stationary();
            coverage.event("bases ahead of a second tile", {
                ahead && layer.lists.bases.len() > side.options.unit.rows
            });
            coverage.event("tail rows", layer.lists.bases.len() % rows != 0);
            coverage.event("tail taps", layer.lists.offsets.len() % rows != 0);
            coverage.event("tail columns", layer.outputs % side.options.unit.cols != 0);
            coverage.event("several K tiles", layer.lists.offsets.len() > rows);
            let stores = layer.iterations(rows);
            let stationary = layer.weight_stationary();
            coverage.event("each step stored", !stationary && stores > 1);
            coverage.event("each K tile stored", stationary && stores > 1);
        }
        let stalls = side.runs.iter().any(|run| run.status.stalls > 0);
        coverage.event("stalls", stalls);
        if side.options.banks > 0 && !stalls {
            return Err(format!("{}: the banks never stalled", side.name));
        }
    }
    let layers = shapes.iter().map(Vec::len).sum::<usize>();
    println!("seed {seed}: {layers} layers");
    Ok(coverage)
}

#[proves(
    "SGCR-15", "SGCR-16", "SGCR-17", "SGCR-22", "SGCR-25", "SGCR-31", "SGCR-34", "SGCR-40",
    "SGCR-46", "SGCR-51", "SGCR-53", "SGCR-55", "SGCR-58"
)]
#[test]
fn random_layers_give_what_nested_loops_give() {
    run_seeds(all_variants);
}
