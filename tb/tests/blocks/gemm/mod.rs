//! The emitted GEMM core against its golden model and against nested loops: results, their order,
//! reads and stalls of many variants.

mod bench;
mod document;
mod driven;
mod examples;
mod faults;
mod files;
mod layer;
mod loops;
mod netlist;
mod operands;
mod pins;
mod random;
mod reads;
mod runs;
mod shapes;
mod shown;
mod sides;
mod stored;
mod synthesis;
mod variants;
mod worked;
