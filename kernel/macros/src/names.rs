//! Names of signals as kernels of rust-hdl write them: `cell[3]$x_i`, put together when `hdl` runs,
//! when every index is a number.

use proc_macro2::TokenStream;
use quote::quote;
use syn::spanned::Spanned;
use syn::{Error, Expr, Member, Result};

/// An expression of type `String`: the name of a place below `self`.
pub fn name(place: &Expr) -> Result<TokenStream> {
    let mut pattern = String::new();
    let mut indices = Vec::new();
    collect(place, &mut pattern, &mut indices)?;
    Ok(match indices.is_empty() {
        true => quote!(::std::string::String::from(#pattern)),
        false => quote!(::heddle_kernel::tree::place(#pattern, &[#(#indices),*])),
    })
}

fn collect<'a>(place: &'a Expr, pattern: &mut String, indices: &mut Vec<&'a Expr>) -> Result<()> {
    match place {
        Expr::Paren(inner) => collect(&inner.expr, pattern, indices),
        Expr::Reference(inner) => collect(&inner.expr, pattern, indices),
        Expr::Path(path) if path.path.is_ident("self") => Ok(()),
        Expr::Field(field) => {
            let Member::Named(member) = &field.member else {
                return Err(Error::new(field.span(), "a signal has a name"));
            };
            collect(&field.base, pattern, indices)?;
            if !pattern.is_empty() {
                pattern.push('$');
            }
            pattern.push_str(&member.to_string());
            Ok(())
        }
        Expr::Index(index) => {
            collect(&index.expr, pattern, indices)?;
            pattern.push_str("[]");
            indices.push(&index.index);
            Ok(())
        }
        other => Err(Error::new(
            other.span(),
            "not a signal of this module: expected self.name, with indices and members",
        )),
    }
}
