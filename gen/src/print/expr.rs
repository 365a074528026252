//! Expressions and places as Verilog text.

use crate::expr::mask;
use crate::ir::{BinOp, Expr, Index, Net, Reduction, Target};
use crate::passes::generate::PROCESS_LOOP;
use crate::passes::grid::GRID_LOOP;

/// Name of the variable of a loop.
pub fn variable(depth: usize) -> &'static str {
    match depth {
        0 => "i",
        1 => "j",
        2 => "k",
        PROCESS_LOOP => "n",
        GRID_LOOP => "m",
        depth if depth == GRID_LOOP + 1 => "n",
        depth if depth == GRID_LOOP + 2 => "k",
        _ => "l",
    }
}

/// A sized number.
pub fn number(width: usize, value: u128) -> String {
    match (width, value) {
        (1, _) => format!("1'b{value}"),
        (_, 0..=255) => format!("{width}'d{value}"),
        _ => format!("{width}'h{value:x}"),
    }
}

fn position(index: &Index) -> String {
    let mut out = String::new();
    for (depth, step) in &index.terms {
        let var = variable(*depth);
        let sign = if *step < 0 {
            "-"
        } else if out.is_empty() {
            ""
        } else {
            "+"
        };
        match step.unsigned_abs() {
            1 => out.push_str(&format!("{sign}{var}")),
            n => out.push_str(&format!("{sign}{n}*{var}")),
        }
    }
    if index.terms.is_empty() {
        return index.base.to_string();
    }
    match index.base {
        0 => out,
        b if b < 0 => format!("{out}{b}"),
        b => format!("{out}+{b}"),
    }
}

/// Bits of a net.
pub fn select(nets: &[Net], net: usize, lsb: &Index, width: usize) -> String {
    let n = &nets[net];
    if n.bits() == width {
        return n.name.clone();
    }
    match (width, lsb.constant()) {
        (1, _) => format!("{}[{}]", n.name, position(lsb)),
        (_, Some(at)) => format!("{}[{}:{}]", n.name, at + width - 1, at),
        _ => format!("{}[{}+:{width}]", n.name, position(lsb)),
    }
}

/// A place that is assigned.
pub fn target(nets: &[Net], t: &Target) -> String {
    select(nets, t.net, &t.lsb, t.width)
}

/// A value as the whole right side of an assignment.
pub fn root(nets: &[Net], e: &Expr) -> String {
    match e {
        Expr::Bin(BinOp::Sar, l, r) => {
            format!("{} >>> {}", signed(nets, l), operand(nets, r, BinOp::Sar))
        }
        Expr::Bin(BinOp::MulS, l, r) => format!("{} * {}", signed(nets, l), signed(nets, r)),
        e => expr(nets, e),
    }
}

/// A value anywhere.
pub fn expr(nets: &[Net], e: &Expr) -> String {
    match e {
        Expr::Const {
            name: Some(name), ..
        } => name.clone(),
        Expr::Const { width, value, .. } => number(*width, *value),
        Expr::Sel { net, lsb, width } => select(nets, *net, lsb, *width),
        Expr::Pick {
            net,
            lsb,
            width,
            index,
        } => {
            debug_assert_eq!(nets[*net].bits(), *width);
            debug_assert_eq!(lsb.constant(), Some(0));
            format!("{}[{}]", nets[*net].name, expr(nets, index))
        }
        Expr::Not(e) => {
            let sign = if e.width() == 1 { "!" } else { "~" };
            format!("{sign}{}", primary(nets, e))
        }
        Expr::Neg(e) => format!("-{}", primary(nets, e)),
        Expr::Reduce(op, e) => {
            let sign = match op {
                Reduction::All => "&",
                Reduction::Any => "|",
                Reduction::Odd => "^",
            };
            format!("{sign}{}", primary(nets, e))
        }
        Expr::Bin(BinOp::Sar, ..) => format!("$unsigned({})", root(nets, e)),
        Expr::Bin(op @ (BinOp::LtS | BinOp::LeS | BinOp::GtS | BinOp::GeS), l, r) => {
            format!("{} {} {}", signed(nets, l), sign(*op), signed(nets, r))
        }
        Expr::Bin(op, l, r) => {
            let left = operand(nets, l, *op);
            let arithmetic = |op: BinOp| matches!(op, BinOp::Add | BinOp::Sub);
            let right = match &**r {
                Expr::Bin(inner, ..)
                    if arithmetic(*op) && arithmetic(*inner)
                        || inner == op && !chains_right(*op) =>
                {
                    format!("({})", expr(nets, r))
                }
                _ => operand(nets, r, *op),
            };
            format!("{left} {} {right}", sign(*op))
        }
        Expr::Concat(parts) => {
            let parts: Vec<String> = parts.iter().map(|p| expr(nets, p)).collect();
            format!("{{{}}}", parts.join(", "))
        }
        Expr::Repeat(n, e) => match &**e {
            Expr::Concat(_) => format!("{{{n}{}}}", expr(nets, e)),
            e => format!("{{{n}{{{}}}}}", expr(nets, e)),
        },
        Expr::Field(e, _) => expr(nets, e),
        Expr::Slice { of, lsb, width } => {
            let high = lsb + width - 1;
            format!("{}[{high}:{lsb}]", primary(nets, of))
        }
        Expr::Mux(c, t, e) => {
            let branch = |e: &Expr| match e {
                Expr::Mux(..) => format!("({})", expr(nets, e)),
                e => expr(nets, e),
            };
            let test = match &**c {
                c @ (Expr::Sel { .. } | Expr::Pick { .. } | Expr::Not(_)) => expr(nets, c),
                c => format!("({})", expr(nets, c)),
            };
            format!("{test} ? {} : {}", branch(t), branch(e))
        }
    }
}

/// May `a op (b op c)` be printed without parentheses?
fn chains_right(op: BinOp) -> bool {
    matches!(
        op,
        BinOp::And | BinOp::Or | BinOp::Xor | BinOp::LogicAnd | BinOp::LogicOr
    )
}

fn is_comparison(op: BinOp) -> bool {
    use BinOp::{Eq, Ge, GeS, Gt, GtS, Le, LeS, Lt, LtS, Ne};
    matches!(op, Eq | Ne | Lt | Le | Gt | Ge | LtS | LeS | GtS | GeS)
}

/// An operand, in parentheses where the reader might stumble.
fn operand(nets: &[Net], e: &Expr, outer: BinOp) -> String {
    let plain = match e {
        Expr::Bin(BinOp::Sar, ..) => true,
        Expr::Bin(inner, ..) => {
            let logic = matches!(outer, BinOp::LogicAnd | BinOp::LogicOr);
            let arithmetic = |op: BinOp| matches!(op, BinOp::Add | BinOp::Sub);
            *inner == outer && (chains_right(outer) || arithmetic(outer))
                || logic && is_comparison(*inner)
                || arithmetic(outer) && arithmetic(*inner)
        }
        Expr::Mux(..) | Expr::Reduce(..) => false,
        _ => true,
    };
    if plain {
        expr(nets, e)
    } else {
        format!("({})", expr(nets, e))
    }
}

fn primary(nets: &[Net], e: &Expr) -> String {
    match e {
        Expr::Const { .. } | Expr::Sel { .. } | Expr::Pick { .. } => expr(nets, e),
        Expr::Concat(_) | Expr::Repeat(..) => expr(nets, e),
        e => format!("({})", expr(nets, e)),
    }
}

/// An operand that is read as a signed number.
fn signed(nets: &[Net], e: &Expr) -> String {
    match e {
        Expr::Const {
            width,
            value,
            name: None,
        } if *width > 1 && *value <= mask(width - 1) => format!("{width}'sd{value}"),
        Expr::Const {
            width,
            value,
            name: None,
        } if *width > 1 && *width < 128 && *value != mask(width - 1) + 1 => {
            format!("-{width}'sd{}", mask(*width) - value + 1)
        }
        e => format!("$signed({})", expr(nets, e)),
    }
}

fn sign(op: BinOp) -> &'static str {
    match op {
        BinOp::Add => "+",
        BinOp::Sub => "-",
        BinOp::And => "&",
        BinOp::Or => "|",
        BinOp::Xor => "^",
        BinOp::LogicAnd => "&&",
        BinOp::LogicOr => "||",
        BinOp::Eq => "==",
        BinOp::Ne => "!=",
        BinOp::Lt | BinOp::LtS => "<",
        BinOp::Le | BinOp::LeS => "<=",
        BinOp::Gt | BinOp::GtS => ">",
        BinOp::Ge | BinOp::GeS => ">=",
        BinOp::Shl => "<<",
        BinOp::Shr => ">>",
        BinOp::Sar => ">>>",
        BinOp::MulS | BinOp::MulU => "*",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::NetKind;
    use crate::passes::fold::{binary, not};

    fn net(name: &str, dims: &[usize], width: usize) -> Net {
        Net {
            name: name.into(),
            rust: name.into(),
            dims: dims.to_vec(),
            width,
            signed: false,
            clock: false,
            kind: NetKind::Local,
            doc: String::new(),
            labels: Vec::new(),
            part_of: None,
        }
    }

    fn nets() -> Vec<Net> {
        vec![
            net("a", &[], 8),
            net("b", &[], 8),
            net("x", &[4], 8),
            net("f", &[], 1),
        ]
    }

    #[test]
    fn parentheses_follow_the_tree() {
        let (a, b) = (Expr::bits_of(0, 0, 8), Expr::bits_of(1, 0, 8));
        let both = binary(BinOp::And, a.clone(), b.clone());
        let e = binary(BinOp::Eq, both, Expr::number(8, 3));
        assert_eq!(expr(&nets(), &e), "(a & b) == 8'd3");
        let diff = binary(
            BinOp::Sub,
            a.clone(),
            binary(BinOp::Sub, b.clone(), a.clone()),
        );
        assert_eq!(expr(&nets(), &diff), "a - (b - a)");
        let diff = binary(
            BinOp::Sub,
            a.clone(),
            binary(BinOp::Add, b.clone(), a.clone()),
        );
        assert_eq!(expr(&nets(), &diff), "a - (b + a)");
        let all = binary(
            BinOp::And,
            a.clone(),
            binary(BinOp::And, b.clone(), a.clone()),
        );
        assert_eq!(expr(&nets(), &all), "a & b & a");
        let sum = binary(BinOp::Sub, binary(BinOp::Sub, a.clone(), b.clone()), a);
        assert_eq!(expr(&nets(), &sum), "a - b - a");
        let e = not(binary(BinOp::Lt, b.clone(), b));
        assert_eq!(expr(&nets(), &e), "!(b < b)");
    }

    #[test]
    fn loop_positions_are_readable() {
        let mut lsb = Index::from(8);
        lsb.terms.push((0, 8));
        assert_eq!(select(&nets(), 2, &lsb, 8), "x[8*i+8+:8]");
        assert_eq!(select(&nets(), 2, &16.into(), 8), "x[23:16]");
        assert_eq!(select(&nets(), 3, &0.into(), 1), "f");
    }

    #[test]
    fn signed_shift_is_shielded_from_its_context() {
        let (a, b) = (Expr::bits_of(0, 0, 8), Expr::bits_of(1, 0, 8));
        let shift = binary(BinOp::Sar, a.clone(), b);
        assert_eq!(root(&nets(), &shift), "$signed(a) >>> b");
        let sum = binary(BinOp::Add, shift, a);
        assert_eq!(root(&nets(), &sum), "$unsigned($signed(a) >>> b) + a");
    }
}
