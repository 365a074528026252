//! Neighbouring elements that take the same bitwise operation become one operation on a vector:
//! a simulator does it once, and a reader sees no loop.

use super::shape::{run, shape};
use crate::ir::{BinOp, Expr, Stmt, Target};
use crate::passes::fold::{binary, mux, not, repeat};

/// Assignments in order of their bits, with runs of equal bitwise operations joined.
pub fn vectors(list: Vec<(Target, Expr)>) -> Vec<(Target, Expr)> {
    let assign = |(t, e): &(Target, Expr)| shape(&Stmt::Assign(t.clone(), e.clone()));
    let shapes: Vec<_> = list.iter().map(assign).collect();
    let mut out = Vec::new();
    let mut at = 0;
    while at < list.len() {
        let (length, steps) = run(&shapes[at..]);
        let joined = joined(&list[at], length, &steps);
        at += if joined.is_some() { length } else { 1 };
        out.push(joined.unwrap_or_else(|| list[at - 1].clone()));
    }
    out
}

/// `count` assignments, of which this is the first, as one.
fn joined((target, value): &(Target, Expr), count: usize, steps: &[i64]) -> Option<(Target, Expr)> {
    let (first, mut steps) = steps.split_first()?;
    if count < 2 || *first != target.width as i64 {
        return None;
    }
    let value = widened(value, count, &mut steps)?;
    let width = count * target.width;
    let target = target.clone();
    Some((Target { width, ..target }, value))
}

/// The vector of `count` values, if each bit of it depends on its own bit of every operand. Takes the
/// steps of the operands.
fn widened(e: &Expr, count: usize, steps: &mut &[i64]) -> Option<Expr> {
    if let Some(same) = repeated(e, count, steps) {
        return Some(same);
    }
    Some(match e {
        Expr::Sel { net, lsb, width } => {
            let (step, rest) = steps.split_first()?;
            *steps = rest;
            let neighbours = *step == *width as i64;
            neighbours.then(|| Expr::Sel {
                net: *net,
                lsb: lsb.clone(),
                width: count * width,
            })?
        }
        Expr::Not(e) => not(widened(e, count, steps)?),
        Expr::Bin(op, l, r) => {
            let op = match op {
                BinOp::And | BinOp::LogicAnd => BinOp::And,
                BinOp::Or | BinOp::LogicOr => BinOp::Or,
                BinOp::Xor => BinOp::Xor,
                _ => return None,
            };
            let left = widened(l, count, steps)?;
            binary(op, left, widened(r, count, steps)?)
        }
        Expr::Mux(c, t, e) => {
            // One condition for all of them.
            repeated(c, 1, steps)?;
            let then = widened(t, count, steps)?;
            mux((**c).clone(), then, widened(e, count, steps)?)
        }
        _ => return None,
    })
}

/// What all values read at the same place, `count` times.
fn repeated(e: &Expr, count: usize, steps: &mut &[i64]) -> Option<Expr> {
    let mut operands = 0;
    e.visit_nets(&mut |_, _, _| operands += 1);
    let (own, rest) = steps.split_at_checked(operands)?;
    own.iter().all(|step| *step == 0).then(|| {
        *steps = rest;
        repeat(count, e.clone())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Net, NetKind};
    use crate::samples::{net, place, read};

    /// Two words of four bytes, conditions, the result.
    fn nets() -> Vec<Net> {
        vec![
            net("x", NetKind::In, &[2, 4], 8),
            net("c", NetKind::In, &[4], 1),
            net("y", NetKind::Out, &[4], 8),
        ]
    }

    /// The same for each byte of the result.
    fn bytes(value: impl Fn(usize) -> Expr) -> Vec<(Target, Expr)> {
        (0..4).map(|k| (place(&nets(), 2, k), value(k))).collect()
    }

    #[test]
    fn a_choice_between_words_is_one_assignment() {
        let gated = |word: usize, x: Expr| {
            let zero = Expr::number(x.width(), 0);
            mux(read(&nets(), 1, word), x, zero)
        };
        let or =
            |word: &dyn Fn(usize) -> Expr| binary(BinOp::Or, gated(0, word(0)), gated(1, word(1)));
        let byte = |k| or(&|word| read(&nets(), 0, 4 * word + k));
        let word = or(&|word| Expr::bits_of(0, 32 * word, 32));
        let whole = Target {
            width: 32,
            ..place(&nets(), 2, 0)
        };
        assert_eq!(vectors(bytes(byte)), [(whole, word)]);
    }

    #[test]
    fn what_all_elements_read_is_repeated() {
        let mixed = |k| binary(BinOp::And, not(read(&nets(), 0, k)), read(&nets(), 0, 7));
        let [(_, value)] = &vectors(bytes(mixed))[..] else {
            panic!()
        };
        let repeated = repeat(4, read(&nets(), 0, 7));
        assert_eq!(
            *value,
            binary(BinOp::And, not(Expr::bits_of(0, 0, 32)), repeated)
        );
    }

    #[test]
    fn other_operations_and_distances_stay() {
        let sum = bytes(|k| binary(BinOp::Add, read(&nets(), 0, k), read(&nets(), 0, 7)));
        let reversed = bytes(|k| not(read(&nets(), 0, 3 - k)));
        let x = |k| read(&nets(), 0, k);
        let own = bytes(|k| mux(read(&nets(), 1, k), x(k), x(4 + k)));
        for list in [sum, reversed, own] {
            assert_eq!(vectors(list.clone()), list);
        }
    }

    #[test]
    fn an_element_of_its_own_stays_beside_the_vector() {
        let edge = bytes(|k| {
            if k == 0 {
                Expr::number(8, 0)
            } else {
                not(read(&nets(), 0, k - 1))
            }
        });
        let list = vectors(edge);
        assert_eq!((list.len(), list[1].0.width), (2, 24));
    }
}
