//! What Vivado calls the ports of a machine on AXI: interfaces of its catalogue.

/// Ports that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interface {
    /// Name of the interface: that in front of its ports.
    pub name: String,
    /// Library and name of its definition, vendor xilinx.com and version 1.0.
    pub kind: [&'static str; 2],
    /// The machine asks, or drives the signal.
    pub is_master: bool,
    /// What a tool must know of it.
    pub parameters: Vec<(&'static str, String)>,
    /// Names of ports in the definition, and in the module.
    pub ports: Vec<(String, String)>,
}

impl Interface {
    fn signal(name: &str, kind: &'static str, logical: &str, port: &str) -> Self {
        Self {
            name: name.into(),
            kind: ["signal", kind],
            is_master: false,
            parameters: Vec::new(),
            ports: vec![(logical.into(), port.into())],
        }
    }

    /// Vendor, library, name and version.
    pub fn vlnv(&self) -> String {
        let [library, name] = self.kind;
        format!("xilinx.com:{library}:{name}:1.0")
    }

    /// The parameters in a line.
    pub fn parameters(&self) -> String {
        let parts = self.parameters.iter();
        let parts: Vec<_> = parts.map(|(key, value)| format!("{key} {value}")).collect();
        parts.join(", ")
    }
}

/// Interfaces of a module with these ports: none but those of a module on a bus, whose clock is called `aclk`.
pub fn interfaces<'a>(ports: impl Iterator<Item = &'a str> + Clone) -> Vec<Interface> {
    if !ports.clone().any(|port| port == "aclk") {
        return Vec::new();
    }
    let buses = [("s_axi", "AXI4LITE", false), ("m_axi", "AXI4", true)];
    let buses = buses.into_iter().filter_map(|(name, protocol, is_master)| {
        let logical = |port: &'a str| port.strip_prefix(name)?.strip_prefix('_');
        let ports = ports.clone();
        let ports = ports.filter_map(|port| Some((logical(port)?.to_uppercase(), port.into())));
        let mut parameters = vec![("PROTOCOL", protocol.to_string())];
        if is_master {
            parameters.push(("SUPPORTS_NARROW_BURST", "0".into()));
        }
        Some(Interface {
            name: name.into(),
            kind: ["interface", "aximm"],
            is_master,
            parameters,
            ports: ports.collect(),
        })
        .filter(|bus| !bus.ports.is_empty())
    });
    let buses: Vec<_> = buses.collect();
    let names: Vec<_> = buses.iter().map(|bus| bus.name.as_str()).collect();
    let mut clock = Interface::signal("aclk", "clock", "CLK", "aclk");
    if !names.is_empty() {
        clock.parameters.push(("ASSOCIATED_BUSIF", names.join(":")));
    }
    clock
        .parameters
        .push(("ASSOCIATED_RESET", "aresetn".into()));
    let mut reset = Interface::signal("aresetn", "reset", "RST", "aresetn");
    reset.parameters.push(("POLARITY", "ACTIVE_LOW".into()));
    let mut interrupt = Interface::signal("irq", "interrupt", "INTERRUPT", "irq_o");
    interrupt.is_master = true;
    interrupt
        .parameters
        .push(("SENSITIVITY", "LEVEL_HIGH".into()));
    [clock, reset]
        .into_iter()
        .chain(buses)
        .chain([interrupt])
        .collect()
}

/// Attributes of a port, by which Vivado finds its interface; the first port of an interface has its parameters.
pub fn attributes(interfaces: &[Interface], port: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for interface in interfaces {
        let Some(place) = interface.ports.iter().position(|(_, own)| own == port) else {
            continue;
        };
        let (vlnv, name, logical) = (interface.vlnv(), &interface.name, &interface.ports[place].0);
        lines.push(format!(
            "(* X_INTERFACE_INFO = \"{vlnv} {name} {logical}\" *)"
        ));
        if place == 0 {
            let parameters = interface.parameters();
            lines.push(format!("(* X_INTERFACE_PARAMETER = \"{parameters}\" *)"));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_on_a_bus_has_its_interfaces_and_others_have_none() {
        let ports = [
            "aclk",
            "aresetn",
            "wb_cyc_i",
            "m_axi_arid",
            "m_axi_araddr",
            "irq_o",
        ];
        let found = interfaces(ports.into_iter());
        let names: Vec<_> = found
            .iter()
            .map(|own| (own.name.as_str(), own.is_master))
            .collect();
        assert_eq!(
            names,
            [
                ("aclk", false),
                ("aresetn", false),
                ("m_axi", true),
                ("irq", true)
            ]
        );
        assert_eq!(
            attributes(&found, "m_axi_arid"),
            [
                "(* X_INTERFACE_INFO = \"xilinx.com:interface:aximm:1.0 m_axi ARID\" *)",
                "(* X_INTERFACE_PARAMETER = \"PROTOCOL AXI4, SUPPORTS_NARROW_BURST 0\" *)",
            ]
        );
        assert_eq!(attributes(&found, "m_axi_araddr").len(), 1);
        assert_eq!(attributes(&found, "wb_cyc_i"), [""; 0]);
        assert_eq!(interfaces(["clk", "rst_n", "m_axi_arid"].into_iter()), []);
    }
}
