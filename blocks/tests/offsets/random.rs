//! Random shapes against nested loops.

use std::collections::BTreeSet;

use heddle_blocks::offsets::compress::{
    bases_by_counters, bases_by_image, compress, offsets_by_channel, offsets_by_counters,
};
use heddle_blocks::offsets::order::{reorder, weight_order};
use heddle_blocks::offsets::{
    Convolution, Layout, Pad, Request, Sides, Tables, generate, group_origin, index, rows,
};
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{convolve, gemm, request, store, tables, wide};

const SEED: u64 = 0x00ff_5e75;
const SHAPES: usize = 800;

fn shape(rng: &mut ChaCha8Rng) -> Convolution {
    let mut number = |high: u32| rng.random_range(1..=high);
    let groups = number(3);
    let vector = number(3);
    let channels = groups * vector * number(2);
    let kernel = [number(4), number(4)];
    let dilation = [number(3), number(3)];
    let stride = [number(3), number(3)];
    let outputs = groups * number(3);
    let images = number(3);
    let mut side = || number(3) - 1;
    let padding = Sides {
        top: side(),
        bottom: side(),
        left: side(),
        right: side(),
    };
    let size = |axis: usize, zeros: u32, more: u32| {
        let extent = dilation[axis] * (kernel[axis] - 1) + 1;
        extent.saturating_sub(zeros).max(1) + more - 1
    };
    let height = size(0, padding.top + padding.bottom, number(5));
    let width = size(1, padding.left + padding.right, number(5));
    let layouts = [Layout::Nchw, Layout::Cnhw, Layout::Nhwc, Layout::NchwVector];
    let layout = layouts[rng.random_range(0..4)];
    Convolution {
        channels,
        height,
        width,
        outputs,
        images,
        kernel,
        stride,
        dilation,
        groups,
        padding: match rng.random_bool(0.7) {
            true => padding,
            false => {
                let extent = |axis: usize| dilation[axis] * (kernel[axis] - 1) + 1;
                let fits = extent(0) <= height && extent(1) <= width;
                if fits { Sides::default() } else { padding }
            }
        },
        pad: match rng.random_bool(0.5) {
            true => Pad::Mask,
            false => Pad::Border,
        },
        layout,
        vector: if layout == Layout::NchwVector {
            vector
        } else {
            1
        },
    }
}

fn wanted(rng: &mut ChaCha8Rng) -> Request {
    let shape = shape(rng);
    let unit_shift = rng.random_range(0..4);
    Request {
        element_bytes: 1 << rng.random_range(unit_shift..4),
        unit_shift,
        running: rng.random_bool(0.5),
        reuse_order: rng.random_bool(0.5),
        ..request(shape)
    }
}

/// What occurred, so that nothing stays untested unnoticed.
#[derive(Default)]
struct Seen(BTreeSet<String>);

impl Seen {
    fn note(&mut self, request: &Request, shape: &Convolution, tables: &Tables) {
        let mut note = |seen: bool, what: &str| {
            if seen {
                self.0.insert(what.to_string());
            }
        };
        let padded = shape.padding != Sides::default();
        note(true, &format!("{:?}", shape.layout));
        note(padded && shape.pad == Pad::Mask, "padding by mask");
        note(padded && shape.pad == Pad::Border, "stored padding");
        note(shape.groups > 1 && shape.images > 1, "groups of a batch");
        note(shape.stride[0] != shape.stride[1], "two strides");
        note(shape.dilation[0] != shape.dilation[1], "two dilations");
        note(request.running, "running");
        note(request.unit_shift > 0, "unit shift");
        note(
            tables.running && tables.offsets.iter().any(|step| *step < 0),
            "negative step",
        );
        note(tables.bases[0] < 0, "negative base");
        note(request.reuse_order, "reuse order");
    }
}

#[proves("SGCR-03", "SGCR-06", "SGCR-08", "SGCR-17", "SGCR-46", "SGCR-50")]
#[test]
fn random_shapes_are_those_of_nested_loops() {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let mut seen = Seen::default();
    let mut same_size = 0;
    for case in 0..SHAPES {
        let request = wanted(&mut rng);
        let shape = request.convolution.clone().expect("a convolution");
        let label = format!("seed {SEED:#x}, case {case}: {request:?}");
        let mut list = |length: u32| -> Vec<i64> {
            (0..length).map(|_| rng.random_range(-128..128)).collect()
        };
        let (rows, columns) = (shape.height, shape.width);
        let data = list(shape.images * shape.channels * rows * columns);
        let at = |n, c, y, x| data[(((n * shape.channels + c) * rows + y) * columns + x) as usize];
        let taps = shape.channels / shape.groups * shape.kernel[0] * shape.kernel[1];
        let weights = list(shape.outputs * taps);
        let expected = convolve(&shape, at, &weights);
        let memory = store(&shape, at);
        let bytes = request.tensor_bytes();
        assert_eq!(
            memory.len() as u64 * u64::from(request.element_bytes),
            bytes,
            "{label}"
        );
        let mut tables = tables(&request);
        let mut order = weight_order(&request);
        seen.note(&request, &shape, &tables);
        if tables.masks.is_none() {
            let different: BTreeSet<i32> = tables.bases.iter().copied().collect();
            assert_eq!(different.len(), tables.bases.len(), "{label}");
        }
        check_compressed(&request, &tables, &label);
        check_element(&request, &tables, &label);
        same_size += check_axes(&request, &shape, &tables, &label);
        if case % 2 == 1 {
            let mut turn: Vec<u32> = (0..order.len() as u32).collect();
            turn.shuffle(&mut rng);
            tables = reorder(&tables, &turn);
            order = turn.iter().map(|tap| order[*tap as usize]).collect();
        }
        let outputs = tables.outputs as usize;
        let pixels = tables.pixels as usize;
        for group in 0..shape.groups as usize {
            let origin = group_origin(&request, group as u32);
            tables
                .check_in(bytes - origin)
                .unwrap_or_else(|errors| panic!("{label}: {errors}"));
            let from = &memory[(origin / u64::from(request.element_bytes)) as usize..];
            let weights = &weights[group * outputs * taps as usize..];
            let weights = &weights[..outputs * taps as usize];
            let c = gemm(&tables, request.element_bytes, &order, from, weights)
                .unwrap_or_else(|error| panic!("{label}: {error}"));
            for image in 0..shape.images as usize {
                let first = (image * shape.outputs as usize + group * outputs) * pixels;
                let part = &expected[first..][..outputs * pixels];
                let found = &c[image * outputs * pixels..][..outputs * pixels];
                assert_eq!(found, part, "{label}, group {group}, image {image}");
            }
        }
        check_index(&request, &shape, &label);
    }
    // Another dilation rarely leaves as many pixels.
    assert!(same_size >= 100, "{same_size} shapes");
    let expected = "Nchw, Cnhw, Nhwc, NchwVector, padding by mask, stored padding, groups of a batch, two strides, \
                    two dilations, running, unit shift, negative step, negative base, reuse order";
    for what in expected.split(", ") {
        assert!(seen.0.contains(what), "{what} never occurred");
    }
}

/// Entries are those for elements of one byte, times the size of an element in units.
fn check_element(request: &Request, tables: &Tables, label: &str) {
    let bytes = Request {
        element_bytes: 1,
        unit_shift: 0,
        ..request.clone()
    };
    let bytes = super::tables(&bytes);
    let units = (request.element_bytes >> request.unit_shift) as i32;
    let scaled = |list: &[i32]| list.iter().map(|entry| entry * units).collect::<Vec<_>>();
    assert_eq!(tables.bases, scaled(&bytes.bases), "{label}");
    assert_eq!(tables.offsets, scaled(&bytes.offsets), "{label}");
}

/// Another stride has the same offsets; another dilation with as many pixels in each direction has
/// the same bases. How many dilations could be compared.
fn check_axes(request: &Request, shape: &Convolution, tables: &Tables, label: &str) -> usize {
    let with = |convolution: Convolution| Request {
        convolution: Some(convolution),
        ..request.clone()
    };
    for stride in [[1, 1], [1, 4], [4, 1]] {
        let other = super::tables(&with(Convolution {
            stride,
            ..shape.clone()
        }));
        assert_eq!(other.offsets, tables.offsets, "{label}, stride {stride:?}");
    }
    let pixels = |shape: &Convolution| rows(shape).last().map(|row| (row.y, row.x));
    let mut compared = 0;
    for dilation in [[1, 1], [1, 2], [2, 1]] {
        let other = Convolution {
            dilation,
            ..shape.clone()
        };
        if dilation == shape.dilation || generate(&with(other.clone())).is_err() {
            continue;
        }
        if pixels(&other) == pixels(shape) {
            let other = super::tables(&with(other));
            assert_eq!(other.bases, tables.bases, "{label}, dilation {dilation:?}");
            compared += 1;
        }
    }
    compared
}

/// Every compressed form gives the list back.
fn check_compressed(request: &Request, tables: &Tables, label: &str) {
    let bases = [bases_by_counters(request), bases_by_image(request)];
    for filled in bases {
        let filled = filled.unwrap_or_else(|| panic!("{label}: no form"));
        assert_eq!(filled.expand(), tables.bases, "{label}");
    }
    let offsets = [offsets_by_counters(request), offsets_by_channel(request)];
    assert_eq!(offsets[0].is_none(), request.running, "{label}");
    let shape = request.convolution.as_ref().expect("a convolution");
    // Channels that are the fastest index leave no block for each channel.
    let apart = matches!(shape.layout, Layout::Nchw | Layout::Cnhw);
    let mixed = request.reuse_order && !apart;
    assert_eq!(offsets[1].is_none(), request.running || mixed, "{label}");
    for filled in offsets.into_iter().flatten() {
        assert_eq!(filled.expand(), tables.offsets, "{label}");
    }
    let found = compress(tables);
    if tables.masks.is_none() {
        let filled = found.bases.as_ref();
        assert!(filled.is_some_and(|filled| filled.words() <= 7), "{label}");
        assert!(request.running || found.offsets.is_some(), "{label}");
    }
    let lists = [
        (found.bases, &tables.bases),
        (found.offsets, &tables.offsets),
    ];
    for (filled, list) in lists {
        if let Some(filled) = filled {
            assert_eq!(&filled.expand(), list, "{label}");
        }
    }
}

/// Figure 15 has the same tables where it applies.
fn check_index(request: &Request, shape: &Convolution, label: &str) {
    let Some((bases, offsets)) = index::tables(shape) else {
        return;
    };
    let plain = tables(&super::request(shape.clone()));
    let expected = (wide(&plain.bases), wide(&plain.offsets));
    assert_eq!((bases, offsets), expected, "{label}");
    assert_eq!(request.convolution.as_ref(), Some(shape));
}
