//! What a kernel reads and drives by the name of a place alone: a signal is its value, a register is
//! read at `q_o` and driven at `d_i`.

use crate::part::{Readable, Sink};
use crate::{Delay, Reg, RegData, RegEn};
use rust_hdl_core::direction::Direction;
use rust_hdl_core::prelude::*;

/// A place with a value.
pub trait Read {
    /// Type of the value.
    type Value;
    /// The value.
    fn read(&self) -> Self::Value;
    /// Name of the value of the place of this name.
    fn seen(&self, name: String) -> String;
}

/// A place that takes a value.
pub trait Drive: Sink {
    /// Type of the value.
    type Value;
    /// Takes the value.
    fn drive(&mut self, value: Self::Value);
    /// Name of what is driven in the place of this name.
    fn driven(&self, name: String) -> String;
}

impl<D: Readable, T: Synth> Read for Signal<D, T> {
    type Value = T;
    fn read(&self) -> T {
        D::read(self)
    }
    fn seen(&self, name: String) -> String {
        name
    }
}

impl<T: Synth> Read for Constant<T> {
    type Value = T;
    fn read(&self) -> T {
        self.val()
    }
    fn seen(&self, name: String) -> String {
        name
    }
}

impl<D: Direction, T: Synth> Drive for Signal<D, T> {
    type Value = T;
    fn drive(&mut self, value: T) {
        self.next = value;
    }
    fn driven(&self, name: String) -> String {
        name
    }
}

macro_rules! register {
    ($($name:ident)*) => {$(
        impl<T: Synth> Read for $name<T> {
            type Value = T;
            fn read(&self) -> T {
                self.q_o.val()
            }
            fn seen(&self, name: String) -> String {
                name + "$q_o"
            }
        }
        impl<T: Synth> Drive for $name<T> {
            type Value = T;
            fn drive(&mut self, value: T) {
                self.d_i.next = value;
            }
            fn driven(&self, name: String) -> String {
                name + "$d_i"
            }
        }
    )*};
}
register!(Reg RegEn RegData Delay);
