//! Whether an image is for a machine.

use super::{Image, ImageError};
use crate::params::Params;
use crate::registers::{caps, config, shape};
use crate::transfer::BadField;

impl Image {
    /// Whether a machine is the one that the image was made for.
    ///
    /// # Errors
    /// Field, value, and what the machine has.
    pub fn check_machine(&self, params: &Params) -> Result<(), ImageError> {
        let all = caps::PROGRAM_BANKS.up_to(caps::CLUSTER).mask()
            | caps::DMA.up_to(caps::PROGRAM_DMA).mask();
        let has = caps::REGISTER.reset(params) & all;
        let [rows, columns] = self.shape;
        let size = shape::ROWS.put(rows) | shape::COLUMNS.put(columns);
        let [hash, sides] = [config::REGISTER, shape::REGISTER].map(|one| one.reset(params));
        let name = &params.name;
        for (field, value, expected, holds) in [
            (
                "shape",
                size,
                format!("{sides}, SHAPE of {name}"),
                size == sides,
            ),
            (
                "config",
                self.config,
                format!("{hash}, CONFIG of {name}"),
                self.config == hash,
            ),
            (
                "caps",
                self.caps,
                format!("bits that {name} has, of {has}"),
                self.caps & !has == 0,
            ),
        ] {
            let fault = BadField::unless(holds, field, value, expected);
            fault.map_err(|fault| ImageError::Field {
                place: "header".to_string(),
                fault,
            })?;
        }
        Ok(())
    }
}
