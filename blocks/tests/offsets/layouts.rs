//! Example 5.6: the same convolution in every layout.

use heddle_blocks::offsets::order::weight_order;
use heddle_blocks::offsets::{Convolution, Layout, Request, group_origin, taps};
use heddle_sim::blocks::offsets::examples;

use super::{convolution, convolve, gemm, request, run, store, tables};

fn shape(layout: Layout, vector: u32) -> Convolution {
    Convolution {
        channels: 4,
        images: 2,
        layout,
        vector,
        ..convolution(2, 3, [1, 2])
    }
}

/// Layouts and channels of a vector, in the order of the example.
const LAYOUTS: [(Layout, u32); 5] = [
    (Layout::Nchw, 1),
    (Layout::Cnhw, 1),
    (Layout::Nhwc, 1),
    (Layout::NchwVector, 2),
    (Layout::NchwVector, 4),
];

fn element(n: u32, c: u32, y: u32, x: u32) -> i64 {
    let place = i64::from(((n * 4 + c) * 2 + y) * 3 + x);
    (place * place * 11 + place * 3 + 1) % 101 - 50
}

fn weights(count: i64) -> Vec<i64> {
    (0..count).map(|j| (j * 37 + 5) % 23 - 11).collect()
}

#[proves("SGCR-32")]
#[test]
fn tables_and_steps_of_5_6_give_the_same_results() {
    let expected = convolve(&shape(Layout::Nchw, 1), element, &weights(8));
    for ((layout, vector), lists) in LAYOUTS.into_iter().zip(examples::LAYOUTS) {
        let shape = shape(layout, vector);
        let memory = store(&shape, element);
        for running in [false, true] {
            let wanted = Request {
                running,
                ..request(shape.clone())
            };
            let tables = tables(&wanted);
            let offsets = if running { lists.steps } else { lists.offsets };
            assert_eq!(tables.bases, lists.bases, "{}", lists.name);
            assert_eq!(tables.offsets, offsets, "{}", lists.name);
            assert_eq!(run(&wanted, &memory, &weights(8)), expected, "{layout:?}");
        }
    }
}

#[proves("SGCR-51")]
#[test]
fn a_step_of_nhwc_is_negative_and_the_results_are_those_of_nchw() {
    let wanted = Request {
        running: true,
        ..request(shape(Layout::Nhwc, 1))
    };
    assert_eq!(tables(&wanted).offsets[2], -3);
    let memory = store(&shape(Layout::Nhwc, 1), element);
    let expected = convolve(&shape(Layout::Nchw, 1), element, &weights(8));
    assert_eq!(run(&wanted, &memory, &weights(8)), expected);
    // Steps without their sign leave the tensor or read elsewhere.
    let mut unsigned = tables(&wanted);
    unsigned.offsets.iter_mut().for_each(|step| *step &= 7);
    let order = weight_order(&wanted);
    assert_ne!(
        gemm(&unsigned, 1, &order, &memory, &weights(8)),
        Ok(expected)
    );
}

#[proves("SGCR-17", "SGCR-36")]
#[test]
fn the_order_for_reuse_follows_the_memory() {
    let orders = [
        ([0, 1, 2, 3, 4, 5, 6, 7], [0, 1, 6, 7, 12, 13, 18, 19]),
        ([0, 1, 2, 3, 4, 5, 6, 7], [0, 1, 12, 13, 24, 25, 36, 37]),
        ([0, 2, 4, 6, 1, 3, 5, 7], [0, 1, 2, 3, 4, 5, 6, 7]),
        ([0, 2, 1, 3, 4, 6, 5, 7], [0, 1, 2, 3, 12, 13, 14, 15]),
        ([0, 2, 4, 6, 1, 3, 5, 7], [0, 1, 2, 3, 4, 5, 6, 7]),
    ];
    let expected = convolve(&shape(Layout::Nchw, 1), element, &weights(8));
    for ((layout, vector), (order, offsets)) in LAYOUTS.into_iter().zip(orders) {
        let shape = shape(layout, vector);
        let wanted = Request {
            reuse_order: true,
            ..request(shape.clone())
        };
        assert_eq!(weight_order(&wanted), order, "{layout:?}");
        let tables = tables(&wanted);
        assert_eq!(tables.offsets, offsets, "{layout:?}");
        assert!(tables.offsets.is_sorted(), "{layout:?}");
        let memory = store(&shape, element);
        assert_eq!(run(&wanted, &memory, &weights(8)), expected, "{layout:?}");
    }
    // Lines of 4 elements: the row after row, tap after tap order of one thread.
    let nhwc = |reuse_order| {
        let wanted = Request {
            reuse_order,
            ..request(shape(Layout::Nhwc, 1))
        };
        let tables = tables(&wanted);
        let distances = tables.distances();
        let addresses = (0..8).flat_map(|row| {
            let (tables, distances) = (&tables, &distances);
            (0..8).filter_map(move |tap| tables.address(distances, row, tap))
        });
        heddle_blocks::offsets::access::line_fills(addresses.collect::<Vec<_>>(), 4, 1)
    };
    // A row reads two lines of 4 channels each, and 4 rows begin in the line where the one before
    // ended. In the order of the weights each read goes to the other line.
    assert_eq!(nhwc(true), 8 * 2 - 4);
    assert_eq!(nhwc(false), 8 * 8 - 4);
}

#[test]
fn groups_share_a_table_and_have_an_origin_each() {
    // The steps of A stated in 4.8: NCHW g (inc/G) hi wi, CNHW nb times that, NHWC g (inc/G).
    for (layout, vector, origin) in [
        (Layout::Nchw, 1, 2 * 6),
        (Layout::Cnhw, 1, 2 * 2 * 6),
        (Layout::Nhwc, 1, 2),
        (Layout::NchwVector, 2, 2 * 6),
        (Layout::NchwVector, 1, 2 * 6),
    ] {
        let grouped = Convolution {
            groups: 2,
            outputs: 6,
            ..shape(layout, vector)
        };
        let wanted = Request {
            element_bytes: 4,
            ..request(grouped.clone())
        };
        let tables = tables(&wanted);
        assert_eq!((tables.outputs, tables.offsets.len()), (3, 4), "{layout:?}");
        assert_eq!(taps(&grouped, false).len(), 4);
        let whole = super::tables(&Request {
            element_bytes: 4,
            ..request(shape(layout, vector))
        });
        assert_eq!(
            tables.bases, whole.bases,
            "bases keep the stride of all channels"
        );
        let memory = store(&grouped, element);
        let expected = convolve(&grouped, element, &weights(24));
        for group in 0..2 {
            let first = group_origin(&wanted, group);
            assert_eq!(first, u64::from(group * origin * 4), "{layout:?}");
            let from = &memory[first as usize / 4..];
            let weights = &weights(24)[group as usize * 12..][..12];
            let c = gemm(&tables, 4, &weight_order(&wanted), from, weights).expect("in the tensor");
            tables
                .check_in(wanted.tensor_bytes() - first)
                .expect("in the tensor");
            for image in 0..2 {
                let part = &expected[(image * 6 + group as usize * 3) * 4..][..12];
                assert_eq!(&c[image * 12..][..12], part, "{layout:?}, group {group}");
            }
        }
    }
}
