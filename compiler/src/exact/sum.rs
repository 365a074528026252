//! Sums and differences of two tensors with two factors and one rounding.
//!
//! The reference scales each input and then the sum, and rounds each time. The machine multiplies each input by a weight w of
//! the array and a factor f of post-processing and rounds once. What a product w f is worth is not fixed: of all that come near the
//! real scales those are taken that give the bytes of the reference for all 65,536 pairs of bytes. Where none do, one input
//! is added once more, with a small weight and the factor of the other one: then every number can be had.

use heddle_arch::requantise::{DualScale, Rounding, Scale, raised, requantise, requantise_dual};
use heddle_network::{Layer, Sum};

/// What makes a sum of two tensors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DualSum {
    /// The inputs in the order in which they are added, and their weights in the array: first that of the upper part of the sum.
    terms: [(usize, i8); 3],
    /// Terms in use: 2 or 3.
    count: usize,
    /// Factors in post-processing.
    pub scale: DualScale,
    /// Rounding of their sum.
    pub rounding: Rounding,
    /// Pairs of bytes whose sums were compared, and equal.
    pub compared: u64,
}

impl DualSum {
    /// The inputs in the order in which they are added, and their weights in the array.
    #[must_use]
    pub fn terms(&self) -> &[(usize, i8)] {
        &self.terms[..self.count]
    }
}

/// How outputs differ from those that are meant, over all inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Difference {
    /// Inputs that were compared: all there are.
    pub cases: u64,
    /// Those with another output.
    pub wrong: u64,
    /// Largest distance of an output.
    pub most: u32,
}

/// Largest weights of the upper and the lower part: 63 * 255 is less than 2^14, 127 * 255 less than 2^16.
const WEIGHTS_MAX: [u32; 2] = [63, 127];
/// Pairs of bytes that are looked at first: those whose sums are nearest to where an output rises.
const NEAREST: usize = 256;
/// Largest distance of a product from what the real scale asks for.
const DISTANCE: f64 = 20.0;
/// Shifts below the largest one that are tried.
const SHIFTS: usize = 2;

/// Weights and factors near what the real scales ask for: weights of the upper and the lower part, and that of the upper input in
/// the lower part.
#[derive(Debug, Clone, Copy)]
struct Products {
    weights: [u32; 2],
    again: i32,
    factors: [u32; 2],
}

/// All outputs of a sum, less their zero point, -128 and -128 first.
struct Reference {
    zero_points: [i32; 2],
    bounds: (i32, i32),
    outputs: Vec<i16>,
    /// Pairs that were wrong before, the last one first: they are the next ones that will be.
    hard: Vec<usize>,
}

/// Constants of a sum that is exact for all inputs.
///
/// # Errors
/// There are none among those that were tried: how far one of them is off.
pub(crate) fn dual_sum(layer: &Layer, sum: Sum) -> Result<DualSum, Difference> {
    let real = |scale: Scale| f64::from(scale.multiplier()) * f64::from(scale.shift() - 31).exp2();
    let scales = sum
        .inputs
        .map(|input| real(input) * real(sum.output) * f64::from(1u32 << Sum::LEFT_SHIFT));
    // The lower part has more bits.
    let smaller = usize::from(scales[0] > scales[1]);
    let mut reference = Reference::of(layer, sum);
    reference.look_first_at(scales, sum.subtracts);
    let mut first = None;
    for (again, upper) in [(false, smaller), (true, smaller), (true, 1 - smaller)] {
        let parts = [scales[upper], scales[1 - upper]];
        for shift in shifts(parts) {
            let targets = parts.map(|scale| scale * f64::from(shift).exp2());
            for products in products(targets, again) {
                for rounding in [Rounding::Single, Rounding::Double] {
                    let found = products.sum(upper, sum.subtracts, shift, rounding);
                    if let Some(compared) = reference.compared(&found) {
                        return Ok(DualSum { compared, ..found });
                    }
                    first.get_or_insert(found);
                }
            }
        }
    }
    Err(first.map_or(Difference::default(), |found| reference.difference(&found)))
}

/// The largest shifts for which there are factors.
fn shifts(scales: [f64; 2]) -> impl Iterator<Item = u32> {
    let fits = move |shift: &u32| {
        let mut parts = scales.iter().zip(WEIGHTS_MAX);
        parts.all(|(scale, weight)| {
            scale * f64::from(*shift).exp2() <= f64::from(weight * (DualScale::FACTOR_MAX - 4))
        })
    };
    let all = (DualScale::SHIFT_MIN..=DualScale::SHIFT_MAX).rev();
    all.filter(fits).take(SHIFTS)
}

/// Products near their targets; with `again` the upper input is also in the lower part.
fn products(targets: [f64; 2], again: bool) -> Vec<Products> {
    let lowers = terms(targets[1], WEIGHTS_MAX[1]);
    let weights = if again { -24..=24 } else { 0..=0 };
    let of_lower = |(lower, factor): (u32, u32)| {
        let of_again = move |again: i32| {
            let rest = targets[0] - f64::from(again) * f64::from(factor);
            let uppers = terms(rest, WEIGHTS_MAX[0]).into_iter();
            uppers.map(move |(upper, other)| Products {
                weights: [upper, lower],
                again,
                factors: [other, factor],
            })
        };
        weights.clone().flat_map(of_again)
    };
    let mut products: Vec<Products> = lowers.into_iter().flat_map(of_lower).collect();
    if again {
        let distance = |products: &Products| products.distance(targets[0]);
        products.retain(|products| distance(products) < 2.0);
        products.sort_by(|one, other| distance(one).total_cmp(&distance(other)));
    }
    products
}

/// Weights and factors whose products are near a target.
fn terms(target: f64, weight_max: u32) -> Vec<(u32, u32)> {
    if target < 0.5 {
        return vec![(0, 0)];
    }
    let near = |weight: u32| {
        let factor = (target / f64::from(weight)).round();
        let distance = (factor * f64::from(weight) - target).abs();
        let fits = factor <= f64::from(DualScale::FACTOR_MAX) && distance <= DISTANCE;
        fits.then_some((weight, factor as u32))
    };
    (1..=weight_max).filter_map(near).collect()
}

impl Products {
    /// Distance of what the upper input is multiplied by from a target.
    fn distance(&self, target: f64) -> f64 {
        let [upper, _] = self.weights.map(f64::from);
        let [first, second] = self.factors.map(f64::from);
        (upper * first + f64::from(self.again) * second - target).abs()
    }

    /// The sum that they make; `upper` is the input in its upper part.
    fn sum(self, upper: usize, subtracts: bool, shift: u32, rounding: Rounding) -> DualSum {
        let lower = 1 - upper;
        let term = |input: usize, weight: i32| {
            let sign = if subtracts && input == 1 { -1 } else { 1 };
            (input, (sign * weight) as i8)
        };
        let [first, second] = self.weights.map(|weight| weight as i32);
        DualSum {
            terms: [
                term(upper, first),
                term(lower, second),
                term(upper, self.again),
            ],
            count: if self.again == 0 { 2 } else { 3 },
            scale: DualScale::new(self.factors, shift).expect("factors and shift are in range"),
            rounding,
            compared: 0,
        }
    }
}

impl Reference {
    fn of(layer: &Layer, sum: Sum) -> Self {
        let zero_points = [0, 1].map(|side: usize| i32::from(layer.inputs[side].zero_point));
        let zero_point = i32::from(layer.scaled_zero_point());
        let bounds = (
            i32::from(layer.min) - zero_point,
            i32::from(layer.max) - zero_point,
        );
        let scaled = |side: usize| {
            bytes().map(move |byte| {
                let shifted = (byte - zero_points[side]) << Sum::LEFT_SHIFT;
                requantise(shifted, sum.inputs[side], Rounding::Double)
            })
        };
        let seconds: Vec<i32> = scaled(1).collect();
        let sums = scaled(0).flat_map(|first| {
            seconds.iter().map(move |&second| match sum.subtracts {
                true => first - second,
                false => first + second,
            })
        });
        let outputs = sums.map(|total| {
            let output = requantise(total, sum.output, Rounding::Double);
            output.clamp(bounds.0, bounds.1) as i16
        });
        Self {
            zero_points,
            bounds,
            outputs: outputs.collect(),
            hard: Vec::new(),
        }
    }

    /// Looks first at the pairs whose real sums are nearest to a half.
    fn look_first_at(&mut self, [first, second]: [f64; 2], subtracts: bool) {
        let second = if subtracts { -second } else { second };
        let mut nearest: Vec<(f64, usize)> = (0..self.outputs.len())
            .map(|pair| {
                let [a, b] = self.operands(pair).map(f64::from);
                let sum = first * a + second * b + 0.5;
                ((sum - sum.round()).abs(), pair)
            })
            .collect();
        nearest.sort_by(|one, other| one.0.total_cmp(&other.0));
        self.hard = nearest
            .into_iter()
            .take(NEAREST)
            .map(|(_, pair)| pair)
            .collect();
    }

    /// The bytes of a pair less their zero points.
    fn operands(&self, pair: usize) -> [i32; 2] {
        let bytes = [pair / 256, pair % 256].map(|byte| byte as i32 - 128);
        [0, 1].map(|side| bytes[side] - self.zero_points[side])
    }

    /// What the machine makes of a pair.
    fn made(&self, found: &DualSum, pair: usize) -> i16 {
        let operands = self.operands(pair);
        let mut terms = found.terms().iter();
        let mut term = || {
            terms
                .next()
                .map(|&(input, weight)| i32::from(weight) * operands[input])
        };
        let mut sum = raised(term().unwrap_or(0));
        while let Some(lower) = term() {
            sum += lower;
        }
        let output = requantise_dual(sum, found.scale, found.rounding);
        output.clamp(self.bounds.0, self.bounds.1) as i16
    }

    fn is_right(&self, found: &DualSum, pair: usize) -> bool {
        self.made(found, pair) == self.outputs[pair]
    }

    /// Pairs that were compared if all of them are right; none if one is wrong.
    fn compared(&mut self, found: &DualSum) -> Option<u64> {
        let hard = self
            .hard
            .iter()
            .position(|&pair| !self.is_right(found, pair));
        if let Some(at) = hard {
            self.hard[..=at].rotate_right(1);
            return None;
        }
        let mut compared = 0;
        for pair in 0..self.outputs.len() {
            if !self.is_right(found, pair) {
                self.hard.insert(0, pair);
                return None;
            }
            compared += 1;
        }
        Some(compared)
    }

    fn difference(&self, found: &DualSum) -> Difference {
        let pairs = 0..self.outputs.len();
        pairs.fold(Difference::default(), |all, pair| {
            let distance = self.made(found, pair).abs_diff(self.outputs[pair]);
            Difference {
                cases: all.cases + 1,
                wrong: all.wrong + u64::from(distance > 0),
                most: all.most.max(distance.into()),
            }
        })
    }
}

fn bytes() -> impl Iterator<Item = i32> {
    i32::from(i8::MIN)..=i32::from(i8::MAX)
}

#[cfg(test)]
mod tests {
    use heddle_arch::requantise::Scale;
    use heddle_network::{Input, LayerKind, Padding, Shape};
    use heddle_sim::network::{Tensor, run_layer};
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// Multiplier and shift of a real scale.
    fn scale(real: f64) -> Scale {
        let exponent = real.log2().floor() as i32 + 1;
        let multiplier = (real * f64::from(31 - exponent).exp2()).round();
        match multiplier as i64 {
            0x8000_0000 => Scale::new(1 << 30, exponent + 1).unwrap(),
            multiplier => Scale::new(multiplier as i32, exponent).unwrap(),
        }
    }

    /// The scales of a sum as a converter makes them.
    fn sum([first, second, output]: [f32; 3], subtracts: bool) -> Sum {
        let [first, second, output] = [first, second, output].map(f64::from);
        let twice = 2.0 * first.max(second);
        Sum {
            inputs: [scale(first / twice), scale(second / twice)],
            output: scale(twice / (f64::from(1u32 << Sum::LEFT_SHIFT) * output)),
            subtracts,
            ..Sum::default()
        }
    }

    fn layer(sum: Sum, zero_points: [i8; 3]) -> Layer {
        let shape = Shape {
            channels: 1,
            height: 1,
            width: 1,
        };
        let input = |tensor: usize| Input {
            tensor,
            zero_point: zero_points[tensor],
        };
        Layer {
            name: "sum".to_string(),
            kind: LayerKind::Add(sum),
            inputs: vec![input(0), input(1)],
            input: shape,
            output: shape,
            kernel: [1, 1],
            stride: [1, 1],
            dilation: [1, 1],
            groups: 1,
            padding: Padding::default(),
            weights: Vec::new(),
            bias: Vec::new(),
            scales: Vec::new(),
            rounding: Rounding::Single,
            output_zero_point: zero_points[2],
            min: -128,
            max: 127,
            table: None,
            sources: Default::default(),
            float32: None,
        }
    }

    /// Scales of a sum that uses its range.
    fn random(rng: &mut ChaCha8Rng) -> (Layer, Sum) {
        let mut real = || rng.random_range(-3.0f32..3.0).exp2() * 0.01;
        let scales = [real(), real(), real()];
        let output = scales[2] + (scales[0] + scales[1]) / 2.0;
        let sum = sum([scales[0], scales[1], output], rng.random_bool(0.3));
        (layer(sum, [rng.random(), rng.random(), rng.random()]), sum)
    }

    /// What the golden network makes of all pairs, less the zero point.
    fn golden(layer: &Layer) -> Vec<i16> {
        let shape = Shape {
            channels: 1,
            height: 256,
            width: 256,
        };
        let tensor = |byte: fn(usize) -> usize| Tensor {
            shape,
            values: (0..256 * 256)
                .map(|pair| byte(pair) as u8 as i8 ^ -128)
                .collect(),
        };
        let layer = Layer {
            input: shape,
            output: shape,
            ..layer.clone()
        };
        let inputs = [tensor(|pair| pair / 256), tensor(|pair| pair % 256)];
        let made = run_layer(&layer, &[&inputs[0], &inputs[1]]).unwrap();
        let zero_point = i16::from(layer.output_zero_point);
        let values = made.values.iter();
        values.map(|&value| i16::from(value) - zero_point).collect()
    }

    #[test]
    fn almost_all_sums_have_exact_constants() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let count = 60;
        let mut threes = 0;
        let found = (0..count).filter(|_| {
            let (layer, sum) = random(&mut rng);
            let reference = Reference::of(&layer, sum);
            assert!(reference.outputs == golden(&layer), "{sum:?}");
            match dual_sum(&layer, sum) {
                Ok(found) => {
                    let all = reference.difference(&found);
                    assert_eq!((all.cases, all.wrong), (256 * 256, 0));
                    assert_eq!(found.compared, 256 * 256);
                    threes += usize::from(found.terms().len() == 3);
                    true
                }
                Err(difference) => {
                    assert!(
                        difference.wrong > 0 && difference.most == 1,
                        "{difference:?}"
                    );
                    false
                }
            }
        });
        let found = found.count();
        println!("{found} of {count} sums are exact, {threes} with three terms");
        assert!(found >= count - 1, "{found}");
    }

    #[test]
    fn another_factor_is_noticed() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let (layer, sum) = random(&mut rng);
        let mut found = dual_sum(&layer, sum).unwrap();
        let [first, second] = found.scale.factors();
        let factors = [first, second - second / 500];
        found.scale = DualScale::new(factors, found.scale.shift()).unwrap();
        let mut reference = Reference::of(&layer, sum);
        let difference = reference.difference(&found);
        assert!(difference.wrong > 100, "{difference:?}");
        assert_eq!(
            reference.compared(&found),
            None,
            "no pair is looked at first"
        );
    }
}
