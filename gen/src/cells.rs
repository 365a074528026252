//! Elements of nets as the unit of analysis: who writes which, who reads which.

use crate::expr::mask;
use crate::ir::{Expr, Index, Net, NetId, Stmt, Target};

/// One element of a net.
pub type Cell = (NetId, usize);

/// The cells that a range of bits touches.
pub fn cells_of(nets: &[Net], net: NetId, lsb: &Index, width: usize) -> std::ops::Range<usize> {
    let lsb = lsb.base.max(0) as usize;
    let each = nets[net].width;
    (lsb / each)..((lsb + width).div_ceil(each))
}

/// The cell and the bits in it that an assignment writes. Bits beyond 128 count as one.
pub fn written(nets: &[Net], target: &Target) -> (Cell, u128) {
    let each = nets[target.net].width;
    let lsb = target.lsb.base.max(0) as usize;
    let from = lsb % each;
    let bits = if target.width == each {
        u128::MAX
    } else {
        mask(target.width).checked_shl(from as u32).unwrap_or(0)
    };
    ((target.net, lsb / each), bits)
}

/// All bits of a cell.
pub fn whole(nets: &[Net], net: NetId) -> u128 {
    mask(nets[net].width)
}

/// Calls `f` for every cell that an expression reads.
pub fn reads(nets: &[Net], e: &Expr, f: &mut impl FnMut(Cell)) {
    e.visit_nets(&mut |net, lsb, width| {
        for elem in cells_of(nets, net, lsb, width) {
            f((net, elem));
        }
    });
}

/// Calls `f` for every assignment in a list.
pub fn assignments<'a>(list: &'a [Stmt], f: &mut impl FnMut(&'a Target, &'a Expr)) {
    for s in list {
        match s {
            Stmt::Assign(t, e) => f(t, e),
            Stmt::If(_, a, b) => {
                assignments(a, f);
                assignments(b, f);
            }
            Stmt::Case(_, arms) => arms.iter().for_each(|(_, b)| assignments(b, f)),
            Stmt::For(_, _, _, b) => assignments(b, f),
            Stmt::Comment(_) => {}
        }
    }
}

/// Calls `f` for every expression in a list: values, conditions, subjects.
pub fn expressions<'a>(list: &'a [Stmt], f: &mut impl FnMut(&'a Expr)) {
    for s in list {
        match s {
            Stmt::Assign(_, e) => f(e),
            Stmt::If(c, a, b) => {
                f(c);
                expressions(a, f);
                expressions(b, f);
            }
            Stmt::Case(e, arms) => {
                f(e);
                arms.iter().for_each(|(_, b)| expressions(b, f));
            }
            Stmt::For(_, _, _, b) => expressions(b, f),
            Stmt::Comment(_) => {}
        }
    }
}

/// Rebuilds a list with every expression replaced.
pub fn map_expressions(list: Vec<Stmt>, f: &mut impl FnMut(Expr) -> Expr) -> Vec<Stmt> {
    let mut one = |s| match s {
        Stmt::Assign(t, e) => Stmt::Assign(t, f(e)),
        Stmt::If(c, a, b) => {
            let c = f(c);
            let a = map_expressions(a, f);
            Stmt::If(c, a, map_expressions(b, f))
        }
        Stmt::Case(e, arms) => {
            let e = f(e);
            let arm = |(l, b): (Option<Expr>, _)| (l, map_expressions(b, f));
            Stmt::Case(e, arms.into_iter().map(arm).collect())
        }
        Stmt::For(v, from, to, b) => Stmt::For(v, from, to, map_expressions(b, f)),
        Stmt::Comment(c) => Stmt::Comment(c),
    };
    list.into_iter().map(&mut one).collect()
}

/// The indices of an element of a net, outermost first.
pub fn indices(nets: &[Net], (net, elem): Cell) -> Vec<usize> {
    let mut index = Vec::new();
    let mut rest = elem;
    for size in nets[net].dims.iter().rev() {
        index.push(rest % size);
        rest /= size;
    }
    index.reverse();
    index
}

/// The name of a cell as the kernel writes it.
pub fn name(nets: &[Net], cell: Cell) -> String {
    // `[]` marks where the indices of an array of instances stand.
    let mut out = nets[cell.0].rust.clone();
    for i in indices(nets, cell) {
        match out.find("[]") {
            Some(_) => out = out.replacen("[]", &format!("[{i}]"), 1),
            None => out.push_str(&format!("[{i}]")),
        }
    }
    out
}
