//! Width inference: kernel expressions to netlist expressions of exact width.
//!
//! Kernels leave widths open: a literal takes that of its context, `signed_cast_to` that of its
//! target. [`shape`] finds what an expression knows about itself from the bottom up, `lower` fills
//! the rest from the top down. A width that neither knows is an error, never a guess; afterwards
//! every expression has a width of its own and no operand is extended without a word.

mod operators;
mod shape;
mod words;

pub use words::text;

use crate::blocks::literal;
use crate::error::Fault;
use crate::ir::{BinOp, Expr, Net};
use crate::passes::fold::{binary, resize, slice};
use crate::path::{self, Env};
use crate::table::{Entry, Meaning, Table};
use operators::{integer, number, pick, replace};
use rust_hdl_core::ast::{VerilogExpression as Ast, VerilogOp, VerilogOpUnary};

/// Translates expressions of one block.
pub struct Widths<'a> {
    /// Nets of the block.
    pub nets: &'a [Net],
    /// Names of the block.
    pub table: &'a Table,
    /// Loop variables and parameters.
    pub env: Env,
}

/// What a name resolves to.
enum Named {
    Integer(i64),
    Expr(Expr, bool),
}

impl Widths<'_> {
    fn named(&self, text: &str) -> Result<Named, Fault> {
        if let Some(value) = self.env.get(text) {
            return Ok(Named::Integer(*value));
        }
        if let Some(v) = self.table.variants.get(text) {
            let (width, value, name) = (v.width, v.value, Some(v.name.clone()));
            return Ok(Named::Expr(Expr::Const { width, value, name }, false));
        }
        let (entry, flat) = self.resolve(text)?;
        match &entry.meaning {
            Meaning::Constants(values, width, signed, name) => {
                let (width, value, name) = (*width, values[flat], name.clone());
                Ok(Named::Expr(Expr::Const { width, value, name }, *signed))
            }
            Meaning::Nets(elems) => {
                let (net, elem) = elems[flat];
                let width = self.nets[net].width;
                let e = Expr::bits_of(net, elem * width, width);
                Ok(Named::Expr(e, self.nets[net].signed))
            }
        }
    }

    /// Finds a name and the position of the element in it.
    pub fn resolve(&self, text: &str) -> Result<(&Entry, usize), Fault> {
        let shown = || text.replace("$next", "").replace('$', ".");
        let found = path::parse(text, &self.env).map_err(|part| {
            Fault::UnknownName(format!("{} in {}", part.replace('$', "."), shown()))
        })?;
        let entry = self.table.entries.get(&found.key);
        let entry = entry.ok_or_else(|| Fault::UnknownName(shown()))?;
        if found.index.len() != entry.dims.len() {
            return Err(Fault::UnknownName(format!("{} as a whole array", shown())));
        }
        let mut flat = 0;
        for (index, size) in found.index.iter().zip(&entry.dims) {
            if *index < 0 || *index >= *size as i64 {
                return Err(Fault::OutOfRange {
                    name: shown(),
                    index: *index,
                    size: *size,
                });
            }
            flat = flat * size + *index as usize;
        }
        Ok((entry, flat))
    }

    /// Translates to exactly `want` bits; without `want`, to the width from the bottom up.
    pub fn lower(&self, ast: &Ast, want: Option<usize>) -> Result<Expr, Fault> {
        let e = self.translate(ast, want)?;
        match want {
            Some(expected) if e.width() != expected => Err(Fault::Width {
                expr: text(ast),
                found: e.width(),
                expected,
            }),
            _ => Ok(e),
        }
    }

    fn translate(&self, ast: &Ast, want: Option<usize>) -> Result<Expr, Fault> {
        let unknown = || Fault::UnknownWidth(text(ast));
        match ast {
            Ast::Paren(e) => self.translate(e, want),
            Ast::Signal(name) => match self.named(name)? {
                Named::Expr(e, _) => Ok(e),
                Named::Integer(value) => integer(value as i128, want.ok_or_else(unknown)?),
            },
            Ast::Literal(l) => {
                let value = literal(l).ok_or_else(unknown)?;
                let bool_literal = format!("{l:x}").starts_with("1'h");
                let width = want.or(bool_literal.then_some(1)).ok_or_else(unknown)?;
                number(value, width)
            }
            Ast::Cast(e, n) => {
                let shape = self.shape(e)?;
                let inner = match shape.width {
                    Some(_) => self.lower(e, None)?,
                    None => self.lower(e, Some(*n))?,
                };
                Ok(resize(inner, *n, shape.signed))
            }
            Ast::Signed(e) => {
                let shape = self.shape(e)?;
                let own = shape.width.or(want).ok_or_else(unknown)?;
                let own = if shape.flexible {
                    want.unwrap_or(own)
                } else {
                    own
                };
                let inner = self.lower(e, Some(own))?;
                Ok(resize(inner, want.unwrap_or(own), true))
            }
            Ast::Unsigned(e) => self.translate(e, want),
            Ast::Unary(op, e) => self.unary(op, e, want),
            Ast::Binary(l, op, r) => self.binary(ast, l, op, r, want),
            Ast::Index(e, i) => {
                let value = self.lower(e, None)?;
                let index = self.index(i)?;
                Ok(pick(self.nets, value, index))
            }
            Ast::Slice(e, n, offset) => {
                let value = match self.shape(e)?.width {
                    Some(_) => self.lower(e, None)?,
                    None => self.lower(e, Some(*n))?,
                };
                let offset = self.index(offset)?;
                Ok(match offset.value() {
                    Some(at) => slice(value, usize::try_from(at).unwrap_or(usize::MAX / 2), *n),
                    None => {
                        let wide = value.width().max(*n);
                        let value = resize(value, wide, false);
                        slice(binary(BinOp::Shr, value, offset), 0, *n)
                    }
                })
            }
            Ast::IndexReplace(e, i, bit) => {
                let value = self.lower(e, want)?;
                let index = self.index(i)?;
                let bit = self.lower(bit, Some(1))?;
                Ok(replace(value, index, bit))
            }
        }
    }

    /// A bit position: a constant, or an expression of its own width.
    fn index(&self, ast: &Ast) -> Result<Expr, Fault> {
        match self.constant(ast) {
            Some(value) if value >= 0 => Ok(Expr::number(32, value as u128)),
            _ => self.lower(ast, None),
        }
    }

    /// The value of an expression made of literals, loop variables and parameters.
    fn constant(&self, ast: &Ast) -> Option<i64> {
        match ast {
            Ast::Paren(e) => self.constant(e),
            Ast::Signal(name) => self.env.get(name).copied(),
            Ast::Literal(l) => i64::try_from(literal(l)?).ok(),
            Ast::Unary(VerilogOpUnary::Neg, e) => self.constant(e)?.checked_neg(),
            Ast::Binary(l, op, r) => {
                let (l, r) = (self.constant(l)?, self.constant(r)?);
                match op {
                    VerilogOp::Add => l.checked_add(r),
                    VerilogOp::Sub => l.checked_sub(r),
                    VerilogOp::Mul => l.checked_mul(r),
                    VerilogOp::Eq => Some((l == r).into()),
                    VerilogOp::Ne => Some((l != r).into()),
                    VerilogOp::Lt => Some((l < r).into()),
                    VerilogOp::Le => Some((l <= r).into()),
                    VerilogOp::Gt => Some((l > r).into()),
                    VerilogOp::Ge => Some((l >= r).into()),
                    VerilogOp::LogicalAnd => Some((l != 0 && r != 0).into()),
                    VerilogOp::LogicalOr => Some((l != 0 || r != 0).into()),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}
