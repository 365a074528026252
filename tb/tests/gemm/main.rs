//! The emitted GEMM core against its golden model and against nested loops: results, their order,
//! reads and stalls of many variants.

mod bench;
#[path = "../beside/mod.rs"]
mod beside;
mod driven;
mod examples;
mod faults;
mod files;
mod layer;
mod order;
mod pins;
mod prefetch;
mod random;
#[path = "../rtl/mod.rs"]
mod rtl;
mod runs;
mod shapes;
mod sides;
mod stored;
mod variants;
mod worked;
