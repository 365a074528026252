//! The passes, each with one purpose; [`emit`](mod@crate::emit) runs them in order.
//!
//! | pass | in | out |
//! |---|---|---|
//! | [`dedup`] | rust-hdl tree | each structurally different block once, leaves first |
//! | [`naming`] | names of fields and blocks | names that every tool accepts, unique |
//! | [`pack`] | signals and ports | nets: arrays as packed vectors |
//! | [`unroll`] | kernel | statements without loops and links |
//! | [`widths`] | kernel expression | expression of exact width |
//! | [`fold`] | operands | expression with everything constant computed |
//! | [`legality`] | netlist | refuses latches, loops, second drivers, reset logic |
//! | [`schedule`] | statements | continuous assignments, processes, next values |
//! | [`scatter`] | arrays whose elements feed each other | a net for each element |
//! | [`forward`] | copies and constants among such nets | read at their source |
//! | [`connect`] | assignments of ports | connections, copies gone |
//! | [`registers`] | registers and next values | clocked processes by control |
//! | [`generate`] | items per array element | loops, operations on vectors |
//! | [`grid`] | modules of a grid | one module with loops in processes (loop style) |
//! | [`unused`] | module | bits that nothing reads, named |
//! | [`polarity`] | module with `rst_n` | module with `rst` |

pub mod connect;
pub mod contracts;
pub mod dedup;
pub mod fold;
pub mod forward;
pub mod generate;
pub mod grid;
pub mod legality;
pub mod naming;
pub mod pack;
pub mod polarity;
pub mod registers;
pub mod scatter;
pub mod schedule;
pub mod unroll;
pub mod unused;
pub mod widths;
