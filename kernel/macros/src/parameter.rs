//! The options of `#[module]` and the parameters of a module.

use crate::fields::{doc_lines, head, take, take_argument};
use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{
    Attribute, Error, Expr, ExprLit, GenericArgument, Ident, Lit, LitInt, LitStr, PathArguments,
    Result, Token, Type, parse_quote,
};

/// The words behind `#[module`.
pub struct Options {
    pub clock: bool,
    pub reset: bool,
    /// The constructor is private and called `build`.
    pub build: bool,
    /// The module is a grid of cells.
    pub grid: bool,
    /// What adds to the description, itself or a parameter: `fn describe(&self, meta: Meta) -> Meta`.
    pub describe: Option<TokenStream>,
    /// Name without prefix and parameters; else that of the struct.
    pub name: Option<String>,
    /// The only argument of the constructor, whose fields the parameters are.
    pub shape: Option<(Ident, Type)>,
}

enum Word {
    Flag(Ident),
    Name(String),
    Describe(Ident),
    Shape(Ident, Box<Type>),
}

impl Parse for Word {
    fn parse(input: ParseStream) -> Result<Self> {
        let ident: Ident = input.parse()?;
        if input.peek(Token![:]) {
            input.parse::<Token![:]>()?;
            return Ok(Self::Shape(ident, Box::new(input.parse()?)));
        }
        if ident == "name" {
            input.parse::<Token![=]>()?;
            return Ok(Self::Name(input.parse::<LitStr>()?.value()));
        }
        if ident == "describe" && input.parse::<Option<Token![=]>>()?.is_some() {
            return Ok(Self::Describe(input.parse()?));
        }
        Ok(Self::Flag(ident))
    }
}

impl Options {
    pub fn parse(tokens: TokenStream) -> Result<Self> {
        let mut out = Self {
            clock: true,
            reset: true,
            build: false,
            grid: false,
            describe: None,
            name: None,
            shape: None,
        };
        let words = Punctuated::<Word, Token![,]>::parse_terminated;
        for word in syn::parse::Parser::parse2(words, tokens)? {
            match word {
                Word::Name(name) => out.name = Some(name),
                Word::Describe(parameter) => out.describe = Some(quote!(self.#parameter)),
                Word::Shape(name, ty) => out.shape = Some((name, *ty)),
                Word::Flag(word) => match word.to_string().as_str() {
                    "combinational" => (out.clock, out.reset) = (false, false),
                    "no_reset" => out.reset = false,
                    "build" => out.build = true,
                    "grid" => out.grid = true,
                    "describe" => out.describe = Some(quote!(self)),
                    _ => {
                        let text = "expected combinational, no_reset, build, grid, describe, \
                                    name = \"...\" or shape: Type";
                        return Err(Error::new(word.span(), text));
                    }
                },
            }
        }
        Ok(out)
    }
}

/// A parameter of the module: `_name`, known as `name` where the module is built.
pub struct Parameter {
    pub ident: Ident,
    pub name: Ident,
    pub attributes: Vec<Attribute>,
    pub ty: Type,
    pub value: Option<Expr>,
    /// Kept in the struct.
    pub stored: bool,
    /// How readers of the Verilog are told: a function of `Meta` with name, letters and value.
    role: Option<Role>,
}

struct Role {
    function: TokenStream,
    name: String,
    letters: Option<String>,
    value: TokenStream,
    /// The value that is left out of the name.
    usual: Option<LitInt>,
}

impl Parameter {
    pub fn parse(mut field: syn::Field, ident: &Ident, name: &str) -> Result<Self> {
        let argument = take(&mut field.attrs, "argument").is_some();
        let mut out = Self {
            ident: ident.clone(),
            name: Ident::new(name, ident.span()),
            value: take_argument(&mut field.attrs, "new")?,
            attributes: field.attrs,
            ty: field.ty,
            stored: !argument,
            role: None,
        };
        let kind = head(&out.ty).unwrap_or_default();
        let (letters, inner, usual) = arguments(&out.ty);
        let function = match kind.as_str() {
            "Generic" if letters.is_none() => quote!(hidden),
            "Param" | "Generic" if usual.is_some() => quote!(choice),
            "Param" | "Generic" => quote!(param),
            "Feature" => quote!(feature),
            "Optional" => quote!(option),
            "Hidden" => quote!(hidden),
            _ => return Ok(out),
        };
        let mut role = Role {
            function,
            name: name.to_string(),
            letters,
            value: quote!(::heddle_kernel::Number::number(&self.#ident)),
            usual,
        };
        out.ty = inner.clone().unwrap_or_else(|| parse_quote!(usize));
        if kind == "Generic" {
            // Rust keeps it already.
            out.stored = false;
            out.value = Some(parse_quote!(#inner));
            out.ty = parse_quote!(usize);
            role.value = quote!(#inner);
        }
        out.role = Some(role);
        Ok(out)
    }

    /// The call that tells of the parameter.
    pub fn told(&self) -> Option<TokenStream> {
        let Some(role) = &self.role else {
            // A kernel may depend on it, and modules that tell the same share a kernel.
            let (ident, name) = (&self.ident, self.ident.to_string());
            let told = quote!(.attribute(#name, ::std::format!("{:?}", self.#ident)));
            return self.stored.then_some(told);
        };
        let (function, name, value) = (&role.function, &role.name, &role.value);
        let (letters, usual) = (role.letters.iter(), role.usual.iter());
        let doc = told_as(&doc_lines(&self.attributes).join(" "));
        Some(quote!(.#function(#name, #(#letters,)* #value, #(#usual,)* #doc)))
    }

    /// The parameter as an argument of the constructor, and what is done with it first: a number may come
    /// in any type.
    pub fn argument(&self) -> (TokenStream, TokenStream) {
        let (name, ty) = (&self.name, &self.ty);
        if self.role.is_some() && head(ty).as_deref() == Some("usize") {
            return (
                quote!(#name: impl ::heddle_kernel::Number),
                quote!(let #name: usize = #name.number();),
            );
        }
        (quote!(#name: #ty), TokenStream::new())
    }

    /// The parameter as a field of the constructor's argument.
    pub fn taken_from(&self, shape: &Ident) -> TokenStream {
        let (name, ty) = (&self.name, &self.ty);
        if name == shape {
            return quote!(let #name: #ty = #shape.clone(););
        }
        if head(ty).as_deref() == Some("usize") {
            return quote!(let #name: #ty = ::heddle_kernel::Number::number(&#shape.#name););
        }
        quote!(let #name: #ty = #shape.#name.clone();)
    }
}

/// `Param<'r', bool, 1>`: the letters, the type and the usual value.
fn arguments(ty: &Type) -> (Option<String>, Option<Type>, Option<LitInt>) {
    let (mut letters, mut inner, mut usual) = (None, None, None);
    let Type::Path(path) = ty else {
        return (None, None, None);
    };
    let last = path.path.segments.last().expect("a path has a segment");
    if let PathArguments::AngleBracketed(list) = &last.arguments {
        for argument in &list.args {
            match argument {
                GenericArgument::Type(ty) => inner = Some(ty.clone()),
                GenericArgument::Const(Expr::Lit(ExprLit { lit, .. })) => match lit {
                    Lit::Char(letter) => letters = Some(letter.value().to_string()),
                    Lit::Str(text) => letters = Some(text.value()),
                    Lit::Int(number) => usual = Some(number.clone()),
                    _ => {}
                },
                _ => {}
            }
        }
    }
    (letters, inner, usual)
}

/// A doc comment as the meaning of a parameter, which stands behind its name: no capital, no full stop.
fn told_as(doc: &str) -> String {
    let doc = doc.strip_suffix('.').unwrap_or(doc);
    let mut letters = doc.chars();
    match (letters.next(), letters.next()) {
        (Some(first), Some(second)) if second.is_lowercase() || second == ' ' && first == 'A' => {
            first.to_lowercase().chain(doc.chars().skip(1)).collect()
        }
        _ => doc.to_string(),
    }
}
