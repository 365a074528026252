//! What a machine allows the values of a program file to be.

use heddle_arch::host::ColumnScale;
use heddle_arch::params::Params;
use heddle_arch::requantise::{DualScale, Scale};
use heddle_arch::word::WORD_BYTES;
use heddle_network::{Matrices, NAME, Network, is_name};

use super::error::FileError;
use super::form::{ColumnFile, MatricesFile, TensorFile};
use crate::emit::ColumnParam;
use crate::layout::{MatrixPlace, MatrixShape, MatrixTensor, PixelOrder, TensorPlan};

/// What a machine allows.
pub(super) struct Limit<'a> {
    pub params: &'a Params,
}

impl Limit<'_> {
    pub fn below(&self, field: &str, found: u64, limit: u64) -> Result<(), FileError> {
        match found < limit {
            true => Ok(()),
            false => Err(FileError::Value {
                field: field.to_string(),
                found: found.to_string(),
                expected: format!("less than {limit}"),
            }),
        }
    }

    pub fn equal(&self, field: &str, found: u64, expected: u64) -> Result<(), FileError> {
        match found == expected {
            true => Ok(()),
            false => Err(FileError::Value {
                field: field.to_string(),
                found: found.to_string(),
                expected: expected.to_string(),
            }),
        }
    }

    /// A name goes to the terminal.
    pub fn name(&self, field: &str, found: &str) -> Result<(), FileError> {
        match is_name(found) {
            true => Ok(()),
            false => Err(FileError::Value {
                field: field.to_string(),
                found: format!("{found:?}"),
                expected: NAME.to_string(),
            }),
        }
    }

    /// A sentence goes there as well.
    pub fn text(&self, field: &str, found: &str) -> Result<(), FileError> {
        let letters: Vec<char> = found.chars().collect();
        let mut pieces = letters.chunks(64).map(String::from_iter);
        match letters.len() <= 1024 {
            true => pieces.try_for_each(|piece| self.name(field, &piece)),
            false => self.below(field, letters.len() as u64, 1025),
        }
    }

    /// Words of a partition, those of the program excepted.
    pub fn words(&self) -> u64 {
        u64::from(self.params.bank_bytes()) * u64::from(self.params.operand_banks())
            / u64::from(WORD_BYTES)
    }

    /// One that the host alone has may have no place.
    pub fn tensor(&self, tensor: &TensorPlan, is_of_host: bool) -> Result<(), FileError> {
        self.name("tensors.name", &tensor.name)?;
        let place = |what: &str| format!("tensor {}: {what}", tensor.name);
        let shape = tensor.shape;
        for side in [shape.channels, shape.height, shape.width] {
            self.below(
                &place("shape"),
                u64::from(side).wrapping_sub(1),
                Network::SIZE_MAX.into(),
            )?;
        }
        if tensor.matrices.is_some() || is_of_host && tensor.planes.is_empty() {
            return Ok(());
        }
        let rows = self.params.array.rows;
        self.below(
            &place("planes"),
            tensor.planes.len() as u64,
            u64::from(rows) + 1,
        )?;
        let lanes = tensor.planes.len() as u32;
        let apart = tensor.order.planes_of_group();
        self.equal(
            &place("number of partitions modulo the phases"),
            u64::from(lanes % apart),
            0,
        )?;
        let [down, right] = tensor.order.steps();
        // Numbers behind the channels have planes as well where phases lie apart.
        let channels = match tensor.order {
            PixelOrder::Plain => shape.channels,
            _ => shape.channels.next_multiple_of(lanes.max(1)),
        };
        let mut most = 0;
        // A pixel of each phase.
        let mut held = vec![[false; 4]; shape.channels as usize];
        for (partition, planes) in (0..).zip(&tensor.planes) {
            most = most.max(planes.len() as u64);
            for (plane, &channel) in (0..).zip(planes) {
                self.below(&place("channel"), channel.into(), channels.into())?;
                let Some(held) = held.get_mut(channel as usize) else {
                    continue;
                };
                for (at, held) in (0..).zip(held) {
                    let (y, x) = (at / 2 % down, at % 2 % right);
                    let columns = tensor.order.columns(y, partition, plane, lanes);
                    *held |= columns.is_some_and(|[first, step]| x % step == first);
                }
            }
        }
        let missing = held.iter().position(|held| held.contains(&false));
        self.equal(
            &place("channels in partitions"),
            missing.unwrap_or(held.len()) as u64,
            held.len() as u64,
        )?;
        let [height, width] = tensor.order.plane_size([shape.height, shape.width]);
        let last = u64::from(tensor.origin)
            + most.saturating_sub(1) * u64::from(tensor.plane_stride)
            + u64::from(height - 1) * u64::from(tensor.pitch)
            + u64::from(width.next_multiple_of(WORD_BYTES));
        self.below(
            &place("end"),
            last,
            u64::from(WORD_BYTES) * self.words() + 1,
        )?;
        let modulo = |field: &str| place(&format!("{field} modulo {WORD_BYTES}"));
        self.equal(&modulo("origin"), u64::from(tensor.origin % WORD_BYTES), 0)?;
        self.equal(&modulo("pitch"), u64::from(tensor.pitch % WORD_BYTES), 0)?;
        self.equal(
            &modulo("plane_stride"),
            u64::from(tensor.plane_stride % WORD_BYTES),
            0,
        )
    }

    /// The matrices of a tensor, all of which lie in the partitions.
    pub fn matrices(
        &self,
        tensor: &TensorFile,
        file: &MatricesFile,
    ) -> Result<MatrixTensor, FileError> {
        let at = |what: &str| format!("tensor {}: matrices.{what}", tensor.name);
        let [rows, cols] = file.shape;
        let most = Network::ELEMENTS_MAX as u64;
        for side in [rows, cols] {
            self.below(&at("shape"), u64::from(side).wrapping_sub(1), most)?;
        }
        let elements = tensor
            .shape
            .iter()
            .try_fold(1u64, |product, &side| product.checked_mul(u64::from(side)));
        let elements = elements.unwrap_or(u64::MAX);
        let count = file.bases.len() as u64;
        let found = (u64::from(rows) * u64::from(cols)).saturating_mul(count);
        self.equal(&at("elements"), found, elements)?;
        let shape = match file.turned {
            true => MatrixShape {
                rows: cols,
                cols: rows,
            },
            false => MatrixShape { rows, cols },
        };
        // Whatever lies in a partition has addresses of 32 bits.
        let size = u64::from(shape.rows.div_ceil(self.params.array.rows))
            * u64::from(shape.cols)
            * u64::from(self.params.weight_words());
        self.below(&at("shape"), size, 1 << 26)?;
        let mut places = Vec::new();
        for &base in &file.bases {
            self.below(
                &at("bases"),
                base.into(),
                u64::from(WORD_BYTES) * self.words(),
            )?;
            let place = MatrixPlace::new(shape, base, self.params);
            self.equal(&at("bases"), base.into(), place.base.into())?;
            self.below(
                &at("end"),
                place.end().into(),
                u64::from(WORD_BYTES) * self.words() + 1,
            )?;
            places.push(place);
        }
        Ok(MatrixTensor {
            matrices: Matrices {
                count: count as u32,
                rows,
                cols,
            },
            turned: file.turned,
            places,
        })
    }

    pub fn column(&self, column: ColumnFile) -> Result<ColumnParam, FileError> {
        let params = self.params;
        self.below(
            "columns.column",
            column.column.into(),
            params.array.cols.into(),
        )?;
        self.below(
            "columns.tile",
            column.tile.into(),
            params.column_tiles.into(),
        )?;
        let scale = match column.factors {
            None => Scale::new(column.multiplier, column.shift).map(ColumnScale::Single),
            Some(factors) => {
                // A shift below 0 is none.
                let shift = u32::try_from(column.shift).unwrap_or(0);
                DualScale::new(factors, shift).map(ColumnScale::Dual)
            }
        };
        let scale = scale.map_err(|fault| FileError::Value {
            field: format!("columns.{}", fault.field),
            found: format!("{} with shift {}", column.multiplier, column.shift),
            expected: fault.message,
        })?;
        let post = &params.post;
        let refused = |field: &str, found: String, expected: &str| FileError::Value {
            field: format!("columns.{field}"),
            found,
            expected: expected.to_string(),
        };
        match scale {
            ColumnScale::Single(_) if column.shift > 0 && !post.left_shift => {
                let found = column.shift.to_string();
                return Err(refused("shift", found, "at most 0 without post.left_shift"));
            }
            ColumnScale::Dual(dual) if !post.dual_scale => {
                let found = format!("{:?}", dual.factors());
                return Err(refused("factors", found, "none without post.dual_scale"));
            }
            _ => {}
        }
        Ok(ColumnParam {
            column: column.column,
            tile: column.tile,
            bias: column.bias,
            scale,
        })
    }
}
