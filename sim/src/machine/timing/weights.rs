//! The weight unit: which word is taken in which cycle, and when a tile is swapped in.

use std::rc::Rc;

use heddle_arch::isa::{ROW_TENSOR, Record};

use super::super::datapath::Datapath;
use super::super::meetings::Client;
use super::super::walk::{Step, Walk};
use super::units::MOST_WORDS;
use super::{Clockwork, Trap};

impl Clockwork {
    pub(super) fn weight_issue(&mut self) -> Result<Option<(u32, Step)>, Trap> {
        let Some(step) = self.weights.valid(self.now) else {
            return Ok(None);
        };
        let (limit, work) = (self.params.partition_bytes(), self.params.work_bytes());
        let address = match self.copies.is_current() {
            true => step.address,
            false => step.address ^ self.loading.flip,
        };
        self.weights
            .check_address(step.address, limit, "weight address")?;
        self.weights
            .check_address(address, work, "weight address")?;
        if self.copies.is_current() {
            return Ok(Some((step.address / self.params.bank_bytes(), step)));
        }
        let free = !self.shadow_full && self.now >= self.weights_from;
        let ready = match (&self.loading.streamed, self.loading.before) {
            (None, _) => free,
            (Some(_), Some(_)) => true,
            (Some(_), None) => free && self.stalls(),
        };
        if !ready {
            return Ok(None);
        }
        Ok(Some((address / self.params.bank_bytes(), step)))
    }

    /// A vector waits for its weights, and for nothing else.
    pub(super) fn stalls(&self) -> bool {
        let step = self.stream.valid(self.now);
        let waits = step.is_some_and(|step| step.row == ROW_TENSOR && !self.waits_for_sums(&step));
        waits && self.streaming.tile_begins && !self.armed
    }

    pub(super) fn take_weights(&mut self, data: &mut Datapath, step: &Step) {
        let loading = &mut self.loading;
        let address = step.address ^ loading.flip;
        let tile_end = step.inner_final(loading.level);
        if loading.streamed.is_some() {
            if loading.before.is_none() {
                data.keep_shadow();
            }
            let tile_begins = loading.before.is_none_or(|ended| ended);
            self.now_or_lost = tile_begins && step.row == 0;
            if self.now_or_lost {
                loading.ready = loading.taken;
                self.shadow_full = true;
            }
            loading.before = Some(tile_end);
            loading.taken += 1;
        } else {
            self.shadow_full = tile_end;
        }
        let rows = loading.rows;
        data.shift_weights(address as usize, rows);
        self.accept_words(Client::Weights, address, rows);
        self.weights.accept();
        self.progress = true;
    }

    /// The addresses of all words of a record.
    pub(super) fn weight_words(&self, record: &Record, flip: u32) -> Rc<[usize]> {
        let mut words = Vec::new();
        let params = &self.params;
        let mut walk = Walk::start(record, params);
        while let Some(at) = &mut walk {
            let address = at.step().address;
            // A word beyond the partition or in an input bank is never taken; a loop may never end.
            let taken = address < params.partition_bytes()
                && address ^ flip < params.work_bytes()
                && words.len() < MOST_WORDS;
            if taken {
                words.push((address ^ flip) as usize);
            }
            if !taken || !at.advance() {
                break;
            }
        }
        words.into()
    }

    pub(super) fn swap(&mut self, data: &mut Datapath) {
        let loading = &self.loading;
        match &loading.streamed {
            Some(words) if loading.taken > 0 => {
                data.swap_streamed(words, loading.ready, loading.rows);
            }
            _ => data.swap_weights(),
        }
        self.swapped = true;
        self.armed = true;
        self.shadow_full = false;
        self.weights_from = self.now + self.clocks.swap;
    }
}
