//! The emitted post-processing against its golden model, every output in every cycle.

mod rtl;

use std::sync::LazyLock;

use heddle_arch::params::common_divisor;
use heddle_hdl::post::{DrainPlace, POST_LATENCY, Post};
use heddle_sim::buffer::DrainWord;
use heddle_sim::post::{DrainPlaceModel, ParameterWrite, PostInputs, PostModel, PostSettings};
use heddle_tb::verilate::Sources;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use rtl::{Checked, Coverage, Dut, check_mutants, emitted, run_seeds};

const TILES: usize = 4;

static ONE: LazyLock<Sources> = LazyLock::new(|| emitted(Post::new(1, TILES)));
static THREE: LazyLock<Sources> = LazyLock::new(|| emitted(Post::new(3, TILES)));

/// Design and model side by side.
struct Bench {
    dut: Dut,
    model: PostModel,
    cols: usize,
    settings: PostSettings,
    /// Words stored by each lane.
    stored: Vec<Vec<DrainWord>>,
    noise: ChaCha8Rng,
}

impl Bench {
    fn new(sources: &Sources, cols: usize, seed: u64) -> Self {
        let dut = Dut::new(sources, seed);
        Self {
            noise: dut.rng(),
            model: PostModel::new(cols, TILES, POST_LATENCY),
            cols,
            settings: PostSettings {
                single: false,
                low: -128,
                high: 127,
            },
            stored: vec![Vec::new(); cols],
            dut,
        }
    }

    /// One clock cycle: drives both, compares all outputs.
    fn step(&mut self, slot: &PostInputs, accs: &[i32]) -> Checked {
        let dut = &mut self.dut;
        dut.set("load_i", slot.load);
        dut.set("tile_i", slot.tile);
        dut.set("skip_i", slot.skip);
        dut.set("cols_i", slot.columns);
        dut.set("valid_i", slot.valid);
        dut.set("dest_i", slot.destination);
        dut.set("flush_i", slot.flush);
        dut.set("single_i", self.settings.single);
        dut.set_signed("lo_i", self.settings.low);
        dut.set_signed("hi_i", self.settings.high);
        dut.set("pw_valid_i", slot.write.valid);
        dut.set("pw_column_i", slot.write.column);
        dut.set("pw_tile_i", slot.write.tile);
        dut.set("pw_data_i", slot.write.data);
        dut.set_all("acc_i", accs.iter().map(|a| *a as u64));
        dut.settle();

        let expected = self.model.step(slot, self.settings, accs);
        for (lane, word) in expected.into_iter().enumerate() {
            dut.check_element("dr_valid_o", lane, self.cols, word.is_some())?;
            if let Some(word) = word {
                dut.check_element("dr_word_o", lane, self.cols, word.word)?;
                dut.check_element("dr_data_o", lane, self.cols, word.data)?;
                self.stored[lane].push(word);
            }
        }
        dut.clock();
        Ok(())
    }

    /// Slots and sums without meaning in `cycles` clock cycles.
    fn idle(&mut self, cycles: usize) -> Checked {
        for _ in 0..cycles {
            let slot = PostInputs {
                tile: self.noise.random_range(0..TILES as u8),
                skip: self.noise.random_range(0..3),
                columns: self.noise.random_range(0..4),
                destination: self.noise.random(),
                flush: self.noise.random(),
                ..PostInputs::default()
            };
            let accs: Vec<i32> = (0..self.cols).map(|_| self.noise.random()).collect();
            self.step(&slot, &accs)?;
        }
        Ok(())
    }

    /// Waits until everything has left, so that the settings may change.
    fn finish(&mut self) -> Checked {
        self.idle(POST_LATENCY + self.cols + 3)
    }

    fn write_scale(&mut self, column: u8, tile: u8, multiplier: i32, shift: i32) -> Checked {
        let slot = PostInputs {
            write: ParameterWrite {
                valid: true,
                column,
                tile,
                data: (shift as u64 & 0x3f) << 32 | multiplier as u64,
            },
            ..PostInputs::default()
        };
        let accs = vec![0; self.cols];
        self.step(&slot, &accs)
    }

    fn load(&mut self, tile: u8, skip: u16, columns: u16) -> Checked {
        let slot = PostInputs {
            load: true,
            tile,
            skip,
            columns,
            ..PostInputs::default()
        };
        let accs = vec![0; self.cols];
        self.step(&slot, &accs)
    }

    fn drain(&mut self, destination: u16, flush: bool, accs: &[i32]) -> Checked {
        let slot = PostInputs {
            valid: true,
            destination,
            flush,
            ..PostInputs::default()
        };
        self.step(&slot, accs)
    }
}

/// One recorded scaling.
#[derive(serde::Deserialize)]
struct Vector {
    acc: i32,
    multiplier: i32,
    shift: i32,
    rounding: String,
    zero_point: i16,
    min: i16,
    max: i16,
    expected: i16,
}

#[test]
fn lane_reproduces_the_recorded_scalings() {
    let text = include_str!("../../arch/tests/data/requantise.json");
    let vectors: Vec<Vector> = serde_json::from_str(text).expect("the vector file is valid");
    let mut bench = Bench::new(&ONE, 1, 1);
    for v in &vectors {
        bench.settings = PostSettings {
            single: v.rounding == "single",
            low: v.min - v.zero_point,
            high: v.max - v.zero_point,
        };
        bench.write_scale(0, 1, v.multiplier, v.shift).unwrap();
        bench.load(1, 0, 1).unwrap();
        bench.drain(0, true, &[v.acc]).unwrap();
        bench.finish().unwrap();
        let word = bench.stored[0].pop().expect("one word per vector");
        assert_eq!(
            word.data,
            (v.expected - v.zero_point) as u64 & 0xff,
            "acc {}, multiplier {}, shift {}, {}",
            v.acc,
            v.multiplier,
            v.shift,
            v.rounding
        );
    }
    assert!(vectors.len() > 2000);
}

#[test]
fn words_leave_when_the_address_leaves_them_or_at_the_flush() {
    let mut bench = Bench::new(&THREE, 3, 1);
    for column in 0..3 {
        // Scale 1: 2^30 with a left shift of 1.
        bench.write_scale(column, 2, 1 << 30, 1).unwrap();
    }
    bench.load(2, 0, 2).unwrap();
    bench.drain(8, false, &[1, 2, 3]).unwrap();
    bench.drain(9, false, &[4, 5, 6]).unwrap();
    bench.idle(3).unwrap();
    bench.drain(17, false, &[7, 8, 9]).unwrap();
    bench.drain(30, true, &[10, 11, 12]).unwrap();
    bench.drain(31, true, &[13, 14, 15]).unwrap();
    bench.finish().unwrap();
    let words: Vec<Vec<(u16, u64)>> = bench
        .stored
        .iter()
        .map(|lane| lane.iter().map(|w| (w.word, w.data)).collect())
        .collect();
    // Sums travel with the slots here, so column 1 gets the sums of the slot before.
    assert_eq!(words[0].len(), 4);
    assert_eq!(words[0][0], (1, 0x0401));
    assert_eq!(words[0][1], (2, 0x0700));
    assert_eq!(words[0][2], (3, 10 << 48));
    assert_eq!(words[0][3], (3, 13 << 56));
    assert_eq!(words[1].len(), 4);
    assert_eq!(words[2], []);
}

/// A sum: small, large or anything.
fn random_acc(rng: &mut ChaCha8Rng) -> i32 {
    match rng.random_range(0..5) {
        0 => rng.random_range(-300..300),
        1 => i32::MIN + rng.random_range(0..3),
        2 => i32::MAX - rng.random_range(0..3),
        3 => rng.random::<i32>() >> rng.random_range(0..24),
        _ => rng.random(),
    }
}

fn random_scale(rng: &mut ChaCha8Rng) -> (i32, i32) {
    let multiplier = match rng.random_range(0..6) {
        0 => 0,
        1 => 1 << 30,
        2 => i32::MAX,
        _ => rng.random_range(1 << 30..=i32::MAX),
    };
    let shift = match rng.random_range(0..4) {
        0 => rng.random_range(-31..=30),
        1 => rng.random_range(-31..-20),
        _ => rng.random_range(-16..=1),
    };
    (multiplier, shift)
}

/// Random drains; several of them share their settings and follow one another at once.
fn random_drains(sources: &Sources, cols: usize, seed: u64) -> Checked<Coverage> {
    let mut bench = Bench::new(sources, cols, seed);
    let mut rng = bench.dut.rng();
    let mut coverage = Coverage::default();
    for _ in 0..60 {
        for column in 0..cols as u8 + 1 {
            for tile in 0..TILES as u8 {
                let (multiplier, shift) = random_scale(&mut rng);
                bench.write_scale(column, tile, multiplier, shift)?;
                coverage.event("multiplier zero", multiplier == 0);
                coverage.event("left shift", shift > 0);
                coverage.event("longest right shift", shift == -31);
            }
        }
        let low = rng.random_range(-256..=0);
        bench.settings = PostSettings {
            single: rng.random(),
            low,
            high: rng.random_range(low..=255),
        };
        coverage.event("single rounding", bench.settings.single);
        coverage.event("double rounding", !bench.settings.single);
        for part in 0..rng.random_range(1..4) {
            coverage.event("drain right after a drain", part > 0);
            let columns = rng.random_range(0..=cols as u16);
            coverage.event(
                "drain of some columns",
                columns > 0 && columns < cols as u16 || cols == 1,
            );
            coverage.event("drain of no column", columns == 0);
            let skip = rng.random_range(0..=cols as u16 - columns);
            coverage.event("columns before the first one", skip > 0);
            bench.load(rng.random_range(0..TILES as u8), skip, columns)?;
            let mut destination: u16 = rng.random();
            let length = rng.random_range(1..40);
            for index in 0..length {
                while rng.random_bool(0.2) {
                    bench.idle(1)?;
                    coverage.event("gap inside a drain", true);
                }
                let accs: Vec<i32> = (0..cols).map(|_| random_acc(&mut rng)).collect();
                let flush = index + 1 == length || rng.random_bool(0.05);
                bench.drain(destination, flush, &accs)?;
                let next = match rng.random_range(0..6) {
                    0 => rng.random(),
                    1 => destination.wrapping_add(8),
                    _ => destination.wrapping_add(1),
                };
                let moves = next >> 3 != destination >> 3;
                coverage.event("word left by its address", moves && !flush);
                coverage.event("flush within a word", flush && !moves);
                coverage.event("next word behind a flush", flush && moves);
                destination = next;
            }
        }
        bench.finish()?;
    }
    let stored: usize = bench.stored.iter().map(Vec::len).sum();
    coverage.event("many words stored", stored > 100);
    Ok(coverage)
}

#[test]
fn one_lane_follows_its_model() {
    run_seeds(|seed| random_drains(&ONE, 1, seed));
}

#[test]
fn three_lanes_follow_their_model() {
    run_seeds(|seed| random_drains(&THREE, 3, seed));
}

/// Words of columns that lie one behind another; the turn changes when all words have passed.
fn random_places(sources: &Sources, rows: usize, cols: usize, seed: u64) -> Checked<Coverage> {
    let mut dut = Dut::new(sources, seed);
    let mut rng = dut.rng();
    let mut model = DrainPlaceModel::new(rows, cols);
    let places = rows / common_divisor(rows as u32, cols as u32) as usize;
    let mut coverage = Coverage::default();
    for _ in 0..60 {
        let turn = rng.random_range(0..places);
        coverage.event("turned", turn > 0 || places == 1);
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
            dut.set("turn_i", turn as u64);
            dut.set_all("valid_i", words.iter().map(|word| word.is_some().into()));
            // What stands on the inputs without a word is no word.
            let noise = DrainWord {
                word: rng.random_range(0..1 << 13),
                data: rng.random(),
            };
            dut.set_all(
                "word_i",
                words.iter().map(|w| w.unwrap_or(noise).word.into()),
            );
            dut.set_all("data_i", words.iter().map(|w| w.unwrap_or(noise).data));
            dut.settle();
            for (partition, word) in model.step(turn, &words).into_iter().enumerate() {
                dut.check_element("valid_o", partition, rows, word.is_some())?;
                if let Some(word) = word {
                    dut.check_element("word_o", partition, rows, word.word)?;
                    dut.check_element("data_o", partition, rows, word.data)?;
                }
            }
            dut.clock();
        }
    }
    Ok(coverage)
}

const PLACES: [(usize, usize); 7] = [(1, 1), (4, 4), (6, 4), (4, 6), (8, 2), (3, 7), (5, 3)];

#[test]
fn pet_20_pet_23_words_of_a_column_go_to_the_chosen_partition() {
    for (rows, cols) in PLACES {
        let sources = emitted(DrainPlace::new(rows, cols));
        run_seeds(|seed| random_places(&sources, rows, cols, seed));
    }
}

#[test]
fn pet_53_on_a_square_array_columns_are_wired_to_their_partitions() {
    let mut dut = Dut::new(&emitted(DrainPlace::new(4, 4)), 1);
    let mut rng = dut.rng();
    let mut before: Option<[Option<u64>; 4]> = None;
    for _ in 0..200 {
        // The turn has nothing to choose.
        dut.set("turn_i", rng.random::<u8>());
        let words: [Option<u64>; 4] =
            std::array::from_fn(|_| rng.random_bool(0.5).then(|| rng.random()));
        dut.set_all("valid_i", words.iter().map(|word| word.is_some().into()));
        dut.set_all("word_i", words.iter().map(|_| 0));
        dut.set_all("data_i", words.iter().map(|word| word.unwrap_or_default()));
        dut.settle();
        for (partition, word) in before.iter().flatten().enumerate() {
            let valid = dut.check_element("valid_o", partition, 4, word.is_some());
            let data = word.map_or(Ok(()), |data| {
                dut.check_element("data_o", partition, 4, data)
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
        ("heddle_drain_turn", "if (turn_i)", "if (!turn_i)"),
    ];
    check_mutants(&sources, &mutants, |sources, seed| {
        random_places(sources, 6, 4, seed)
    });
}

#[test]
fn faults_are_noticed() {
    let mutants = [
        ("heddle_gatherer", "valid_i & flush_i", "flush_i"),
        ("heddle_gatherer", "complete_q | (valid_i", "(valid_i"),
        ("heddle_requantise", "= !single_i", "= 1'b1"),
        ("heddle_rounding_shift", "halves_up_i | ", ""),
        (
            "heddle_post_lane",
            "pw_column_q <= pw_column_i - 8'd1",
            "pw_column_q <= pw_column_i",
        ),
        ("heddle_post_lane", "skip_i - 8'd1", "skip_i"),
    ];
    check_mutants(&THREE, &mutants, |sources, seed| {
        random_drains(sources, 3, seed)
    });
}
