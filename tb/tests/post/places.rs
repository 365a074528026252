//! The way of the words to their partitions.

use heddle_arch::params::common_divisor;
use heddle_hdl::post::DrainPlace;
use heddle_sim::buffer::DrainWord;
use heddle_sim::post::DrainPlaceModel;
use rand::Rng;
use std::sync::LazyLock;

use crate::beside::{Design, Side};
use crate::rtl::{Checked, Coverage, Dut, check_mutants, emitted, run_seeds};

/// Rows and columns.
type Size = (usize, usize);

const PLACES: [Size; 7] = [(1, 1), (4, 4), (6, 4), (4, 6), (8, 2), (3, 7), (5, 3)];

/// All sizes side by side.
static ALL: LazyLock<Design<Size>> = LazyLock::new(|| {
    let side = |(rows, cols)| Side::new(&format!("r{rows}c{cols}"), (rows, cols));
    Design::new(PLACES.map(side).into(), "drain_places", "", |side| {
        let (rows, cols) = side.options;
        let ports = [
            ("rotate_i", 8, false),
            ("valid_i", cols, false),
            ("word_i", 13 * cols, false),
            ("data_i", 64 * cols, false),
            ("valid_o", rows, true),
            ("word_o", 13 * rows, true),
            ("data_o", 64 * rows, true),
        ];
        let sources = emitted(DrainPlace::new(rows, cols));
        side.part_with_ports(&sources, "", &ports, ("", &[]))
    })
});

/// Words of columns that lie one after another; the rotate changes when all words have passed.
/// `prefix` stands in front of the names of the ports.
fn random_places(dut: &mut Dut, prefix: &str, (rows, cols): Size) -> Checked<Coverage> {
    let [rotate_i, valid_i, word_i, data_i, valid_o, word_o, data_o] = [
        "rotate_i", "valid_i", "word_i", "data_i", "valid_o", "word_o", "data_o",
    ]
    .map(|port| format!("{prefix}{port}"));
    let mut rng = dut.rng();
    let mut model = DrainPlaceModel::new(rows, cols);
    let places = rows / common_divisor(rows as u32, cols as u32) as usize;
    let mut coverage = Coverage::default();
    dut.set(&valid_i, false);
    dut.clock();
    for _ in 0..60 {
        let rotate = rng.random_range(0..places);
        coverage.event("rotated", rotate > 0 || places == 1);
        let active = rng.random_range(1..=rows.min(cols));
        let first = rng.random_range(0..=cols - active);
        coverage.event(
            "other columns than the first ones",
            first > 0 || cols <= rows,
        );
        for cycle in 0..12 {
            let words: Vec<Option<DrainWord>> = (0..cols)
                .map(|column| {
                    let word = DrainWord {
                        word: rng.random_range(0..1 << 13),
                        data: rng.random(),
                    };
                    let writes = (first..first + active).contains(&column) && cycle > 0;
                    (writes && rng.random_bool(0.6)).then_some(word)
                })
                .collect();
            coverage.event("all at once", words.iter().flatten().count() == active);
            dut.set(&rotate_i, rotate as u64);
            dut.set_all(&valid_i, words.iter().map(|word| word.is_some().into()));
            // What is on the inputs without a word is no word.
            let noise = DrainWord {
                word: rng.random_range(0..1 << 13),
                data: rng.random(),
            };
            dut.set_all(
                &word_i,
                words.iter().map(|w| w.unwrap_or(noise).word.into()),
            );
            dut.set_all(&data_i, words.iter().map(|w| w.unwrap_or(noise).data));
            dut.settle();
            for (partition, word) in model.step(rotate, &words).into_iter().enumerate() {
                dut.check_element(&valid_o, partition, rows, word.is_some())?;
                if let Some(word) = word {
                    dut.check_element(&word_o, partition, rows, word.word)?;
                    dut.check_element(&data_o, partition, rows, word.data)?;
                }
            }
            dut.clock();
        }
    }
    Ok(coverage)
}

#[proves("PET-20", "PET-23")]
#[test]
fn words_of_a_column_go_to_the_chosen_partition() {
    run_seeds(|seed| {
        let mut coverage = Coverage::default();
        let mut dut = Dut::new(&ALL.sources, seed);
        for side in &ALL.sides {
            let prefix = format!("{}_", side.name);
            coverage.add(random_places(&mut dut, &prefix, side.options)?);
        }
        Ok(coverage)
    });
}

#[proves("PET-53")]
#[test]
fn on_a_square_array_columns_are_wired_to_their_partitions() {
    let mut dut = Dut::new(&ALL.sources, 1);
    let mut rng = dut.rng();
    let mut before: Option<[Option<u64>; 4]> = None;
    for _ in 0..200 {
        // The rotate has nothing to choose.
        dut.set("r4c4_rotate_i", rng.random::<u8>());
        let words: [Option<u64>; 4] =
            std::array::from_fn(|_| rng.random_bool(0.5).then(|| rng.random()));
        dut.set_all(
            "r4c4_valid_i",
            words.iter().map(|word| word.is_some().into()),
        );
        dut.set_all("r4c4_word_i", words.iter().map(|_| 0));
        dut.set_all(
            "r4c4_data_i",
            words.iter().map(|word| word.unwrap_or_default()),
        );
        dut.settle();
        for (partition, word) in before.iter().flatten().enumerate() {
            let valid = dut.check_element("r4c4_valid_o", partition, 4, word.is_some());
            let data = word.map_or(Ok(()), |data| {
                dut.check_element("r4c4_data_o", partition, 4, data)
            });
            valid.and(data).unwrap();
        }
        dut.clock();
        before = Some(words);
    }
}

#[test]
fn faults_of_the_way_to_the_partitions_are_noticed() {
    let sources = emitted(DrainPlace::new(6, 4));
    let mutants = [
        ("heddle_drain_place", "valid_q <=", "valid_q <= 6'd1 |"),
        ("heddle_drain_rotate", "if (rotate_i)", "if (!rotate_i)"),
    ];
    check_mutants(&sources, &mutants, |sources, seed| {
        random_places(&mut Dut::new(sources, seed), "", (6, 4))
    });
}
