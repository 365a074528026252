//! Random layers: tables and weight words from the compiler, results and operands from nested loops.

use super::layer::{EACH, Layer, MASKS, STEPS, WEIGHTS};
use super::loops::{self, Tensor, convolve, stored};
use heddle_blocks::offsets::order::{reorder, weight_order};
use heddle_blocks::offsets::{
    Convolution, FullyConnected, Layout, Pad, Request, Sides, Tables, generate,
};
use heddle_sim::blocks::gemm::GemmOptions;
use heddle_sim::blocks::offsets::examples::Lists;
use rand::Rng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// Longest run.
const MOST_SLOTS: usize = 1200;

/// A layer, a run for each group.
pub struct Shape {
    /// What the tables were asked for.
    pub request: Request,
    /// The convolution, also of a fully connected layer.
    pub convolution: Convolution,
    /// Runs.
    pub groups: Vec<Layer>,
    /// Of each run the sums of all rows of channel 0, then of channel 1, ...
    pub expected: Vec<Vec<i32>>,
    /// Of each run the operand of each row and tap, taps in the order of the tables.
    pub operands: Vec<Vec<Vec<Option<i8>>>>,
    /// The taps are in a random order.
    pub turned: bool,
}

/// The lists of tables.
pub fn lists(tables: &Tables) -> Lists {
    let mut lists = Lists::plain(&tables.bases, &tables.offsets);
    if let Some(masks) = &tables.masks {
        let rows = masks.rows.iter().zip(&masks.cols);
        for (base, (row, col)) in lists.bases.iter_mut().zip(rows) {
            (base.1, base.2) = (*row, *col);
        }
        for (offset, (v, u)) in lists.offsets.iter_mut().zip(&masks.taps) {
            (offset.1, offset.2) = (1 << v, 1 << u);
        }
    }
    lists
}

/// A convolution of one element.
pub const POINT: Convolution = Convolution {
    channels: 1,
    height: 1,
    width: 1,
    outputs: 1,
    images: 1,
    kernel: [1, 1],
    stride: [1, 1],
    dilation: [1, 1],
    groups: 1,
    padding: Sides {
        top: 0,
        bottom: 0,
        left: 0,
        right: 0,
    },
    pad: Pad::Border,
    layout: Layout::Nchw,
    vector: 1,
};

/// A random convolution or fully connected layer.
fn request(options: &GemmOptions, rng: &mut ChaCha8Rng) -> Request {
    let unit = &options.unit;
    let element_bytes: u32 = [1, 1, 1, 2, 4][rng.random_range(0..5)];
    let unit_shift = rng.random_range(0..=element_bytes.trailing_zeros());
    let mut request = Request {
        convolution: None,
        fully_connected: None,
        matrix: None,
        element_bytes,
        unit_shift,
        running: unit.running && rng.random(),
        reuse_order: rng.random_bool(0.25),
        weight_base: None,
    };
    if rng.random_range(0..12) == 0 {
        request.reuse_order = false;
        request.fully_connected = Some(FullyConnected {
            inputs: rng.random_range(1..=40),
            outputs: rng.random_range(1..=9),
            images: rng.random_range(1..=9),
        });
        return request;
    }
    let groups = [1, 1, 1, 2, 3][rng.random_range(0..5)];
    let layouts = [Layout::Nchw, Layout::Cnhw, Layout::Nhwc, Layout::NchwVector];
    let layout = layouts[rng.random_range(0..4)];
    let vector = match layout {
        Layout::NchwVector => [1, 2, 4][rng.random_range(0..3)],
        _ => 1,
    };
    let channels = vector * groups * rng.random_range(1..=2);
    let mut side = || match rng.random_range(0..3) {
        0 => 0,
        _ => rng.random_range(0..=2),
    };
    let padding = Sides {
        top: side(),
        bottom: side(),
        left: side(),
        right: side(),
    };
    let pair = |most: u32, rng: &mut ChaCha8Rng| [(); 2].map(|()| rng.random_range(1..=most));
    request.convolution = Some(Convolution {
        channels,
        height: rng.random_range(1..=7),
        width: rng.random_range(1..=7),
        outputs: groups * rng.random_range(1..=4),
        images: rng.random_range(1..=3),
        kernel: pair(3, rng),
        stride: pair(3, rng),
        dilation: pair(2, rng),
        groups,
        padding,
        pad: match unit.taps > 0 && rng.random() {
            true => Pad::Mask,
            false => Pad::Border,
        },
        layout,
        vector,
    });
    request
}

/// A random layer that fits the core.
pub fn random_shape(options: &GemmOptions, rng: &mut ChaCha8Rng) -> Shape {
    loop {
        let request = request(options, rng);
        let Ok(tables) = generate(&request) else {
            continue;
        };
        // As a host would send them.
        let file = tables.to_bytes().expect("generated tables have a file");
        let tables = Tables::from_bytes(&file).expect("the file is sound");
        let stationary = rng.random::<bool>();
        // Any order of the taps will do if the weights follow (SGCR-17).
        let mut turn: Vec<u32> = (0..tables.offsets.len() as u32).collect();
        let turned = rng.random_bool(0.3);
        if turned {
            turn.shuffle(rng);
        }
        let tables = reorder(&tables, &turn);
        if let Some(mut shape) = fitted(options, request, (&tables, &turn), stationary, rng) {
            shape.turned = turned && !turn.is_sorted();
            return shape;
        }
    }
}

/// The layer with operands and weights, unless it is too large for the core.
fn fitted(
    options: &GemmOptions,
    request: Request,
    (tables, turn): (&Tables, &[u32]),
    stationary: bool,
    rng: &mut ChaCha8Rng,
) -> Option<Shape> {
    let convolution = match (&request.convolution, &request.fully_connected) {
        (Some(convolution), _) => convolution.clone(),
        (_, Some(layer)) => Convolution {
            channels: layer.inputs,
            outputs: layer.outputs,
            images: layer.images,
            ..POINT
        },
        _ => return None,
    };
    let shape = &convolution;
    let size = [shape.images, shape.channels, shape.height, shape.width].map(|n| n as usize);
    let tensor = Tensor::random(size, rng);
    let memory = stored(shape, &tensor);
    let bytes = memory.len() as u32 * request.element_bytes;
    let (rows, taps) = (tables.bases.len(), tables.offsets.len());
    let outputs = (shape.outputs / shape.groups) as usize;
    let most_rows = match stationary {
        true => options.results.min(options.unit.bases),
        false => options.unit.bases,
    };
    if rows > most_rows || taps > options.unit.offsets || bytes as usize > options.operand_bytes {
        return None;
    }
    let unit = &options.unit;
    let each = options.store_each && rng.random();
    let clocks = if each { unit.rows } else { 1 };
    let slots = match stationary {
        true => outputs.div_ceil(unit.cols) * taps.div_ceil(unit.rows) * (unit.rows + rows),
        false => {
            rows.div_ceil(unit.rows) * (unit.rows + outputs.div_ceil(unit.cols) * taps * clocks)
        }
    };
    if slots > MOST_SLOTS {
        return None;
    }
    let mut mode = if stationary { WEIGHTS } else { 0 };
    mode |= if tables.running { STEPS } else { 0 };
    mode |= if tables.masks.is_some() { MASKS } else { 0 };
    mode |= if each { EACH } else { 0 };
    let a_origin = rng.random_range(0..=options.operand_bytes as u32 - bytes);
    let order = weight_order(&request);
    let order: Vec<u32> = turn.iter().map(|tap| order[*tap as usize]).collect();
    let group_channels = (shape.channels / shape.groups) as usize;
    // From the first element of channel 0 to that of the group's first channel.
    let plane = memory.len() / size[0] / size[1];
    let group_step = |group: usize| {
        let channel = group * group_channels;
        let vector = shape.vector as usize;
        match shape.layout {
            Layout::Nchw => channel * plane,
            Layout::Cnhw => channel * size[0] * plane,
            Layout::Nhwc => channel,
            Layout::NchwVector => channel / vector * plane * vector + channel % vector,
        }
    };
    let mut groups = Vec::new();
    let mut expected = Vec::new();
    let mut operands = Vec::new();
    for group in 0..shape.groups as usize {
        let weights: Vec<i8> = (0..outputs * taps).map(|_| rng.random()).collect();
        let rows = loops::operands(shape, &tensor, group);
        expected.push(convolve(&rows, &weights));
        let in_order = |row: Vec<Option<i8>>| {
            let taps = order.iter().map(|position| row[*position as usize]);
            taps.collect::<Vec<_>>()
        };
        operands.push(rows.into_iter().map(in_order).collect());
        let step = (group_step(group) as u32) * request.element_bytes;
        let operand = |(place, operand): &(usize, i8)| {
            let address = *place as u32 * request.element_bytes;
            (address.wrapping_sub(step), *operand)
        };
        let layer = Layer {
            lists: lists(tables),
            outputs,
            mode,
            shift: tables.unit_shift,
            a_origin: a_origin + step,
            b_origin: 0,
            operands: memory.iter().map(operand).collect(),
            weights,
            order: order.clone(),
        };
        if layer.words(options).len() > options.weight_words {
            return None;
        }
        groups.push(layer);
    }
    Some(Shape {
        convolution,
        groups,
        expected,
        operands,
        turned: false,
        request,
    })
}
