//! A nest as text that [`Nest::parse`] reads.

use std::fmt;

use super::program::{Array, ArrayLayout, Nest, Statement, Use};

impl fmt::Display for Nest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for array in &self.arrays {
            writeln!(f, "{array}")?;
        }
        print_body(f, &self.body, 0)
    }
}

impl fmt::Display for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "array {}", self.name)?;
        for size in &self.sizes {
            write!(f, "[{size}]")?;
        }
        write!(f, ": {}", self.element_bytes)?;
        if let Some(base) = self.base {
            write!(f, " at {base}")?;
            if self.displacement != 0 {
                write!(f, " + {}", self.displacement)?;
            }
        }
        match &self.layout {
            ArrayLayout::Order(order) if order.is_sorted() => Ok(()),
            ArrayLayout::Order(order) => write!(f, " order {}", list(order)),
            ArrayLayout::Pitches(pitches) => write!(f, " pitch {}", list(pitches)),
        }
    }
}

impl fmt::Display for Use {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.array)?;
        self.subscripts.iter().try_for_each(|s| write!(f, "[{s}]"))
    }
}

fn list(items: &[impl ToString]) -> String {
    let items: Vec<String> = items.iter().map(ToString::to_string).collect();
    items.join(", ")
}

fn print_body(f: &mut fmt::Formatter<'_>, body: &[Statement], level: usize) -> fmt::Result {
    let indent = "  ".repeat(level);
    for statement in body {
        match statement {
            Statement::For(outer) => {
                let mark = if outer.tensor { "tensor " } else { "" };
                let (index, start, bound) = (&outer.index, outer.start, outer.bound);
                write!(f, "{indent}{mark}for {index} in {start}..{bound}")?;
                if outer.step != 1 {
                    write!(f, " step {}", outer.step)?;
                }
                writeln!(f, " {{")?;
                print_body(f, &outer.body, level + 1)?;
                writeln!(f, "{indent}}}")?;
            }
            Statement::Use(inner) => {
                let mark = if inner.tensor { "tensor " } else { "" };
                writeln!(f, "{indent}{mark}{inner}")?;
            }
        }
    }
    Ok(())
}
