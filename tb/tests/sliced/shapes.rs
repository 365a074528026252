//! Shapes that are not built in Verilog: rust-hdl's simulator against the golden model, all outputs in every cycle.

use super::sides::{network, shape};
use super::variants::layout;
use crate::rtl::is_slow;
use heddle_hdl::sliced::{
    Pack, PlainMemory, Route, Select, Sliced, SlicedField, SlicedHybrid, Unpack, moves,
};
use heddle_kernel::prelude::*;
use heddle_sim::sliced::packing::{lanes, pack};
use heddle_sim::sliced::vectors::masked_word;
use heddle_sim::sliced::{
    Accesses, MaskPlace, Network, SliceLayout, SlicedInputs, SlicedModel, SlicedOutputs, Word,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const PLACES: [MaskPlace; 3] = [MaskPlace::Slice, MaskPlace::Field, MaskPlace::Hybrid];
const NETWORKS: [Network; 3] = [Network::Full, Network::Half, Network::Split];

/// A memory in the simulator.
pub trait Memory {
    /// Ends the reset.
    fn begin(&mut self);
    /// Drives the inputs of a cycle.
    fn drive(&mut self, inputs: &SlicedInputs);
    /// Outputs of the cycle.
    fn outputs(&self) -> SlicedOutputs;
    /// Ends the cycle.
    fn tick(&mut self);
}

/// The number with these bits, bit 0 first.
fn number(bits: impl Iterator<Item = bool>) -> u64 {
    bits.enumerate()
        .fold(0, |n, (k, bit)| n | u64::from(bit) << k)
}

macro_rules! memory {
    ($($name:ident)*) => { $(
        impl<const UB: usize> Memory for $name<UB> {
            fn begin(&mut self) {
                clock_cycle!(*self);
                self.rst_n.next = true;
            }
            fn drive(&mut self, inputs: &SlicedInputs) {
                self.ports_i.wen.next = inputs.write.is_some();
                self.ports_i.ren.next = inputs.read.is_some();
                // Without a request the ports carry what would do harm.
                let (address, word) = inputs.write.unwrap_or((inputs.read.unwrap_or(1), Word::from(5u64)));
                self.ports_i.waddr.next = u64::from(address).into();
                self.ports_i.raddr.next = u64::from(inputs.read.unwrap_or(address)).into();
                for (k, port) in self.wdata_i.iter_mut().enumerate() {
                    port.next = u64::from(word.unit(k, UB)).into();
                }
                settle(self);
            }
            fn outputs(&self) -> SlicedOutputs {
                let any = |b: &Signal<Out, Bits<1>>| b.val().any();
                let unit = |word: Word, (k, port): (usize, &Signal<Out, Bits<UB>>)| {
                    word.with_unit(k, UB, port.val().to_u64() as u32)
                };
                let valid = self.wave_o.rvalid.val();
                SlicedOutputs {
                    rdata: valid.then(|| self.wave_o.rdata.iter().enumerate().fold(Word::ZERO, unit)),
                    rmask: if valid { number(self.wave_o.rmask.iter().map(any)) } else { 0 },
                    accesses: Accesses {
                        mask_read: self.mask_o.ren.val(),
                        mask_write: self.mask_o.wen.val(),
                        slice_reads: number(self.ports_o.slice_ren.iter().map(|b| b.val())) as u8,
                        slice_writes: number(self.ports_o.slice_wen.iter().map(|b| b.val())) as u8,
                        lanes: number(self.ports_o.lane_wen.iter().map(any)),
                    },
                }
            }
            fn tick(&mut self) {
                clock_cycle!(*self);
            }
        }
    )* };
}
memory!(Sliced SlicedField SlicedHybrid PlainMemory);

fn build(layout: &SliceLayout) -> Box<dyn Memory> {
    fn of<const UB: usize>(layout: &SliceLayout) -> Box<dyn Memory> {
        let shape = shape(layout);
        match layout.mask {
            _ if layout.plain => Box::new(PlainMemory::<UB>::new(shape)),
            MaskPlace::Slice => Box::new(Sliced::<UB>::new(shape)),
            MaskPlace::Field => Box::new(SlicedField::<UB>::new(shape)),
            MaskPlace::Hybrid => Box::new(SlicedHybrid::<UB>::new(shape)),
        }
    }
    match layout.unit_bits {
        4 => of::<4>(layout),
        8 => of::<8>(layout),
        16 => of::<16>(layout),
        _ => of::<32>(layout),
    }
}

/// Words of every number of non-zero units, then traffic on three of the words.
fn check(layout: &SliceLayout) {
    let (mut memory, mut model) = (build(layout), SlicedModel::new(layout));
    memory.begin();
    let mut rng = ChaCha8Rng::seed_from_u64(layout.latency as u64);
    let mut step = |inputs: SlicedInputs| {
        memory.drive(&inputs);
        assert_eq!(
            memory.outputs(),
            model.step(&inputs),
            "{layout:?}, {inputs:?}"
        );
        memory.tick();
    };
    let all = u64::MAX >> (64 - layout.units);
    // Everything is done by then.
    let idle = vec![SlicedInputs::default(); layout.read_cycle() + 2];
    for ones in 0..=layout.units {
        let mask = (all >> (layout.units - ones)).rotate_left(rng.random_range(0..64));
        let mask = (mask | mask >> (64 - layout.units)) & all;
        let word = masked_word(layout, mask, rng.random());
        let write = Some((ones as u16 % 8, word));
        step(SlicedInputs { write, read: None });
        idle.iter().for_each(|inputs| step(*inputs));
        step(SlicedInputs {
            write: None,
            read: write.map(|write| write.0),
        });
        idle.iter().for_each(|inputs| step(*inputs));
    }
    for address in 0..8 {
        let write = Some((address, masked_word(layout, all, rng.random())));
        step(SlicedInputs { write, read: None });
    }
    for _ in 0..200 {
        let zeros = rng.random_range(0..10);
        let mask = number((0..layout.units).map(|_| rng.random_range(0..9) >= zeros));
        // Address bits above those of the eight words are ignored.
        let mut address = || rng.random_range(0..3) | rng.random_range(0..8) << 10;
        let (write, read) = (address(), address());
        let word = masked_word(layout, mask, rng.random());
        step(SlicedInputs {
            write: rng.random_bool(0.67).then_some((write, word)),
            read: rng.random_bool(0.75).then_some(read),
        });
    }
    idle.iter().for_each(|inputs| step(*inputs));
}

/// Checks a layout of these widths with each option in turn.
fn each<T>(
    widths: &[usize],
    mask: MaskPlace,
    values: impl IntoIterator<Item = T>,
    set: impl Fn(&mut SliceLayout, &T),
) {
    for value in values {
        check(&layout(widths, mask, |layout| set(layout, &value)));
    }
}

#[proves("SPM-15", "SPM-20", "SPM-21", "SPM-22", "SPM-24", "SPM-48", "SPM-50")]
#[test]
fn every_place_of_the_mask_at_every_latency() {
    for mask in PLACES {
        each(&[4, 4], mask, 2..8, |l, latency| l.latency = *latency);
        each(&[3, 3, 2], mask, 2..8, |l, latency| {
            (l.latency, l.in_turn) = (*latency, true);
        });
    }
    each(&[4, 4], MaskPlace::Slice, 2..8, |l, latency| {
        (l.latency, l.plain, l.right) = (*latency, true, *latency % 5 == 2);
    });
    each(&[3, 5], MaskPlace::Slice, 2..8, |l, latency| {
        (l.latency, l.exact, l.in_turn) = (*latency, true, true);
    });
}

#[proves("SPM-32", "SPM-35", "SPM-36", "SPM-44")]
#[test]
fn every_network_with_every_option_beside_it() {
    for network in NETWORKS {
        each(&[4, 4], MaskPlace::Slice, 2..8, |l, latency| {
            (l.network, l.latency, l.exact) = (network, *latency, true);
        });
        for mask in PLACES {
            // The half network brings no unit further than half a word.
            let widths = if network == Network::Half {
                [5, 3]
            } else {
                [4, 4]
            };
            each(
                &widths,
                mask,
                [(2, true), (7, true), (2, false), (6, false)],
                |l, (latency, right)| {
                    (l.network, l.latency, l.right) = (network, *latency, *right);
                },
            );
        }
    }
    each(&[4, 4], MaskPlace::Slice, [2, 7], |l, latency| {
        (l.latency, l.exact, l.right) = (*latency, true, true);
    });
}

#[proves("SPM-28", "SPM-29", "SPM-30", "SPM-31")]
#[test]
fn units_and_slices_of_every_size() {
    for mask in PLACES {
        for (bits, widths) in [
            (4, [8, 8]),
            (16, [2, 2]),
            (16, [6, 2]),
            (32, [2, 2]),
            (32, [3, 5]),
        ] {
            each(&widths, mask, [bits], |l, bits| l.unit_bits = *bits);
        }
    }
    let all: [&[usize]; 6] = [
        &[1, 7],
        &[7, 1],
        &[2, 6],
        &[2, 2, 4],
        &[1; 8],
        &[1, 2, 3, 2],
    ];
    for widths in all {
        for mask in [MaskPlace::Slice, MaskPlace::Field] {
            check(&layout(widths, mask, |_| {}));
        }
    }
    check(&layout(&[8, 4, 4], MaskPlace::Hybrid, |_| {}));
    check(&layout(&[2, 2], MaskPlace::Slice, |l| l.latency = 3));
}

#[proves("SPM-42", "SPM-43")]
#[test]
fn thresholds_at_several_latencies() {
    for mask in PLACES {
        for thresholds in [(0, 0, 1), (2, 0, 3), (3, 3, 2), (6, 1, 3)] {
            each(&[4, 2, 2], mask, [2, 4, 5], |l, latency| {
                (l.write_threshold, l.read_threshold, l.access_threshold) = thresholds;
                l.latency = *latency;
            });
        }
    }
    // Slice b is enabled although it is empty.
    each(&[6, 2], MaskPlace::Slice, [false, true], |l, exact| {
        (l.access_threshold, l.exact) = (2, *exact);
    });
}

/// Masks to try: all for up to 8 units, with `scripts/test.sh --all` 16, otherwise the corners and
/// random ones.
fn masks(units: usize) -> Vec<u64> {
    if units <= if is_slow() { 16 } else { 8 } {
        return (0..1 << units).collect();
    }
    let mut rng = ChaCha8Rng::seed_from_u64(units as u64);
    let all = u64::MAX >> (64 - units);
    let corners = (0..units).flat_map(|j| [1 << j, all >> j, all << j & all, all ^ 1 << j]);
    let mut random = |_| {
        let ones = rng.random_range(0..=units);
        number((0..units).map(|_| rng.random_range(0..units) < ones))
    };
    corners
        .chain([0])
        .chain((0..800).map(&mut random))
        .collect()
}

fn values<const N: usize>(signals: &[Signal<Out, Bits<N>>]) -> Vec<u64> {
    signals.iter().map(|signal| signal.val().to_u64()).collect()
}

/// Packs and unpacks all masks; lanes that no unit reached are unpacked from other units.
fn check_network(units: usize, of: Network) {
    let mut route = Route::new(units, network(of));
    let mut packed = Pack::<8>::new(units, network(of));
    let mut unpack = Unpack::<8>::new(units, network(of));
    for mask in masks(units) {
        // A unit tells its position.
        let word: Vec<u64> = (0..units as u64)
            .map(|j| (mask >> j & 1) * (j + 1))
            .collect();
        for (j, unit) in word.iter().enumerate() {
            let bit = u64::from(*unit != 0);
            for port in [
                &mut route.mask_i[j],
                &mut packed.mask_i[j],
                &mut unpack.mask_i[j],
            ] {
                port.next = bit.into();
            }
            packed.word_i[j].next = (*unit).into();
        }
        settle(&mut route);
        for (m, found) in route.move_o.iter().enumerate() {
            packed.move_i[m].next = found.val();
            unpack.move_i[m].next = found.val();
        }
        settle(&mut packed);
        let case = format!("{of:?}, {units} units, {mask:x}");
        assert_eq!(values(&packed.packed_o), pack(&word, of), "{case}");
        let reached = values(&packed.lane_o);
        let found = number(reached.iter().map(|lane| *lane == 1));
        assert_eq!(found, lanes(mask, units, of), "{case}");
        for (p, port) in unpack.packed_i.iter_mut().enumerate() {
            port.next = if reached[p] == 1 {
                packed.packed_o[p].val()
            } else {
                0xee.into()
            };
        }
        settle(&mut unpack);
        assert_eq!(values(&unpack.word_o), word, "{case}");
    }
}

#[proves(
    "SPM-06", "SPM-18", "SPM-19", "SPM-29", "SPM-34", "SPM-35", "SPM-36", "SPM-37"
)]
#[test]
fn networks_of_every_size() {
    for (network, most) in
        NETWORKS
            .into_iter()
            .zip([[1, 5, 17, 49], [1, 5, 17, 49], [1, 4, 13, 38]])
    {
        for units in [2, 4, 8, 16, 32, 64] {
            check_network(units, network);
        }
        let of = super::sides::network(network);
        assert_eq!([2, 4, 8, 16].map(|units| moves(units, of)), most);
        for units in [1, 3, 12, 128] {
            let refused = std::panic::catch_unwind(|| moves(units, of));
            assert!(refused.is_err(), "{units} units");
        }
    }
}

#[proves("SPM-14", "SPM-30", "SPM-43")]
#[test]
fn a_slice_is_selected_above_its_threshold() {
    for units in [2, 4, 8, 16, 64] {
        let thresholds = vec![0, 1, units / 2, units - 1, units];
        let mut select = Select::new(units, thresholds.clone());
        let found = if units < 16 { masks(units) } else { masks(64) };
        for mask in found
            .into_iter()
            .map(|mask| mask & u64::MAX >> (64 - units))
        {
            for (j, bit) in select.mask_i.iter_mut().enumerate() {
                bit.next = (mask >> j & 1).into();
            }
            settle(&mut select);
            let pop = mask.count_ones() as usize;
            assert_eq!(
                select.pop_o.val().to_u64(),
                pop as u64,
                "{units} units, {mask:x}"
            );
            for (slice, threshold) in select.slice_o.iter().zip(&thresholds) {
                assert_eq!(slice.val(), pop > *threshold, "{mask:x} above {threshold}");
            }
        }
    }
}
