//! Names in kernels as `hdl_gen` writes them: `cell[i][j]$x_i$next`, and their index
//! expressions.

use std::collections::BTreeMap;

/// Values of loop variables and parameters.
pub type Env = BTreeMap<String, i64>;

/// A name with its indices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    /// Names without indices, joined by `$`.
    pub key: String,
    /// All indices from left to right.
    pub index: Vec<i64>,
}

/// Splits a name and evaluates its indices; the error is the text that has no value.
pub fn parse(text: &str, env: &Env) -> Result<Path, String> {
    let mut keys: Vec<String> = Vec::new();
    let mut index = Vec::new();
    for piece in split(text) {
        let (name, rest) = match piece.find('[') {
            Some(at) => piece.split_at(at),
            None => (piece.as_str(), ""),
        };
        // Long names come with line breaks.
        let name = name.trim();
        for inner in brackets(rest) {
            index.push(eval(inner, env)?);
        }
        if !matches!(name, "next" | "val()" | "") {
            keys.push(name.to_string());
        }
    }
    Ok(Path {
        key: keys.join("$"),
        index,
    })
}

/// Splits at `$` and `.` outside brackets.
fn split(text: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut depth = 0usize;
    for c in text.chars() {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            '$' | '.' if depth == 0 => {
                out.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = out.last_mut() {
            last.push(c);
        }
    }
    out
}

/// The contents of `[a][b]`.
fn brackets(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (at, c) in text.char_indices() {
        match c {
            '[' => {
                depth += 1;
                if depth == 1 {
                    start = at + 1;
                }
            }
            ']' => {
                depth -= 1;
                if depth == 0 {
                    out.push(&text[start..at]);
                }
            }
            _ => {}
        }
    }
    out
}

/// Evaluates an index: numbers, names, `+ - * / %` and parentheses.
pub fn eval(text: &str, env: &Env) -> Result<i64, String> {
    let mut parser = Parser { rest: text, env };
    let value = parser.sum().ok_or_else(|| text.to_string())?;
    match parser.rest.trim().is_empty() {
        true => Ok(value),
        false => Err(text.to_string()),
    }
}

struct Parser<'a> {
    rest: &'a str,
    env: &'a Env,
}

impl Parser<'_> {
    fn take(&mut self, wanted: &[char]) -> Option<char> {
        self.rest = self.rest.trim_start();
        let c = self.rest.chars().next().filter(|c| wanted.contains(c))?;
        self.rest = &self.rest[1..];
        Some(c)
    }

    fn sum(&mut self) -> Option<i64> {
        let mut value = self.product()?;
        while let Some(op) = self.take(&['+', '-']) {
            let right = self.product()?;
            value = if op == '+' {
                value.checked_add(right)?
            } else {
                value.checked_sub(right)?
            };
        }
        Some(value)
    }

    fn product(&mut self) -> Option<i64> {
        let mut value = self.atom()?;
        while let Some(op) = self.take(&['*', '/', '%']) {
            let right = self.atom()?;
            value = match op {
                '*' => value.checked_mul(right)?,
                '/' => value.checked_div(right)?,
                _ => value.checked_rem(right)?,
            };
        }
        Some(value)
    }

    fn atom(&mut self) -> Option<i64> {
        if self.take(&['(']).is_some() {
            let value = self.sum()?;
            self.take(&[')'])?;
            return Some(value);
        }
        self.rest = self.rest.trim_start();
        let end = self
            .rest
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            number(word)
        } else {
            self.env.get(word).copied()
        }
    }
}

/// A Rust integer literal, with or without type suffix.
pub fn number(word: &str) -> Option<i64> {
    let plain: String = word.chars().filter(|c| *c != '_').collect();
    if let Some(hex) = plain.strip_prefix("0x") {
        let end = hex.find(['u', 'i']).unwrap_or(hex.len());
        return i64::from_str_radix(&hex[..end], 16).ok();
    }
    if let Some(binary) = plain.strip_prefix("0b") {
        let end = binary.find(['u', 'i']).unwrap_or(binary.len());
        return i64::from_str_radix(&binary[..end], 2).ok();
    }
    let end = plain.find(['u', 'i']).unwrap_or(plain.len());
    plain[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env() -> Env {
        [("i", 3), ("j", 2), ("_n", 8)]
            .map(|(k, v)| (k.to_string(), v))
            .into()
    }

    #[test]
    fn splits_names_and_evaluates_indices() {
        let path = parse("cell[i+1][j*2]$x_i$next", &env()).expect("known names");
        assert_eq!(path.key, "cell$x_i");
        assert_eq!(path.index, [4, 4]);
        let broken = parse("cell\n[i + 1]\n[j * 2]$x_i", &env());
        assert_eq!(broken, Ok(path));
    }

    #[test]
    fn evaluates_with_precedence_and_parentheses() {
        assert_eq!(eval("_n-1-i", &env()), Ok(4));
        assert_eq!(eval("2*(i+j)%7", &env()), Ok(3));
        assert_eq!(eval("0x10u64", &env()), Ok(16));
    }

    #[test]
    fn names_without_value_are_errors() {
        assert_eq!(
            eval("i+sel$val()$index()", &env()),
            Err("i+sel$val()$index()".into())
        );
        assert_eq!(parse("x[k]", &env()), Err("k".into()));
        assert_eq!(eval("1/0", &env()), Err("1/0".into()));
    }
}
