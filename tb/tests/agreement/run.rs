use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::error::AgreementError;
use super::pins::Circuit;
use super::stimulus::{PinState, Randomiser, Sample, Stimulus, Values};
use heddle_tb::{Model, PortId};

/// Reset, active low: low for some cycles at the start and now and then.
const RESET: &str = "rst_n";

/// Sweeps after which rust-hdl counts as oscillating. Changes move about one level of hierarchy
/// per sweep.
const MAX_SWEEPS: usize = 10_000;

type Driver<'a> = Box<dyn FnMut(&mut Stimulus) + 'a>;
type Condition<'a> = Box<dyn FnMut(&Sample) -> bool + 'a>;

/// A test that drives a rust-hdl circuit and its verilated text with the same inputs.
///
/// Every input is random unless a closure of [`drive`](Self::drive) changes it. Outputs are
/// compared before and after every rising edge, and every element of each must change.
pub struct Agreement<'a, C> {
    design: String,
    circuit: C,
    model: Model,
    seed: u64,
    cycles: u64,
    reset_cycles: u64,
    reset_chance: f64,
    drivers: Vec<Driver<'a>>,
    events: Vec<(String, Condition<'a>)>,
}

/// What a successful run covered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Cycles compared.
    pub cycles: u64,
    /// Each event with the number of cycles in which it happened.
    pub events: Vec<(String, u64)>,
}

/// Pins of circuit and model, matched once.
struct Wiring {
    inputs: Vec<PortId>,
    outputs: Vec<PortId>,
}

impl<'a, C: Circuit> Agreement<'a, C> {
    /// A run of 2000 cycles with seed 1.
    pub fn new(design: &str, circuit: C, model: Model) -> Self {
        Self {
            design: design.to_string(),
            circuit,
            model,
            seed: 1,
            cycles: 2000,
            reset_cycles: 3,
            reset_chance: 1.0 / 400.0,
            drivers: Vec::new(),
            events: Vec::new(),
        }
    }

    /// Another seed.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Another length in cycles.
    #[must_use]
    pub fn cycles(mut self, cycles: u64) -> Self {
        self.cycles = cycles;
        self
    }

    /// Probability that `rst_n` is low in a cycle after the first three.
    #[must_use]
    pub fn reset_chance(mut self, probability: f64) -> Self {
        self.reset_chance = probability;
        self
    }

    /// Changes the random inputs of every cycle.
    #[must_use]
    pub fn drive(mut self, driver: impl FnMut(&mut Stimulus) + 'a) -> Self {
        self.drivers.push(Box::new(driver));
        self
    }

    /// Something that must happen at least once, or the run fails.
    #[must_use]
    pub fn event(mut self, label: &str, condition: impl FnMut(&Sample) -> bool + 'a) -> Self {
        self.events.push((label.to_string(), Box::new(condition)));
        self
    }

    /// Runs, prints the coverage, and panics with the message on disagreement.
    ///
    /// # Panics
    /// On every [`AgreementError`].
    #[track_caller]
    pub fn check(self) {
        let name = self.design.clone();
        match self.run() {
            Ok(report) => {
                let events = report.events.iter();
                let events: Vec<_> = events.map(|(label, n)| format!("{label} {n}")).collect();
                println!("{name}: {} cycles, {}", report.cycles, events.join(", "));
            }
            Err(error) => panic!("{error}"),
        }
    }

    /// Runs.
    ///
    /// # Errors
    /// Everything in [`AgreementError`].
    pub fn run(mut self) -> Result<Report, AgreementError> {
        println!("{}: seed {}", self.design, self.seed);
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let wiring = self.wire()?;
        let mut inputs = self.input_values();
        let mut randomiser = Randomiser::new(&inputs);
        let mut outputs = self.read_outputs();
        let mut previous = outputs.clone();
        let mut counts = vec![0; self.events.len()];
        let mut moved = self.read_outputs();
        for pin in &mut moved.pins {
            pin.values.fill(0);
        }
        for cycle in 0..self.cycles {
            randomiser.fill(&mut inputs, cycle, &mut rng);
            self.drive_reset(&mut inputs, cycle, &mut rng);
            for driver in &mut self.drivers {
                driver(&mut Stimulus {
                    rng: &mut rng,
                    cycle,
                    inputs: &mut inputs,
                    outputs: &outputs,
                    previous: &previous,
                });
            }
            let before = self.apply(&wiring, &inputs, cycle)?;
            let after = if self.circuit.has_clock() {
                self.clock(&wiring, &inputs, cycle)?
            } else {
                before.clone()
            };
            let sample = Sample {
                inputs,
                before,
                after,
            };
            for ((_, condition), count) in self.events.iter_mut().zip(&mut counts) {
                *count += u64::from(condition(&sample));
            }
            for ((moved, now), before) in moved
                .pins
                .iter_mut()
                .zip(&sample.after.pins)
                .zip(&outputs.pins)
            {
                let changed = now.values.iter().zip(&before.values).map(|(a, b)| a != b);
                for (moved, changed) in moved.values.iter_mut().zip(changed) {
                    *moved |= u64::from(changed);
                }
            }
            (inputs, previous, outputs) = (sample.inputs, sample.before, sample.after);
        }
        self.report(counts, &moved)
    }

    fn drive_reset(&self, inputs: &mut Values, cycle: u64, rng: &mut ChaCha8Rng) {
        let low = cycle < self.reset_cycles || rng.random_bool(self.reset_chance);
        if let Some(pin) = inputs.pins.iter_mut().find(|pin| pin.name == RESET) {
            pin.values[0] = u64::from(!low);
        }
    }

    /// Sets the inputs on both sides and compares what follows without a clock.
    fn apply(
        &mut self,
        wiring: &Wiring,
        inputs: &Values,
        cycle: u64,
    ) -> Result<Values, AgreementError> {
        let pins = self.circuit.inputs();
        for (((_, pin), state), port) in pins.into_iter().zip(&inputs.pins).zip(&wiring.inputs) {
            for (element, value) in state.values.iter().enumerate() {
                pin.drive(element, *value);
                let lsb = element as u32 * state.width;
                self.model.set_bits(*port, lsb, state.width, *value);
            }
        }
        self.settle(inputs, cycle)?;
        self.model.eval();
        if cycle == 0 && inputs.find(RESET).is_some() {
            // Before the first reset a register holds its initial value in rust-hdl, 0 here.
            return Ok(self.read_outputs());
        }
        self.compare(wiring, inputs, cycle, "before")
    }

    fn clock(
        &mut self,
        wiring: &Wiring,
        inputs: &Values,
        cycle: u64,
    ) -> Result<Values, AgreementError> {
        self.circuit.set_clock(true);
        self.settle(inputs, cycle)?;
        self.circuit.set_clock(false);
        self.settle(inputs, cycle)?;
        self.model.clock();
        self.compare(wiring, inputs, cycle, "after")
    }

    fn settle(&mut self, inputs: &Values, cycle: u64) -> Result<(), AgreementError> {
        for _ in 0..MAX_SWEEPS {
            self.circuit.update_all();
            if !self.circuit.has_changed() {
                return Ok(());
            }
        }
        Err(AgreementError::Unsettled {
            design: self.design.clone(),
            seed: self.seed,
            cycle,
            inputs: inputs.describe(),
        })
    }

    fn compare(
        &self,
        wiring: &Wiring,
        inputs: &Values,
        cycle: u64,
        phase: &'static str,
    ) -> Result<Values, AgreementError> {
        let outputs = self.read_outputs();
        for (pin, port) in outputs.pins.iter().zip(&wiring.outputs) {
            for (element, value) in pin.values.iter().enumerate() {
                let lsb = element as u32 * pin.width;
                let model = self.model.get_bits(*port, lsb, pin.width);
                if *value != model {
                    return Err(AgreementError::Mismatch {
                        design: self.design.clone(),
                        seed: self.seed,
                        cycle,
                        pin: pin.element_name(element),
                        circuit: *value,
                        model,
                        phase,
                        inputs: inputs.describe(),
                    });
                }
            }
        }
        Ok(outputs)
    }

    fn report(self, counts: Vec<u64>, moved: &Values) -> Result<Report, AgreementError> {
        let labels = self.events.into_iter().map(|(label, _)| label);
        let events: Vec<_> = labels.zip(counts).collect();
        let missing = events.iter().filter(|(_, count)| *count == 0);
        let mut missing: Vec<_> = missing.map(|(label, _)| label.clone()).collect();
        let pins = moved.pins.iter();
        for pin in pins {
            let elements = (0..pin.values.len()).filter(|element| pin.values[*element] == 0);
            missing
                .extend(elements.map(|element| format!("{} changes", pin.element_name(element))));
        }
        if missing.is_empty() {
            return Ok(Report {
                cycles: self.cycles,
                events,
            });
        }
        Err(AgreementError::Uncovered {
            design: self.design,
            seed: self.seed,
            cycles: self.cycles,
            events: missing.join(", "),
        })
    }

    fn input_values(&mut self) -> Values {
        let pins = self.circuit.inputs().into_iter();
        let pins = pins.map(|(name, pin)| PinState {
            name,
            width: pin.width(),
            is_array: pin.is_array(),
            values: vec![0; pin.elements()],
        });
        Values {
            pins: pins.collect(),
        }
    }

    fn read_outputs(&self) -> Values {
        let pins = self.circuit.outputs().into_iter();
        let pins = pins.map(|(name, pin)| PinState {
            name,
            width: pin.width(),
            is_array: pin.is_array(),
            values: (0..pin.elements()).map(|e| pin.read(e)).collect(),
        });
        Values {
            pins: pins.collect(),
        }
    }

    /// Matches pins and ports: all of them, with equal widths and directions.
    fn wire(&mut self) -> Result<Wiring, AgreementError> {
        let describe = |width: u32, output: bool| {
            let direction = if output { "output" } else { "input" };
            format!("a {width}-bit {direction}")
        };
        let mismatch = |pin: &str, circuit: Option<String>, model: Option<String>| {
            let absent = || "absent".to_string();
            AgreementError::Pins {
                design: self.design.clone(),
                pin: pin.to_string(),
                circuit: circuit.unwrap_or_else(absent),
                model: model.unwrap_or_else(absent),
            }
        };
        let clock: &[&str] = if self.circuit.has_clock() {
            &["clk"]
        } else {
            &[]
        };
        let inputs = Self::shapes(&self.circuit.inputs(), |p| p.elements() as u32 * p.width());
        let outputs = Self::shapes(&self.circuit.outputs(), |p| p.elements() as u32 * p.width());
        let find = |name: &str, width: u32, output: bool| {
            let port = self.model.ports().find(|(_, n, _, _)| *n == name);
            let found = port.map(|(_, _, w, o)| (w, o));
            match port {
                Some((id, _, w, o)) if (w, o) == (width, output) => Ok(id),
                _ => Err(mismatch(
                    name,
                    Some(describe(width, output)),
                    found.map(|(w, o)| describe(w, o)),
                )),
            }
        };
        let ids = |list: &[(&'static str, u32)], output| {
            let ids = list.iter().map(|(name, width)| find(name, *width, output));
            ids.collect::<Result<Vec<_>, _>>()
        };
        let wiring = Wiring {
            inputs: ids(&inputs, false)?,
            outputs: ids(&outputs, true)?,
        };
        for name in clock {
            find(name, 1, false)?;
        }
        for (id, name, width, output) in self.model.ports() {
            let known = wiring.inputs.contains(&id) || wiring.outputs.contains(&id);
            if !known && !clock.contains(&name) {
                return Err(mismatch(name, None, Some(describe(width, output))));
            }
        }
        Ok(wiring)
    }

    fn shapes<P>(
        pins: &[(&'static str, P)],
        width: impl Fn(&P) -> u32,
    ) -> Vec<(&'static str, u32)> {
        pins.iter().map(|(name, pin)| (*name, width(pin))).collect()
    }
}
