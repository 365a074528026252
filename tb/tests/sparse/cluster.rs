//! The whole cluster, in lockstep with its model.

use std::sync::LazyLock;

use heddle_arch::Params;
use heddle_arch::isa::sparse::{
    ChannelScale, SparseCommand, SparseCut, SparseDrain, SparseError, SparseLoad, SparseRun,
    SparseWeights, UnitRegister,
};
use heddle_arch::params::Sparse;
use heddle_hdl::sparse::{SparseCluster, SparseShape};
use heddle_sim::sparse::{ClusterInputs, ClusterModel, ClusterOutputs, Counts};
use heddle_tb::verilate::Sources;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::rtl::{Checked, Coverage, Dut, OrPanic, emitted, run_seeds};

/// A cluster and its model.
pub(super) struct Bench {
    pub(super) dut: Dut,
    model: ClusterModel,
}

/// A stream into the cluster, offered in a share of the cycles; what is offered stays.
struct Stream<'a, T> {
    words: std::slice::Iter<'a, T>,
    offered: Option<T>,
    share: f64,
}

impl<'a, T: Copy> Stream<'a, T> {
    fn new(words: &'a [T], share: f64) -> Self {
        Self {
            words: words.iter(),
            offered: None,
            share,
        }
    }

    fn offer(&mut self, rng: &mut ChaCha8Rng) -> Option<T> {
        if self.offered.is_none() && rng.random_bool(self.share) {
            self.offered = self.words.next().copied();
        }
        self.offered
    }

    fn is_empty(&self) -> bool {
        self.offered.is_none() && self.words.len() == 0
    }
}

/// What goes into the cluster.
pub(super) struct Streams {
    pub(super) commands: Vec<u32>,
    pub(super) map: Vec<u64>,
    pub(super) weights: Vec<u64>,
}

/// What came of it.
pub(super) struct Ran {
    pub(super) out: Vec<u64>,
    pub(super) error: Option<SparseError>,
    words: u32,
}

impl Bench {
    pub(super) fn new(sources: &Sources, params: &Params, seed: u64) -> Self {
        Self {
            dut: Dut::new(sources, seed),
            model: ClusterModel::new(params),
        }
    }

    pub(super) fn step(&mut self, inputs: &ClusterInputs) -> Checked<ClusterOutputs> {
        let dut = &mut self.dut;
        dut.set("cmd_valid_i", inputs.command.is_some());
        dut.set("cmd_data_i", inputs.command.unwrap_or(0xffff_ffff));
        dut.set("map_valid_i", inputs.map.is_some());
        dut.set("map_data_i", inputs.map.unwrap_or(u64::MAX));
        dut.set("weight_valid_i", inputs.weight.is_some());
        dut.set("weight_data_i", inputs.weight.unwrap_or(u64::MAX));
        dut.set("out_ready_i", inputs.out_ready);
        dut.settle();
        let outputs = self.model.step(inputs);
        dut.check("cmd_ready_o", outputs.command_ready)?;
        dut.check("map_ready_o", outputs.map_ready)?;
        dut.check("weight_ready_o", outputs.weight_ready)?;
        dut.check("out_valid_o", outputs.out.is_some())?;
        if let Some((word, last)) = outputs.out {
            dut.check("out_data_o", word)?;
            dut.check("out_last_o", last)?;
        }
        dut.check("idle_o", outputs.idle)?;
        dut.check("error_o", outputs.error.map_or(0, SparseError::number))?;
        dut.check("words_o", outputs.words)?;
        dut.clock();
        Ok(outputs)
    }

    /// Runs a program to its end. `share` of the cycles have words of the streams, and take results.
    pub(super) fn run(
        &mut self,
        program: &Streams,
        share: f64,
        rng: &mut ChaCha8Rng,
    ) -> Checked<Ran> {
        let mut commands = Stream::new(&program.commands, share);
        let mut map = Stream::new(&program.map, share);
        let mut weights = Stream::new(&program.weights, share);
        let mut ran = Ran {
            out: Vec::new(),
            error: None,
            words: 0,
        };
        loop {
            let inputs = ClusterInputs {
                command: commands.offer(rng),
                map: map.offer(rng),
                weight: weights.offer(rng),
                out_ready: rng.random_bool(share),
            };
            let outputs = self.step(&inputs)?;
            commands.offered.take_if(|_| outputs.command_ready);
            map.offered.take_if(|_| outputs.map_ready);
            weights.offered.take_if(|_| outputs.weight_ready);
            ran.out.extend(
                outputs
                    .out
                    .filter(|_| inputs.out_ready)
                    .map(|(word, _)| word),
            );
            (ran.error, ran.words) = (outputs.error, outputs.words);
            if outputs.error.is_some() || outputs.idle && commands.is_empty() {
                break;
            }
        }
        Ok(ran)
    }

    /// What the model has counted.
    pub(super) fn counts(&self) -> Counts {
        self.model.counts
    }

    /// Entries that each unit has taken.
    pub(super) fn loaded(&self) -> Vec<u32> {
        let units = self.model.units().iter();
        units.map(|unit| unit.loaded().entries).collect()
    }

    /// The counters are those of the model.
    pub(super) fn check_counts(&mut self) -> Checked {
        let mut counts = self.model.counts.all().to_vec();
        if let Some(cut) = self.model.cut.result {
            counts.extend([cut.spread, cut.steps, u32::from(cut.ok)]);
        }
        // What has happened is counted.
        for _ in 0..4 {
            self.step(&ClusterInputs::default())?;
        }
        for (number, count) in counts.into_iter().enumerate() {
            self.dut.set("count_i", number as u64);
            self.step(&ClusterInputs::default())?;
            self.dut.check("count_o", count)?;
        }
        Ok(())
    }
}

fn params_2() -> Params {
    super::with(Sparse {
        units: 2,
        channels: 4,
        load_lanes: Some(4),
        map_entries: 64,
        weight_words: 64,
        lists: 16,
        sums: 256,
        tiles: 16,
        ..Sparse::default()
    })
}

static CLUSTER_2: LazyLock<Sources> =
    LazyLock::new(|| emitted(SparseCluster::new(SparseShape::of(&params_2()))));

/// Four values meet one word of weights. The scale is a half.
fn smallest() -> Vec<SparseCommand> {
    let units = 3;
    let all = |register| SparseCommand::Set(None, register);
    vec![
        all(vec![
            UnitRegister::PartRows(0..4),
            UnitRegister::PartCols(0..4),
            UnitRegister::Share(0),
        ]),
        all(vec![
            UnitRegister::WindowRows(false, 0..16),
            UnitRegister::WindowCols(false, 0..16),
        ]),
        SparseCommand::Drain(SparseDrain {
            discard: true,
            pitch: 4,
            area: 8,
            groups: 1,
            each: 1,
            size: [16, 16],
            ..SparseDrain::default()
        }),
        SparseCommand::Scale(
            3,
            0,
            vec![
                ChannelScale {
                    bias: 14,
                    multiplier: 1 << 30,
                    shift: 0,
                };
                4
            ],
        ),
        SparseCommand::Weights(SparseWeights {
            words: 1,
            units,
            ..SparseWeights::default()
        }),
        SparseCommand::Load(SparseLoad {
            lanes: 1,
            threshold: 127,
            size: [2, 2],
            chunks: 1,
            units,
            ..SparseLoad::default()
        }),
        SparseCommand::Set(Some(1), vec![UnitRegister::Share(1)]),
        SparseCommand::Run(SparseRun {
            chunks: 1,
            kernel: [1, 1],
            pitch: 4,
            area: 8,
            units,
            ..SparseRun::default()
        }),
        SparseCommand::Drain(SparseDrain {
            pitch: 4,
            area: 8,
            groups: 1,
            each: 1,
            size: [2, 2],
            tile: 3,
            bounds: [-128, 127],
            ..SparseDrain::default()
        }),
    ]
}

/// What is on the streams: values as [`smallest`] wants them, or more of them, none 0.
fn program(commands: &[SparseCommand]) -> Streams {
    let mut map = vec![5, 0, 0xfd, 1];
    map.extend([0x0101_0101; 96]);
    Streams {
        commands: commands.iter().flat_map(SparseCommand::words).collect(),
        map,
        weights: vec![0x8000, 0x16_0a_fc_06],
    }
}

/// The map of the program below, most of its values in the first row.
const MAP: [[i32; 4]; 4] = [[5, 6, 7, 8], [0, 0, 0, 9], [0; 4], [0; 4]];
/// Weights of its first layer, and of the second one at kernel row and column 1.
const WEIGHTS: [[i32; 4]; 2] = [[2, 4, -2, 0], [4, 2, 2, 0]];

/// Bytes of a position.
fn bytes(values: [i32; 4]) -> u64 {
    u64::from(u32::from_le_bytes(values.map(|value| value as u8)))
}

/// Two layers. The units have two rows each of the first one, and the cells of a cut of its results in the second one: that is the first row, and
/// all others. The first layer multiplies by a word of weights, the second one its channel 0 by that word and by another one.
fn cut_layers() -> (Streams, Vec<u64>) {
    let units = 3;
    let set = |unit, registers| SparseCommand::Set(unit, registers);
    let windows = |rows| {
        vec![
            UnitRegister::WindowRows(false, rows),
            UnitRegister::WindowCols(false, 0..16),
        ]
    };
    let channels = ChannelScale {
        bias: 0,
        multiplier: 1 << 30,
        shift: 0,
    };
    let drain = SparseDrain {
        pitch: 4,
        area: 8,
        groups: 1,
        each: 1,
        tile: 3,
        bounds: [-128, 127],
        ..SparseDrain::default()
    };
    let load = SparseLoad {
        lanes: 1,
        threshold: 127,
        size: [4, 4],
        chunks: 1,
        units,
        ..SparseLoad::default()
    };
    let run = SparseRun {
        chunks: 1,
        kernel: [1, 1],
        pitch: 4,
        area: 8,
        units,
        ..SparseRun::default()
    };
    let weights = |first, words| SparseWeights {
        first,
        words,
        list: first,
        half: first > 0,
        units,
    };
    let part = |rows| {
        vec![
            UnitRegister::PartRows(rows),
            UnitRegister::PartCols(0..4),
            UnitRegister::Share(0),
        ]
    };
    let commands = [
        set(None, windows(0..16)),
        set(None, part(0..2)),
        set(Some(1), part(2..4)),
        SparseCommand::Drain(SparseDrain {
            discard: true,
            size: [16, 16],
            ..drain.clone()
        }),
        set(Some(0), windows(0..2)),
        set(Some(1), windows(2..4)),
        SparseCommand::Scale(3, 0, vec![channels; 4]),
        SparseCommand::Weights(weights(0, 1)),
        SparseCommand::Load(load.clone()),
        SparseCommand::Run(run.clone()),
        SparseCommand::Drain(SparseDrain {
            count: true,
            size: [4, 4],
            ..drain.clone()
        }),
        SparseCommand::Weights(weights(1, 2)),
        SparseCommand::Cut(SparseCut {
            cells: [2, 1],
            region: true,
            halo: [1, 1],
            limits: [4, 4],
            size: [4, 4],
            tail: [1, 1],
            results: [1..4, 1..4],
            spread: 9,
            ..SparseCut::default()
        }),
        SparseCommand::Load(SparseLoad {
            set: 1,
            list: 1,
            ..load
        }),
        SparseCommand::Run(SparseRun {
            set: 1,
            half: true,
            region: true,
            kernel: [2, 2],
            ..run
        }),
        SparseCommand::Drain(SparseDrain {
            region: true,
            first: [1, 1],
            size: [3, 3],
            ..drain
        }),
    ];
    let values = MAP.into_iter().flatten();
    let first: Vec<u64> = values
        .clone()
        .map(|value| bytes(WEIGHTS[0].map(|weight| value * weight / 2)))
        .collect();
    let mut out = first.clone();
    for (row, col) in (0..9).map(|at| (at / 3, at % 3)) {
        let sum =
            |weights: (i32, i32)| MAP[row][col] * weights.0 + MAP[row + 1][col + 1] * weights.1;
        let sums = [0, 1, 2, 3].map(|lane| sum((WEIGHTS[0][lane], WEIGHTS[1][lane])) / 2);
        out.push(bytes(sums));
    }
    let program = Streams {
        commands: commands.iter().flat_map(SparseCommand::words).collect(),
        map: values.map(|value| value as u64).chain(first).collect(),
        weights: vec![
            0x8000,
            bytes(WEIGHTS[0]),
            0x8011_0000,
            bytes(WEIGHTS[0]),
            bytes(WEIGHTS[1]),
        ],
    };
    (program, out)
}

fn cut_programs(sources: &Sources, seed: u64) -> Checked<Coverage> {
    let mut coverage = Coverage::default();
    let mut bench = Bench::new(sources, &params_2(), seed);
    let mut rng = bench.dut.rng();
    let (program, out) = cut_layers();
    for share in [1.0, 0.3] {
        let ran = bench.run(&program, share, &mut rng)?;
        assert_eq!(ran.error, None);
        assert_eq!(ran.out, out);
        // Four values with three channels, and one.
        let result = bench.model.cut.result.expect("a map was cut");
        assert_eq!((result.spread, result.ok), (12 - 3, true));
        bench.check_counts()?;
    }
    coverage.event("ran", true);
    Ok(coverage)
}

#[proves("FSA-16", "FSA-26")]
#[test]
fn the_next_layer_runs_on_a_cut_of_what_has_been_counted() {
    run_seeds(|seed| cut_programs(&CLUSTER_2, seed));
}

fn small_programs(sources: &Sources, seed: u64) -> Checked<Coverage> {
    let mut coverage = Coverage::default();
    let mut bench = Bench::new(sources, &params_2(), seed);
    let mut rng = bench.dut.rng();
    for share in [1.0, 0.3] {
        let ran = bench.run(&program(&smallest()), share, &mut rng)?;
        assert_eq!(ran.error, None);
        let expected: Vec<u64> = [5i32, 0, -3, 1]
            .iter()
            .map(|value| {
                let bytes = [3, -2, 5, 11].map(|weight| (7 + value * weight) as u8);
                u64::from(u32::from_le_bytes(bytes))
            })
            .collect();
        assert_eq!(ran.out, expected);
        bench.check_counts()?;
    }
    coverage.event("ran", true);
    Ok(coverage)
}

/// What stops a cluster that runs [`smallest`] with a change, and how many words were before.
fn stopped(change: impl Fn(&mut Vec<SparseCommand>)) -> (Option<SparseError>, u32) {
    let mut commands = smallest();
    change(&mut commands);
    let mut bench = Bench::new(&CLUSTER_2, &params_2(), 1);
    let mut rng = bench.dut.rng();
    let ran = bench.run(&program(&commands), 1.0, &mut rng).or_panic();
    (ran.error, ran.words)
}

/// Words up to a command.
fn words_before(command: usize) -> u32 {
    let commands = smallest();
    let words = commands[..command].iter().map(|own| own.words().len());
    words.sum::<usize>() as u32
}

#[test]
fn a_cluster_stops_at_what_cannot_be_right() {
    const LOAD: usize = 5;
    const RUN: usize = 7;
    const DRAIN: usize = 8;
    assert_eq!(stopped(|_| ()).0, None);
    let found = stopped(|commands| {
        commands.remove(LOAD);
    });
    let load = SparseCommand::Load(SparseLoad {
        chunks: 1,
        ..SparseLoad::default()
    });
    let before = words_before(RUN + 1) - load.words().len() as u32;
    assert_eq!(found, (Some(SparseError::SparseOrder), before));
    // As many entries as a set has, and one more: the second value is a zero.
    let full = |size: [u32; 2]| {
        stopped(|commands| {
            commands[0] = SparseCommand::Set(
                None,
                vec![UnitRegister::PartRows(0..16), UnitRegister::PartCols(0..16)],
            );
            let SparseCommand::Load(load) = &mut commands[LOAD] else {
                panic!("a load")
            };
            load.size = size;
        })
        .0
    };
    assert_eq!(full([5, 13]), None);
    assert_eq!(full([6, 11]), Some(SparseError::MapFull));
    // The second chunk never comes; the drain waits for the run.
    let found = stopped(|commands| {
        let SparseCommand::Run(run) = &mut commands[RUN] else {
            panic!("a run")
        };
        run.chunks = 2;
    });
    assert_eq!(found, (Some(SparseError::Stuck), words_before(DRAIN + 1)));
    let found = stopped(|commands| {
        let SparseCommand::Drain(drain) = &mut commands[DRAIN] else {
            panic!("a drain")
        };
        drain.tile = 16;
    });
    assert_eq!(
        found,
        (Some(SparseError::BadField), words_before(DRAIN) + 4)
    );
}

#[test]
fn a_cluster_runs_small_programs() {
    run_seeds(|seed| small_programs(&CLUSTER_2, seed));
}
