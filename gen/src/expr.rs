//! Constructors of expressions that fold constants and merge neighbouring slices.

use crate::ir::{BinOp, Expr, Index, NetId, Reduction};

/// All ones in `width` bits.
pub fn mask(width: usize) -> u128 {
    match width {
        0 => 0,
        1..128 => (1 << width) - 1,
        _ => u128::MAX,
    }
}

impl Expr {
    /// A number without a name.
    pub fn number(width: usize, value: u128) -> Self {
        Self::Const {
            width,
            value: value & mask(width),
            name: None,
        }
    }

    /// Bits of a net.
    pub fn bits_of(net: NetId, lsb: usize, width: usize) -> Self {
        Self::Sel {
            net,
            lsb: lsb.into(),
            width,
        }
    }

    /// Bits.
    pub fn width(&self) -> usize {
        match self {
            Self::Const { width, .. } | Self::Sel { width, .. } | Self::Slice { width, .. } => {
                *width
            }
            Self::Not(e) | Self::Neg(e) => e.width(),
            Self::Reduce(..) | Self::Pick { .. } => 1,
            Self::Bin(op, l, r) => match op {
                BinOp::Add | BinOp::Sub | BinOp::And | BinOp::Or | BinOp::Xor => l.width(),
                BinOp::Shl | BinOp::Shr | BinOp::Sar => l.width(),
                BinOp::MulS | BinOp::MulU => l.width() + r.width(),
                _ => 1,
            },
            Self::Concat(parts) => parts.iter().map(Self::width).sum(),
            Self::Repeat(n, e) => n * e.width(),
            Self::Mux(_, t, _) => t.width(),
        }
    }

    /// The value of a constant.
    pub fn value(&self) -> Option<u128> {
        match self {
            Self::Const { value, .. } => Some(*value),
            _ => None,
        }
    }

    /// Is it the constant 0, of any width?
    pub fn is_zero(&self) -> bool {
        self.value() == Some(0)
    }

    /// Is it a constant of ones only?
    pub fn is_ones(&self) -> bool {
        self.width() <= 128 && self.value() == Some(mask(self.width()))
    }

    /// Calls `f` for every selection of a net: net, lowest bit, bits.
    pub fn visit_nets(&self, f: &mut impl FnMut(NetId, &Index, usize)) {
        match self {
            Self::Const { .. } => {}
            Self::Sel { net, lsb, width } => f(*net, lsb, *width),
            Self::Pick {
                net,
                lsb,
                width,
                index,
            } => {
                f(*net, lsb, *width);
                index.visit_nets(f);
            }
            _ => self.children().for_each(|e| e.visit_nets(f)),
        }
    }

    /// Direct operands.
    pub fn children(&self) -> impl Iterator<Item = &Expr> {
        let list: Vec<&Expr> = match self {
            Self::Const { .. } | Self::Sel { .. } => vec![],
            Self::Not(e) | Self::Neg(e) | Self::Reduce(_, e) | Self::Repeat(_, e) => vec![e],
            Self::Slice { of, .. } => vec![of],
            Self::Pick { index, .. } => vec![index],
            Self::Bin(_, l, r) => vec![l, r],
            Self::Concat(parts) => parts.iter().collect(),
            Self::Mux(c, t, e) => vec![c, t, e],
        };
        list.into_iter()
    }

    /// Rebuilds the expression with every net selection replaced, folding again.
    pub fn map_nets(&self, f: &mut impl FnMut(NetId, &Index, usize) -> Option<Expr>) -> Expr {
        match self {
            Self::Const { .. } => self.clone(),
            Self::Sel { net, lsb, width } => f(*net, lsb, *width).unwrap_or_else(|| self.clone()),
            Self::Not(e) => not(e.map_nets(f)),
            Self::Neg(e) => neg(e.map_nets(f)),
            Self::Reduce(r, e) => reduce(*r, e.map_nets(f)),
            Self::Bin(op, l, r) => {
                let left = l.map_nets(f);
                binary(*op, left, r.map_nets(f))
            }
            Self::Pick {
                net,
                lsb,
                width,
                index,
            } => {
                let index = index.map_nets(f);
                match f(*net, lsb, *width) {
                    None => Self::Pick {
                        net: *net,
                        lsb: lsb.clone(),
                        width: *width,
                        index: Box::new(index),
                    },
                    Some(e) => slice(binary(BinOp::Shr, e, index), 0, 1),
                }
            }
            Self::Concat(parts) => concat(parts.iter().map(|e| e.map_nets(f)).collect()),
            Self::Repeat(n, e) => repeat(*n, e.map_nets(f)),
            Self::Slice { of, lsb, width } => slice(of.map_nets(f), *lsb, *width),
            Self::Mux(c, t, e) => {
                let (c, t) = (c.map_nets(f), t.map_nets(f));
                mux(c, t, e.map_nets(f))
            }
        }
    }

    /// Number of operators and operands.
    pub fn size(&self) -> usize {
        1 + self.children().map(Self::size).sum::<usize>()
    }
}

/// Bits `lsb..lsb + width` of an expression.
pub fn slice(e: Expr, lsb: usize, width: usize) -> Expr {
    let full = e.width();
    if lsb == 0 && width == full {
        return e;
    }
    if lsb >= full {
        return Expr::number(width, 0);
    }
    if lsb + width > full {
        let low = slice(e, lsb, full - lsb);
        let zeros = width - low.width();
        return concat(vec![Expr::number(zeros, 0), low]);
    }
    match e {
        Expr::Const { value, .. } if lsb < 128 => Expr::number(width, value >> lsb),
        Expr::Const { .. } => Expr::number(width, 0),
        Expr::Sel { net, lsb: base, .. } => Expr::Sel {
            net,
            lsb: Index {
                base: base.base + lsb as i64,
                terms: base.terms,
            },
            width,
        },
        Expr::Slice { of, lsb: inner, .. } => slice(*of, inner + lsb, width),
        Expr::Not(e) => not(slice(*e, lsb, width)),
        Expr::Bin(op @ (BinOp::And | BinOp::Or | BinOp::Xor), l, r) => {
            binary(op, slice(*l, lsb, width), slice(*r, lsb, width))
        }
        Expr::Bin(op @ (BinOp::Add | BinOp::Sub), l, r) if lsb == 0 => {
            binary(op, slice(*l, 0, width), slice(*r, 0, width))
        }
        Expr::Neg(e) if lsb == 0 => neg(slice(*e, 0, width)),
        Expr::Mux(c, t, e) => mux(*c, slice(*t, lsb, width), slice(*e, lsb, width)),
        Expr::Repeat(n, e) => {
            let parts = vec![*e; n];
            slice_parts(parts, lsb, width)
        }
        Expr::Concat(parts) => slice_parts(parts, lsb, width),
        e => Expr::Slice {
            of: Box::new(e),
            lsb,
            width,
        },
    }
}

fn slice_parts(parts: Vec<Expr>, lsb: usize, width: usize) -> Expr {
    let mut out = Vec::new();
    let mut at = 0;
    for part in parts.into_iter().rev() {
        let end = at + part.width();
        let (from, to) = (lsb.max(at), (lsb + width).min(end));
        if from < to {
            out.push(slice(part, from - at, to - from));
        }
        at = end;
    }
    out.reverse();
    concat(out)
}

/// Joins parts, most significant first; merges neighbours.
pub fn concat(parts: Vec<Expr>) -> Expr {
    let mut flat: Vec<Expr> = Vec::new();
    for part in parts {
        match part {
            Expr::Concat(inner) => inner.into_iter().for_each(|e| push_part(&mut flat, e)),
            Expr::Repeat(n, e) => (0..n).for_each(|_| push_part(&mut flat, (*e).clone())),
            e if e.width() == 0 => {}
            e => push_part(&mut flat, e),
        }
    }
    let mut out: Vec<Expr> = Vec::new();
    let mut i = 0;
    while i < flat.len() {
        let run = flat[i..].iter().take_while(|e| **e == flat[i]).count();
        if run > 1 && flat[i].value().is_none() {
            out.push(repeat(run, flat[i].clone()));
            i += run;
        } else {
            out.push(flat[i].clone());
            i += 1;
        }
    }
    match out.len() {
        1 => out.remove(0),
        _ => Expr::Concat(out),
    }
}

fn push_part(flat: &mut Vec<Expr>, low: Expr) {
    let merged = match (flat.last(), &low) {
        (
            Some(Expr::Sel {
                net: a,
                lsb: la,
                width: wa,
            }),
            Expr::Sel { net, lsb, width },
        ) if a == net && la.terms == lsb.terms && la.base == lsb.base + *width as i64 => {
            Some(Expr::Sel {
                net: *net,
                lsb: lsb.clone(),
                width: wa + width,
            })
        }
        (
            Some(Expr::Const {
                width: wa,
                value: va,
                name: None,
            }),
            Expr::Const {
                width,
                value,
                name: None,
            },
        ) if wa + width <= 128 || *va == 0 => Some(Expr::Const {
            width: wa + width,
            value: if *va == 0 {
                *value
            } else {
                (va << width) | value
            },
            name: None,
        }),
        _ => None,
    };
    match merged {
        Some(e) => {
            flat.pop();
            flat.push(e);
        }
        None => flat.push(low),
    }
}

/// `n` copies of an expression.
pub fn repeat(n: usize, e: Expr) -> Expr {
    if n == 1 {
        return e;
    }
    if n == 0 || e.is_zero() {
        return Expr::number(n * e.width(), 0);
    }
    if e.is_ones() && n * e.width() <= 128 {
        return Expr::number(n * e.width(), u128::MAX);
    }
    match e {
        Expr::Repeat(m, inner) => repeat(n * m, *inner),
        e => Expr::Repeat(n, Box::new(e)),
    }
}

/// Extends or truncates to `width` bits.
pub fn resize(e: Expr, width: usize, signed: bool) -> Expr {
    let from = e.width();
    if width <= from {
        return slice(e, 0, width);
    }
    if let (Some(value), true) = (e.value(), width <= 128) {
        let negative = signed && from > 0 && (value >> (from - 1)) & 1 == 1;
        let high = if negative {
            mask(width) & !mask(from)
        } else {
            0
        };
        return Expr::number(width, value | high);
    }
    let extension = if signed {
        repeat(width - from, slice(e.clone(), from - 1, 1))
    } else {
        Expr::number(width - from, 0)
    };
    concat(vec![extension, e])
}

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
    if let (BinOp::Or | BinOp::Xor | BinOp::Add, Some(joined)) = (op, join_fields(&l, &r)) {
        return joined;
    }
    Expr::Bin(op, Box::new(l), Box::new(r))
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

    fn sel(net: NetId, lsb: usize, width: usize) -> Expr {
        Expr::bits_of(net, lsb, width)
    }

    #[test]
    fn neighbouring_slices_merge() {
        let e = concat(vec![sel(0, 8, 8), sel(0, 0, 8)]);
        assert_eq!(e, sel(0, 0, 16));
        let apart = concat(vec![sel(0, 0, 8), sel(0, 8, 8)]);
        assert!(matches!(apart, Expr::Concat(_)));
    }

    #[test]
    fn equal_parts_become_a_repetition() {
        let e = concat(vec![sel(0, 7, 1), sel(0, 7, 1), sel(0, 0, 8)]);
        let Expr::Concat(parts) = &e else {
            panic!("{e:?}")
        };
        assert_eq!(parts[0], Expr::Repeat(2, Box::new(sel(0, 7, 1))));
        assert_eq!(slice(e, 0, 8), sel(0, 0, 8));
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
    fn truncated_sum_is_a_narrow_sum() {
        let sum = binary(BinOp::Add, sel(0, 0, 9), sel(1, 0, 9));
        let low = slice(sum.clone(), 0, 8);
        assert_eq!(low, binary(BinOp::Add, sel(0, 0, 8), sel(1, 0, 8)));
        assert!(matches!(slice(sum, 8, 1), Expr::Slice { .. }));
    }

    #[test]
    fn signed_comparison_of_constants_uses_the_sign() {
        let n = |v| Expr::number(8, v);
        assert!(binary(BinOp::LtS, n(0x80), n(1)).is_ones());
        assert!(binary(BinOp::Lt, n(0x80), n(1)).is_zero());
    }

    #[test]
    fn condition_folds_to_the_chosen_value() {
        let c = Expr::number(1, 0);
        assert_eq!(mux(c, sel(0, 0, 8), sel(1, 0, 8)), sel(1, 0, 8));
        let bit = mux(sel(2, 0, 1), Expr::number(1, 1), Expr::number(1, 0));
        assert_eq!(bit, sel(2, 0, 1));
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

    #[test]
    fn sign_extension_of_a_constant_is_a_constant() {
        assert_eq!(resize(Expr::number(4, 0xa), 8, true), Expr::number(8, 0xfa));
        assert_eq!(
            resize(Expr::number(4, 0xa), 8, false),
            Expr::number(8, 0x0a)
        );
    }
}
