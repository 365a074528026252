//! Operators that become layers of the host: on two tensors, of rows, and those that move data.

use heddle_arch::network::file::{ConstantFile, KindFile, LayerFile};
use heddle_arch::network::{Axis, Order, Shape};
use heddle_arch::requantise::{Rounding, Scale, ScaledInput, ScaledOutput, quantise_output};

use super::Lowering;
use super::layers::{Made, Refused, Source, scaled};
use super::weighted::check_left_shift;
use crate::exact::{host, table_of};
use crate::model::{Format, Kind, Operator, Quantised, Tensor};
use crate::report::Exact;
use crate::scale::bounds;

/// Channels, height, width.
const AXES: [Axis; 3] = [Axis::Channels, Axis::Height, Axis::Width];
/// Most tensors that a layer puts one behind another.
const CONCAT_MAX: usize = 8;

/// What an operator on two tensors reads.
enum Operand<'a> {
    Result(Source<'a>),
    Constant(Quantised, Shape, Vec<i8>),
}

impl Operand<'_> {
    fn quantised(&self) -> Quantised {
        match self {
            Operand::Result(source) => source.quantised,
            Operand::Constant(quantised, ..) => *quantised,
        }
    }

    fn plane(&self) -> Shape {
        match self {
            Operand::Result(source) => source.plane,
            Operand::Constant(_, plane, _) => *plane,
        }
    }
}

impl Lowering<'_> {
    fn pair_operand(&self, operator: &Operator, number: usize) -> Result<Operand<'_>, Refused> {
        let constant = self.operand(operator, number);
        let Some(tensor) = constant.filter(|tensor| tensor.data.is_some()) else {
            let source = self.plane_source(operator, number)?;
            source.check_zero()?;
            return Ok(Operand::Result(source));
        };
        let plane = self.model.format.plane(&tensor.shape);
        let plane = plane.or_else(|| tensor.shape.is_empty().then_some(Shape::of([1; 3])));
        match (plane, tensor.int8()) {
            (Some(plane), Some(values)) => Ok(Operand::Constant(
                tensor.quantised()?,
                plane,
                ordered(self.model.format, plane, &values),
            )),
            _ => Err(Some(format!(
                "constant {:?} is {} of shape {:?}, expected int8 and a batch of 1",
                tensor.name,
                tensor.element.name(),
                tensor.shape
            ))),
        }
    }

    /// A sum, a difference, a product or a squared difference with sides of 1, or with a constant.
    pub(super) fn pair(&self, operator: &Operator, output: Quantised) -> Result<Made, Refused> {
        let operands = [
            self.pair_operand(operator, 0)?,
            self.pair_operand(operator, 1)?,
        ];
        let planes = operands.each_ref().map(Operand::plane);
        let plane = planes[0].broadcast(planes[1]);
        let plane = plane.ok_or_else(|| {
            "reads tensors whose shapes do not fit, expected equal sides or sides of 1".to_string()
        })?;
        let arithmetic = Arithmetic::of(
            operator,
            operands.each_ref().map(Operand::quantised),
            output,
        )?;
        let (source, constant) = match &operands {
            [Operand::Constant(..), Operand::Constant(..)] => {
                return Err(Some("reads two constants, expected a result".to_string()));
            }
            [
                Operand::Result(source),
                Operand::Constant(held, shape, values),
            ] => (source, Some((1, held, shape, values))),
            [
                Operand::Constant(held, shape, values),
                Operand::Result(source),
            ] => (source, Some((0, held, shape, values))),
            [Operand::Result(first), Operand::Result(second)] => {
                let layer = arithmetic.layer(&[first, second], output);
                return Ok(made(layer, arithmetic.name(), plane, output));
            }
        };
        let (place, held, shape, values) = constant.expect("one of them is");
        if let &[value] = &values[..] {
            let table = arithmetic.table(place, value);
            return Ok(self.table_layer(source, table, output));
        }
        let factors = values
            .iter()
            .map(|&value| i16::from(value) - i16::from(held.zero_point));
        let factors: Option<Vec<i8>> = factors.map(|factor| i8::try_from(factor).ok()).collect();
        let is_vector = *shape
            == Shape {
                channels: plane.channels,
                ..Shape::of([1; 3])
            }
            && source.plane == plane;
        if let (Arithmetic::Product(_, scaled), Some(weights), true) =
            (&arithmetic, factors, is_vector)
        {
            let scales = vec![scaled.scale; weights.len()];
            if check_left_shift(&scales, &vec![0; weights.len()], &weights).is_ok() {
                return Ok(depthwise(source, weights, *scaled, output));
            }
        }
        let layer = LayerFile {
            constant: Some(ConstantFile {
                shape: shape.sides(),
                zero_point: held.zero_point,
                first: place == 0,
                values: values.clone(),
            }),
            ..arithmetic.layer(&[source], output)
        };
        Ok(made(layer, arithmetic.name(), plane, output))
    }

    fn table_layer(&self, source: &Source<'_>, table: [i8; 256], output: Quantised) -> Made {
        let layer = LayerFile {
            kind: KindFile::Table,
            inputs: Some(vec![source.value.name.clone()]),
            table: Some(table.to_vec()),
            output_zero_point: Some(output.zero_point),
            output_scale: Some(output.scale.into()),
            ..LayerFile::default()
        };
        made(layer, "table", source.plane, output)
    }

    /// A softmax over the last dimension with the output that the reference kernel asks for; none if it cannot be a layer.
    pub(super) fn softmax(&self, operator: &Operator, output: usize) -> Option<Made> {
        let Kind::Softmax(beta) = operator.kind else {
            return None;
        };
        let output = self.model.tensors[output].quantised().ok()?;
        let is_share = output.scale == 1.0 / 256.0 && output.zero_point == i8::MIN;
        let source = self.plane_source(operator, 0).ok()?;
        let scale = host::softmax(source.quantised, beta).ok()?;
        (is_share && self.model.format == Format::Tflite).then(|| {
            let layer = LayerFile {
                kind: KindFile::Softmax,
                axis: Some(Axis::Channels),
                ..one_scale(&[&source], scale, output)
            };
            let layer = LayerFile {
                output_zero_point: None,
                ..layer
            };
            made(layer, "softmax", source.plane, output)
        })
    }

    /// A mean over some of the dimensions.
    pub(super) fn mean_over(
        &self,
        operator: &Operator,
        output: Quantised,
    ) -> Result<Made, Refused> {
        let source = self.plane_source(operator, 0)?;
        source.check_zero()?;
        let dimensions = self.dimensions(operator, 0)?;
        let mut over = [false; 3];
        for axis in self.integers(operator, 1)? {
            let dimension = self.dimension(&dimensions, axis)?;
            if let Some(dimension) = dimension {
                over[dimension] = true;
            }
        }
        let sides = source.plane.sides();
        let kept = [0, 1, 2].map(|i| if over[i] { 1 } else { sides[i] });
        let plane = Shape::of(kept);
        let count = (source.plane.elements() / plane.elements()) as u32;
        let mean = host::mean(source.quantised, output, count)?;
        let axes: Vec<Axis> = (AXES.into_iter().zip(over))
            .filter(|(_, over)| *over)
            .map(|(axis, _)| axis)
            .collect();
        if axes.is_empty() {
            return Err(Some(
                "is the mean over no dimension but the batch".to_string(),
            ));
        }
        let layer = LayerFile {
            kind: KindFile::Mean,
            axes: Some(axes),
            activation_min: Some(i8::MIN),
            activation_max: Some(i8::MAX),
            ..one_scale(&[&source], mean.scale, output)
        };
        Ok(made(layer, "mean", plane, output))
    }

    /// Values that pass unchanged to other places.
    pub(super) fn moved(&self, operator: &Operator, output: usize) -> Result<Made, Refused> {
        let source = self.plane_source(operator, 0)?;
        self.check_same(operator, output)?;
        let (layer, plane) = match operator.kind {
            Kind::Concat(axis) => self.concat(operator, axis)?,
            Kind::Transpose => self.transpose(operator, source.plane)?,
            Kind::ResizeNearest(half_pixels) => self.resize(source.plane, output, half_pixels)?,
            _ => self.slice(operator, source.plane, output)?,
        };
        let text = match layer.kind {
            KindFile::Concat => "concat",
            KindFile::Transpose => "transpose",
            KindFile::Resize => "resize",
            _ => "slice",
        };
        let inputs = layer.inputs.clone();
        Ok(Made {
            layer: LayerFile {
                inputs: inputs.or_else(|| Some(vec![source.value.name.clone()])),
                output_scale: (layer.kind != KindFile::Transpose)
                    .then_some(source.quantised.scale.into()),
                ..layer
            },
            text: text.to_string(),
            exact: Exact::Yes,
            plane,
            zero_point: source.value.zero_point,
        })
    }

    fn concat(&self, operator: &Operator, axis: i32) -> Result<(LayerFile, Shape), Refused> {
        let count = operator.inputs.len();
        if !(2..=CONCAT_MAX).contains(&count) {
            return Err(Some(format!(
                "joins {count} tensors, expected 2 to {CONCAT_MAX}"
            )));
        }
        bounds_are_open(operator)?;
        let sources: Vec<Source<'_>> = (0..count)
            .map(|i| self.plane_source(operator, i))
            .collect::<Result<_, _>>()?;
        let first = &sources[0];
        let same = |source: &Source<'_>| {
            source.quantised == first.quantised && source.value.zero_point == first.value.zero_point
        };
        if !sources.iter().all(same) {
            return Err(Some(
                "joins tensors of several scales or zero points, expected one".to_string(),
            ));
        }
        let dimension = self.dimension(&self.dimensions(operator, 0)?, axis)?;
        let dimension = dimension.ok_or_else(|| "joins batches, expected one".to_string())?;
        let mut sides = first.plane.sides();
        sides[dimension] = sources
            .iter()
            .map(|source| source.plane.sides()[dimension])
            .sum();
        let layer = LayerFile {
            kind: KindFile::Concat,
            axis: Some(AXES[dimension]),
            inputs: Some(
                sources
                    .iter()
                    .map(|source| source.value.name.clone())
                    .collect(),
            ),
            ..LayerFile::default()
        };
        Ok((layer, Shape::of(sides)))
    }

    fn transpose(&self, operator: &Operator, plane: Shape) -> Result<(LayerFile, Shape), Refused> {
        let order = self.integers(operator, 1)?;
        // Dimensions as a transpose of a network counts them: the batch is 0.
        let places: Vec<usize> = self
            .dimensions(operator, 0)?
            .into_iter()
            .map(|found| found.map_or(0, |i| i + 1))
            .collect();
        let mut permutation = [0u8, 1, 2, 3];
        let is_order = (0..places.len() as i32).all(|axis| order.contains(&axis))
            && order.len() == places.len();
        if !is_order {
            return Err(Some(format!(
                "has the order {order:?}, expected each dimension once"
            )));
        }
        for (to, &from) in order.iter().enumerate() {
            permutation[places[to]] = places[from as usize] as u8;
        }
        let sides = [1, plane.channels, plane.height, plane.width];
        let [batch, sides @ ..] = permutation.map(|axis| sides[usize::from(axis)]);
        if batch != 1 {
            return Err(Some(format!(
                "has the order {order:?}, which makes a batch of {batch}, expected 1"
            )));
        }
        let layer = LayerFile {
            kind: KindFile::Transpose,
            permutation: Some(permutation),
            ..LayerFile::default()
        };
        Ok((layer, Shape::of(sides)))
    }

    fn resize(
        &self,
        plane: Shape,
        output: usize,
        half_pixels: bool,
    ) -> Result<(LayerFile, Shape), Refused> {
        let found = self.model.format.plane(&self.model.tensors[output].shape);
        let found = found.ok_or_else(|| "makes no plane".to_string())?;
        let factors = [(found.height, plane.height), (found.width, plane.width)];
        // The reference kernels divide in single precision.
        let nearest = |(to, from): (u32, u32)| {
            let step = from as f32 / to as f32;
            let offset = if half_pixels { 0.5 } else { 0.0 };
            (0..to).all(|at| ((at as f32 + offset) * step).floor() as u32 == at / (to / from))
        };
        let fits = |(to, from): (u32, u32)| to % from == 0 && nearest((to, from));
        if found.channels != plane.channels || !factors.into_iter().all(fits) {
            return Err(Some(format!(
                "makes {} x {} of {} x {}, expected whole multiples",
                found.height, found.width, plane.height, plane.width
            )));
        }
        let layer = LayerFile {
            kind: KindFile::Resize,
            scale_factor: Some(factors.map(|(to, from)| to / from)),
            ..LayerFile::default()
        };
        Ok((layer, found))
    }

    fn slice(
        &self,
        operator: &Operator,
        plane: Shape,
        output: usize,
    ) -> Result<(LayerFile, Shape), Refused> {
        let dimensions = self.dimensions(operator, 0)?;
        let mut start = [0; 3];
        let mut sides = plane.sides();
        for (number, dimension) in dimensions.iter().enumerate() {
            let &Some(dimension) = dimension else {
                continue;
            };
            let has = sides[dimension];
            let (from, size) = self.part(operator, number, dimensions.len(), has)?;
            if size == 0 || from.checked_add(size).is_none_or(|end| end > has) {
                return Err(Some(format!(
                    "takes {size} from {from} on of {has}, expected at least 1 within them"
                )));
            }
            (start[dimension], sides[dimension]) = (from, size);
        }
        let (found, expected) = (
            self.model.tensors[output].elements(),
            Shape::of(sides).elements(),
        );
        if found != expected {
            return Err(Some(format!(
                "takes {expected} elements, the file says {found}"
            )));
        }
        let layer = LayerFile {
            kind: KindFile::Slice,
            start: Some(start),
            output_shape: Some(sides),
            ..LayerFile::default()
        };
        Ok((layer, Shape::of(sides)))
    }

    /// Where a part starts along a dimension that has so many places, and its size there.
    fn part(
        &self,
        operator: &Operator,
        number: usize,
        rank: usize,
        has: u32,
    ) -> Result<(u32, u32), Refused> {
        let at = |input: usize| -> Result<i64, Refused> {
            let found = self.integers(operator, input)?;
            let value = found.get(number).filter(|_| found.len() == rank);
            Ok(i64::from(*value.ok_or_else(|| {
                format!("has {} values for {rank} dimensions", found.len())
            })?))
        };
        let (from, size) = match operator.kind {
            Kind::Split { part, parts } => {
                let axis = self.integers(operator, 1)?;
                let &[axis] = &axis[..] else {
                    return Err(Some("is split along no single dimension".to_string()));
                };
                let (part, parts) = (part as u32, parts as u32);
                match axis.rem_euclid(rank as i32) as usize == number {
                    true if has % parts != 0 => {
                        return Err(Some(format!(
                            "splits {has} in {parts} parts, expected equal ones"
                        )));
                    }
                    true => (i64::from(has / parts * part), i64::from(has / parts)),
                    false => (0, i64::from(has)),
                }
            }
            Kind::StridedSlice { begin, end, shrink } => {
                let masked = |mask: i32| mask >> number & 1 == 1;
                if at(3)? != 1 {
                    return Err(Some("has a stride, expected 1".to_string()));
                }
                let inside = |place: i64| {
                    if place < 0 {
                        place + i64::from(has)
                    } else {
                        place
                    }
                    .clamp(0, has.into())
                };
                let from = if masked(begin) { 0 } else { inside(at(1)?) };
                let to = match (masked(shrink), masked(end)) {
                    (true, _) => from + 1,
                    (false, true) => has.into(),
                    (false, false) => inside(at(2)?),
                };
                (from, to - from)
            }
            _ => {
                let from = at(1)?;
                let size = at(2)?;
                (
                    from,
                    if size == -1 {
                        i64::from(has) - from
                    } else {
                        size
                    },
                )
            }
        };
        let whole = |value: i64| {
            u32::try_from(value).map_err(|_| format!("takes {size} from {from} on of {has}"))
        };
        Ok((whole(from)?, whole(size)?))
    }

    /// A product of matrices: rows and columns are the last two dimensions of a file, and of a network height and width.
    pub(super) fn product(
        &mut self,
        operator: &Operator,
        adjoint: [bool; 2],
        output: usize,
    ) -> Result<Made, Refused> {
        let quantised = self.model.tensors[output].quantised()?;
        if self.model.format != Format::Tflite {
            return Err(None);
        }
        let mut names = Vec::new();
        let (mut scales, mut planes) = (Vec::new(), Vec::new());
        for number in [0, 1] {
            let source = self.plane_source(operator, number)?;
            source.check_zero()?;
            scales.push(source.quantised.scale);
            planes.push(source.plane);
            names.push(source.value.name.clone());
        }
        // The batches are rows of a plane here.
        let sides = |number: usize| match adjoint[number] {
            false => [planes[number].width, planes[number].channels],
            true => [planes[number].channels, planes[number].width],
        };
        let ([rows, terms], [others, cols]) = (sides(0), sides(1));
        let batches = planes[0].height;
        if terms != others || batches != planes[1].height {
            return Err(Some(format!(
                "multiplies {batches} of {rows} x {terms} and {} of {others} x {cols}, expected as many that fit",
                planes[1].height
            )));
        }
        // Multiplied in single precision, as the reference kernel does.
        let real = f64::from(scales[0] * scales[1]) / f64::from(quantised.scale);
        let scale = crate::scale::scale(real)?;
        let most = 255 * 255 * i64::from(terms);
        if most << scale.shift().max(0) > i32::MAX.into() {
            return Err(Some(format!(
                "a sum of up to {most} is shifted by {} to the left, expected at most 31 bits",
                scale.shift()
            )));
        }
        for (name, end) in names.iter_mut().zip(["first", "second"]) {
            let layer = LayerFile {
                kind: KindFile::Transpose,
                inputs: Some(vec![name.clone()]),
                permutation: Some([0, 2, 3, 1]),
                ..LayerFile::default()
            };
            *name = self.push(output, end, layer);
        }
        let layer = LayerFile {
            kind: KindFile::Matmul,
            inputs: Some(names),
            transposed: Some(adjoint),
            multiplier: Some(vec![scale.multiplier()]),
            shift: Some(vec![scale.shift()]),
            rounding: Some(heddle_arch::network::file::RoundingFile::Double),
            output_zero_point: Some(quantised.zero_point),
            output_scale: Some(quantised.scale.into()),
            ..LayerFile::default()
        };
        let name = self.push(output, "product", layer);
        let layer = LayerFile {
            kind: KindFile::Transpose,
            inputs: Some(vec![name]),
            permutation: Some([0, 3, 1, 2]),
            ..LayerFile::default()
        };
        let plane = Shape {
            channels: cols,
            height: batches,
            width: rows,
        };
        Ok(made(layer, "matmul between transposes", plane, quantised))
    }

    /// Puts what an operator reads in the shape in which it reads it, where it may not see it in another one.
    pub(super) fn lay_out(&mut self, operator: &Operator) {
        for &input in operator.inputs.iter().flatten() {
            let tensor = &self.model.tensors[input];
            let (Some(plane), Some(value)) = (
                self.model.format.plane(&tensor.shape),
                self.values.get(&input),
            ) else {
                continue;
            };
            let same = value.plane == plane || value.plane.elements() != plane.elements();
            if same || value.check_unpadded().is_err() || value.name.is_empty() {
                continue;
            }
            let value = value.clone();
            let layer = LayerFile {
                kind: KindFile::Reshape,
                inputs: Some(vec![value.name.clone()]),
                output_shape: Some(plane.sides()),
                order: Some(match self.model.format {
                    Format::Tflite => Order::ChannelsLast,
                    Format::Onnx => Order::ChannelsFirst,
                }),
                ..LayerFile::default()
            };
            let name = self.push(input, "reshaped", layer);
            self.values.insert(
                input,
                super::Value {
                    name: name.clone(),
                    plane,
                    ..value
                },
            );
            self.is_moved(input, name);
        }
    }

    /// The constant numbers that an operator reads.
    fn integers(&self, operator: &Operator, number: usize) -> Result<Vec<i32>, Refused> {
        let tensor = self.operand(operator, number);
        tensor
            .and_then(Tensor::int32)
            .ok_or_else(|| Some(format!("has no constant int32 as input {number}")))
    }

    /// For each dimension of what an operator reads its place in channels, height, width; none for the batch.
    fn dimensions(
        &self,
        operator: &Operator,
        number: usize,
    ) -> Result<Vec<Option<usize>>, Refused> {
        let rank = self
            .operand(operator, number)
            .map_or(0, |tensor| tensor.shape.len());
        let found = self.model.format.dimensions(rank);
        found.ok_or_else(|| Some(format!("has {rank} dimensions, expected at most 4")))
    }

    /// The one of them that an axis names, from the end if it is negative.
    fn dimension(&self, dimensions: &[Option<usize>], axis: i32) -> Result<Option<usize>, Refused> {
        let rank = dimensions.len() as i32;
        match (-rank..rank).contains(&axis) {
            true => Ok(dimensions[axis.rem_euclid(rank) as usize]),
            false => Err(Some(format!("has axis {axis} of {rank} dimensions"))),
        }
    }
}

/// The arithmetic of an operator on two tensors.
enum Arithmetic {
    Sum([ScaledInput; 2], ScaledOutput, bool),
    SquaredDifference([ScaledInput; 2], ScaledOutput),
    Product([i8; 2], ScaledOutput),
}

impl Arithmetic {
    fn of(
        operator: &Operator,
        inputs: [Quantised; 2],
        output: Quantised,
    ) -> Result<Arithmetic, String> {
        let bounds = bounds(operator.activation, output)?;
        Ok(match operator.kind {
            Kind::Mul => {
                let zero_points = inputs.map(|input| input.zero_point);
                Arithmetic::Product(zero_points, host::product(inputs, output, bounds)?)
            }
            Kind::SquaredDifference => {
                let (inputs, output) = host::squared_difference(inputs, output)?;
                Arithmetic::SquaredDifference(inputs, output)
            }
            _ => {
                let (inputs, output) = host::sum(inputs, output, bounds)?;
                Arithmetic::Sum(inputs, output, operator.kind == Kind::Sub)
            }
        })
    }

    fn name(&self) -> &'static str {
        match self {
            Arithmetic::Sum(..) => "add",
            Arithmetic::SquaredDifference(..) => "squared_difference",
            Arithmetic::Product(..) => "mul",
        }
    }

    fn layer(&self, sources: &[&Source<'_>], output: Quantised) -> LayerFile {
        let (kind, inputs, scaled) = match self {
            Arithmetic::Sum(inputs, scaled, _) => (KindFile::Add, Some(inputs), scaled),
            Arithmetic::SquaredDifference(inputs, scaled) => {
                (KindFile::SquaredDifference, Some(inputs), scaled)
            }
            Arithmetic::Product(_, scaled) => (KindFile::Mul, None, scaled),
        };
        LayerFile {
            kind,
            input_multiplier: inputs.map(|inputs| inputs.map(|input| input.scale.multiplier())),
            input_shift: inputs.map(|inputs| inputs.map(|input| input.scale.shift())),
            subtract: matches!(self, Arithmetic::Sum(_, _, true)).then_some(true),
            activation_min: Some(scaled.min),
            activation_max: Some(scaled.max),
            ..one_scale(sources, scaled.scale, output)
        }
    }

    /// What it makes of each byte and a constant in this place.
    fn table(&self, place: usize, constant: i8) -> [i8; 256] {
        table_of(|byte| {
            let mut pair = [byte, constant];
            if place == 0 {
                pair.reverse();
            }
            self.output(pair)
        })
    }

    fn output(&self, pair: [i8; 2]) -> i8 {
        let scaled = |inputs: &[ScaledInput; 2], shift| {
            [0, 1].map(|i| i64::from(host::scaled_input(pair[i], inputs[i], shift)))
        };
        let (sum, output) = match self {
            Arithmetic::Sum(inputs, output, subtracts) => {
                let [first, second] = scaled(inputs, host::SUM_SHIFT);
                (
                    if *subtracts {
                        first - second
                    } else {
                        first + second
                    },
                    output,
                )
            }
            Arithmetic::SquaredDifference(inputs, output) => {
                let [first, second] = scaled(inputs, host::DIFFERENCE_SHIFT);
                ((first - second) * (first - second), output)
            }
            Arithmetic::Product(zero_points, output) => {
                let [first, second] =
                    [0, 1].map(|i| i64::from(pair[i]) - i64::from(zero_points[i]));
                (first * second, output)
            }
        };
        let sum = sum.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
        let ScaledOutput {
            scale,
            zero_point,
            min,
            max,
        } = *output;
        quantise_output(sum, scale, Rounding::Double, zero_point, min, max)
    }
}

/// A product with a constant for each channel, which is the same arithmetic.
fn depthwise(
    source: &Source<'_>,
    weights: Vec<i8>,
    product: ScaledOutput,
    output: Quantised,
) -> Made {
    let channels = source.plane.channels;
    let scales = vec![product.scale; channels as usize];
    let layer = LayerFile {
        kind: KindFile::Conv2d,
        output_channels: Some(channels),
        groups: Some(channels),
        kernel: Some([1, 1]),
        weights: Some(weights),
        bias: Some(vec![0; channels as usize]),
        ..LayerFile::default()
    };
    let bounds = (product.min, product.max);
    let layer = scaled(layer, &[source], &scales, Rounding::Double, output, bounds);
    made(layer, "conv2d 1x1, depthwise", source.plane, output)
}

/// What layers with one scale have.
fn one_scale(sources: &[&Source<'_>], scale: Scale, output: Quantised) -> LayerFile {
    LayerFile {
        inputs: Some(
            sources
                .iter()
                .map(|source| source.value.name.clone())
                .collect(),
        ),
        multiplier: Some(vec![scale.multiplier()]),
        shift: Some(vec![scale.shift()]),
        output_zero_point: Some(output.zero_point),
        output_scale: Some(output.scale.into()),
        ..LayerFile::default()
    }
}

fn made(layer: LayerFile, text: &str, plane: Shape, output: Quantised) -> Made {
    Made {
        layer,
        text: text.to_string(),
        exact: Exact::Yes,
        plane,
        zero_point: output.zero_point,
    }
}

/// A reference kernel that moves data and cuts nothing.
fn bounds_are_open(operator: &Operator) -> Result<(), String> {
    match operator.activation {
        crate::model::Activation::None => Ok(()),
        _ => Err("has an activation, expected none".to_string()),
    }
}

/// The elements of a constant in the order of a network.
fn ordered(format: Format, plane: Shape, values: &[i8]) -> Vec<i8> {
    let channels = format.interleaved(plane);
    match channels {
        1 => values.to_vec(),
        _ => crate::planes(values, channels, values.len() / channels),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_lie_in_planes() {
        let plane = Shape::of([2, 1, 3]);
        let values = [0, 1, 2, 3, 4, 5];
        assert_eq!(ordered(Format::Tflite, plane, &values), [0, 2, 4, 1, 3, 5]);
        assert_eq!(ordered(Format::Onnx, plane, &values), values);
    }
}
