//! Constant folding: constructors of expressions that compute what is constant.
//!
//! Every expression is built by these functions, so folding happens wherever one is made: when a
//! kernel is unrolled, when a value takes the place of a net, when a condition becomes a choice.
//! Operators with constant operands become numbers, neutral operands disappear, constant shifts
//! become wiring. No function changes the width of its result.

mod select;

pub use select::{concat, field, repeat, resize, slice};

use crate::ir::{BinOp, Expr, Reduction};

/// Bitwise inversion.
pub fn not(e: Expr) -> Expr {
    match e {
        Expr::Not(inner) => *inner,
        Expr::Const { width, value, .. } if width <= 128 => Expr::number(width, !value),
        Expr::Bin(BinOp::Eq, l, r) => Expr::Bin(BinOp::Ne, l, r),
        Expr::Bin(BinOp::Ne, l, r) => Expr::Bin(BinOp::Eq, l, r),
        e => Expr::Not(Box::new(e)),
    }
}

/// Two's complement.
pub fn neg(e: Expr) -> Expr {
    match e {
        Expr::Const { width, value, .. } => Expr::number(width, value.wrapping_neg()),
        e => Expr::Neg(Box::new(e)),
    }
}

/// Reduction to one bit.
pub fn reduce(op: Reduction, e: Expr) -> Expr {
    if e.width() == 1 {
        return e;
    }
    if let Some(value) = e.value() {
        let bit = match op {
            Reduction::All => e.is_ones(),
            Reduction::Any => value != 0,
            Reduction::Odd => value.count_ones() % 2 == 1,
        };
        return Expr::number(1, bit.into());
    }
    Expr::Reduce(op, Box::new(e))
}

/// Selection by a condition.
pub fn mux(c: Expr, t: Expr, e: Expr) -> Expr {
    if let Some(value) = c.value() {
        return if value != 0 { t } else { e };
    }
    if t == e {
        return t;
    }
    if t.width() == 1 {
        if t.is_ones() && e.is_zero() {
            return c;
        }
        if t.is_zero() && e.is_ones() {
            return not(c);
        }
        match (t.value(), e.value()) {
            (Some(1), _) => return binary(BinOp::LogicOr, c, e),
            (Some(_), _) => return binary(BinOp::LogicAnd, not(c), e),
            (_, Some(1)) => return binary(BinOp::LogicOr, not(c), t),
            (_, Some(_)) => return binary(BinOp::LogicAnd, c, t),
            _ => {}
        }
    }
    Expr::Mux(Box::new(c), Box::new(t), Box::new(e))
}

/// An operator with two operands.
pub fn binary(op: BinOp, l: Expr, r: Expr) -> Expr {
    let width = l.width();
    if matches!(op, BinOp::Shl | BinOp::Shr | BinOp::Sar) {
        if let Some(amount) = r.value() {
            return shift(op, l, usize::try_from(amount).unwrap_or(usize::MAX));
        }
    }
    if let (Some(a), Some(b)) = (l.value(), r.value()) {
        if let Some(folded) = fold(op, width, r.width(), a, b) {
            return folded;
        }
    }
    match op {
        BinOp::And | BinOp::LogicAnd => {
            if l.is_zero() || r.is_ones() {
                return l;
            }
            if r.is_zero() || l.is_ones() {
                return r;
            }
        }
        BinOp::Or | BinOp::LogicOr => {
            if l.is_zero() || r.is_ones() {
                return r;
            }
            if r.is_zero() || l.is_ones() {
                return l;
            }
        }
        BinOp::Xor | BinOp::Add if l.is_zero() => return r,
        BinOp::Xor | BinOp::Add | BinOp::Sub if r.is_zero() => return l,
        BinOp::Eq if width == 1 && r.is_ones() => return l,
        BinOp::Eq if width == 1 && r.is_zero() => return not(l),
        BinOp::Ne if width == 1 && r.is_zero() => return l,
        BinOp::Ne if width == 1 && r.is_ones() => return not(l),
        _ => {}
    }
    let unsigned = matches!(
        op,
        BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge
    );
    let zeros = leading_zeros(&l)
        .min(leading_zeros(&r))
        .min(width.saturating_sub(1));
    if unsigned && zeros > 0 {
        let low = width - zeros;
        return binary(op, slice(l, 0, low), slice(r, 0, low));
    }
    if let (BinOp::Or | BinOp::Xor | BinOp::Add, Some(joined)) = (op, join_fields(&l, &r)) {
        return joined;
    }
    Expr::Bin(op, Box::new(l), Box::new(r))
}

/// Constant zeros at the top, of `{8'd0, a}` and of numbers.
fn leading_zeros(e: &Expr) -> usize {
    match e {
        Expr::Const { width, value, .. } if *width <= 128 => {
            width - (128 - value.leading_zeros() as usize)
        }
        Expr::Concat(parts) if parts[0].is_zero() => parts[0].width(),
        _ => 0,
    }
}

/// `{a, 8'd0} | {8'd0, b}` is `{a, b}`: every bit of one operand is a constant 0.
fn join_fields(l: &Expr, r: &Expr) -> Option<Expr> {
    let wiring = |e: &Expr| matches!(e, Expr::Concat(_) | Expr::Const { .. });
    if !wiring(l) || !wiring(r) {
        return None;
    }
    let mut cuts = std::collections::BTreeSet::from([l.width()]);
    for e in [l, r] {
        let mut at = 0;
        if let Expr::Concat(parts) = e {
            for part in parts.iter().rev() {
                at += part.width();
                cuts.insert(at);
            }
        }
    }
    let mut parts = Vec::new();
    let mut from = 0;
    for to in cuts {
        let (a, b) = (
            slice(l.clone(), from, to - from),
            slice(r.clone(), from, to - from),
        );
        parts.push(match (a.is_zero(), b.is_zero()) {
            (true, _) => b,
            (_, true) => a,
            _ => return None,
        });
        from = to;
    }
    parts.reverse();
    Some(concat(parts))
}

fn shift(op: BinOp, l: Expr, amount: usize) -> Expr {
    let width = l.width();
    let amount = amount.min(width);
    match op {
        BinOp::Shl => concat(vec![slice(l, 0, width - amount), Expr::number(amount, 0)]),
        BinOp::Shr => resize(slice(l, amount, width - amount), width, false),
        _ => {
            let amount = amount.min(width - 1);
            resize(slice(l, amount, width - amount), width, true)
        }
    }
}

fn fold(op: BinOp, width: usize, right: usize, a: u128, b: u128) -> Option<Expr> {
    if width > 127 || right > 127 {
        return None;
    }
    let signed = |x: u128, w: usize| ((x << (128 - w)) as i128) >> (128 - w);
    let (sa, sb) = (signed(a, width), signed(b, right));
    let bit = |x: bool| Expr::number(1, x.into());
    Some(match op {
        BinOp::Add => Expr::number(width, a.wrapping_add(b)),
        BinOp::Sub => Expr::number(width, a.wrapping_sub(b)),
        BinOp::And => Expr::number(width, a & b),
        BinOp::Or => Expr::number(width, a | b),
        BinOp::Xor => Expr::number(width, a ^ b),
        BinOp::LogicAnd => bit(a & b != 0),
        BinOp::LogicOr => bit(a | b != 0),
        BinOp::Eq => bit(a == b),
        BinOp::Ne => bit(a != b),
        BinOp::Lt => bit(a < b),
        BinOp::Le => bit(a <= b),
        BinOp::Gt => bit(a > b),
        BinOp::Ge => bit(a >= b),
        BinOp::LtS => bit(sa < sb),
        BinOp::LeS => bit(sa <= sb),
        BinOp::GtS => bit(sa > sb),
        BinOp::GeS => bit(sa >= sb),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::NetId;

    fn sel(net: NetId, lsb: usize, width: usize) -> Expr {
        Expr::bits_of(net, lsb, width)
    }

    #[test]
    fn constant_shifts_are_wiring() {
        let n = |v| Expr::number(4, v);
        assert_eq!(binary(BinOp::Shl, sel(0, 0, 8), n(9)), Expr::number(8, 0));
        assert_eq!(
            binary(BinOp::Shr, sel(0, 0, 8), n(3)),
            Expr::Concat(vec![Expr::number(3, 0), sel(0, 3, 5)])
        );
        assert_eq!(
            binary(BinOp::Sar, sel(0, 0, 8), n(15)),
            Expr::Repeat(8, Box::new(sel(0, 7, 1)))
        );
    }

    #[test]
    fn signed_comparison_of_constants_uses_the_sign() {
        let n = |v| Expr::number(8, v);
        assert!(binary(BinOp::LtS, n(0x80), n(1)).is_ones());
        assert!(binary(BinOp::Lt, n(0x80), n(1)).is_zero());
        for (op, equal) in [
            (BinOp::LtS, false),
            (BinOp::LeS, true),
            (BinOp::GtS, false),
            (BinOp::GeS, true),
        ] {
            assert_eq!(binary(op, n(0x85), n(0x85)).is_ones(), equal, "{op:?}");
        }
    }

    #[test]
    fn condition_folds_to_the_chosen_value() {
        let c = Expr::number(1, 0);
        assert_eq!(mux(c, sel(0, 0, 8), sel(1, 0, 8)), sel(1, 0, 8));
        let bit = mux(sel(2, 0, 1), Expr::number(1, 1), Expr::number(1, 0));
        assert_eq!(bit, sel(2, 0, 1));
    }

    #[test]
    fn a_choice_between_a_bit_and_a_constant_is_a_gate() {
        let (c, x) = (sel(0, 0, 1), sel(1, 0, 1));
        let constant = |bit| Expr::number(1, bit);
        let gate = |op, l: &Expr| Expr::Bin(op, Box::new(l.clone()), Box::new(x.clone()));
        let either = mux(c.clone(), constant(1), x.clone());
        assert_eq!(either, gate(BinOp::LogicOr, &c));
        assert_eq!(
            mux(c.clone(), constant(0), x.clone()),
            gate(BinOp::LogicAnd, &not(c))
        );
    }

    #[test]
    fn zeros_on_both_sides_are_not_compared() {
        let wide = concat(vec![Expr::number(10, 0), sel(0, 0, 7)]);
        let narrow = binary(BinOp::Ne, wide, Expr::number(17, 3));
        assert_eq!(narrow, binary(BinOp::Ne, sel(0, 0, 7), Expr::number(7, 3)));
    }

    #[test]
    fn fields_that_do_not_overlap_are_joined() {
        let high = concat(vec![sel(0, 0, 8), Expr::number(8, 0)]);
        let low = concat(vec![Expr::number(8, 0), sel(1, 0, 8)]);
        let want = Expr::Concat(vec![sel(0, 0, 8), sel(1, 0, 8)]);
        assert_eq!(binary(BinOp::Or, high.clone(), low), want);
        let clash = binary(BinOp::Or, high.clone(), high.clone());
        assert!(matches!(clash, Expr::Bin(BinOp::Or, ..)));
    }
}
