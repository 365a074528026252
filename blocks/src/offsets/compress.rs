//! Compressed tables: the forms of the specification for a request, and the nests of given lists.

use heddle_arch::offsets::{Layout, Masks, Request, Tables};

use super::fill::{Fill, Filled, Nest, Repeat};
use super::generate::{convolution, generate};
use super::layout::Pitches;

/// Compressed lists of tables; `None` for a list that has no nest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compressed {
    /// The bases.
    pub bases: Option<Filled>,
    /// The offsets.
    pub offsets: Option<Filled>,
}

/// A count and the distance between neighbours, in entries.
struct Axis {
    count: u32,
    pitch: i64,
}

/// V-CMP-BATCH: the bases of one image, and the step from image to image (SGCR-49).
///
/// `None` for a matrix product and for a request that cannot be generated.
#[must_use]
pub fn bases_by_image(request: &Request) -> Option<Filled> {
    let tables = generate(request).ok()?;
    let axes = base_axes(request)?;
    let image = &axes[2];
    let written = tables.bases[..tables.pixels as usize].to_vec();
    repeated(written, &[(image.count, image.pitch)])
}

/// V-CMP-BASE: all bases by counters for column, row and image (SGCR-50). The expander gives all
/// of them the same mask bits.
///
/// `None` as for [`bases_by_image`].
#[must_use]
pub fn bases_by_counters(request: &Request) -> Option<Filled> {
    let first = *generate(request).ok()?.bases.first()?;
    counted(first, &base_axes(request)?)
}

/// V-CMP-REL: all offsets by counters for column, row and channel of the filter, in the order of
/// the request (SGCR-50). Channels in vectors are copied. The expander gives all of them the same
/// tap.
///
/// `None` for a matrix product, for steps, and for a request that cannot be generated.
#[must_use]
pub fn offsets_by_counters(request: &Request) -> Option<Filled> {
    if request.running {
        return None;
    }
    let first = *generate(request).ok()?.offsets.first()?;
    counted(first, &tap_axes(request)?)
}

/// V-CMP-CH: the offsets of one channel, copied for the others.
///
/// `None` as for [`offsets_by_counters`], and where channels are the fastest index.
#[must_use]
pub fn offsets_by_channel(request: &Request) -> Option<Filled> {
    let convolution = convolution(request)?;
    let apart = matches!(convolution.layout, Layout::Nchw | Layout::Cnhw);
    if request.running || (request.reuse_order && !apart) {
        return None;
    }
    let axes = tap_axes(request)?;
    let taps = convolution.kernel[0] * convolution.kernel[1];
    let written = generate(request).ok()?.offsets[..taps as usize].to_vec();
    let channels: Vec<_> = axes[2..]
        .iter()
        .map(|axis| (axis.count, axis.pitch))
        .collect();
    repeated(written, &channels)
}

/// Column, row, image.
fn base_axes(request: &Request) -> Option<[Axis; 3]> {
    let convolution = convolution(request)?;
    let pitches = Pitches::of(&convolution);
    let [rows, columns] = convolution.output();
    let [vertical, horizontal] = convolution.stride.map(i64::from);
    let axes = [
        (columns, horizontal * pitches.column),
        (rows, vertical * pitches.row),
        (convolution.images, pitches.image),
    ];
    Some(axes.map(|(count, pitch)| axis(request, count, pitch)))
}

/// The loops over the taps, the fastest first.
fn tap_axes(request: &Request) -> Option<Vec<Axis>> {
    let convolution = convolution(request)?;
    let pitches = Pitches::of(&convolution);
    let [rows, columns] = convolution.kernel;
    let [vertical, horizontal] = convolution.dilation.map(i64::from);
    let u = (columns, horizontal * pitches.column);
    let v = (rows, vertical * pitches.row);
    let channels = convolution.group_channels();
    let lane = (convolution.vector, pitches.lane);
    let block = (channels / convolution.vector, pitches.block);
    let order = match convolution.layout {
        Layout::NchwVector if request.reuse_order => vec![lane, u, v, block],
        Layout::NchwVector => vec![u, v, lane, block],
        Layout::Nhwc if request.reuse_order => vec![block, u, v],
        _ => vec![u, v, block],
    };
    let axes = order.into_iter();
    Some(
        axes.map(|(count, pitch)| axis(request, count, pitch))
            .collect(),
    )
}

fn axis(request: &Request, count: u32, elements: i64) -> Axis {
    let entries = i64::from(request.element_bytes >> request.unit_shift);
    Axis {
        count,
        pitch: elements * entries,
    }
}

/// Three axes as a nest, further ones as copies.
fn counted(value: i32, axes: &[Axis]) -> Option<Filled> {
    let mut counts = [1; 3];
    let mut steps = [0; 3];
    // What the axes so far have moved when they are all at their end.
    let mut moved = 0;
    for (index, axis) in axes.iter().take(3).enumerate() {
        counts[index] = axis.count;
        steps[index] = i32::try_from(axis.pitch - moved).ok()?;
        moved += i64::from(axis.count - 1) * axis.pitch;
    }
    let nest = Fill::Nest(Nest {
        entry: 0,
        value,
        counts,
        steps,
    });
    let mut fills = vec![nest];
    let rest: Vec<_> = axes
        .iter()
        .skip(3)
        .map(|axis| (axis.count, axis.pitch))
        .collect();
    fills.extend(copies(counts.iter().product(), &rest)?);
    Some(Filled {
        written: Vec::new(),
        fills,
    })
}

/// Written entries and copies of them.
fn repeated(written: Vec<i32>, axes: &[(u32, i64)]) -> Option<Filled> {
    let fills = copies(written.len() as u32, axes)?;
    Some(Filled { written, fills })
}

/// Copies of a block of entries along each axis; none along one of length 1.
fn copies(mut block: u32, axes: &[(u32, i64)]) -> Option<Vec<Fill>> {
    let mut fills = Vec::new();
    for (count, pitch) in axes.iter().filter(|(count, _)| *count > 1) {
        fills.push(Fill::Repeat(Repeat {
            entry: block,
            block,
            blocks: count - 1,
            step: i32::try_from(*pitch).ok()?,
        }));
        block *= count;
    }
    Some(fills)
}

/// Finds the nests of given tables. Where there are masks, the expander can only copy: it leaves
/// the mask bits as they are.
#[must_use]
pub fn compress(tables: &Tables) -> Compressed {
    let rows = |masks: &Masks, at| (masks.rows[at], masks.cols[at]);
    Compressed {
        bases: find(&tables.bases, &masked(tables, rows)),
        offsets: find(
            &tables.offsets,
            &masked(tables, |masks, tap| masks.taps[tap]),
        ),
    }
}

/// Whether two entries have the same mask bits; `None` without masks.
type Same<'a> = Option<Box<dyn Fn(usize, usize) -> bool + 'a>>;

fn masked<T: PartialEq>(tables: &Tables, bits: impl Fn(&Masks, usize) -> T + 'static) -> Same<'_> {
    let masks = tables.masks.as_ref()?;
    Some(Box::new(move |a, b| bits(masks, a) == bits(masks, b)))
}

/// A nest, or the shortest block of which the rest are copies.
fn find(list: &[i32], same: &Same) -> Option<Filled> {
    let nest = if same.is_none() { nest(list) } else { None };
    if let Some(nest) = nest {
        return Some(Filled {
            written: Vec::new(),
            fills: vec![Fill::Nest(nest)],
        });
    }
    let copied = |block: &usize| {
        let step = list[*block].wrapping_sub(list[0]);
        (*block..list.len()).all(|at| {
            let bits = same.as_ref().is_none_or(|same| same(at, at - block));
            bits && list[at].wrapping_sub(list[at - block]) == step
        })
    };
    let divisors = (1..list.len()).filter(|block| list.len() % block == 0);
    let block = divisors.into_iter().find(copied)?;
    let first = &list[..block];
    let mut found = find(first, same).unwrap_or_else(|| Filled {
        written: first.to_vec(),
        fills: Vec::new(),
    });
    found.fills.push(Fill::Repeat(Repeat {
        entry: block as u32,
        block: block as u32,
        blocks: (list.len() / block - 1) as u32,
        step: list[block].wrapping_sub(list[0]),
    }));
    Some(found)
}

/// The nest of a whole list. Each counter takes all entries with its step: if the list is a nest,
/// it is one with the longest runs.
fn nest(list: &[i32]) -> Option<Nest> {
    let value = *list.first()?;
    let mut counts = [1; 3];
    let mut steps = [0; 3];
    let mut run = 1;
    for index in 0..3 {
        if run >= list.len() {
            break;
        }
        let step = |at: usize| list[at].wrapping_sub(list[at - 1]);
        steps[index] = step(run);
        let ends = (run..list.len()).step_by(run);
        let same = ends.take_while(|at| step(*at) == steps[index]).count();
        counts[index] = same as u32 + 1;
        run *= same + 1;
    }
    let found = Nest {
        entry: 0,
        value,
        counts,
        steps,
    };
    let filled = Filled {
        written: Vec::new(),
        fills: vec![Fill::Nest(found)],
    };
    (run == list.len() && filled.expand() == list).then_some(found)
}
