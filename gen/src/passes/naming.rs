//! Naming: what other tools accept, names that are unique in a module, names of modules.
//!
//! Names come from Rust fields and block names, never from a counter over the design, so adding one
//! block renames no other. A name that a tool would refuse is an error, not repaired.
//! [`values`] names what Verilog cannot select from in place.

pub mod values;

use crate::design::sha256;
use crate::error::Fault;
use crate::memories::cell;
use heddle_kernel::Meta;
use std::collections::{BTreeSet, HashSet};
use std::sync::LazyLock;

/// Reserved words of Verilog-2005, SystemVerilog-2017 and VHDL-2008, lower case.
const RESERVED: &str = "
abs accept_on access after alias all always always_comb always_ff always_latch and
architecture array assert assign assume assume_guarantee attribute automatic before begin
bind bins binsof bit block body break buf buffer bufif0 bufif1 bus byte case casex casez cell
chandle checker class clocking cmos component config configuration const constant constraint
context continue cover covergroup coverpoint cross deassign default defparam design disable
disconnect dist do downto edge else elsif end endcase endchecker endclass endclocking
endconfig endfunction endgenerate endgroup endinterface endmodule endpackage endprimitive
endprogram endproperty endsequence endspecify endtable endtask entity enum event eventually
exit expect export extends extern fairness file final first_match for force foreach forever
fork forkjoin function generate generic genvar global group guarded highz0 highz1 if iff
ifnone ignore_bins illegal_bins implements implies import impure in incdir include inertial
initial inout input inside instance int integer interconnect interface intersect is join
join_any join_none label large let liblist library linkage literal local localparam logic
longint loop macromodule map matches medium mod modport module nand negedge nettype new next
nexttime nmos nor noshowcancelled not notif0 notif1 null of on open or others out output
package packed parameter pmos port posedge postponed primitive priority procedure process
program property protected pull0 pull1 pulldown pullup pulsestyle_ondetect
pulsestyle_onevent pure rand randc randcase randsequence range rcmos real realtime record ref
reg register reject reject_on release rem repeat report restrict restrict_guarantee return
rnmos rol ror rpmos rtran rtranif0 rtranif1 s_always s_eventually s_nexttime s_until
s_until_with scalared select sequence severity shared shortint shortreal showcancelled signal
signed sla sll small soft solve specify specparam sra srl static string strong strong0
strong1 struct subtype super supply0 supply1 sync_accept_on sync_reject_on table tagged task
then this throughout time timeprecision timeunit to tran tranif0 tranif1 transport tri tri0
tri1 triand trior trireg type typedef unaffected union unique unique0 units unsigned until
until_with untyped use uwire variable vectored virtual void vmode vprop vunit wait wait_order
wand weak weak0 weak1 when while wildcard wire with within wor xnor xor";

/// Is the word reserved in any case?
pub fn is_reserved(name: &str) -> bool {
    static WORDS: LazyLock<HashSet<&str>> =
        LazyLock::new(|| RESERVED.split_ascii_whitespace().collect());
    WORDS.contains(name.to_ascii_lowercase().as_str())
}

/// Checks a name that comes from Rust.
pub fn check(name: &str) -> Result<(), Fault> {
    if is_reserved(name) {
        return Err(Fault::Reserved(name.into()));
    }
    let letter = name.starts_with(|c: char| c.is_ascii_alphabetic());
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !letter || !plain || name.contains("__") || name.ends_with('_') {
        return Err(Fault::BadName(name.into()));
    }
    Ok(())
}

/// Most characters of the name of a module, and digits of the hash in it. Names of tops come from users.
const NAME_CHARS: usize = 40;
const HASH_DIGITS: usize = 8;
/// Most parameters in a name.
const TELLING: usize = 3;
/// Stands for the name of a module in its text until that is known.
pub const OWN_NAME: &str = "heddle_OWN_NAME";

/// The name of a primitive.
pub fn primitive(meta: &Meta) -> String {
    cell(&meta.name).unwrap_or_default().into()
}

/// The name of a module with this text, in which its own name is [`OWN_NAME`] and its children have theirs: what it is, a few parameters,
/// and a hash of the text without comments. So two modules of one name are equal, whatever their parameters are. Tops are named by their
/// configurations, with `suffix` at the end.
pub fn module_name(meta: &Meta, text: &str, suffix: &str) -> Result<String, Fault> {
    let mut name = format!("heddle_{}", meta.name);
    if meta.is_top() {
        name.push_str(suffix);
    } else {
        let room = NAME_CHARS - HASH_DIGITS - 1;
        let flagged = meta.params.iter().filter(|p| !p.flag.is_empty());
        for p in flagged.take(TELLING) {
            let part = format!("_{}{}", p.flag, p.value);
            if name.len() + part.len() <= room {
                name.push_str(&part);
            }
        }
        name.truncate(room);
        let name = format!("{}_{}", name.trim_end_matches('_'), hash(text));
        check(&name)?;
        return Ok(name);
    }
    check(&name)?;
    Ok(name)
}

/// Digits of the hash of a text without its comments.
fn hash(text: &str) -> String {
    let bare: Vec<&str> = bare(text).collect();
    let mut hash = sha256(&bare.join("\n"));
    hash.truncate(HASH_DIGITS);
    hash
}

/// The lines of a text without comments.
fn bare(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().map(|line| match line.split_once("//") {
        Some((code, _)) => code.trim_end(),
        None => line.trim_end(),
    });
    lines.filter(|line| !line.is_empty())
}

/// Two texts differ in comments alone.
pub fn is_same(a: &str, b: &str) -> bool {
    bare(a).eq(bare(b))
}

/// The names of one module, unique without regard to case.
#[derive(Debug, Default)]
pub struct Names {
    used: BTreeSet<String>,
}

impl Names {
    /// Reserves the first of `names` that is free, or the last one as [`claim`](Self::claim) does.
    pub fn claim_first(&mut self, names: &[String]) -> String {
        let free =
            |name: &&String| !is_reserved(name) && !self.used.contains(&name.to_ascii_lowercase());
        let name = names.iter().find(free).or(names.last());
        let name = name.cloned().unwrap_or_default();
        self.claim(&name)
    }

    /// Reserves `name`, or `name_2`, `name_3`, ... if it is taken.
    pub fn claim(&mut self, name: &str) -> String {
        let mut candidate = name.to_string();
        let mut n = 2;
        while is_reserved(&candidate) || !self.used.insert(candidate.to_ascii_lowercase()) {
            candidate = format!("{name}_{n}");
            n += 1;
        }
        candidate
    }
}

/// `StateIdle` from `State$Idle`, `AddrBits` from `addr_bits`.
pub fn upper_camel(name: &str) -> String {
    let mut out = String::new();
    for word in name.split(['$', '_']) {
        let mut chars = word.chars();
        if let Some(first) = chars.next() {
            out.push(first.to_ascii_uppercase());
            let rest = chars.as_str();
            if rest.chars().any(|c| c.is_ascii_lowercase()) {
                out.push_str(rest);
            } else {
                out.push_str(&rest.to_ascii_lowercase());
            }
        }
    }
    out
}

/// With a capital letter.
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_ascii_uppercase().to_string() + letters.as_str(),
        None => String::new(),
    }
}

/// Last words of a bundle's name that its signals do without: `valid_i` of `wave_i$valid`.
const SILENT: [&str; 2] = ["wave", "ports"];

/// The name of a signal: its fields joined, the direction of a bundle last. `op_valid_i` of
/// `op_i$valid`, `post_load_o` of `post_wave_o$load`.
pub fn flat(key: &str) -> String {
    let mut pieces: Vec<&str> = key.split('$').collect();
    let last = pieces.pop().unwrap_or_default();
    let (mut words, mut direction) = (Vec::new(), "");
    for piece in pieces {
        let bare = stem(piece);
        if bare != piece {
            direction = &piece[bare.len()..];
        }
        match bare.rsplit_once('_').unwrap_or(("", bare)) {
            (rest, end) if SILENT.contains(&end) => words.push(rest),
            _ => words.push(bare),
        }
    }
    words.push(last);
    words.retain(|word| !word.is_empty());
    words.join("_") + direction
}

/// A field name without its direction suffix.
pub fn stem(name: &str) -> &str {
    let strip = |s| name.strip_suffix(s);
    strip("_o").or(strip("_i")).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::dedup::walk;
    use crate::samples::Tree;

    #[test]
    fn words_of_three_languages_are_refused() {
        for word in ["table", "reg", "logic", "do", "signal", "Entity", "downto"] {
            assert_eq!(check(word), Err(Fault::Reserved(word.into())));
        }
        assert_eq!(check("table_q"), Ok(()));
    }

    #[test]
    fn names_that_vhdl_refuses_are_refused() {
        for name in ["a__b", "a_", "_a", "1a", "a$b", ""] {
            assert_eq!(check(name), Err(Fault::BadName(name.into())), "{name}");
        }
    }

    #[test]
    fn claimed_names_differ_without_regard_to_case() {
        let mut names = Names::default();
        assert_eq!(names.claim("sum"), "sum");
        assert_eq!(names.claim("Sum"), "Sum_2");
        assert_eq!(names.claim("wire"), "wire_2");
    }

    #[test]
    fn directions_of_bundles_come_last() {
        assert_eq!(flat("op_i$valid"), "op_valid_i");
        assert_eq!(flat("op$valid"), "op_valid");
        assert_eq!(flat("op_o$host$data"), "op_host_data_o");
        assert_eq!(flat("cell$x_i"), "cell_x_i");
    }

    #[test]
    fn what_every_signal_of_a_module_would_say_is_left_out() {
        assert_eq!(flat("wave_i$valid"), "valid_i");
        assert_eq!(flat("wave$valid"), "valid");
        assert_eq!(flat("post_wave_o$load"), "post_load_o");
        assert_eq!(flat("ports"), "ports");
    }

    #[test]
    fn constants_are_upper_camel_case() {
        assert_eq!(upper_camel("State$Idle"), "StateIdle");
        assert_eq!(upper_camel("St$READ_BACK"), "StReadBack");
        assert_eq!(upper_camel("addr_bits"), "AddrBits");
    }

    #[test]
    fn a_name_says_what_a_module_is_and_what_its_text_is() {
        let blocks = walk(&Tree::default()).expect("legal");
        let name = |text: &str| module_name(&blocks[2].meta, text, "_ar").expect("legal");
        let found = name("module heddle_OWN_NAME (x); // a comment\n\n  wire a;");
        assert!(
            found.starts_with("heddle_tree_n3_") && found.len() == 23,
            "{found}"
        );
        assert_eq!(
            found,
            name("// another one\nmodule heddle_OWN_NAME (x);\n  wire a; // b")
        );
        assert_ne!(found, name("module heddle_OWN_NAME (x);\n  wire b;"));
    }

    #[test]
    fn names_are_short_and_those_of_tops_are_given() {
        let long = "a_block_whose_name_is_very_long_indeed";
        let meta = Meta::module(long).param("n", "n", 3, "");
        let name = module_name(&meta, "", "").expect("legal");
        assert_eq!(name.len(), NAME_CHARS);
        assert!(
            name.starts_with("heddle_a_block_whose_name_is_ve"),
            "{name}"
        );
        let top = Meta::module("top_mine").top();
        assert_eq!(
            module_name(&top, "x", "_ar"),
            Ok("heddle_top_mine_ar".into())
        );
    }
}
