//! Where in a JSON text a field stands. serde_json gives values without positions, so the text,
//! which it has accepted before, is walked once more.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use serde_json::Value;

use super::FAULTS_MAX;
use super::check::shorten;
use crate::fault::Fault;

/// A fault for every field that stands twice in its object, at most [`FAULTS_MAX`].
pub(crate) fn repeated_fields(text: &str) -> Vec<Fault> {
    let mut faults = Vec::new();
    Scanner::new(text, &mut |path, place, repeated| {
        if repeated && faults.len() < FAULTS_MAX {
            faults.push(Fault {
                line: Some(place.line),
                field: path.to_string(),
                message: format!("{path} stands twice, expected once"),
            });
        }
    })
    .value();
    faults
}

/// Sets the lines of faults, and numbers as the text has them: 2^64 is no number of serde_json but 1.8e19. A fault of
/// a missing field gets the line of the object around it.
pub(crate) fn set_places(text: &str, faults: &mut [Fault]) {
    let mut wanted: BTreeMap<String, Option<Place>> = BTreeMap::new();
    for fault in faults.iter() {
        for path in ancestors(&fault.field) {
            wanted.insert(path.to_string(), None);
        }
    }
    Scanner::new(text, &mut |path, place, _| {
        if let Some(found) = wanted.get_mut(path) {
            found.get_or_insert(place);
        }
    })
    .value();
    for fault in faults.iter_mut().filter(|f| f.line.is_none()) {
        let mut places = ancestors(&fault.field).filter_map(|path| wanted.get(path).copied()?);
        fault.line = places.next().map(|place| place.line);
        let own = wanted.get(&fault.field).copied().flatten();
        let end = |c: char| ",]}".contains(c) || c.is_ascii_whitespace();
        let written = own.and_then(|place| text[place.value..].split(end).next());
        if let Some((written, Ok(Value::Number(read)))) =
            written.map(|written| (written, serde_json::from_str(written)))
        {
            let (read, written) = (format!(" is {read},"), format!(" is {},", shorten(written)));
            fault.message = fault.message.replacen(&read, &written, 1);
        }
    }
}

/// Where a field stands.
#[derive(Debug, Clone, Copy)]
struct Place {
    line: usize,
    /// Byte at which its value begins.
    value: usize,
}

/// A path and the paths of the objects and lists around it, innermost first, without the document.
fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    let first = Some(path).filter(|p| !p.is_empty());
    std::iter::successors(first, |p| p.rfind(['.', '[']).map(|end| &p[..end]))
}

/// Reports path, place and repetition of every field and list element.
struct Scanner<'a, 'f> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
    path: String,
    report: &'f mut dyn FnMut(&str, Place, bool),
}

impl<'a, 'f> Scanner<'a, 'f> {
    fn new(text: &'a str, report: &'f mut dyn FnMut(&str, Place, bool)) -> Self {
        Scanner {
            bytes: text.as_bytes(),
            at: 0,
            line: 1,
            path: String::new(),
            report,
        }
    }

    fn value(&mut self) {
        match self.peek() {
            Some(b'{') => self.object(),
            Some(b'[') => self.list(),
            Some(b'"') => {
                self.string();
            }
            _ => {
                while self.at < self.bytes.len() && !b",]} \t\r\n".contains(&self.bytes[self.at]) {
                    self.at += 1;
                }
            }
        }
    }

    fn object(&mut self) {
        self.at += 1;
        let mut seen = BTreeSet::new();
        while self.peek() == Some(b'"') {
            let length = self.path.len();
            let line = self.line;
            let key = self.string();
            if length > 0 {
                self.path.push('.');
            }
            self.path += &key;
            self.expect(b':');
            self.peek();
            let value = self.at;
            (self.report)(&self.path, Place { line, value }, !seen.insert(key));
            self.value();
            self.path.truncate(length);
            if !self.expect(b',') {
                break;
            }
        }
        self.expect(b'}');
    }

    fn list(&mut self) {
        self.at += 1;
        let length = self.path.len();
        let mut index = 0;
        while self.peek().is_some_and(|b| b != b']') {
            write!(self.path, "[{index}]").expect("a string takes all");
            let (line, value) = (self.line, self.at);
            (self.report)(&self.path, Place { line, value }, false);
            self.value();
            self.path.truncate(length);
            index += 1;
            if !self.expect(b',') {
                break;
            }
        }
        self.expect(b']');
    }

    /// The next byte that is no white space.
    fn peek(&mut self) -> Option<u8> {
        while let Some(byte) = self.bytes.get(self.at).filter(|b| b.is_ascii_whitespace()) {
            self.line += usize::from(*byte == b'\n');
            self.at += 1;
        }
        self.bytes.get(self.at).copied()
    }

    fn expect(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Takes a string and gives its text.
    fn string(&mut self) -> String {
        let start = self.at;
        self.at += 1;
        while let Some(byte) = self.bytes.get(self.at).filter(|b| **b != b'"') {
            self.at += if *byte == b'\\' { 2 } else { 1 };
        }
        self.at += 1;
        let quoted = self.bytes.get(start..self.at).unwrap_or_default();
        serde_json::from_slice(quoted).unwrap_or_default()
    }
}
