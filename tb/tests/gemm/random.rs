//! 500 random layers on all cores, bit for bit against nested loops.

use crate::bench::Bench;
use crate::driven::{Driven, Op};
use crate::rtl::{Checked, Coverage, run_seeds};
use crate::shapes::{Shape, random_shape};
use crate::sides::Design;
use crate::variants::VARIANTS;
use heddle_compiler::offsets::{Layout, Pad};

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

/// The first run of a core that does not give what the nested loops give.
pub fn wrong(side: &Driven, shapes: &[Shape]) -> Option<String> {
    if let Some(failure) = &side.failure {
        return Some(failure.clone());
    }
    let layers = shapes.iter().flat_map(|shape| &shape.groups);
    let expected = shapes.iter().flat_map(|shape| &shape.expected);
    let runs = side.runs.iter().zip(layers.zip(expected.clone()));
    let mut differ = runs.enumerate().filter(|(_, (run, (layer, sums)))| {
        let stores = sums.len() * layer.iterations(side.options.unit.rows);
        run.last_sums() != **sums || run.stores() != stores
    });
    let first = differ.next().map(|(number, (run, (_, sums)))| {
        format!(
            "run {number}: {:?}, nested loops give {sums:?}; {} results",
            run.last_sums(),
            run.stores()
        )
    });
    let missing = side.runs.len() != expected.count();
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
            coverage.event("weight stationary", layer.weight_stationary());
            coverage.event("output stationary", !layer.weight_stationary());
            let rows = side.options.unit.rows;
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

#[test]
fn sgcr_22_sgcr_31_sgcr_34_sgcr_40_random_layers_give_what_nested_loops_give() {
    run_seeds(all_variants);
}
