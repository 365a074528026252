//! The small examples: 5.1 (figures 13 and 14), 5.2 and 5.7 (figure 15).

use heddle_blocks::offsets::order::{reorder, to_distances, to_steps, weight_order};
use heddle_blocks::offsets::{Convolution, GemmRow, Request, Tables, Tap, index, rows, taps};
use heddle_sim::blocks::offsets::examples::{self, SMALL_BASES, SMALL_OFFSETS};

use super::{convolution, figure13, gemm, request, run, tables, wide};

/// A and B of 5.1.1.
fn data() -> [Vec<i64>; 2] {
    [wide(&examples::SMALL_A), wide(&examples::SMALL_B)]
}

#[proves("SGCR-02", "SGCR-04")]
#[test]
fn example_5_1_has_4_bases_and_9_offsets() {
    let tables = tables(&request(figure13()));
    assert_eq!(tables.bases, SMALL_BASES);
    assert_eq!(tables.offsets, SMALL_OFFSETS);
    assert_eq!((tables.pixels, tables.outputs), (4, 1));
    assert_eq!(
        (tables.masks, tables.unit_shift, tables.running),
        (None, 0, false)
    );
}

#[proves("SGCR-05")]
#[test]
fn rows_of_5_1_1_are_pixel_and_image() {
    let found = rows(&figure13());
    let row = |pixel, y, x| GemmRow {
        image: 0,
        pixel,
        y,
        x,
    };
    let expected = [row(0, 0, 0), row(1, 0, 1), row(2, 1, 0), row(3, 1, 1)];
    assert_eq!(found, expected);
}

#[proves("SGCR-07")]
#[test]
fn counters_c_v_u_make_the_taps_of_5_1_2() {
    let taps = taps(&figure13(), false);
    let tap = |k: u32| Tap {
        channel: 0,
        v: k / 3,
        u: k % 3,
    };
    assert_eq!(taps, (0..9).map(tap).collect::<Vec<_>>());
    let order = weight_order(&request(figure13()));
    assert_eq!(order, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(tables(&request(figure13())).offsets, SMALL_OFFSETS);
}

/// Addresses of 5.1.2 of a row.
fn expected(row: usize) -> [i64; 9] {
    examples::SMALL_ADDRESSES.map(|step| step[row].into())
}

fn addresses(tables: &Tables, row: usize) -> Vec<i64> {
    let distances = tables.distances();
    let address = |tap| tables.address(&distances, row, tap).expect("no padding");
    (0..distances.len()).map(address).collect()
}

#[proves("SGCR-10")]
#[test]
fn addresses_of_5_1_2_are_base_plus_offset() {
    let tables = tables(&request(figure13()));
    for row in 0..4 {
        assert_eq!(addresses(&tables, row), expected(row), "row {row}");
    }
}

#[test]
fn blocks_of_figure_14_and_the_sums_of_5_1_3() {
    let [a, b] = data();
    let tables = tables(&request(figure13()));
    for row in 0..4 {
        let block: Vec<i64> = addresses(&tables, row)
            .iter()
            .map(|at| a[*at as usize])
            .collect();
        assert_eq!(block, wide(&examples::SMALL_VALUES[row]), "row {row}");
        let mut sum = 0;
        let steps = block.iter().zip(&b).map(|(a, b)| {
            sum += a * b;
            sum
        });
        let sums = examples::SMALL_SUMS.map(|sums| i64::from(sums[row]));
        assert_eq!(steps.collect::<Vec<_>>(), sums, "row {row}");
    }
    let request = request(figure13());
    assert_eq!(run(&request, &a, &b), [329, 259, 559, 372]);
    assert_eq!(run(&request, &a, &[1; 9]), [26, 28, 41, 30]);
    let (a, b): (Vec<i64>, Vec<i64>) = ((0..16).collect(), (1..10).collect());
    assert_eq!(run(&request, &a, &b), [303, 348, 483, 528]);
}

#[proves("SGCR-11")]
#[test]
fn steps_of_5_1_4_give_the_same_addresses_and_mixed_lists_do_not() {
    let running = Request {
        running: true,
        ..request(figure13())
    };
    let steps = tables(&running);
    assert_eq!(steps.offsets, examples::SMALL_STEPS);
    assert_eq!(to_distances(&steps.offsets), SMALL_OFFSETS);
    assert_eq!(to_steps(&SMALL_OFFSETS), steps.offsets);
    for row in 0..4 {
        assert_eq!(addresses(&steps, row), expected(row), "row {row}");
    }
    let [a, b] = data();
    assert_eq!(run(&running, &a, &b), [329, 259, 559, 372]);
    let mixed = Tables {
        running: true,
        ..tables(&request(figure13()))
    };
    assert_eq!(addresses(&mixed, 0), examples::SMALL_MIXED.map(i64::from));
    let order = weight_order(&running);
    let error = gemm(&mixed, 1, &order, &a, &b).expect_err("the tensor has 16 elements");
    assert_eq!(error, "row 0, tap 5: address 18 is no element");
    mixed.check_in(16).expect_err("the check finds it too");
}

#[proves("SGCR-06", "SGCR-10")]
#[test]
fn addresses_of_both_threads_of_5_2() {
    let tables = Tables {
        bases: vec![100, 200],
        offsets: vec![0, 3, 7],
        pixels: 2,
        ..tables(&request(figure13()))
    };
    assert_eq!(addresses(&tables, 0), [100, 103, 107]);
    assert_eq!(addresses(&tables, 1), [200, 203, 207]);
    // 15 elements of 4 bytes are 60 bytes, 100 bytes are 25 elements.
    let row = Convolution {
        stride: [1, 25],
        ..convolution(1, 41, [1, 16])
    };
    let bytes = super::tables(&Request {
        element_bytes: 4,
        ..request(row)
    });
    assert_eq!(bytes.bases, [0, 100]);
    assert_eq!(bytes.offsets[15], 60);
    // Element 13 of the list goes with element 13 of B.
    assert_eq!(weight_order(&request(convolution(1, 41, [1, 16])))[13], 13);
}

#[proves("SGCR-17")]
#[test]
fn any_order_of_the_taps_gives_the_same_sums() {
    let [a, b] = data();
    for running in [false, true] {
        let plain = Request {
            running,
            ..request(figure13())
        };
        let order = [7, 3, 8, 0, 2, 6, 1, 5, 4];
        let tables = reorder(&tables(&plain), &order);
        let expected = [9, 4, 10, 0, 2, 8, 1, 6, 5];
        assert_eq!(tables.distances(), expected);
        assert_eq!(tables.running, running);
        assert_eq!(
            gemm(&tables, 1, &order, &a, &b),
            Ok(vec![329, 259, 559, 372])
        );
        // Weights that do not follow give other sums.
        let wrong = gemm(&tables, 1, &weight_order(&plain), &a, &b);
        assert_ne!(wrong, Ok(vec![329, 259, 559, 372]));
    }
}

/// The example of 5.7.
fn figure15() -> Convolution {
    Convolution {
        channels: 2,
        images: 2,
        ..convolution(6, 7, [2, 3])
    }
}

#[proves("SGCR-37", "SGCR-38", "SGCR-39")]
#[test]
fn lists_and_addresses_of_figure_15() {
    let lists = index::tables(&figure15()).expect("a plain convolution");
    let (m_base, k_memory_offset) = &lists;
    assert_eq!(*k_memory_offset, [0, 1, 2, 7, 8, 9, 42, 43, 44, 49, 50, 51]);
    let expected = [
        0, 1, 2, 3, 4, 7, 8, 9, 10, 11, 14, 15, 16, 17, 18, 21, 22, 23, 24, 25, 28, 29, 30, 31, 32,
        84, 85, 86, 87, 88, 91, 92, 93, 94, 95, 98, 99, 100, 101, 102, 105, 106, 107, 108, 109,
        112, 113, 114, 115, 116,
    ];
    assert_eq!(*m_base, expected);
    assert_eq!(index::global_address(&lists, 31, 0, 8), (136, 8));
    assert_eq!(index::global_address(&lists, 49, 3, 11), (167, 3 * 12 + 11));
}

#[proves("SGCR-41")]
#[test]
fn tables_made_in_another_order_by_other_blocks_are_the_same() {
    let wanted = request(figure15());
    let tables = tables(&wanted);
    let offsets = heddle_blocks::offsets::compress::offsets_by_counters(&wanted);
    let bases = heddle_blocks::offsets::compress::bases_by_counters(&wanted);
    assert_eq!(offsets.expect("counters").expand(), tables.offsets);
    assert_eq!(bases.expect("counters").expand(), tables.bases);
    let (m_base, k_memory_offset) = index::tables(&figure15()).expect("a plain convolution");
    let expected = (wide(&tables.bases), wide(&tables.offsets));
    assert_eq!((m_base, k_memory_offset), expected);
    let dilated = Convolution {
        dilation: [1, 2],
        ..figure15()
    };
    assert_eq!(index::tables(&dilated), None);
}
