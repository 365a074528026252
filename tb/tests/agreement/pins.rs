use rust_hdl_core::prelude::*;

/// A value on a pin, at most 64 bits.
pub trait PinValue: Synth {
    /// The value with these low bits; higher bits are ignored.
    fn from_pin(bits: u64) -> Self;
    /// The value as bits.
    fn to_pin(self) -> u64;
}

impl PinValue for bool {
    fn from_pin(bits: u64) -> Self {
        bits & 1 == 1
    }
    fn to_pin(self) -> u64 {
        u64::from(self)
    }
}

impl<const N: usize> PinValue for Bits<N> {
    fn from_pin(bits: u64) -> Self {
        assert!(
            (1..=64).contains(&N),
            "a pin has {N} bits, expected 1 to 64"
        );
        Bits::from(bits & (u64::MAX >> (64 - N)))
    }
    fn to_pin(self) -> u64 {
        self.to_u64()
    }
}

impl<const N: usize> PinValue for Signed<N> {
    fn from_pin(bits: u64) -> Self {
        signed_cast(Bits::from_pin(bits))
    }
    fn to_pin(self) -> u64 {
        self.inner().to_pin()
    }
}

/// A pin or an array of pins of any dimension, as a list of elements in row-major order.
pub trait Pins {
    /// Number of elements.
    fn elements(&self) -> usize;
    /// Bits of an element.
    fn width(&self) -> u32;
    /// True for arrays, also those of one element.
    fn is_array(&self) -> bool;
}

/// Inputs.
pub trait InputPins: Pins {
    /// Drives one element.
    fn drive(&mut self, element: usize, value: u64);
}

/// Outputs.
pub trait OutputPins: Pins {
    /// Value of one element.
    fn read(&self, element: usize) -> u64;
}

impl<D: Direction, T: PinValue> Pins for Signal<D, T> {
    fn elements(&self) -> usize {
        1
    }
    fn width(&self) -> u32 {
        T::BITS as u32
    }
    fn is_array(&self) -> bool {
        false
    }
}

impl<T: PinValue> InputPins for Signal<In, T> {
    fn drive(&mut self, _element: usize, value: u64) {
        self.next = T::from_pin(value);
    }
}

impl<T: PinValue> OutputPins for Signal<Out, T> {
    fn read(&self, _element: usize) -> u64 {
        self.val().to_pin()
    }
}

/// The array with an element, and the place of the element in it.
fn place<P: Pins>(arrays: &[P], mut element: usize) -> (usize, usize) {
    for (array, pins) in arrays.iter().enumerate() {
        if element < pins.elements() {
            return (array, element);
        }
        element -= pins.elements();
    }
    panic!("no element {element}");
}

macro_rules! array_of_pins {
    ([$($length:tt)*] $array:ty) => {
        impl<P: Pins $($length)*> Pins for $array {
            fn elements(&self) -> usize {
                self.iter().map(Pins::elements).sum()
            }
            fn width(&self) -> u32 {
                self.first().map_or(0, Pins::width)
            }
            fn is_array(&self) -> bool {
                true
            }
        }
        impl<P: InputPins $($length)*> InputPins for $array {
            fn drive(&mut self, element: usize, value: u64) {
                let (array, element) = place(self, element);
                self[array].drive(element, value);
            }
        }
        impl<P: OutputPins $($length)*> OutputPins for $array {
            fn read(&self, element: usize) -> u64 {
                let (array, element) = place(self, element);
                self[array].read(element)
            }
        }
    };
}
array_of_pins!([] Vec<P>);
array_of_pins!([, const N: usize] [P; N]);

/// A block whose pins can be driven by name. Implemented by [`pins!`].
pub trait Circuit: Block {
    /// Drives the clock, if there is one.
    fn set_clock(&mut self, level: bool);
    /// True if there is a clock.
    fn has_clock(&self) -> bool;
    /// All inputs except the clock, with their Verilog names, in declaration order.
    fn inputs(&mut self) -> Vec<(&'static str, &mut dyn InputPins)>;
    /// All outputs with their Verilog names, in declaration order.
    fn outputs(&self) -> Vec<(&'static str, &dyn OutputPins)>;
}

/// The Verilog name of a pin: `op_valid_i` of `op_i.valid`.
pub fn port(path: &[&str]) -> &'static str {
    heddle_gen::port_name(&path.join("$")).leak()
}

/// Lists the pins of a block in declaration order.
///
/// Arrays of any dimension are listed by their field; one without elements is no port. A pin inside an interface is a path:
/// `op_i.valid` is the Verilog port `op_valid_i`. A combinational block has no `clock:`.
///
/// ```text
/// pins! { Row { clock: clk; in: rst_n, load_i, weight_i, x_i; out: sum_o } }
/// ```
macro_rules! pins {
    ($type:ty { $(clock: $clock:ident;)? in: $($head:ident $(. $tail:ident)*),* $(,)? ;
        out: $($ohead:ident $(. $otail:ident)*),* $(,)? $(;)? }) => {
        impl crate::agreement::Circuit for $type {
            #[allow(unused_variables)]
            fn set_clock(&mut self, level: bool) {
                $( self.$clock.next = level.into(); )?
            }
            fn has_clock(&self) -> bool {
                let clocks: &[&str] = &[$(stringify!($clock))?];
                !clocks.is_empty()
            }
            fn inputs(
                &mut self,
            ) -> ::std::vec::Vec<(&'static str, &mut dyn crate::agreement::InputPins)> {
                let mut pins: ::std::vec::Vec<(_, &mut dyn crate::agreement::InputPins)> = vec![$((
                    crate::agreement::port(&[stringify!($head) $(, stringify!($tail))*]),
                    &mut self.$head $(.$tail)*,
                )),*];
                pins.retain(|(_, pin)| pin.elements() > 0);
                pins
            }
            fn outputs(
                &self,
            ) -> ::std::vec::Vec<(&'static str, &dyn crate::agreement::OutputPins)> {
                let mut pins: ::std::vec::Vec<(_, &dyn crate::agreement::OutputPins)> = vec![$((
                    crate::agreement::port(&[stringify!($ohead) $(, stringify!($otail))*]),
                    &self.$ohead $(.$otail)*,
                )),*];
                pins.retain(|(_, pin)| pin.elements() > 0);
                pins
            }
        }
    };
}
pub(crate) use pins;
