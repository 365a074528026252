//! A host at the registers of a machine, which asks for the same as one at the host port.

use heddle_arch::host::{Counter, Register};
use heddle_arch::isa::fields;
use heddle_arch::registers::{
    self, counter, ctrl, error, error_pc, host_zero, port_addr, port_ctrl, port_rhi, port_rlo,
    port_whi, port_wlo, shape, start_pc, status,
};

use crate::bus::{Bus, Unanswered};
use crate::error::ModelError;
use crate::model::Model;

/// Polls of an access through the window port.
const POLLS: u64 = 1000;

/// The registers of a machine.
pub struct RegisterPort {
    bus: Bus,
    /// PORT_ADDR as it should be.
    next: Option<u32>,
}

impl RegisterPort {
    /// The pins of a model, after a reset.
    ///
    /// # Errors
    /// If it has no such port.
    pub fn new(model: &mut Model) -> Result<Self, ModelError> {
        let bus = Bus::new(model)?;
        Ok(Self { bus, next: None })
    }

    /// Writes a register.
    ///
    /// # Errors
    /// If there is no answer in time.
    pub fn set(
        &self,
        model: &mut Model,
        register: registers::Register,
        word: u32,
    ) -> Result<(), Unanswered> {
        self.bus.write(model, register.offset, word, 0b1111)
    }

    /// Reads a register.
    ///
    /// # Errors
    /// If there is no answer in time.
    pub fn get(&self, model: &mut Model, register: registers::Register) -> Result<u32, Unanswered> {
        self.bus.read(model, register.offset)
    }

    /// Polls STATUS until a bit is low.
    ///
    /// # Errors
    /// If it is not within so many polls.
    fn wait(&self, model: &mut Model, field: fields::Field, polls: u64) -> Result<(), Unanswered> {
        for _ in 0..polls {
            if !field.is_set(self.get(model, status::REGISTER)?) {
                return Ok(());
            }
        }
        Err("end of what is under way")
    }

    /// Whether a program runs.
    ///
    /// # Errors
    /// If the registers do not answer.
    pub fn runs(&self, model: &mut Model) -> Result<bool, Unanswered> {
        Ok(status::RUNNING.is_set(self.get(model, status::REGISTER)?))
    }

    /// The bus, for accesses of any kind.
    pub fn bus(&self) -> &Bus {
        &self.bus
    }

    /// Goes to an address of the window port.
    fn seek(&mut self, model: &mut Model, address: u32) -> Result<(), Unanswered> {
        if self.next != Some(address) {
            self.set(model, port_addr::REGISTER, address)?;
        }
        self.next = Some(address.wrapping_add(8));
        Ok(())
    }

    /// A write of the host port.
    ///
    /// # Errors
    /// If the registers do not answer.
    pub fn write(&mut self, model: &mut Model, address: u32, data: u64) -> Result<(), Unanswered> {
        let is = |register: Register| address == register.address();
        if is(Register::Ctrl) {
            return self.start(model);
        }
        for (register, own) in [
            (Register::StartPc, start_pc::REGISTER),
            (Register::HostZero, host_zero::REGISTER),
        ] {
            if is(register) {
                return self.set(model, own, data as u32);
            }
        }
        self.begin_write(model, address, data)?;
        self.wait(model, status::PORT_BUSY, POLLS)
    }

    /// Asks for a write through the window port, which must not be busy.
    ///
    /// # Errors
    /// If the registers do not answer.
    pub fn begin_write(
        &mut self,
        model: &mut Model,
        address: u32,
        data: u64,
    ) -> Result<(), Unanswered> {
        self.seek(model, address)?;
        self.set(model, port_wlo::REGISTER, data as u32)?;
        self.set(model, port_whi::REGISTER, (data >> 32) as u32)
    }

    /// Asks for a read through the window port, which must not be busy.
    ///
    /// # Errors
    /// If the registers do not answer.
    pub fn begin_read(&mut self, model: &mut Model, address: u32) -> Result<(), Unanswered> {
        self.seek(model, address)?;
        self.set(model, port_ctrl::REGISTER, port_ctrl::READ.mask())
    }

    /// The word of the last read through the window port, when nothing is under way there.
    ///
    /// # Errors
    /// If the registers do not answer, or for too long.
    pub fn word(&self, model: &mut Model) -> Result<u64, Unanswered> {
        self.wait(model, status::PORT_BUSY, POLLS)?;
        let low = self.get(model, port_rlo::REGISTER)?;
        let high = self.get(model, port_rhi::REGISTER)?;
        Ok(u64::from(low) | u64::from(high) << 32)
    }

    /// START. Behind an error it needs a reset, which leaves all memories as they are.
    fn start(&mut self, model: &mut Model) -> Result<(), Unanswered> {
        if status::ERROR.is_set(self.get(model, status::REGISTER)?) {
            self.set(model, ctrl::REGISTER, ctrl::RESET.mask())?;
            self.wait(model, status::RESETTING, POLLS)?;
        }
        self.set(model, ctrl::REGISTER, ctrl::START.mask())
    }

    /// A read of the host port.
    ///
    /// # Errors
    /// If the registers do not answer.
    pub fn read(&mut self, model: &mut Model, address: u32) -> Result<u64, Unanswered> {
        if fields::register_at::REGION.get(address) > 0 {
            self.begin_read(model, address)?;
            return self.word(model);
        }
        let index = fields::register_at::INDEX.get(address);
        if index >= Counter::StallSums.index() {
            let repeat = counter::REGISTER.repeat.expect("several");
            let place = counter::REGISTER.offset + repeat.stride * index;
            return Ok(self.bus.read(model, place)?.into());
        }
        let register = match index {
            _ if address == Register::Status.address() => return self.status(model),
            _ if address == Register::StartPc.address() => start_pc::REGISTER,
            _ if address == Register::HostZero.address() => host_zero::REGISTER,
            _ if address == Register::Shape.address() => shape::REGISTER,
            _ => ctrl::REGISTER,
        };
        Ok(self.get(model, register)?.into())
    }

    /// STATUS of the host port, from three registers.
    fn status(&self, model: &mut Model) -> Result<u64, Unanswered> {
        let [flags, error, pc] = [status::REGISTER, error::REGISTER, error_pc::REGISTER]
            .map(|register| self.get(model, register));
        let (flags, error) = (flags?, error?);
        let word = fields::status::RUNNING.flag(status::RUNNING.is_set(flags))
            | fields::status::DONE.flag(status::DONE.is_set(flags))
            | fields::status::ERROR.flag(status::ERROR.is_set(flags))
            | fields::status::CLUSTER.flag(status::CLUSTER_BUSY.is_set(flags))
            | fields::status::CODE.put(error::CODE.get(error))
            | fields::status::PC.put(error_pc::PC.get(pc?));
        Ok(word.into())
    }
}
