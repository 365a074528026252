//! A host at the plain memory-mapped port of the machine.

use heddle_arch::host::{
    CTRL_START, ClusterStream, ColumnScale, ColumnSelect, Counter, Register, Status,
    activation_address, bias_bits, buffer_address, cluster_address, cluster_counter_address,
    column_address, program_address, program_pair_address, row_offset_address, row_offset_bits,
};
use heddle_arch::params::{Params, ProgramMemory};
use heddle_arch::word::WordBytes;

use crate::error::ModelError;
use crate::model::Model;
use crate::pins::{PATIENCE_CYCLES, Pins};
use crate::registers::RegisterPort;

/// Why the machine could not be driven.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HostError {
    /// The model is not a machine.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The port did not take or answer a request.
    #[error("host port: no {what} within {cycles} cycles at address 0x{address:08x}")]
    Timeout {
        /// What was awaited.
        what: &'static str,
        /// Cycles waited.
        cycles: u64,
        /// Byte address of the request.
        address: u32,
    },
    /// The machine stopped with an error.
    #[error("the machine stopped with {code} at program word {pc}")]
    Stopped {
        /// Number and name of the error, see `docs/isa.md`.
        code: String,
        /// Word address of the instruction.
        pc: u16,
    },
    /// The program still ran.
    #[error("the program at word {pc} still runs after {cycles} cycles")]
    StillRunning {
        /// Start of the program.
        pc: u32,
        /// Cycles that were allowed.
        cycles: u64,
    },
}

/// One step of a host, for replay elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Access {
    /// A word written.
    Write {
        /// Byte address.
        address: u32,
        /// The word.
        data: u64,
    },
    /// Words read one after the other, a request in every clock.
    Read {
        /// Byte addresses.
        addresses: Vec<u32>,
        /// What the machine answered.
        answers: Vec<u64>,
    },
    /// One clock, then clocks until no program runs any more.
    Wait,
}

/// The registers did not answer in time.
fn no_answer(what: &'static str, address: u32) -> HostError {
    HostError::Timeout {
        what,
        cycles: PATIENCE_CYCLES,
        address,
    }
}

/// How the machine is reached.
enum Port {
    Host(Pins),
    Registers(RegisterPort),
}

/// Drives a verilated machine through its host port, or through its registers if it has these.
pub struct Host {
    model: Model,
    port: Port,
    rows: u32,
    memory: ProgramMemory,
    record: Option<Vec<Access>>,
}

impl Host {
    /// Resets the machine of this configuration and takes over its port.
    ///
    /// # Errors
    /// `Model` if the design has neither.
    pub fn new(mut model: Model, params: &Params) -> Result<Self, HostError> {
        let port = match model.port("aresetn") {
            Ok(_) => Port::Registers(RegisterPort::new(&mut model)?),
            Err(_) => Port::Host(Pins::new(&mut model)?),
        };
        Ok(Self {
            model,
            port,
            rows: params.array.rows,
            memory: params.program.memory,
            record: None,
        })
    }

    /// The model behind the port.
    pub fn model(&mut self) -> &mut Model {
        &mut self.model
    }

    /// The model and its registers, if it has these.
    pub fn registers(&mut self) -> Option<(&mut Model, &mut RegisterPort)> {
        match &mut self.port {
            Port::Host(_) => None,
            Port::Registers(port) => Some((&mut self.model, port)),
        }
    }

    /// Writes a register of the register port, by its address.
    ///
    /// # Errors
    /// `Timeout`, also where there is no such port.
    pub fn set_register(&mut self, address: u32, word: u32) -> Result<(), HostError> {
        let lost = |what| no_answer(what, address);
        let (model, port) = self.registers().ok_or(lost("register port"))?;
        port.bus().write(model, address, word, 0b1111).map_err(lost)
    }

    /// Reads a register of the register port, by its address.
    ///
    /// # Errors
    /// `Timeout`, also where there is no such port.
    pub fn register(&mut self, address: u32) -> Result<u32, HostError> {
        let lost = |what| no_answer(what, address);
        let (model, port) = self.registers().ok_or(lost("register port"))?;
        port.bus().read(model, address).map_err(lost)
    }

    /// Clock cycles simulated since the model was made.
    #[must_use]
    pub fn cycles(&self) -> u64 {
        self.model.clocked()
    }

    /// Starts a record of all accesses.
    pub fn start_record(&mut self) {
        self.record = Some(Vec::new());
    }

    /// Ends the record and gives the accesses since its start.
    pub fn take_record(&mut self) -> Vec<Access> {
        self.record.take().unwrap_or_default()
    }

    fn note(&mut self, access: impl FnOnce() -> Access) {
        if let Some(record) = &mut self.record {
            record.push(access());
        }
    }

    /// Puts a write on the port and clocks until it is taken.
    fn request(&mut self, address: u32, data: u64) -> Result<(), HostError> {
        let model = &mut self.model;
        match &mut self.port {
            Port::Host(pins) => pins.write(model, address, data),
            Port::Registers(port) => {
                let written = port.write(model, address, data);
                written.map_err(|what| no_answer(what, address))
            }
        }
    }

    /// Writes 64 bits at a byte address.
    ///
    /// # Errors
    /// `Timeout`.
    pub fn write(&mut self, address: u32, data: u64) -> Result<(), HostError> {
        self.note(|| Access::Write { address, data });
        self.request(address, data)
    }

    /// Reads 64 bits at a byte address.
    ///
    /// # Errors
    /// `Timeout`.
    pub fn read(&mut self, address: u32) -> Result<u64, HostError> {
        Ok(self.read_all(&[address])?[0])
    }

    /// Reads one word after the other, a request in every clock.
    ///
    /// # Errors
    /// `Timeout`.
    pub fn read_all(&mut self, addresses: &[u32]) -> Result<Vec<u64>, HostError> {
        let answers = match &mut self.port {
            Port::Host(pins) => pins.read_all(&mut self.model, addresses, u64::from(self.rows))?,
            Port::Registers(port) => {
                let read = addresses.iter().map(|&address| {
                    let word = port.read(&mut self.model, address);
                    word.map_err(|what| no_answer(what, address))
                });
                read.collect::<Result<Vec<_>, _>>()?
            }
        };
        self.note(|| Access::Read {
            addresses: addresses.to_vec(),
            answers: answers.clone(),
        });
        Ok(answers)
    }

    /// Writes instruction words from program word `first` on. In banks words are written in pairs: one beside them that is
    /// not given becomes 0.
    ///
    /// # Errors
    /// `Timeout`.
    pub fn write_program(&mut self, first: u32, words: &[u32]) -> Result<(), HostError> {
        if self.memory == ProgramMemory::Separate {
            for (at, &word) in (first..).zip(words) {
                self.write(program_address(at), u64::from(word))?;
            }
            return Ok(());
        }
        let mut pairs = vec![0; (first % 2) as usize];
        pairs.extend_from_slice(words);
        for (pair, words) in (first / 2..).zip(pairs.chunks(2)) {
            let second = words.get(1).copied().unwrap_or(0);
            let data = u64::from(second) << 32 | u64::from(words[0]);
            self.write(program_pair_address(pair), data)?;
        }
        Ok(())
    }

    /// Writes bias and scale of a column for a column tile.
    ///
    /// # Errors
    /// `Timeout`.
    pub fn write_column(
        &mut self,
        column: u32,
        tile: u32,
        bias: i32,
        scale: impl Into<ColumnScale>,
    ) -> Result<(), HostError> {
        let address = column_address(column, tile, ColumnSelect::Bias);
        self.write(address, bias_bits(bias))?;
        self.write_scale(column, tile, scale)
    }

    /// Writes the scale of a column for a column tile.
    ///
    /// # Errors
    /// `Timeout`.
    pub fn write_scale(
        &mut self,
        column: u32,
        tile: u32,
        scale: impl Into<ColumnScale>,
    ) -> Result<(), HostError> {
        let address = column_address(column, tile, ColumnSelect::Scale);
        self.write(address, scale.into().bits())
    }

    /// Writes an entry of the offset table of a row; none makes it invalid.
    ///
    /// # Errors
    /// `Timeout`.
    pub fn write_row_offset(
        &mut self,
        row: u32,
        entry: u32,
        offset: Option<u16>,
    ) -> Result<(), HostError> {
        self.write(row_offset_address(row, entry), row_offset_bits(offset))
    }

    /// Writes an entry of an activation table: what is stored instead of `byte`. Tables count from 0 on.
    ///
    /// # Errors
    /// `Timeout`.
    pub fn write_activation(&mut self, table: u32, byte: u8, stored: u8) -> Result<(), HostError> {
        self.write(activation_address(table, byte.into()), stored.into())
    }

    /// Sends words to the sparse cluster, in this order, and waits until it has nothing under way.
    ///
    /// # Errors
    /// `Timeout`, also if it waits for more.
    pub fn write_cluster(&mut self, words: &[(ClusterStream, u64)]) -> Result<(), HostError> {
        for &(stream, word) in words {
            self.write(cluster_address(stream), word)?;
        }
        for _ in 0..PATIENCE_CYCLES {
            if !self.status()?.cluster {
                return Ok(());
            }
        }
        Err(HostError::Timeout {
            what: "end of the commands of the cluster",
            cycles: PATIENCE_CYCLES,
            address: Register::Status.address(),
        })
    }

    /// Counters of the sparse cluster from number 0 on.
    ///
    /// # Errors
    /// `Timeout`.
    pub fn cluster_counters(&mut self, count: u32) -> Result<Vec<u32>, HostError> {
        let addresses: Vec<u32> = (0..count).map(cluster_counter_address).collect();
        let values = self.read_all(&addresses)?.into_iter();
        Ok(values.map(|value| value as u32).collect())
    }

    /// Sets the zero point of state-buffer bytes that pass the port.
    ///
    /// # Errors
    /// `Timeout`.
    pub fn set_zero(&mut self, zero_point: i8) -> Result<(), HostError> {
        let byte = u64::from(zero_point as u8);
        self.write(Register::HostZero.address(), byte)
    }

    /// Writes one word of a partition.
    ///
    /// # Errors
    /// `Timeout`.
    pub fn write_word(
        &mut self,
        partition: u32,
        word: u32,
        bytes: WordBytes,
    ) -> Result<(), HostError> {
        self.write(buffer_address(partition, word), u64::from_le_bytes(bytes))
    }

    /// Writes words of partitions: partition, word and bytes.
    ///
    /// # Errors
    /// `Timeout`.
    pub fn write_words(&mut self, words: &[(u32, u32, WordBytes)]) -> Result<(), HostError> {
        for &(partition, word, bytes) in words {
            self.write_word(partition, word, bytes)?;
        }
        Ok(())
    }

    /// Reads words of partitions.
    ///
    /// # Errors
    /// `Timeout`.
    pub fn read_words(&mut self, places: &[(u32, u32)]) -> Result<Vec<WordBytes>, HostError> {
        let addresses: Vec<u32> = places.iter().map(|&(p, w)| buffer_address(p, w)).collect();
        let words = self.read_all(&addresses)?;
        Ok(words.into_iter().map(u64::to_le_bytes).collect())
    }

    /// Value of a counter.
    ///
    /// # Errors
    /// `Timeout`.
    pub fn counter(&mut self, counter: Counter) -> Result<u32, HostError> {
        Ok(self.read(counter.address())? as u32)
    }

    /// All counters in the order of their registers.
    ///
    /// # Errors
    /// `Timeout`.
    pub fn counters(&mut self) -> Result<Vec<(Counter, u32)>, HostError> {
        let addresses = Counter::ALL.map(Counter::address);
        let values = self.read_all(&addresses)?.into_iter();
        Ok(Counter::ALL
            .into_iter()
            .zip(values.map(|value| value as u32))
            .collect())
    }

    /// The status register.
    ///
    /// # Errors
    /// `Timeout`.
    pub fn status(&mut self) -> Result<Status, HostError> {
        Ok(Status::from_bits(self.read(Register::Status.address())?))
    }

    /// Clocks until no program runs, at most `limit` cycles; the clocks it took, `None` if one still runs.
    ///
    /// # Errors
    /// `Timeout`.
    pub fn wait_end(&mut self, limit: u64) -> Result<Option<u64>, HostError> {
        let model = &mut self.model;
        let port = match &self.port {
            Port::Host(pins) => {
                model.clock();
                return Ok(model.run_until(pins.running, 0, limit));
            }
            Port::Registers(port) => port,
        };
        let begin = model.clocked();
        loop {
            let runs = port.runs(model);
            let clocks = model.clocked() - begin;
            match runs.map_err(|what| no_answer(what, 0))? {
                false => return Ok(Some(clocks)),
                true if clocks > limit => return Ok(None),
                true => {}
            }
        }
    }

    /// Starts the program at word `pc` and clocks until it ends, at most `limit` cycles; the clock
    /// loop runs in C++. Gives the cycles clocked.
    ///
    /// # Errors
    /// `Stopped` if the machine met an error, `StillRunning`, `Timeout`.
    pub fn run(&mut self, pc: u32, limit: u64) -> Result<u64, HostError> {
        self.write(Register::StartPc.address(), u64::from(pc))?;
        self.write(Register::Ctrl.address(), CTRL_START)?;
        self.note(|| Access::Wait);
        let cycles = self
            .wait_end(limit)?
            .ok_or(HostError::StillRunning { pc, cycles: limit })?;
        let status = self.status()?;
        if status.error {
            return Err(HostError::Stopped {
                code: status.error_code().map_or_else(
                    || format!("error code {}", status.code),
                    |code| format!("error {} ({})", status.code, code.name()),
                ),
                pc: status.pc,
            });
        }
        Ok(cycles)
    }
}
