//! The line above a process: what it drives.

use super::plain;
use crate::cells;
use crate::ir::{Clocked, Net, NetId, NetKind, Stmt};
use crate::passes::naming::capital;
use std::collections::BTreeSet;

/// Characters of a heading: it is one line, also inside a loop.
const ROOM: usize = 90;

/// Heading of a combinational process.
pub fn combinational(nets: &[Net], body: &[Stmt]) -> Option<String> {
    let mut driven = Vec::new();
    add(body, &mut driven);
    heading(nets, &driven, "")
}

/// Heading of a clocked process; in a module with a reset it says which state is without.
pub fn clocked(nets: &[Net], process: &Clocked) -> Option<String> {
    let mut driven = Vec::new();
    if let Some((_, values)) = &process.reset {
        add(values, &mut driven);
    }
    add(&process.body, &mut driven);
    let reset = |n: &Net| n.kind == NetKind::In && matches!(n.name.as_str(), "rst_n" | "rst");
    let note = match &process.reset {
        None if nets.iter().any(reset) => "not reset",
        _ => "",
    };
    heading(nets, &driven, note)
}

fn add(body: &[Stmt], driven: &mut Vec<NetId>) {
    cells::assignments(body, &mut |target, _| {
        if !driven.contains(&target.net) {
            driven.push(target.net);
        }
    });
}

/// The meanings, if all are known and fit; names say nothing that the process does not.
fn heading(nets: &[Net], driven: &[NetId], note: &str) -> Option<String> {
    // Parts of a value that have a name only because Verilog wants one are no purpose.
    let all: Vec<&Net> = driven.iter().map(|id| &nets[*id]).collect();
    let named = { all.iter() }.filter(|n| n.kind != NetKind::Wire);
    let mut shown: Vec<&Net> = named.copied().collect();
    // Elements of an array are one thing.
    let mut titles = BTreeSet::new();
    shown.retain(|n| titles.insert(n.title()));
    let text =
        meanings(&shown).filter(|text| !text.is_empty() && text.len() + note.len() + 2 <= ROOM);
    match (text, note) {
        (Some(text), "") => Some(text),
        (Some(text), note) => Some(format!("{text}, {note}")),
        (None, "") => None,
        (None, note) => Some(capital(note)),
    }
}

fn meanings(nets: &[&Net]) -> Option<String> {
    let mut parts: Vec<String> = Vec::new();
    for net in nets {
        let doc = plain(&net.doc);
        let sentence = doc.split(". ").next()?.trim().trim_end_matches('.');
        if sentence.is_empty() {
            return None;
        }
        let part = match parts.is_empty() {
            true => sentence.to_string(),
            false => continued(sentence),
        };
        if !parts.iter().any(|p| p.eq_ignore_ascii_case(&part)) {
            parts.push(part);
        }
    }
    Some(parts.join("; "))
}

/// A sentence behind a semicolon: a small letter, unless the word is a symbol such as `V` or `PC`.
fn continued(sentence: &str) -> String {
    let word = sentence.split(' ').next().unwrap_or(sentence);
    let plain = word == "A" || word.chars().skip(1).any(|c| c.is_ascii_lowercase());
    let mut letters = sentence.chars();
    match letters.next() {
        Some(first) if plain => first.to_ascii_lowercase().to_string() + letters.as_str(),
        _ => sentence.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Expr;
    use crate::samples::{assign, net, read};

    /// Nets `x`, then one register for each name and meaning.
    fn nets(registers: &[(&str, &str)]) -> Vec<Net> {
        let mut nets = vec![net("x", NetKind::In, &[], 8)];
        for (name, doc) in registers {
            let mut register = net(name, NetKind::Register, &[], 8);
            register.doc = doc.to_string();
            nets.push(register);
        }
        nets
    }

    #[track_caller]
    fn check(registers: &[(&str, &str)], expected: &str) {
        let nets = nets(registers);
        let body: Vec<Stmt> = (1..nets.len())
            .map(|n| assign(&nets, n, 0, read(&nets, 0, 0)))
            .collect();
        let heading = combinational(&nets, &body);
        assert_eq!(
            heading.as_deref(),
            (!expected.is_empty()).then_some(expected)
        );
    }

    #[test]
    fn a_heading_is_made_of_meanings() {
        check(&[("a_q", "Stored `weight`.")], "Stored weight");
        check(&[("a_q", "Weight. Loaded once.")], "Weight");
        check(&[("a_q", "")], "");
        check(
            &[
                ("a_q", "Phase"),
                ("b_q", "A step"),
                ("c_q", "PC"),
                ("d_q", "V of it"),
            ],
            "Phase; a step; PC; V of it",
        );
        check(&[("a_q", "Phase"), ("b_q", "")], "");
        check(&[("a_q", "Stage"), ("b_q", "Stage")], "Stage");
    }

    #[test]
    fn a_heading_is_one_line() {
        let long = "w".repeat(60);
        check(&[("a_q", &long), ("b_q", &long.replace('w', "v"))], "");
    }

    #[test]
    fn state_without_reset_is_told_apart_in_a_module_with_one() {
        let mut nets = nets(&[("a_q", "Weight")]);
        let body = vec![assign(&nets, 1, 0, read(&nets, 0, 0))];
        let mut process = Clocked {
            clk: 0,
            reset: None,
            enable: None,
            body: body.clone(),
        };
        let told = |process: &Clocked, nets: &[Net]| clocked(nets, process).unwrap_or_default();
        assert_eq!(told(&process, &nets), "Weight");
        nets.push(net("rst_n", NetKind::In, &[], 1));
        assert_eq!(told(&process, &nets), "Weight, not reset");
        process.reset = Some((Expr::bits_of(2, 0, 1), body));
        assert_eq!(told(&process, &nets), "Weight");
    }
}
