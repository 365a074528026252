//! Signed conversions and the arithmetic right shift that rust-hdl lacks.
//!
//! `hdl_gen` recognises a function by the beginning of its name: `bit_cast*` keeps the width
//! of the result but repeats its argument outside the kernel (not usable on values indexed by
//! a loop variable), `signed_cast*` works in loops and takes its width from the context.

use rust_hdl_core::prelude::*;

/// `x` in `M` bits: sign-extended or truncated. Not for values indexed by a loop variable.
pub fn bit_cast_signed<const M: usize, const N: usize>(x: Signed<N>) -> Signed<M> {
    let mut r: Bits<M> = Bits::default();
    for i in 0..M {
        r = r.replace_bit(i, x.get_bit(i.min(N - 1)));
    }
    signed_cast(r)
}

/// `x` in `M` bits: sign-extended or truncated. Works on values indexed by a loop variable;
/// assign the result to a signal of `M` bits or use it beside an operand of `M` bits.
pub fn signed_cast_to<const M: usize, const N: usize>(x: Signed<N>) -> Signed<M> {
    bit_cast_signed(x)
}

/// A signed value whose `>>` is the arithmetic shift: `signed_cast_arith(x) >> n`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Arith<const N: usize>(Signed<N>);

impl<const N: usize> Arith<N> {
    /// Width, asked for by the code that `hdl_gen` generates.
    pub fn bits(self) -> usize {
        N
    }
}

/// Prepares `x` for an arithmetic right shift. Not for values indexed by a loop variable.
pub fn bit_cast_arith<const N: usize>(x: Signed<N>) -> Arith<N> {
    Arith(x)
}

/// Prepares `x` for an arithmetic right shift, also in loops.
pub fn signed_cast_arith<const N: usize>(x: Signed<N>) -> Arith<N> {
    Arith(x)
}

fn shift_right<const N: usize>(x: Signed<N>, amount: usize) -> Signed<N> {
    let mut r: Bits<N> = Bits::default();
    for i in 0..N {
        r = r.replace_bit(i, x.get_bit(i.saturating_add(amount).min(N - 1)));
    }
    signed_cast(r)
}

impl<const N: usize, const M: usize> std::ops::Shr<Bits<M>> for Arith<N> {
    type Output = Signed<N>;
    fn shr(self, amount: Bits<M>) -> Signed<N> {
        shift_right(self.0, amount.to_u64() as usize)
    }
}

impl<const N: usize> std::ops::Shr<u64> for Arith<N> {
    type Output = Signed<N>;
    fn shr(self, amount: u64) -> Signed<N> {
        shift_right(self.0, amount as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn casts_extend_the_sign_of_every_value() {
        for x in -128i64..128 {
            let wide: Signed<20> = bit_cast_signed(signed::<8>(x));
            assert_eq!(wide, signed::<20>(x));
            let narrow: Signed<4> = signed_cast_to(signed::<8>(x));
            assert_eq!(unsigned_cast(narrow).to_u64(), (x & 15) as u64);
        }
    }

    #[test]
    fn shift_keeps_the_sign() {
        for x in [i32::MIN, -77, -1, 0, 1, 77, i32::MAX] {
            for n in 0..40u64 {
                let got = signed_cast_arith(signed::<32>(x.into())) >> Bits::<6>::from(n);
                let want = i64::from(x) >> n;
                assert_eq!(got, signed::<32>(want), "{x} >> {n}");
                assert_eq!(bit_cast_arith(signed::<32>(x.into())) >> n, got);
            }
        }
    }
}
