//! Steps by hand.

use super::*;

fn array(shape: &[u32], values: &[i64]) -> Array {
    Array {
        element: Number::Int32,
        shape: shape.to_vec(),
        values: values.to_vec(),
    }
}

fn of(element: Number, values: &[i64]) -> Array {
    Array {
        element,
        ..list(values)
    }
}

fn floats(values: &[f32]) -> Array {
    let bits: Vec<i64> = values.iter().map(|value| value.to_bits().into()).collect();
    of(Number::Float32, &bits)
}

fn list(values: &[i64]) -> Array {
    array(&[values.len() as u32], values)
}

fn part(start: i64, end: i64, step: i64) -> Part {
    Part {
        start: Some(start),
        end: Some(end),
        step,
        drops: false,
    }
}

#[track_caller]
fn check(step: Step, inputs: &[Array], expected: Array) {
    assert_eq!(
        Folder::default().evaluate(&step, inputs),
        Ok(expected),
        "{step:?}"
    );
}

#[track_caller]
fn refused(step: Step, inputs: &[Array], expected: &str) {
    let message = Folder::default().evaluate(&step, inputs).unwrap_err();
    assert!(message.contains(expected), "{step:?}: {message}");
}

#[test]
fn steps_compute_what_they_mean() {
    let square = array(&[2, 3], &[0, 1, 2, 3, 4, 5]);
    let two = std::slice::from_ref(&square);
    check(
        Step::Reshape(vec![3, 2]),
        two,
        array(&[3, 2], &[0, 1, 2, 3, 4, 5]),
    );
    check(
        Step::Concat(-1),
        &[square.clone(), array(&[2, 1], &[9, 8])],
        array(&[2, 4], &[0, 1, 2, 9, 3, 4, 5, 8]),
    );
    check(
        Step::Pack(0),
        &[array(&[], &[4]), array(&[], &[5])],
        list(&[4, 5]),
    );
    check(
        Step::Pack(1),
        &[list(&[1, 2]), list(&[3, 4])],
        array(&[2, 2], &[1, 3, 2, 4]),
    );
    check(
        Step::Gather(1),
        &[square.clone(), array(&[], &[-1])],
        list(&[2, 5]),
    );
    check(
        Step::Gather(0),
        &[square.clone(), array(&[1, 2], &[1, 0])],
        array(&[1, 2, 3], &[3, 4, 5, 0, 1, 2]),
    );
    check(
        Step::Slice(vec![Part::ALL, part(-2, 99, 1)]),
        two,
        array(&[2, 2], &[1, 2, 4, 5]),
    );
    check(
        Step::Slice(vec![Part {
            drops: true,
            ..part(1, 0, 1)
        }]),
        two,
        list(&[3, 4, 5]),
    );
    let backwards = Part {
        step: -2,
        ..Part::ALL
    };
    check(
        Step::Slice(vec![Part::ALL, backwards]),
        two,
        array(&[2, 2], &[2, 0, 5, 3]),
    );
    check(Step::Slice(vec![part(1, 1, 1)]), two, array(&[0, 3], &[]));
    check(
        Step::Pairs(Arithmetic::Mul),
        &[square.clone(), array(&[2, 1], &[10, -1])],
        array(&[2, 3], &[0, 10, 20, -3, -4, -5]),
    );
    check(
        Step::Pairs(Arithmetic::Sub),
        &[array(&[], &[1]), list(&[5, 7])],
        list(&[-4, -6]),
    );
    check(
        Step::Pairs(Arithmetic::Div),
        &[list(&[-7, 7]), list(&[2, 2])],
        list(&[-3, 3]),
    );
    check(
        Step::Tile,
        &[list(&[1, 2]), list(&[3])],
        list(&[1, 2, 1, 2, 1, 2]),
    );
    check(
        Step::Fill,
        &[list(&[2, 2]), array(&[], &[6])],
        array(&[2, 2], &[6; 4]),
    );
    check(Step::Fill, &[list(&[]), array(&[], &[6])], array(&[], &[6]));
    check(
        Step::Expand,
        &[array(&[2, 1], &[7, 8]), list(&[2, 1, 3])],
        array(&[2, 2, 3], &[7, 7, 7, 8, 8, 8, 7, 7, 7, 8, 8, 8]),
    );
    check(Step::Expand, &[list(&[7, 8]), list(&[1])], list(&[7, 8]));
    check(
        Step::Pairs(Arithmetic::Equal),
        &[list(&[2, -1, 3]), list(&[-1])],
        of(Number::Bool, &[0, 1, 0]),
    );
    check(
        Step::Where,
        &[of(Number::Bool, &[0, 1]), array(&[], &[9]), list(&[5, 7])],
        list(&[5, 9]),
    );
    check(Step::Product(vec![1], false), two, list(&[0, 60]));
    check(
        Step::Product(vec![0], true),
        two,
        array(&[1, 3], &[0, 4, 10]),
    );
    check(Step::Product(vec![0, 1], false), two, array(&[], &[0]));
    check(Step::Product(vec![], false), two, square.clone());
    check(
        Step::Product(vec![0], false),
        &[list(&[])],
        array(&[], &[1]),
    );
    let range = |values: [i64; 3], expected: &[i64]| {
        let ends = values.map(|value| array(&[], &[value]));
        check(Step::Range, &ends, list(expected));
    };
    range([1, 7, 2], &[1, 3, 5]);
    range([1, 8, 2], &[1, 3, 5, 7]);
    range([3, -2, -2], &[3, 1, -1]);
    range([3, 4, -1], &[]);
}

#[test]
fn casts_keep_numbers() {
    let cast = |from: Array, to: Array| check(Step::Cast(to.element), &[from], to);
    cast(list(&[7, -7]), of(Number::Int64, &[7, -7]));
    cast(
        of(Number::Int64, &[0, -128, 127]),
        of(Number::Int8, &[0, -128, 127]),
    );
    cast(of(Number::Int64, &[0, 255]), of(Number::Uint8, &[0, 255]));
    cast(list(&[0, -2, 1]), of(Number::Bool, &[0, 1, 1]));
    cast(of(Number::Bool, &[0, 1]), of(Number::Int64, &[0, 1]));
    cast(list(&[3, -2]), floats(&[3.0, -2.0]));
    cast(floats(&[2.9, -2.9]), list(&[2, -2]));
    cast(floats(&[0.0, -0.0, 0.25]), of(Number::Bool, &[0, 0, 1]));
    cast(floats(&[f32::NAN, 1e30]), floats(&[f32::NAN, 1e30]));
}

#[test]
fn float32_are_computed_as_such() {
    for (arithmetic, expected) in [
        (Arithmetic::Add, 0.1 + 0.7f32),
        (Arithmetic::Sub, 0.1 - 0.7),
        (Arithmetic::Mul, 0.1 * 0.7),
        (Arithmetic::Div, 0.1 / 0.7),
    ] {
        let inputs = [floats(&[0.1]), floats(&[0.7])];
        check(Step::Pairs(arithmetic), &inputs, floats(&[expected]));
    }
    check(
        Step::Pairs(Arithmetic::Equal),
        &[floats(&[0.0, f32::NAN]), floats(&[-0.0, f32::NAN])],
        of(Number::Bool, &[1, 0]),
    );
    check(
        Step::Product(vec![0], true),
        &[floats(&[0.5, 3.0])],
        floats(&[1.5]),
    );
}

#[test]
fn what_does_not_fit_is_refused() {
    let two = [list(&[1, 2]), list(&[3])];
    refused(Step::Reshape(vec![3]), &two, "makes [3] of [2]");
    refused(Step::Concat(1), &two, "dimension 1 of 1");
    refused(Step::Pack(0), &two, "joins");
    refused(Step::Gather(0), &two, "takes place 3 of 2");
    refused(
        Step::Gather(0),
        &[array(&[], &[1]), list(&[0])],
        "dimension 0 of 0",
    );
    refused(Step::Slice(vec![part(0, 1, 0)]), &two, "steps of 0");
    refused(
        Step::Slice(vec![Part {
            drops: true,
            ..part(2, 3, 1)
        }]),
        &two,
        "takes place 2 of 2",
    );
    refused(Step::Slice(vec![Part::ALL; 2]), &two, "parts of 2");
    refused(
        Step::Pairs(Arithmetic::Add),
        &[list(&[1, 2]), list(&[1, 2, 3])],
        "equal or 1",
    );
    refused(
        Step::Pairs(Arithmetic::Div),
        &[list(&[1]), list(&[0])],
        "Div of 1 and 0",
    );
    refused(
        Step::Pairs(Arithmetic::Mul),
        &[list(&[1 << 20]), list(&[1 << 20])],
        "expected numbers of int32",
    );
    refused(
        Step::Cast(Number::Int32),
        &[list(&[1 << 40])],
        "expected numbers of int32",
    );
    refused(Step::Tile, &[list(&[1]), list(&[-1])], "size of -1");
    refused(Step::Fill, &[list(&[1; 7]), list(&[1])], "7 dimensions");
    refused(Step::Tile, &two[..1], "second input");
    refused(Step::Cast(Number::Int8), &[list(&[128])], "of int8");
    refused(Step::Cast(Number::Uint8), &[list(&[-1])], "of uint8");
    refused(Step::Cast(Number::Int32), &[floats(&[1e10])], "of int32");
    refused(
        Step::Cast(Number::Int64),
        &[floats(&[f32::NAN])],
        "NaN, expected numbers of int64",
    );
    refused(
        Step::Cast(Number::Int64),
        &[floats(&[-1e30])],
        "expected numbers of int64",
    );
    refused(
        Step::Pairs(Arithmetic::Add),
        &[list(&[1]), floats(&[1.0])],
        "int32 and float32",
    );
    refused(Step::Expand, &[list(&[1, 2]), list(&[3])], "equal or 1");
    refused(Step::Expand, &[list(&[1]), list(&[1; 7])], "7 dimensions");
    refused(Step::Where, &two, "2 inputs");
    refused(
        Step::Where,
        &[list(&[1]), list(&[1]), list(&[1])],
        "by int32",
    );
    refused(
        Step::Where,
        &[of(Number::Bool, &[1]), list(&[1]), floats(&[1.0])],
        "of int32 and float32",
    );
    refused(Step::Range, &two, "start, end and step");
    let range = |step: f32| [floats(&[0.0]), floats(&[1.0]), floats(&[step])];
    refused(Step::Range, &range(0.5), "other numbers than integers");
    refused(
        Step::Range,
        &[list(&[1]), list(&[2]), list(&[0])],
        "steps of 0",
    );
}

/// More than the memory of a machine: it would not come back if it were made.
#[test]
fn nothing_large_is_made() {
    let one = || array(&[], &[1]);
    refused(Step::Fill, &[list(&[1 << 20, 1 << 20]), one()], "in all");
    refused(Step::Fill, &[list(&[u32::MAX.into(); 6]), one()], "in all");
    refused(
        Step::Tile,
        &[list(&[1, 2]), list(&[u32::MAX.into()])],
        "32 bits",
    );
    refused(Step::Tile, &[list(&[1, 2]), list(&[1 << 30])], "in all");
    refused(Step::Fill, &[list(&[0, 1 << 31]), one()], "in all");
    check(
        Step::Tile,
        &[list(&[]), list(&[u32::MAX.into()])],
        list(&[]),
    );
    let side = array(&[1 << 20, 1], &vec![1; 1 << 20]);
    let other = array(&[1, 1 << 20], &vec![1; 1 << 20]);
    refused(Step::Pairs(Arithmetic::Add), &[side, other], "in all");
    refused(Step::Expand, &[one(), list(&[1 << 20, 1 << 20])], "in all");
    refused(
        Step::Product(vec![0], false),
        &[array(&[0, 1 << 31], &[])],
        "in all",
    );
    let step = of(Number::Int64, &[1]);
    let range = |end| {
        [
            of(Number::Int64, &[i64::MIN]),
            of(Number::Int64, &[end]),
            step.clone(),
        ]
    };
    refused(Step::Range, &range(i64::MAX), "32 bits");
    refused(Step::Range, &range(i64::MIN + (1 << 22)), "in all");
    // Nor many that are each small enough.
    let mut folder = Folder::default();
    let fill = |folder: &mut Folder| folder.evaluate(&Step::Fill, &[list(&[1 << 20]), list(&[1])]);
    assert!(fill(&mut folder).is_ok() && fill(&mut folder).is_ok());
    assert!(fill(&mut folder).is_err());
}

#[test]
fn bytes_are_those_of_the_elements() {
    for (element, values) in [
        (Number::Int32, [1, -2, 1 << 30]),
        (Number::Int64, [1, -2, 1 << 40]),
        (Number::Int8, [1, -128, 127]),
        (Number::Uint8, [1, 128, 255]),
        (Number::Bool, [0, 1, 1]),
        (
            Number::Float32,
            [0.5f32, -0.0, f32::NAN].map(|real| real.to_bits().into()),
        ),
    ] {
        let found = of(element, &values);
        assert_eq!(Array::of_bytes(element, &[3], &found.bytes()), found);
        assert_eq!(Number::named(element.name()), Some(element));
    }
}

/// What a view takes of elements that are their own numbers is what a list of them becomes.
#[test]
fn views_are_the_elements_that_lists_have() {
    let places = vec![vec![1, 0, 1], vec![2, 0], vec![3, 3, 0, 1]];
    let series = vec![
        Step::Reshape(vec![2, 3, 2, 2]),
        Step::Transpose(vec![2, 0, 3, 1]),
        Step::Slice(vec![
            part(1, 2, 1),
            Part {
                drops: true,
                ..part(1, 2, 1)
            },
        ]),
        Step::Reshape(vec![6]),
    ];
    let numbers = |shape: &[u32]| {
        array(
            shape,
            &(0..shape.iter().product::<u32>())
                .map(i64::from)
                .collect::<Vec<_>>(),
        )
    };
    let steps = [
        (Step::Places(places), vec![]),
        (Step::Series(series), vec![]),
        (Step::Reshape(vec![24]), vec![]),
        (Step::Reshape(vec![1, 2, 1, 12, 1]), vec![]),
        (
            Step::Slice(vec![part(1, 2, 1), part(2, -4, -2), part(-1, -9, -3)]),
            vec![],
        ),
        (Step::Gather(2), vec![array(&[2, 2], &[3, 1, 2, 0])]),
        (Step::Gather(-3), vec![array(&[], &[-1])]),
        (Step::Tile, vec![list(&[2, 1, 3])]),
        (Step::Expand, vec![list(&[5, 2, 3, 4])]),
    ];
    for (step, others) in &steps {
        let from = numbers(&[2, 3, 4]);
        let view = View::new(&[(2, 12), (3, 4), (4, 1)]);
        let mut folder = Folder::default();
        let expected = folder.moved(step, &from, others).unwrap().unwrap();
        let found = folder.moved(step, &view, others).unwrap().unwrap();
        assert_eq!(found.shape(), expected.shape, "{step:?}");
        let sources = found.sources().unwrap_or_default();
        let all = sources.iter().fold(vec![0], |all: Vec<i64>, source| {
            let along = |first: i64| source.iter().map(move |&number| first + i64::from(number));
            all.into_iter().flat_map(along).collect()
        });
        assert_eq!(all, expected.values, "{step:?}");
    }
    let view = View::new(&[(4, 1)]).picked(&[vec![0, 1, 1, 3]]);
    let message = view.reshaped(&[2, 2]).unwrap_err();
    assert!(message.contains("no sum of its dimensions"), "{message}");
    for shape in [&[3][..], &[4, 0], &[1; 7]] {
        assert!(view.reshaped(shape).is_err(), "{shape:?}");
    }
    for order in [&[0, 0][..], &[0], &[1, 2]] {
        let step = Step::Transpose(order.to_vec());
        assert!(
            Folder::default()
                .evaluate(&step, &[numbers(&[2, 3])])
                .is_err(),
            "{order:?}"
        );
    }
    let beyond = Step::Places(vec![vec![0], vec![3]]);
    assert!(
        Folder::default()
            .evaluate(&beyond, &[numbers(&[2, 3])])
            .is_err()
    );
}
