//! Expressions: constructors, widths, and how to visit and rebuild them.
//!
//! Rebuilding goes through the constructors of [`fold`](crate::passes::fold), so that replacing a
//! net by a value folds again.

use crate::ir::{BinOp, Expr, Index, NetId};
use crate::passes::fold::{binary, concat, field, mux, neg, not, reduce, repeat, slice};

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
            Self::Not(e) | Self::Neg(e) | Self::Field(e, _) => e.width(),
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
            Self::Not(e) | Self::Neg(e) | Self::Field(e, _) => vec![e],
            Self::Reduce(_, e) | Self::Repeat(_, e) => vec![e],
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
            Self::Field(e, name) => field(e.map_nets(f), name.clone()),
        }
    }

    /// Number of operators and operands.
    pub fn size(&self) -> usize {
        1 + self.children().map(Self::size).sum::<usize>()
    }
}
