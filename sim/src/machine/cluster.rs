//! The sparse cluster as an engine of the machine: what stands between it, the program, the operand wave and the host.

use heddle_arch::isa::sparse::SparseError;
use heddle_arch::params::Params;

use crate::delay::DelayLine;
use crate::sparse::{ClusterInputs, ClusterModel, Counts, OutQueue};

/// Words of commands in the queue up to which a whole command finds room.
const COMMAND_ROOM: usize = 48;
/// Cycles in which the cluster takes any word of the host that it ever takes.
const PATIENCE: usize = 1 << 20;

/// The cluster, the queue of its commands and that of its slots.
#[derive(Debug, Clone)]
pub(crate) struct Engine {
    cluster: ClusterModel,
    commands: OutQueue,
    /// Words that were given and that the cluster has not taken.
    held: usize,
    slots: OutQueue<Vec<u8>>,
    /// Slots on the operand wave: from the stream unit to the queue.
    wave: DelayLine<Option<Vec<u8>>>,
    /// Slots that are on their way to the queue or in its memory.
    sent: usize,
    places: usize,
    /// The cluster has something under way, a cycle later.
    busy: bool,
}

/// What the cluster has done in a cycle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Done {
    /// Something happened in the cycle before.
    pub event: bool,
    pub error: Option<SparseError>,
    /// The word of weights was taken.
    weight: bool,
}

impl Engine {
    pub fn of(params: &Params) -> Option<Self> {
        let rows = params.array.rows as usize;
        params.has_cluster().then(|| Self {
            cluster: ClusterModel::engine(params),
            commands: OutQueue::default(),
            held: 0,
            slots: OutQueue::default(),
            wave: DelayLine::new(rows + 9),
            sent: 0,
            places: (rows + 13).next_power_of_two(),
            busy: false,
        })
    }

    /// There is room for a command.
    pub fn takes_command(&self) -> bool {
        self.held < COMMAND_ROOM
    }

    /// There is room for a slot.
    pub fn takes_slot(&self) -> bool {
        self.sent < self.places
    }

    pub fn is_busy(&self) -> bool {
        self.busy
    }

    /// Sums that meet their drain address in this cycle.
    pub fn leaving(&self) -> Option<&[i32]> {
        self.cluster.leaving()
    }

    pub fn set_bias(&mut self, tile: usize, lane: usize, bias: i32) {
        self.cluster.set_bias(tile, lane, bias);
    }

    pub fn counts(&self) -> Counts {
        self.cluster.counts
    }

    /// One clock cycle: the program gives a word of a command, the stream unit a slot, a byte for each row, the host a word of weights.
    pub fn step(&mut self, word: Option<u32>, slot: Option<Vec<u8>>, weight: Option<u64>) -> Done {
        let command = self.commands.front().map(|(word, _)| word as u32);
        let inputs = ClusterInputs {
            command,
            weight,
            out_ready: true,
            ..ClusterInputs::default()
        };
        let front = self.slots.front().map(|(slot, _)| slot);
        let outputs = self.cluster.step_with(&inputs, front);
        self.busy = !outputs.idle || !self.commands.is_empty() || self.has_slots();
        let is_taken = command.is_some() && outputs.command_ready;
        self.held = self.held + usize::from(word.is_some()) - usize::from(is_taken);
        let word = word.map(|word| (vec![word.into()], false));
        self.commands.step(outputs.command_ready, word);

        self.sent += usize::from(slot.is_some());
        let come = self.wave.shift(slot).map(|slot| (vec![slot], false));
        let stored = self.slots.stored() + usize::from(come.is_some());
        self.slots.step(outputs.map_ready, come);
        self.sent -= stored - self.slots.stored();
        Done {
            event: outputs.event,
            error: outputs.error,
            weight: weight.is_some() && outputs.weight_ready,
        }
    }

    /// A slot is in the queue or on its way there.
    fn has_slots(&self) -> bool {
        !self.slots.is_empty() || self.sent > self.slots.stored()
    }

    /// The host writes a word of a command; false if the cluster takes none any more.
    pub fn write_command(&mut self, word: u32) -> bool {
        let mut error = self.step(Some(word), None, None).error;
        for _ in 0..PATIENCE {
            if self.takes_command() || error.is_some() {
                break;
            }
            error = self.step(None, None, None).error;
        }
        error.is_none()
    }

    /// The host writes a word of weights; false if the cluster does not take it.
    pub fn write_weights(&mut self, word: u64) -> bool {
        (0..PATIENCE).any(|_| self.step(None, None, Some(word)).weight)
    }

    /// The host waits until nothing is under way; false if it waits in vain.
    pub fn settle(&mut self) -> bool {
        (0..PATIENCE).any(|_| {
            self.step(None, None, None);
            !self.busy
        })
    }
}
