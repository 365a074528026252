//! Fields of instructions against their bits and against a machine.

use super::fields::header;
use super::sparse::{OP_DRAIN, OP_SET};
use super::{
    ErrorCode, Instruction, IsaError, MAX_WORDS, Move, Pooling, ROW_EPILOGUE, Reduction,
    SPARSE_WORDS,
};
use crate::params::{MachineUnit, Params, Post};
use crate::word::WORD_BYTES;

impl Instruction {
    /// Checks that every field fits its bits in the instruction words.
    ///
    /// # Errors
    /// [`ErrorCode::BadField`] or [`ErrorCode::BadLength`].
    pub fn check(&self) -> Result<(), IsaError> {
        let field = |name, value: i64, low: i64, high: i64| {
            if (low..=high).contains(&value) {
                return Ok(());
            }
            let message = format!("{name} is {value}, expected {low} to {high}");
            Err(IsaError::new(ErrorCode::BadField, message))
        };
        let wait = self.wait();
        field(
            "loads that may be open",
            wait.loads.unwrap_or(0).into(),
            0,
            15,
        )?;
        field(
            "stores that may be open",
            wait.stores.unwrap_or(0).into(),
            0,
            15,
        )?;
        match self {
            Instruction::Halt { .. } | Instruction::Sync { .. } => {}
            Instruction::Load(Move { transfer, .. }) => {
                let own = transfer.check_load_of_program();
                own.map_err(|fault| fault.in_program("LOAD"))?;
                let words = transfer.encode();
                words.map_err(|fault| fault.in_program("LOAD"))?;
            }
            Instruction::Store(Move { transfer, .. }) => {
                let own = transfer.check_store();
                own.map_err(|fault| fault.in_program("STORE"))?;
                let words = transfer.encode();
                words.map_err(|fault| fault.in_program("STORE"))?;
            }
            Instruction::Sparse(command) => {
                let words = &command.words;
                if !(2..=SPARSE_WORDS).contains(&words.len()) {
                    let message =
                        format!("length is {}, expected 2 to {SPARSE_WORDS}", words.len());
                    return Err(IsaError::new(ErrorCode::BadLength, message));
                }
                let opcode = header::OPCODE.get(words[0]);
                field("opcode", opcode.into(), OP_SET.into(), OP_DRAIN.into())?;
            }
            Instruction::Copy(copy) => {
                let distance = copy.distance;
                field("rows", copy.rows.into(), 1, 256)?;
                field("distance", distance.into(), 0, 0xfff8)?;
                if distance % WORD_BYTES != 0 {
                    let message =
                        format!("distance is {distance}, expected a multiple of {WORD_BYTES}");
                    return Err(IsaError::new(ErrorCode::BadField, message));
                }
            }
            Instruction::LoadWeights(load) => {
                field("rows", load.rows.into(), 1, 256)?;
                field("tile_level", load.tile_level.into(), 0, 7)?;
                field("flip", load.flip.into(), 0, 31)?;
            }
            Instruction::Matmul(matmul) => {
                field("rows", matmul.rows.into(), 1, 256)?;
                field("tile_level", matmul.tile_level.into(), 0, 7)?;
                field("macs", matmul.macs.into(), 0, 0x1_ffff)?;
                let last_macs = matmul.table.map_or(0, |table| table.last_macs);
                field("last_macs", last_macs.into(), 0, 0x1_ffff)?;
                if let Some(repeat) = matmul.repeat {
                    field("times", repeat.times.into(), 1, 256)?;
                    field("operand step", repeat.step.into(), 0, 0xffff)?;
                }
            }
            Instruction::Drain(drain) => {
                let place = drain.place.unwrap_or_default();
                let tables = Post::ACTIVATIONS_MAX.into();
                field("columns", drain.columns.into(), 1, 256)?;
                field("tile", drain.tile.into(), 0, 1023)?;
                field("first column", place.first_column.into(), 0, 255)?;
                field("rotate", place.rotate.into(), 0, 255)?;
                field("lo", drain.lo.into(), -256, 255)?;
                field("hi", drain.hi.into(), -256, 255)?;
                field("activation", drain.activation.into(), 0, tables)?;
                let window = drain.pooling.map_or(1, |pooling| pooling.window);
                field("window", window.into(), 1, Pooling::WINDOW_MAX.into())?;
                field("advance", drain.advance.unwrap_or(0).into(), 0, 7)?;
            }
        }
        for block in self.record().map_or(&[][..], |r| &r.rows) {
            field("row", block.row.into(), 0, 7)?;
            field("loops", block.loops.len() as i64, 0, 8)?;
        }
        if self.words() > MAX_WORDS {
            let message = format!("length is {}, expected at most {MAX_WORDS}", self.words());
            return Err(IsaError::new(ErrorCode::BadLength, message));
        }
        Ok(())
    }

    /// Checks the instruction against the sizes of a machine, as its sequencer does.
    ///
    /// # Errors
    /// [`ErrorCode::BadField`] when a row, loop, column, column tile or tile level does not exist
    /// there, or a value of the record is wider than its addresses or offsets.
    pub fn check_machine(&self, params: &Params) -> Result<(), IsaError> {
        self.check()?;
        let most = |name: &str, value: u32, limit: u32| {
            if value <= limit {
                return Ok(());
            }
            let message = format!("{name} is {value}, this machine has at most {limit}");
            Err(IsaError::new(ErrorCode::BadField, message))
        };
        let dual_scale = |name: &str, is_set: bool| {
            if !is_set || params.post.dual_scale {
                return Ok(());
            }
            let message = format!("{name} is set, this machine does not have post.dual_scale");
            Err(IsaError::new(ErrorCode::BadField, message))
        };
        let has_cluster = |name: &str, is_set: bool| {
            if !is_set || params.has_cluster() {
                return Ok(());
            }
            let message = format!("{name} is set, this machine does not have sparse.engine");
            Err(IsaError::new(ErrorCode::BadField, message))
        };
        let wait = self.wait();
        if !params.programs_move() {
            if matches!(self, Instruction::Load(_) | Instruction::Store(_)) {
                let message = "the programs of this machine have no LOAD and STORE: it needs \
                    system.dma and program.memory \"separate\"";
                return Err(IsaError::new(ErrorCode::IllegalOpcode, message));
            }
            for (name, most) in [("loads", wait.loads), ("stores", wait.stores)] {
                if most.is_some() {
                    let message =
                        format!("a wait for {name} is set, the programs of this machine have none");
                    return Err(IsaError::new(ErrorCode::BadField, message));
                }
            }
        }
        let traversal = &params.traversal;
        let unit = match self {
            Instruction::Matmul(_) => MachineUnit::Stream,
            Instruction::Drain(_) => MachineUnit::Drain,
            _ => MachineUnit::Weights,
        };
        let loops = traversal.unit_loops(unit);
        let levels = loops.iter().max().map_or(0, |most| most - 1);
        match self {
            Instruction::Halt { .. }
            | Instruction::Sync { .. }
            | Instruction::Load(_)
            | Instruction::Store(_) => {}
            Instruction::Sparse(_) => has_cluster("a command of the sparse cluster", true)?,
            Instruction::Copy(copy) => most("rows", copy.rows, params.array.rows)?,
            Instruction::LoadWeights(load) => {
                most("rows", load.rows, params.array.rows)?;
                most("tile_level", load.tile_level, levels)?;
            }
            Instruction::Matmul(matmul) => {
                has_cluster("cluster", matmul.cluster)?;
                most("rows", matmul.rows, params.array.rows)?;
                most("tile_level", matmul.tile_level, levels)?;
                dual_scale("raised", matmul.raised)?;
            }
            Instruction::Drain(drain) => {
                let place = drain.place.unwrap_or_default();
                let post = &params.post;
                dual_scale("dual", drain.dual)?;
                most("activation", drain.activation.into(), post.activations)?;
                if let Some(pooling) = drain.pooling {
                    check_pooling(pooling, post)?;
                }
                most("columns", drain.columns, params.lanes())?;
                most("advance", drain.advance.unwrap_or(0).into(), levels)?;
                let behind = place.first_column + drain.columns;
                most("first column + columns", behind, params.array.cols)?;
                most("rotate", place.rotate, params.rotations() - 1)?;
                most("column tile", drain.tile.into(), params.column_tiles - 1)?;
            }
        }
        let mut rows = loops.len() as u32;
        if unit == MachineUnit::Stream {
            rows = rows.min(u32::from(ROW_EPILOGUE) + 1);
        }
        let limit = |bits: u32| u32::MAX >> (u32::BITS - bits);
        for block in self.record().map_or(&[][..], |r| &r.rows) {
            let of = |common| traversal.unit_field(unit, common);
            let row = format!("row ({})", of("traversal.rows"));
            most(&row, block.row.into(), rows - 1)?;
            let found = block.loops.len() as u32;
            let name = format!("loops of row {} ({})", block.row, of("traversal.loops"));
            most(&name, found, loops[usize::from(block.row)])?;
            most("base", block.base, limit(traversal.address_bits))?;
            for values in &block.loops {
                for (name, value) in [
                    ("initial", values.initial),
                    ("step", values.step),
                    ("end", values.end),
                ] {
                    most(name, value, limit(traversal.offset_bits))?;
                }
            }
        }
        Ok(())
    }
}

fn check_pooling(pooling: Pooling, post: &Post) -> Result<(), IsaError> {
    let exists = match pooling.reduction {
        _ if !post.pooling => false,
        Reduction::Max | Reduction::Min | Reduction::Sum => true,
        Reduction::Product => post.product,
        Reduction::Median => post.median > 0,
    };
    let fault = |message| Err(IsaError::new(ErrorCode::BadField, message));
    if !exists {
        let number = pooling.reduction.number();
        return fault(format!(
            "reduction is {number}, this machine does not have it"
        ));
    }
    if pooling.reduction == Reduction::Median && pooling.window > post.median {
        let (window, most) = (pooling.window, post.median);
        return fault(format!(
            "window is {window}, the median of this machine has at most {most}"
        ));
    }
    Ok(())
}
