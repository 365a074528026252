//! A layer on its way from a file to a network, and the rules that several operators have in common.

use std::ops::RangeInclusive;

use heddle_arch::fault::{Fault, push};
use heddle_arch::requantise::{Rounding, Scale};

use crate::file::{ConstantFile, ScaledFile, WindowFile};
use crate::{Constant, Layer, Network, Shape};

/// Largest window of a mean: 255 times as much is less than 2^31.
pub(crate) const WINDOW_MAX: usize = (i32::MAX / 255) as usize;

/// A layer that is being read. An operator fills in what it has unlike a plain one.
pub(crate) struct Draft<'a> {
    /// Place of the layer in the file.
    pub at: &'a str,
    /// Names of the tensors that it reads.
    pub names: Vec<String>,
    /// Their shapes.
    pub shapes: Vec<Shape>,
    pub layer: Layer,
    pub faults: &'a mut Vec<Fault>,
}

impl Draft<'_> {
    /// Notes what is wrong with a field; the message goes on after its name.
    pub fn fault(&mut self, field: &str, message: String) {
        push(self.faults, &format!("{}.{field}", self.at), message);
    }

    /// A list must be so long, for this reason.
    pub fn check_length(&mut self, field: &str, found: usize, expected: usize, meaning: &str) {
        if found != expected {
            let message = format!("has length {found}, expected {expected}: {meaning}");
            self.fault(field, message);
        }
    }

    /// A shape none of whose sides is too large.
    pub fn bounded(&mut self, sides: [u64; 3], field: &str) -> Option<Shape> {
        let most = Network::SIZE_MAX;
        if sides.into_iter().all(|side| side <= most.into()) {
            return Some(Shape::of(sides.map(|side| side as u32)));
        }
        let [channels, height, width] = sides;
        let message = format!(
            "gives {channels} channels of {height} x {width}, expected at most {most} each"
        );
        self.fault(field, message);
        None
    }

    /// A kernel that moves over the input and makes so many channels.
    pub fn windows(
        &mut self,
        window: &WindowFile,
        stride: [u32; 2],
        dilation: [u32; 2],
        channels: u32,
    ) -> Option<()> {
        let (input, kernel) = (self.shapes[0], window.kernel);
        let padding = window.padding.unwrap_or_default();
        let [[top, bottom], [left, right]] = padding.sides();
        let extent = |axis: usize| (kernel[axis] - 1) * dilation[axis] + 1;
        for (side, found, axis) in [
            ("top", top, 0),
            ("bottom", bottom, 0),
            ("left", left, 1),
            ("right", right, 1),
        ] {
            let limit = extent(axis);
            if found >= limit {
                let what = if dilation[axis] == 1 {
                    "kernel"
                } else {
                    "dilated kernel"
                };
                let message = format!("is {found}, expected less than the {what}, {limit}");
                self.fault(&format!("padding.{side}"), message);
            }
        }
        let sides = [input.height + top + bottom, input.width + left + right];
        let mut fits = true;
        for (field, [height, width]) in [("kernel", kernel), ("padding", sides)] {
            let (area, most) = (height as usize * width as usize, Network::ELEMENTS_MAX);
            if area > most {
                let message = format!("gives {height} x {width}, expected at most {most} places");
                self.fault(field, message);
                fits = false;
            }
        }
        for (i, side) in sides.into_iter().enumerate() {
            if extent(i) > side {
                let dilated = match dilation[i] {
                    1 => String::new(),
                    _ => format!(", {} places when dilated", extent(i)),
                };
                let message = format!(
                    "is {}{dilated}, expected at most the padded input, {side}",
                    kernel[i]
                );
                self.fault(&format!("kernel[{i}]"), message);
                fits = false;
            }
        }
        let stride = window.stride.unwrap_or(stride);
        let places = |axis: usize| (sides[axis] - extent(axis)) / stride[axis] + 1;
        fits.then(|| {
            self.layer.output = Shape::of([channels, places(0), places(1)]);
            self.layer.kernel = kernel;
            self.layer.stride = stride;
            self.layer.dilation = dilation;
            self.layer.padding = padding;
        })
    }

    /// A stored tensor, whose elements become the weights.
    pub fn constant(&mut self, file: ConstantFile) -> Constant {
        let shape = Shape::of(file.shape);
        let (found, expected) = (file.values.len(), shape.elements());
        self.check_length("constant.values", found, expected, "those of its shape");
        self.layer.weights = file.values;
        Constant {
            shape,
            zero_point: file.zero_point,
            first: file.first,
        }
    }

    /// The shape of what is made of two tensors element by element, one of which may be a constant.
    pub fn broadcast(&mut self, constant: Option<&ConstantFile>) -> Option<()> {
        let (second, field) = match constant {
            Some(constant) => (Shape::of(constant.shape), "constant.shape"),
            None => (self.shapes[1], "inputs[1]"),
        };
        let first = self.shapes[0];
        match first.broadcast(second) {
            Some(output) => self.layer.output = output,
            None => {
                let message = format!(
                    "has {second}, expected {first} as the first input has, or 1 in place of a side"
                );
                self.fault(field, message);
                return None;
            }
        }
        Some(())
    }

    /// Weights and a bias for each output.
    pub fn weighted(
        &mut self,
        weights: Vec<i8>,
        bias: Vec<i32>,
        scaled: &ScaledFile,
        rounding: Rounding,
    ) {
        let (outputs, taps) = (
            self.layer.output.channels as usize,
            self.layer.window_taps(),
        );
        let product = format!("{outputs} outputs of {taps} weights");
        self.check_length("weights", weights.len(), outputs * taps, &product);
        self.check_length("bias", bias.len(), outputs, "one for each output");
        (self.layer.weights, self.layer.bias) = (weights, bias);
        self.scaled_channels(scaled, rounding);
        self.check_sums("weights", taps);
    }

    /// Windows of each channel.
    pub fn pool(&mut self, window: &WindowFile, scale: Scale) -> Option<()> {
        self.windows(window, window.kernel, [1, 1], self.shapes[0].channels)?;
        self.each_channel(scale);
        Some(())
    }

    /// The same scale and no bias for each channel, which is made of the one of the same number.
    pub fn each_channel(&mut self, scale: Scale) {
        let channels = self.shapes[0].channels;
        self.layer.groups = channels;
        self.layer.bias = vec![0; channels as usize];
        self.layer.scales = vec![scale; channels as usize];
    }

    /// A scale for each output channel, and what is scaled so.
    pub fn scaled_channels(&mut self, file: &ScaledFile, rounding: Rounding) {
        let outputs = self.layer.output.channels as usize;
        let each = "one for each output";
        self.check_length("multiplier", file.multiplier.len(), outputs, each);
        self.check_length("shift", file.shift.len(), outputs, each);
        self.layer.scales = self.scales(&file.multiplier, &file.shift, "");
        self.layer.rounding = rounding;
        self.bounds(file);
    }

    /// The scale of all outputs, with a shift of those that are allowed.
    pub fn one_scale(&mut self, file: &ScaledFile, shifts: RangeInclusive<i32>) -> Scale {
        self.bounds(file);
        let [scale] = self.own_scales(&file.multiplier, &file.shift, shifts, "one for all outputs");
        scale
    }

    /// The smallest and the largest scaled value.
    pub fn bounds(&mut self, file: &ScaledFile) {
        (self.layer.min, self.layer.max) = (file.activation_min, file.activation_max);
    }

    /// As many scales as an operator has, with shifts of those that are allowed.
    pub fn own_scales<const N: usize>(
        &mut self,
        multipliers: &[i32],
        shifts: &[i32],
        allowed: RangeInclusive<i32>,
        meaning: &str,
    ) -> [Scale; N] {
        self.check_length("multiplier", multipliers.len(), N, meaning);
        self.check_length("shift", shifts.len(), N, meaning);
        for (i, shift) in shifts.iter().take(N).enumerate() {
            if !allowed.contains(shift) {
                let (least, most) = (allowed.start(), allowed.end());
                let message = format!("is {shift}, expected {least} to {most}");
                self.fault(&format!("shift[{i}]"), message);
            }
        }
        let scales = self.scales(multipliers, shifts, "");
        scales.try_into().unwrap_or([Scale::ZERO; N])
    }

    /// The scales that have both a multiplier and a shift, in fields that begin with this.
    pub fn scales(&mut self, multipliers: &[i32], shifts: &[i32], field: &str) -> Vec<Scale> {
        let mut scales = Vec::new();
        for (i, (&multiplier, &shift)) in multipliers.iter().zip(shifts).enumerate() {
            match Scale::new(multiplier, shift) {
                Ok(scale) => scales.push(scale),
                Err(fault) => {
                    let message = fault.message[fault.field.len()..].trim_start().to_string();
                    self.fault(&format!("{field}{}[{i}]", fault.field), message);
                }
            }
        }
        scales
    }

    /// No sum may leave 32 bits: |bias| + 255 * sum of |w| < 2^31, because an operand is x - z. Each output has its part of the
    /// weights, or all have the same.
    pub fn check_sums(&mut self, field: &str, taps: usize) {
        let layer = &self.layer;
        let shared = layer.weights.len() == taps;
        let rows = layer.bias.iter().enumerate();
        let sums: Vec<(usize, i32, i64)> = rows
            .map(|(channel, &bias)| {
                let mut row = layer.weights.chunks_exact(taps);
                let row = row.nth(if shared { 0 } else { channel });
                let sum = row.unwrap_or_default().iter();
                (
                    channel,
                    bias,
                    sum.map(|w| i64::from(w.unsigned_abs())).sum(),
                )
            })
            .collect();
        for (channel, bias, sum) in sums {
            let part = format!("255 * sum of |{field}|");
            self.check_sum(channel, bias, 255 * sum, &part);
        }
    }

    /// A sum of a bias and this part must have 32 bits.
    pub fn check_sum(&mut self, channel: usize, bias: i32, most: i64, part: &str) {
        let bound = i64::from(bias.unsigned_abs()) + most;
        if bound >= 1 << 31 {
            let message = format!(
                "of layer {:?} is {bias}: |bias| + {part} is {bound}, expected less than 2147483648",
                self.layer.name
            );
            self.fault(&format!("bias[{channel}]"), message);
        }
    }
}
