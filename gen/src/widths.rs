//! Width inference: kernel expressions to netlist expressions of exact width.

use crate::error::Fault;
use crate::expr::{binary, concat, mask, neg, not, reduce, resize, slice};
use crate::ir::{BinOp, Expr, Net, Reduction};
use crate::nets::{Meaning, Table};
use crate::path::{self, Env};
use crate::walk::literal;
use rust_hdl_core::ast::{VerilogExpression as Ast, VerilogOp, VerilogOpUnary};

/// What is known about an expression from the bottom up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Bits, if known.
    pub width: Option<usize>,
    /// The value is a signed number.
    pub signed: bool,
    /// The width is a default that the context may replace (`signed_cast_to`).
    pub flexible: bool,
}

const UNKNOWN: Shape = Shape {
    width: None,
    signed: false,
    flexible: false,
};

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
    pub fn resolve(&self, text: &str) -> Result<(&crate::nets::Entry, usize), Fault> {
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

    /// Width and sign from the bottom up.
    pub fn shape(&self, ast: &Ast) -> Result<Shape, Fault> {
        let known = |width: usize, signed: bool| Shape {
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
            Ast::Signed(e) => Shape {
                signed: true,
                flexible: true,
                ..self.shape(e)?
            },
            Ast::Unsigned(e) => Shape {
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
                    Shape {
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
                    Shape {
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

    fn unary(&self, op: &VerilogOpUnary, e: &Ast, want: Option<usize>) -> Result<Expr, Fault> {
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

    fn binary(
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
            let fixed = |s: Shape| s.width.filter(|_| !s.flexible);
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

/// Width of two operands that must agree.
fn common(l: Shape, r: Shape) -> Option<usize> {
    let fixed = |s: Shape| s.width.filter(|_| !s.flexible);
    fixed(l).or(fixed(r)).or(l.width.max(r.width))
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
fn pick(nets: &[Net], value: Expr, index: Expr) -> Expr {
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
fn replace(value: Expr, index: Expr, bit: Expr) -> Expr {
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

fn number(value: u128, width: usize) -> Result<Expr, Fault> {
    if width < 128 && value > mask(width) {
        let value = value.to_string();
        return Err(Fault::Constant { value, width });
    }
    Ok(Expr::number(width, value))
}

fn integer(value: i128, width: usize) -> Result<Expr, Fault> {
    if value >= 0 {
        return number(value as u128, width);
    }
    if width < 127 && value < -(1i128 << (width - 1)) {
        let value = value.to_string();
        return Err(Fault::Constant { value, width });
    }
    Ok(Expr::number(width, value as u128))
}

/// The expression in words of the kernel, for messages.
pub fn text(ast: &Ast) -> String {
    match ast {
        Ast::Signal(name) => name.replace("$next", "").replace('$', "."),
        Ast::Literal(l) => literal(l).map_or_else(|| format!("{l:x}"), |v| v.to_string()),
        Ast::Cast(e, n) => format!("bit_cast::<{n}>({})", text(e)),
        Ast::Signed(e) => format!("signed_cast({})", text(e)),
        Ast::Unsigned(e) => format!("unsigned_cast({})", text(e)),
        Ast::Paren(e) => format!("({})", text(e)),
        Ast::Binary(l, op, r) => format!("{} {} {}", text(l), sign(op), text(r)),
        Ast::Unary(VerilogOpUnary::Not, e) => format!("!{}", text(e)),
        Ast::Unary(VerilogOpUnary::Neg, e) => format!("-{}", text(e)),
        Ast::Unary(VerilogOpUnary::All, e) => format!("{}.all()", text(e)),
        Ast::Unary(VerilogOpUnary::Any, e) => format!("{}.any()", text(e)),
        Ast::Unary(VerilogOpUnary::Xor, e) => format!("{}.xor()", text(e)),
        Ast::Index(e, i) => format!("{}.get_bit({})", text(e), text(i)),
        Ast::Slice(e, n, o) => format!("{}.get_bits::<{n}>({})", text(e), text(o)),
        Ast::IndexReplace(e, i, b) => {
            format!("{}.replace_bit({}, {})", text(e), text(i), text(b))
        }
    }
}

fn sign(op: &VerilogOp) -> &'static str {
    match op {
        VerilogOp::Add => "+",
        VerilogOp::Sub => "-",
        VerilogOp::Mul => "*",
        VerilogOp::LogicalAnd => "&&",
        VerilogOp::LogicalOr => "||",
        VerilogOp::BitXor => "^",
        VerilogOp::BitAnd => "&",
        VerilogOp::BitOr => "|",
        VerilogOp::Shl => "<<",
        VerilogOp::Shr => ">>",
        VerilogOp::Eq => "==",
        VerilogOp::Lt => "<",
        VerilogOp::Le => "<=",
        VerilogOp::Ne => "!=",
        VerilogOp::Ge => ">=",
        VerilogOp::Gt => ">",
    }
}
