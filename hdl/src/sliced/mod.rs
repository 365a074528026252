//! Sparse-aware sliced memory: zero units are neither written nor read (docs/sliced.md).
//!
//! A word is stored as a mask of its non-zero units and as these units, packed towards one end,
//! in data slices; slices that get none are not accessed. Start with [`SlicedShape`], the sizes and
//! options, and [`Sliced`], the memory with a mask slice. [`SlicedField`] and [`SlicedHybrid`] keep
//! the mask in slice 0, [`PlainMemory`] is for comparison.
//!
//! [`Writer`], [`Store`] and [`Restore`] are the three parts of a memory with a mask slice; banks of which one
//! is written at a time share the writer.
//!
//! Inside, units are counted by position: packing is towards position 0. Only [`SlicedRequest`] and
//! [`Reply`] know which unit is position 0, and rows of memories put position 0 on that side.
//!
//! - [`Select`]: number of non-zero units of a word ([`Population`]) and the slices they need,
//! - [`Zeros`] and [`Route`]: how far each non-zero unit moves when a word is packed,
//! - [`Pack`] and [`Unpack`]: move the units there and back,
//! - [`Meet`]: reads, and which of them are of the word that is written,
//! - [`Packed`]: requests of the memories that pack before they access anything,
//! - [`Hold`]: keeps the inputs of packing still,
//! - [`SlicedRow`]: the slice that every request accesses first,
//! - [`DataSlice`] and [`DataSlices`]: the slices that a mask names,
//! - [`Restore`]: from mask and packed units to the word.
//!
//! Ports that go together are bundles: [`MemoryRequest`] and [`MemoryAnswer`] of every memory, [`MaskAccess`] and
//! [`SliceAccess`], which say what is accessed, and those between the parts.
//!
//! [`SlicedChoice`] and [`SlicedBank`] build what a shape asks for, [`SlicedCounters`] counts accesses.

/// What memories with the mask in slice 0 have in common.
macro_rules! mask_in_first_slice {
    () => {
        /// From the request to slice 0, to the slices that it names, to the word.
        #[kernel]
        fn pass_through(&mut self) {
            self.request.ports_i.follow(&self.ports_i);
            self.request.wdata_i.follow(&self.wdata_i);
            self.row.ports_i.follow(&self.request.ports_o);
            for b in 0..usize::from(self._shape.bypass) {
                self.row.meet_i[b].follow(&self.request.meet_o[b]);
            }
            self.slices.ports_i.follow(&self.row.ports_o);
            self.slices.waddr_i.follow(&self.request.ports_o.waddr);
            self.restore.valid_i.follow(&self.row.ports_o.read);
            self.wave_o.follow(&self.reply.ports_o);
        }

        /// The units of slice 0 wait for those of the others.
        #[kernel]
        fn wait_for_slices(&mut self) {
            comment!("The units of slice 0 wait for those of the others");
            self.unit_wait.valid_i.follow(&self.row.ports_o.read);
            for i in 0..self._first {
                let unit = self._shape.place(self._first, i) * UB;
                self.first_unit[i] = 0.into();
                for b in 0..UB {
                    let bit = self.row.bit_o[unit + b].get_bit(0);
                    self.first_unit[i] = self.first_unit[i].replace_bit(b, bit);
                }
                self.unit_wait.unit_i[i].follow(&self.first_unit[i]);
            }
        }

        /// Accesses: every request accesses slice 0, which holds the mask.
        #[kernel]
        fn tell_accesses(&mut self) {
            self.mask_o.tie_low();
            self.ports_o.slice_ren[0].follow(&self.request.ports_o.ren);
            self.ports_o.slice_wen[0].follow(&self.request.ports_o.wen);
            for k in 1..self._shape.slices() {
                self.ports_o.slice_ren[k].follow(&self.slices.ports_o.slice_ren[k - 1]);
                self.ports_o.slice_wen[k].follow(&self.slices.ports_o.slice_wen[k - 1]);
            }
            for p in 0..self._first {
                self.ports_o.lane_wen[p] = self.request.ports_o.wen.into();
            }
            for p in self._first..self._shape.units {
                self.ports_o.lane_wen[p].follow(&self.slices.ports_o.lane_wen[p - self._first]);
            }
        }
    };
}

mod bank;
mod choice;
mod counters;
mod data_slice;
mod data_slices;
mod describe;
mod field;
mod hold;
mod hybrid;
mod meet;
mod memory;
mod pack;
mod packed;
mod plain;
mod population;
mod ports;
mod reply;
mod request;
mod restore;
mod route;
mod row;
mod select;
mod shape;
mod store;
mod unpack;
mod wait;
mod writer;
mod zeros;

pub use bank::SlicedBank;
pub use choice::SlicedChoice;
pub use counters::SlicedCounters;
pub use data_slice::{DataSlice, DataSliceShape};
pub use data_slices::DataSlices;
pub use field::SlicedField;
pub use hold::Hold;
pub use hybrid::SlicedHybrid;
pub use meet::Meet;
pub use memory::Sliced;
pub use pack::Pack;
pub use packed::Packed;
pub use plain::PlainMemory;
pub use population::Population;
pub use ports::*;
pub use reply::Reply;
pub use request::SlicedRequest;
pub use restore::Restore;
pub use route::{Route, moves};
pub use row::SlicedRow;
pub use select::Select;
pub use shape::{MaskPlace, Network, SlicedShape};
pub use store::Store;
pub use unpack::Unpack;
pub use wait::Wait;
pub use writer::Writer;
pub use zeros::Zeros;
