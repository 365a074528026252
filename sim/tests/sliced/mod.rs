//! The sliced-memory models against the specification's worked tables and against each other.

mod bits;
mod clocked;
mod networks;
mod words;

use heddle_sim::sliced::{MaskPlace, Network, SliceLayout};

const ALL_NETWORKS: [Network; 3] = [Network::Full, Network::Half, Network::Split];
const ALL_PLACES: [MaskPlace; 3] = [MaskPlace::Slice, MaskPlace::Field, MaskPlace::Hybrid];

/// Eight bytes in slices of 4 and 4.
fn even() -> SliceLayout {
    SliceLayout::new(16, [4, 4])
}
