//! `#[module]`: the struct of a hardware module.

use crate::fields::{
    block_functions, dimensions, doc_lines, field_type, field_value, head, one_argument, take,
    take_argument,
};
use crate::parameter::{Options, Parameter};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{
    Attribute, Error, Fields, Ident, ItemStruct, PathArguments, Result, Type, Visibility,
    parse_quote,
};

/// A field of the finished struct.
struct Part {
    ident: Ident,
    attributes: Vec<Attribute>,
    vis: Visibility,
    ty: TokenStream,
    value: TokenStream,
    /// Signals and constants have no clock; the innermost type of anything else.
    part: Option<TokenStream>,
    /// The kernel drives its reset.
    own_reset: bool,
    /// The register that this port shows.
    shows: Option<Ident>,
    doc: Vec<String>,
}

pub fn expand(tokens: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let options = Options::parse(tokens)?;
    let item: ItemStruct = syn::parse2(item)?;
    let Fields::Named(fields) = item.fields.clone() else {
        return Err(Error::new(item.ident.span(), "a module has named fields"));
    };
    let (mut parts, mut parameters) = (Vec::new(), Vec::new());
    if options.clock {
        parts.extend(parse(
            parse_quote!(#[doc = " Clock."] pub clk: Signal<In, Clock>),
        )?);
    }
    if options.reset {
        let reset = parse_quote!(#[doc = " Reset, active low."] pub rst_n: Signal<In, Bit>);
        parts.extend(parse(reset)?);
    }
    for field in fields.named {
        let ident = field.ident.clone().expect("a named field");
        match ident.to_string().strip_prefix('_') {
            None => parts.extend(parse(field)?),
            Some(name) => parameters.push(Parameter::parse(field, &ident, name)?),
        }
    }
    let definition = definition(&item, &parts, &parameters);
    let constructor = constructor(&item, &options, &parts, &parameters);
    let block = block(&item, &parts);
    let part = part(&item, &parts);
    let documented = documented(&item, &parts);
    let meta = meta(&item, &options, &parameters);
    Ok(quote!(#definition #constructor #block #part #documented #meta))
}

/// The fields that one declaration stands for: a wave is two ports and a register, an output
/// register a port and a register.
fn parse(mut field: syn::Field) -> Result<Vec<Part>> {
    let ident = field.ident.clone().expect("a named field");
    let make: Option<TokenStream> = take_argument(&mut field.attrs, "new")?;
    let own_reset = take(&mut field.attrs, "own_reset").is_some();
    let (inner, lengths) = dimensions(&field.ty);
    let doc = doc_lines(&field.attrs);
    let element = match &make {
        Some(expr) => quote!(#expr),
        None => quote!(::std::default::Default::default()),
    };
    let one = |ident: Ident, vis: Visibility, inner: TokenStream, port: bool| Part {
        part: (!is_plain(&inner)).then(|| inner.clone()),
        own_reset,
        ty: field_type(&inner, &lengths),
        value: field_value(&element, &lengths),
        attributes: if port {
            field.attrs.clone()
        } else {
            Vec::new()
        },
        doc: if port { doc.clone() } else { Vec::new() },
        shows: None,
        ident,
        vis,
    };
    let private = Visibility::Inherited;
    let public: Visibility = parse_quote!(pub);
    let port = |suffix: &str| format_ident!("{ident}_{suffix}");
    Ok(match one_argument(inner) {
        Some((wrapper, bundle)) if wrapper == "Wave" => {
            let registers = registers_of(bundle)?;
            // `#[new(sizes)]` is what the bundle and its registers are built with.
            let sized = |mut part: Part, ty: TokenStream| {
                if let Some(size) = &make {
                    part.value = field_value(&quote!(#ty::new(#size)), &lengths);
                }
                part
            };
            let (input, output) = (directed(bundle, "In"), directed(bundle, "Out"));
            vec![
                sized(one(port("i"), public.clone(), input, true), quote!(#bundle)),
                sized(one(port("o"), public, output, true), quote!(#bundle)),
                sized(
                    one(ident.clone(), private, registers.clone(), false),
                    registers,
                ),
            ]
        }
        Some((wrapper, value)) if wrapper.starts_with("Out") => {
            let register = format_ident!("{}", &wrapper["Out".len()..]);
            let state = one(ident.clone(), private, quote!(#register<#value>), false);
            let plain = quote!(::std::default::Default::default());
            let mut output = one(port("o"), public, quote!(Signal<Out, #value>), true);
            output.value = field_value(&plain, &lengths);
            output.shows = Some(ident.clone());
            vec![output, state]
        }
        _ => vec![one(ident.clone(), field.vis.clone(), quote!(#inner), true)],
    })
}

/// Signals and constants need no clock.
fn is_plain(ty: &TokenStream) -> bool {
    let head = syn::parse2::<Type>(ty.clone())
        .ok()
        .and_then(|ty| head(&ty));
    matches!(head.as_deref(), Some("Signal" | "Constant"))
}

/// `Slot<In, A>` of `Slot<A>`.
fn directed(bundle: &Type, direction: &str) -> TokenStream {
    let Type::Path(path) = bundle else {
        return quote!(#bundle);
    };
    let direction = format_ident!("{direction}");
    let mut path = path.clone();
    let last = path.path.segments.last_mut().expect("a path has a segment");
    match &mut last.arguments {
        PathArguments::AngleBracketed(list) => list.args.insert(0, parse_quote!(#direction)),
        other => *other = PathArguments::AngleBracketed(parse_quote!(<#direction>)),
    }
    quote!(#path)
}

/// `OperandSlotReg` of `OperandSlot`.
fn registers_of(bundle: &Type) -> Result<TokenStream> {
    let Type::Path(path) = bundle else {
        return Err(Error::new_spanned(bundle, "expected the name of a bundle"));
    };
    let mut path = path.clone();
    let last = path.path.segments.last_mut().expect("a path has a segment");
    last.ident = format_ident!("{}Reg", last.ident);
    Ok(quote!(#path))
}

fn definition(item: &ItemStruct, parts: &[Part], parameters: &[Parameter]) -> TokenStream {
    let (attributes, vis, name) = (&item.attrs, &item.vis, &item.ident);
    let (generics, clause) = (&item.generics, &item.generics.where_clause);
    let fields = parts.iter().map(|p| {
        let (attributes, vis, ident, ty) = (&p.attributes, &p.vis, &p.ident, &p.ty);
        quote!(#(#attributes)* #vis #ident: #ty,)
    });
    let parameters = parameters.iter().filter(|p| p.stored).map(|p| {
        let (attributes, ident, ty) = (&p.attributes, &p.ident, &p.ty);
        quote!(#(#attributes)* #ident: #ty,)
    });
    quote!(#(#attributes)* #vis struct #name #generics #clause { #(#fields)* #(#parameters)* })
}

fn constructor(
    item: &ItemStruct,
    options: &Options,
    parts: &[Part],
    parameters: &[Parameter],
) -> TokenStream {
    let name = &item.ident;
    let (generics, types, clause) = item.generics.split_for_impl();
    let given = parameters.iter().filter(|p| p.value.is_none());
    let (arguments, taken): (Vec<_>, Vec<_>) = match &options.shape {
        Some((shape, ty)) => {
            let taken = given.map(|p| p.taken_from(shape)).collect();
            (vec![quote!(#shape: #ty)], taken)
        }
        None => {
            let (arguments, taken) = given.map(Parameter::argument).unzip();
            (arguments, taken)
        }
    };
    let derived = parameters.iter().filter_map(|p| {
        let (name, ty, value) = (&p.name, &p.ty, p.value.as_ref()?);
        Some(quote!(let #name: #ty = #value;))
    });
    let fields = parts.iter().map(|p| {
        let (ident, value) = (&p.ident, &p.value);
        quote!(#ident: #value,)
    });
    let stored = parameters.iter().filter(|p| p.stored).map(|p| {
        let (ident, name) = (&p.ident, &p.name);
        quote!(#ident: #name,)
    });
    let body = quote! {
        #(#taken)*
        #(#derived)*
        Self { #(#fields)* #(#stored)* }
    };
    if options.build {
        return quote! {
            impl #generics #name #types #clause {
                #[allow(unused_variables, clippy::all)]
                fn build(#(#arguments),*) -> Self { #body }
            }
        };
    }
    if arguments.is_empty() {
        return quote! {
            impl #generics ::std::default::Default for #name #types #clause {
                #[allow(unused_variables, clippy::all)]
                fn default() -> Self { #body }
            }
        };
    }
    let doc = parameters.iter().filter(|p| p.value.is_none()).map(|p| {
        let text = doc_lines(&p.attributes).join(" ");
        format!(
            "- `{}`: {}",
            p.name,
            if text.is_empty() { "see there" } else { &text }
        )
    });
    let doc = format!(
        " Builds the module.\n\n{}",
        doc.collect::<Vec<_>>().join("\n")
    );
    quote! {
        impl #generics #name #types #clause {
            #[doc = #doc]
            #[allow(unused_variables, clippy::all)]
            pub fn new(#(#arguments),*) -> Self { #body }
        }
    }
}

fn block(item: &ItemStruct, parts: &[Part]) -> TokenStream {
    let name = &item.ident;
    let (generics, types, clause) = item.generics.split_for_impl();
    let fields: Vec<_> = parts.iter().map(|p| &p.ident).collect();
    let texts = fields.iter().map(|f| f.to_string());
    let functions = block_functions(
        &fields,
        &quote! {
            probe.visit_start_scope(name, self);
            #(::heddle_kernel::Block::accept(&self.#fields, #texts, probe);)*
            probe.visit_end_scope(name, self);
        },
    );
    quote!(impl #generics ::heddle_kernel::Block for #name #types #clause { #functions })
}

/// How the module gets its clock, and passes it on to its parts.
fn part(item: &ItemStruct, parts: &[Part]) -> TokenStream {
    let name = &item.ident;
    let (generics, types, clause) = item.generics.split_for_impl();
    let declares = |wanted: &str| parts.iter().any(|p| p.ident == wanted);
    let (clock, reset) = (declares("clk"), declares("rst_n"));
    let own = [
        (clock, format_ident!("clk")),
        (reset, format_ident!("rst_n")),
    ];
    let own: Vec<_> = own
        .into_iter()
        .filter(|(has, _)| *has)
        .map(|(_, i)| i)
        .collect();
    let texts: Vec<_> = own.iter().map(|i| i.to_string()).collect();
    let clk = if clock {
        quote!(self.clk.val())
    } else {
        quote!(Default::default())
    };
    let rst_n = if reset {
        quote!(self.rst_n.val())
    } else {
        quote!(true)
    };
    let inner: Vec<_> = parts
        .iter()
        .filter(|p| p.part.is_some())
        .map(|p| &p.ident)
        .collect();
    let clocked = parts.iter().filter(|p| p.part.is_some()).map(|p| {
        let (ident, name) = (&p.ident, p.ident.to_string());
        match p.own_reset {
            true => quote!(::heddle_kernel::assign(concat!(#name, "$clk"), "clk", list);),
            false => quote!(::heddle_kernel::Part::clock_hdl(&self.#ident, #name, list);),
        }
    });
    let shown = parts
        .iter()
        .filter_map(|p| Some((&p.ident, p.shows.as_ref()?)));
    let (outputs, registers): (Vec<_>, Vec<_>) = shown.unzip();
    let output_names: Vec<_> = outputs.iter().map(|i| i.to_string()).collect();
    let register_names: Vec<_> = registers.iter().map(|i| i.to_string()).collect();
    quote! {
        impl #generics ::heddle_kernel::Part for #name #types #clause {
            #[allow(unused_variables)]
            fn clock(&mut self, clk: ::heddle_kernel::Clock, rst_n: ::heddle_kernel::Bit) {
                #(self.#own.next = #own;)*
            }
            fn connect_clock(&mut self) {
                #(self.#own.connect();)*
            }
            #[allow(unused_variables)]
            fn clock_hdl(
                &self,
                name: &str,
                list: &mut ::std::vec::Vec<::heddle_kernel::ast::VerilogStatement>,
            ) {
                #(::heddle_kernel::assign(&::std::format!("{name}${}", #texts), #texts, list);)*
            }
        }
        #[allow(unused_variables, dead_code, clippy::all)]
        impl #generics #name #types #clause {
            fn drive_clocks(&mut self) {
                let (clk, rst_n): (::heddle_kernel::Clock, ::heddle_kernel::Bit) = (#clk, #rst_n);
                #(::heddle_kernel::Part::clock(&mut self.#inner, clk, rst_n);)*
            }
            fn connect_clocks(&mut self) {
                #(::heddle_kernel::Part::connect_clock(&mut self.#inner);)*
            }
            fn clocks_hdl(
                &self,
                list: &mut ::std::vec::Vec<::heddle_kernel::ast::VerilogStatement>,
            ) {
                #(#clocked)*
            }
            /// Output registers are seen on their ports.
            fn drive_outputs(&mut self) {
                #(::heddle_kernel::Follow::follow(&mut self.#outputs, &self.#registers);)*
            }
            fn connect_outputs(&mut self) {
                #(::heddle_kernel::Sink::connect_sink(&mut self.#outputs);)*
            }
            fn outputs_hdl(
                &self,
                list: &mut ::std::vec::Vec<::heddle_kernel::ast::VerilogStatement>,
            ) {
                #({
                    let mut shown = ::std::vec::Vec::new();
                    ::heddle_kernel::Follow::follow_hdl(
                        &self.#outputs, #output_names, &self.#registers, #register_names, &mut shown);
                    ::heddle_kernel::tree::show(#register_names, shown, list);
                })*
            }
        }
    }
}

fn documented(item: &ItemStruct, parts: &[Part]) -> TokenStream {
    let name = &item.ident;
    let (generics, types, clause) = item.generics.split_for_impl();
    let text = name.to_string();
    let lines = doc_lines(&item.attrs);
    let fields = parts.iter().map(|p| {
        let (name, doc) = (p.ident.to_string(), p.doc.join(" "));
        let own = (!doc.is_empty()).then(|| quote!(fields.push((#name.into(), #doc.into()));));
        // Members of a bundle are described where they are ports.
        let bundle = p
            .part
            .as_ref()
            .filter(|_| matches!(p.vis, Visibility::Public(_)));
        let members =
            bundle.map(|ty| quote!(<#ty as ::heddle_kernel::Part>::docs(#name, &mut fields);));
        quote!(#own #members)
    });
    quote! {
        impl #generics ::heddle_kernel::Documented for #name #types #clause {
            fn source_doc() -> ::heddle_kernel::SourceDoc {
                let mut fields = ::std::vec::Vec::new();
                #(#fields)*
                ::heddle_kernel::SourceDoc {
                    file: ::heddle_kernel::source_path(env!("CARGO_MANIFEST_DIR"), file!()),
                    item: #text.into(),
                    lines: vec![#(#lines.into()),*],
                    fields,
                }
            }
        }
    }
}

/// What the module tells the emitter about itself.
fn meta(item: &ItemStruct, options: &Options, parameters: &[Parameter]) -> TokenStream {
    let name = &item.ident;
    let (generics, types, clause) = item.generics.split_for_impl();
    let text = options
        .name
        .clone()
        .unwrap_or_else(|| snake_case(&name.to_string()));
    let told = parameters.iter().filter_map(Parameter::told);
    let grid = options.grid.then(|| quote!(.grid()));
    let own = quote!(::heddle_kernel::Meta::module(#text) #(#told)* #grid);
    let own = match &options.describe {
        Some(describer) => quote!(#describer.describe(#own)),
        None => own,
    };
    quote! {
        #[allow(dead_code)]
        impl #generics #name #types #clause {
            fn meta(&self) -> ::heddle_kernel::Meta {
                let doc = <Self as ::heddle_kernel::Documented>::source_doc();
                #own.with_source(&doc)
            }
        }
    }
}

/// `stream_issue` of `StreamIssue`.
fn snake_case(name: &str) -> String {
    let mut out = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.extend(letter.to_lowercase());
    }
    out
}
