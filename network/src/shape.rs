//! Shapes of tensors.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Shape of a tensor: channels, height, width, in this order in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Channels.
    pub channels: u32,
    /// Rows.
    pub height: u32,
    /// Columns.
    pub width: u32,
}

impl Shape {
    /// A shape of channels, height, width.
    #[must_use]
    pub const fn of([channels, height, width]: [u32; 3]) -> Shape {
        Shape {
            channels,
            height,
            width,
        }
    }

    /// Channels, height, width.
    #[must_use]
    pub const fn sides(self) -> [u32; 3] {
        [self.channels, self.height, self.width]
    }

    /// Number of elements.
    pub fn elements(self) -> usize {
        self.channels as usize * self.height as usize * self.width as usize
    }

    /// The shape of what is made of two, element by element: a side of 1 stands for any.
    #[must_use]
    pub fn broadcast(self, other: Shape) -> Option<Shape> {
        let mut sides = self.sides();
        for (side, other) in sides.iter_mut().zip(other.sides()) {
            match (*side, other) {
                (one, other) if one == other => {}
                (1, other) => *side = other,
                (_, 1) => {}
                _ => return None,
            }
        }
        Some(Shape::of(sides))
    }

    /// Index of the element at a channel, row and column.
    #[must_use]
    pub fn index(self, [channel, row, column]: [u32; 3]) -> usize {
        let [_, height, width] = self.sides().map(|side| side as usize);
        (channel as usize * height + row as usize) * width + column as usize
    }

    /// The channel, row and column of each element in order.
    pub fn places(self) -> impl Iterator<Item = [u32; 3]> {
        let rows = (0..self.channels).flat_map(move |c| (0..self.height).map(move |y| (c, y)));
        rows.flat_map(move |(c, y)| (0..self.width).map(move |x| [c, y, x]))
    }

    /// Indices of the elements along a dimension, through a place.
    pub fn row(self, axis: Axis, mut place: [u32; 3]) -> impl Iterator<Item = usize> {
        (0..self.sides()[axis.index()]).map(move |along| {
            place[axis.index()] = along;
            self.index(place)
        })
    }

    /// The same with another side.
    #[must_use]
    pub fn with(self, axis: Axis, side: u32) -> Shape {
        let mut sides = self.sides();
        sides[axis.index()] = side;
        Shape::of(sides)
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [channels, height, width] = self.sides();
        write!(f, "{channels} channels of {height} x {width}")
    }
}

/// Zeros around the input, less than the kernel on each side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PaddingFile")]
pub struct Padding {
    /// Rows above.
    #[schemars(range(min = 0, max = 65535))]
    pub top: u32,
    /// Rows below.
    #[schemars(range(min = 0, max = 65535))]
    pub bottom: u32,
    /// Columns on the left.
    #[schemars(range(min = 0, max = 65535))]
    pub left: u32,
    /// Columns on the right.
    #[schemars(range(min = 0, max = 65535))]
    pub right: u32,
}

impl Padding {
    /// Before and behind: height first.
    #[must_use]
    pub fn of([[top, bottom], [left, right]]: [[u32; 2]; 2]) -> Self {
        Self {
            top,
            bottom,
            left,
            right,
        }
    }

    /// The same.
    #[must_use]
    pub fn sides(self) -> [[u32; 2]; 2] {
        [[self.top, self.bottom], [self.left, self.right]]
    }
}

/// A dimension of a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Axis {
    /// Channels.
    Channels,
    /// Rows.
    Height,
    /// Columns.
    Width,
}

impl Axis {
    /// All in order.
    pub const ALL: [Axis; 3] = [Axis::Channels, Axis::Height, Axis::Width];

    /// Its place in the list channels, height, width.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}
