//! Small blocks and netlists for the tests of the passes.

use crate::ir::{Expr, Instance, Net, NetId, NetKind, Netlist, Port, Stmt, Target};
use heddle_kernel::prelude::*;

/// Inverts a byte.
#[module(combinational)]
pub struct Leaf {
    /// Operand.
    pub x_i: Signal<In, Bits<8>>,
    /// Result.
    pub y_o: Signal<Out, Bits<8>>,
}

#[kernel]
impl Leaf {
    fn update(&mut self) {
        self.y_o = !self.x_i;
    }
}

/// Inverts three bytes and stores the first.
#[module(no_reset, describe)]
pub struct Tree {
    /// Operands.
    pub x_i: [Signal<In, Bits<8>>; 3],
    /// Result.
    pub y_o: Signal<Out, Bits<8>>,
    leaf: [Leaf; 3],
    first: Delay<Bits<8>>,
}

impl Tree {
    fn describe(&self, meta: Meta) -> Meta {
        meta.param("leaves", "n", self.leaf.len(), "leaves")
    }
}

#[kernel]
impl Tree {
    fn update(&mut self) {
        for i in 0..3 {
            self.leaf[i].x_i = self.x_i[i];
        }
        self.first = self.leaf[0].y_o;
        self.y_o = self.first;
    }
}

/// A net; `clk` is a clock.
pub fn net(name: &str, kind: NetKind, dims: &[usize], width: usize) -> Net {
    Net {
        name: name.into(),
        rust: name.into(),
        dims: dims.to_vec(),
        width,
        signed: false,
        clock: name == "clk",
        kind,
        doc: String::new(),
        labels: Vec::new(),
        part_of: None,
    }
}

/// A netlist of nets and statements.
pub fn netlist(nets: Vec<Net>, body: Vec<Stmt>) -> Netlist {
    Netlist {
        contracts: Vec::new(),
        meta: Meta::module("sample"),
        nets,
        instances: Vec::new(),
        registers: Vec::new(),
        body,
    }
}

/// The value of an element.
pub fn read(nets: &[Net], net: NetId, elem: usize) -> Expr {
    let width = nets[net].width;
    Expr::bits_of(net, elem * width, width)
}

/// A whole element as a target.
pub fn place(nets: &[Net], net: NetId, elem: usize) -> Target {
    let width = nets[net].width;
    Target {
        net,
        lsb: (elem * width).into(),
        width,
    }
}

/// An assignment of an element.
pub fn assign(nets: &[Net], net: NetId, elem: usize, value: Expr) -> Stmt {
    Stmt::Assign(place(nets, net, elem), value)
}

/// A netlist with two instances of a child: inputs `x`, outputs `y`; `u_x` and `u_y` are nets 2
/// and 3. Net 0 is an input and net 1 an output of two elements.
pub fn two_children(body: impl Fn(&[Net]) -> Vec<Stmt>) -> Netlist {
    let nets = vec![
        net("x_i", NetKind::In, &[2], 8),
        net("y_o", NetKind::Out, &[2], 8),
        net("u_x", NetKind::ChildIn, &[2], 8),
        net("u_y", NetKind::ChildOut, &[2], 8),
        net("t", NetKind::Local, &[], 8),
    ];
    let body = body(&nets);
    let mut netlist = netlist(nets, body);
    let port = |name: &str, net, output| Port {
        name: name.into(),
        net,
        elems: 1,
        output,
    };
    netlist.instances.push(Instance {
        name: "u".into(),
        dims: vec![2],
        block: 0,
        ports: vec![port("x", 2, false), port("y", 3, true)],
    });
    netlist
}
