//! Tests of the importer.

#![allow(clippy::unwrap_used)]

mod batches;
mod damaged;
mod files;
mod functions;
mod islands;
mod networks;
mod onnx;
mod operators;
mod states;
