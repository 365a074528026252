//! Fields of modules and bundles: their types, how many elements they have, how they are built.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::Parse;
use syn::{Attribute, Expr, ExprLit, GenericArgument, Lit, PathArguments, Result, Type};

/// Arrays above this length have no `Default`: they become `Vec`.
const LONGEST_ARRAY: u64 = 32;

/// The innermost type of nested arrays, and their lengths, outermost first.
pub fn dimensions(ty: &Type) -> (&Type, Vec<&Expr>) {
    let (mut inner, mut lengths) = (ty, Vec::new());
    while let Type::Array(array) = inner {
        lengths.push(&array.len);
        inner = &array.elem;
    }
    (inner, lengths)
}

/// Is the length a short number, so that the array stays one?
fn is_short(length: &Expr) -> bool {
    let Expr::Lit(ExprLit {
        lit: Lit::Int(n), ..
    }) = length
    else {
        return false;
    };
    n.base10_parse::<u64>().is_ok_and(|n| n <= LONGEST_ARRAY)
}

/// The type of a field: an array whose length is known only when the module is built is a `Vec`.
pub fn field_type(inner: &TokenStream, lengths: &[&Expr]) -> TokenStream {
    lengths.iter().rev().fold(inner.clone(), |ty, length| {
        if is_short(length) {
            quote!([#ty; #length])
        } else {
            quote!(::std::vec::Vec<#ty>)
        }
    })
}

/// The value of a field, each element made by `element`.
pub fn field_value(element: &TokenStream, lengths: &[&Expr]) -> TokenStream {
    lengths.iter().rev().fold(element.clone(), |value, length| {
        if is_short(length) {
            quote!(::std::array::from_fn(|_| #value))
        } else {
            quote!((0..#length).map(|_| #value).collect())
        }
    })
}

/// Name and argument of a type with one generic argument: `Wave<T>`.
pub fn one_argument(ty: &Type) -> Option<(String, &Type)> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    match arguments.args.first() {
        Some(GenericArgument::Type(inner)) if arguments.args.len() == 1 => {
            Some((last.ident.to_string(), inner))
        }
        _ => None,
    }
}

/// The last word of a type: `Signal` of `Signal<In, Bit>`.
pub fn head(ty: &Type) -> Option<String> {
    let Type::Path(path) = ty else { return None };
    Some(path.path.segments.last()?.ident.to_string())
}

/// Takes the attribute `name` out of a list.
pub fn take(attributes: &mut Vec<Attribute>, name: &str) -> Option<Attribute> {
    let at = attributes.iter().position(|a| a.path().is_ident(name))?;
    Some(attributes.remove(at))
}

/// Takes the argument of the attribute `name(...)` out of a list.
pub fn take_argument<T: Parse>(attributes: &mut Vec<Attribute>, name: &str) -> Result<Option<T>> {
    take(attributes, name).map(|a| a.parse_args()).transpose()
}

/// Lines of a doc comment.
pub fn doc_lines(attributes: &[Attribute]) -> Vec<String> {
    let mut lines = Vec::new();
    for attribute in attributes.iter().filter(|a| a.path().is_ident("doc")) {
        let syn::Meta::NameValue(pair) = &attribute.meta else {
            continue;
        };
        if let Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) = &pair.value
        {
            for line in text.value().lines() {
                let line = line.strip_prefix(' ').unwrap_or(line);
                lines.push(line.trim_end().to_string());
            }
            if text.value().is_empty() {
                lines.push(String::new());
            }
        }
    }
    lines
}

/// The functions of `Block` over the fields of a struct; `names[i]` is the name of field `i`
/// below the name of the block.
pub fn block_functions(fields: &[&syn::Ident], accept: &TokenStream) -> TokenStream {
    quote! {
        fn connect_all(&mut self) {
            ::heddle_kernel::Logic::connect(self);
            #(::heddle_kernel::Block::connect_all(&mut self.#fields);)*
        }
        fn update_all(&mut self) {
            ::heddle_kernel::Logic::update(self);
            #(::heddle_kernel::Block::update_all(&mut self.#fields);)*
        }
        fn has_changed(&self) -> bool {
            #(::heddle_kernel::Block::has_changed(&self.#fields) ||)* false
        }
        fn accept(&self, name: &str, probe: &mut dyn ::heddle_kernel::Probe) {
            #accept
        }
    }
}
