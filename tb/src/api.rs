use std::ffi::{c_char, c_int, c_void};

/// One row of the port table in a compiled model.
#[repr(C)]
pub(crate) struct ApiPort {
    pub name: *const c_char,
    pub width: u32,
    pub output: u32,
}

/// The C++ object behind a model.
#[repr(C)]
pub(crate) struct RawModel {
    _private: [u8; 0],
}

/// Function table that a compiled model exports. Keep in step with the struct of the same name
/// in `tb/verilate/src/shim.cpp.in` and with `heddle_verilate::API_VERSION`.
#[repr(C)]
pub struct Api {
    pub(crate) version: u32,
    pub(crate) port_count: u32,
    pub(crate) ports: *const ApiPort,
    pub(crate) top: *const c_char,
    pub(crate) clock: u32,
    pub(crate) trace: u32,
    pub(crate) make: unsafe extern "C" fn(random: c_int, seed: c_int) -> *mut RawModel,
    pub(crate) destroy: unsafe extern "C" fn(*mut RawModel),
    pub(crate) pointers: unsafe extern "C" fn(*mut RawModel, *mut *mut c_void),
    pub(crate) eval: unsafe extern "C" fn(*mut RawModel),
    pub(crate) cycles: unsafe extern "C" fn(*mut RawModel, count: u64),
    pub(crate) run_until:
        unsafe extern "C" fn(*mut RawModel, port: u32, value: u64, max_cycles: u64) -> u64,
    pub(crate) trace_open: unsafe extern "C" fn(*mut RawModel, path: *const c_char) -> c_int,
    pub(crate) trace_close: unsafe extern "C" fn(*mut RawModel) -> c_int,
    pub(crate) stops: unsafe extern "C" fn(*mut RawModel) -> u64,
}

/// Value of `clock` in a model without an input `clk`.
pub(crate) const NO_CLOCK: u32 = u32::MAX;

/// Value that `run_until` returns when the condition never held.
pub(crate) const NEVER: u64 = u64::MAX;

/// The function that returns a model's table.
pub(crate) type ApiFunction = unsafe extern "C" fn() -> *const Api;
