//! Which layers the host runs, whatever their constants are.

use heddle_network::Network;

use super::lying::{makes, takes, wants};

/// The layers that read each tensor.
pub(super) fn readers(network: &Network) -> Vec<Vec<usize>> {
    let mut readers = vec![Vec::new(); network.layers.len() + 1];
    for (index, layer) in network.layers.iter().enumerate() {
        for input in &layer.inputs {
            if readers[input.tensor].last() != Some(&index) {
                readers[input.tensor].push(index);
            }
        }
    }
    readers
}

/// Leaves layers of matrices to the host that stand beside planes: no tensor lies as both.
pub(super) fn beside_planes(
    (network, readers): (&Network, &[Vec<usize>]),
    hosts: &mut [Option<String>],
) {
    let on_planes = |hosts: &[Option<String>], index: usize| {
        hosts[index].is_none() && network.layers[index].work().is_of_planes()
    };
    for (index, layer) in network.layers.iter().enumerate() {
        if hosts[index].is_some() || layer.work().is_of_planes() {
            continue;
        }
        let lies_in_planes = |tensor: usize| {
            let made = tensor.checked_sub(1);
            made.is_some_and(|made| on_planes(hosts, made))
                || readers[tensor]
                    .iter()
                    .any(|&reader| on_planes(hosts, reader))
        };
        let mut tensors = layer.inputs.iter().map(|input| input.tensor);
        let found = tensors.find(|&tensor| lies_in_planes(tensor));
        let found = found.or_else(|| lies_in_planes(index + 1).then_some(index + 1));
        if let Some(tensor) = found {
            let name = network.tensor_name(tensor);
            hosts[index] = Some(format!("{name} is of planes"));
        }
    }
}

/// The same for layers whose input lies as other matrices than they read, N of H W x C and not N H of W x C.
pub(super) fn of_other_matrices(
    (network, readers): (&Network, &[Vec<usize>]),
    hosts: &mut [Option<String>],
) {
    // As what the machine leaves each tensor.
    let mut made = vec![None; network.layers.len() + 1];
    for (index, layer) in network.layers.iter().enumerate() {
        if hosts[index].is_some() || layer.work().is_of_planes() {
            continue;
        }
        let lies_as = |tensor: usize| {
            // What the host writes lies as its first reader wants it.
            let mut readers = readers[tensor].iter();
            let first = readers.find(|&&reader| hosts[reader].is_none());
            let first = &network.layers[first.copied().unwrap_or(index)];
            made[tensor].unwrap_or_else(|| wants(network, first, tensor))
        };
        let mut tensors = layer.inputs.iter().map(|input| input.tensor);
        match tensors.all(|tensor| takes(network, layer, tensor, lies_as(tensor))) {
            true => made[index + 1] = Some(makes(layer, lies_as(layer.inputs[0].tensor))),
            false => hosts[index] = Some("its input lies as other matrices".to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_of_matrices_beside_planes_run_on_the_host() {
        let layers = r#"[
            {"kind": "table", "name": "a", "table": TABLE, "output_zero_point": 0, "output_scale": 1.0},
            {"kind": "transpose", "name": "in", "permutation": [0, 2, 3, 1]},
            {"kind": "matmul", "name": "product", "inputs": ["in", "in"], "transposed": [false, true]},
            {"kind": "transpose", "name": "turned"},
            {"kind": "transpose", "name": "out", "permutation": [0, 3, 1, 2]},
            {"kind": "max_pool2d", "name": "pool", "kernel": [1, 1]}
        ]"#;
        let table: Vec<i8> = (i8::MIN..=i8::MAX).collect();
        let text = format!(
            r#"{{"format": "heddle-network-2", "name": "n", "layers": {},
            "input": {{"channels": 4, "height": 2, "width": 3, "zero_point": 0, "scale": 1.0}}}}"#,
            layers.replace("TABLE", &format!("{table:?}"))
        );
        let network = Network::from_json(&text).unwrap();
        let mut hosts = vec![None; network.layers.len()];
        beside_planes((&network, &readers(&network)), &mut hosts);
        let hosts = hosts.iter().map(Option::as_deref);
        let expected = [
            None,
            Some("a is of planes"),
            None,
            None,
            Some("out is of planes"),
            None,
        ];
        assert_eq!(hosts.collect::<Vec<_>>(), expected);
    }
}
