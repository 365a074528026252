//! Multiplier.

use super::meta::Meta;
use rust_hdl_core::prelude::*;

/// Combinational signed multiplier, `P = A + B`, printed as one signed `assign`.
#[derive(LogicBlock, Default)]
pub struct MulS<const A: usize, const B: usize, const P: usize> {
    /// First factor.
    pub a_i: Signal<In, Signed<A>>,
    /// Second factor.
    pub b_i: Signal<In, Signed<B>>,
    /// Product, never overflows.
    pub p_o: Signal<Out, Signed<P>>,
}

impl<const A: usize, const B: usize, const P: usize> Logic for MulS<A, B, P> {
    fn update(&mut self) {
        const { assert!(A + B == P && P <= 64, "MulS needs P = A + B <= 64") };
        let product = to_i64(self.a_i.val()).wrapping_mul(to_i64(self.b_i.val()));
        let mask = u64::MAX >> (64 - P);
        self.p_o.next = signed_cast((product as u64 & mask).into());
    }
    fn connect(&mut self) {
        self.p_o.connect();
    }
    fn hdl(&self) -> Verilog {
        Verilog::Custom("assign p_o = a_i * b_i;".into())
    }
    fn timing(&self) -> Vec<TimingInfo> {
        Meta::prim("mul_s").into_timing()
    }
}

fn to_i64<const N: usize>(x: Signed<N>) -> i64 {
    let shift = 64 - N;
    ((unsigned_cast(x).to_u64() << shift) as i64) >> shift
}

#[cfg(test)]
mod tests {
    use super::super::sim::settle;
    use super::*;

    #[test]
    fn multiplies_all_corners() {
        let mut u = MulS::<9, 8, 17>::default();
        for a in [-256i64, -255, -1, 0, 1, 255] {
            for b in [-128i64, -127, -1, 0, 1, 127] {
                u.a_i.next = signed(a);
                u.b_i.next = signed(b);
                settle(&mut u);
                assert_eq!(u.p_o.val(), signed::<17>(a * b), "{a} * {b}");
            }
        }
    }

    #[test]
    fn full_width_product_fits() {
        let mut u = MulS::<32, 32, 64>::default();
        for a in [i32::MIN, -1, 0, 1, i32::MAX] {
            u.a_i.next = signed(a.into());
            u.b_i.next = signed(i32::MIN.into());
            settle(&mut u);
            let want = i64::from(a) * i64::from(i32::MIN);
            assert_eq!(unsigned_cast(u.p_o.val()).to_u64(), want as u64);
        }
    }
}
