use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// Cycles between changes of the probability that a one-bit input is high.
const PHASE_CYCLES: u64 = 48;

/// A pin list with one value per element.
#[derive(Debug, Clone, Default)]
pub(crate) struct Values {
    pub pins: Vec<PinState>,
}

/// A pin with the values of its elements.
#[derive(Debug, Clone)]
pub(crate) struct PinState {
    pub name: &'static str,
    pub width: u32,
    pub is_array: bool,
    pub values: Vec<u64>,
}

impl PinState {
    /// `name` or `name[element]`.
    pub(crate) fn element_name(&self, element: usize) -> String {
        if self.is_array {
            format!("{}[{element}]", self.name)
        } else {
            self.name.to_string()
        }
    }

    fn mask(&self) -> u64 {
        u64::MAX >> (64 - self.width.clamp(1, 64))
    }
}

impl Values {
    pub(crate) fn find(&self, name: &str) -> Option<&PinState> {
        self.pins.iter().find(|pin| pin.name == name)
    }

    /// All values, for messages.
    pub(crate) fn describe(&self) -> String {
        let mut list = Vec::new();
        for pin in &self.pins {
            for (element, value) in pin.values.iter().enumerate() {
                list.push(format!("{} {value:#x}", pin.element_name(element)));
            }
        }
        list.join(", ")
    }
}

/// What the pins of the rust-hdl circuit were in one cycle.
pub struct Sample {
    pub(crate) inputs: Values,
    pub(crate) before: Values,
    pub(crate) after: Values,
}

impl Sample {
    /// An input, or an output before the clock edge.
    ///
    /// # Panics
    /// If there is no such pin.
    #[must_use]
    #[track_caller]
    pub fn get(&self, name: &str, element: usize) -> u64 {
        let pin = self.inputs.find(name).or_else(|| self.before.find(name));
        pin.unwrap_or_else(|| panic!("no pin {name}")).values[element]
    }

    /// A one-bit pin as a condition: element 0 of [`get`](Self::get) is not 0.
    #[must_use]
    #[track_caller]
    pub fn is(&self, name: &str) -> bool {
        self.get(name, 0) != 0
    }

    /// An output after the clock edge.
    ///
    /// # Panics
    /// If there is no such output.
    #[must_use]
    #[track_caller]
    pub fn after(&self, name: &str, element: usize) -> u64 {
        let pin = self.after.find(name);
        pin.unwrap_or_else(|| panic!("no output {name}")).values[element]
    }
}

/// The inputs of the coming cycle: random at first, to be changed by the closures of a test.
pub struct Stimulus<'a> {
    /// Source of random numbers of this run.
    pub rng: &'a mut ChaCha8Rng,
    /// Cycle, from 0, reset cycles included.
    pub cycle: u64,
    pub(crate) inputs: &'a mut Values,
    pub(crate) outputs: &'a Values,
    pub(crate) previous: &'a Values,
}

impl Stimulus<'_> {
    /// Sets one element of an input; higher bits of the value are ignored.
    ///
    /// # Panics
    /// If there is no such input.
    #[track_caller]
    pub fn set(&mut self, name: &str, element: usize, value: u64) {
        let pin = self.inputs.pins.iter_mut().find(|pin| pin.name == name);
        let pin = pin.unwrap_or_else(|| panic!("no input {name}"));
        pin.values[element] = value & pin.mask();
    }

    /// An input of this cycle as set so far, or an output after the last clock edge.
    ///
    /// # Panics
    /// If there is no such pin.
    #[must_use]
    #[track_caller]
    pub fn get(&self, name: &str, element: usize) -> u64 {
        let pin = self.inputs.find(name).or_else(|| self.outputs.find(name));
        pin.unwrap_or_else(|| panic!("no pin {name}")).values[element]
    }

    /// An output of the last cycle before its clock edge, for instance whether a request that
    /// was valid was also taken.
    ///
    /// # Panics
    /// If there is no such output.
    #[must_use]
    #[track_caller]
    pub fn previous(&self, name: &str, element: usize) -> u64 {
        let pin = self.previous.find(name);
        pin.unwrap_or_else(|| panic!("no output {name}")).values[element]
    }

    /// True with the given probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.rng.random_bool(probability)
    }

    /// A number from 0 to `count - 1`.
    pub fn below(&mut self, count: u64) -> u64 {
        self.rng.random_range(0..count)
    }
}

/// Random inputs that reach corners: one-bit inputs change between mostly low, balanced and
/// mostly high; wider ones are uniform, held, or extreme.
pub(crate) struct Randomiser {
    probabilities: Vec<f64>,
}

impl Randomiser {
    pub(crate) fn new(inputs: &Values) -> Self {
        Self {
            probabilities: vec![0.5; inputs.pins.len()],
        }
    }

    pub(crate) fn fill(&mut self, inputs: &mut Values, cycle: u64, rng: &mut ChaCha8Rng) {
        let new_phase = cycle % PHASE_CYCLES == 0;
        for (pin, probability) in inputs.pins.iter_mut().zip(&mut self.probabilities) {
            if new_phase {
                *probability = [0.04, 0.5, 0.5, 0.96][rng.random_range(0..4)];
            }
            let mask = pin.mask();
            for value in &mut pin.values {
                if pin.width == 1 {
                    *value = u64::from(rng.random_bool(*probability));
                    continue;
                }
                *value = match rng.random_range(0..16) {
                    0 => 0,
                    1 => mask,
                    2 => mask >> 1,
                    3 => (mask >> 1) + 1,
                    4 => 1 << rng.random_range(0..pin.width),
                    5 | 6 => *value,
                    7 | 8 => rng.random_range(0..16) & mask,
                    _ => rng.random::<u64>() & mask,
                };
            }
        }
    }
}
