//! Operators at the width that their operands and their context agree on.

use super::shape::{ValueShape, common};
use super::{Widths, text};
use crate::error::Fault;
use crate::expr::mask;
use crate::ir::{BinOp, Expr, Net, Reduction};
use crate::passes::fold::{binary, concat, neg, not, reduce, resize, slice};
use rust_hdl_core::ast::{VerilogExpression as Ast, VerilogOp, VerilogOpUnary};

impl Widths<'_> {
    pub fn unary(&self, op: &VerilogOpUnary, e: &Ast, want: Option<usize>) -> Result<Expr, Fault> {
        Ok(match op {
            VerilogOpUnary::Not => not(self.lower(e, want)?),
            VerilogOpUnary::Neg => match (self.constant(e), want) {
                (Some(value), Some(width)) => integer(-i128::from(value), width)?,
                _ => neg(self.lower(e, want)?),
            },
            VerilogOpUnary::All => reduce(Reduction::All, self.lower(e, None)?),
            VerilogOpUnary::Any => reduce(Reduction::Any, self.lower(e, None)?),
            VerilogOpUnary::Xor => reduce(Reduction::Odd, self.lower(e, None)?),
        })
    }

    pub fn binary(
        &self,
        ast: &Ast,
        l: &Ast,
        op: &VerilogOp,
        r: &Ast,
        want: Option<usize>,
    ) -> Result<Expr, Fault> {
        let unknown = || Fault::UnknownWidth(text(ast));
        let (left, right) = (self.shape(l)?, self.shape(r)?);
        let simple = match op {
            VerilogOp::Add => Some(BinOp::Add),
            VerilogOp::Sub => Some(BinOp::Sub),
            VerilogOp::BitAnd => Some(BinOp::And),
            VerilogOp::BitOr => Some(BinOp::Or),
            VerilogOp::BitXor => Some(BinOp::Xor),
            _ => None,
        };
        if let Some(op) = simple {
            let fixed = |s: ValueShape| s.width.filter(|_| !s.flexible);
            let width = fixed(left).or(fixed(right)).or(want);
            let width = width.or(common(left, right)).ok_or_else(unknown)?;
            let l = self.lower(l, Some(width))?;
            return Ok(binary(op, l, self.lower(r, Some(width))?));
        }
        match op {
            VerilogOp::LogicalAnd | VerilogOp::LogicalOr => {
                let l = self.lower(l, Some(1))?;
                let r = self.lower(r, Some(1))?;
                let and = matches!(op, VerilogOp::LogicalAnd);
                let op = if and { BinOp::LogicAnd } else { BinOp::LogicOr };
                Ok(binary(op, l, r))
            }
            VerilogOp::Shl | VerilogOp::Shr => {
                let value = self.lower(
                    l,
                    if left.flexible {
                        want
                    } else {
                        left.width.or(want)
                    },
                )?;
                let amount = self.index(r)?;
                let op = match (op, left.signed) {
                    (VerilogOp::Shl, _) => BinOp::Shl,
                    (_, false) => BinOp::Shr,
                    (_, true) => BinOp::Sar,
                };
                Ok(binary(op, value, amount))
            }
            VerilogOp::Mul => {
                let (Some(a), Some(b)) = (left.width, right.width) else {
                    return Err(unknown());
                };
                let op = if left.signed {
                    BinOp::MulS
                } else {
                    BinOp::MulU
                };
                Ok(binary(op, self.lower(l, Some(a))?, self.lower(r, Some(b))?))
            }
            _ => {
                if let Some(value) = self.constant(ast) {
                    return Ok(Expr::number(1, value as u128));
                }
                let width = common(left, right).ok_or_else(unknown)?;
                let l = self.lower(l, Some(width))?;
                let r = self.lower(r, Some(width))?;
                let signed = left.signed || right.signed;
                Ok(binary(comparison(op, signed), l, r))
            }
        }
    }
}

fn comparison(op: &VerilogOp, signed: bool) -> BinOp {
    match (op, signed) {
        (VerilogOp::Eq, _) => BinOp::Eq,
        (VerilogOp::Ne, _) => BinOp::Ne,
        (VerilogOp::Lt, false) => BinOp::Lt,
        (VerilogOp::Lt, true) => BinOp::LtS,
        (VerilogOp::Le, false) => BinOp::Le,
        (VerilogOp::Le, true) => BinOp::LeS,
        (VerilogOp::Gt, false) => BinOp::Gt,
        (VerilogOp::Gt, true) => BinOp::GtS,
        (_, false) => BinOp::Ge,
        (_, true) => BinOp::GeS,
    }
}

/// One bit of a value; 0 beyond its end.
pub fn pick(nets: &[Net], value: Expr, index: Expr) -> Expr {
    if let Some(at) = index.value() {
        return slice(value, usize::try_from(at).unwrap_or(usize::MAX / 2), 1);
    }
    let covers = value.width() == 1usize.checked_shl(index.width() as u32).unwrap_or(0);
    match value {
        Expr::Sel { net, lsb, width } if covers && nets[net].bits() == width => Expr::Pick {
            net,
            lsb,
            width,
            index: Box::new(index),
        },
        value => slice(binary(BinOp::Shr, value, index), 0, 1),
    }
}

/// A value with one bit replaced.
pub fn replace(value: Expr, index: Expr, bit: Expr) -> Expr {
    let width = value.width();
    match index.value() {
        Some(at) if at < width as u128 => {
            let at = at as usize;
            let high = slice(value.clone(), at + 1, width - at - 1);
            concat(vec![high, bit, slice(value, 0, at)])
        }
        Some(_) => value,
        None => {
            let one = Expr::number(width, 1);
            let hole = not(binary(BinOp::Shl, one, index.clone()));
            let bit = binary(BinOp::Shl, resize(bit, width, false), index);
            binary(BinOp::Or, binary(BinOp::And, value, hole), bit)
        }
    }
}

pub fn number(value: u128, width: usize) -> Result<Expr, Fault> {
    if width < 128 && value > mask(width) {
        let value = value.to_string();
        return Err(Fault::Constant { value, width });
    }
    Ok(Expr::number(width, value))
}

pub fn integer(value: i128, width: usize) -> Result<Expr, Fault> {
    if value >= 0 {
        return number(value as u128, width);
    }
    if width < 127 && value < -(1i128 << (width - 1)) {
        let value = value.to_string();
        return Err(Fault::Constant { value, width });
    }
    Ok(Expr::number(width, value as u128))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::NetKind;
    use crate::samples::net;

    #[test]
    fn a_selector_that_covers_the_net_picks_and_others_shift() {
        let nets = [net("x", NetKind::In, &[], 8), net("i", NetKind::In, &[], 4)];
        let x = Expr::bits_of(0, 0, 8);
        let covered = pick(&nets, x.clone(), Expr::bits_of(1, 0, 3));
        assert!(matches!(
            covered,
            Expr::Pick {
                net: 0,
                width: 8,
                ..
            }
        ));
        let larger = pick(&nets, x.clone(), Expr::bits_of(1, 0, 4));
        assert!(matches!(larger, Expr::Slice { width: 1, .. }));
        assert_eq!(
            pick(&nets, x.clone(), Expr::number(32, 3)),
            Expr::bits_of(0, 3, 1)
        );
        assert!(pick(&nets, x, Expr::number(32, 8)).is_zero());
    }

    #[test]
    fn replacing_a_constant_bit_is_wiring() {
        let (x, bit) = (Expr::bits_of(0, 0, 8), Expr::bits_of(1, 0, 1));
        let parts = vec![Expr::bits_of(0, 4, 4), bit.clone(), Expr::bits_of(0, 0, 3)];
        assert_eq!(
            replace(x.clone(), Expr::number(32, 3), bit.clone()),
            concat(parts)
        );
        assert_eq!(replace(x.clone(), Expr::number(32, 8), bit), x);
    }

    #[test]
    fn integers_must_fit() {
        assert_eq!(integer(-8, 4), Ok(Expr::number(4, 8)));
        let (value, width) = ("-9".into(), 4);
        assert_eq!(integer(-9, 4), Err(Fault::Constant { value, width }));
    }
}
