//! `#[bundle]`: signals that travel together.

use crate::fields::{block_functions, dimensions, doc_lines, field_type, field_value, take};
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::punctuated::Punctuated;
use syn::{Error, Fields, FnArg, GenericParam, Ident, ItemStruct, Result, Token};

/// A member: its values, and whether its register is reset.
struct Member {
    ident: Ident,
    attributes: Vec<syn::Attribute>,
    doc: String,
    signal: TokenStream,
    register: TokenStream,
    value: TokenStream,
}

pub fn expand(tokens: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let arguments = Punctuated::<FnArg, Token![,]>::parse_terminated;
    let arguments = syn::parse::Parser::parse2(arguments, tokens)?;
    let item: ItemStruct = syn::parse2(item)?;
    let Fields::Named(fields) = &item.fields else {
        return Err(Error::new(item.ident.span(), "a bundle has named members"));
    };
    let members: Vec<_> = fields.named.iter().map(member).collect();
    let (name, registers) = (&item.ident, format_ident!("{}Reg", item.ident));
    let arguments = arguments.into_iter().collect::<Vec<_>>();

    let mut directed = item.generics.clone();
    let direction: GenericParam = syn::parse_quote!(D: ::heddle_kernel::Direction);
    directed.params.insert(0, direction);
    let signals = shape(&item, name, &directed, &members, &arguments, |m| &m.signal);
    let state = shape(
        &item,
        &registers,
        &item.generics,
        &members,
        &arguments,
        |m| &m.register,
    );
    let follow = follow(&item, &registers, &members);
    Ok(quote!(#signals #state #follow))
}

fn member(field: &syn::Field) -> Member {
    let mut attributes = field.attrs.clone();
    let reset = take(&mut attributes, "reset").is_some();
    let (inner, lengths) = dimensions(&field.ty);
    let register = if reset {
        format_ident!("Reg")
    } else {
        format_ident!("Delay")
    };
    Member {
        ident: field.ident.clone().expect("a named member"),
        doc: doc_lines(&attributes).join(" "),
        attributes,
        signal: field_type(&quote!(Signal<D, #inner>), &lengths),
        register: field_type(&quote!(::heddle_kernel::#register<#inner>), &lengths),
        value: field_value(&quote!(::std::default::Default::default()), &lengths),
    }
}

/// A struct of signals or of registers.
fn shape(
    item: &ItemStruct,
    name: &Ident,
    generics: &syn::Generics,
    members: &[Member],
    arguments: &[FnArg],
    form: fn(&Member) -> &TokenStream,
) -> TokenStream {
    let (attributes, vis) = (&item.attrs, &item.vis);
    let (with, types, clause) = generics.split_for_impl();
    let fields: Vec<_> = members.iter().map(|m| &m.ident).collect();
    let texts: Vec<_> = fields.iter().map(|f| f.to_string()).collect();
    let declared = members.iter().map(|m| {
        let (attributes, ident, ty) = (&m.attributes, &m.ident, form(m));
        quote!(#(#attributes)* pub #ident: #ty,)
    });
    let values = members.iter().map(|m| &m.value);
    let body = quote!(Self { #(#fields: #values,)* });
    let constructor = match arguments.is_empty() {
        true => quote! {
            impl #with ::std::default::Default for #name #types #clause {
                fn default() -> Self { #body }
            }
        },
        false => quote! {
            impl #with #name #types #clause {
                /// A bundle of this size.
                pub fn new(#(#arguments),*) -> Self { #body }
            }
        },
    };
    let accept = quote! {
        #(::heddle_kernel::Block::accept(&self.#fields, &::std::format!("{name}${}", #texts), probe);)*
    };
    let functions = block_functions(&fields, &accept);
    let documented = members.iter().filter(|m| !m.doc.is_empty()).map(|m| {
        let (member, doc) = (m.ident.to_string(), &m.doc);
        quote!(fields.push((::std::format!("{name}${}", #member), #doc.into()));)
    });
    quote! {
        #(#attributes)*
        #vis struct #name #generics #clause { #(#declared)* }
        #constructor
        impl #with ::heddle_kernel::Logic for #name #types #clause {
            fn update(&mut self) {}
            fn connect(&mut self) {}
        }
        impl #with ::heddle_kernel::Block for #name #types #clause { #functions }
        impl #with ::heddle_kernel::Part for #name #types #clause {
            fn clock(&mut self, clk: ::heddle_kernel::Clock, rst_n: ::heddle_kernel::Bit) {
                #(::heddle_kernel::Part::clock(&mut self.#fields, clk, rst_n);)*
            }
            fn connect_clock(&mut self) {
                #(::heddle_kernel::Part::connect_clock(&mut self.#fields);)*
            }
            fn clock_hdl(
                &self,
                name: &str,
                list: &mut ::std::vec::Vec<::heddle_kernel::ast::VerilogStatement>,
            ) {
                #(::heddle_kernel::Part::clock_hdl(
                    &self.#fields, &::std::format!("{name}${}", #texts), list);)*
            }
            fn docs(name: &str, fields: &mut ::std::vec::Vec<(String, String)>) {
                #(#documented)*
            }
        }
        impl #with ::heddle_kernel::Sink for #name #types #clause {
            fn connect_sink(&mut self) {
                #(::heddle_kernel::Sink::connect_sink(&mut self.#fields);)*
            }
            fn tie_low(&mut self) {
                #(::heddle_kernel::Sink::tie_low(&mut self.#fields);)*
            }
            fn low_hdl(
                &self,
                target: &str,
                list: &mut ::std::vec::Vec<::heddle_kernel::ast::VerilogStatement>,
            ) {
                #(::heddle_kernel::Sink::low_hdl(
                    &self.#fields, &::std::format!("{target}${}", #texts), list);)*
            }
        }
    }
}

/// Which bundle follows which: signals follow signals and registers, registers follow signals.
fn follow(item: &ItemStruct, registers: &Ident, members: &[Member]) -> TokenStream {
    let name = &item.ident;
    let fields: Vec<_> = members.iter().map(|m| &m.ident).collect();
    let texts: Vec<_> = fields.iter().map(|f| f.to_string()).collect();
    let inner: Vec<_> = item.generics.params.iter().map(generic_name).collect();
    let mut with_d = item.generics.clone();
    with_d
        .params
        .insert(0, syn::parse_quote!(D: ::heddle_kernel::Direction));
    let mut with_both = with_d.clone();
    with_both
        .params
        .insert(1, syn::parse_quote!(S: ::heddle_kernel::Readable));
    let state = quote!(#registers<#(#inner),*>);
    let (target, source) = (quote!(#name<D, #(#inner),*>), quote!(#name<S, #(#inner),*>));
    let one = |generics: &syn::Generics, target: &TokenStream, source: &TokenStream| {
        let (with, _, clause) = generics.split_for_impl();
        quote! {
            impl #with ::heddle_kernel::Follow<#source> for #target #clause {
                fn follow(&mut self, source: &#source) {
                    #(::heddle_kernel::Follow::follow(&mut self.#fields, &source.#fields);)*
                }
                fn follow_hdl(
                    &self,
                    target: &str,
                    source: &#source,
                    from: &str,
                    list: &mut ::std::vec::Vec<::heddle_kernel::ast::VerilogStatement>,
                ) {
                    #(::heddle_kernel::Follow::follow_hdl(
                        &self.#fields,
                        &::std::format!("{target}${}", #texts),
                        &source.#fields,
                        &::std::format!("{from}${}", #texts),
                        list,
                    );)*
                }
            }
        }
    };
    let signals = one(&with_both, &target, &source);
    let outputs = one(&with_d, &target, &state);
    let mut with_s = item.generics.clone();
    with_s
        .params
        .insert(0, syn::parse_quote!(S: ::heddle_kernel::Readable));
    let inputs = one(&with_s, &state, &source);
    quote!(#signals #outputs #inputs)
}

fn generic_name(parameter: &GenericParam) -> TokenStream {
    match parameter {
        GenericParam::Type(p) => p.ident.to_token_stream(),
        GenericParam::Const(p) => p.ident.to_token_stream(),
        GenericParam::Lifetime(p) => p.lifetime.to_token_stream(),
    }
}
