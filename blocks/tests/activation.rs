//! Activation tables against the functions that they stand for.

use heddle_blocks::activation::{ActivationError, Function, Quantisation, table};

fn quantisation(scale: f64, zero_point: i8) -> Quantisation {
    Quantisation::new(scale, zero_point).expect("a legal scale")
}

/// The definitions again, by other means where there are any.
fn reference(function: Function, x: f64) -> f64 {
    match function {
        Function::Identity => x,
        Function::Exponential => x.exp2_by_parts(),
        Function::Square => x.powi(2),
        Function::SquareRoot if x < 0.0 => 0.0,
        Function::SquareRoot => x.powf(0.5),
        Function::BinaryStep => [0.0, 1.0][usize::from(x >= 0.0)],
        Function::BipolarStep => [-1.0, 1.0][usize::from(x >= 0.0)],
        Function::Sigmoid => 0.5 + 0.5 * (x / 2.0).tanh(),
        Function::Ramp => (x + x.abs()) / 2.0,
        Function::LeakyRamp(slope) if x < 0.0 => slope * x,
        Function::LeakyRamp(_) => x,
        Function::Tanh => 1.0 - 2.0 / ((2.0 * x).exp() + 1.0),
        _ => unreachable!("every function has a definition"),
    }
}

trait ByParts {
    fn exp2_by_parts(self) -> f64;
}

impl ByParts for f64 {
    /// e^x as the square of e^(x/2).
    fn exp2_by_parts(self) -> f64 {
        (self / 2.0).exp().powi(2)
    }
}

/// Every entry is at most half a unit away from the function, or the bound beyond which it lies. Gives
/// the number of entries inside the range.
#[track_caller]
fn check(function: Function, input: (f64, i8), output: (f64, i8)) -> u32 {
    let entries = table(
        function,
        quantisation(input.0, input.1),
        quantisation(output.0, output.1),
    )
    .expect("a legal function");
    let (mut inside, mut compared) = (0, 0);
    for quantised in i8::MIN..=i8::MAX {
        let index = quantised.wrapping_sub(input.1) as u8;
        let stored = entries[usize::from(index)];
        let found = i32::from(stored.wrapping_add(output.1 as u8) as i8);
        let x = f64::from(i32::from(quantised) - i32::from(input.1)) * input.0;
        let exact = reference(function, x) / output.0 + f64::from(output.1);
        compared += 1;
        if exact <= -128.0 || exact >= 127.0 {
            let bound = if exact < 0.0 { -128 } else { 127 };
            assert_eq!(found, bound, "{function:?} of {x}");
            continue;
        }
        inside += 1;
        let error = (f64::from(found) - exact).abs();
        assert!(error <= 0.5 + 1e-9, "{function:?} of {x}: {error} units");
    }
    assert_eq!(compared, 256, "all bytes");
    inside
}

const FUNCTIONS: [Function; 10] = [
    Function::Identity,
    Function::Exponential,
    Function::Square,
    Function::SquareRoot,
    Function::BinaryStep,
    Function::BipolarStep,
    Function::Sigmoid,
    Function::Ramp,
    Function::LeakyRamp(0.1),
    Function::Tanh,
];

#[proves("PET-58")]
#[test]
fn every_function_is_exact_to_half_a_unit() {
    for function in FUNCTIONS {
        let inside = check(function, (1.0 / 16.0, 0), (1.0 / 64.0, -5))
            + check(function, (0.05, -128), (1.0 / 256.0, -128))
            + check(function, (0.1, 127), (0.5, 100))
            + check(function, (3.0, 17), (2.0, 3))
            + check(function, (1e-3, -1), (0.02, -64));
        assert!(inside > 300, "{function:?}: only {inside} entries in range");
    }
}

#[proves("PET-58")]
#[test]
fn entries_of_every_function_by_hand() {
    let unit = quantisation(1.0, 0);
    let at = |function, x: i8| {
        let entries = table(function, unit, unit).expect("a legal function");
        entries[usize::from(x as u8)] as i8
    };
    type Row = (Function, &'static [i8], &'static [i8]);
    let rows: [Row; 10] = [
        (Function::Identity, &[-128, -1, 0, 127], &[-128, -1, 0, 127]),
        (
            Function::Exponential,
            &[-9, 0, 1, 4, 5],
            &[0, 1, 3, 55, 127],
        ),
        (Function::Square, &[-12, -11, 3], &[127, 121, 9]),
        (Function::SquareRoot, &[-4, 0, 2, 100], &[0, 0, 1, 10]),
        (Function::BinaryStep, &[-1, 0, 1], &[0, 1, 1]),
        (Function::BipolarStep, &[-1, 0, 1], &[-1, 1, 1]),
        // One half is rounded away from zero.
        (Function::Sigmoid, &[-1, 0, 1], &[0, 1, 1]),
        (Function::Ramp, &[-1, 0, 9], &[0, 0, 9]),
        (Function::LeakyRamp(0.5), &[-3, -2, 0, 9], &[-2, -1, 0, 9]),
        (Function::Tanh, &[-5, 0, 5], &[-1, 0, 1]),
    ];
    for (function, inputs, expected) in rows {
        let found: Vec<i8> = inputs.iter().map(|x| at(function, *x)).collect();
        assert_eq!(found, expected, "{function:?}");
    }
}

#[proves("PET-58")]
#[test]
fn zero_points_shift_index_and_entry() {
    // Input 7 is real 0, output -3 is real 0: stored as 0 on both sides.
    let entries = table(Function::Ramp, quantisation(1.0, 7), quantisation(1.0, -3));
    let entries = entries.expect("a legal function");
    assert_eq!((entries[0], entries[1]), (0, 1));
    // The smallest input is -128 - 7, which is 121 modulo 256; -3 stands for 0 there, too.
    assert_eq!(entries[121], 0);
    // The largest input is 120: the largest output is 127 + 3.
    assert_eq!(entries[120], 120);
    let (input, output) = (quantisation(2.0, 7), quantisation(1.0, -3));
    let entries = table(Function::Identity, input, output);
    let entries = entries.expect("a legal function");
    assert_eq!(entries[120], 130);
    assert_eq!(entries[121], (-125i8) as u8);
}

#[test]
fn scales_and_slopes_without_meaning_are_refused() {
    for scale in [0.0, -1.0, f64::INFINITY] {
        let refused = Quantisation::new(scale, 0);
        assert_eq!(refused, Err(ActivationError::Scale(scale)));
    }
    assert!(Quantisation::new(f64::NAN, 0).is_err());
    let unit = quantisation(1.0, 0);
    let slope = Function::LeakyRamp(f64::NEG_INFINITY);
    let message = table(slope, unit, unit).expect_err("no slope").to_string();
    assert_eq!(message, "slope is -inf, expected a finite number");
}
