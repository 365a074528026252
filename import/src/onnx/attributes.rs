//! Settings of an operator, and the windows that they describe.

use super::schema::{Attribute, Node};
use crate::model::{Padding, Window};

/// Largest number of zeros on one side, and largest size of a kernel.
const SIZE_MAX: i64 = (1 << 16) - 1;

impl Node {
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|found| found.name == name)
    }

    /// A number, or what it is where the file leaves it out.
    pub fn int(&self, name: &str, default: i64) -> i64 {
        self.attribute(name).map_or(default, |found| found.int)
    }

    pub fn float(&self, name: &str, default: f32) -> f32 {
        self.attribute(name).map_or(default, |found| found.float)
    }

    pub fn ints(&self, name: &str) -> Option<&[i64]> {
        self.attribute(name).map(|found| &found.ints[..])
    }

    pub fn text(&self, name: &str) -> &str {
        let found = self.attribute(name).map(|found| &found.text[..]);
        std::str::from_utf8(found.unwrap_or_default()).unwrap_or_default()
    }
}

/// How a kernel moves, and what its output has.
pub struct Windows {
    pub window: Window,
    pub size: [u32; 2],
    /// Sizes of the output behind batch and channels: one or two.
    pub output: Vec<u32>,
}

/// The windows of an operator on a tensor, whose kernel is `size`, or what the operator says.
pub fn windows(node: &Node, shape: &[u32], size: Option<&[u32]>) -> Result<Windows, String> {
    let (windows, is_cut) = windows_or_cut(node, shape, size)?;
    match is_cut {
        false => Ok(windows),
        true => {
            Err("has ceil_mode and a last window that is cut, expected ceil_mode 0".to_string())
        }
    }
}

/// The same with a last window that reaches beyond the edge, and whether there is one.
pub fn windows_or_cut(
    node: &Node,
    shape: &[u32],
    size: Option<&[u32]>,
) -> Result<(Windows, bool), String> {
    let spatial = shape.get(2..).unwrap_or_default();
    let rank = spatial.len();
    if rank == 0 || rank > 2 {
        return Err(format!(
            "reads a tensor of shape {shape:?}, expected batch, channels, and one or two dimensions"
        ));
    }
    let listed = |name: &str, count: usize, default: u32| match node.ints(name) {
        None => Ok(vec![default; count]),
        Some(found) => {
            let sizes = found
                .iter()
                .map(|&size| match (0..=SIZE_MAX).contains(&size) {
                    true => Some(size as u32),
                    false => None,
                });
            let sizes: Option<Vec<u32>> = sizes.collect();
            sizes
                .filter(|sizes| sizes.len() == count)
                .ok_or_else(|| format!("has {name} {found:?}, expected {count} of 0 to {SIZE_MAX}"))
        }
    };
    let kernel = listed("kernel_shape", rank, 0)?;
    let kernel = match size {
        Some(size) if size.len() != rank => {
            return Err(format!(
                "has a kernel of {size:?} for a tensor of shape {shape:?}"
            ));
        }
        Some(size) if node.ints("kernel_shape").is_some() && kernel != size => {
            return Err(format!(
                "has kernel_shape {kernel:?}, and weights of {size:?}"
            ));
        }
        Some(size) => size.to_vec(),
        None => kernel,
    };
    let (strides, dilations) = (listed("strides", rank, 1)?, listed("dilations", rank, 1)?);
    let pads = listed("pads", 2 * rank, 0)?;
    let mut zeros = vec![[0; 2]; rank];
    let (mut output, mut is_cut) = (vec![0; rank], false);
    for axis in 0..rank {
        let (places, stride, dilation) = (kernel[axis], strides[axis], dilations[axis]);
        if places == 0 || stride == 0 || dilation == 0 {
            return Err(format!(
                "has kernel {kernel:?}, strides {strides:?}, dilations {dilations:?}, expected at least 1"
            ));
        }
        let size = u64::from(spatial[axis]);
        let reach = u64::from(places - 1) * u64::from(dilation);
        let last = (size.div_ceil(stride.into()).max(1) - 1) * u64::from(stride);
        let total = (last + reach + 1).saturating_sub(size);
        zeros[axis] = match node.text("auto_pad") {
            "" | "NOTSET" => [pads[axis], pads[rank + axis]].map(u64::from),
            "VALID" => [0, 0],
            "SAME_UPPER" => [total / 2, total - total / 2],
            "SAME_LOWER" => [total - total / 2, total / 2],
            other => return Err(format!("has auto_pad {other:?}")),
        };
        if zeros[axis].iter().any(|&count| count > SIZE_MAX as u64) {
            return Err(format!("has zeros {:?} around its input", zeros[axis]));
        }
        let padded = size + zeros[axis][0] + zeros[axis][1];
        let moves = padded.checked_sub(reach + 1);
        let moves =
            moves.ok_or_else(|| format!("has a kernel of {} places on {padded}", reach + 1))?;
        let mut places = moves / u64::from(stride) + 1;
        // A window that begins behind the input is none.
        let begins = places * u64::from(stride) < size + zeros[axis][0];
        let is_left = node.int("ceil_mode", 0) != 0 && moves % u64::from(stride) != 0;
        if is_left && begins {
            places += 1;
        }
        is_cut |= is_left;
        output[axis] = u32::try_from(places).map_err(|_| format!("has {places} outputs"))?;
    }
    let zeros = zeros
        .into_iter()
        .map(|sides| sides.map(|count| count as u32));
    let windows = Windows {
        window: Window {
            padding: Padding::Zeros(two(zeros.collect(), [0; 2])),
            stride: two(strides, 1),
            dilation: two(dilations, 1),
        },
        size: two(kernel, 1),
        output,
    };
    Ok((windows, is_cut))
}

/// Values for height and width of those of one dimension or two.
fn two<T: Copy>(mut values: Vec<T>, height: T) -> [T; 2] {
    if values.len() == 1 {
        values.insert(0, height);
    }
    [values[0], values[1]]
}
