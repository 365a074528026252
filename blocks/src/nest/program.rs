//! Arrays, loops and uses: what a nest consists of, and how to build one in Rust.

use super::affine::Affine;
use super::fault::{NestError, Place};
use super::plan::Plan;
use super::{parse, plan};
use heddle_arch::traverse::UnitShape;

/// Largest magnitude of a number in a nest: 2^32.
pub const NUMBER_MAX: u64 = 1 << 32;

/// A sequence of loops over arrays.
#[derive(Debug, Clone, Default)]
pub struct Nest {
    pub(crate) arrays: Vec<Array>,
    pub(crate) body: Vec<Statement>,
}

impl Nest {
    /// An empty sequence.
    #[must_use]
    pub fn new() -> Nest {
        Nest::default()
    }

    /// Reads the text form of `docs/nests.md`.
    ///
    /// # Errors
    /// The first place at which the text leaves the grammar.
    pub fn parse(text: &str) -> Result<Nest, NestError> {
        parse::parse(text)
    }

    /// Declares an array. Arrays of a nest that declares none are placed from their uses.
    #[must_use]
    pub fn array(mut self, array: Array) -> Nest {
        self.arrays.push(array);
        self
    }

    /// Appends a loop or a use.
    #[must_use]
    pub fn then(mut self, statement: impl Into<Statement>) -> Nest {
        self.body.push(statement.into());
        self
    }

    /// The rows that walk this nest on a unit.
    ///
    /// # Errors
    /// The first reason why the unit cannot walk it.
    pub fn compile(&self, unit: &UnitShape) -> Result<Plan, NestError> {
        plan::compile(self, unit)
    }
}

/// An array: elements of equal size in any order in memory.
#[derive(Debug, Clone)]
pub struct Array {
    pub(crate) name: String,
    pub(crate) sizes: Vec<u64>,
    pub(crate) element_bytes: u64,
    pub(crate) base: Option<u64>,
    pub(crate) displacement: u64,
    pub(crate) layout: ArrayLayout,
    pub(crate) place: Option<Place>,
}

/// Where the elements of an array lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ArrayLayout {
    /// Packed; dimensions from the outermost in memory to the innermost.
    Order(Vec<usize>),
    /// Distance of neighbours along each dimension, bytes.
    Pitches(Vec<u64>),
}

impl Array {
    /// A packed row-major array of elements of one byte, without a fixed address.
    pub fn new(name: impl Into<String>, sizes: impl IntoIterator<Item = u64>) -> Array {
        let sizes: Vec<u64> = sizes.into_iter().collect();
        Array {
            name: name.into(),
            element_bytes: 1,
            base: None,
            displacement: 0,
            layout: ArrayLayout::Order((0..sizes.len()).collect()),
            sizes,
            place: None,
        }
    }

    /// Size of an element in bytes.
    #[must_use]
    pub fn element_bytes(mut self, bytes: u64) -> Array {
        self.element_bytes = bytes;
        self
    }

    /// Base address.
    #[must_use]
    pub fn at(mut self, base: u64) -> Array {
        self.base = Some(base);
        self
    }

    /// Distance of the first element from the base, bytes: it goes into an initial value and not
    /// into the base (TTU-019).
    #[must_use]
    pub fn displaced(mut self, bytes: u64) -> Array {
        self.displacement = bytes;
        self
    }

    /// Packed in another order: all dimensions, counted from 0, the outermost in memory first.
    #[must_use]
    pub fn order(mut self, dimensions: impl IntoIterator<Item = usize>) -> Array {
        self.layout = ArrayLayout::Order(dimensions.into_iter().collect());
        self
    }

    /// Distance of neighbours along each dimension, bytes.
    #[must_use]
    pub fn pitches(mut self, bytes: impl IntoIterator<Item = u64>) -> Array {
        self.layout = ArrayLayout::Pitches(bytes.into_iter().collect());
        self
    }
}

/// A loop or the use of an array.
#[derive(Debug, Clone)]
pub enum Statement {
    /// A loop.
    For(For),
    /// The use of an array.
    Use(Use),
}

impl From<For> for Statement {
    fn from(statement: For) -> Statement {
        Statement::For(statement)
    }
}

impl From<Use> for Statement {
    fn from(statement: Use) -> Statement {
        Statement::Use(statement)
    }
}

/// A loop: the index starts at `start` and moves by `step` as long as it has not reached `bound`.
#[derive(Debug, Clone)]
pub struct For {
    pub(crate) index: String,
    pub(crate) start: i64,
    pub(crate) bound: i64,
    pub(crate) step: i64,
    pub(crate) body: Vec<Statement>,
    pub(crate) tensor: bool,
    pub(crate) place: Option<Place>,
}

impl For {
    /// A loop in steps of 1.
    pub fn new(index: impl Into<String>, start: i64, bound: i64) -> For {
        For {
            index: index.into(),
            start,
            bound,
            step: 1,
            body: Vec::new(),
            tensor: false,
            place: None,
        }
    }

    /// Another step; negative ones count down.
    #[must_use]
    pub fn step(mut self, step: i64) -> For {
        self.step = step;
        self
    }

    /// Appends a loop or a use to the body.
    #[must_use]
    pub fn then(mut self, statement: impl Into<Statement>) -> For {
        self.body.push(statement.into());
        self
    }

    /// Makes this the main nest, whatever its depth.
    #[must_use]
    pub fn tensor(mut self) -> For {
        self.tensor = true;
        self
    }
}

/// The use of an element of an array.
#[derive(Debug, Clone)]
pub struct Use {
    pub(crate) array: String,
    pub(crate) subscripts: Vec<Affine>,
    pub(crate) tensor: bool,
    pub(crate) place: Option<Place>,
}

impl Use {
    /// An element.
    pub fn new<S: Into<Affine>>(
        array: impl Into<String>,
        subscripts: impl IntoIterator<Item = S>,
    ) -> Use {
        Use {
            array: array.into(),
            subscripts: subscripts.into_iter().map(Into::into).collect(),
            tensor: false,
            place: None,
        }
    }

    /// Makes this the main nest, whatever its depth.
    #[must_use]
    pub fn tensor(mut self) -> Use {
        self.tensor = true;
        self
    }
}

impl Statement {
    pub(crate) fn place(&self) -> Option<Place> {
        match self {
            Statement::For(inner) => inner.place,
            Statement::Use(inner) => inner.place,
        }
    }

    /// Largest number of loops around a use.
    pub(crate) fn depth(&self) -> usize {
        match self {
            Statement::For(outer) => 1 + outer.body.iter().map(Statement::depth).max().unwrap_or(0),
            Statement::Use(_) => 0,
        }
    }

    /// It or a statement in it is marked as the tensor.
    pub(crate) fn has_tensor(&self) -> bool {
        match self {
            Statement::For(outer) => outer.tensor || outer.body.iter().any(Statement::has_tensor),
            Statement::Use(inner) => inner.tensor,
        }
    }
}
