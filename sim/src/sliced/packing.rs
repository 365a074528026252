//! Mask, count, packing and unpacking of one word, given as its units in the order of their
//! positions: units are packed towards the first one.

use super::layout::Network;

/// One flag per unit: the unit has at least one bit set.
pub fn mask<T: Default + PartialEq>(word: &[T]) -> Vec<bool> {
    word.iter().map(|unit| *unit != T::default()).collect()
}

/// Number of non-zero units that a mask announces.
pub fn pop(mask: &[bool]) -> usize {
    mask.iter().filter(|bit| **bit).count()
}

/// A mask of up to 64 units as a number, first unit in the most significant bit.
pub fn mask_number(mask: &[bool]) -> u64 {
    mask.iter().fold(0, |n, bit| n << 1 | u64::from(*bit))
}

/// Where each unit goes: none for a zero unit.
pub fn places(mask: &[bool], network: Network) -> Vec<Option<usize>> {
    let half = mask.len() / 2;
    let joined = pop(mask) <= half;
    let (mut zeros, mut ranks) = (0, [0, 0]);
    let left = pop(&mask[..half]);
    let mut places = Vec::with_capacity(mask.len());
    for (unit, bit) in mask.iter().enumerate() {
        if !bit {
            zeros += 1;
            places.push(None);
            continue;
        }
        let side = usize::from(unit >= half);
        places.push(Some(match network {
            Network::Full => unit - zeros,
            Network::Half => unit - zeros.min(half),
            Network::Split => match (side, joined) {
                (0, _) => ranks[0],
                (_, true) => left + ranks[1],
                (_, false) => half + ranks[1],
            },
        }));
        ranks[side] += 1;
    }
    places
}

/// Places at which a non-zero unit arrives, for a mask whose bit p is position p.
pub fn lanes(mask: u64, units: usize, network: Network) -> u64 {
    let ones = |count: u32| (1_u64.checked_shl(count).unwrap_or(0)).wrapping_sub(1);
    let pop = mask.count_ones();
    let half = units as u32 / 2;
    match network {
        Network::Full => ones(pop),
        Network::Split if pop <= half => ones(pop),
        Network::Split => {
            let left = (mask & ones(half)).count_ones();
            ones(left) | ones(pop - left) << half
        }
        Network::Half => {
            let (mut rest, mut lanes, mut rank) = (mask, 0, 0);
            while rest != 0 {
                let unit = rest.trailing_zeros();
                lanes |= 1 << (unit - (unit - rank).min(half));
                rest &= rest - 1;
                rank += 1;
            }
            lanes
        }
    }
}

/// The packed word: non-zero units at their places, zero units everywhere else.
pub fn pack<T: Copy + Default + PartialEq>(word: &[T], network: Network) -> Vec<T> {
    let mut packed = vec![T::default(); word.len()];
    for (unit, place) in word.iter().zip(places(&mask(word), network)) {
        if let Some(place) = place {
            packed[place] = *unit;
        }
    }
    packed
}

/// The word of a packed word: a unit for each set bit of the mask, zero units everywhere else.
///
/// # Panics
/// If `packed` is too short for the mask.
pub fn unpack<T: Copy + Default>(packed: &[T], mask: &[bool], network: Network) -> Vec<T> {
    let units = places(mask, network).into_iter();
    units
        .map(|place| place.map_or(T::default(), |place| packed[place]))
        .collect()
}
