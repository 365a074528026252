//! Places of signals without `.val()`: a kernel may write `self.count` for the value of a signal or of a
//! register.

use proc_macro2::TokenStream;
use quote::quote;
use syn::punctuated::Punctuated;
use syn::visit_mut::{VisitMut, visit_expr_mut};
use syn::{
    Block, Expr, ExprAssign, ExprForLoop, ExprMacro, ExprMethodCall, Member, Token, parse_quote,
};

/// Methods of values. Others belong to the place: `self.cells.len()`, `self.op.pass_on()`.
const OF_VALUES: [&str; 9] = [
    "get_bits",
    "get_bit",
    "replace_bit",
    "any",
    "all",
    "xor",
    "index",
    "into",
    "to_bits",
];

/// Is this a signal, register or part: `self.name` with indices and members, but no parameter?
pub fn is_place(expr: &Expr) -> bool {
    match expr {
        Expr::Field(field) => match (&*field.base, &field.member) {
            (Expr::Path(base), Member::Named(member)) if base.path.is_ident("self") => {
                !member.to_string().starts_with('_')
            }
            _ => is_place(&field.base),
        },
        Expr::Index(index) => is_place(&index.expr),
        _ => false,
    }
}

/// Writes the reading of places out: `self.count` becomes `self.count.read()`.
pub fn resolve(block: &mut Block) {
    Reads.visit_block_mut(block);
}

/// `field!(word, ROWS)` and `flag!(word, LAST)`: the bits of a field with `lsb` and `width`.
fn field(expr: &Expr) -> Option<Expr> {
    let Expr::Macro(ExprMacro { mac, .. }) = expr else {
        return None;
    };
    let arguments = Punctuated::<Expr, Token![,]>::parse_terminated;
    let arguments = mac.parse_body_with(arguments).ok()?;
    let (word, field) = (arguments.first()?, arguments.get(1)?);
    let lsb: Expr = match name_of(field) {
        Some(name) => parse_quote!(::heddle_kernel::tree::bit_of(#name, #field.doc, #field.lsb)),
        None => parse_quote!(#field.lsb),
    };
    if mac.path.is_ident("field") {
        return Some(parse_quote!(#word.get_bits::<{ #field.width }>(#lsb)));
    }
    let is_flag = mac.path.is_ident("flag");
    is_flag.then(|| parse_quote!(#word.get_bit(#lsb)))
}

/// `matmul_repeated` of the field `matmul::REPEATED`; elements of arrays have no name.
fn name_of(field: &Expr) -> Option<String> {
    let Expr::Path(path) = field else { return None };
    let words = path.path.segments.iter().rev().take(2);
    let mut words: Vec<_> = words.map(|s| s.ident.to_string().to_lowercase()).collect();
    words.dedup();
    words.reverse();
    Some(words.join("_"))
}

struct Reads;

impl Reads {
    /// What stands in the indices of a place is read, the place itself is not.
    fn indices(&mut self, place: &mut Expr) {
        match place {
            Expr::Field(field) => self.indices(&mut field.base),
            Expr::Index(index) => {
                self.indices(&mut index.expr);
                self.visit_expr_mut(&mut index.index);
            }
            Expr::Reference(inner) => self.indices(&mut inner.expr),
            Expr::Paren(inner) => self.indices(&mut inner.expr),
            _ => {}
        }
    }
}

impl VisitMut for Reads {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        if let Some(selection) = field(expr) {
            *expr = selection;
        }
        if !is_place(expr) {
            return visit_expr_mut(self, expr);
        }
        self.indices(expr);
        let place: TokenStream = quote!(#expr);
        *expr = parse_quote!(#place.read());
    }

    fn visit_expr_assign_mut(&mut self, assign: &mut ExprAssign) {
        self.indices(&mut assign.left);
        self.visit_expr_mut(&mut assign.right);
    }

    fn visit_expr_method_call_mut(&mut self, call: &mut ExprMethodCall) {
        let of_value = OF_VALUES.iter().any(|name| call.method == name);
        match of_value || !is_place(&call.receiver) {
            true => self.visit_expr_mut(&mut call.receiver),
            false => self.indices(&mut call.receiver),
        }
        for argument in &mut call.args {
            match argument {
                Expr::Reference(_) => self.indices(argument),
                other => self.visit_expr_mut(other),
            }
        }
    }

    fn visit_expr_for_loop_mut(&mut self, repeated: &mut ExprForLoop) {
        self.visit_block_mut(&mut repeated.body);
    }
}
