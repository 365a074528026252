//! The instructions of a layer on the sparse cluster.
//!
//! Tensors, column tiles and drains are those of the array. In place of weights and products stand commands of the cluster. Behind each load
//! comes a MATMUL whose operands it takes, and in front of each drain of the cluster a DRAIN with the addresses of its results: one
//! for each run of column tiles with equal columns.

use heddle_arch::isa::sparse::SparseCommand as Command;
use heddle_arch::isa::{Instruction, Matmul, ROW_TENSOR, Record, RowBlock, SparseCommand, Wait};
use heddle_arch::params::MachineUnit;
use heddle_arch::requantise::threshold;

use super::column_run::ColumnRun;
use super::layer::PlacedLayer;
use super::pixel_tiles::PixelTile;
use crate::loops::{Count, merge, unroll};
use crate::sparse::{MapPart, Part, ResultPart, Span, of_groups};

/// A layer for the cluster.
#[derive(Debug, Clone)]
pub(crate) struct ClusterLayer {
    /// Commands and weights.
    pub parts: Vec<Part>,
    /// Distance of the input rows and columns that are loaded.
    pub step: [u32; 2],
    /// Cycles by estimate.
    pub cycles: u64,
}

impl ClusterLayer {
    /// What the host sends once: commands and their weight words.
    pub fn fills(&self) -> impl Iterator<Item = (&Command, &Vec<u64>)> {
        self.parts.iter().filter_map(|part| match part {
            Part::Weights(command, words) => Some((command, words)),
            _ => None,
        })
    }
}

impl PlacedLayer<'_> {
    /// All instructions of the layer on the cluster, HALT excluded.
    pub fn cluster_instructions(&self, layer: &ClusterLayer) -> Vec<Instruction> {
        let mut instructions = Vec::new();
        // A load of more chunks than there are sets waits for its run: only one of its MATMULs may stand in front of that.
        let mut behind_run = Vec::new();
        for part in &layer.parts {
            match part {
                Part::Alone(command) => {
                    instructions.push(instruction(command));
                    if matches!(command, Command::Run(_)) {
                        instructions.append(&mut behind_run);
                    }
                }
                Part::Load(command, map) => {
                    instructions.append(&mut behind_run);
                    instructions.push(instruction(command));
                    let mut operands = self.operands_of(map, layer.step);
                    behind_run = operands.split_off(1);
                    instructions.extend(operands);
                }
                Part::Drain(drain, results) => {
                    instructions.append(&mut behind_run);
                    for groups in self.equal_columns(&results.groups) {
                        instructions.push(self.results(results, &groups));
                        let first = results.groups.start;
                        let groups = groups.start - first..groups.end - first;
                        let mut drain = of_groups(drain, &groups);
                        drain.tile += self.first_column_tile;
                        instructions.push(instruction(&Command::Drain(drain)));
                    }
                }
                // The host has sent them.
                Part::Weights(..) => {}
            }
        }
        instructions
    }

    /// The operands that a load takes: a slot for each position, plane by plane.
    fn operands_of(&self, map: &MapPart, [down, right]: [u32; 2]) -> Vec<Instruction> {
        let tensor = self.inputs[0];
        let lanes = self.weights.lanes;
        let planes = map.channels.start / lanes..map.channels.end.div_ceil(lanes);
        let mut loops = merge(&[
            Count::new(map.cols.len() as u32, right),
            Count::new(map.rows.len() as u32, down * tensor.pitch),
            Count::new(planes.len() as u32, tensor.plane_stride),
        ]);
        if loops.is_empty() {
            loops.push(Count::new(1, 1));
        }
        let traversal = &self.params.traversal;
        let room = traversal.row_loops(MachineUnit::Stream, ROW_TENSOR) as usize;
        let (kept, offsets) = unroll(&loops, room);
        let [row, col] = [map.rows.start * down, map.cols.start * right];
        let base = tensor.address(planes.start, row.into(), col.into());
        let matmul = |offset| {
            Instruction::Matmul(Matmul {
                rows: self.params.array.rows,
                first: false,
                last: false,
                cluster: true,
                threshold: threshold(self.layer.inputs[0].zero_point),
                record: Record {
                    rows: vec![RowBlock {
                        row: ROW_TENSOR,
                        base: base + offset,
                        loops: self.registers(&kept),
                    }],
                },
                ..Matmul::default()
            })
        };
        offsets.into_iter().map(matmul).collect()
    }

    /// Addresses and scales of the results of some column tiles.
    fn results(&self, results: &ResultPart, groups: &Span) -> Instruction {
        let run = ColumnRun {
            tiles: groups.clone(),
            k_tiles: 1,
            plane_step: 0,
        };
        let tile = PixelTile {
            y: results.rows.start,
            x: results.cols.start,
            height: results.rows.len() as u32,
            width: results.cols.len() as u32,
        };
        self.drain(&run, &tile)
    }

    /// Column tiles that one drain may have: all of them but the last one have all columns. Each alone if a drain has no loop for them.
    fn equal_columns(&self, groups: &Span) -> Vec<Span> {
        let loops = self.params.traversal.row_loops(MachineUnit::Drain, 0);
        let columns = |tile: u32| self.weights.columns(tile);
        let mut runs: Vec<Span> = Vec::new();
        for tile in groups.clone() {
            match runs.last_mut() {
                Some(run) if loops > 2 && columns(run.start) == columns(tile) => run.end += 1,
                _ => runs.push(tile..tile + 1),
            }
        }
        runs
    }
}

/// A command as an instruction.
fn instruction(command: &Command) -> Instruction {
    Instruction::Sparse(SparseCommand {
        wait: Wait::default(),
        words: command.words(),
    })
}
