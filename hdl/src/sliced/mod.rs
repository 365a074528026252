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
//! Inside, units are counted by position: packing is towards position 0. Only [`Request`] and
//! [`Reply`] know which unit is position 0, and rows of memories put position 0 on that side.
//!
//! - [`Select`]: number of non-zero units of a word ([`Population`]) and the slices they need,
//! - [`Zeros`] and [`Route`]: how far each non-zero unit moves when a word is packed,
//! - [`Pack`] and [`Unpack`]: move the units there and back,
//! - [`Meet`]: reads of the word that is written,
//! - [`Packed`]: requests of the memories that pack before they access anything,
//! - [`Hold`]: keeps the inputs of packing still,
//! - [`Row`]: the slice that every request accesses first,
//! - [`DataSlice`] and [`DataSlices`]: the slices that a mask names,
//! - [`Restore`]: from mask and packed units to the word.
//!
//! [`SlicedChoice`] and [`SlicedBank`] build what a shape asks for, [`SlicedCounters`] counts accesses.

/// Parts that several memories have.
macro_rules! parts {
    ($first:ident, $($other:ident),+) => {
        parts!($first);
        parts!($($other),+);
    };
    (take_request) => {
        /// The request, as it comes.
        #[kernel]
        fn take_request(&mut self) {
            self.request.wen_i.follow(&self.wen_i);
            self.request.waddr_i.follow(&self.waddr_i);
            self.request.ren_i.follow(&self.ren_i);
            self.request.raddr_i.follow(&self.raddr_i);
            self.request.wdata_i.follow(&self.wdata_i);
        }
    };
    // The row, the slices and the way back to the word.
    (row_and_slices) => {
        /// Every request accesses the row.
        #[kernel]
        fn access_row(&mut self) {
            self.row.wen_i.follow(&self.request.wen_o);
            self.row.waddr_i.follow(&self.request.waddr_o);
            self.row.ren_i.follow(&self.request.ren_o);
            self.row.raddr_i.follow(&self.request.raddr_o);
            self.row.meet_i.follow(&self.request.meet_o);
        }

        /// What the row says is read from the slices.
        #[kernel]
        fn read_slices(&mut self) {
            self.slices.read_i.follow(&self.row.read_o);
            self.slices.raddr_i.follow(&self.row.raddr_o);
            self.slices.meet_i.follow(&self.row.meet_o);
        }

        /// The mask on its way to the word.
        #[kernel]
        fn restore_word(&mut self) {
            comment!("The word");
            self.restore.valid_i.follow(&self.row.read_o);
            self.reply.valid_i.follow(&self.restore.valid_o);
        }
    };
    (reply_word) => {
        /// The word, as it leaves.
        #[kernel]
        fn reply_word(&mut self) {
            self.rvalid_o.follow(&self.reply.rvalid_o);
            self.rdata_o.follow(&self.reply.rdata_o);
            self.rmask_o.follow(&self.reply.rmask_o);
        }
    };
    (first_slice) => {
        /// Slice 0, which holds the mask and is accessed by every request.
        #[kernel]
        fn first_slice(&mut self) {
            self.mask_ren_o = false;
            self.mask_wen_o = false;
            self.slice_ren_o[0].follow(&self.request.ren_o);
            self.slice_wen_o[0].follow(&self.request.wen_o);
            for p in 0..self._first {
                self.lane_wen_o[p] = self.request.wen_o.into();
            }
            self.slices.waddr_i.follow(&self.request.waddr_o);
            for k in 1..self._shape.slices() {
                self.slice_ren_o[k].follow(&self.slices.slice_ren_o[k - 1]);
                self.slice_wen_o[k].follow(&self.slices.slice_wen_o[k - 1]);
            }
            for p in self._first..self._shape.units {
                self.lane_wen_o[p].follow(&self.slices.lane_wen_o[p - self._first]);
            }
        }
    };
    // Ports that go through to the memory in `field`, if there is one.
    (through $field:ident $(, $write:ident, $read:ident)?) => {
        #[kernel]
        fn $field(&mut self) {
            for m in 0..self.$field.len() {
                self.$field[m].wen_i.follow(&self.wen_i);
                self.$field[m].waddr_i.follow(&self.waddr_i);
                self.$field[m].ren_i.follow(&self.ren_i);
                self.$field[m].raddr_i.follow(&self.raddr_i);
                self.rvalid_o.follow(&self.$field[m].rvalid_o);
                self.mask_ren_o.follow(&self.$field[m].mask_ren_o);
                self.mask_wen_o.follow(&self.$field[m].mask_wen_o);
                self.slice_ren_o.follow(&self.$field[m].slice_ren_o);
                self.slice_wen_o.follow(&self.$field[m].slice_wen_o);
                self.rmask_o.follow(&self.$field[m].rmask_o);
                self.lane_wen_o.follow(&self.$field[m].lane_wen_o);
                $(
                    self.$field[m].$write.follow(&self.$write);
                    self.$read.follow(&self.$field[m].$read);
                )?
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
pub use reply::Reply;
pub use request::Request;
pub use restore::Restore;
pub use route::{Route, moves};
pub use row::Row;
pub use select::Select;
pub use shape::{MaskPlace, Network, SlicedShape};
pub use store::Store;
pub use unpack::Unpack;
pub use wait::Wait;
pub use writer::Writer;
pub use zeros::Zeros;
