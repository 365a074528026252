//! Expressions and statements as Verilog text.

use crate::assemble::PROCESS_LOOP;
use crate::expr::mask;
use crate::ir::{BinOp, Expr, Index, Net, Reduction, Stmt, Target};

/// Width of a line.
pub const COLUMNS: usize = 100;

/// Name of the variable of a loop.
pub fn variable(depth: usize) -> &'static str {
    match depth {
        0 => "i",
        1 => "j",
        2 => "k",
        PROCESS_LOOP => "n",
        _ => "m",
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

/// Lines of text with an indentation, broken at spaces.
#[derive(Debug, Default)]
pub struct Writer {
    /// The text.
    pub text: String,
    depth: usize,
}

impl Writer {
    /// Writes one line; long lines continue four columns further in.
    pub fn line(&mut self, line: &str) {
        let indent = 2 * self.depth;
        let mut rest = line;
        let mut prefix = " ".repeat(indent);
        loop {
            if prefix.len() + rest.len() <= COLUMNS {
                self.text.push_str(&prefix);
                self.text.push_str(rest);
                self.text.push('\n');
                return;
            }
            let room = COLUMNS - prefix.len();
            let Some(at) = break_at(rest, room) else {
                self.text.push_str(&prefix);
                self.text.push_str(rest);
                self.text.push('\n');
                return;
            };
            self.text.push_str(&prefix);
            self.text.push_str(rest[..at].trim_end());
            self.text.push('\n');
            rest = rest[at..].trim_start();
            prefix = " ".repeat(indent + 4);
        }
    }

    /// An empty line, never two in a row.
    pub fn blank(&mut self) {
        if !self.text.ends_with("\n\n") && !self.text.is_empty() {
            self.text.push('\n');
        }
    }

    /// Lines further in.
    pub fn inside(&mut self, f: impl FnOnce(&mut Self)) {
        self.depth += 1;
        f(self);
        self.depth -= 1;
    }

    /// Statements with `=` or `<=`.
    pub fn statements(&mut self, nets: &[Net], list: &[Stmt], op: &str) {
        for s in list {
            self.statement(nets, s, op);
        }
    }

    fn statement(&mut self, nets: &[Net], s: &Stmt, op: &str) {
        match s {
            Stmt::Comment(text) => self.comment(text),
            Stmt::If(..) => self.conditional(nets, s, op, ""),
            Stmt::Case(e, arms) => {
                self.line(&format!("case ({})", expr(nets, e)));
                self.inside(|w| {
                    for (label, body) in arms {
                        let label = label.as_ref().map_or("default".into(), |l| expr(nets, l));
                        w.arm(nets, &label, body, op);
                    }
                    if arms.iter().all(|(l, _)| l.is_some()) {
                        w.line("default: ;");
                    }
                });
                self.line("endcase");
            }
            Stmt::For(depth, from, to, body) => {
                let v = variable(*depth);
                self.line(&format!(
                    "for ({v} = {from}; {v} < {to}; {v} = {v} + 1) begin"
                ));
                self.inside(|w| w.statements(nets, body, op));
                self.line("end");
            }
            s => {
                let text = simple(nets, s, op).unwrap_or_default();
                self.line(&text);
            }
        }
    }

    fn arm(&mut self, nets: &[Net], label: &str, body: &[Stmt], op: &str) {
        match body {
            [] => self.line(&format!("{label}: ;")),
            [one] if simple(nets, one, op).is_some() => {
                let text = simple(nets, one, op).unwrap_or_default();
                self.line(&format!("{label}: {text}"));
            }
            body => {
                self.line(&format!("{label}: begin"));
                self.inside(|w| w.statements(nets, body, op));
                self.line("end");
            }
        }
    }

    /// `if` with its branches; `before` stands in front of the first one.
    pub fn conditional(&mut self, nets: &[Net], s: &Stmt, op: &str, before: &str) {
        let Stmt::If(c, then, other) = s else {
            return;
        };
        let head = format!("{before}if ({})", expr(nets, c));
        if let ([one], true, true) = (then.as_slice(), other.is_empty(), before.is_empty()) {
            if let Some(text) = simple(nets, one, op) {
                let line = format!("{head} {text}");
                if line.len() + 2 * self.depth <= COLUMNS {
                    self.line(&line);
                    return;
                }
            }
        }
        self.line(&format!("{head} begin"));
        self.inside(|w| w.statements(nets, then, op));
        match other.as_slice() {
            [] => self.line("end"),
            [s @ Stmt::If(..)] => self.conditional(nets, s, op, "end else "),
            other => {
                self.line("end else begin");
                self.inside(|w| w.statements(nets, other, op));
                self.line("end");
            }
        }
    }

    /// A comment.
    pub fn comment(&mut self, text: &str) {
        let room = COLUMNS.saturating_sub(2 * self.depth + 3).max(20);
        for line in crate::header::wrap(text, room) {
            self.line(&format!("// {line}"));
        }
    }
}

fn simple(nets: &[Net], s: &Stmt, op: &str) -> Option<String> {
    match s {
        Stmt::Assign(t, e) => Some(format!("{} {op} {};", target(nets, t), root(nets, e))),
        _ => None,
    }
}

/// Last space that leaves at most `room` columns before it.
fn break_at(line: &str, room: usize) -> Option<usize> {
    let spaces = line
        .char_indices()
        .filter(|(_, c)| *c == ' ')
        .map(|(i, _)| i);
    let mut best = None;
    for at in spaces {
        // A unary or binary operator stays with its left operand.
        if at <= room {
            best = Some(at);
        } else {
            return best.or(Some(at));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{binary, not};
    use crate::ir::NetKind;

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

    #[test]
    fn long_lines_break_at_spaces() {
        let mut w = Writer::default();
        w.line(&vec!["word"; 40].join(" "));
        assert!(w.text.lines().all(|l| l.len() <= COLUMNS));
        assert_eq!(w.text.lines().count(), 3);
    }
}
