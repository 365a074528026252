//! Networks between memories and units, clock by clock.

mod paths;
mod pipe;

pub use paths::{NetworkKind, arrivals, route_bits};
pub use pipe::Pipe;

use super::reference::Entry;

/// A word of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamWord {
    /// The entry; there is none if its value is 0.
    pub entry: Entry,
    /// It ends a list.
    pub last: bool,
    /// It is meant for a memory.
    pub to_memory: bool,
}

/// A word of a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RouteWord {
    /// Its place in the route.
    pub place: usize,
    /// A bit for each switch.
    pub data: u32,
    /// It is the last one.
    pub last: bool,
}

/// What a network is given in a clock cycle.
#[derive(Debug, Clone, Default)]
pub struct NetworkInputs {
    /// A word of a route.
    pub route: Option<RouteWord>,
    /// A word of each port.
    pub words: Vec<Option<StreamWord>>,
    /// The word at each output is taken.
    pub ready: Vec<bool>,
}

/// A network: streams do not meet, so each is a row of registers of its own.
#[derive(Debug, Clone)]
pub struct NetworkModel {
    kind: NetworkKind,
    crossed: Vec<bool>,
    /// The stream of each port, and where it arrives.
    pipes: Vec<Pipe>,
    target: Vec<Option<usize>>,
    /// A list of the port is under way.
    list: Vec<bool>,
    more: bool,
    /// Words of the cycle before, and all before that.
    taken: u32,
    transfers: u32,
}

impl NetworkModel {
    /// A network of so many ports.
    pub fn new(ports: usize, kind: NetworkKind) -> Self {
        let depth = match kind {
            NetworkKind::Switch => 1,
            NetworkKind::Benes => ports.ilog2() as usize,
        };
        Self {
            kind,
            crossed: vec![false; route_bits(ports, kind)],
            pipes: vec![Pipe::new(depth); ports],
            target: (0..ports).map(Some).collect(),
            list: vec![false; ports],
            more: false,
            taken: 0,
            transfers: 0,
        }
    }

    /// The word at each output.
    pub fn outputs(&self) -> Vec<Option<StreamWord>> {
        let mut outputs = vec![None; self.pipes.len()];
        for (pipe, target) in self.pipes.iter().zip(&self.target) {
            if let Some(target) = target {
                outputs[*target] = pipe.front();
            }
        }
        outputs
    }

    /// Words that have been counted.
    pub fn transfers(&self) -> u32 {
        self.transfers
    }

    /// A word of a route would be taken.
    pub fn route_ready(&self) -> bool {
        self.pipes.iter().all(Pipe::is_empty) && !self.list.contains(&true)
    }

    /// Which ports would take a word.
    pub fn ready(&self, has_route: bool, ready: &[bool]) -> Vec<bool> {
        let ports = 0..self.pipes.len();
        let is_open = |port: usize| self.list[port] || !(has_route || self.more);
        let has_room = |port: usize| {
            self.target[port].is_some_and(|target| self.pipes[port].ready(ready[target]))
        };
        ports.map(|port| is_open(port) && has_room(port)).collect()
    }

    /// The clock edge.
    pub fn clock(&mut self, inputs: &NetworkInputs) {
        let ready = self.ready(inputs.route.is_some(), &inputs.ready);
        let route = inputs.route.filter(|_| self.route_ready());
        self.transfers += self.taken;
        self.taken = 0;
        for (port, ready) in ready.into_iter().enumerate() {
            let word = inputs.words[port].filter(|_| ready);
            if let Some(word) = word {
                self.list[port] = !word.last;
                self.taken += 1;
            }
            let taken = self.target[port].is_some_and(|target| inputs.ready[target]);
            self.pipes[port].clock(word, taken);
        }
        if let Some(route) = route {
            for bit in 0..32 {
                if let Some(crossed) = self.crossed.get_mut(32 * route.place + bit) {
                    *crossed = route.data >> bit & 1 == 1;
                }
            }
            self.more = !route.last;
            self.target = arrivals(self.pipes.len(), self.kind, &self.crossed);
        }
    }
}
