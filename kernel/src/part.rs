//! What a module does with its parts as a whole: clock them, drive them, let one follow another.
//!
//! Every operation has the three forms of a kernel: what the simulation does, which signals are
//! driven, and the statements of the syntax tree, in which a place is known by its name.

use crate::{Contract, Delay, MulS, Ram1r1w, RamLanes, Read, Reg, RegData, RegEn, StreamContract};
use rust_hdl_core::ast::{VerilogExpression, VerilogStatement};
use rust_hdl_core::direction::Direction;
use rust_hdl_core::prelude::*;

/// Adds `target = source` to a list of statements.
pub fn assign(target: &str, source: &str, list: &mut Vec<VerilogStatement>) {
    list.push(VerilogStatement::Assignment(
        VerilogExpression::Signal(format!("{target}$next")),
        VerilogExpression::Signal(source.into()),
    ));
}

/// A part of a module that gets the clock and the reset of the module.
pub trait Part {
    /// Drives the clock and the reset of the part, as far as it has them.
    fn clock(&mut self, _clk: Clock, _rst_n: Bit) {}
    /// Marks them as driven.
    fn connect_clock(&mut self) {}
    /// Adds the statements that drive them.
    fn clock_hdl(&self, _name: &str, _list: &mut Vec<VerilogStatement>) {}
    /// Adds the documentation of its members.
    fn docs(_name: &str, _fields: &mut Vec<(String, String)>) {}
}

/// A place that is driven: a signal, the input of a register, a bundle of them.
pub trait Sink {
    /// Marks it as driven.
    fn connect_sink(&mut self);
    /// Drives it with zeros.
    fn tie_low(&mut self);
    /// Adds the statements that drive it with zeros.
    fn low_hdl(&self, target: &str, list: &mut Vec<VerilogStatement>);
}

/// A place that can take the value of `S`, element by element and member by member.
pub trait Follow<S> {
    /// Takes the value.
    fn follow(&mut self, source: &S);
    /// Adds the statements for it.
    fn follow_hdl(&self, target: &str, source: &S, from: &str, list: &mut Vec<VerilogStatement>);
}

fn low(target: &str, list: &mut Vec<VerilogStatement>) {
    list.push(VerilogStatement::Assignment(
        VerilogExpression::Signal(format!("{target}$next")),
        VerilogExpression::Literal(0.into()),
    ));
}

impl<D: Direction, T: Synth> Part for Signal<D, T> {}
impl<T: Synth> Part for Constant<T> {}
impl<const A: usize, const B: usize, const P: usize> Part for MulS<A, B, P> {}

/// Parts with a clock and nothing else that the macros drive.
macro_rules! clocked {
    ([$($generics:tt)*] $name:ty) => {
        impl<$($generics)*> Part for $name {
            fn clock(&mut self, clk: Clock, _: Bit) {
                self.clk.next = clk;
            }
            fn connect_clock(&mut self) {
                self.clk.connect();
            }
            fn clock_hdl(&self, name: &str, list: &mut Vec<VerilogStatement>) {
                assign(&format!("{name}$clk"), "clk", list);
            }
        }
    };
}
clocked!([const AW: usize, const DW: usize] Ram1r1w<AW, DW>);
clocked!([const AW: usize, const DW: usize] RamLanes<AW, DW>);
clocked!([] Contract);
clocked!([const N: usize] StreamContract<N>);

impl<D: Direction, T: Synth> Sink for Signal<D, T> {
    fn connect_sink(&mut self) {
        self.connect();
    }
    fn tie_low(&mut self) {
        self.next = T::default();
    }
    fn low_hdl(&self, target: &str, list: &mut Vec<VerilogStatement>) {
        low(target, list);
    }
}

/// A direction whose signals can be read: all but tri-states.
pub trait Readable: Direction {
    /// The value of a signal.
    fn read<T: Synth>(signal: &Signal<Self, T>) -> T;
}

macro_rules! readable {
    ($($direction:ty),*) => {$(
        impl Readable for $direction {
            fn read<T: Synth>(signal: &Signal<Self, T>) -> T {
                signal.val()
            }
        }
    )*};
}
readable!(In, Out, Local);

impl<D: Direction, T: Synth, S: Read<Value = T>> Follow<S> for Signal<D, T> {
    fn follow(&mut self, source: &S) {
        self.next = source.read();
    }
    fn follow_hdl(&self, target: &str, source: &S, from: &str, list: &mut Vec<VerilogStatement>) {
        assign(target, &source.seen(from.to_string()), list);
    }
}

/// Registers: clocked, driven at `d_i`, read at `q_o`.
macro_rules! register {
    ($name:ident $(, $reset:ident)?) => {
        impl<T: Synth> Part for $name<T> {
            fn clock(&mut self, clk: Clock, _rst_n: Bit) {
                self.clk.next = clk;
                $(self.$reset.next = _rst_n;)?
            }
            fn connect_clock(&mut self) {
                self.clk.connect();
                $(self.$reset.connect();)?
            }
            fn clock_hdl(&self, name: &str, list: &mut Vec<VerilogStatement>) {
                assign(&format!("{name}$clk"), "clk", list);
                $(assign(&format!("{name}${}", stringify!($reset)), "rst_n", list);)?
            }
        }
        impl<T: Synth> Sink for $name<T> {
            fn connect_sink(&mut self) {
                self.d_i.connect();
            }
            fn tie_low(&mut self) {
                self.d_i.next = T::default();
            }
            fn low_hdl(&self, target: &str, list: &mut Vec<VerilogStatement>) {
                low(&format!("{target}$d_i"), list);
            }
        }
        impl<S, T: Synth> Follow<S> for $name<T>
        where
            Signal<In, T>: Follow<S>,
        {
            fn follow(&mut self, source: &S) {
                self.d_i.follow(source);
            }
            fn follow_hdl(
                &self,
                target: &str,
                source: &S,
                from: &str,
                list: &mut Vec<VerilogStatement>,
            ) {
                self.d_i
                    .follow_hdl(&format!("{target}$d_i"), source, from, list);
            }
        }
    };
}
register!(Reg, rst_n);
register!(RegEn, rst_n);
register!(RegData);
register!(Delay);

/// Arrays do what their elements do.
macro_rules! array {
    ([$($generics:tt)*] $name:ty) => {
        impl<T: Part, $($generics)*> Part for $name {
            fn clock(&mut self, clk: Clock, rst_n: Bit) {
                self.iter_mut().for_each(|x| x.clock(clk, rst_n));
            }
            fn connect_clock(&mut self) {
                self.iter_mut().for_each(Part::connect_clock);
            }
            fn clock_hdl(&self, name: &str, list: &mut Vec<VerilogStatement>) {
                for (i, x) in self.iter().enumerate() {
                    x.clock_hdl(&format!("{name}[{i}]"), list);
                }
            }
            fn docs(name: &str, fields: &mut Vec<(String, String)>) {
                T::docs(name, fields);
            }
        }
        impl<T: Sink, $($generics)*> Sink for $name {
            fn connect_sink(&mut self) {
                self.iter_mut().for_each(Sink::connect_sink);
            }
            fn tie_low(&mut self) {
                self.iter_mut().for_each(Sink::tie_low);
            }
            fn low_hdl(&self, target: &str, list: &mut Vec<VerilogStatement>) {
                for (i, x) in self.iter().enumerate() {
                    x.low_hdl(&format!("{target}[{i}]"), list);
                }
            }
        }
        array!(@follow [$($generics)*] $name, [], Vec<S>);
        array!(@follow [$($generics)*] $name, [const M: usize], [S; M]);
    };
    (@follow [$($generics:tt)*] $name:ty, [$($more:tt)*], $source:ty) => {
        impl<T: Follow<S>, S, $($generics)* $($more)*> Follow<$source> for $name {
            /// # Panics
            /// If the lengths differ.
            fn follow(&mut self, source: &$source) {
                assert_eq!(self.len(), source.len(), "arrays of one length");
                for (target, source) in self.iter_mut().zip(source) {
                    target.follow(source);
                }
            }
            fn follow_hdl(
                &self,
                target: &str,
                source: &$source,
                from: &str,
                list: &mut Vec<VerilogStatement>,
            ) {
                assert_eq!(self.len(), source.len(), "{target} and {from} differ in length");
                for (i, (x, source)) in self.iter().zip(source).enumerate() {
                    let (target, from) = (format!("{target}[{i}]"), format!("{from}[{i}]"));
                    x.follow_hdl(&target, source, &from, list);
                }
            }
        }
    };
}
array!([] Vec<T>);
array!([const N: usize,] [T; N]);
