//! A thing without its bit positions, and the positions: equal shapes can share a loop.

use crate::ir::{Expr, Index, Item, Stmt};

/// Things whose bit positions can be visited in a fixed order.
pub trait Indexed: Clone + PartialEq {
    /// Calls `f` for every position, and clears what distinguishes instances of an array.
    fn each(&mut self, f: &mut dyn FnMut(&mut Index));
}

impl Indexed for Expr {
    fn each(&mut self, f: &mut dyn FnMut(&mut Index)) {
        match self {
            Expr::Const { .. } => {}
            Expr::Sel { lsb, .. } => f(lsb),
            Expr::Pick { lsb, index, .. } => {
                f(lsb);
                index.each(f);
            }
            Expr::Not(e) | Expr::Neg(e) | Expr::Field(e, _) => e.each(f),
            Expr::Reduce(_, e) | Expr::Repeat(_, e) => e.each(f),
            Expr::Slice { of, .. } => of.each(f),
            Expr::Bin(_, l, r) => {
                l.each(f);
                r.each(f);
            }
            Expr::Concat(parts) => parts.iter_mut().for_each(|e| e.each(f)),
            Expr::Mux(c, t, e) => {
                c.each(f);
                t.each(f);
                e.each(f);
            }
        }
    }
}

impl Indexed for Stmt {
    fn each(&mut self, f: &mut dyn FnMut(&mut Index)) {
        match self {
            Stmt::Assign(t, e) => {
                f(&mut t.lsb);
                e.each(f);
            }
            Stmt::If(c, a, b) => {
                c.each(f);
                a.each(f);
                b.each(f);
            }
            Stmt::Case(e, arms) => {
                e.each(f);
                for (label, body) in arms {
                    if let Some(label) = label {
                        label.each(f);
                    }
                    body.each(f);
                }
            }
            Stmt::For(_, _, _, body) => body.each(f),
            Stmt::Comment(_) => {}
        }
    }
}

impl<T: Indexed> Indexed for Vec<T> {
    fn each(&mut self, f: &mut dyn FnMut(&mut Index)) {
        self.iter_mut().for_each(|x| x.each(f));
    }
}

impl Indexed for Item {
    fn each(&mut self, f: &mut dyn FnMut(&mut Index)) {
        match self {
            Item::Assign(t, e) => {
                f(&mut t.lsb);
                e.each(f);
            }
            Item::Instance(i) => {
                i.index.clear();
                i.ports.iter_mut().for_each(|c| c.value.each(f));
            }
            Item::Comb(body) => body.each(f),
            Item::Clocked(c) => {
                if let Some((test, body)) = &mut c.reset {
                    test.each(f);
                    body.each(f);
                }
                if let Some(e) = &mut c.enable {
                    e.each(f);
                }
                c.body.each(f);
            }
            Item::Comment(_) => {}
            Item::Loop(_, _, _, items) => items.each(f),
        }
    }
}

/// Splits a thing into its shape and its positions.
pub fn shape<T: Indexed>(x: &T) -> (T, Vec<i64>) {
    let mut skeleton = x.clone();
    let mut bases = Vec::new();
    skeleton.each(&mut |i| bases.push(std::mem::take(&mut i.base)));
    (skeleton, bases)
}

/// Longest run from the front that is one thing repeated: its length and steps.
pub fn run<T: Indexed>(shapes: &[(T, Vec<i64>)]) -> (usize, Vec<i64>) {
    let [(skeleton, first), (next_skeleton, second), ..] = shapes else {
        return (1, Vec::new());
    };
    if skeleton != next_skeleton {
        return (1, Vec::new());
    }
    let steps: Vec<i64> = second.iter().zip(first).map(|(b, a)| b - a).collect();
    let fits = |(n, (s, bases)): (usize, &(T, Vec<i64>))| {
        let at = |(a, step): (&i64, &i64)| a + step * n as i64;
        s == skeleton && first.iter().zip(&steps).map(at).eq(bases.iter().copied())
    };
    let length = shapes.iter().enumerate().take_while(|x| fits(*x)).count();
    (length, steps)
}

/// The repeated thing, with the loop variable in its positions.
pub fn template<T: Indexed>(
    skeleton: &T,
    first: &[i64],
    steps: &[i64],
    from: i64,
    depth: usize,
) -> T {
    let mut out = skeleton.clone();
    let mut at = 0;
    out.each(&mut |index| {
        index.base = first[at] - steps[at] * from;
        if steps[at] != 0 {
            index.terms.insert(0, (depth, steps[at]));
        }
        at += 1;
    });
    out
}
