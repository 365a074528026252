//! An interconnect.

use crate::sparse::net::{EntryNetwork, NetworkKind, ports};
use crate::sparse::waves::RouteWord;
use heddle_kernel::prelude::*;

/// Brings lists of memories, or of units, to units and memories. A word says by its bit whether it is for the unit of the port where it
/// arrives or for the memory; one for what is not there is dropped.
///
/// # Timing
/// As in [`EntryNetwork`].
#[module(name = "sparse_interconnect")]
pub struct Interconnect {
    /// A word of a route.
    pub route_i: RouteWord<In>,
    /// It is taken.
    pub route_ready_o: Signal<Out, Bit>,
    /// There is a word of a list.
    pub valid_i: [Signal<In, Bit>; sources],
    /// It is taken.
    pub ready_o: [Signal<Out, Bit>; sources],
    /// The word.
    pub word_i: [[Signal<In, Bits<9>>; 4]; sources],
    /// There is a word for a unit.
    pub unit_valid_o: [Signal<Out, Bit>; units],
    /// It is taken.
    pub unit_ready_i: [Signal<In, Bit>; units],
    /// The word.
    pub unit_word_o: [[Signal<Out, Bits<9>>; 4]; units],
    /// There is a word for a memory.
    pub memory_valid_o: [Signal<Out, Bit>; memories],
    /// It is taken.
    pub memory_ready_i: [Signal<In, Bit>; memories],
    /// The word.
    pub memory_word_o: [[Signal<Out, Bits<9>>; 4]; memories],
    /// Event: a word is dropped.
    pub stray_o: Signal<Out, Bit>,
    /// Words that have been taken.
    pub transfers_o: Signal<Out, Bits<32>>,
    #[new(EntryNetwork::new(ports, kind))]
    network: EntryNetwork,
    /// What arrives is for the memory.
    stored: [Signal<Local, Bit>; ports],
    /// Words are dropped at the ports below.
    stray: [Signal<Local, Bit>; ports + 1],
    /// Streams that enter.
    _sources: Param<'n'>,
    /// Memories.
    _memories: Param<'m'>,
    /// Units, at most as many.
    _units: Param<'u'>,
    #[argument]
    _kind: NetworkKind,
    /// It is a Benes network, else a switch to the next port.
    #[new(usize::from(kind == NetworkKind::Benes))]
    _benes: Param<'b'>,
    #[new(ports(memories, kind))]
    _ports: usize,
}

#[kernel]
impl Interconnect {
    fn update(&mut self) {
        self.network.route_i.follow(&self.route_i);
        self.route_ready_o = self.network.route_ready_o;
        self.transfers_o = self.network.transfers_o;
        for i in 0..self._sources {
            self.network.valid_i[i] = self.valid_i[i];
            self.network.word_i[i].follow(&self.word_i[i]);
            self.ready_o[i] = self.network.ready_o[i];
        }
        for i in self._sources..self._ports {
            self.network.valid_i[i] = false;
            for k in 0..4 {
                self.network.word_i[i][k] = 0.into();
            }
        }
        self.leave();
    }

    fn leave(&mut self) {
        self.stray[0] = false;
        for i in 0..self._ports {
            self.stored[i] = self.network.word_o[i][3].get_bit(8);
            if i < self._units {
                self.network.ready_i[i] =
                    mux(self.stored[i], self.memory_ready_i[i], self.unit_ready_i[i]);
                self.stray[i + 1] = self.stray[i];
            } else if i < self._memories {
                self.network.ready_i[i] = !self.stored[i] | self.memory_ready_i[i];
                self.stray[i + 1] = self.stray[i] | (self.network.valid_o[i] & !self.stored[i]);
            } else {
                self.network.ready_i[i] = true;
                self.stray[i + 1] = self.stray[i] | self.network.valid_o[i];
            }
        }
        self.stray_o = self.stray[self._ports];
        for i in 0..self._units {
            self.unit_valid_o[i] = self.network.valid_o[i] & !self.stored[i];
            self.unit_word_o[i].follow(&self.network.word_o[i]);
        }
        for i in 0..self._memories {
            self.memory_valid_o[i] = self.network.valid_o[i] & self.stored[i];
            self.memory_word_o[i].follow(&self.network.word_o[i]);
        }
    }
}
