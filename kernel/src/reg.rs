//! Registers. All are printed inline by the emitter as `always @(posedge clk)`.
//!
//! In the rust-hdl model every register starts at its initial value; in hardware `RegData`
//! and `Delay` are not reset and start unknown.

use super::meta::Meta;
use rust_hdl_core::prelude::*;

fn reg_meta<T: Synth>(name: &str, init: T) -> Vec<TimingInfo> {
    let init = format!("{:x}", init.verilog());
    Meta::prim(name).attribute("init", init).to_timing()
}

/// Register with reset: `q_o` takes `d_i` at every rising edge.
#[derive(LogicBlock)]
pub struct Reg<T: Synth> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,
    /// Next value.
    pub d_i: Signal<In, T>,
    /// Stored value.
    pub q_o: Signal<Out, T>,
    _init: T,
}

impl<T: Synth> Reg<T> {
    /// A register that is reset to `init`.
    pub fn with_init(init: T) -> Self {
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            d_i: Default::default(),
            q_o: Signal::new_with_default(init),
            _init: init,
        }
    }
}

impl<T: Synth> Default for Reg<T> {
    fn default() -> Self {
        Self::with_init(T::default())
    }
}

impl<T: Synth> Logic for Reg<T> {
    fn update(&mut self) {
        if self.clk.pos_edge() {
            self.q_o.next = if self.rst_n.val() {
                self.d_i.val()
            } else {
                self._init
            };
        }
    }
    fn connect(&mut self) {
        self.q_o.connect();
    }
    fn hdl(&self) -> Verilog {
        Verilog::Custom("always @(posedge clk) if (!rst_n) q_o <= init; else q_o <= d_i;".into())
    }
    fn timing(&self) -> Vec<TimingInfo> {
        reg_meta("reg", self._init)
    }
}

/// Register with reset and enable: `q_o` takes `d_i` at a rising edge with `en_i` high.
#[derive(LogicBlock)]
pub struct RegEn<T: Synth> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low; wins over the enable.
    pub rst_n: Signal<In, Bit>,
    /// Enable.
    pub en_i: Signal<In, Bit>,
    /// Next value.
    pub d_i: Signal<In, T>,
    /// Stored value.
    pub q_o: Signal<Out, T>,
    _init: T,
}

impl<T: Synth> RegEn<T> {
    /// A register that is reset to `init`.
    pub fn with_init(init: T) -> Self {
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            en_i: Default::default(),
            d_i: Default::default(),
            q_o: Signal::new_with_default(init),
            _init: init,
        }
    }
}

impl<T: Synth> Default for RegEn<T> {
    fn default() -> Self {
        Self::with_init(T::default())
    }
}

impl<T: Synth> Logic for RegEn<T> {
    fn update(&mut self) {
        if self.clk.pos_edge() {
            if !self.rst_n.val() {
                self.q_o.next = self._init;
            } else if self.en_i.val() {
                self.q_o.next = self.d_i.val();
            }
        }
    }
    fn connect(&mut self) {
        self.q_o.connect();
    }
    fn hdl(&self) -> Verilog {
        Verilog::Custom(
            "always @(posedge clk) if (!rst_n) q_o <= init; else if (en_i) q_o <= d_i;".into(),
        )
    }
    fn timing(&self) -> Vec<TimingInfo> {
        reg_meta("reg_en", self._init)
    }
}

/// Register with enable and without reset, for data that travels with a valid bit.
#[derive(LogicBlock, Default)]
pub struct RegData<T: Synth> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Enable.
    pub en_i: Signal<In, Bit>,
    /// Next value.
    pub d_i: Signal<In, T>,
    /// Stored value.
    pub q_o: Signal<Out, T>,
}

impl<T: Synth> Logic for RegData<T> {
    fn update(&mut self) {
        if self.clk.pos_edge() && self.en_i.val() {
            self.q_o.next = self.d_i.val();
        }
    }
    fn connect(&mut self) {
        self.q_o.connect();
    }
    fn hdl(&self) -> Verilog {
        Verilog::Custom("always @(posedge clk) if (en_i) q_o <= d_i;".into())
    }
    fn timing(&self) -> Vec<TimingInfo> {
        Meta::prim("reg_data").to_timing()
    }
}

/// Register without reset and without enable, for pipeline data.
#[derive(LogicBlock, Default)]
pub struct Delay<T: Synth> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Next value.
    pub d_i: Signal<In, T>,
    /// Stored value.
    pub q_o: Signal<Out, T>,
}

impl<T: Synth> Logic for Delay<T> {
    fn update(&mut self) {
        if self.clk.pos_edge() {
            self.q_o.next = self.d_i.val();
        }
    }
    fn connect(&mut self) {
        self.q_o.connect();
    }
    fn hdl(&self) -> Verilog {
        Verilog::Custom("always @(posedge clk) q_o <= d_i;".into())
    }
    fn timing(&self) -> Vec<TimingInfo> {
        Meta::prim("delay").to_timing()
    }
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
