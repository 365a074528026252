//! The memory cluster beside its model.

use std::collections::VecDeque;

use heddle_arch::params::MapLayout;
use heddle_compiler::sparse::benes_route;
use heddle_hdl::sparse::memories::{MemoriesShape, SparseMemories};
use heddle_hdl::sparse::net::NetworkKind as Kind;
use heddle_sim::sparse::memories::{
    Job, MemoriesInputs, MemoriesModel, MemoriesOutputs, MemoriesSizes, MemoryLayout, Order,
};
use heddle_sim::sparse::net::{NetworkKind, RouteWord, StreamWord};
use heddle_sim::sparse::reference::Entry;
use heddle_tb::verilate::Sources;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::net::{check_words, route_words, set_route, set_words};
use crate::rtl::{Checked, Dut, emitted};

/// The Verilog of a cluster.
pub fn sources(sizes: &MemoriesSizes, layout: MapLayout) -> Sources {
    let kind = |kind| match kind {
        NetworkKind::Switch => Kind::Switch,
        NetworkKind::Benes => Kind::Benes,
    };
    emitted(SparseMemories::new(MemoriesShape {
        memories: sizes.memories,
        units: sizes.units,
        entry_max: sizes.entry_max,
        layout,
        memory_network: sizes.networks[0].map(kind),
        unit_network: sizes.networks[1].map(kind),
    }))
}

/// A cluster of as many memories as units.
pub fn sizes(units: usize, networks: [Option<NetworkKind>; 2]) -> MemoriesSizes {
    MemoriesSizes {
        memories: units,
        units,
        entry_max: 16,
        layout: MemoryLayout::Free,
        networks,
    }
}

/// An entry of any place.
pub fn random_entry(rng: &mut ChaCha8Rng, channel: usize) -> Entry {
    let value = rng.random_range(1..256);
    Entry {
        value: if rng.random() { value } else { -value },
        channel,
        row: rng.random_range(0..256),
        col: rng.random_range(0..256),
    }
}

/// The words of a list; an empty one is a word without an entry.
pub fn list(entries: &[Entry], to_memory: bool) -> Vec<StreamWord> {
    let none = Entry {
        value: 0,
        channel: 0,
        row: 0,
        col: 0,
    };
    let entries = if entries.is_empty() { &[none] } else { entries };
    let words = entries.iter().enumerate();
    words
        .map(|(at, entry)| StreamWord {
            entry: *entry,
            last: at + 1 == entries.len(),
            to_memory,
        })
        .collect()
}

/// Orders of these sets.
pub fn order(memory: usize, set: usize, job: Job) -> Order {
    Order {
        memory,
        set,
        job: Some(job),
        append: false,
    }
}

/// The cluster, and what waits at its inputs.
pub struct Bench {
    dut: Dut,
    pub rng: ChaCha8Rng,
    pub sizes: MemoriesSizes,
    model: MemoriesModel,
    /// Given one after the other; an order that is not taken may be replaced by another one.
    pub orders: VecDeque<Order>,
    pub routes: [VecDeque<RouteWord>; 2],
    pub load: Vec<VecDeque<StreamWord>>,
    pub results: Vec<VecDeque<StreamWord>>,
    /// Words that stand at the inputs.
    offers: [Vec<Option<StreamWord>>; 2],
    /// How often words are offered and taken.
    pub offered: f64,
    pub taken: f64,
    /// What came out.
    pub out: Vec<Vec<StreamWord>>,
    pub unit: Vec<Vec<StreamWord>>,
}

impl Bench {
    pub fn new(sources: &Sources, seed: u64, sizes: MemoriesSizes) -> Self {
        let dut = Dut::new(sources, seed);
        Self {
            rng: dut.rng(),
            dut,
            sizes,
            model: MemoriesModel::new(sizes),
            orders: VecDeque::new(),
            routes: Default::default(),
            load: vec![VecDeque::new(); sizes.memories],
            results: vec![VecDeque::new(); sizes.units],
            offers: [vec![None; sizes.memories], vec![None; sizes.units]],
            offered: 0.7,
            taken: 0.7,
            out: vec![Vec::new(); sizes.memories],
            unit: vec![Vec::new(); sizes.units],
        }
    }

    /// Streams of a network go to other ports.
    pub fn route(&mut self, network: usize, to: &[Option<usize>]) {
        let words = match self.sizes.networks[network].expect("a network") {
            NetworkKind::Benes => benes_route(to),
            NetworkKind::Switch => {
                let crossed = to.iter().enumerate();
                let crossed = crossed.map(|(port, to)| u32::from(*to == Some(port + 1)) << port);
                vec![crossed.sum()]
            }
        };
        self.routes[network].extend(route_words(&words));
    }

    /// One clock, in lockstep.
    pub fn step(&mut self) -> Checked<(MemoriesInputs, MemoriesOutputs)> {
        let queues = [&mut self.load, &mut self.results];
        for (queues, offers) in queues.into_iter().zip(&mut self.offers) {
            offer(&mut self.rng, self.offered, queues, offers);
        }
        let rng = &mut self.rng;
        let taken = self.taken;
        let inputs = MemoriesInputs {
            order: self.orders.front().copied(),
            routes: [0, 1].map(|network| self.routes[network].front().copied()),
            load: self.offers[0].clone(),
            results: self.offers[1].clone(),
            out_ready: self.out.iter().map(|_| rng.random_bool(taken)).collect(),
            unit_ready: self.unit.iter().map(|_| rng.random_bool(taken)).collect(),
        };
        self.drive(&inputs);
        let outputs = self.model.step(&inputs);
        self.compare(&inputs, &outputs)?;
        self.dut.clock();
        self.move_on(&inputs, &outputs);
        Ok((inputs, outputs))
    }

    fn drive(&mut self, inputs: &MemoriesInputs) {
        let dut = &mut self.dut;
        dut.set("order_valid_i", inputs.order.is_some());
        if let Some(order) = inputs.order {
            dut.set("order_memory_i", order.memory as u64);
            dut.set("order_set_i", order.set as u64);
            dut.set("order_job_i", order.job.map_or(0, |job| job as u64));
            dut.set("order_append_i", order.append);
        }
        for (network, name) in ["memory_route", "unit_route"].into_iter().enumerate() {
            if self.sizes.networks[network].is_some() {
                set_route(dut, name, inputs.routes[network]);
            }
        }
        set_words(dut, "load_", &inputs.load);
        set_words(dut, "result_", &inputs.results);
        let bits = |ready: &[bool]| ready.iter().map(|ready| u64::from(*ready)).collect();
        let (out, unit): (Vec<u64>, Vec<u64>) = (bits(&inputs.out_ready), bits(&inputs.unit_ready));
        dut.set_all("out_ready_i", out.into_iter());
        dut.set_all("unit_ready_i", unit.into_iter());
        dut.settle();
    }

    fn compare(&self, inputs: &MemoriesInputs, outputs: &MemoriesOutputs) -> Checked {
        let dut = &self.dut;
        if inputs.order.is_some() {
            dut.check("order_ready_o", outputs.order_ready)?;
        }
        for (network, name) in ["memory_route", "unit_route"].into_iter().enumerate() {
            if self.sizes.networks[network].is_some() {
                dut.check(&format!("{name}_ready_o"), outputs.route_ready[network])?;
            }
            dut.check_element("transfers_o", network, 2, outputs.transfers[network])?;
        }
        for (unit, count) in outputs.result_counts.iter().enumerate() {
            dut.check_element("result_count_o", unit, self.sizes.units, *count)?;
        }
        check_words(dut, "out_", &outputs.out)?;
        check_words(dut, "unit_", &outputs.unit)?;
        check_bits(dut, "load_ready_o", &outputs.load_ready)?;
        check_bits(dut, "result_ready_o", &outputs.result_ready)?;
        check_bits(dut, "busy_o", &outputs.busy.concat())?;
        check_bits(dut, "error_o", &outputs.errors)
    }

    fn move_on(&mut self, inputs: &MemoriesInputs, outputs: &MemoriesOutputs) {
        if outputs.order_ready {
            self.orders.pop_front();
        }
        for network in 0..2 {
            if outputs.route_ready[network] {
                self.routes[network].pop_front();
            }
        }
        let ready = [&outputs.load_ready, &outputs.result_ready];
        for (offers, ready) in self.offers.iter_mut().zip(ready) {
            for (offer, _) in offers.iter_mut().zip(ready).filter(|(_, ready)| **ready) {
                *offer = None;
            }
        }
        let collect =
            |all: &mut [Vec<StreamWord>], words: &[Option<StreamWord>], ready: &[bool]| {
                for (stream, word) in words.iter().enumerate() {
                    all[stream].extend(word.filter(|_| ready[stream]));
                }
            };
        collect(&mut self.out, &outputs.out, &inputs.out_ready);
        collect(&mut self.unit, &outputs.unit, &inputs.unit_ready);
    }

    /// Gives orders, and runs until they are carried out.
    pub fn carry_out(
        &mut self,
        orders: impl IntoIterator<Item = Order>,
    ) -> Checked<MemoriesOutputs> {
        self.orders.extend(orders);
        self.run()
    }

    /// Until all that was given has been taken, no set is in use and nothing comes out.
    pub fn run(&mut self) -> Checked<MemoriesOutputs> {
        let mut quiet = 0;
        for _ in 0..5000 {
            let (inputs, outputs) = self.step()?;
            let mut words = inputs.load.iter().chain(&inputs.results);
            let mut queues = self.load.iter().chain(&self.results);
            let given = inputs.order.is_some()
                || inputs.routes.iter().any(Option::is_some)
                || words.any(Option::is_some)
                || queues.any(|words| !words.is_empty());
            let comes = outputs.out.iter().chain(&outputs.unit).any(Option::is_some);
            let busy = outputs.busy.concat().contains(&true);
            quiet = if given || comes || busy { 0 } else { quiet + 1 };
            if quiet > 20 {
                return Ok(outputs);
            }
        }
        Err("the cluster does not come to rest".into())
    }

    /// Entries that came out for outside, or for a unit, since the last time.
    pub fn out_entries(&mut self, memory: usize) -> Vec<Entry> {
        entries(&mut self.out[memory])
    }

    /// As for outside.
    pub fn unit_entries(&mut self, unit: usize) -> Vec<Entry> {
        entries(&mut self.unit[unit])
    }
}

fn entries(words: &mut Vec<StreamWord>) -> Vec<Entry> {
    let words = std::mem::take(words).into_iter();
    words
        .map(|word| word.entry)
        .filter(|entry| entry.value != 0)
        .collect()
}

/// A source may pause between two words.
fn offer(
    rng: &mut ChaCha8Rng,
    often: f64,
    queues: &mut [VecDeque<StreamWord>],
    offers: &mut [Option<StreamWord>],
) {
    for (queue, offer) in queues.iter_mut().zip(offers) {
        if offer.is_none() && rng.random_bool(often) {
            *offer = queue.pop_front();
        }
    }
}

fn check_bits(dut: &Dut, port: &str, bits: &[bool]) -> Checked {
    for (at, bit) in bits.iter().enumerate() {
        dut.check_element(port, at, bits.len(), *bit)?;
    }
    Ok(())
}
