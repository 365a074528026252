//! Rows or columns of a layer.

/// Rows, columns, channels or groups: the first one, and the one after the last.
pub type Span = std::ops::Range<u32>;

/// Rows or columns that entries of a fold may have: eight bits.
pub(super) const ENTRIES: u32 = 256;

/// What one unit takes and keeps, in rows or in columns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cell {
    /// Entries that it takes.
    pub takes: Span,
    /// Results that it keeps.
    pub keeps: Span,
}

/// Rows or columns of a fold. All but `outputs` and `input` are counted from the origin of the fold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stretch {
    /// Outputs.
    pub outputs: Span,
    /// Input that they are made of; empty if they are made of padding alone.
    pub input: Span,
    /// The same with the padding counted: what is loaded.
    pub loads: Span,
    /// The outputs as results.
    pub results: Span,
    /// Entry that is the origin.
    pub(super) origin: u32,
}

/// Rows or columns of a layer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Axis {
    pub(super) kernel: u32,
    pub(super) stride_log2: u32,
    pub(super) padding: u32,
    pub(super) input: u32,
}

impl Axis {
    /// Places that the kernel has in a phase, at most.
    pub(super) fn places(&self) -> u32 {
        self.kernel.div_ceil(1 << self.stride_log2)
    }

    /// Places of the kernel that belong to a phase.
    pub(super) fn places_of(self, phase: u32) -> impl Iterator<Item = u32> {
        (phase..self.kernel).step_by(1 << self.stride_log2)
    }

    /// Outputs as a fold.
    pub(super) fn stretch(&self, outputs: Span) -> Stretch {
        let padded = self.needs(&outputs);
        let end = self.entries(&padded).end;
        // As round as may be: folds with other rows modulo a power of two have other words of sums.
        let origins = (0..=8).rev().map(|bits| outputs.start >> bits << bits);
        let mut fitting = origins.filter(|origin| end <= origin + ENTRIES);
        let origin = fitting.next().unwrap_or(outputs.start);
        let more = self.places() - 1;
        let results = outputs.start - origin + more..outputs.end - origin + more;
        let input = less(&padded, self.padding);
        let loads = less(&padded, origin << self.stride_log2);
        Stretch {
            outputs,
            input,
            loads,
            results,
            origin,
        }
    }

    /// What is cut: results if cells have a halo in the input, else entries.
    pub(super) fn whole(&self, stretch: &Stretch, input_halo: bool) -> Span {
        match input_halo {
            true => stretch.results.clone(),
            false => self.entries(&stretch.loads),
        }
    }

    /// The cell that has a part of it; empty if it has nothing to do.
    pub(super) fn cell(&self, stretch: &Stretch, part: Span, input_halo: bool) -> Cell {
        let more = self.places() - 1;
        let (takes, keeps) = match input_halo {
            true => (part.start.saturating_sub(more)..part.end, part),
            false => (part.clone(), part.start..part.end + more),
        };
        let cell = Cell {
            takes: both(&takes, &self.entries(&stretch.loads)),
            keeps: both(&keeps, &stretch.results),
        };
        match cell.takes.is_empty() || cell.keeps.is_empty() {
            true => Cell::default(),
            false => cell,
        }
    }

    /// The input that an entry has a phase of.
    pub(super) fn input_of(&self, stretch: &Stretch, entry: u32) -> Span {
        let first = (stretch.origin + entry) << self.stride_log2;
        let padded = stretch.input.start + self.padding..stretch.input.end + self.padding;
        let own = both(&(first..first + (1 << self.stride_log2)), &padded);
        less(&own, self.padding)
    }

    /// Input that outputs are made of, padding counted.
    fn needs(&self, outputs: &Span) -> Span {
        let first = outputs.start << self.stride_log2;
        let end = ((outputs.end - 1) << self.stride_log2) + self.kernel;
        both(&(first..end), &(self.padding..self.padding + self.input))
    }

    /// Entries that are loaded.
    pub(super) fn entries(&self, loads: &Span) -> Span {
        match loads.is_empty() {
            true => 0..0,
            false => loads.start >> self.stride_log2..((loads.end - 1) >> self.stride_log2) + 1,
        }
    }

    /// How much of what is loaded a cell takes, in rows or columns of the input.
    pub(super) fn taken(&self, loads: &Span, cell: &Cell) -> u32 {
        let takes = cell.takes.start << self.stride_log2..cell.takes.end << self.stride_log2;
        both(loads, &takes).len() as u32
    }
}

/// What two spans have in common.
fn both(a: &Span, b: &Span) -> Span {
    let common = a.start.max(b.start)..a.end.min(b.end);
    if common.is_empty() { 0..0 } else { common }
}

/// A span counted from another origin.
fn less(span: &Span, origin: u32) -> Span {
    match span.is_empty() {
        true => 0..0,
        false => span.start - origin..span.end - origin,
    }
}

/// A span in equal parts.
pub(super) fn cut(whole: Span, parts: u32) -> impl Iterator<Item = Span> {
    let (start, length) = (whole.start, u64::from(whole.end - whole.start));
    let at = move |part: u32| start + (length * u64::from(part) / u64::from(parts)) as u32;
    (0..parts).map(move |part| at(part)..at(part + 1))
}
