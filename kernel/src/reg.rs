//! Registers. All are printed inline by the emitter as `always @(posedge clk)`.
//!
//! In the rust-hdl model every register starts at its initial value; in hardware `RegData`
//! and `Delay` are not reset and start unknown.

use super::meta::Meta;
use rust_hdl_core::prelude::*;

/// A register: its name for the emitter and its meaning, with the ports for reset and enable that it has.
macro_rules! register {
    (
        $(#[$doc:meta])*
        $name:ident $prim:literal $meaning:literal
        $(reset $rst_n:ident $init:ident)? $(enable $en_i:ident)?
    ) => {
        $(#[$doc])*
        #[derive(LogicBlock)]
        pub struct $name<T: Synth> {
            /// Clock.
            pub clk: Signal<In, Clock>,
            $(
                /// Reset, active low; wins over an enable.
                pub $rst_n: Signal<In, Bit>,
            )?
            $(
                /// Enable.
                pub $en_i: Signal<In, Bit>,
            )?
            /// Next value.
            pub d_i: Signal<In, T>,
            /// Stored value.
            pub q_o: Signal<Out, T>,
            $($init: T,)?
        }

        impl<T: Synth> $name<T> {
            fn starting_at(init: T) -> Self {
                Self {
                    clk: Default::default(),
                    $($rst_n: Default::default(),)?
                    $($en_i: Default::default(),)?
                    d_i: Default::default(),
                    q_o: Signal::new_with_default(init),
                    $($init: init,)?
                }
            }
            $(
                /// A register that is reset to a value.
                pub fn with_init($init: T) -> Self {
                    Self::starting_at($init)
                }
            )?
        }

        impl<T: Synth> Default for $name<T> {
            fn default() -> Self {
                Self::starting_at(T::default())
            }
        }

        impl<T: Synth> Logic for $name<T> {
            fn update(&mut self) {
                if !self.clk.pos_edge() {
                    return;
                }
                $(
                    if !self.$rst_n.val() {
                        self.q_o.next = self.$init;
                        return;
                    }
                )?
                if true $(&& self.$en_i.val())? {
                    self.q_o.next = self.d_i.val();
                }
            }
            fn connect(&mut self) {
                self.q_o.connect();
            }
            fn hdl(&self) -> Verilog {
                Verilog::Custom($meaning.into())
            }
            fn timing(&self) -> Vec<TimingInfo> {
                let meta = Meta::prim($prim);
                $(let meta = meta.attribute("init", format!("{:x}", self.$init.verilog()));)?
                meta.into_timing()
            }
        }
    };
}

register! {
    /// Register with reset: `q_o` takes `d_i` at every rising edge.
    Reg "reg" "always @(posedge clk) if (!rst_n) q_o <= init; else q_o <= d_i;"
    reset rst_n _init
}
register! {
    /// Register with reset and enable: `q_o` takes `d_i` at a rising edge with `en_i` high.
    RegEn "reg_en" "always @(posedge clk) if (!rst_n) q_o <= init; else if (en_i) q_o <= d_i;"
    reset rst_n _init enable en_i
}
register! {
    /// Register with enable and without reset, for data that travels with a valid bit.
    RegData "reg_data" "always @(posedge clk) if (en_i) q_o <= d_i;"
    enable en_i
}
register! {
    /// Register without reset and without enable, for pipeline data.
    Delay "delay" "always @(posedge clk) q_o <= d_i;"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock_cycle;

    #[test]
    fn reg_follows_its_input_and_resets_to_its_initial_value() {
        let mut u = Reg::<Bits<8>>::with_init(5.into());
        assert_eq!(u.q_o.val(), Bits::<8>::from(5));
        u.d_i.next = 9.into();
        u.rst_n.next = true;
        clock_cycle!(u);
        assert_eq!(u.q_o.val(), Bits::<8>::from(9));
        u.rst_n.next = false;
        clock_cycle!(u);
        assert_eq!(u.q_o.val(), Bits::<8>::from(5));
    }

    #[test]
    fn reg_en_holds_and_reset_wins_over_enable() {
        let mut u = RegEn::<Bits<8>>::with_init(3.into());
        u.rst_n.next = true;
        u.d_i.next = 9.into();
        clock_cycle!(u);
        assert_eq!(u.q_o.val(), Bits::<8>::from(3));
        u.en_i.next = true;
        clock_cycle!(u);
        assert_eq!(u.q_o.val(), Bits::<8>::from(9));
        u.rst_n.next = false;
        clock_cycle!(u);
        assert_eq!(u.q_o.val(), Bits::<8>::from(3));
    }

    #[test]
    fn reg_data_holds_without_enable() {
        let mut u = RegData::<Bit>::default();
        u.d_i.next = true;
        clock_cycle!(u);
        assert!(!u.q_o.val());
        u.en_i.next = true;
        clock_cycle!(u);
        assert!(u.q_o.val());
    }

    #[test]
    fn delay_shows_its_input_one_cycle_later() {
        let mut u = Delay::<Bits<4>>::default();
        for x in 1..10u64 {
            u.d_i.next = x.into();
            settle_inputs(&mut u);
            assert_eq!(u.q_o.val(), Bits::<4>::from(x - 1));
            clock_cycle!(u);
        }
    }

    fn settle_inputs(u: &mut Delay<Bits<4>>) {
        crate::settle(u);
    }
}
