//! Networks between memories and units.

use std::collections::VecDeque;
use std::sync::LazyLock;

use heddle_compiler::sparse::benes_route;
use heddle_hdl::sparse::net::{EntryNetwork, NetworkKind as Kind};
use heddle_sim::sparse::net::{
    NetworkInputs, NetworkKind, NetworkModel, RouteWord, StreamWord, arrivals,
};
use heddle_sim::sparse::reference::Entry;
use heddle_tb::verilate::Sources;
use rand::Rng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::rtl::{Checked, Coverage, Dut, check_mutants, emitted, faults, run_seeds};

static BENES_4: LazyLock<Sources> = LazyLock::new(|| emitted(EntryNetwork::new(4, Kind::Benes)));
static BENES_16: LazyLock<Sources> = LazyLock::new(|| emitted(EntryNetwork::new(16, Kind::Benes)));
static SWITCH_5: LazyLock<Sources> = LazyLock::new(|| emitted(EntryNetwork::new(5, Kind::Switch)));

/// The four parts of a word.
pub(super) fn parts(word: Option<StreamWord>) -> [u64; 4] {
    word.map_or([0; 4], |word| {
        let StreamWord {
            entry,
            last,
            to_memory,
        } = word;
        [
            entry.value as u64 & 0x1ff,
            entry.channel as u64,
            entry.row as u64 | u64::from(last) << 8,
            entry.col as u64 | u64::from(to_memory) << 8,
        ]
    })
}

/// Drives words of several streams.
pub(super) fn set_words(dut: &mut Dut, name: &str, words: &[Option<StreamWord>]) {
    let valid = words.iter().map(|word| u64::from(word.is_some()));
    dut.set_all(&format!("{name}valid_i"), valid);
    let words: Vec<u64> = words.iter().flat_map(|word| parts(*word)).collect();
    dut.set_all(&format!("{name}word_i"), words.into_iter());
}

/// Compares words of several streams. Where there is no entry, only the bits of a word are compared.
pub(super) fn check_words(dut: &Dut, name: &str, words: &[Option<StreamWord>]) -> Checked {
    let (valid, port) = (format!("{name}valid_o"), format!("{name}word_o"));
    for (stream, word) in words.iter().enumerate() {
        dut.check_element(&valid, stream, words.len(), word.is_some())?;
        for (part, expected) in parts(*word).into_iter().enumerate() {
            let at = (4 * stream + part, 4 * words.len());
            match word {
                Some(word) if word.entry.value != 0 || part == 0 => {
                    dut.check_element(&port, at.0, at.1, expected)?;
                }
                Some(_) if part > 1 && dut.get_element(&port, at.0, at.1) >> 8 != expected >> 8 => {
                    return Err(dut.message(&format!("bit of {port}[{stream}][{part}]")));
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// Drives the word of a route.
pub(super) fn set_route(dut: &mut Dut, name: &str, route: Option<RouteWord>) {
    dut.set(&format!("{name}_valid_i"), route.is_some());
    let word = route.unwrap_or(RouteWord {
        place: 0,
        data: 0,
        last: false,
    });
    dut.set(&format!("{name}_place_i"), word.place as u64);
    dut.set(&format!("{name}_data_i"), word.data);
    dut.set(&format!("{name}_last_i"), word.last);
}

/// The words of a route.
pub(super) fn route_words(words: &[u32]) -> VecDeque<RouteWord> {
    let count = words.len();
    let words = words.iter().enumerate();
    words
        .map(|(place, data)| RouteWord {
            place,
            data: *data,
            last: place + 1 == count,
        })
        .collect()
}

/// A word of a stream that tells its source.
fn random_word(rng: &mut ChaCha8Rng, source: usize) -> StreamWord {
    StreamWord {
        entry: Entry {
            value: source as i32 + 1,
            channel: rng.random_range(0..512),
            row: rng.random_range(0..256),
            col: rng.random_range(0..256),
        },
        last: rng.random_bool(0.2),
        to_memory: rng.random(),
    }
}

/// A network beside its model, and what its streams carry.
struct Bench {
    dut: Dut,
    rng: ChaCha8Rng,
    model: NetworkModel,
    coverage: Coverage,
    /// The word that waits at each port, and those that have not arrived.
    waiting: Vec<Option<StreamWord>>,
    sent: Vec<VecDeque<StreamWord>>,
    /// Where streams arrive, and the route that is written.
    target: Vec<Option<usize>>,
    route: VecDeque<RouteWord>,
    next: Vec<Option<usize>>,
    transfers: u32,
}

impl Bench {
    fn new(sources: &Sources, seed: u64, ports: usize, kind: NetworkKind) -> Self {
        let dut = Dut::new(sources, seed);
        Self {
            rng: dut.rng(),
            dut,
            model: NetworkModel::new(ports, kind),
            coverage: Coverage::default(),
            waiting: vec![None; ports],
            sent: vec![VecDeque::new(); ports],
            target: (0..ports).map(Some).collect(),
            route: VecDeque::new(),
            next: Vec::new(),
            transfers: 0,
        }
    }

    /// One clock: words are offered and taken as often as said.
    fn step(&mut self, offered: f64, taken: f64) -> Checked {
        let ports = self.waiting.len();
        for port in 0..ports {
            if self.waiting[port].is_none() && self.rng.random_bool(offered) {
                self.waiting[port] = Some(random_word(&mut self.rng, port));
            }
        }
        let inputs = NetworkInputs {
            route: self.route.front().copied(),
            words: self.waiting.clone(),
            ready: (0..ports).map(|_| self.rng.random_bool(taken)).collect(),
        };
        set_route(&mut self.dut, "route", inputs.route);
        set_words(&mut self.dut, "", &inputs.words);
        let ready = inputs.ready.iter().map(|ready| u64::from(*ready));
        self.dut.set_all("ready_i", ready);
        self.dut.settle();
        let ready = self.model.ready(inputs.route.is_some(), &inputs.ready);
        for (port, ready) in ready.iter().enumerate() {
            self.dut.check_element("ready_o", port, ports, *ready)?;
        }
        let outputs = self.model.outputs();
        check_words(&self.dut, "", &outputs)?;
        let route_ready = self.model.route_ready();
        self.dut.check("route_ready_o", route_ready)?;
        self.dut.check("transfers_o", self.model.transfers())?;
        self.model.clock(&inputs);
        self.dut.clock();
        self.count(&inputs, &ready, &outputs, route_ready);
        self.follow(&inputs, &ready, &outputs, route_ready)
    }

    fn count(
        &mut self,
        inputs: &NetworkInputs,
        ready: &[bool],
        outputs: &[Option<StreamWord>],
        route_ready: bool,
    ) {
        let waits = |(word, ready): (&Option<StreamWord>, &bool)| word.is_some() && !ready;
        let coverage = &mut self.coverage;
        coverage.event("word that waits", inputs.words.iter().zip(ready).any(waits));
        coverage.event("word that is not taken", {
            outputs.iter().zip(&inputs.ready).any(waits)
        });
        let has_route = inputs.route.is_some();
        coverage.event("route that waits for lists", has_route && !route_ready);
        let going = inputs
            .words
            .iter()
            .zip(ready)
            .any(|(word, ready)| word.is_some() && *ready);
        coverage.event("list that goes on before a route", has_route && going);
    }

    /// Nothing is lost, torn or brought to another port than that of the route.
    fn follow(
        &mut self,
        inputs: &NetworkInputs,
        ready: &[bool],
        outputs: &[Option<StreamWord>],
        route_ready: bool,
    ) -> Checked {
        for (port, word) in outputs.iter().enumerate() {
            if let Some(word) = word.filter(|_| inputs.ready[port]) {
                let source = word.entry.value as usize - 1;
                assert_eq!(self.sent[source].pop_front(), Some(word));
                assert_eq!(self.target[source], Some(port));
            }
        }
        for (port, ready) in ready.iter().enumerate() {
            if *ready {
                let word = self.waiting[port].take();
                self.transfers += u32::from(word.is_some());
                self.sent[port].extend(word);
            }
        }
        if inputs.route.is_some() && route_ready {
            self.route.pop_front();
            if self.route.is_empty() {
                self.target = std::mem::take(&mut self.next);
            }
        }
        Ok(())
    }

    /// Takes a route, and brings lists there for some time.
    fn run(&mut self, words: &[u32], target: &[Option<usize>], clocks: usize) -> Checked {
        self.route = route_words(words);
        self.next = target.to_vec();
        let (offered, taken) = (
            self.rng.random_range(0.3..=1.0),
            self.rng.random_range(0.3..=1.0),
        );
        while !self.route.is_empty() {
            self.step(offered, taken)?;
        }
        for _ in 0..clocks {
            self.step(offered, taken)?;
        }
        Ok(())
    }

    /// All that was sent arrives.
    fn end(mut self) -> Checked<Coverage> {
        // Streams without a port keep their words.
        for port in 0..self.waiting.len() {
            if self.target[port].is_none() {
                self.waiting[port] = None;
            }
        }
        for _ in 0..60 {
            self.step(0.0, 1.0)?;
        }
        assert!(self.sent.iter().all(VecDeque::is_empty));
        assert_eq!(self.model.transfers(), self.transfers);
        Ok(self.coverage)
    }
}

fn permutations(ports: usize) -> Vec<Vec<usize>> {
    let Some(last) = ports.checked_sub(1) else {
        return vec![Vec::new()];
    };
    let shorter = permutations(last).into_iter();
    shorter
        .flat_map(|shorter| {
            (0..ports).map(move |at| {
                let mut longer = shorter.clone();
                longer.insert(at, last);
                longer
            })
        })
        .collect()
}

fn benes(sources: &Sources, seed: u64, routes: &[Vec<Option<usize>>]) -> Checked<Coverage> {
    let ports = routes[0].len();
    let mut bench = Bench::new(sources, seed, ports, NetworkKind::Benes);
    for to in routes {
        bench.run(&benes_route(to), to, 40)?;
    }
    bench.end()
}

fn all_of_4(sources: &Sources, seed: u64) -> Checked<Coverage> {
    let routes = permutations(4).into_iter();
    let mut routes: Vec<Vec<_>> = routes
        .map(|to| to.into_iter().map(Some).collect())
        .collect();
    assert_eq!(routes.len(), 24);
    routes.shuffle(&mut Dut::new(sources, seed).rng());
    benes(sources, seed, &routes)
}

fn random_routes(sources: &Sources, seed: u64, ports: usize) -> Checked<Coverage> {
    let mut rng = Dut::new(sources, seed).rng();
    let route = |_| {
        let mut to: Vec<_> = (0..ports).map(Some).collect();
        to.shuffle(&mut rng);
        to
    };
    let routes: Vec<_> = (0..30).map(route).collect();
    benes(sources, seed, &routes)
}

#[proves("FSA-31")]
#[test]
fn all_permutations_of_four_are_brought_without_loss() {
    run_seeds(|seed| all_of_4(&BENES_4, seed));
}

#[proves("FSA-31")]
#[test]
fn random_permutations_of_sixteen_are_brought_without_loss() {
    run_seeds(|seed| random_routes(&BENES_16, seed, 16));
}

fn random_switches(sources: &Sources, seed: u64) -> Checked<Coverage> {
    let mut bench = Bench::new(sources, seed, 5, NetworkKind::Switch);
    for _ in 0..60 {
        let crossed: Vec<bool> = (0..4).map(|_| bench.rng.random()).collect();
        let word = (0..4).fold(0, |word, bit| word | u32::from(crossed[bit]) << bit);
        let target = arrivals(5, NetworkKind::Switch, &crossed);
        for (port, to) in target.iter().enumerate() {
            let is_crossed = crossed.get(port).is_some_and(|crossed| *crossed);
            assert!(to.is_none_or(|to| to == port + usize::from(is_crossed)));
        }
        bench.run(&[word], &target, 40)?;
        // What waits for a port waits no longer.
        let waits = target.contains(&None);
        bench.coverage.event("stream without a port", waits);
    }
    bench.end()
}

#[proves("FSA-30")]
#[test]
fn a_switch_brings_a_stream_to_its_port_or_to_the_next_one() {
    run_seeds(|seed| random_switches(&SWITCH_5, seed));
}

#[test]
fn faults_of_networks_are_noticed() {
    let mutants = r"
        // A list may begin while a route is written.
        heddle_sparse_network: route_valid_i | more_q => more_q
        // A route does not wait for lists that are under way.
        heddle_sparse_network: !moves & !lists_4 => !moves
        // A word is lost where the register is not free.
        heddle_stream_stage: ~valid_q | ready_i => ~valid_q | valid_q";
    check_mutants(&BENES_4, &faults(mutants), all_of_4);
}
