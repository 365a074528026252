//! Expressions in the words of the kernel, for messages.

use crate::blocks::literal;
use rust_hdl_core::ast::{VerilogExpression as Ast, VerilogOp, VerilogOpUnary};

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
