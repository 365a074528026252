//! Memories and networks.

use super::super::net::{NetworkInputs, NetworkKind, NetworkModel, RouteWord, StreamWord};
use super::{FeatureMemoryModel, Job, JoinModel, MemoryInputs, MemoryLayout, Order};

/// What a cluster is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoriesSizes {
    /// Memories.
    pub memories: usize,
    /// Units.
    pub units: usize,
    /// Entries of a set.
    pub entry_max: usize,
    /// What lies in which buffer.
    pub layout: MemoryLayout,
    /// Networks from memories, and from units.
    pub networks: [Option<NetworkKind>; 2],
}

impl MemoriesSizes {
    /// Ports of a network of these memories and units.
    pub fn ports(&self, kind: NetworkKind) -> usize {
        let ports = self.memories.max(self.units).max(2);
        match kind {
            NetworkKind::Switch => ports,
            NetworkKind::Benes => ports.next_power_of_two(),
        }
    }
}

/// Inputs in one clock cycle.
#[derive(Debug, Clone, Default)]
pub struct MemoriesInputs {
    /// An order.
    pub order: Option<Order>,
    /// Words of routes of the networks.
    pub routes: [Option<RouteWord>; 2],
    /// Words from outside.
    pub load: Vec<Option<StreamWord>>,
    /// Words for outside are taken.
    pub out_ready: Vec<bool>,
    /// Words for units are taken.
    pub unit_ready: Vec<bool>,
    /// Results of units.
    pub results: Vec<Option<StreamWord>>,
}

/// Outputs in one clock cycle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoriesOutputs {
    /// The order is taken.
    pub order_ready: bool,
    /// The words of routes are.
    pub route_ready: [bool; 2],
    /// Words from outside are.
    pub load_ready: Vec<bool>,
    /// Words for outside.
    pub out: Vec<Option<StreamWord>>,
    /// Words for units.
    pub unit: Vec<Option<StreamWord>>,
    /// Results are taken.
    pub result_ready: Vec<bool>,
    /// Sets are in use.
    pub busy: Vec<[bool; 2]>,
    /// Words that networks have taken.
    pub transfers: [u32; 2],
    /// Results of each unit that are not zero.
    pub result_counts: Vec<u32>,
    /// A set was full, an order was wrong, a word had no destination.
    pub errors: [bool; 3],
    /// A list filled its set without an entry too many.
    pub exactly_full: bool,
}

/// The cluster.
#[derive(Debug, Clone)]
pub struct MemoriesModel {
    sizes: MemoriesSizes,
    memories: Vec<FeatureMemoryModel>,
    networks: [Option<NetworkModel>; 2],
    joins: Vec<JoinModel>,
    result_counts: Vec<u32>,
    errors: [bool; 3],
    exactly_full: bool,
}

/// What stands at the ports of each network in a cycle, or at what is bound to each other without one; whether it is taken.
struct Ports {
    words: [Vec<Option<StreamWord>>; 2],
    ready: [Vec<bool>; 2],
}

impl MemoriesModel {
    /// A cluster.
    pub fn new(sizes: MemoriesSizes) -> Self {
        let copies = sizes.networks[0].is_some();
        let memory = FeatureMemoryModel::new(sizes.entry_max, sizes.layout, copies);
        let network = |kind| NetworkModel::new(sizes.ports(kind), kind);
        Self {
            sizes,
            memories: vec![memory; sizes.memories],
            networks: sizes.networks.map(|kind| kind.map(network)),
            joins: vec![JoinModel::default(); sizes.units],
            result_counts: vec![0; sizes.units],
            errors: [false; 3],
            exactly_full: false,
        }
    }

    /// One clock cycle: returns the outputs of this cycle, then takes the clock edge.
    pub fn step(&mut self, inputs: &MemoriesInputs) -> MemoriesOutputs {
        let ports = self.ports(inputs);
        let outputs = self.outputs(inputs, &ports);
        self.clock(inputs, &ports);
        outputs
    }

    fn ports(&self, inputs: &MemoriesInputs) -> Ports {
        let read = |memory: &FeatureMemoryModel| memory.outputs()[0];
        let stored = |word: &Option<StreamWord>| {
            word.map(|word| StreamWord {
                to_memory: true,
                ..word
            })
        };
        let words = [
            match &self.networks[0] {
                Some(network) => network.outputs(),
                None => self.memories.iter().map(read).collect(),
            },
            match &self.networks[1] {
                Some(network) => network.outputs(),
                None => inputs.results.iter().map(stored).collect(),
            },
        ];
        let ready = [0, 1].map(|from| {
            let ports = 0..words[from].len();
            let taken = ports.map(|port| self.is_taken(inputs, &words, from, port));
            taken.collect()
        });
        Ports { words, ready }
    }

    /// Whether what stands at a port is taken; what has no destination is dropped.
    fn is_taken(
        &self,
        inputs: &MemoriesInputs,
        words: &[Vec<Option<StreamWord>>; 2],
        from: usize,
        port: usize,
    ) -> bool {
        let job = [Job::Copy, Job::Store][from];
        match words[from][port] {
            None => {
                from == 1
                    && self
                        .memories
                        .get(port)
                        .is_some_and(|memory| memory.has(job))
            }
            Some(word) if word.to_memory => {
                self.memories.get(port).is_none_or(|memory| memory.has(job))
            }
            Some(_) if port >= self.sizes.units => true,
            Some(_) if self.networks[1].is_none() => inputs.unit_ready[port],
            Some(_) => {
                let words = for_unit(words, port);
                self.joins[port].ready(words, inputs.unit_ready[port])[1 - from]
            }
        }
    }

    fn outputs(&self, inputs: &MemoriesInputs, ports: &Ports) -> MemoriesOutputs {
        let units = 0..self.sizes.units;
        let unit = |unit: usize| match self.networks[1] {
            Some(_) => self.joins[unit].front(),
            None => for_unit(&ports.words, unit)[1],
        };
        let order = inputs.order;
        let memory = order.and_then(|order| self.memories.get(order.memory));
        let ready = order.zip(memory);
        MemoriesOutputs {
            order_ready: ready.is_none_or(|(order, memory)| memory.order_ready(order)),
            route_ready: [0, 1].map(|from| {
                let network = self.networks[from].as_ref();
                network.is_some_and(NetworkModel::route_ready)
            }),
            load_ready: self
                .memories
                .iter()
                .map(|memory| memory.has(Job::Load))
                .collect(),
            out: self
                .memories
                .iter()
                .map(|memory| memory.outputs()[1])
                .collect(),
            unit: units.map(unit).collect(),
            result_ready: self.entered(1, inputs, ports)[..self.sizes.units].to_vec(),
            busy: self
                .memories
                .iter()
                .map(|memory| [0, 1].map(|set| memory.busy(set)))
                .collect(),
            transfers: [0, 1].map(|from| {
                let network = self.networks[from].as_ref();
                network.map_or(0, NetworkModel::transfers)
            }),
            result_counts: self.result_counts.clone(),
            errors: self.errors,
            exactly_full: self.exactly_full,
        }
    }

    /// What memories, or units, give is taken.
    fn entered(&self, from: usize, inputs: &MemoriesInputs, ports: &Ports) -> Vec<bool> {
        match &self.networks[from] {
            Some(network) => network.ready(inputs.routes[from].is_some(), &ports.ready[from]),
            None => ports.ready[from].clone(),
        }
    }

    fn clock(&mut self, inputs: &MemoriesInputs, ports: &Ports) {
        let entered = [0, 1].map(|from| self.entered(from, inputs, ports));
        for (unit, count) in self.result_counts.iter_mut().enumerate() {
            let word = inputs.results[unit].filter(|_| entered[1][unit]);
            *count += u32::from(word.is_some_and(|word| word.entry.value != 0));
        }
        let read: Vec<_> = self
            .memories
            .iter()
            .map(|memory| memory.outputs()[0])
            .collect();
        for (from, given) in [&read, &inputs.results].into_iter().enumerate() {
            let mut words = ports.words[from].iter().enumerate();
            let is_stray = |(port, word): (usize, &Option<StreamWord>)| {
                word.is_some_and(|word| match word.to_memory {
                    true => port >= self.sizes.memories,
                    false => port >= self.sizes.units,
                })
            };
            self.errors[2] |= self.networks[from].is_some() && words.any(is_stray);
            if let Some(network) = &mut self.networks[from] {
                let mut words = given.clone();
                words.resize(ports.ready[from].len(), None);
                network.clock(&NetworkInputs {
                    route: inputs.routes[from],
                    words,
                    ready: ports.ready[from].clone(),
                });
            }
        }
        if self.networks[1].is_some() {
            for (unit, join) in self.joins.iter_mut().enumerate() {
                join.clock(for_unit(&ports.words, unit), inputs.unit_ready[unit]);
            }
        }
        // An order for a memory that is not there is wrong.
        let named = inputs.order.map(|order| order.memory);
        self.errors[1] |= named.is_some_and(|memory| memory >= self.sizes.memories);
        for (number, memory) in self.memories.iter_mut().enumerate() {
            let at = |from: usize| ports.words[from].get(number).copied().flatten();
            let for_memory = |from| at(from).filter(|word| word.to_memory);
            let events = memory.clock(&MemoryInputs {
                order: inputs.order.filter(|order| order.memory == number),
                words: [inputs.load[number], for_memory(0), for_memory(1)],
                ready: [entered[0][number], inputs.out_ready[number]],
            });
            self.errors[0] |= events.full;
            self.exactly_full |= events.exactly_full;
            self.errors[1] |= events.wrong;
        }
    }
}

/// What comes for a unit, of units and of memories.
fn for_unit(words: &[Vec<Option<StreamWord>>; 2], unit: usize) -> [Option<StreamWord>; 2] {
    [1, 0].map(|from| words[from][unit].filter(|word| !word.to_memory))
}
