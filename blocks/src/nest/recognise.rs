//! Finds the main nest and what lies before and behind it (TTU-010, TTU-011, TTU-062).

use heddle_arch::traverse::RowKind;

use super::fault::{NestError, Refusal};
use super::program::{For, Nest, Statement, Use};

/// One use of an array with the loops that walk it: one row.
#[derive(Debug)]
pub(crate) struct Walked<'a> {
    pub kind: RowKind,
    /// Loop of the tensor that it belongs to, 0 is the innermost.
    pub attach: Option<usize>,
    /// Loops of the row, innermost first.
    pub loops: Vec<&'a For>,
    /// Loops of the tensor around an attached row; it cannot depend on them.
    pub around: Vec<&'a For>,
    pub used: &'a Use,
}

/// All uses in the order in which they run: prologues, tensors, epilogues.
pub(crate) fn recognise(nest: &Nest) -> Result<Vec<Walked<'_>>, NestError> {
    let body = &nest.body;
    let marked = body.iter().any(Statement::has_tensor);
    let deepest = body.iter().map(Statement::depth).max().unwrap_or(0);
    let is_tensor = |statement: &Statement| match marked {
        true => statement.has_tensor(),
        false => statement.depth() == deepest,
    };
    let (Some(first), Some(last)) = (
        body.iter().position(is_tensor),
        body.iter().rposition(is_tensor),
    ) else {
        let message = "there is nothing to walk, expected a loop or the use of an array";
        return Err(NestError::new(None, Refusal::Structure, message));
    };

    let mut found = Vec::new();
    for (position, statement) in body.iter().enumerate() {
        if position < first {
            found.push(chain(statement, RowKind::Prologue, None, &[])?);
        } else if position > last {
            found.push(chain(statement, RowKind::Epilogue, None, &[])?);
        } else {
            found.extend(tensor(statement)?);
        }
    }
    let tensors = found.iter().filter(|w| w.kind == RowKind::Tensor).count();
    let attached = found.iter().find(|w| w.attach.is_some());
    if let (Some(attached), 2..) = (attached, tensors) {
        let array = &attached.used.array;
        let message = format!(
            "{array} belongs to a loop of the main nest, which only works with one main nest, \
             here are {tensors}"
        );
        let place = attached.used.place;
        return Err(NestError::new(place, Refusal::Structure, message));
    }
    Ok(found)
}

/// A nest in which every loop has one statement in its body.
fn chain<'a>(
    statement: &'a Statement,
    kind: RowKind,
    attach: Option<usize>,
    around: &[&'a For],
) -> Result<Walked<'a>, NestError> {
    let mut loops = Vec::new();
    let mut next = statement;
    let used = loop {
        match next {
            Statement::Use(used) => break used,
            Statement::For(outer) => {
                loops.insert(0, outer);
                next = match &outer.body[..] {
                    [] => return Err(empty(outer)),
                    [inner] => inner,
                    [_, second, ..] => {
                        let index = &outer.index;
                        let message = format!(
                            "loop {index} holds more than one statement, which only loops of the \
                             main nest may do"
                        );
                        let place = second.place();
                        return Err(NestError::new(place, Refusal::Structure, message));
                    }
                };
            }
        }
    };
    Ok(Walked {
        kind,
        attach,
        loops,
        around: around.to_vec(),
        used,
    })
}

/// The main nest with the rows attached to its loops.
fn tensor(statement: &Statement) -> Result<Vec<Walked<'_>>, NestError> {
    let mut before = Vec::new();
    let mut behind = Vec::new();
    // Loops of the main nest so far, outermost first.
    let mut loops: Vec<&For> = Vec::new();
    let mut next = statement;
    let used = loop {
        match next {
            Statement::Use(used) => break used,
            Statement::For(outer) => {
                loops.push(outer);
                let inner = main_child(&loops)?;
                let siblings = outer.body.iter().enumerate();
                for (position, sibling) in siblings.filter(|(position, _)| *position != inner) {
                    let list = match position < inner {
                        true => &mut before,
                        false => &mut behind,
                    };
                    // How many loops lie around the loop that it precedes or follows.
                    list.push((loops.len(), sibling));
                }
                next = &outer.body[inner];
            }
        }
    };
    let attached = |kind, outer: usize, sibling| {
        let attach = loops.len() - 1 - outer;
        chain(sibling, kind, Some(attach), &loops[..outer])
    };
    // What follows an inner loop runs first: a stable sort keeps the order of the text otherwise.
    behind.sort_by_key(|(outer, _)| std::cmp::Reverse(*outer));
    let mut rows = Vec::new();
    for (outer, sibling) in before {
        rows.push(attached(RowKind::Prologue, outer, sibling)?);
    }
    rows.push(Walked {
        kind: RowKind::Tensor,
        attach: None,
        loops: loops.iter().rev().copied().collect(),
        around: Vec::new(),
        used,
    });
    for (outer, sibling) in behind {
        rows.push(attached(RowKind::Epilogue, outer, sibling)?);
    }
    Ok(rows)
}

/// Position of the statement in the body of a loop of the main nest that continues the main nest:
/// the marked one, else the deepest. A statement that depends on the loops around it can be nothing
/// else, so it is preferred.
fn main_child(loops: &[&For]) -> Result<usize, NestError> {
    let outer = loops[loops.len() - 1];
    let body = &outer.body;
    let index = &outer.index;
    let mut marked = body.iter().enumerate().filter(|(_, s)| s.has_tensor());
    let first = marked.next();
    if let Some((_, second)) = marked.next() {
        let message = format!("loop {index} holds two statements marked `tensor`, expected one");
        let place = second.place();
        return Err(NestError::new(place, Refusal::Structure, message));
    }
    let key = |statement: &Statement| (depends(statement, loops), statement.depth());
    let best = body.iter().map(key).max();
    let first_best = || body.iter().position(|s| Some(key(s)) == best);
    let inner = first.map(|(position, _)| position).or_else(first_best);
    let inner = inner.ok_or_else(|| empty(outer))?;
    if let (Statement::Use(used), 2..) = (&body[inner], body.len()) {
        let other = &body[if inner == 0 { 1 } else { 0 }];
        let message = format!(
            "loop {index} walks {used}, so its body can hold nothing else; a loop of one iteration \
             around {used} makes room"
        );
        return Err(NestError::new(other.place(), Refusal::Structure, message));
    }
    Ok(inner)
}

/// A subscript in the statement has the index of one of these loops.
fn depends(statement: &Statement, loops: &[&For]) -> bool {
    match statement {
        Statement::For(outer) => outer.body.iter().any(|inner| depends(inner, loops)),
        Statement::Use(used) => {
            let mut terms = used.subscripts.iter().flat_map(|s| s.terms.keys());
            terms.any(|index| loops.iter().any(|outer| outer.index == *index))
        }
    }
}

fn empty(outer: &For) -> NestError {
    let message = format!("loop {} has an empty body", outer.index);
    NestError::new(outer.place, Refusal::Structure, message)
}
