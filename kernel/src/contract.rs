//! What must hold while a module works. Contracts are no part of the logic: the emitter prints them when it is
//! asked to, behind `ifdef HEDDLE_ASSERT`, and nothing of them otherwise.

use super::meta::Meta;
use super::v;
use rust_hdl_core::prelude::*;

/// `holds_i` is high at every rising edge of the clock outside of the reset.
#[derive(LogicBlock)]
pub struct Contract {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// What must hold.
    pub holds_i: Signal<In, Bit>,
    _text: String,
}

impl Contract {
    /// A contract that says this, in one line without quotation marks.
    pub fn new(text: &str) -> Self {
        Self {
            clk: Default::default(),
            holds_i: Default::default(),
            _text: text.into(),
        }
    }
}

impl Logic for Contract {
    fn update(&mut self) {}
    fn hdl(&self) -> Verilog {
        Verilog::Custom("contract".into())
    }
    fn timing(&self) -> Vec<TimingInfo> {
        let meta = Meta::prim("contract").attribute("text", &*self._text);
        meta.into_timing()
    }
}

/// A stream whose words wait: while `valid_i` is high and `ready_i` low, `valid_i` stays high and the words stay
/// as they are.
#[derive(LogicBlock)]
pub struct StreamContract<const N: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// The words are there.
    pub valid_i: Signal<In, Bit>,
    /// The words are taken.
    pub ready_i: Signal<In, Bit>,
    /// The words.
    pub word_i: Vec<Signal<In, Bits<N>>>,
    _text: String,
}

impl<const N: usize> StreamContract<N> {
    /// A contract about a stream of this name and so many words.
    pub fn new(name: &str, words: usize) -> Self {
        Self {
            clk: Default::default(),
            valid_i: Default::default(),
            ready_i: Default::default(),
            word_i: v(words),
            _text: format!("{name} changes while it waits"),
        }
    }
}

impl<const N: usize> Logic for StreamContract<N> {
    fn update(&mut self) {}
    fn hdl(&self) -> Verilog {
        Verilog::Custom("contract".into())
    }
    fn timing(&self) -> Vec<TimingInfo> {
        let meta = Meta::prim("stream_contract").attribute("text", &*self._text);
        meta.into_timing()
    }
}
