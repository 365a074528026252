//! A network and the bits of its switches.

use super::{Benes, Switch};
use crate::sparse::waves::RouteWord;
use heddle_kernel::prelude::*;

/// Which network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NetworkKind {
    /// To the same port or to the next one.
    Switch,
    /// To any port.
    Benes,
}

/// Ports of a network of so many streams. A Benes network has idle ones if they are no power of two.
pub fn ports(streams: usize, kind: NetworkKind) -> usize {
    match kind {
        NetworkKind::Switch => streams.max(2),
        NetworkKind::Benes => streams.max(2).next_power_of_two(),
    }
}

/// Switches of a network of so many ports.
pub const fn route_bits(ports: usize, kind: NetworkKind) -> usize {
    match kind {
        NetworkKind::Switch => ports - 1,
        NetworkKind::Benes => (2 * ports.ilog2() as usize - 1) * (ports / 2),
    }
}

/// Brings lists from port to port. A new route waits until the lists that are under way have arrived, and no list begins before the
/// last word of the route is written: each list arrives whole, at one port.
///
/// After a reset each list goes to the port of its own number.
///
/// # Timing
/// A word of a route in cycle T, taken if `route_ready_o` is high, is in use from T+1 on. Lists as in [`Benes`] and [`Switch`]; their words are
/// counted two cycles after they were taken.
#[module(name = "sparse_network")]
pub struct EntryNetwork {
    /// A word of a route.
    pub route_i: RouteWord<In>,
    /// It is taken.
    pub route_ready_o: Signal<Out, Bit>,
    /// There is a word of a list.
    pub valid_i: [Signal<In, Bit>; ports],
    /// It is taken.
    pub ready_o: [Signal<Out, Bit>; ports],
    /// The word.
    pub word_i: [[Signal<In, Bits<9>>; 4]; ports],
    /// There is a word.
    pub valid_o: [Signal<Out, Bit>; ports],
    /// It is taken.
    pub ready_i: [Signal<In, Bit>; ports],
    /// The word.
    pub word_o: [[Signal<Out, Bits<9>>; 4]; ports],
    /// Words that have been taken, of all ports.
    pub transfers: OutReg<Bits<32>>,
    #[new(Benes::new(ports))]
    benes: [Benes; benes],
    #[new(Switch::new(ports))]
    switch: [Switch; 1 - benes],
    /// Switches that are crossed.
    cross: [RegEn<Bit>; bits],
    /// More words of a route follow.
    more: RegEn<Bit>,
    /// A list of a port is under way.
    list: [RegEn<Bit>; ports],
    /// Lists of the ports below are under way.
    lists: [Signal<Local, Bit>; ports + 1],
    /// Words are under way.
    moves: Signal<Local, Bit>,
    idle: Signal<Local, Bit>,
    /// No list may begin.
    closed: Signal<Local, Bit>,
    writes: Signal<Local, Bit>,
    passes: [Signal<Local, Bit>; ports],
    room: [Signal<Local, Bit>; ports],
    takes: [Signal<Local, Bit>; ports],
    taken: [Reg<Bit>; ports],
    /// Words of the ports below.
    sum: [Signal<Local, Bits<7>>; ports + 1],
    /// Ports, from 2 on.
    _ports: Param<'n'>,
    #[argument]
    _kind: NetworkKind,
    /// It is a Benes network, else a switch to the next port.
    #[new(usize::from(kind == NetworkKind::Benes))]
    _benes: Param<'b'>,
    #[new(route_bits(ports, kind))]
    _bits: usize,
}

#[kernel]
impl EntryNetwork {
    fn update(&mut self) {
        self.route();
        comment!("Only lists that are under way pass while a route is written");
        for i in 0..self._ports {
            self.passes[i] = self.valid_i[i] & (self.list[i] | !self.closed);
            self.ready_o[i] = self.room[i] & (self.list[i] | !self.closed);
            self.takes[i] = self.passes[i] & self.room[i];
            self.list[i].load(self.takes[i], !self.word_i[i][2].get_bit(8));
        }
        for k in 0..self._benes {
            self.benes[k].valid_i.follow(&self.passes);
            self.room.follow(&self.benes[k].ready_o);
            self.benes[k].word_i.follow(&self.word_i);
            self.benes[k].ready_i.follow(&self.ready_i);
            self.valid_o.follow(&self.benes[k].valid_o);
            self.word_o.follow(&self.benes[k].word_o);
            self.moves = self.benes[k].busy_o;
            for b in 0..self._bits {
                self.benes[k].cross_i[b / (self._ports / 2)][b % (self._ports / 2)] = self.cross[b];
            }
        }
        for k in 0..(1 - self._benes) {
            self.switch[k].valid_i.follow(&self.passes);
            self.room.follow(&self.switch[k].ready_o);
            self.switch[k].word_i.follow(&self.word_i);
            self.switch[k].ready_i.follow(&self.ready_i);
            self.valid_o.follow(&self.switch[k].valid_o);
            self.word_o.follow(&self.switch[k].word_o);
            self.moves = self.switch[k].busy_o;
            for b in 0..self._bits {
                self.switch[k].cross_i[b] = self.cross[b];
            }
        }
        self.count();
    }

    /// A route is written when nothing is on its way.
    fn route(&mut self) {
        self.closed = self.route_i.valid | self.more;
        self.lists[0] = false;
        for i in 0..self._ports {
            self.lists[i + 1] = self.lists[i] | self.list[i];
        }
        self.idle = !self.moves & !self.lists[self._ports];
        self.route_ready_o = self.idle;
        self.writes = self.route_i.valid & self.idle;
        self.more.load(self.writes, !self.route_i.last);
        for b in 0..self._bits {
            self.cross[b].load(
                self.writes & (self.route_i.place == (b / 32).to_bits::<4>()),
                self.route_i.data.get_bit(b % 32),
            );
        }
    }

    fn count(&mut self) {
        self.sum[0] = 0.into();
        for i in 0..self._ports {
            self.taken[i] = self.takes[i];
            self.sum[i + 1] = mux(self.taken[i], self.sum[i] + 1, self.sum[i]);
        }
        self.transfers = self.transfers + bit_cast::<32, 7>(self.sum[self._ports]);
    }
}
