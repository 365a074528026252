//! Maps of images, and maps without their zeros.

use std::collections::BTreeMap;

use heddle_arch::params::Sparse;
use heddle_compiler::sparse::{
    CodecError, Counts, Goal, Halo, Limits, Maps, Plan, Shape, Split, balance,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::support::sparse::{Cluster, Layer, params, random_params, random_shape};

const LIMITS: Limits = Limits {
    levels: 4,
    cell: [2, 2],
};

/// Maps with areas of zeros.
fn random_maps(rng: &mut ChaCha8Rng) -> Maps {
    let size = [0, 1].map(|_| rng.random_range(1..=20));
    let density = rng.random_range(0.0..=1.0);
    let map = |rng: &mut ChaCha8Rng| {
        let split = rng.random_range(0..=size[0]);
        let byte = |at: u32, rng: &mut ChaCha8Rng| match at / size[1] < split
            && rng.random_bool(density)
        {
            true => rng.random(),
            false => 0,
        };
        (0..size[0] * size[1]).map(|at| byte(at, rng)).collect()
    };
    let maps = rng.random_range(1..=4);
    Maps::new(size, (0..maps).map(|_| map(rng)).collect()).unwrap()
}

fn random_limits(rng: &mut ChaCha8Rng) -> Limits {
    Limits {
        levels: rng.random_range(0..=6),
        cell: match rng.random_bool(0.3) {
            true => [1, 1],
            false => [0, 1].map(|_| rng.random_range(1..=8)),
        },
    }
}

/// What is compressed comes back.
#[track_caller]
fn check(maps: &Maps, limits: &Limits) -> Vec<u8> {
    let bytes = maps.compress(limits).unwrap();
    let most = (maps.size()[0] * maps.size()[1]) as u64 * maps.maps().len() as u64;
    assert_eq!(Maps::decompress(&bytes, most).as_ref(), Ok(maps));
    let found = most;
    let most = most - 1;
    let too_large = CodecError::TooLarge { found, most };
    assert_eq!(Maps::decompress(&bytes, most), Err(too_large));
    bytes
}

#[proves("FSA-04")]
#[test]
fn an_image_is_sliced_in_a_map_for_each_channel() {
    let side = 1024;
    let byte = |row: u32, col: u32, channel: u32| (row * 7 + col * 3 + channel * 85) as u8;
    let places = (0..side).flat_map(|row| (0..side).map(move |col| (row, col)));
    let image: Vec<u8> = places
        .clone()
        .flat_map(|(row, col)| [0, 1, 2].map(|channel| byte(row, col, channel)))
        .collect();
    let sliced = Maps::of_image([side, side], 3, &image).unwrap();
    assert_eq!((sliced.size(), sliced.maps().len()), ([1024, 1024], 3));
    let own = |channel: u32| {
        places
            .clone()
            .map(|(row, col)| byte(row, col, channel))
            .collect()
    };
    let given = Maps::new([side, side], [0, 1, 2].map(own).into()).unwrap();
    assert_eq!(sliced, given);
    let error = Maps::of_image([side, side], 3, &image[1..]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "number of input bytes is 3145727, expected 3145728"
    );
    let error = Maps::new([2, 2], vec![vec![0; 4], vec![0; 3]]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "number of bytes of a map is 3, expected 4"
    );
}

#[proves("FSA-04")]
#[test]
fn layers_take_an_image_or_its_maps() {
    let mut planned = 0;
    for seed in 0..60 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let params = random_params(&mut rng);
        let layer = Layer::of(random_shape(&mut rng), [0.7, 0.6], &mut rng);
        let Ok(plan) = Plan::new(&layer.shape, Split::ONE, &params) else {
            continue;
        };
        planned += 1;
        let shape = &layer.shape;
        let channel = |channel: u32| {
            let bytes = layer.input.iter().skip(channel as usize);
            bytes.step_by(shape.inputs as usize).copied().collect()
        };
        let maps = Maps::new(shape.input, (0..shape.inputs).map(channel).collect()).unwrap();
        assert_eq!(maps.counts(), layer.counts());
        let program = plan.program(&layer.values).unwrap();
        let results = |words: Vec<u64>| {
            let mut cluster = Cluster::new(params.clone());
            cluster
                .execute(&program.commands, words, &program.weights)
                .unwrap()
        };
        let of_image = results(program.map_words(&layer.input).unwrap());
        assert_eq!(
            of_image,
            results(program.words_of(&maps).unwrap()),
            "seed {seed}"
        );
    }
    assert!(planned > 20, "{planned} planned");
}

#[proves("FSA-25")]
#[test]
fn what_is_compressed_comes_back() {
    let mut sizes = BTreeMap::new();
    for seed in 0..300 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let maps = random_maps(&mut rng);
        let limits = random_limits(&mut rng);
        let bytes = check(&maps, &limits);
        // Equal maps have equal bytes, and no other bytes are taken for them.
        assert_eq!(
            Maps::decompress(&bytes, u64::MAX)
                .unwrap()
                .compress(&limits),
            Ok(bytes)
        );
        *sizes
            .entry((limits.levels, limits.cell.iter().any(|side| *side > 1)))
            .or_insert(0) += 1;
    }
    assert_eq!(
        sizes.len(),
        14,
        "levels 0 to 6, cells of one position and larger ones: {sizes:?}"
    );
}

#[proves("FSA-25")]
#[test]
fn levels_and_cells_say_how_far_a_map_is_split() {
    let mut map = vec![0; 64];
    map[0] = 9;
    let maps = Maps::new([8, 8], vec![map]).unwrap();
    // The head, the checksum and the value are 21 bytes.
    let tree_bits = |levels: u32, cell: [u32; 2]| {
        let bytes = check(&maps, &Limits { levels, cell });
        assert_eq!(bytes[bytes.len() - 5], 9);
        bytes.len() - 21
    };
    // A bit for the map, and one for each position.
    assert_eq!(tree_bits(0, [1, 1]), 65usize.div_ceil(8));
    assert_eq!(tree_bits(5, [8, 8]), 65usize.div_ceil(8));
    // A bit for the map, four for its parts, 16 for the positions of the one that is not zero.
    assert_eq!(tree_bits(1, [1, 1]), 21usize.div_ceil(8));
    assert_eq!(tree_bits(5, [4, 4]), 21usize.div_ceil(8));
    // Rows are split alone.
    assert_eq!(tree_bits(5, [1, 8]), (1usize + 3 * 2 + 8).div_ceil(8));
    assert_eq!(tree_bits(5, [1, 1]), (1usize + 3 * 4 + 1).div_ceil(8));
}

#[proves("FSA-25")]
#[test]
fn maps_partitions_and_weights_are_compressed() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let shape = Shape {
        input: [24, 17],
        inputs: 6,
        kernel: [3, 3],
        stride: 1,
        padding: [1, 1],
        output: [24, 17],
        outputs: 8,
        depthwise: false,
    };
    let layer = Layer::of(shape.clone(), [0.3, 0.1], &mut rng);
    let maps = Maps::of_image(shape.input, shape.inputs, &layer.input).unwrap();
    assert!(check(&maps, &LIMITS).len() < layer.input.len() / 2);
    let counts = maps.counts();
    let counts = Counts {
        size: shape.input,
        values: shape.inputs,
        counts: &counts,
    };
    let cells = balance(&counts, [2, 2], Goal::default()).unwrap().cells;
    let mut found = 0;
    for cell in &cells {
        let part = maps.part(cell).unwrap();
        found += part.counts().iter().sum::<u32>();
        check(&part, &LIMITS);
    }
    assert_eq!(found, counts.counts.iter().sum::<u32>());
    // The kernel of each input channel of each output channel is a map.
    let weights: Vec<u8> = layer
        .values
        .weights
        .iter()
        .map(|weight| *weight as u8)
        .collect();
    let kernels = weights
        .chunks(9 * 6)
        .map(|own| Maps::of_image(shape.kernel, 6, own).unwrap());
    let kernels: Vec<Vec<u8>> = kernels.flat_map(|maps| maps.maps().to_vec()).collect();
    check(&Maps::new(shape.kernel, kernels).unwrap(), &LIMITS);
    let error = maps.part(&[0..25, 0..17]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "end of a partition is 25, expected 1 to 24"
    );
    let error = maps.part(&[0..24, 5..5]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "begin of a partition is 5, expected 0 to 4"
    );
}

#[proves("FSA-25")]
#[test]
fn bytes_that_are_cut_off_or_changed_are_refused() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let bytes = random_maps(&mut rng).compress(&LIMITS).unwrap();
    for end in 0..bytes.len() {
        assert!(
            Maps::decompress(&bytes[..end], u64::MAX).is_err(),
            "{end} bytes"
        );
    }
    for bit in 0..8 * bytes.len() {
        let mut changed = bytes.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert!(Maps::decompress(&changed, u64::MAX).is_err(), "bit {bit}");
    }
}

/// The bytes with the checksum that belongs to them.
fn with_checksum(mut bytes: Vec<u8>) -> Vec<u8> {
    let content = bytes.len() - 4;
    let crc = crc32fast::hash(&bytes[..content]).to_le_bytes();
    bytes[content..].copy_from_slice(&crc);
    bytes
}

#[proves("FSA-25")]
#[test]
fn bytes_with_a_good_checksum_are_refused_or_the_only_form() {
    let mut messages = BTreeMap::new();
    for seed in 0..20_000 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut bytes = random_maps(&mut rng)
            .compress(&random_limits(&mut rng))
            .unwrap();
        for _ in 0..rng.random_range(1..=3) {
            match rng.random_range(0..4) {
                0 => bytes.truncate(rng.random_range(16..bytes.len()).max(20)),
                1 => bytes.insert(rng.random_range(16..=bytes.len() - 4), rng.random()),
                2 => bytes[rng.random_range(0..16)] = rng.random_range(0..8),
                _ => {
                    let at = rng.random_range(16..bytes.len());
                    bytes[at] = rng.random();
                }
            }
        }
        let bytes = with_checksum(bytes);
        let outcome = match Maps::decompress(&bytes, 100_000) {
            Ok(maps) => {
                let [levels, rows, cols] =
                    [6, 8, 10].map(|at| u16::from_le_bytes([bytes[at], bytes[at + 1]]).into());
                let limits = Limits {
                    levels,
                    cell: [rows, cols],
                };
                assert_eq!(maps.compress(&limits), Ok(bytes), "seed {seed}");
                "taken".to_string()
            }
            Err(CodecError::TooLarge { .. }) => "too large".to_string(),
            Err(CodecError::Limits(_)) => "limits".to_string(),
            Err(error) => error.to_string(),
        };
        *messages.entry(outcome).or_insert(0) += 1;
    }
    for expected in [
        "taken",
        "too large",
        "limits",
        "the bytes end in the tree",
        "the bytes end in the values",
        "maps without rows, columns or channels",
        "a part of zeros that is split",
        "a zero among the values",
        "there is more than the maps need",
    ] {
        assert!(messages.contains_key(expected), "{expected}: {messages:?}");
    }
    assert_eq!(messages.len(), 9, "{messages:?}");
}

#[test]
fn limits_beyond_their_range_are_refused() {
    let maps = Maps::new([1, 1], vec![vec![1]]).unwrap();
    for (levels, cell) in [(17, [1, 1]), (1, [0, 1]), (1, [1, 65536])] {
        let limits = Limits { levels, cell };
        assert_eq!(maps.compress(&limits), Err(CodecError::Limits(limits)));
    }
}

#[proves("FSA-87")]
#[test]
fn outputs_of_several_units_are_compressed_as_one_map() {
    let params = params(Sparse {
        units: 5,
        load_lanes: Some(8),
        ..Sparse::default()
    });
    let shape = Shape {
        input: [20, 12],
        inputs: 8,
        kernel: [3, 3],
        stride: 1,
        padding: [1, 1],
        output: [20, 12],
        outputs: 16,
        depthwise: false,
    };
    for (seed, halo) in [(1, Halo::Input), (2, Halo::Results)] {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut layer = Layer::of(shape.clone(), [0.5, 0.2], &mut rng);
        // A rectified output.
        layer.values.bounds = [0, 127];
        let split = Split {
            grid: [5, 1],
            halo,
            ..Split::ONE
        };
        let plan =
            Plan::balanced(&shape, split, &params, &layer.counts(), Goal::default()).unwrap();
        let program = plan.program(&layer.values).unwrap();
        let map = program.map_words(&layer.input).unwrap();
        let words = Cluster::new(params.clone())
            .execute(&program.commands, map, &program.weights)
            .unwrap();
        let stitched = program.outputs(&words).unwrap();
        let stitched = Maps::of_image(shape.output, shape.outputs, &stitched).unwrap();
        let bytes = stitched.compress(&LIMITS).unwrap();
        let golden = Maps::of_image(shape.output, shape.outputs, &layer.outputs()).unwrap();
        assert_eq!(Maps::decompress(&bytes, 20 * 12 * 16), Ok(golden));
        assert!(stitched.counts().iter().any(|count| *count > 0));
    }
}
