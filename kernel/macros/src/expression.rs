//! Expressions of a kernel as expressions of rust-hdl's syntax tree.
//!
//! An expression is *dynamic* if it reads a signal. Everything else is computed when `hdl` runs and
//! becomes a literal: parameters of the module, loop variables, constants.

use crate::names::name;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use std::collections::BTreeSet;
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{BinOp, Error, Expr, ExprCall, ExprMethodCall, ExprPath, Ident, Result, UnOp};

/// Names bound by `let` to values of signals.
pub type Lets = BTreeSet<String>;

/// The name that holds the syntax tree of a `let`.
pub fn tree_of(ident: &Ident) -> Ident {
    format_ident!("{ident}_tree")
}

/// Does the expression read a signal?
pub fn is_dynamic(expr: &Expr, lets: &Lets) -> bool {
    struct Reads<'a>(&'a Lets, bool);
    impl<'a> Visit<'a> for Reads<'_> {
        fn visit_expr_method_call(&mut self, call: &'a ExprMethodCall) {
            self.1 |= call.method == "read";
            syn::visit::visit_expr_method_call(self, call);
        }
        fn visit_expr_path(&mut self, path: &'a ExprPath) {
            let ident = path.path.get_ident();
            self.1 |= ident.is_some_and(|i| self.0.contains(&i.to_string()));
        }
    }
    let mut reads = Reads(lets, false);
    reads.visit_expr(expr);
    reads.1
}

/// Is this a variant of an enum of states? Constants are in capitals.
fn variant(expr: &Expr) -> Option<String> {
    let Expr::Path(path) = expr else { return None };
    let segments = &path.path.segments;
    let last = segments.last()?.ident.to_string();
    let named = last.chars().any(|c| c.is_ascii_lowercase()) && segments.len() > 1;
    let text: Vec<_> = segments.iter().map(|s| s.ident.to_string()).collect();
    named.then(|| text[text.len() - 2..].join("$"))
}

/// The label of an arm of a `match` over a signal.
pub fn label(pattern: &syn::Pat) -> Result<TokenStream> {
    match pattern {
        syn::Pat::Wild(_) => Ok(quote!("default".to_string())),
        syn::Pat::Lit(lit) => Ok(quote!((#lit).to_string())),
        syn::Pat::Path(path) => Ok(match variant(&Expr::Path(path.clone())) {
            Some(variant) => quote!(#variant.to_string()),
            None => quote!(::std::string::ToString::to_string(&#path)),
        }),
        syn::Pat::Ident(ident) => Ok(quote!(::std::string::ToString::to_string(&#ident))),
        other => Err(Error::new(
            other.span(),
            "expected a number, a constant, a variant or _",
        )),
    }
}

fn unary_of(op: &TokenStream, inner: &TokenStream) -> TokenStream {
    let op = quote!(::heddle_kernel::ast::VerilogOpUnary::#op);
    quote!(::heddle_kernel::tree::unary(#op, #inner))
}

fn boxed(tree: &TokenStream) -> TokenStream {
    quote!(::std::boxed::Box::new(#tree))
}

/// An expression of type `VerilogExpression`.
pub fn tree(expr: &Expr, lets: &Lets) -> Result<TokenStream> {
    let ast = quote!(::heddle_kernel::ast::VerilogExpression);
    if let Some(variant) = variant(expr) {
        return Ok(quote!(#ast::Signal(#variant.to_string())));
    }
    match expr {
        Expr::Paren(inner) => {
            let inner = boxed(&tree(&inner.expr, lets)?);
            Ok(quote!(#ast::Paren(#inner)))
        }
        Expr::Group(inner) => tree(&inner.expr, lets),
        Expr::Unary(unary) => {
            let op = match unary.op {
                UnOp::Not(_) if is_dynamic(expr, lets) => quote!(Not),
                UnOp::Neg(_) => quote!(Neg),
                _ => return Ok(literal(expr)),
            };
            let inner = tree(&unary.expr, lets)?;
            Ok(unary_of(&op, &inner))
        }
        Expr::Call(call) => self::call(call, lets),
        Expr::MethodCall(method) => self::method(method, lets),
        _ if !is_dynamic(expr, lets) => Ok(literal(expr)),
        Expr::Path(path) => {
            let ident = path.path.get_ident().expect("only names bound by let");
            let tree = tree_of(ident);
            Ok(quote!(#tree.clone()))
        }
        Expr::Binary(binary) => {
            let op = operator(&binary.op)?;
            let (left, right) = (tree(&binary.left, lets)?, tree(&binary.right, lets)?);
            let op = quote!(::heddle_kernel::ast::VerilogOp::#op);
            Ok(quote!(::heddle_kernel::tree::binary(#left, #op, #right)))
        }
        other => Err(unsupported(other)),
    }
}

fn unsupported(at: &impl Spanned) -> Error {
    Error::new(at.span(), "this has no meaning in hardware")
}

/// A value that is known when `hdl` runs.
fn literal(expr: &Expr) -> TokenStream {
    quote!(::heddle_kernel::ast::VerilogExpression::Literal((#expr).into()))
}

fn operator(op: &BinOp) -> Result<TokenStream> {
    Ok(match op {
        BinOp::Add(_) => quote!(Add),
        BinOp::Sub(_) => quote!(Sub),
        BinOp::Mul(_) => quote!(Mul),
        BinOp::And(_) => quote!(LogicalAnd),
        BinOp::Or(_) => quote!(LogicalOr),
        BinOp::BitXor(_) => quote!(BitXor),
        BinOp::BitAnd(_) => quote!(BitAnd),
        BinOp::BitOr(_) => quote!(BitOr),
        BinOp::Shl(_) => quote!(Shl),
        BinOp::Shr(_) => quote!(Shr),
        BinOp::Eq(_) => quote!(Eq),
        BinOp::Ne(_) => quote!(Ne),
        BinOp::Lt(_) => quote!(Lt),
        BinOp::Le(_) => quote!(Le),
        BinOp::Gt(_) => quote!(Gt),
        BinOp::Ge(_) => quote!(Ge),
        other => return Err(unsupported(other)),
    })
}

/// Functions are recognised by the beginning of their names.
fn call(call: &ExprCall, lets: &Lets) -> Result<TokenStream> {
    let ast = quote!(::heddle_kernel::ast::VerilogExpression);
    let function = &call.func;
    let text = quote!(#function).to_string();
    if text.ends_with("bit_of") {
        let field = &call.args;
        return Ok(quote!(::heddle_kernel::tree::named(#field)));
    }
    let begins = |with: &[&str]| with.iter().any(|w| text.starts_with(w));
    if !begins(&["bit", "Bits", "unsigned_cast", "signed_cast"]) {
        if is_dynamic(&Expr::Call(call.clone()), lets) {
            return Err(unsupported(call));
        }
        return Ok(literal(&Expr::Call(call.clone())));
    }
    let target = call.args.first().ok_or_else(|| unsupported(call))?;
    let target = boxed(&tree(target, lets)?);
    Ok(if begins(&["unsigned_cast"]) {
        quote!(#ast::Unsigned(#target))
    } else if begins(&["signed_cast"]) {
        quote!(#ast::Signed(#target))
    } else {
        quote!(#ast::Cast(#target, (#call).bits()))
    })
}

fn method(call: &ExprMethodCall, lets: &Lets) -> Result<TokenStream> {
    let ast = quote!(::heddle_kernel::ast::VerilogExpression);
    let receiver = &call.receiver;
    let name_of = call.method.to_string();
    if name_of == "read" {
        let name = name(receiver)?;
        return Ok(quote!(#ast::Signal(::heddle_kernel::Read::seen(&#receiver, #name))));
    }
    if matches!(name_of.as_str(), "into" | "to_bits" | "index") {
        return tree(receiver, lets);
    }
    let whole = Expr::MethodCall(call.clone());
    if !is_dynamic(&whole, lets) {
        return Ok(literal(&whole));
    }
    let target = tree(receiver, lets)?;
    let argument = |i: usize| tree(call.args.get(i).ok_or_else(|| unsupported(call))?, lets);
    match name_of.as_str() {
        "get_bits" => {
            let width = call.turbofish.as_ref().and_then(|t| t.args.first());
            let width = width.ok_or_else(|| Error::new(call.span(), "get_bits needs a width"))?;
            let offset = argument(0)?;
            Ok(quote!(::heddle_kernel::tree::slice(#target, #width, #offset)))
        }
        "get_bit" => {
            let (target, index) = (boxed(&target), boxed(&argument(0)?));
            Ok(quote!(#ast::Index(#target, #index)))
        }
        "replace_bit" => {
            let target = boxed(&target);
            let (index, value) = (boxed(&argument(0)?), boxed(&argument(1)?));
            Ok(quote!(#ast::IndexReplace(#target, #index, #value)))
        }
        "all" => Ok(unary_of(&quote!(All), &target)),
        "any" => Ok(unary_of(&quote!(Any), &target)),
        "xor" => Ok(unary_of(&quote!(Xor), &target)),
        _ => Err(unsupported(call)),
    }
}
