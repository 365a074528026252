//! The first stage: the layers of a network, the connections between them, and what the host does.

use std::fmt::Write;

use heddle_network::{Layer, Network, Shape, Work};

/// Who does the work of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// The host: writes the state buffer over the port, or reads it.
    Host,
    /// The machine, by instructions.
    Machine,
}

/// A node of the graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Name; that of the layer if it is one.
    pub name: String,
    /// What is done.
    pub work: String,
    /// Who does it.
    pub place: Place,
    /// The layer, if it is one.
    pub layer: Option<usize>,
    /// Nodes whose outputs it takes.
    pub inputs: Vec<usize>,
    /// Shape of its output.
    pub output: Shape,
}

/// A network as nodes and connections, in an order in which they can run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    /// Name of the network.
    pub name: String,
    /// The nodes. The host writes the input first and reads the outputs last.
    pub nodes: Vec<Node>,
}

impl Graph {
    /// The graph of a network.
    #[must_use]
    pub fn of(network: &Network) -> Self {
        let host = |name: &str, work: &str, inputs, output| Node {
            name: name.to_string(),
            work: work.to_string(),
            place: Place::Host,
            layer: None,
            inputs,
            output,
        };
        let mut nodes = vec![host("input", "write input", Vec::new(), network.input)];
        for (index, layer) in network.layers.iter().enumerate() {
            nodes.push(Node {
                name: layer.name.clone(),
                work: work(layer),
                place: Place::Machine,
                layer: Some(index),
                // Node i makes tensor i.
                inputs: layer.inputs.iter().map(|input| input.tensor).collect(),
                output: layer.output,
            });
        }
        for &tensor in &network.outputs {
            let (shape, _) = network.tensor(tensor);
            nodes.push(host("output", "read output", vec![tensor], shape));
        }
        Self {
            name: network.name.clone(),
            nodes,
        }
    }

    /// A line for each node.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = format!("graph of {}\n", self.name);
        for (index, node) in self.nodes.iter().enumerate() {
            let place = match node.place {
                Place::Host => "host",
                Place::Machine => "machine",
            };
            let inputs: Vec<&str> = node
                .inputs
                .iter()
                .map(|&i| self.nodes[i].name.as_str())
                .collect();
            let from = match inputs.is_empty() {
                true => String::new(),
                false => format!(" from {}", inputs.join(", ")),
            };
            let (name, work, shape) = (&node.name, &node.work, shape(node.output));
            writeln!(
                text,
                "{index:>4}  {place:<7}  {name}: {work}{from} -> {shape}"
            )
            .expect("a string takes everything");
        }
        text
    }

    /// The graph in the language of Graphviz.
    #[must_use]
    pub fn dot(&self) -> String {
        let mut text = format!("digraph {} {{\n  node [shape=box];\n", quoted(&self.name));
        for (index, node) in self.nodes.iter().enumerate() {
            let style = match node.place {
                Place::Host => ", style=dashed",
                Place::Machine => "",
            };
            let label = format!("{}\n{}", node.name, node.work);
            let label = quoted(&label);
            writeln!(text, "  n{index} [label={label}{style}];")
                .expect("a string takes everything");
        }
        for (index, node) in self.nodes.iter().enumerate() {
            for &input in &node.inputs {
                let label = quoted(&shape(self.nodes[input].output));
                writeln!(text, "  n{input} -> n{index} [label={label}];")
                    .expect("a string takes everything");
            }
        }
        text + "}\n"
    }
}

fn work(layer: &Layer) -> String {
    let pair = |[a, b]: [u32; 2]| format!("{a}x{b}");
    let mut words = vec![layer.kind.name().to_string()];
    words.extend(layer.words());
    if layer.stride != [1, 1] {
        words.push(format!("stride {}", pair(layer.stride)));
    }
    if layer.dilation != [1, 1] {
        words.push(format!("dilation {}", pair(layer.dilation)));
    }
    if layer.groups > 1 && layer.work() == Work::Weighted {
        words.push(format!("groups {}", layer.groups));
    }
    words.join(" ")
}

fn shape(shape: Shape) -> String {
    format!("{} x {} x {}", shape.channels, shape.height, shape.width)
}

/// A string of Graphviz.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            c if c.is_control() => quoted.push(' '),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}
