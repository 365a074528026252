//! What happens at the ports of the RAMs, from a value change dump.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

/// Bits that changed from one rising edge of the clock to the next, and bits of the rows accessed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Activity {
    pub enables: u64,
    pub addresses: u64,
    pub written: u64,
    pub read: u64,
    /// Bits of the rows that were read or written, by the enables of the RAMs.
    pub row_bits: u64,
}

impl Activity {
    /// All changes.
    pub fn changes(&self) -> u64 {
        self.enables + self.addresses + self.written + self.read
    }
}

/// A signal of the dump.
struct Wire {
    width: usize,
    now: u128,
    at_edge: u128,
}

/// A port of a RAM: kind, signal.
struct Pin {
    port: String,
    wire: usize,
    /// Bits of a row.
    row: usize,
}

/// Reads a dump. Everything before the reset ended is left out.
pub fn activity(path: &Path) -> Activity {
    let text = fs::read_to_string(path).expect("the dump was just written");
    let mut dump = Dump::default();
    let mut lines = text.lines();
    dump.header(&mut lines);
    for line in lines {
        dump.change(line);
    }
    dump.total
}

#[derive(Default)]
struct Dump<'a> {
    wires: Vec<Wire>,
    by_code: HashMap<&'a str, usize>,
    pins: Vec<Pin>,
    clk: usize,
    rst_n: usize,
    /// Changes of the present time step that wait for the edge to be known.
    waiting: Vec<(usize, u128)>,
    started: bool,
    total: Activity,
}

impl<'a> Dump<'a> {
    fn header(&mut self, lines: &mut impl Iterator<Item = &'a str>) {
        let mut scopes: Vec<&str> = Vec::new();
        let mut rows: HashMap<String, usize> = HashMap::new();
        let mut found: Vec<(String, Pin)> = Vec::new();
        for line in lines {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words.as_slice() {
                ["$scope", _, name, ..] => scopes.push(name),
                ["$upscope", ..] => {
                    scopes.pop();
                }
                ["$var", _, width, code, name, ..] => {
                    let wire = *self.by_code.entry(code).or_insert_with(|| {
                        self.wires.push(Wire {
                            width: width.parse().expect("a width is a number"),
                            now: 0,
                            at_edge: 0,
                        });
                        self.wires.len() - 1
                    });
                    let in_ram = scopes
                        .last()
                        .is_some_and(|scope| scope.starts_with("u_ram"));
                    match *name {
                        "clk" => self.clk = wire,
                        "rst_n" => self.rst_n = wire,
                        "wen_i" | "waddr_i" | "wdata_i" | "ren_i" | "raddr_i" | "rdata_o"
                            if in_ram =>
                        {
                            let scope = scopes.join(".");
                            if *name == "rdata_o" {
                                rows.insert(scope.clone(), self.wires[wire].width);
                            }
                            let port = name.to_string();
                            found.push((scope, Pin { port, wire, row: 0 }));
                        }
                        _ => {}
                    }
                }
                ["$enddefinitions", ..] => break,
                _ => {}
            }
        }
        let pins = found.into_iter().map(|(scope, pin)| Pin {
            row: rows[&scope],
            ..pin
        });
        self.pins = pins.collect();
        assert!(!self.pins.is_empty(), "the dump shows no RAM");
        let pins: Vec<usize> = self.pins.iter().map(|pin| pin.wire).collect();
        let (clk, rst_n) = (self.clk, self.rst_n);
        self.by_code
            .retain(|_, wire| *wire == clk || *wire == rst_n || pins.contains(wire));
    }

    fn change(&mut self, line: &'a str) {
        let (value, code) = match line.as_bytes().first() {
            Some(b'#') => return self.settle(),
            Some(b'b') => line[1..].split_once(' ').expect("a value has a code"),
            Some(b'0' | b'1') => line.split_at(1),
            _ => return,
        };
        if let Some(wire) = self.by_code.get(code) {
            let value = u128::from_str_radix(value, 2).expect("a port has at most 128 bits");
            self.waiting.push((*wire, value));
        }
    }

    /// A time step is complete. If the clock rose in it, the values before are those of the edge.
    fn settle(&mut self) {
        let rose = self.waiting.contains(&(self.clk, 1));
        if rose && self.wires[self.clk].now == 0 && self.wires[self.rst_n].now == 1 {
            self.edge();
        }
        for (wire, value) in std::mem::take(&mut self.waiting) {
            self.wires[wire].now = value;
        }
    }

    fn edge(&mut self) {
        for pin in &self.pins {
            let wire = &self.wires[pin.wire];
            let changed = match self.started {
                true => u64::from((wire.now ^ wire.at_edge).count_ones()),
                false => 0,
            };
            match pin.port.as_str() {
                "wen_i" | "ren_i" => {
                    self.total.enables += changed;
                    self.total.row_bits += wire.now as u64 * pin.row as u64;
                }
                "waddr_i" | "raddr_i" => self.total.addresses += changed,
                "wdata_i" => self.total.written += changed,
                "rdata_o" => self.total.read += changed,
                port => panic!("port {port} of a RAM"),
            }
        }
        for wire in &mut self.wires {
            wire.at_edge = wire.now;
        }
        self.started = true;
    }
}
