//! Pieces of a syntax tree, made by functions so that kernels compile to little code.

use rust_hdl_core::ast::{
    VerilogBlockOrConditional, VerilogConditional, VerilogExpression, VerilogOp, VerilogOpUnary,
    VerilogStatement,
};

/// `cell[3][1]$x_i` of the pattern `cell[][]$x_i`.
#[inline(never)]
pub fn place(pattern: &str, indices: &[usize]) -> String {
    let mut pieces = pattern.split("[]");
    let mut out = String::from(pieces.next().unwrap_or_default());
    for (piece, index) in pieces.zip(indices) {
        out.push_str(&format!("[{index}]{piece}"));
    }
    out
}

/// `left op right`.
#[inline(never)]
pub fn binary(
    left: VerilogExpression,
    op: VerilogOp,
    right: VerilogExpression,
) -> VerilogExpression {
    VerilogExpression::Binary(Box::new(left), op, Box::new(right))
}

/// `op inner`.
#[inline(never)]
pub fn unary(op: VerilogOpUnary, inner: VerilogExpression) -> VerilogExpression {
    VerilogExpression::Unary(op, Box::new(inner))
}

/// `whole[offset +: width]`.
#[inline(never)]
pub fn slice(
    whole: VerilogExpression,
    width: usize,
    offset: VerilogExpression,
) -> VerilogExpression {
    VerilogExpression::Slice(Box::new(whole), width, Box::new(offset))
}

/// The lowest bit of a field that has a name, for simulation.
pub fn bit_of(_name: &str, _doc: &str, lsb: usize) -> usize {
    lsb
}

/// The lowest bit of a field with the name and the meaning that the Verilog shows: `@name@lsb@doc`.
#[inline(never)]
pub fn named(name: &str, doc: &str, lsb: usize) -> VerilogExpression {
    VerilogExpression::Signal(format!("@{name}@{lsb}@{doc}"))
}

/// Adds `place = value` to a list.
#[inline(never)]
pub fn assign(mut place: String, value: VerilogExpression, list: &mut Vec<VerilogStatement>) {
    place.push_str("$next");
    let target = VerilogExpression::Signal(place);
    list.push(VerilogStatement::Assignment(target, value));
}

/// Changes the last `place = ...` of a list to `place = value`.
///
/// # Panics
/// If there is none.
#[inline(never)]
pub fn replace(mut place: String, value: VerilogExpression, list: &mut [VerilogStatement]) {
    place.push_str("$next");
    let last = list.iter_mut().rev().find_map(|statement| match statement {
        VerilogStatement::Assignment(VerilogExpression::Signal(target), old) => {
            (*target == place).then_some(old)
        }
        _ => None,
    });
    *last.expect("a member of the wave") = value;
}

/// Adds the statements by which a port shows a register, behind those that drive the register.
#[inline(never)]
pub fn show(register: &str, shown: Vec<VerilogStatement>, list: &mut Vec<VerilogStatement>) {
    let last = list.iter().rposition(|s| drives(register, s));
    let at = last.map_or(list.len(), |i| i + 1);
    list.splice(at..at, shown);
}

/// Does a statement drive the input of a register, or of one in an array of registers?
fn drives(register: &str, statement: &VerilogStatement) -> bool {
    let all = |list: &[VerilogStatement]| list.iter().any(|s| drives(register, s));
    match statement {
        VerilogStatement::Assignment(VerilogExpression::Signal(target), _) => {
            let rest = target.strip_prefix(register);
            rest.is_some_and(|r| {
                (r.starts_with('$') || r.starts_with('[')) && r.ends_with("$d_i$next")
            })
        }
        VerilogStatement::If(choice) => {
            all(&choice.then)
                || match &choice.otherwise {
                    VerilogBlockOrConditional::Block(list) => all(list),
                    VerilogBlockOrConditional::Conditional(inner) => drives(register, inner),
                    VerilogBlockOrConditional::None => false,
                }
        }
        VerilogStatement::Match(choice) => choice.cases.iter().any(|case| all(&case.block)),
        _ => false,
    }
}

/// Adds an `if` to a list.
#[inline(never)]
pub fn choose(
    test: VerilogExpression,
    then: Vec<VerilogStatement>,
    otherwise: Option<Vec<VerilogStatement>>,
    list: &mut Vec<VerilogStatement>,
) {
    let none = VerilogBlockOrConditional::None;
    let otherwise = otherwise.map_or(none, VerilogBlockOrConditional::Block);
    list.push(VerilogStatement::If(VerilogConditional {
        test,
        then,
        otherwise,
    }));
}
