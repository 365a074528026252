//! Procedural macros of `heddle-kernel`: `#[module]` for the struct of a module, `#[kernel]` for
//! its `update`, `#[bundle]` for signals that travel together. The documentation is in that crate.

mod bundle;
mod expression;
mod fields;
mod module;
mod names;
mod parameter;
mod statement;
mod sugar;

use proc_macro::TokenStream;

/// See `heddle_kernel`, "Modules".
#[proc_macro_attribute]
pub fn module(options: TokenStream, item: TokenStream) -> TokenStream {
    expand(module::expand(options.into(), item.into()))
}

/// See `heddle_kernel`, "Bundles".
#[proc_macro_attribute]
pub fn bundle(options: TokenStream, item: TokenStream) -> TokenStream {
    expand(bundle::expand(options.into(), item.into()))
}

/// See `heddle_kernel`, "Kernels".
#[proc_macro_attribute]
pub fn kernel(_: TokenStream, item: TokenStream) -> TokenStream {
    expand(statement::expand(item.into()))
}

fn expand(result: syn::Result<proc_macro2::TokenStream>) -> TokenStream {
    result.unwrap_or_else(syn::Error::into_compile_error).into()
}
