//! Routes of the networks of the memory cluster.

/// The words of a route of a Benes network: for each port the one at which its stream arrives. Ports without one get what is left.
///
/// The looping algorithm: a stream goes through one of two networks of half the size. Two streams that enter, or leave, at the same switch go
/// through different ones; what follows from one choice is a loop, and loops are chosen one after the other.
///
/// # Panics
/// If the number of ports is no power of two from 2 on, or if two streams arrive at one port.
pub fn benes_route(to: &[Option<usize>]) -> Vec<u32> {
    let ports = to.len();
    assert!(ports >= 2 && ports.is_power_of_two(), "{ports} ports");
    let columns = 2 * ports.ilog2() as usize - 1;
    let mut crossed = vec![vec![false; ports / 2]; columns];
    solve(&complete(to), 0, &mut crossed);
    let bits: Vec<bool> = crossed.concat();
    let word = |bits: &[bool]| {
        let bits = bits.iter().rev();
        bits.fold(0, |word, bit| word << 1 | u32::from(*bit))
    };
    bits.chunks(32).map(word).collect()
}

/// Streams without a port get those that are left.
fn complete(to: &[Option<usize>]) -> Vec<usize> {
    let mut is_free = vec![true; to.len()];
    for port in to.iter().flatten() {
        assert!(is_free[*port], "two streams arrive at port {port}");
        is_free[*port] = false;
    }
    let mut free = (0..to.len()).filter(|port| is_free[*port]);
    let ports = to.iter().map(|port| port.or_else(|| free.next()));
    ports
        .map(|port| port.expect("as many ports as streams"))
        .collect()
}

/// Sets the columns of a network whose switches begin with number `first`.
fn solve(to: &[usize], first: usize, columns: &mut [Vec<bool>]) {
    let half = to.len() / 2;
    if half == 1 {
        columns[0][first] = to[0] == 1;
        return;
    }
    let from = inverse(to);
    let upper = sides(to, &from);
    let last = columns.len() - 1;
    for switch in 0..half {
        columns[0][first + switch] = upper[switch];
        columns[last][first + switch] = upper[from[switch]];
    }
    for side in [false, true] {
        let mut inner = vec![0; half];
        for port in (0..to.len()).filter(|port| upper[*port] == side) {
            inner[port % half] = to[port] % half;
        }
        let first = first + usize::from(side) * (half / 2);
        solve(&inner, first, &mut columns[1..last]);
    }
}

fn inverse(to: &[usize]) -> Vec<usize> {
    let mut from = vec![0; to.len()];
    for (port, to) in to.iter().enumerate() {
        from[*to] = port;
    }
    from
}

/// Whether streams go through the upper one of both networks.
fn sides(to: &[usize], from: &[usize]) -> Vec<bool> {
    let beside = |port: usize| (port + to.len() / 2) % to.len();
    let mut upper = vec![None; to.len()];
    for start in 0..to.len() {
        let mut port = start;
        while upper[port].is_none() {
            upper[port] = Some(false);
            let other = from[beside(to[port])];
            upper[other] = Some(true);
            port = beside(other);
        }
    }
    let upper = upper.into_iter();
    upper.map(|side| side.expect("each has one")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where streams arrive, column by column.
    fn arrivals(ports: usize, words: &[u32]) -> Vec<usize> {
        let stages = ports.ilog2() as usize;
        let mut streams: Vec<usize> = (0..ports).collect();
        for column in 0..2 * stages - 1 {
            let distance = 1 << column.abs_diff(stages - 1);
            let lower = (0..ports).filter(|port| port & distance == 0);
            for (switch, port) in lower.enumerate() {
                let bit = column * ports / 2 + switch;
                if words[bit / 32] >> (bit % 32) & 1 == 1 {
                    streams.swap(port, port + distance);
                }
            }
        }
        inverse(&streams)
    }

    fn check(to: &[Option<usize>]) {
        let found = arrivals(to.len(), &benes_route(to));
        for (port, to) in to.iter().enumerate() {
            assert!(to.is_none_or(|to| found[port] == to), "{port}: {found:?}");
        }
    }

    #[proves("FSA-31")]
    #[test]
    fn all_permutations_of_eight_have_a_route() {
        let mut to = [0, 1, 2, 3, 4, 5, 6, 7];
        let mut turns = [0; 8];
        let mut count = 1;
        check(&to.map(Some));
        // Heap's algorithm.
        let mut at = 1;
        while at < 8 {
            if turns[at] < at {
                to.swap(if at % 2 == 0 { 0 } else { turns[at] }, at);
                check(&to.map(Some));
                count += 1;
                turns[at] += 1;
                at = 1;
            } else {
                turns[at] = 0;
                at += 1;
            }
        }
        assert_eq!(count, 40320);
    }

    #[test]
    fn streams_without_a_port_get_those_that_are_left() {
        check(&[Some(1), None]);
        check(&[None, Some(3), None, Some(0)]);
        let mut to = vec![None; 64];
        for port in (0..64).step_by(3) {
            to[port] = Some((port * 5 + 7) % 64);
        }
        check(&to);
    }

    #[test]
    #[should_panic(expected = "two streams arrive at port 2")]
    fn a_port_takes_one_stream() {
        benes_route(&[Some(2), None, Some(2), None]);
    }
}
