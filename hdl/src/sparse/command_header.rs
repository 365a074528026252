//! What the header of a command says.

use super::{Command, SparseShape};
use heddle_arch::isa::fields::sparse::header;
use heddle_arch::isa::sparse::{OP_CUT, OP_DRAIN, OP_LOAD, OP_RUN, OP_SCALE, OP_SET, OP_WEIGHTS};
use heddle_kernel::prelude::*;

const SET: usize = OP_SET as usize;
const LOAD: usize = OP_LOAD as usize;
const WEIGHTS: usize = OP_WEIGHTS as usize;
const RUN: usize = OP_RUN as usize;
const DRAIN: usize = OP_DRAIN as usize;
const CUT: usize = OP_CUT as usize;
const SCALE: usize = OP_SCALE as usize;

/// Reads a header. A command for which nothing is built is not known.
///
/// # Timing
/// Combinational.
#[module(combinational, shape: SparseShape)]
pub struct CommandHeader {
    /// The header.
    pub word_i: Signal<In, Bits<32>>,
    /// Its command, if it is known.
    pub command_o: Signal<Out, Command>,
    /// It has a meaning.
    pub known_o: Signal<Out, Bit>,
    /// The length is not that of the command.
    pub bad_length_o: Signal<Out, Bit>,
    /// A bit is set that is not used.
    pub bad_field_o: Signal<Out, Bit>,
    /// Results may be counted.
    #[new(shape.census.into())]
    _census: Feature<"cs">,
    /// Sums are scaled.
    #[new(shape.post.into())]
    _posts: Feature<"ps">,
}

#[kernel]
impl CommandHeader {
    fn update(&mut self) {
        let length = field!(self.word_i, header::LENGTH);
        self.known_o = true;
        self.command_o = Command::Set;
        self.bad_length_o = false;
        match field!(self.word_i, header::OPCODE).index() {
            SET => {
                let is_short = length < 3;
                let is_long = length > 10;
                self.bad_length_o = is_short | is_long;
            }
            LOAD => {
                self.command_o = Command::Load;
                self.bad_length_o = length != 7;
            }
            WEIGHTS => {
                self.command_o = Command::Weights;
                self.bad_length_o = length != 5;
            }
            RUN => {
                self.command_o = Command::Run;
                self.bad_length_o = length != 4;
            }
            DRAIN => {
                self.command_o = Command::Drain;
                self.bad_length_o = length != 6;
            }
            CUT => {
                self.known_o = self._census > 0;
                self.command_o = Command::Cut;
                self.bad_length_o = length != 8;
            }
            SCALE => {
                self.known_o = self._posts > 0;
                self.command_o = Command::Scale;
                self.bad_length_o = length < 5;
            }
            _ => {
                self.known_o = false;
            }
        }
        self.bad_field_o = (field!(self.word_i, header::ZEROS[0]) != 0)
            | (field!(self.word_i, header::ZEROS[1]) != 0);
    }
}
