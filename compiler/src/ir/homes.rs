//! Tensors that lie in the host's memory while a program runs: LOADs read parts of them, and STOREs write parts of them.
//!
//! A slice is a LOAD of a part, and a concatenation is a STORE of each part: neither is work for the host or the array.

use heddle_network::{Axis, Layer, LayerKind, Network};

/// Where a tensor lies in the host's memory: a part of another tensor, or all of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Home {
    /// The tensor that it is a part of.
    pub whole: usize,
    /// First channel and row of the part.
    pub first: [u32; 2],
}

/// Homes of the tensors of a network; none of them if its programs do not load and store tensors.
#[derive(Debug, Clone, Default)]
pub(crate) struct Homes {
    /// For each layer: LOAD and STORE do its work.
    layers: Vec<bool>,
    tensors: Vec<Option<Home>>,
}

impl Homes {
    /// As many of the layers that these hosts run as can be LOADs and STOREs.
    pub fn of(network: &Network, hosts: &[Option<String>], readers: &[Vec<usize>]) -> Self {
        let is_host = |layer: usize| hosts[layer].is_some();
        let planes = |layer: usize| is_host(layer) || network.layers[layer].work().is_of_planes();
        let of_planes = (0..hosts.len()).all(planes);
        let moves = |layer| of_planes && is_host(layer) && is_move(network, layer);
        let mut homes = Self {
            layers: (0..hosts.len()).map(moves).collect(),
            tensors: Vec::new(),
        };
        loop {
            homes.tensors = vec![None; network.layers.len() + 1];
            match homes.conflict(network, (hosts, readers)) {
                Some(layer) => homes.layers[layer] = false,
                None => return homes,
            }
        }
    }

    /// Programs load and store no tensors.
    pub fn are_none(&self) -> bool {
        !self.layers.contains(&true)
    }

    /// LOAD and STORE do the work of a layer.
    pub fn do_layer(&self, layer: usize) -> bool {
        self.layers.get(layer) == Some(&true)
    }

    /// Where a tensor lies, if it does.
    pub fn tensor(&self, tensor: usize) -> Option<Home> {
        self.tensors.get(tensor).copied().flatten()
    }

    /// A tensor needs no home.
    pub fn leave(&mut self, tensor: usize) {
        self.tensors[tensor] = None;
    }

    /// Gives tensors their homes; a layer that cannot be done so.
    fn conflict(
        &mut self,
        network: &Network,
        (hosts, readers): (&[Option<String>], &[Vec<usize>]),
    ) -> Option<usize> {
        let is_machine = |tensor: usize| tensor > 0 && hosts[tensor - 1].is_none();
        // Who wants all of a tensor wants it in one piece.
        let is_whole = |homes: &Self, tensor: usize| {
            let host = |&reader: &usize| hosts[reader].is_some() && !homes.layers[reader];
            network.outputs.contains(&tensor) || readers[tensor].iter().any(host)
        };
        for index in (0..network.layers.len()).rev() {
            let Some(axis) = joins(&network.layers[index]) else {
                continue;
            };
            if !self.layers[index] {
                continue;
            }
            let own = index + 1;
            let home = *self.tensors[own].get_or_insert(Home::all(own));
            if home.whole != own && is_whole(self, own) {
                return Some(index);
            }
            let mut first = home.first;
            for input in &network.layers[index].inputs {
                let part = Home { first, ..home };
                let made = input.tensor.checked_sub(1);
                let is_joined = made.is_some_and(|made| {
                    self.layers[made] && joins(&network.layers[made]).is_some()
                });
                let is_stored = is_joined || is_machine(input.tensor);
                if !is_stored || self.tensors[input.tensor].replace(part).is_some() {
                    return Some(index);
                }
                first[axis.index()] += network.tensor(input.tensor).0.sides()[axis.index()];
            }
        }
        for index in 0..network.layers.len() {
            let LayerKind::Slice([channel, row, _]) = network.layers[index].kind else {
                continue;
            };
            if !self.layers[index] {
                continue;
            }
            let source = network.layers[index].inputs[0].tensor;
            let is_there = source == 0 || self.layers[source - 1] || is_machine(source);
            if !is_there || is_whole(self, index + 1) {
                return Some(index);
            }
            let Home { whole, first } = *self.tensors[source].get_or_insert(Home::all(source));
            let first = [first[0] + channel, first[1] + row];
            let part = Home { whole, first };
            if self.tensors[index + 1].replace(part).is_some() {
                return Some(index);
            }
        }
        None
    }
}

impl Home {
    fn all(whole: usize) -> Self {
        let first = [0; 2];
        Self { whole, first }
    }
}

/// Along which dimension a layer puts its inputs together.
pub(super) fn joins(layer: &Layer) -> Option<Axis> {
    match layer.kind {
        LayerKind::Concat(axis) => Some(axis),
        _ => None,
    }
}

/// Rows or channels of its inputs are those of its output as they are.
fn is_move(network: &Network, index: usize) -> bool {
    let layer = &network.layers[index];
    let zero_point = layer.output_zero_point;
    let mut inputs = layer.inputs.iter();
    let same = inputs.all(|input| network.tensor(input.tensor).1 == zero_point);
    let rows = match layer.kind {
        LayerKind::Slice(_) => layer.output.width == layer.input.width,
        LayerKind::Concat(axis) => axis != Axis::Width,
        _ => false,
    };
    same && rows
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which layers of a network LOAD and STORE do, and where its tensors lie: whole, channel, row.
    fn homes(layers: &str) -> (String, Vec<[usize; 4]>) {
        let text = format!(
            r#"{{"format": "heddle-network-2", "name": "n", "layers": [{layers}],
            "input": {{"channels": 4, "height": 6, "width": 3, "zero_point": 0, "scale": 1.0}}}}"#
        );
        let network = Network::from_json(&text).unwrap();
        let is_host = |index: &usize| network.layers[*index].kind.is_for_host();
        let layers = 0..network.layers.len();
        let hosts: Vec<_> = layers
            .clone()
            .map(|index| is_host(&index).then(String::new))
            .collect();
        let readers = super::super::hosts::readers(&network);
        let found = Homes::of(&network, &hosts, &readers);
        let done = layers.filter(|&layer| found.do_layer(layer));
        let names: Vec<&str> = done.map(|layer| &*network.layers[layer].name).collect();
        let homes = (0..=network.layers.len()).filter_map(|tensor| {
            let home = found.tensor(tensor)?;
            let [channel, row] = home.first.map(|first| first as usize);
            Some([tensor, home.whole, channel, row])
        });
        (names.join(" "), homes.collect())
    }

    fn slice(name: &str, of: &str, start: [u32; 3], shape: [u32; 3]) -> String {
        format!(
            r#"{{"kind": "slice", "name": "{name}", "inputs": ["{of}"], "start": {start:?}, "output_shape": {shape:?}}},"#
        )
    }

    fn pool(name: &str, of: &str) -> String {
        format!(
            r#"{{"kind": "max_pool2d", "name": "{name}", "inputs": ["{of}"], "kernel": [1, 1]}},"#
        )
    }

    fn concat(name: &str, axis: &str, of: &str) -> String {
        format!(r#"{{"kind": "concat", "name": "{name}", "inputs": [{of}], "axis": "{axis}"}},"#)
    }

    fn check(layers: &[String], done: &str, expected: &[[usize; 4]]) {
        let layers = layers.concat();
        let found = homes(layers.trim_end_matches(','));
        assert_eq!(found, (done.to_string(), expected.to_vec()), "{layers}");
    }

    #[test]
    fn parts_lie_where_the_whole_has_them() {
        let bands = [
            slice("top", "input", [0, 0, 0], [4, 4, 3]),
            pool("a", "top"),
            slice("low", "input", [0, 2, 0], [4, 4, 3]),
            pool("b", "low"),
            concat("rows", "height", r#""a", "b""#),
            slice("some", "rows", [1, 5, 0], [2, 3, 3]),
            pool("c", "some"),
            pool("d", "some"),
            concat("both", "channels", r#""c", "d""#),
            pool("end", "both"),
        ];
        let homes = [
            [0, 0, 0, 0],
            [1, 0, 0, 0],
            [2, 5, 0, 0],
            [3, 0, 0, 2],
            [4, 5, 0, 4],
            [5, 5, 0, 0],
            [6, 5, 1, 5],
            [7, 9, 0, 0],
            [8, 9, 2, 0],
            [9, 9, 0, 0],
        ];
        check(&bands, "top low rows some both", &homes);
    }

    #[test]
    fn what_would_lie_in_two_places_is_left_to_the_host() {
        let one = || pool("a", "input");
        // The same part twice, a part of the input, and columns.
        let twice = [
            one(),
            concat("c", "height", r#""a", "a""#),
            pool("end", "c"),
        ];
        check(&twice, "", &[]);
        let input = [
            one(),
            concat("c", "height", r#""a", "input""#),
            pool("end", "c"),
        ];
        check(&input, "", &[]);
        let columns = [
            one(),
            slice("s", "a", [0, 0, 1], [4, 6, 2]),
            pool("end", "s"),
        ];
        check(&columns, "", &[]);
        // An output is one tensor by itself.
        check(&[one(), slice("s", "a", [0, 1, 0], [4, 2, 3])], "", &[]);
        // Of two concatenations one has the parts.
        let both = [
            one(),
            pool("b", "a"),
            concat("c", "height", r#""a", "b""#),
            concat("d", "height", r#""b", "a""#),
            concat("e", "channels", r#""c", "d""#),
        ];
        check(&both, "d", &[[1, 4, 0, 6], [2, 4, 0, 0], [4, 4, 0, 0]]);
    }
}
