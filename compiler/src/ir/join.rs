//! Which tensors are joined where their parts are made.

use std::collections::BTreeSet;
use std::ops::Range;

use heddle_arch::params::Params;
use heddle_network::Axis;

use super::homes::{Home, joins};
use super::{Joined, Lowered, overlap};

impl Lowered<'_> {
    /// Finds them: concatenations that LOAD and STORE would do, as far as the whole has room beside what else is there.
    pub(super) fn join(&mut self, params: &Params) {
        self.joined = Joined::default();
        let mut alive = self.alive(params);
        let room = overlap::room(params) / 4 * 3;
        for layer in self.layers() {
            let Some(parts) = self.parts(layer, params) else {
                continue;
            };
            let bytes = self.bytes(layer + 1, params);
            let made: Range<usize> = parts[0].0..layer + 1;
            // Bands become smaller until they have room.
            let bands = parts.iter().flat_map(|(part, _)| {
                let inputs = self.network.layers[part - 1].inputs.iter();
                inputs.map(|input| input.tensor).chain([*part])
            });
            let bands = bands.filter(|&tensor| self.homes.tensor(tensor).is_some());
            let mut others = alive.clone();
            for band in bands.collect::<BTreeSet<_>>() {
                let own = self.bytes(band, params);
                others[self.lifetime(band)]
                    .iter_mut()
                    .for_each(|all| *all -= own);
            }
            if made.clone().any(|step| others[step] + bytes > room) {
                continue;
            }
            made.for_each(|step| alive[step] += bytes);
            self.joined.firsts.insert(layer + 1, parts[0].0);
            self.homes.leave(layer + 1);
            for (part, home) in parts {
                self.homes.leave(part);
                self.joined.parts.insert(part, home);
            }
        }
    }

    /// The parts of a concatenation of which each may be written where the whole has it.
    fn parts(&self, layer: usize, params: &Params) -> Option<Vec<(usize, Home)>> {
        let of = &self.network.layers[layer];
        let axis = joins(of)?;
        let whole = layer + 1;
        let machine = |layer: usize| self.constants.hosts[layer].is_none();
        let readers = &self.readers[whole];
        let is_read = !readers.is_empty() && readers.iter().all(|&reader| machine(reader));
        let is_own = self
            .homes
            .tensor(whole)
            .is_some_and(|home| home.whole == whole);
        if !self.homes.do_layer(layer) || !is_own || !is_read || self.is_read_behind(whole) {
            return None;
        }
        let mut first = [0; 2];
        let parts = of.inputs.iter().map(|input| {
            let part = input.tensor;
            let home = Home { whole, first };
            first[axis.index()] += self.network.tensor(part).0.sides()[axis.index()];
            let is_aligned = axis == Axis::Height || home.first[0] % params.lanes() == 0;
            let is_part = part > 0 && machine(part - 1) && self.readers[part] == [layer];
            (is_part && is_aligned).then_some((part, home))
        });
        parts.collect()
    }
}
