//! Constants that transposes need.

use heddle_arch::params::Params;

use crate::ir::{MatrixWork, Operation};
use crate::layout::{MatrixPlace, MatrixShape};
use crate::options::{IdentitySource, MatrixOptions};
use crate::product::matrix::{DrainForm, WideTranspose};

/// A constant that transposes need in a group of banks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Helper {
    /// The identity, streamed.
    Identity,
    /// A word with a 1, of which the identity is built.
    One,
    /// Words of ones on the way to the identity.
    Scratch,
    /// The identity, loaded.
    Loaded,
    /// The spread identity for elements of so many bytes.
    Spread(u32),
}

/// The group of the constants for what lies in a group.
pub(crate) fn other(group: usize) -> usize {
    usize::from(group == 0)
}

/// What the constants of a group need.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'p> {
    pub options: MatrixOptions,
    pub params: &'p Params,
}

impl Wanted<'_> {
    /// The last column tile of the machine, if transposes use it: pauses between their sums and drains are made of those before it.
    pub fn last_tile(&self) -> Option<u16> {
        match self.options.form {
            DrainForm::Direct | DrainForm::All => None,
            DrainForm::Row | DrainForm::Part => Some((self.params.column_tiles - 1) as u16),
        }
    }

    pub fn place(&self, helper: Helper, base: u32) -> MatrixPlace {
        let params = self.params;
        let rows = params.array.rows;
        let square = MatrixShape { rows, cols: rows };
        let row = MatrixShape {
            rows: 1,
            cols: params.array.cols,
        };
        match helper {
            Helper::Identity => MatrixPlace::streamed(square, base, params),
            Helper::Loaded => MatrixPlace::new(square, base, params),
            Helper::One | Helper::Scratch => MatrixPlace::new(row, base, params),
            Helper::Spread(bytes) => {
                MatrixPlace::streamed(WideTranspose::spread(bytes, params), base, params)
            }
        }
    }

    /// What the host writes of it.
    pub fn content(&self, helper: Helper) -> Option<Vec<i8>> {
        let MatrixShape { rows, cols } = self.place(helper, 0).shape;
        let ones = |one: &dyn Fn(u32, u32) -> bool| {
            let places = (0..rows).flat_map(|row| (0..cols).map(move |col| (row, col)));
            Some(places.map(|(row, col)| i8::from(one(row, col))).collect())
        };
        let built = self.options.identity == IdentitySource::Built;
        match helper {
            Helper::Identity if built => None,
            Helper::Scratch => None,
            Helper::Identity | Helper::Loaded | Helper::One => ones(&|row, col| row == col),
            Helper::Spread(bytes) => ones(&|row, col| col == bytes * row + bytes - 1),
        }
    }
}

/// The constants that the operations need, with their groups.
pub(crate) fn helpers(lowered: &MatrixWork, groups: &[usize], built: bool) -> Vec<(Helper, usize)> {
    let mut needed = Vec::new();
    for operation in lowered.all_operations() {
        match operation {
            Operation::Product { .. } => {}
            Operation::Transpose { source, .. } => {
                let group = other(groups[*source]);
                needed.push((Helper::Identity, group));
                if built {
                    needed.extend([(Helper::One, group), (Helper::Scratch, group)]);
                }
            }
            Operation::Wide { source, planes, .. } => {
                needed.push((Helper::Loaded, other(groups[*source])));
                let spread = Helper::Spread(planes.len() as u32);
                let planes = planes.iter();
                needed.extend(planes.map(|&plane| (spread, other(groups[plane]))));
            }
        }
    }
    needed.sort_unstable();
    needed.dedup();
    needed
}
