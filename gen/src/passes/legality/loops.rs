//! Combinational dependence: finds loops, and tells which outputs of a block depend on which
//! of its inputs without a register in between.

use crate::cells::{self, Cell, name, reads, written};
use crate::error::Fault;
use crate::ir::{Expr, NetKind, Netlist, Stmt};
use std::collections::{BTreeMap, BTreeSet};

/// Combinational paths of a block: output (port, element) to the inputs it depends on.
pub type Paths = Vec<((String, usize), Vec<(String, usize)>)>;

/// A value in the dependence graph: the final value of a cell, or a value on the way to it.
type Node = usize;

#[derive(Default)]
struct Graph {
    edges: Vec<Vec<Node>>,
    cells: BTreeMap<Cell, Node>,
    names: BTreeMap<Node, Cell>,
}

impl Graph {
    fn node(&mut self) -> Node {
        self.edges.push(Vec::new());
        self.edges.len() - 1
    }

    fn cell(&mut self, cell: Cell) -> Node {
        if let Some(node) = self.cells.get(&cell) {
            return *node;
        }
        let node = self.node();
        self.cells.insert(cell, node);
        self.names.insert(node, cell);
        node
    }
}

/// Checks for loops and returns the paths from inputs to outputs.
pub fn loops(netlist: &Netlist, children: &[Paths]) -> Result<Paths, Fault> {
    let mut graph = Graph::default();
    let mut versions = BTreeMap::new();
    walk(netlist, &mut graph, &mut versions, &netlist.body, &[]);
    for (cell, version) in versions {
        let node = graph.cell(cell);
        graph.edges[node].push(version);
    }
    for instance in &netlist.instances {
        let port = |name: &str| instance.ports.iter().find(|p| p.name == name);
        let count: usize = instance.dims.iter().product();
        for ((out, out_elem), inputs) in &children[instance.block] {
            let out = port(out).expect("paths name ports of the block");
            for (input, in_elem) in inputs {
                let input = port(input).expect("paths name ports of the block");
                for i in 0..count {
                    let to = graph.cell((out.net, i * out.elems + out_elem));
                    let from = graph.cell((input.net, i * input.elems + in_elem));
                    graph.edges[to].push(from);
                }
            }
        }
    }
    let order = order(&graph).map_err(|node| {
        let cell = graph.names.get(&node).copied();
        let cell = cell.map_or_else(|| "a local value".into(), |c| name(&netlist.nets, c));
        Fault::Loop(cell)
    })?;
    Ok(summary(netlist, &graph, &order))
}

/// Adds the values of a list; `versions` holds the latest value of every cell.
fn walk(
    netlist: &Netlist,
    graph: &mut Graph,
    versions: &mut BTreeMap<Cell, Node>,
    list: &[Stmt],
    conditions: &[Node],
) {
    let nets = &netlist.nets;
    for s in list {
        match s {
            Stmt::Assign(target, value) => {
                let (cell, bits) = written(nets, target);
                let mut edges = sources(netlist, graph, versions, value);
                edges.extend(conditions);
                let partial = bits != u128::MAX;
                if let (true, Some(old)) = (partial || !conditions.is_empty(), versions.get(&cell))
                {
                    edges.push(*old);
                }
                let node = graph.node();
                graph.edges[node] = edges;
                graph.names.insert(node, cell);
                versions.insert(cell, node);
            }
            Stmt::If(c, then, other) => {
                let test = sources(netlist, graph, versions, c);
                branches(netlist, graph, versions, &[then, other], test, conditions);
            }
            Stmt::Case(e, arms) => {
                let test = sources(netlist, graph, versions, e);
                let bodies: Vec<&Vec<Stmt>> = arms.iter().map(|(_, b)| b).collect();
                branches(netlist, graph, versions, &bodies, test, conditions);
            }
            Stmt::For(_, _, _, body) => walk(netlist, graph, versions, body, conditions),
            Stmt::Comment(_) => {}
        }
    }
}

fn branches(
    netlist: &Netlist,
    graph: &mut Graph,
    versions: &mut BTreeMap<Cell, Node>,
    bodies: &[&Vec<Stmt>],
    test: Vec<Node>,
    conditions: &[Node],
) {
    let condition = graph.node();
    graph.edges[condition] = test;
    let mut inner = conditions.to_vec();
    inner.push(condition);
    let mut results: BTreeMap<Cell, Vec<Node>> = BTreeMap::new();
    for body in bodies {
        let mut targets = BTreeSet::new();
        cells::assignments(body, &mut |t, _| {
            targets.insert(written(&netlist.nets, t).0);
        });
        let before: Vec<_> = targets
            .iter()
            .map(|c| (*c, versions.get(c).copied()))
            .collect();
        walk(netlist, graph, versions, body, &inner);
        for (cell, old) in before {
            if let Some(new) = versions.remove(&cell) {
                results.entry(cell).or_default().push(new);
            }
            if let Some(old) = old {
                versions.insert(cell, old);
            }
        }
    }
    for (cell, mut nodes) in results {
        nodes.extend(versions.get(&cell));
        let node = graph.node();
        graph.edges[node] = nodes;
        graph.names.insert(node, cell);
        versions.insert(cell, node);
    }
}

fn sources(
    netlist: &Netlist,
    graph: &mut Graph,
    versions: &BTreeMap<Cell, Node>,
    e: &Expr,
) -> Vec<Node> {
    let mut out = Vec::new();
    reads(&netlist.nets, e, &mut |cell| {
        let node = match versions.get(&cell) {
            Some(node) => *node,
            None => graph.cell(cell),
        };
        out.push(node);
    });
    out
}

/// Nodes with dependencies first; the error is a node on a loop.
fn order(graph: &Graph) -> Result<Vec<Node>, Node> {
    let mut state = vec![0u8; graph.edges.len()];
    let mut out = Vec::with_capacity(graph.edges.len());
    for start in 0..graph.edges.len() {
        let mut stack = vec![(start, 0)];
        while let Some((node, next)) = stack.pop() {
            if next == 0 {
                if state[node] != 0 {
                    continue;
                }
                state[node] = 1;
            }
            match graph.edges[node].get(next) {
                Some(to) => {
                    stack.push((node, next + 1));
                    match state[*to] {
                        0 => stack.push((*to, 0)),
                        1 => return Err(*to),
                        _ => {}
                    }
                }
                None => {
                    state[node] = 2;
                    out.push(node);
                }
            }
        }
    }
    Ok(out)
}

fn summary(netlist: &Netlist, graph: &Graph, order: &[Node]) -> Paths {
    let mut inputs: Vec<(String, usize)> = Vec::new();
    let mut bit: BTreeMap<Cell, usize> = BTreeMap::new();
    for (id, net) in netlist.nets.iter().enumerate() {
        if net.kind == NetKind::In {
            for elem in 0..net.elems() {
                bit.insert((id, elem), inputs.len());
                inputs.push((net.name.clone(), elem));
            }
        }
    }
    let words = inputs.len().div_ceil(64);
    let mut sets: Vec<Vec<u64>> = vec![Vec::new(); graph.edges.len()];
    for node in order {
        let mut set = vec![0u64; words];
        if let Some(bit) = graph.names.get(node).and_then(|c| bit.get(c)) {
            set[bit / 64] |= 1 << (bit % 64);
        }
        for to in &graph.edges[*node] {
            for (a, b) in set.iter_mut().zip(&sets[*to]) {
                *a |= b;
            }
        }
        sets[*node] = set;
    }
    let mut out = Vec::new();
    for (id, net) in netlist.nets.iter().enumerate() {
        if net.kind != NetKind::Out {
            continue;
        }
        for elem in 0..net.elems() {
            let Some(node) = graph.cells.get(&(id, elem)) else {
                continue;
            };
            let set = &sets[*node];
            let hit = |i: &usize| set[i / 64] >> (i % 64) & 1 == 1;
            let from: Vec<_> = (0..inputs.len())
                .filter(hit)
                .map(|i| inputs[i].clone())
                .collect();
            if !from.is_empty() {
                out.push(((net.name.clone(), elem), from));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{BinOp, Instance, Port};
    use crate::passes::fold::{binary, not};
    use crate::samples::{assign, net, netlist, read};

    #[test]
    fn elements_that_feed_each_other_are_a_loop() {
        let nets = vec![net("lv", NetKind::Local, &[2], 8)];
        let body = vec![
            assign(&nets, 0, 0, read(&nets, 0, 1)),
            assign(&nets, 0, 1, not(read(&nets, 0, 0))),
        ];
        let got = loops(&netlist(nets, body), &[]);
        assert!(
            matches!(&got, Err(Fault::Loop(name)) if name.starts_with("lv[")),
            "{got:?}"
        );
    }

    #[test]
    fn a_chain_of_elements_and_an_overwritten_value_are_no_loop() {
        let nets = vec![
            net("x", NetKind::In, &[], 8),
            net("y", NetKind::Out, &[2], 8),
        ];
        let add = |e| binary(BinOp::Add, e, read(&nets, 0, 0));
        let body = vec![
            assign(&nets, 1, 0, read(&nets, 0, 0)),
            assign(&nets, 1, 0, add(read(&nets, 1, 0))),
            assign(&nets, 1, 1, add(read(&nets, 1, 0))),
        ];
        let x = ("x".to_string(), 0);
        let want = [0, 1].map(|e| (("y".to_string(), e), vec![x.clone()]));
        assert_eq!(loops(&netlist(nets, body), &[]), Ok(want.to_vec()));
    }

    #[test]
    fn a_loop_through_a_child_is_found_by_the_paths_of_the_child() {
        let nets = vec![
            net("u_x", NetKind::ChildIn, &[], 8),
            net("u_y", NetKind::ChildOut, &[], 8),
        ];
        let body = vec![assign(&nets, 0, 0, read(&nets, 1, 0))];
        let mut netlist = netlist(nets, body);
        let port = |name: &str, net, output| Port {
            name: name.into(),
            net,
            elems: 1,
            output,
        };
        netlist.instances.push(Instance {
            name: "u".into(),
            dims: Vec::new(),
            block: 0,
            ports: vec![port("x", 0, false), port("y", 1, true)],
        });
        let through: Paths = vec![(("y".into(), 0), vec![("x".into(), 0)])];
        assert!(matches!(loops(&netlist, &[through]), Err(Fault::Loop(_))));
        assert_eq!(loops(&netlist, &[Paths::new()]), Ok(Paths::new()));
    }
}
