//! Schedules as text and as graphs.

use std::fmt::Write;
use std::ops::Range;

use super::Schedule;

impl Schedule {
    /// A line for each step.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut layer = None;
        for (index, step) in self.steps.iter().enumerate() {
            if layer != Some(step.layer) {
                layer = Some(step.layer);
                writeln!(text, "layer {}", self.layers[step.layer])
                    .expect("a string takes everything");
            }
            let after: Vec<String> = step
                .after
                .iter()
                .map(|d| format!("{} {}", d.on, d.reason.name()))
                .collect();
            let (unit, Range { start, end }) = (step.unit.name(), &step.bytes);
            let verb = match (step.writes(), step.reads()) {
                (true, true) => "copies in",
                (true, false) => "writes",
                (false, _) => "reads",
            };
            let line = match step.bytes.is_empty() {
                true => format!("{index:>6}  {unit:<7}"),
                false => format!("{index:>6}  {unit:<7}  {verb} {start}..{end}"),
            };
            let line = match after.is_empty() {
                true => line,
                false => format!("{line}, after {}", after.join(", ")),
            };
            text += &line;
            text.push('\n');
        }
        text
    }

    /// The steps and their dependencies in the language of Graphviz.
    #[must_use]
    pub fn dot(&self) -> String {
        let mut text = String::from("digraph schedule {\n  node [shape=box];\n");
        for (index, step) in self.steps.iter().enumerate() {
            let unit = step.unit.name();
            writeln!(text, "  s{index} [label=\"{index} {unit}\"];")
                .expect("a string takes everything");
            for dependency in &step.after {
                let (on, reason) = (dependency.on, dependency.reason.name());
                writeln!(text, "  s{on} -> s{index} [label=\"{reason}\"];")
                    .expect("a string takes everything");
            }
        }
        text + "}\n"
    }
}
