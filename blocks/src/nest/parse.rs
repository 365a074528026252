//! The text form of a nest; the grammar is in `docs/nests.md`.

use super::affine::Affine;
use super::fault::{NestError, Place, Refusal};
use super::lexer::{self, KEYWORDS, Token};
use super::program::{Array, ArrayLayout, For, Nest, Statement, Use};

/// Loops inside one another that are read; more than any unit has, and few enough for the stack.
const DEPTH_MAX: usize = 64;

/// Names of element sizes, bytes.
const TYPES: [(&str, u64); 16] = [
    ("i8", 1),
    ("u8", 1),
    ("char", 1),
    ("i16", 2),
    ("u16", 2),
    ("f16", 2),
    ("bf16", 2),
    ("short", 2),
    ("i32", 4),
    ("u32", 4),
    ("f32", 4),
    ("int", 4),
    ("float", 4),
    ("i64", 8),
    ("u64", 8),
    ("f64", 8),
];

/// Reads a nest.
pub(crate) fn parse(text: &str) -> Result<Nest, NestError> {
    let mut parser = Parser {
        tokens: lexer::tokens(text)?,
        position: 0,
    };
    let mut nest = Nest::new();
    loop {
        parser.separators();
        match parser.peek() {
            Token::End => return Ok(nest),
            Token::Name(name) if name == "array" => nest.arrays.push(parser.array()?),
            _ => nest.body.push(parser.statement(0)?),
        }
    }
}

struct Parser {
    tokens: Vec<(Token, Place)>,
    position: usize,
}

impl Parser {
    fn peek(&self) -> &Token {
        &self.tokens[self.position].0
    }

    fn place(&self) -> Option<Place> {
        Some(self.tokens[self.position].1)
    }

    /// Takes the token; the end stays.
    fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.position = (self.position + 1).min(self.tokens.len() - 1);
        token
    }

    fn take_sign(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek(), Token::Sign(found) if *found == sign);
        if found {
            self.next();
        }
        found
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Token::Name(found) if found == word);
        if found {
            self.next();
        }
        found
    }

    fn separators(&mut self) {
        while self.take_sign(";") {}
    }

    fn unexpected<T>(&self, expected: &str) -> Result<T, NestError> {
        let message = format!("found {}, expected {expected}", self.peek().shown());
        Err(NestError::new(self.place(), Refusal::Syntax, message))
    }

    fn expect(&mut self, sign: &str, place: &str) -> Result<(), NestError> {
        if self.take_sign(sign) {
            return Ok(());
        }
        self.unexpected(&format!("`{sign}` {place}"))
    }

    fn name(&mut self, what: &str) -> Result<String, NestError> {
        match self.peek() {
            Token::Name(name) if !KEYWORDS.contains(&name.as_str()) => {
                let name = name.clone();
                self.next();
                Ok(name)
            }
            _ => self.unexpected(what),
        }
    }

    /// A number without a sign.
    fn size(&mut self, what: &str) -> Result<u64, NestError> {
        match *self.peek() {
            Token::Number(number) => {
                self.next();
                Ok(number.unsigned_abs())
            }
            _ => self.unexpected(what),
        }
    }

    /// A number with or without a minus sign.
    fn integer(&mut self, what: &str) -> Result<i64, NestError> {
        let negative = self.take_sign("-");
        match *self.peek() {
            Token::Number(number) => {
                self.next();
                Ok(if negative { -number } else { number })
            }
            _ => self.unexpected(what),
        }
    }

    fn array(&mut self) -> Result<Array, NestError> {
        self.next();
        let place = self.place();
        let name = self.name("the name of an array")?;
        let mut dimensions = Vec::new();
        let mut sizes = Vec::new();
        self.expect("[", "and the size of a dimension")?;
        loop {
            let mut dimension = None;
            if let Token::Name(_) = self.peek() {
                dimension = Some(self.name("the name or size of a dimension")?);
                self.expect(":", "behind the name of a dimension")?;
            }
            sizes.push(self.size("the size of a dimension")?);
            dimensions.push(dimension);
            self.expect("]", "behind the size of a dimension")?;
            if !self.take_sign("[") {
                break;
            }
        }
        let mut array = Array::new(name, sizes);
        array.place = place;
        if self.take_sign(":") {
            array.element_bytes = self.element()?;
        }
        loop {
            if self.take_word("at") {
                array.base = Some(self.size("a base address")?);
                if self.take_sign("+") {
                    array.displacement = self.size("a displacement in bytes")?;
                }
            } else if self.take_word("order") {
                array.layout = ArrayLayout::Order(self.list(|p| p.dimension(&dimensions))?);
            } else if self.take_word("pitch") {
                array.layout = ArrayLayout::Pitches(self.list(|p| p.size("a pitch in bytes"))?);
            } else {
                return Ok(array);
            }
        }
    }

    fn list<T>(
        &mut self,
        mut item: impl FnMut(&mut Parser) -> Result<T, NestError>,
    ) -> Result<Vec<T>, NestError> {
        let mut items = vec![item(self)?];
        while self.take_sign(",") {
            items.push(item(self)?);
        }
        Ok(items)
    }

    fn element(&mut self) -> Result<u64, NestError> {
        const EXPECTED: &str = "the size of an element in bytes or a type such as i8, i32 or f32";
        if let Token::Name(name) = self.peek() {
            let bytes = TYPES.iter().find(|(known, _)| known == name);
            if let Some(&(_, bytes)) = bytes {
                self.next();
                return Ok(bytes);
            }
            return self.unexpected(EXPECTED);
        }
        self.size(EXPECTED)
    }

    /// A dimension by name or number, counted from 0.
    fn dimension(&mut self, names: &[Option<String>]) -> Result<usize, NestError> {
        let known: Vec<&str> = names.iter().flatten().map(String::as_str).collect();
        let mut expected = format!("a dimension from 0 to {}", names.len() - 1);
        if !known.is_empty() {
            expected += &format!(" or {}", known.join(", "));
        }
        let found = match self.peek() {
            Token::Name(name) => names.iter().position(|d| d.as_ref() == Some(name)),
            Token::Number(number) => usize::try_from(*number).ok().filter(|d| *d < names.len()),
            _ => None,
        };
        match found {
            Some(dimension) => {
                self.next();
                Ok(dimension)
            }
            None => self.unexpected(&expected),
        }
    }

    fn statement(&mut self, depth: usize) -> Result<Statement, NestError> {
        let tensor = self.take_word("tensor");
        let place = self.place();
        if self.take_word("for") {
            if depth == DEPTH_MAX {
                let message = format!("more than {DEPTH_MAX} loops inside one another");
                return Err(NestError::new(place, Refusal::Structure, message));
            }
            let mut statement = self.for_loop(depth)?;
            statement.tensor = tensor;
            statement.place = place;
            return Ok(statement.into());
        }
        let array = self.name(match depth {
            0 if !tensor => "`for`, `array` or the use of an array",
            _ => "`for` or the use of an array",
        })?;
        let mut subscripts = Vec::new();
        self.expect("[", &format!("behind array {array}"))?;
        loop {
            subscripts.push(self.affine()?);
            self.expect("]", "behind a subscript")?;
            if !self.take_sign("[") {
                break;
            }
        }
        let statement = Use {
            array,
            subscripts,
            tensor,
            place,
        };
        Ok(statement.into())
    }

    fn for_loop(&mut self, depth: usize) -> Result<For, NestError> {
        let index = self.name("the index of a loop")?;
        if !self.take_word("in") {
            return self.unexpected(&format!("`in` behind index {index}"));
        }
        let start = self.integer("the first value of the index, a number")?;
        self.expect("..", "between start and bound")?;
        let bound = self.integer("the bound of the index, a number")?;
        let mut statement = For::new(index, start, bound);
        if self.take_word("step") {
            statement.step = self.integer("a step, a number")?;
        }
        self.expect("{", "and the body of the loop")?;
        loop {
            self.separators();
            match self.peek() {
                Token::Sign("}") => break,
                Token::End => return self.unexpected("`}` behind the body of the loop"),
                _ => statement.body.push(self.statement(depth + 1)?),
            }
        }
        self.next();
        Ok(statement)
    }

    fn affine(&mut self) -> Result<Affine, NestError> {
        let negative = self.take_sign("-");
        let mut sum = self.term(if negative { -1 } else { 1 })?;
        loop {
            if self.take_sign("+") {
                sum = sum + self.term(1)?;
            } else if self.take_sign("-") {
                sum = sum + self.term(-1)?;
            } else {
                return Ok(sum);
            }
        }
    }

    /// A product of at most one index and any numbers.
    fn term(&mut self, sign: i64) -> Result<Affine, NestError> {
        let mut product = self.factor()?;
        while self.take_sign("*") {
            let place = self.place();
            let factor = self.factor()?;
            product = match (product.terms.is_empty(), factor.terms.is_empty()) {
                (_, true) => product * factor.constant,
                (true, false) => factor * product.constant,
                (false, false) => {
                    let message = "found a product of two indices, expected number * index";
                    return Err(NestError::new(place, Refusal::Syntax, message));
                }
            };
        }
        Ok(product * sign)
    }

    fn factor(&mut self) -> Result<Affine, NestError> {
        const EXPECTED: &str = "an index or a number";
        match *self.peek() {
            Token::Number(number) => {
                self.next();
                Ok(Affine::from(number))
            }
            _ => Ok(Affine::index(self.name(EXPECTED)?)),
        }
    }
}
