//! The variants under test: every option, every latency, every place of the mask.

use super::sides::{Design, Side, design};
use heddle_sim::sliced::{MaskPlace, Network, SliceLayout};
use std::sync::LazyLock;

/// Words of every memory: few, so that traffic meets.
pub const WORDS: usize = 8;

/// A layout with changed options; the access threshold follows the place of the mask.
pub fn layout(widths: &[usize], mask: MaskPlace, change: impl Fn(&mut SliceLayout)) -> SliceLayout {
    let mut layout = SliceLayout::new(WORDS, widths).with_mask(mask);
    change(&mut layout);
    if layout.mask == MaskPlace::Hybrid && layout.access_threshold > 0 {
        let fit = layout.fit();
        layout.access_threshold = layout.access_threshold.min(fit);
    }
    layout
}

/// All variants side by side. Each has another name, that of its ports.
pub static VARIANTS: LazyLock<Design> = LazyLock::new(|| design(variants()));

fn variants() -> Vec<Side> {
    use MaskPlace::{Field, Hybrid, Slice};
    let mut sides = Vec::new();
    let mut add = |name: &str, widths: &[usize], mask, change: &dyn Fn(&mut SliceLayout)| {
        sides.push(Side::new(name, layout(widths, mask, change)));
    };
    for latency in 2..8 {
        add(&format!("even{latency}"), &[4, 4], Slice, &|l| {
            l.latency = latency;
        });
    }
    add("two", &[2, 6], Slice, &|_| {});
    add("three", &[3, 5], Slice, &|_| {});
    add("smallest", &[6, 2], Slice, &|l| l.access_threshold = 2);
    add("thresholds", &[4, 4], Slice, &|l| {
        (l.write_threshold, l.read_threshold, l.access_threshold) = (3, 1, 2);
        l.latency = 3;
    });
    add("turn", &[2, 2, 4], Slice, &|l| l.in_turn = true);
    add("eight", &[1; 8], Slice, &|l| {
        (l.in_turn, l.exact, l.latency) = (true, true, 4);
    });
    add("right", &[3, 5], Slice, &|l| {
        (l.right, l.latency) = (true, 5);
    });
    add("exact", &[4, 4], Slice, &|l| l.exact = true);
    add("exact_right", &[5, 3], Slice, &|l| {
        (l.exact, l.right, l.latency) = (true, true, 7);
    });
    add("half", &[5, 3], Slice, &|l| {
        (l.network, l.exact, l.latency) = (Network::Half, true, 6);
    });
    add("split", &[2, 2, 4], Slice, &|l| {
        (l.network, l.exact, l.latency) = (Network::Split, true, 5);
    });
    add("field", &[4, 4], Field, &|_| {});
    add("field_half", &[4, 2, 2], Field, &|l| {
        (l.network, l.in_turn, l.latency) = (Network::Half, true, 3);
    });
    add("field_right", &[2, 6], Field, &|l| {
        (l.right, l.latency) = (true, 7);
    });
    add("hybrid", &[4, 4], Hybrid, &|_| {});
    add("field_late", &[4, 4], Field, &|l| {
        (l.write_threshold, l.read_threshold, l.latency) = (2, 1, 7);
    });
    add("hybrid_late", &[4, 4], Hybrid, &|l| l.latency = 7);
    add("hybrid_half", &[5, 1, 2], Hybrid, &|l| {
        (l.network, l.in_turn, l.latency) = (Network::Half, true, 5);
    });
    add("hybrid_split", &[4, 4], Hybrid, &|l| {
        (l.network, l.right, l.latency) = (Network::Split, true, 6);
    });
    add("hybrid_threshold", &[6, 2], Hybrid, &|l| {
        (l.access_threshold, l.latency) = (3, 4);
        (l.write_threshold, l.read_threshold) = (1, 1);
    });
    // Units of other sizes, words of 4 to 32 bytes.
    add("nibbles", &[8, 8], Slice, &|l| l.unit_bits = 4);
    add("nibbles_hybrid", &[8, 8], Hybrid, &|l| {
        (l.unit_bits, l.access_threshold, l.latency) = (4, 4, 3);
    });
    add("pairs", &[2, 2], Slice, &|l| l.unit_bits = 16);
    add("quads", &[3, 5], Field, &|l| {
        (l.unit_bits, l.latency) = (32, 3);
    });
    add("bytes4", &[1, 3], Slice, &|l| l.latency = 4);
    add("bytes16", &[4, 4, 8], Slice, &|l| {
        (l.network, l.in_turn) = (Network::Split, true);
    });
    add("plain2", &[4, 4], Slice, &|l| l.plain = true);
    add("plain7", &[4, 4], Slice, &|l| {
        (l.plain, l.latency) = (true, 7);
    });
    sides
}

/// Memories as the banks of a machine have them: a read of the word that is written is undefined.
pub static WITHOUT_BYPASS: LazyLock<Design> = LazyLock::new(|| design(without_bypass()));

fn without_bypass() -> Vec<Side> {
    use MaskPlace::{Field, Hybrid, Slice};
    let mut sides = Vec::new();
    let mut add = |name: &str, widths: &[usize], mask, change: &dyn Fn(&mut SliceLayout)| {
        let mut layout = layout(widths, mask, change);
        layout.bypass = false;
        sides.push(Side::new(name, layout));
    };
    for latency in [2, 3, 5, 7] {
        add(&format!("open{latency}"), &[4, 4], Slice, &|l| {
            l.latency = latency;
        });
    }
    add("open_turn", &[2, 2, 4], Slice, &|l| {
        (l.in_turn, l.exact, l.latency) = (true, true, 5);
    });
    for latency in [2, 5] {
        add(&format!("open_field{latency}"), &[4, 4], Field, &|l| {
            l.latency = latency;
        });
        add(&format!("open_hybrid{latency}"), &[4, 4], Hybrid, &|l| {
            l.latency = latency;
        });
        add(&format!("open_plain{latency}"), &[4, 4], Slice, &|l| {
            (l.plain, l.latency) = (true, latency);
        });
    }
    sides
}
