//! What stands around random programs: their words, tables of all rows, and all results to look at.

use heddle_arch::isa::{Drain, DrainPlace, Instruction, Matmul};
use heddle_arch::params::Params;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::build;
use super::pair::{HALT, Pair, row};
use super::programs::random_row_offset;

pub fn encode(program: &[Instruction]) -> Vec<u32> {
    program.iter().flat_map(Instruction::encode).collect()
}

/// Sends all results of both banks to the state buffer.
pub fn dump(rng: &mut ChaCha8Rng, params: &Params) -> Vec<Instruction> {
    let depth = params.results_buffer.depth;
    let epilogue = |bank| {
        Instruction::Matmul(Matmul {
            first: false,
            last: false,
            bank,
            threshold: 0,
            macs: 0,
            ..build::matmul(1, vec![row(2, 0, &[(depth, 1)])])
        })
    };
    let (cols, lanes) = (params.array.cols, params.lanes());
    let mut program = Vec::new();
    for (part, first_column) in (0..cols).step_by(lanes as usize).enumerate() {
        let place = DrainPlace {
            first_column,
            rotate: rng.random_range(0..params.rotations()),
        };
        let (columns, base) = (lanes.min(cols - first_column), part as u32 * 2 * depth);
        program.push(Instruction::Drain(Drain {
            single: rng.random(),
            dual: params.post.dual_scale && rng.random(),
            tile: rng.random_range(0..params.column_tiles) as u16,
            lo: -256,
            hi: 255,
            place: Some(place),
            ..build::drain(columns, base, &[(2 * depth, 1)])
        }));
        program.extend([epilogue(false), epilogue(true)]);
    }
    program.push(HALT);
    program
}

/// Writes a random offset to every entry of every row.
pub fn fill_tables(pair: &mut Pair, rng: &mut ChaCha8Rng) {
    let params = pair.params();
    for row in 0..params.array.rows {
        for entry in 0..params.state_buffer.row_offsets {
            pair.write_row_offset(row, entry, random_row_offset(rng, params));
        }
    }
}
