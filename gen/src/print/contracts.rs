//! Prints contracts: what simulators check where HEDDLE_ASSERT is defined.

use super::Printer;
use super::expr::{expr, root};
use crate::ir::Rule;
use crate::passes::contracts::clock_and_reset;

impl Printer<'_> {
    pub(super) fn contracts(&mut self) {
        let module = self.module;
        let (Some(clock), reset) = clock_and_reset(module) else {
            return;
        };
        if module.contracts.is_empty() {
            return;
        }
        let works = match reset {
            None => String::new(),
            Some("rst") => "!rst && ".into(),
            Some(reset) => format!("{reset} && "),
        };
        let nets = &module.nets;
        self.w.blank();
        self.w.raw("`ifdef HEDDLE_ASSERT");
        for contract in &module.contracts {
            let breach = |condition: String| {
                [
                    format!("  if ({works}{condition}) begin"),
                    format!("    $display(\"heddle: %m: {}\");", contract.text),
                    "    $stop;".into(),
                    "  end".into(),
                ]
            };
            let clocked = format!("always @(posedge {clock}) begin");
            let lines: Vec<String> = match &contract.rule {
                Rule::Holds(e) => {
                    let test = breach(format!("({}) !== 1'b1", root(nets, e)));
                    [vec![clocked], test.to_vec(), vec!["end".into()]].concat()
                }
                Rule::Waits(valid, ready, words) => {
                    let name = &contract.name;
                    let claim = |what| self.names.claim(&format!("{name}_{what}"));
                    let [stalled, old, new] = ["stalled", "before", "now"].map(claim);
                    let [valid, ready] = [valid, ready].map(|e| root(nets, e));
                    let bits = words.width();
                    let words = expr(nets, words);
                    let test = breach(format!(
                        "{stalled} === 1'b1 && (({valid}) !== 1'b1 || {old} !== {new})"
                    ));
                    let head = vec![
                        format!("reg {stalled};"),
                        format!("reg [{}:0] {old};", bits - 1),
                        format!("wire [{}:0] {new};", bits - 1),
                        format!("assign {new} = {words};"),
                        clocked,
                        format!("  {stalled} <= {works}({valid}) && !({ready});"),
                        format!("  {old} <= {new};"),
                    ];
                    [head, test.to_vec(), vec!["end".into()]].concat()
                }
            };
            lines.iter().for_each(|line| self.w.line(line));
        }
        self.w.raw("`endif");
    }
}
