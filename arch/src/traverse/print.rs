//! From commands to text, which `parse` reads again.

use std::fmt::{self, Display, Formatter};

use super::{Command, EndTest, GroupRow, InitialRow, Row, RowKind, Run};
use crate::isa::Loop;

pub(super) fn keyword(command: &Command) -> &'static str {
    match command {
        Command::Traverse { .. } => "traverse",
        Command::SetInitial { .. } => "set_initial",
        Command::SetStep { .. } => "set_step",
        Command::SetEnd { .. } => "set_end",
        Command::Start { .. } => "start",
    }
}

pub(super) const fn kind_keyword(kind: RowKind) -> &'static str {
    match kind {
        RowKind::Tensor => "tensor",
        RowKind::Prologue => "prologue",
        RowKind::Epilogue => "epilogue",
    }
}

pub(super) const fn test_keyword(test: EndTest) -> &'static str {
    match test {
        EndTest::AtLeast => "at_least",
        EndTest::Equal => "equal",
        EndTest::Trips => "trips",
    }
}

impl Display for Run {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut words = Vec::new();
        if self.offset_only {
            words.push("offset_only".to_string());
        }
        if self.on_demand {
            words.push("on_demand".to_string());
        }
        if let Some((first, end)) = self.window {
            words.push(format!("window {first:#x}..{end:#x}"));
        }
        f.write_str(&words.join(" "))
    }
}

impl Display for Row {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_attributes(f, self.kind, self.row, self.attach, self.base, self.test)?;
        let text = |l: &Loop| format!("{}:{}:{}", l.initial, l.step, l.end);
        write_list(f, self.loops.iter().map(text).collect())
    }
}

impl Display for InitialRow {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_attributes(f, self.kind, self.row, self.attach, self.base, self.test)?;
        write_list(f, self.initial.iter().map(u32::to_string).collect())
    }
}

impl Display for GroupRow {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "row {}", self.row)?;
        write_list(f, self.values.iter().map(u32::to_string).collect())
    }
}

/// Without a line end after the last row.
impl Display for Command {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(keyword(self))?;
        if let Some(run) = self.run().filter(|r| **r != Run::default()) {
            write!(f, " {run}")?;
        }
        match self {
            Command::Traverse { rows, .. } => write_rows(f, rows),
            Command::SetInitial { rows } => write_rows(f, rows),
            Command::SetStep { rows } | Command::SetEnd { rows } => write_rows(f, rows),
            Command::Start { .. } => Ok(()),
        }
    }
}

fn write_rows(f: &mut Formatter<'_>, rows: &[impl Display]) -> fmt::Result {
    rows.iter().try_for_each(|row| write!(f, "\n  {row}"))
}

fn write_attributes(
    f: &mut Formatter<'_>,
    kind: RowKind,
    row: u8,
    attach: Option<u8>,
    base: u32,
    test: EndTest,
) -> fmt::Result {
    write!(f, "{} row {row}", kind_keyword(kind))?;
    if let Some(column) = attach {
        write!(f, " attach {column}")?;
    }
    write!(f, " base {base:#x}")?;
    if test != EndTest::default() {
        write!(f, " {}", test_keyword(test))?;
    }
    Ok(())
}

fn write_list(f: &mut Formatter<'_>, items: Vec<String>) -> fmt::Result {
    if items.is_empty() {
        return Ok(());
    }
    write!(f, " loops {}", items.join(", "))
}
