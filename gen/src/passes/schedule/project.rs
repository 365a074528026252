//! The part of a kernel that assigns some of its signals.

use crate::cells::{Cell, written};
use crate::ir::{BinOp, Expr, Net, Stmt};
use crate::passes::fold::{binary, not};
use std::collections::BTreeSet;

/// The part of a list that assigns the wanted cells.
pub fn project(nets: &[Net], list: &[Stmt], wanted: &impl Fn(Cell) -> bool) -> Vec<Stmt> {
    let mut out = Vec::new();
    let mut comments = Vec::new();
    for s in list {
        let kept = match s {
            Stmt::Comment(_) => {
                comments.push(s.clone());
                continue;
            }
            Stmt::Assign(t, _) => wanted(written(nets, t).0).then(|| s.clone()),
            Stmt::If(c, then, other) => {
                let then = project(nets, then, wanted);
                let other = project(nets, other, wanted);
                match (then.is_empty(), other.is_empty()) {
                    (true, true) => None,
                    (true, false) => Some(Stmt::If(not(c.clone()), other, then)),
                    _ => Some(Stmt::If(c.clone(), then, other)),
                }
            }
            Stmt::Case(e, arms) => project_case(nets, e, arms, wanted),
            Stmt::For(v, from, to, body) => {
                let body = project(nets, body, wanted);
                (!body.is_empty()).then_some(Stmt::For(*v, *from, *to, body))
            }
        };
        if let Some(s) = kept {
            out.append(&mut comments);
            out.push(s);
        }
        comments.clear();
    }
    out
}

fn project_case(
    nets: &[Net],
    subject: &Expr,
    arms: &[(Option<Expr>, Vec<Stmt>)],
    wanted: &impl Fn(Cell) -> bool,
) -> Option<Stmt> {
    let mut kept: Vec<(Option<Expr>, Vec<Stmt>)> = arms
        .iter()
        .map(|(label, body)| (label.clone(), project(nets, body, wanted)))
        .collect();
    if kept.iter().all(|(_, body)| body.is_empty()) {
        return None;
    }
    let default_empty = kept.iter().all(|(l, body)| l.is_some() || body.is_empty());
    if default_empty {
        kept.retain(|(label, body)| label.is_some() && !body.is_empty());
        if let [(Some(label), body)] = kept.as_mut_slice() {
            let test = binary(BinOp::Eq, subject.clone(), label.clone());
            return Some(Stmt::If(test, std::mem::take(body), Vec::new()));
        }
    }
    // The last variant serves as default: alone, it is a condition.
    if let [empty @ .., (None, last)] = kept.as_mut_slice() {
        if empty.iter().all(|(_, body)| body.is_empty()) {
            if let Some(label) = variant(nets, last, subject.width()) {
                last.remove(0);
                let test = binary(BinOp::Eq, subject.clone(), label);
                return Some(Stmt::If(test, std::mem::take(last), Vec::new()));
            }
        }
    }
    Some(Stmt::Case(subject.clone(), kept))
}

/// The variant that a default arm stands for: its name is the comment on top.
fn variant(nets: &[Net], body: &[Stmt], width: usize) -> Option<Expr> {
    let Some(Stmt::Comment(name)) = body.first() else {
        return None;
    };
    let find = |n: &Net| n.labels.iter().position(|l| l == name);
    let value = nets.iter().find_map(find)? as u128;
    Some(Expr::Const {
        width,
        value,
        name: Some(name.clone()),
    })
}

/// Projects the statements at some positions, with the comments directly above them.
pub fn pick(
    nets: &[Net],
    body: &[Stmt],
    at: &BTreeSet<usize>,
    wanted: &impl Fn(Cell) -> bool,
) -> Vec<Stmt> {
    let mut out = Vec::new();
    for p in at {
        let mut from = *p;
        while from > 0 && matches!(body[from - 1], Stmt::Comment(_)) {
            from -= 1;
        }
        out.extend(project(nets, &body[from..=*p], wanted));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::NetKind;
    use crate::samples::{assign, net, read};

    #[test]
    fn only_the_wanted_signal_and_its_conditions_are_left() {
        let nets = vec![
            net("c", NetKind::In, &[], 1),
            net("y", NetKind::Out, &[], 1),
            net("z", NetKind::Out, &[], 1),
        ];
        let c = read(&nets, 0, 0);
        let (y, z) = (
            assign(&nets, 1, 0, c.clone()),
            assign(&nets, 2, 0, c.clone()),
        );
        let body = [Stmt::If(c.clone(), vec![y.clone()], vec![z.clone()])];
        let only = |net| project(&nets, &body, &|cell| cell == (net, 0));
        assert_eq!(only(1), [Stmt::If(c.clone(), vec![y.clone()], vec![])]);
        assert_eq!(only(2), [Stmt::If(not(c.clone()), vec![z], vec![])]);
        assert!(only(0).is_empty());
        // One arm of a case is a condition.
        let arms = vec![(Some(Expr::number(1, 1)), vec![y.clone()]), (None, vec![])];
        let case = [Stmt::Case(c.clone(), arms)];
        let got = project(&nets, &case, &|cell| cell == (1, 0));
        assert_eq!(got, [Stmt::If(c, vec![y], vec![])]);
    }
}
