//! The emitted GEMM core against its golden model and against nested loops: results, their order,
//! reads and stalls of many variants.

mod bench;
#[path = "../beside/mod.rs"]
mod beside;
mod document;
mod driven;
mod examples;
mod faults;
mod files;
mod layer;
mod loops;
mod netlist;
mod operands;
mod order;
mod pins;
mod prefetch;
mod random;
mod reads;
#[path = "../rtl/mod.rs"]
mod rtl;
mod runs;
mod shapes;
mod shown;
mod sides;
mod stored;
mod synthesis;
mod variants;
mod worked;
