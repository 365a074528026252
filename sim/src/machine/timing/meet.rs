//! What the units accept and what leaves them, for those who look whether a read meets a write.

use super::super::datapath::{Datapath, VectorSlot};
use super::super::meetings::{Access, Client, Meeting, ReadSlot};
use super::Clockwork;

impl Clockwork {
    /// A read of a word that is written in the cycle behind which this is asked.
    pub fn meeting(&mut self, data: &Datapath) -> Option<Meeting> {
        let meetings = self.meetings.as_mut()?;
        for word in &data.leaving {
            meetings.drained(word, self.drain.pc);
        }
        for word in &data.moving {
            meetings.copied(word, self.weights.pc);
        }
        meetings.cycle(&data.memory)
    }

    /// An operand slot is accepted.
    pub(super) fn accept_operands(&mut self, slot: &VectorSlot) {
        let access = Access {
            client: Client::Operands,
            pc: self.stream.pc,
        };
        if let Some(meetings) = &mut self.meetings {
            meetings.accept(ReadSlot {
                access,
                address: slot.address,
                entry: slot.entry,
                rows: slot.rows,
            });
        }
    }

    /// An address of the weight unit is accepted.
    pub(super) fn accept_words(&mut self, client: Client, address: u32, rows: usize) {
        let access = Access {
            client,
            pc: self.weights.pc,
        };
        if let Some(meetings) = &mut self.meetings {
            meetings.accept(ReadSlot {
                access,
                address: address as usize,
                entry: None,
                rows,
            });
        }
    }
}
