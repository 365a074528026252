//! What an expression knows about its width and sign without its context.

use super::{Named, Widths};
use crate::error::Fault;
use rust_hdl_core::ast::{VerilogExpression as Ast, VerilogOp, VerilogOpUnary};

/// What is known about an expression from the bottom up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ValueShape {
    /// Bits, if known.
    pub width: Option<usize>,
    /// The value is a signed number.
    pub signed: bool,
    /// The width is a default that the context may replace (`signed_cast_to`).
    pub flexible: bool,
}

const UNKNOWN: ValueShape = ValueShape {
    width: None,
    signed: false,
    flexible: false,
};

impl Widths<'_> {
    /// Width and sign from the bottom up.
    pub fn shape(&self, ast: &Ast) -> Result<ValueShape, Fault> {
        let known = |width: usize, signed: bool| ValueShape {
            width: Some(width),
            signed,
            flexible: false,
        };
        Ok(match ast {
            Ast::Paren(e) => self.shape(e)?,
            Ast::Signal(name) => match self.named(name)? {
                Named::Integer(_) => UNKNOWN,
                Named::Expr(e, signed) => known(e.width(), signed),
            },
            Ast::Literal(l) => match format!("{l:x}").starts_with("1'h") {
                true => known(1, false),
                false => UNKNOWN,
            },
            Ast::Cast(e, n) => known(*n, self.shape(e)?.signed),
            Ast::Signed(e) => ValueShape {
                signed: true,
                flexible: true,
                ..self.shape(e)?
            },
            Ast::Unsigned(e) => ValueShape {
                signed: false,
                ..self.shape(e)?
            },
            Ast::Unary(op, e) => match op {
                VerilogOpUnary::Not | VerilogOpUnary::Neg => self.shape(e)?,
                _ => known(1, false),
            },
            Ast::Binary(l, op, r) => match op {
                VerilogOp::Add
                | VerilogOp::Sub
                | VerilogOp::BitAnd
                | VerilogOp::BitOr
                | VerilogOp::BitXor => {
                    let (l, r) = (self.shape(l)?, self.shape(r)?);
                    ValueShape {
                        width: common(l, r),
                        signed: l.signed || r.signed,
                        flexible: (l.flexible || l.width.is_none())
                            && (r.flexible || r.width.is_none()),
                    }
                }
                VerilogOp::Shl | VerilogOp::Shr => self.shape(l)?,
                VerilogOp::Mul => {
                    let (l, r) = (self.shape(l)?, self.shape(r)?);
                    let width = l.width.zip(r.width).map(|(a, b)| a + b);
                    ValueShape {
                        width,
                        signed: l.signed,
                        flexible: false,
                    }
                }
                _ => known(1, false),
            },
            Ast::Index(..) => known(1, false),
            Ast::Slice(e, n, _) => known(*n, self.shape(e)?.signed),
            Ast::IndexReplace(e, ..) => self.shape(e)?,
        })
    }
}

/// Width of two operands that must agree.
pub fn common(l: ValueShape, r: ValueShape) -> Option<usize> {
    let fixed = |s: ValueShape| s.width.filter(|_| !s.flexible);
    fixed(l).or(fixed(r)).or(l.width.max(r.width))
}
