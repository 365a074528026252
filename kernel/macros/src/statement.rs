//! Statements of a kernel, each in the three forms that rust-hdl asks for: what the simulation does
//! (`update`), which signals it drives (`connect`), and its syntax tree (`hdl`).
//!
//! Loops and conditions that read no signal run when `hdl` does, so every index is a number there.

use crate::expression::{Lets, is_dynamic, label, tree, tree_of};
use crate::names::name;
use crate::sugar::{self, is_place};
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::spanned::Spanned;
use syn::{
    Arm, Block, Error, Expr, ExprAssign, ExprField, ExprIf, ExprMacro, ExprMatch, ExprMethodCall,
    Ident, ImplItem, ItemFn, ItemImpl, Local, Member, Pat, Result, Stmt, parse_quote,
};

/// The three forms of a piece of a kernel. `hdl` pushes statements to `list`.
#[derive(Default)]
struct Forms {
    update: TokenStream,
    connect: TokenStream,
    hdl: TokenStream,
}

impl Forms {
    fn add(&mut self, other: Self) {
        self.update.extend(other.update);
        self.connect.extend(other.connect);
        self.hdl.extend(other.hdl);
    }

    /// The same in all forms.
    fn same(tokens: impl ToTokens) -> Self {
        let tokens = tokens.into_token_stream();
        Self {
            update: tokens.clone(),
            connect: tokens.clone(),
            hdl: tokens,
        }
    }
}

/// An `impl` of a module: `update` becomes its logic, other functions parts of it; or one of these
/// functions alone.
pub fn expand(item: TokenStream) -> Result<TokenStream> {
    let Ok(mut item) = syn::parse2::<ItemImpl>(item.clone()) else {
        return function(syn::parse2(item)?);
    };
    let (generics, _, clause) = item.generics.split_for_impl();
    let module = &item.self_ty;
    let (mut logic, mut parts) = (TokenStream::new(), TokenStream::new());
    for inner in std::mem::take(&mut item.items) {
        let ImplItem::Fn(inner) = inner else {
            parts.extend(inner.into_token_stream());
            continue;
        };
        let is_update = inner.sig.ident == "update";
        let expanded = function(syn::parse2(inner.into_token_stream())?)?;
        match is_update {
            true => logic.extend(expanded),
            false => parts.extend(expanded),
        }
    }
    let parts = quote!(impl #generics #module #clause { #parts });
    if logic.is_empty() {
        return Ok(parts);
    }
    Ok(quote! {
        impl #generics ::heddle_kernel::Logic for #module #clause {
            #logic
            fn timing(&self) -> ::std::vec::Vec<::heddle_kernel::TimingInfo> {
                self.meta().into_timing()
            }
        }
        #parts
    })
}

/// `fn update` with its two companions; any other function as a part of `update`.
fn function(mut function: ItemFn) -> Result<TokenStream> {
    sugar::resolve(&mut function.block);
    let body = block(&function.block, &mut Lets::new())?;
    let (update, connect, hdl) = (body.update, body.connect, body.hdl);
    let (attributes, name) = (&function.attrs, &function.sig.ident);
    if name != "update" {
        let (connect_name, hdl_name) = companions(name);
        let arguments: Vec<_> = function.sig.inputs.iter().skip(1).collect();
        return Ok(quote! {
            #(#attributes)*
            #[allow(unreachable_patterns)]
            fn #name(&mut self #(, #arguments)*) {
                #update
            }
            #[allow(unused_variables, clippy::all)]
            fn #connect_name(&mut self #(, #arguments)*) {
                #connect
            }
            #[allow(unused_variables, clippy::all)]
            fn #hdl_name(
                &self #(, #arguments)*
            ) -> ::std::vec::Vec<::heddle_kernel::ast::VerilogStatement> {
                let mut list = ::std::vec::Vec::new();
                #hdl
                list
            }
        });
    }
    Ok(quote! {
        #(#attributes)*
        // Every match has a default, so that hardware has one.
        #[allow(unreachable_patterns)]
        fn update(&mut self) {
            self.drive_clocks();
            #update
            self.drive_outputs();
        }
        #[allow(unused_variables, clippy::all)]
        fn connect(&mut self) {
            self.connect_clocks();
            #connect
            self.connect_outputs();
        }
        #[allow(unused_variables, clippy::all)]
        fn hdl(&self) -> ::heddle_kernel::ast::Verilog {
            let mut list = ::std::vec::Vec::new();
            self.clocks_hdl(&mut list);
            #hdl
            self.outputs_hdl(&mut list);
            ::heddle_kernel::ast::Verilog::Combinatorial(list)
        }
    })
}

/// The functions beside a part of `update`.
fn companions(name: &Ident) -> (Ident, Ident) {
    (format_ident!("{name}_connect"), format_ident!("{name}_hdl"))
}

fn block(block: &Block, lets: &mut Lets) -> Result<Forms> {
    let outer = lets.clone();
    let mut out = Forms::default();
    for statement in &block.stmts {
        out.add(match statement {
            Stmt::Local(local) => self::local(local, lets)?,
            Stmt::Expr(expr, _) => expression(expr, lets)?,
            Stmt::Macro(m) => comment(&m.mac)?,
            Stmt::Item(item) => Forms::same(item),
        });
    }
    *lets = outer;
    Ok(out)
}

/// A name for a value: folded into where it is used.
fn local(local: &Local, lets: &mut Lets) -> Result<Forms> {
    let (Pat::Ident(ident), Some(init)) = (&local.pat, &local.init) else {
        return Err(Error::new(local.span(), "expected let name = value"));
    };
    if !is_dynamic(&init.expr, lets) {
        return Ok(Forms::same(local));
    }
    let of = tree_of(&ident.ident);
    let value = tree(&init.expr, lets)?;
    lets.insert(ident.ident.to_string());
    Ok(Forms {
        update: local.to_token_stream(),
        connect: TokenStream::new(),
        hdl: quote!(#local let #of = #value;),
    })
}

fn expression(expr: &Expr, lets: &mut Lets) -> Result<Forms> {
    match expr {
        Expr::Assign(assign) => match choice(assign, lets) {
            Some(statement) => expression(&statement, lets),
            None => self::assign(assign, lets),
        },
        Expr::If(condition) => conditional(condition, lets),
        Expr::Match(selection) => select(selection, lets),
        Expr::Block(inner) => block(&inner.block, lets),
        Expr::Macro(ExprMacro { mac, .. }) => comment(mac),
        Expr::MethodCall(call) => method(call, lets),
        Expr::ForLoop(repeated) => {
            let body = block(&repeated.body, lets)?;
            let (variable, range) = (&repeated.pat, &repeated.expr);
            let wrap = |body: TokenStream| quote!(for #variable in #range { #body });
            Ok(Forms {
                update: wrap(body.update),
                connect: wrap(body.connect),
                hdl: wrap(body.hdl),
            })
        }
        other => Err(Error::new(other.span(), "not a statement of a kernel")),
    }
}

fn comment(mac: &syn::Macro) -> Result<Forms> {
    if !mac.path.is_ident("comment") {
        return Err(Error::new(mac.span(), "the only macro here is comment!"));
    }
    let text: syn::LitStr = mac.parse_body()?;
    Ok(Forms {
        hdl: quote!(list.push(::heddle_kernel::ast::VerilogStatement::Comment(#text.into()));),
        ..Forms::default()
    })
}

/// `place = mux(condition, a, b)` as an `if`.
fn choice(assign: &ExprAssign, lets: &Lets) -> Option<Expr> {
    let Expr::Call(call) = &*assign.right else {
        return None;
    };
    let named = matches!(&*call.func, Expr::Path(path) if path.path.is_ident("mux"));
    let arguments: Vec<_> = call.args.iter().collect();
    let (true, [condition, a, b]) = (named, arguments.as_slice()) else {
        return None;
    };
    let place = &assign.left;
    Some(match is_dynamic(condition, lets) {
        true => parse_quote!({ #place = #b; if #condition { #place = #a } }),
        false => parse_quote!(if #condition { #place = #a } else { #place = #b }),
    })
}

/// `place = value`.
fn assign(assign: &ExprAssign, lets: &Lets) -> Result<Forms> {
    let (place, right) = (&assign.left, &assign.right);
    if !is_place(place) {
        return Err(Error::new(place.span(), "expected self.signal = value"));
    }
    let (value, name) = (tree(right, lets)?, name(place)?);
    let drive = quote!(::heddle_kernel::Drive);
    Ok(Forms {
        update: quote!({ let value = #right; #drive::drive(&mut #place, value); }),
        connect: quote!(::heddle_kernel::Sink::connect_sink(&mut #place);),
        hdl: quote!(::heddle_kernel::tree::assign(
            #drive::driven(&#place, #name), #value, &mut list);),
    })
}

fn nested(hdl: &TokenStream) -> TokenStream {
    quote!({ let mut list = ::std::vec::Vec::new(); #hdl list })
}

fn conditional(condition: &ExprIf, lets: &mut Lets) -> Result<Forms> {
    let cond = &condition.cond;
    let then = block(&condition.then_branch, lets)?;
    let other = match &condition.else_branch {
        Some((_, branch)) => expression(branch, lets)?,
        None => Forms::default(),
    };
    let both = |then: &TokenStream, other: &TokenStream| match &condition.else_branch {
        Some(_) => quote!(if #cond { #then } else { #other }),
        None => quote!(if #cond { #then }),
    };
    let update = both(&then.update, &other.update);
    if !is_dynamic(cond, lets) {
        return Ok(Forms {
            update,
            connect: both(&then.connect, &other.connect),
            hdl: both(&then.hdl, &other.hdl),
        });
    }
    let test = tree(cond, lets)?;
    let (then_list, other_list) = (nested(&then.hdl), nested(&other.hdl));
    let otherwise = match &condition.else_branch {
        Some(_) => quote!(Some(#other_list)),
        None => quote!(None),
    };
    let (then, other) = (then.connect, other.connect);
    Ok(Forms {
        update,
        connect: quote!(#then #other),
        hdl: quote!(::heddle_kernel::tree::choose(#test, #then_list, #otherwise, &mut list);),
    })
}

fn select(selection: &ExprMatch, lets: &mut Lets) -> Result<Forms> {
    let subject = &selection.expr;
    let mut arms = Vec::new();
    for arm in &selection.arms {
        arms.push((arm, expression(&arm.body, lets)?));
    }
    let choose = |form: fn(&Forms) -> &TokenStream| {
        let arms = arms.iter().map(|(Arm { pat, .. }, body)| {
            let body = form(body);
            quote!(#pat => { #body })
        });
        quote!(match #subject { #(#arms)* })
    };
    let update = choose(|f| &f.update);
    if !is_dynamic(subject, lets) {
        return Ok(Forms {
            update,
            connect: choose(|f| &f.connect),
            hdl: choose(|f| &f.hdl),
        });
    }
    let ast = quote!(::heddle_kernel::ast);
    let test = tree(subject, lets)?;
    let mut cases = Vec::new();
    for (arm, body) in &arms {
        let (condition, body) = (label(&arm.pat)?, nested(&body.hdl));
        cases.push(quote!(#ast::VerilogCase { condition: #condition, block: #body }));
    }
    let connect = arms.iter().map(|(_, body)| &body.connect);
    Ok(Forms {
        update,
        connect: quote!(#(#connect)*),
        hdl: quote!(list.push(#ast::VerilogStatement::Match(#ast::VerilogMatch {
            test: #test,
            cases: vec![#(#cases),*],
        }));),
    })
}

/// The statements that rust-hdl does not have.
fn method(call: &ExprMethodCall, lets: &mut Lets) -> Result<Forms> {
    let place = &*call.receiver;
    let arguments: Vec<_> = call.args.iter().collect();
    if matches!(place, Expr::Path(path) if path.path.is_ident("self")) {
        let (name, (connect, hdl)) = (&call.method, companions(&call.method));
        return Ok(Forms {
            update: quote!(self.#name(#(#arguments),*);),
            connect: quote!(self.#connect(#(#arguments),*);),
            hdl: quote!(list.extend(self.#hdl(#(#arguments),*));),
        });
    }
    match (call.method.to_string().as_str(), arguments.as_slice()) {
        ("follow", [source]) => follow(place, source),
        ("tie_low", []) => {
            let target = name(place)?;
            let part = quote!(::heddle_kernel::Sink);
            Ok(Forms {
                update: quote!(#part::tie_low(&mut #place);),
                connect: quote!(#part::connect_sink(&mut #place);),
                hdl: quote!(#part::low_hdl(&#place, &#target, &mut list);),
            })
        }
        ("pass_on", changes) => {
            let (input, output) = (beside(place, "i")?, beside(place, "o")?);
            let mut out = follow(place, &input)?;
            for change in changes {
                out.add(self::change(place, change, lets)?);
            }
            out.add(follow(&output, place)?);
            Ok(out)
        }
        ("load", [enable, value]) => {
            let mut out = expression(&parse_quote!(#place.en_i = #enable), lets)?;
            out.add(expression(&parse_quote!(#place.d_i = #value), lets)?);
            Ok(out)
        }
        ("shift_in", [value]) => {
            let mut out = expression(&parse_quote!(#place[0].d_i = #value), lets)?;
            let chain: Expr = parse_quote!(for stage in 1..#place.len() {
                #place[stage].d_i = #place[stage - 1].q_o.read();
            });
            out.add(expression(&chain, lets)?);
            Ok(out)
        }
        _ => Err(Error::new(
            call.span(),
            "expected follow(&source), tie_low(), pass_on(member = value), load(enable, value) or shift_in(value)",
        )),
    }
}

fn follow(place: &Expr, source: &Expr) -> Result<Forms> {
    let source = match source {
        Expr::Reference(inner) => &*inner.expr,
        other => other,
    };
    let (target, from) = (name(place)?, name(source)?);
    let part = quote!(::heddle_kernel::Follow);
    Ok(Forms {
        update: quote!(#part::follow(&mut #place, &#source);),
        connect: quote!(::heddle_kernel::Sink::connect_sink(&mut #place);),
        hdl: quote!(#part::follow_hdl(&#place, &#target, &#source, &#from, &mut list);),
    })
}

/// `member = value` of a wave that is passed on: takes the place of what would be passed on.
fn change(place: &Expr, change: &Expr, lets: &Lets) -> Result<Forms> {
    let Expr::Assign(ExprAssign { left, right, .. }) = change else {
        return Err(Error::new(change.span(), "expected member = value"));
    };
    let (target, value) = (name(&parse_quote!(#place.#left.d_i))?, tree(right, lets)?);
    Ok(Forms {
        update: quote!(#place.#left.d_i.next = #right;),
        connect: TokenStream::new(),
        hdl: quote!(::heddle_kernel::tree::replace(#target, #value, &mut list);),
    })
}

/// The port that belongs to a register: `op_i` of `op`.
fn beside(place: &Expr, suffix: &str) -> Result<Expr> {
    match place {
        Expr::Field(ExprField {
            base,
            member: Member::Named(member),
            ..
        }) => {
            let port: Ident = format_ident!("{member}_{suffix}");
            Ok(parse_quote!(#base.#port))
        }
        Expr::Index(inner) => {
            let (base, index) = (beside(&inner.expr, suffix)?, &inner.index);
            Ok(parse_quote!(#base[#index]))
        }
        other => Err(Error::new(other.span(), "expected a field of this module")),
    }
}
