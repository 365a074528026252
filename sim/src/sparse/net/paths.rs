//! Where the streams of a network arrive.

/// Which network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NetworkKind {
    /// To the same port, or to the next one.
    Switch,
    /// To any port: a Benes network.
    Benes,
}

/// Bits of a route.
pub fn route_bits(ports: usize, kind: NetworkKind) -> usize {
    match kind {
        NetworkKind::Switch => ports - 1,
        NetworkKind::Benes => ports * ports.ilog2() as usize - ports / 2,
    }
}

/// The port at which the stream of each port arrives; none if it waits.
pub fn arrivals(ports: usize, kind: NetworkKind, crossed: &[bool]) -> Vec<Option<usize>> {
    let port = |port: usize| match kind {
        NetworkKind::Benes => {
            let columns: Vec<&[bool]> = crossed.chunks(ports / 2).collect();
            Some(through(&columns, 0, port))
        }
        NetworkKind::Switch => match (crossed.get(port), port.checked_sub(1)) {
            (Some(true), _) => Some(port + 1),
            (_, Some(before)) if crossed[before] => None,
            _ => Some(port),
        },
    };
    (0..ports).map(port).collect()
}

/// A Benes network is a column of switches, two networks of half the size side by side, and another column. A switch of the columns outside
/// connects ports of the same place in both halves. `first` is the number of the network's first switch in its columns.
fn through(columns: &[&[bool]], first: usize, port: usize) -> usize {
    let [outer, inner @ ..] = columns else {
        return port;
    };
    let half = 1 << (columns.len() / 2);
    let cross = |column: &[bool], port: usize| match column[first + port % half] {
        true => (port + half) % (2 * half),
        false => port,
    };
    let entered = cross(outer, port);
    let [inner @ .., last] = inner else {
        return entered;
    };
    let (side, place) = (entered / half, entered % half);
    let left = through(inner, first + side * (half / 2), place);
    cross(last, side * half + left)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_switch_that_is_crossed_changes_two_ports() {
        let to = |bits: &[bool]| arrivals(4, NetworkKind::Benes, bits);
        let mut bits = [false; 6];
        assert_eq!(to(&bits), [0, 1, 2, 3].map(Some));
        bits[1] = true;
        assert_eq!(to(&bits), [0, 3, 2, 1].map(Some));
        bits[2] = true;
        assert_eq!(to(&bits), [1, 3, 2, 0].map(Some));
    }

    #[test]
    fn a_port_takes_one_stream() {
        let to = |bits: [bool; 3]| arrivals(4, NetworkKind::Switch, &bits);
        assert_eq!(to([false; 3]), [0, 1, 2, 3].map(Some));
        assert_eq!(to([true, false, false]), [Some(1), None, Some(2), Some(3)]);
        assert_eq!(to([true; 3]), [Some(1), Some(2), Some(3), None]);
    }
}
