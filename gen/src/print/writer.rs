//! Lines and statements as indented text.

use super::expr::{expr, root, target, variable};
use super::header::wrap;
use crate::ir::{Net, Stmt};

/// Width of a line.
pub const COLUMNS: usize = 100;

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

    /// A line without indentation, as it is.
    pub fn raw(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
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
        for line in wrap(text, room) {
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

    #[test]
    fn long_lines_break_at_spaces() {
        let mut w = Writer::default();
        w.line(&vec!["word"; 40].join(" "));
        assert!(w.text.lines().all(|l| l.len() <= COLUMNS));
        assert_eq!(w.text.lines().count(), 3);
    }
}
