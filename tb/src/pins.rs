//! The pins of the host port.

use crate::host::HostError;
use crate::model::Model;
use crate::port::PortId;

/// Cycles a request may wait: longer than any hold-off while no program runs.
pub const PATIENCE_CYCLES: u64 = 4096;

/// Handles of the host port.
pub struct Pins {
    valid: PortId,
    ready: PortId,
    write: PortId,
    addr: PortId,
    wdata: PortId,
    rvalid: PortId,
    rdata: PortId,
    /// A program runs.
    pub running: PortId,
}

impl Pins {
    /// Resets the machine.
    ///
    /// # Errors
    /// If there is no such port.
    pub fn new(model: &mut Model) -> Result<Self, HostError> {
        // A reset that is active high has another name.
        let (reset, active) = match model.port("rst_n") {
            Ok(port) => (port, 0),
            Err(error) => (model.port("rst").map_err(|_| error)?, 1),
        };
        let pins = Pins {
            valid: model.port("host_valid_i")?,
            ready: model.port("host_ready_o")?,
            write: model.port("host_write_i")?,
            addr: model.port("host_addr_i")?,
            wdata: model.port("host_wdata_i")?,
            rvalid: model.port("host_rvalid_o")?,
            rdata: model.port("host_rdata_o")?,
            running: model.port("running_o")?,
        };
        model.set(reset, active);
        model.cycles(4);
        model.set(reset, 1 - active);
        model.clock();
        Ok(pins)
    }

    /// Reads one word after the other; `extra` more clocks of patience.
    ///
    /// # Errors
    /// `Timeout`.
    pub fn read_all(
        &self,
        model: &mut Model,
        addresses: &[u32],
        extra: u64,
    ) -> Result<Vec<u64>, HostError> {
        let mut answers = Vec::with_capacity(addresses.len());
        let mut next = addresses.iter();
        let mut pending = next.next();
        let mut idle = 0;
        model.set(self.write, 0);
        while answers.len() < addresses.len() {
            if let Some(&address) = pending {
                model.set(self.valid, 1);
                model.set(self.addr, u64::from(address));
            } else {
                model.set(self.valid, 0);
            }
            model.eval();
            let taken = pending.is_some() && model.get(self.ready) == 1;
            model.clock();
            if taken {
                pending = next.next();
            }
            idle += 1;
            if model.get(self.rvalid) == 1 {
                answers.push(model.get(self.rdata));
                idle = 0;
            }
            if idle > PATIENCE_CYCLES + extra {
                model.set(self.valid, 0);
                return Err(HostError::Timeout {
                    what: "answer",
                    cycles: idle,
                    address: addresses[answers.len()],
                });
            }
        }
        model.set(self.valid, 0);
        Ok(answers)
    }

    /// Puts a write on the port and clocks until it is taken.
    ///
    /// # Errors
    /// `Timeout`.
    pub fn write(&self, model: &mut Model, address: u32, data: u64) -> Result<(), HostError> {
        model.set(self.valid, 1);
        model.set(self.write, 1);
        model.set(self.addr, u64::from(address));
        model.set(self.wdata, data);
        for _ in 0..PATIENCE_CYCLES {
            model.eval();
            let ready = model.get(self.ready) == 1;
            model.clock();
            if ready {
                model.set(self.valid, 0);
                return Ok(());
            }
        }
        model.set(self.valid, 0);
        Err(HostError::Timeout {
            what: "ready",
            cycles: PATIENCE_CYCLES,
            address,
        })
    }
}
