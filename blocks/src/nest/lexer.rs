//! Text of a nest to tokens with their places.

use super::fault::{NestError, Place, Refusal};
use super::program::NUMBER_MAX;

/// Names that cannot be indices or arrays.
pub(crate) const KEYWORDS: [&str; 8] = [
    "array", "for", "in", "step", "at", "order", "pitch", "tensor",
];

/// A token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token {
    /// A name or keyword.
    Name(String),
    /// A number of at most 2^32.
    Number(i64),
    /// A sign of one or two characters.
    Sign(&'static str),
    /// The end of the text.
    End,
}

impl Token {
    /// As it is named in messages.
    pub fn shown(&self) -> String {
        match self {
            Token::Name(name) => format!("`{name}`"),
            Token::Number(number) => format!("`{number}`"),
            Token::Sign(sign) => format!("`{sign}`"),
            Token::End => "the end".to_string(),
        }
    }
}

/// All tokens, the last one being the end.
pub(crate) fn tokens(text: &str) -> Result<Vec<(Token, Place)>, NestError> {
    let mut lexer = Lexer {
        rest: text,
        place: Place { line: 1, column: 1 },
    };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_space();
        let place = lexer.place;
        let token = lexer.token()?;
        let done = token == Token::End;
        tokens.push((token, place));
        if done {
            return Ok(tokens);
        }
    }
}

struct Lexer<'a> {
    rest: &'a str,
    place: Place,
}

impl<'a> Lexer<'a> {
    /// Takes the characters up to the first one that does not belong.
    fn take(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let length = self.rest.find(|c| !belongs(c)).unwrap_or(self.rest.len());
        self.advance(length)
    }

    fn advance(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(length);
        for c in taken.chars() {
            if c == '\n' {
                self.place.line += 1;
                self.place.column = 0;
            }
            self.place.column += 1;
        }
        self.rest = rest;
        taken
    }

    fn skip_space(&mut self) {
        loop {
            self.take(char::is_whitespace);
            if !self.rest.starts_with('#') {
                return;
            }
            self.take(|c| c != '\n');
        }
    }

    fn token(&mut self) -> Result<Token, NestError> {
        const SIGNS: [&str; 12] = ["..", "[", "]", "{", "}", ":", ";", ",", "+", "-", "*", "="];
        let Some(first) = self.rest.chars().next() else {
            return Ok(Token::End);
        };
        if first.is_ascii_alphabetic() || first == '_' {
            let name = self.take(|c| c.is_ascii_alphanumeric() || c == '_');
            return Ok(Token::Name(name.to_string()));
        }
        if first.is_ascii_digit() {
            return self.number();
        }
        if let Some(sign) = SIGNS.into_iter().find(|sign| self.rest.starts_with(sign)) {
            self.advance(sign.len());
            return Ok(Token::Sign(sign));
        }
        let message = format!("found {first:?}, which has no meaning in a nest");
        Err(NestError::new(Some(self.place), Refusal::Syntax, message))
    }

    fn number(&mut self) -> Result<Token, NestError> {
        let place = Some(self.place);
        let text = self.take(|c| c.is_ascii_alphanumeric() || c == '_');
        let digits = text.replace('_', "");
        let (digits, radix) = match digits.strip_prefix("0x") {
            Some(hex) => (hex, 16),
            None => (digits.as_str(), 10),
        };
        if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
            let message = format!("found `{text}`, expected a number such as 12 or 0x1f");
            return Err(NestError::new(place, Refusal::Syntax, message));
        }
        match i64::from_str_radix(digits, radix) {
            Ok(number) if number.unsigned_abs() <= NUMBER_MAX => Ok(Token::Number(number)),
            _ => {
                let message = format!("number is {text}, expected at most {NUMBER_MAX}");
                Err(NestError::new(place, Refusal::Number, message))
            }
        }
    }
}
