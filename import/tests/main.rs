//! Tests of the importer.

mod damaged;
mod files;
mod networks;
mod operators;
