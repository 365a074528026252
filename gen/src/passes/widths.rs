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
use crate::ir::{BinOp, Expr, FieldName, Net};
use crate::passes::fold::{binary, field, resize, slice};
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
                Ok(self.named_bits(pick(self.nets, value, index), i))
            }
            Ast::Slice(e, n, offset) => {
                let value = match self.shape(e)?.width {
                    Some(_) => self.lower(e, None)?,
                    None => self.lower(e, Some(*n))?,
                };
                let at = self.index(offset)?;
                Ok(match at.value() {
                    Some(at) => {
                        let at = usize::try_from(at).unwrap_or(usize::MAX / 2);
                        self.named_bits(slice(value, at, *n), offset)
                    }
                    None => {
                        let wide = value.width().max(*n);
                        let value = resize(value, wide, false);
                        slice(binary(BinOp::Shr, value, at), 0, *n)
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

    /// Bits of a word, with their name if the offset tells it.
    fn named_bits(&self, bits: Expr, offset: &Ast) -> Expr {
        match field_offset(offset) {
            Some((_, name)) => field(bits, name),
            None => bits,
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
            Ast::Signal(name) => match field_offset(ast) {
                Some((lsb, _)) => Some(lsb),
                None => self.env.get(name).copied(),
            },
            Ast::Literal(l) => i64::try_from(literal(l)?).ok(),
            Ast::Unary(VerilogOpUnary::Neg, e) => self.constant(e)?.checked_neg(),
            Ast::Binary(l, op, r) => {
                let (l, r) = (self.constant(l)?, self.constant(r)?);
                match op {
                    VerilogOp::Add => l.checked_add(r),
                    VerilogOp::Sub => l.checked_sub(r),
                    VerilogOp::Mul => l.checked_mul(r),
                    VerilogOp::Shl => 1i64
                        .checked_shl(u32::try_from(r).ok()?)
                        .and_then(|power| l.checked_mul(power)),
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

/// The lowest bit of a field and its name, from `@name@lsb@doc`.
fn field_offset(offset: &Ast) -> Option<(i64, FieldName)> {
    let Ast::Signal(text) = offset else {
        return None;
    };
    let mut parts = text.strip_prefix('@')?.splitn(3, '@');
    let name = parts.next()?.to_string();
    let lsb = parts.next()?.parse().ok()?;
    let doc = parts.next()?.to_string();
    Some((lsb, FieldName { name, doc }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::NetKind;
    use crate::samples::{net, read};

    /// Translates with `a` and `b`, bytes, and `s`, a signed byte.
    fn check(ast: &Ast, want: Option<usize>, expected: Result<Expr, Fault>) {
        let (nets, table) = names();
        let widths = Widths {
            nets: &nets,
            table: &table,
            env: [("i".to_string(), 5)].into(),
        };
        assert_eq!(widths.lower(ast, want), expected, "{}", text(ast));
    }

    fn names() -> (Vec<Net>, Table) {
        let mut nets: Vec<Net> = ["a", "b", "s"]
            .map(|n| net(n, NetKind::In, &[], 8))
            .into_iter()
            .collect();
        nets[2].signed = true;
        let mut table = Table::default();
        for (id, n) in nets.iter().enumerate() {
            let meaning = Meaning::Nets(vec![(id, 0)]);
            let dims = Vec::new();
            table
                .entries
                .insert(n.name.clone(), Entry { dims, meaning });
        }
        (nets, table)
    }

    fn signal(name: &str) -> Box<Ast> {
        Box::new(Ast::Signal(name.into()))
    }

    fn literal(value: u32) -> Box<Ast> {
        Box::new(Ast::Literal(value.into()))
    }

    #[test]
    fn literals_take_the_width_of_the_other_operand() {
        let (nets, _) = names();
        let sum = Ast::Binary(signal("a"), VerilogOp::Add, literal(3));
        let want = binary(BinOp::Add, read(&nets, 0, 0), Expr::number(8, 3));
        check(&sum, Some(8), Ok(want.clone()));
        check(&sum, None, Ok(want));
        let large = Ast::Binary(signal("a"), VerilogOp::Add, literal(300));
        let (value, width) = ("300".into(), 8);
        check(&large, Some(8), Err(Fault::Constant { value, width }));
    }

    #[test]
    fn loop_variables_are_numbers_of_the_width_of_their_context() {
        check(&signal("i"), Some(4), Ok(Expr::number(4, 5)));
        check(&signal("i"), None, Err(Fault::UnknownWidth("i".into())));
    }

    #[test]
    fn comparisons_of_loop_variables_know_powers_of_two() {
        let power = |by| Ast::Binary(literal(1), VerilogOp::Shl, literal(by));
        let equal = |by| Ast::Binary(signal("i"), VerilogOp::Eq, Box::new(power(by)));
        let below = |by| Ast::Binary(signal("i"), VerilogOp::Lt, Box::new(power(by)));
        check(&equal(2), Some(1), Ok(Expr::number(1, 0)));
        check(&below(2), Some(1), Ok(Expr::number(1, 0)));
        check(&below(3), Some(1), Ok(Expr::number(1, 1)));
    }

    #[test]
    fn casts_extend_by_the_sign_of_their_operand() {
        let (nets, _) = names();
        let cast = |name: &str| Ast::Cast(signal(name), 12);
        let extended = |net, signed| resize(read(&nets, net, 0), 12, signed);
        check(&cast("a"), Some(12), Ok(extended(0, false)));
        check(&cast("s"), Some(12), Ok(extended(2, true)));
        assert_ne!(extended(2, true), extended(2, false));
    }

    #[test]
    fn signed_operands_are_compared_as_signed_numbers() {
        let (nets, _) = names();
        let less = |name: &str| Ast::Binary(signal(name), VerilogOp::Lt, signal("b"));
        let want = |op, net| binary(op, read(&nets, net, 0), read(&nets, 1, 0));
        check(&less("a"), Some(1), Ok(want(BinOp::Lt, 0)));
        check(&less("s"), Some(1), Ok(want(BinOp::LtS, 2)));
    }

    #[test]
    fn a_width_that_does_not_fit_is_refused() {
        let fault = Fault::Width {
            expr: "a".into(),
            found: 8,
            expected: 4,
        };
        check(&signal("a"), Some(4), Err(fault));
        check(&signal("q"), None, Err(Fault::UnknownName("q".into())));
    }

    #[test]
    fn a_constant_slice_is_wiring_and_reads_zeros_beyond_the_end() {
        let (nets, _) = names();
        let slice = |width, at| Ast::Slice(signal("a"), width, literal(at));
        check(&slice(4, 2), Some(4), Ok(Expr::bits_of(0, 2, 4)));
        let wide = resize(read(&nets, 0, 0), 10, false);
        check(&slice(10, 0), Some(10), Ok(wide));
    }
}
