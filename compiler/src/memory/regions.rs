//! Addresses of tensors, weights and matrices.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::ir::Id;
use crate::layout::MatrixPlace;
use crate::product::matrix::IdentityBuild;
use crate::ways::{Helper, other};

/// Addresses of everything.
#[derive(Debug, Default)]
pub(crate) struct Matrices {
    /// Places of the matrices.
    pub items: Vec<MatrixPlace>,
    /// The group of each matrix.
    pub groups: Vec<usize>,
    pub helpers: BTreeMap<(Helper, usize), MatrixPlace>,
    /// Elements of the helpers that the host writes.
    pub written: Vec<(MatrixPlace, Vec<i8>)>,
}

impl Matrices {
    /// The constant for the transpose of a matrix.
    pub fn helper(&self, helper: Helper, source: Id) -> MatrixPlace {
        self.helpers[&(helper, other(self.groups[source]))]
    }

    /// The constants that transposes need.
    pub fn constants(&self) -> impl Iterator<Item = &MatrixPlace> {
        self.helpers.values()
    }

    /// The identities that the program builds.
    pub fn builds(&self, tile: u16) -> Vec<IdentityBuild> {
        let ones = self
            .helpers
            .iter()
            .filter(|((kind, _), _)| *kind == Helper::One);
        let builds = ones.map(|((_, group), constants)| IdentityBuild {
            identity: self.helpers[&(Helper::Identity, *group)],
            constants: constants.base,
            scratch: self.helpers[&(Helper::Scratch, *group)].base,
            tile,
        });
        builds.collect()
    }
}

/// Addresses of tensors and weights.
#[derive(Debug)]
pub(super) struct Regions {
    /// Addresses of the tensors of planes.
    pub tensors: Vec<u32>,
    /// Address of the weights of each part of the layers of planes.
    pub weights: Vec<u32>,
    pub zeros: Vec<Range<u32>>,
    pub halos: Vec<Vec<u32>>,
    pub matrices: Matrices,
}
