use std::ffi::CStr;
use std::path::Path;
use std::ptr;
use std::sync::{Arc, Mutex};

use heddle_verilate::{API_VERSION, MODEL_SYMBOL};
use libloading::Library;

use crate::api::{Api, ApiFunction, NEVER, NO_CLOCK, RawModel};
use crate::error::ModelError;
use crate::port::{PortId, PortSlot};
use crate::wave;

/// What is connected to pins of a model and has a clock in common with it.
pub trait Beside {
    /// Reads outputs, which have settled, in front of a clock edge.
    fn before(&mut self, model: &Model);

    /// Writes inputs behind it.
    fn behind(&mut self, model: &mut Model);
}

/// A verilated design with all pins readable and writable.
///
/// Inputs are 0 at first. After writing inputs call [`eval`](Self::eval) before reading outputs
/// that depend on them without a clock; [`clock`](Self::clock) settles by itself. Port access is
/// a read or write in memory, not a call. Several models of one design are independent.
pub struct Model {
    raw: *mut RawModel,
    api: *const Api,
    top: String,
    ports: Vec<PortSlot>,
    /// Clock cycles since the model was made.
    clocked: u64,
    /// What stands beside it.
    beside: Option<Arc<Mutex<dyn Beside + Send>>>,
    /// Keeps the code mapped; dropped after the model.
    _library: Option<Library>,
}

// SAFETY: a model owns its C++ object and its Verilator context; nothing in it belongs to a
// thread. It is not `Sync`.
unsafe impl Send for Model {}

impl Model {
    /// Opens a library made by `heddle_verilate::build_shared`.
    ///
    /// # Errors
    /// `Load` or `Version`.
    pub fn load(path: &Path) -> Result<Self, ModelError> {
        Self::load_with(path, None)
    }

    /// As [`load`](Self::load); with a seed, registers start with random bits if the library was
    /// built with `XInitial::Unique`.
    ///
    /// # Errors
    /// `Load` or `Version`.
    pub fn load_with(path: &Path, seed: Option<u32>) -> Result<Self, ModelError> {
        let failed = |source| ModelError::Load {
            path: path.to_path_buf(),
            source,
        };
        // SAFETY: the library's initialisers are those of the C++ standard library and Verilator.
        let library = unsafe { Library::new(path) }.map_err(failed)?;
        // SAFETY: the shim defines the symbol with this signature.
        let function = unsafe { library.get::<ApiFunction>(MODEL_SYMBOL.as_bytes()) };
        let function = *function.map_err(failed)?;
        // SAFETY: the library is open; it stays open as long as the model.
        let mut model = unsafe { Self::from_api(function(), seed) }?;
        model._library = Some(library);
        Ok(model)
    }

    /// A model whose code is already in memory, for instance linked in.
    ///
    /// # Safety
    /// `api` comes from a shim of `heddle_verilate` and stays valid as long as the model.
    ///
    /// # Errors
    /// `Version`.
    pub unsafe fn from_api(api: *const Api, seed: Option<u32>) -> Result<Self, ModelError> {
        // SAFETY: the version is the first field of every version of the table.
        let version = unsafe { ptr::read(api.cast::<u32>()) };
        if version != API_VERSION {
            return Err(ModelError::Version {
                found: version,
                expected: API_VERSION,
            });
        }
        // SAFETY: the version tells the layout.
        let table = unsafe { &*api };
        // Verilator takes seeds from 1; 2 means random bits, 0 zeros.
        let (random, seed) = match seed {
            Some(seed) => (2, 1 + (seed % 0x7fff_fffe) as i32),
            None => (0, 1),
        };
        // SAFETY: the functions of the table belong to each other; names are static C strings.
        unsafe {
            let raw = (table.make)(random, seed);
            let count = table.port_count as usize;
            let mut pointers = vec![ptr::null_mut(); count];
            (table.pointers)(raw, pointers.as_mut_ptr());
            let rows = std::slice::from_raw_parts(table.ports, count);
            let text = |s| CStr::from_ptr(s).to_string_lossy().into_owned();
            let ports = rows
                .iter()
                .zip(pointers)
                .map(|(row, pointer)| PortSlot {
                    name: text(row.name),
                    width: row.width,
                    output: row.output != 0,
                    pointer,
                })
                .collect();
            Ok(Self {
                raw,
                api,
                top: text(table.top),
                ports,
                clocked: 0,
                beside: None,
                _library: None,
            })
        }
    }

    fn api(&self) -> &Api {
        // SAFETY: valid as long as the model, by the contract of `from_api`.
        unsafe { &*self.api }
    }

    fn slot(&self, port: PortId) -> &PortSlot {
        &self.ports[port.0 as usize]
    }

    fn input_slot(&self, port: PortId) -> &PortSlot {
        let slot = self.slot(port);
        assert!(
            !slot.output,
            "{} is an output, expected an input",
            slot.name
        );
        slot
    }

    /// Name of the module.
    #[must_use]
    pub fn top(&self) -> &str {
        &self.top
    }

    /// All ports: handle, name, width in bits, and whether it is an output.
    pub fn ports(&self) -> impl Iterator<Item = (PortId, &str, u32, bool)> {
        (0..)
            .zip(&self.ports)
            .map(|(index, p)| (PortId(index), p.name.as_str(), p.width, p.output))
    }

    /// Looks up a port. Do this once, not in every cycle.
    ///
    /// # Errors
    /// `UnknownPort`.
    pub fn port(&self, name: &str) -> Result<PortId, ModelError> {
        match self.ports.iter().position(|p| p.name == name) {
            Some(index) => Ok(PortId(index as u32)),
            None => Err(ModelError::UnknownPort {
                top: self.top.clone(),
                name: name.to_string(),
                known: self
                    .ports
                    .iter()
                    .map(|p| p.name.as_str())
                    .collect::<Vec<_>>()
                    .join(", "),
            }),
        }
    }

    /// Width of a port in bits.
    #[must_use]
    pub fn width(&self, port: PortId) -> u32 {
        self.slot(port).width
    }

    /// Drives an input of at most 64 bits; higher bits of `value` are ignored.
    ///
    /// # Panics
    /// On an output or a wider port.
    #[inline]
    pub fn set(&mut self, port: PortId, value: u64) {
        // SAFETY: the model is alive, `&mut self` excludes others.
        unsafe { self.input_slot(port).write(value) }
    }

    /// Value of a port of at most 64 bits.
    ///
    /// # Panics
    /// On a wider port.
    #[inline]
    #[must_use]
    pub fn get(&self, port: PortId) -> u64 {
        // SAFETY: the model is alive and not being evaluated.
        unsafe { self.slot(port).read() }
    }

    /// Drives an input of any width from 32-bit words, low word first.
    ///
    /// # Panics
    /// On an output or unless there are width / 32 words, rounded up.
    pub fn set_words(&mut self, port: PortId, words: &[u32]) {
        // SAFETY: as `set`.
        unsafe { self.input_slot(port).write_words(words) }
    }

    /// Reads a port of any width into 32-bit words, low word first.
    ///
    /// # Panics
    /// Unless there are width / 32 words, rounded up.
    pub fn get_words(&self, port: PortId, words: &mut [u32]) {
        // SAFETY: as `get`.
        unsafe { self.slot(port).read_words(words) }
    }

    /// Drives bits `lsb` to `lsb + width - 1` of an input: element i of a packed vector of
    /// `width`-bit elements has `lsb = i * width`. At most 64 bits.
    ///
    /// # Panics
    /// On an output or outside the port.
    pub fn set_bits(&mut self, port: PortId, lsb: u32, width: u32, value: u64) {
        // SAFETY: as `set`.
        unsafe { self.input_slot(port).write_bits(lsb, width, value) }
    }

    /// Bits `lsb` to `lsb + width - 1` of a port, at most 64.
    ///
    /// # Panics
    /// Outside the port.
    #[must_use]
    pub fn get_bits(&self, port: PortId, lsb: u32, width: u32) -> u64 {
        // SAFETY: as `get`.
        unsafe { self.slot(port).read_bits(lsb, width) }
    }

    /// Settles combinational logic after inputs changed.
    pub fn eval(&mut self) {
        // SAFETY: the model is alive.
        unsafe { (self.api().eval)(self.raw) }
    }

    /// One clock: rising edge, settle, falling edge, settle. Outputs are then those after the
    /// rising edge.
    ///
    /// # Panics
    /// If the module has no input `clk`.
    pub fn clock(&mut self) {
        self.cycles(1);
    }

    /// `count` clocks with constant inputs; the loop runs in C++.
    ///
    /// # Panics
    /// If the module has no input `clk`.
    pub fn cycles(&mut self, count: u64) {
        let Some(beside) = self.beside.take() else {
            return self.raw_cycles(count);
        };
        {
            let mut other = beside.lock().expect("no clock has failed");
            for _ in 0..count {
                self.eval();
                other.before(self);
                self.raw_cycles(1);
                other.behind(self);
            }
        }
        self.beside = Some(beside);
    }

    /// Puts something beside the model that works in every clock from now on.
    pub fn attach(&mut self, beside: Arc<Mutex<dyn Beside + Send>>) {
        self.beside = Some(beside);
    }

    fn raw_cycles(&mut self, count: u64) {
        self.assert_clock();
        // SAFETY: the model is alive.
        unsafe { (self.api().cycles)(self.raw, count) }
        self.clocked += count;
    }

    /// Clock cycles simulated since the model was made.
    #[must_use]
    pub fn clocked(&self) -> u64 {
        self.clocked
    }

    /// Clocks until `port` has `value` after a cycle, at most `max_cycles`; the loop runs in C++.
    /// Returns the number of cycles, at least 1, or `None` if it never had the value.
    ///
    /// # Panics
    /// If the module has no input `clk` or the port has more than 64 bits.
    pub fn run_until(&mut self, port: PortId, value: u64, max_cycles: u64) -> Option<u64> {
        self.assert_clock();
        let slot = self.slot(port);
        assert!(
            slot.width <= 64,
            "{} has {} bits, expected at most 64",
            slot.name,
            slot.width
        );
        // SAFETY: the model is alive, the port exists and is narrow.
        let cycles = unsafe { (self.api().run_until)(self.raw, port.0, value, max_cycles) };
        let found = cycles != NEVER;
        self.clocked += if found { cycles } else { max_cycles };
        found.then_some(cycles)
    }

    /// How often the text has called `$stop`, as a broken contract does, since the last question.
    pub fn take_stops(&mut self) -> u64 {
        // SAFETY: the model is alive.
        unsafe { (self.api().stops)(self.raw) }
    }

    fn assert_clock(&self) {
        let has_clock = self.api().clock != NO_CLOCK;
        assert!(has_clock, "{} has no input clk", self.top);
    }

    /// Starts writing a wave file, in the format the model was built for; ends an earlier one. One
    /// clock is 10 ns in the file; inputs change at the falling edge.
    ///
    /// # Errors
    /// `NoTrace` or `Wave`.
    pub fn trace_open(&mut self, path: &Path) -> Result<(), ModelError> {
        if self.api().trace == 0 {
            return Err(ModelError::NoTrace {
                top: self.top.clone(),
            });
        }
        let file = wave::prepare(path)?;
        // SAFETY: the model is alive, the path is a C string.
        let opened = unsafe { (self.api().trace_open)(self.raw, file.as_ptr()) };
        if opened == 0 {
            return Err(ModelError::Wave {
                path: path.to_path_buf(),
                reason: "verilator cannot open it".into(),
            });
        }
        Ok(())
    }

    /// Completes the wave file, if one is open.
    pub fn trace_close(&mut self) {
        // SAFETY: the model is alive.
        unsafe { (self.api().trace_close)(self.raw) };
    }

    /// Completes the wave file that was opened at `path`, and tells whether all of it is there.
    ///
    /// # Errors
    /// `Wave`, for instance if the disk is full.
    pub fn trace_finish(&mut self, path: &Path) -> Result<(), ModelError> {
        // SAFETY: the model is alive.
        let error = unsafe { (self.api().trace_close)(self.raw) };
        wave::check(path, error)
    }
}

impl Drop for Model {
    /// # Panics
    /// If the text has called `$stop`: what it checks does not hold, whatever the outputs are.
    fn drop(&mut self) {
        let stops = self.take_stops();
        // SAFETY: the model is alive until here, the library still open.
        unsafe { (self.api().destroy)(self.raw) }
        assert!(
            stops == 0 || std::thread::panicking(),
            "{}: {stops} breaches of contracts, told above",
            self.top
        );
    }
}
