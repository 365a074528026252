use std::fmt::Write;

use crate::options::Trace;
use crate::sources::Port;

/// Version of the function table between the shim and Rust.
pub const API_VERSION: u32 = 3;

/// Names of the input that `clock`, `cycles` and `run_until` toggle; the second one is that of an AXI bus.
const CLOCKS: [&str; 2] = ["clk", "aclk"];

/// The C++ text with `@NAME@` places; also part of the cache key.
pub(crate) const TEMPLATE: &str = include_str!("shim.cpp.in");

/// What the shim of one design needs.
pub(crate) struct Shim<'a> {
    /// Name of the top module, shown in waves.
    pub top: &'a str,
    /// Name of the generated class.
    pub class: &'a str,
    /// The exported function that returns the table.
    pub symbol: &'a str,
    /// All ports.
    pub ports: &'a [Port],
    /// Wave format.
    pub trace: Trace,
}

impl Shim<'_> {
    /// The C++ text.
    pub(crate) fn text(&self) -> String {
        let mut includes = format!("#include \"{}.h\"\n", self.class);
        match self.trace {
            Trace::None => {}
            Trace::Vcd => includes += "#include \"verilated_vcd_c.h\"\n",
            Trace::Fst => includes += "#include \"verilated_fst_c.h\"\n",
        }
        let _ = writeln!(includes, "\n#define HEDDLE_TRACE {}", self.trace.code());

        let mut table = String::new();
        let mut pointers = String::new();
        for (index, port) in self.ports.iter().enumerate() {
            let (name, width, output) = (&port.name, port.width, u32::from(port.output));
            let _ = writeln!(table, "    {{\"{name}\", {width}, {output}}},");
            let _ = writeln!(pointers, "  to[{index}] = &m->top->{name};");
        }
        let clock = self
            .ports
            .iter()
            .position(|p| CLOCKS.contains(&p.name.as_str()) && p.width == 1 && !p.output);
        let (clock_index, set_clock) = match clock {
            Some(index) => {
                let name = &self.ports[index].name;
                (index.to_string(), format!("m->top->{name} = level;"))
            }
            None => ("kNoClock".into(), "(void)m, (void)level;".into()),
        };
        [
            ("@INCLUDES@", includes.as_str()),
            ("@PORTS@", &table),
            ("@POINTERS@", &pointers),
            ("@PORT_COUNT@", &self.ports.len().to_string()),
            ("@CLOCK@", &clock_index),
            ("@SET_CLOCK@", &set_clock),
            ("@CLASS@", self.class),
            ("@TOP@", self.top),
            ("@VERSION@", &API_VERSION.to_string()),
            ("@SYMBOL@", self.symbol),
        ]
        .iter()
        .fold(TEMPLATE.to_string(), |text, (place, value)| {
            text.replace(place, value)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_filled() {
        let ports = [Port::input("clk", 1), Port::output("q_o", 40)];
        let shim = Shim {
            top: "counter",
            class: "Vcounter",
            symbol: "heddle_model",
            ports: &ports,
            trace: Trace::Vcd,
        };
        let text = shim.text();
        assert!(!text.contains('@'), "{text}");
        assert!(text.contains("class Top : public Vcounter {"));
        assert!(text.contains("{\"q_o\", 40, 1},"));
        assert!(text.contains("to[1] = &m->top->q_o;"));
        assert!(text.contains("kClock = 0;"));
        assert!(text.contains("m->top->clk = level;"));
        assert!(text.contains("#define HEDDLE_TRACE 1"));
    }
}
