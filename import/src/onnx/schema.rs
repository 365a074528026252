//! The messages of an ONNX file that are read here.
//!
//! Numbers are those of the published schema (onnx.proto3 of onnx 1.23, IR version 14); fields that nobody reads are left
//! out and skipped. Names may be left out, numbers and texts then have their default.

use prost::Message;

/// The file.
#[derive(Clone, PartialEq, Message)]
pub struct Model {
    #[prost(int64, tag = "1")]
    pub ir_version: i64,
    #[prost(message, optional, tag = "7")]
    pub graph: Option<Graph>,
    #[prost(message, repeated, tag = "8")]
    pub operator_sets: Vec<OperatorSet>,
}

/// A domain of operators, and the version of their meaning.
#[derive(Clone, PartialEq, Message)]
pub struct OperatorSet {
    #[prost(string, tag = "1")]
    pub domain: String,
    #[prost(int64, tag = "2")]
    pub version: i64,
}

#[derive(Clone, PartialEq, Message)]
pub struct Graph {
    #[prost(message, repeated, tag = "1")]
    pub nodes: Vec<Node>,
    #[prost(message, repeated, tag = "5")]
    pub initializers: Vec<Tensor>,
    #[prost(message, repeated, tag = "11")]
    pub inputs: Vec<ValueInfo>,
    #[prost(message, repeated, tag = "12")]
    pub outputs: Vec<ValueInfo>,
    #[prost(message, repeated, tag = "13")]
    pub value_infos: Vec<ValueInfo>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Node {
    #[prost(string, repeated, tag = "1")]
    pub inputs: Vec<String>,
    #[prost(string, repeated, tag = "2")]
    pub outputs: Vec<String>,
    #[prost(string, tag = "3")]
    pub name: String,
    #[prost(string, tag = "4")]
    pub operator: String,
    #[prost(message, repeated, tag = "5")]
    pub attributes: Vec<Attribute>,
    #[prost(string, tag = "7")]
    pub domain: String,
}

/// A setting of an operator: the field of its kind has the value.
#[derive(Clone, PartialEq, Message)]
pub struct Attribute {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(float, tag = "2")]
    pub float: f32,
    #[prost(int64, tag = "3")]
    pub int: i64,
    #[prost(bytes = "vec", tag = "4")]
    pub text: Vec<u8>,
    #[prost(message, optional, boxed, tag = "5")]
    pub tensor: Option<Box<Tensor>>,
    #[prost(float, repeated, tag = "7")]
    pub floats: Vec<f32>,
    #[prost(int64, repeated, tag = "8")]
    pub ints: Vec<i64>,
}

/// A constant: its elements lie in `raw`, or in the list that its type has.
#[derive(Clone, PartialEq, Message)]
pub struct Tensor {
    #[prost(int64, repeated, tag = "1")]
    pub sizes: Vec<i64>,
    #[prost(int32, tag = "2")]
    pub element: i32,
    #[prost(float, repeated, tag = "4")]
    pub floats: Vec<f32>,
    /// int32, and all shorter ones.
    #[prost(int32, repeated, tag = "5")]
    pub ints: Vec<i32>,
    #[prost(int64, repeated, tag = "7")]
    pub longs: Vec<i64>,
    #[prost(string, tag = "8")]
    pub name: String,
    #[prost(bytes = "vec", tag = "9")]
    pub raw: Vec<u8>,
    /// Where in another file the elements are.
    #[prost(message, repeated, tag = "13")]
    pub external: Vec<Entry>,
    /// 1: the elements are in another file.
    #[prost(int32, tag = "14")]
    pub location: i32,
}

/// A setting of a constant in another file.
#[derive(Clone, PartialEq, Message)]
pub struct Entry {
    #[prost(string, tag = "1")]
    pub key: String,
    #[prost(string, tag = "2")]
    pub value: String,
}

/// Name, type and shape of a tensor.
#[derive(Clone, PartialEq, Message)]
pub struct ValueInfo {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(message, optional, tag = "2")]
    pub kind: Option<Type>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Type {
    #[prost(message, optional, tag = "1")]
    pub tensor: Option<TensorType>,
}

#[derive(Clone, PartialEq, Message)]
pub struct TensorType {
    #[prost(int32, tag = "1")]
    pub element: i32,
    #[prost(message, optional, tag = "2")]
    pub shape: Option<Shape>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Shape {
    #[prost(message, repeated, tag = "1")]
    pub sizes: Vec<Dimension>,
}

/// A size, or the name of one that is not known.
#[derive(Clone, PartialEq, Message)]
pub struct Dimension {
    #[prost(int64, optional, tag = "1")]
    pub value: Option<i64>,
    #[prost(string, tag = "2")]
    pub name: String,
}

/// What a file must have to be one, without its contents.
#[derive(Clone, PartialEq, Message)]
pub struct Head {
    #[prost(int64, tag = "1")]
    pub ir_version: i64,
    #[prost(message, optional, tag = "7")]
    pub graph: Option<Seen>,
}

/// A message of which nothing is read.
#[derive(Clone, PartialEq, Message)]
pub struct Seen {}
