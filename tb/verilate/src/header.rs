use crate::error::VerilateError;
use crate::sources::Port;

/// Reads the ports from the generated class header: lines such as `VL_OUTW(&sum_o,99,0,4);`.
pub(crate) fn parse_ports(header: &str) -> Vec<Port> {
    header.lines().filter_map(parse_line).collect()
}

fn parse_line(line: &str) -> Option<Port> {
    let rest = line.trim().strip_prefix("VL_")?;
    let output = rest.starts_with("OUT");
    if !output && !rest.starts_with("IN") {
        return None;
    }
    let (_, arguments) = rest.split_once("(&")?;
    let mut words = arguments.split([',', ')']);
    let name = words.next()?.trim().to_string();
    let msb: u32 = words.next()?.trim().parse().ok()?;
    let lsb: u32 = words.next()?.trim().parse().ok()?;
    Some(Port {
        name,
        width: msb.abs_diff(lsb) + 1,
        output,
    })
}

/// Compares the port table with the ports in the text. An empty table means: take the text's.
pub(crate) fn check_ports(
    top: &str,
    table: &[Port],
    found: Vec<Port>,
) -> Result<Vec<Port>, VerilateError> {
    if table.is_empty() {
        return Ok(found);
    }
    let mismatch = |name: &str, in_text: Option<&Port>, in_table: Option<&Port>| {
        let describe = |p: Option<&Port>| p.map_or("absent".to_string(), Port::describe);
        Err(VerilateError::PortMismatch {
            top: top.to_string(),
            port: name.to_string(),
            found: describe(in_text),
            expected: describe(in_table),
        })
    };
    for port in table {
        let in_text = found.iter().find(|p| p.name == port.name);
        if in_text != Some(port) {
            return mismatch(&port.name, in_text, Some(port));
        }
    }
    for port in &found {
        if !table.iter().any(|p| p.name == port.name) {
            return mismatch(&port.name, Some(port), None);
        }
    }
    Ok(table.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "class Va {\n    VL_IN8(&clk,0,0);\n    VL_INW(&d_i,99,0,4);\n    \
        VL_OUT64(&q_o,63,0);\n    VL_UNCOPYABLE(Va);\n";

    #[test]
    fn ports_are_read_with_width_and_direction() {
        let expected = [
            Port::input("clk", 1),
            Port::input("d_i", 100),
            Port::output("q_o", 64),
        ];
        assert_eq!(parse_ports(HEADER), expected);
    }

    #[test]
    fn differences_are_named() {
        #[track_caller]
        fn check(table: &[Port], message: &str) {
            let error = check_ports("a", table, parse_ports(HEADER)).unwrap_err();
            assert_eq!(error.to_string(), message);
        }
        let clk = Port::input("clk", 1);
        let d = Port::input("d_i", 100);
        check(
            &[clk.clone(), d.clone(), Port::output("q_o", 32)],
            "port q_o of a is 64-bit output in Verilog, the port table says 32-bit output",
        );
        check(
            &[clk.clone(), d.clone()],
            "port q_o of a is 64-bit output in Verilog, the port table says absent",
        );
        check(
            &[clk, d, Port::output("q_o", 64), Port::input("en_i", 1)],
            "port en_i of a is absent in Verilog, the port table says 1-bit input",
        );
    }
}
