//! Ends of an image: types of what they read and make, and that what they read is there.

use heddle_arch::image::{Element, End, Image, Operation, Tensor, TensorLoop, WORK};

use crate::image::sample;

/// Ends between a float32 input, its bytes in region 1, a result in region 2 and two tensors in the work bytes.
fn with_ends(elements: [Element; 5], ends: &[(Operation, u32, u32)]) -> Result<Vec<u8>, String> {
    let mut image = sample();
    let regions = [WORK, 1, 2, WORK, WORK];
    let mut offsets = [0; 5];
    offsets[WORK as usize] = 40;
    let tensors = regions.iter().zip(elements).zip(0..);
    let tensors = tensors.map(|((&region, element), number)| {
        let room = if number == 0 { 0 } else { 40 };
        let offset = offsets[region as usize];
        offsets[region as usize] += room;
        let bytes = element.bytes() as u32;
        Tensor {
            name: format!("t{number}"),
            input: number == 0,
            output: ends.iter().any(|end| end.2 == number && number == 4),
            element,
            offset,
            region,
            bytes: room,
            zero_point: 0,
            extents: vec![10],
            loops: vec![TensorLoop {
                count: 10,
                memory: bytes,
                user: 1,
            }],
            ..sample().tensors[2].clone()
        }
    });
    image.tensors = tensors.collect();
    image.work_bytes = offsets[WORK as usize];
    image.begin.truncate(1);
    let ends = ends.iter().map(|&(operation, source, destination)| End {
        operation,
        source,
        destination,
        rows: if operation == Operation::ArgMax {
            10
        } else {
            1
        },
        length: if operation == Operation::ArgMax {
            1
        } else {
            10
        },
        stride: 1,
        multiplier: 0,
        shift: 0,
    });
    image.ends = ends.collect();
    image.to_bytes().map_err(|error| error.to_string())
}

#[test]
fn ends_have_the_types_of_their_operation() {
    let bytes = [Element::Int8, Element::Uint8];
    let (mut taken, mut refused) = (0, 0);
    for operation in Operation::ALL {
        for source in Element::ALL {
            for made in Element::ALL {
                let elements = [source, made, source, made, Element::Int8];
                let places = match operation {
                    Operation::Quantize | Operation::QuantizeEven => (0, 1),
                    _ => (2, 3),
                };
                let found = with_ends(elements, &[(operation, places.0, places.1)]);
                let [reads_real, makes_real] = [source, made].map(|own| own == Element::Float32);
                let [reads_byte, makes_byte] = [source, made].map(|own| bytes.contains(&own));
                let expected = match operation {
                    Operation::Quantize | Operation::QuantizeEven if !reads_real => {
                        Some("source is 0, expected a tensor of float32")
                    }
                    Operation::Dequantize | Operation::Softmax | Operation::ArgMax
                        if !reads_byte =>
                    {
                        Some("source is 2, expected a tensor of int8 or uint8")
                    }
                    Operation::Quantize | Operation::QuantizeEven if !makes_byte => {
                        Some("destination is 1, expected a tensor of int8 or uint8")
                    }
                    Operation::Softmax if !makes_byte => {
                        Some("destination is 3, expected a tensor of int8 or uint8")
                    }
                    Operation::Dequantize if !makes_real => {
                        Some("destination is 3, expected a tensor of float32")
                    }
                    Operation::ArgMax if made != Element::Int32 => {
                        Some("destination is 3, expected a tensor of int32")
                    }
                    _ => None,
                };
                let expected = expected.map(|text| format!("end 0: {text}"));
                assert_eq!(found.err(), expected, "{operation:?} {source:?} {made:?}");
                *if expected.is_some() {
                    &mut refused
                } else {
                    &mut taken
                } += 1;
            }
        }
    }
    assert_eq!((taken, refused), (2 + 2 + 4 + 2 + 2, 80 - 12));
}

#[test]
fn ends_read_what_is_there() {
    use Operation::{Dequantize, Quantize, Softmax};
    let elements = [
        Element::Float32,
        Element::Int8,
        Element::Int8,
        Element::Int8,
        Element::Float32,
    ];
    let of_input = "source is 4, expected an input of the network";
    let later =
        "source is 3, expected a tensor of region 2, or one of region 4 that an end before makes";
    let of_region_1 = "source is 1, expected a tensor of region 2, or one of region 4";
    let into_output = "destination is 2, expected a tensor of region 1 or 4";
    for (ends, expected) in [
        (
            &[(Quantize, 0, 1), (Softmax, 2, 3), (Dequantize, 3, 4)][..],
            None,
        ),
        (&[(Quantize, 4, 1)], Some((0, of_input))),
        (&[(Dequantize, 3, 4)], Some((0, later))),
        (&[(Dequantize, 3, 4), (Softmax, 2, 3)], Some((0, later))),
        (
            &[(Softmax, 2, 3), (Softmax, 3, 3), (Softmax, 1, 3)],
            Some((2, of_region_1)),
        ),
        (
            &[(Quantize, 0, 1), (Dequantize, 1, 4)],
            Some((1, of_region_1)),
        ),
        (&[(Softmax, 2, 2)], Some((0, into_output))),
    ] {
        let found = with_ends(elements, ends);
        match expected {
            None => assert!(found.is_ok(), "{found:?}"),
            Some((index, text)) => {
                let (found, expected) = (found.unwrap_err(), format!("end {index}: {text}"));
                assert!(found.starts_with(&expected), "{found}\nexpected {expected}");
            }
        }
    }
}

#[test]
fn what_the_user_gives_has_no_work_bytes_and_outputs_there_are_made() {
    let byte = Element::Int8;
    let elements = [Element::Float32, byte, byte, byte, byte];
    let bytes = with_ends(elements, &[(Operation::Softmax, 2, 4)]).expect("an image");
    let mut image = Image::from_bytes(&bytes).expect("it is one");
    let refused = |image: &Image| image.to_bytes().expect_err("refused").to_string();
    image.ends.clear();
    assert_eq!(
        refused(&image),
        "tensor 4: flags is 2, expected no output, or one that an end makes"
    );
    image.tensors[4].output = false;
    assert!(image.to_bytes().is_ok());
    image.tensors[0].bytes = 8;
    assert_eq!(
        refused(&image),
        "tensor 0: bytes is 8, expected 0: it lies with the user"
    );
}
