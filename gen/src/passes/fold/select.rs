//! Selecting and joining bits: neighbouring slices merge, slices of constants are constants.

use super::{binary, mux, neg, not};
use crate::expr::mask;
use crate::ir::{BinOp, Expr, FieldName, Index};

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
        Expr::Field(e, _) => slice(*e, lsb, width),
        e => Expr::Slice {
            of: Box::new(e),
            lsb,
            width,
        },
    }
}

/// Bits with a name; only those of a net keep it.
pub fn field(e: Expr, name: FieldName) -> Expr {
    match e {
        Expr::Sel { .. } => Expr::Field(Box::new(e), name),
        e => e,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::NetId;

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
    fn truncated_sum_is_a_narrow_sum() {
        let sum = binary(BinOp::Add, sel(0, 0, 9), sel(1, 0, 9));
        let low = slice(sum.clone(), 0, 8);
        assert_eq!(low, binary(BinOp::Add, sel(0, 0, 8), sel(1, 0, 8)));
        assert!(matches!(slice(sum, 8, 1), Expr::Slice { .. }));
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
