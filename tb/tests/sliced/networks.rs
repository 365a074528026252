//! The packing networks alone: packed words, lanes, and words unpacked from stale units.

use super::sides::network;
use crate::rtl::{Dut, emitted};
use heddle_hdl::sliced::{Pack, Route, Select, Unpack, moves};
use heddle_sim::sliced::Network;
use heddle_sim::sliced::packing::{lanes, pack};
use heddle_sim::sliced::vectors::{NETWORKS, WORDS, word, word_with_mask};
use heddle_tb::verilate::Sources;
use rand::Rng;
use std::sync::LazyLock;

const ALL: [(&str, Network); 3] = [
    ("full", Network::Full),
    ("half", Network::Half),
    ("split", Network::Split),
];

/// Slices of 3 and 5 of 8 units.
const THRESHOLDS: [usize; 2] = [0, 3];

/// All networks of 8 bytes in one module. Positions at which no unit arrives are filled with
/// `stale_i` before the word is unpacked.
static NETS: LazyLock<Sources> = LazyLock::new(|| {
    let mut files = Vec::new();
    let mut ports = String::new();
    let mut body = String::new();
    for (name, of) in ALL {
        let parts = [
            emitted(Route::new(8, network(of))),
            emitted(Pack::<8>::new(8, network(of))),
            emitted(Unpack::<8>::new(8, network(of))),
            emitted(Select::new(8, THRESHOLDS.to_vec())),
        ];
        let own = |text: &str| text.replace("heddle_", &format!("{name}_heddle_"));
        for part in &parts {
            for (file, text) in &part.files {
                let file = (own(file), own(text));
                if !files.contains(&file) {
                    files.push(file);
                }
            }
        }
        let [route, pack, unpack, select] = parts.map(|part| own(&part.top));
        ports += &format!(
            "  output wire [63:0] {name}_packed_o,
  output wire [7:0] {name}_lane_o,
  output wire [63:0] {name}_word_o,
"
        );
        let moves = moves(8, network(of));
        let pops = match of {
            Network::Full => (".slice_o(slice_o)", ".pop_o(pop_o)"),
            _ => (".slice_o()", ".pop_o()"),
        };
        body += &format!(
            "  wire [{moves}-1:0] {name}_move;
  wire [63:0] {name}_stored;
  {route} u_{name}_route (.mask_i(mask), .move_o({name}_move));
  {pack} u_{name}_pack (.word_i, .mask_i(mask), .move_i({name}_move),
    .packed_o({name}_packed_o), .lane_o({name}_lane_o));
  {unpack} u_{name}_unpack (.packed_i({name}_stored), .mask_i(mask), .move_i({name}_move),
    .word_o({name}_word_o));
  {select} u_{name}_select (.mask_i(mask), {}, {});
  for (genvar p = 0; p < 8; p++) begin : gen_{name}
    assign {name}_stored[8*p+:8] = {name}_lane_o[p] ? {name}_packed_o[8*p+:8] : stale_i[8*p+:8];
  end
",
            pops.0, pops.1
        );
    }
    let text = format!(
        "module nets (
{ports}  output wire [1:0] slice_o,
  output wire [6:0] pop_o,
  input wire [63:0] word_i,
  input wire [63:0] stale_i
);
  wire [7:0] mask;
  for (genvar p = 0; p < 8; p++) begin : gen_mask
    assign mask[p] = |word_i[8*p+:8];
  end
{body}endmodule
"
    );
    files.push(("nets.sv".into(), text));
    Sources {
        top: "nets".into(),
        files,
        ports: Vec::new(),
    }
});

/// A word, or a packed word, as positions: the most significant byte is position 0.
fn positions(word: u64) -> u64 {
    word.swap_bytes()
}

fn drive(dut: &mut Dut, word: u64, stale: u64) {
    dut.set("word_i", positions(word));
    dut.set("stale_i", stale);
    dut.settle();
}

#[test]
fn spm_06_spm_07_spm_08_spm_13_spm_33_packed_slices_of_the_table_of_words() {
    let mut dut = Dut::new(&NETS, 1);
    for row in WORDS {
        drive(&mut dut, row.word, 0);
        let packed = positions(dut.get("full_packed_o"));
        // A slice that is not accessed gets nothing.
        assert_eq!(
            (packed >> 32) as u32,
            row.a.unwrap_or(0),
            "{:016x}",
            row.word
        );
        assert_eq!(packed as u32, row.b.unwrap_or(0), "{:016x}", row.word);
        dut.check("pop_o", row.pop as u64).unwrap();
    }
}

#[test]
fn spm_35_spm_36_spm_37_networks_pack_the_words_of_table_5_9() {
    let mut dut = Dut::new(&NETS, 1);
    for (number, packed) in NETWORKS {
        drive(&mut dut, word(number), 0);
        for ((name, _), packed) in ALL.iter().zip(packed) {
            let found = positions(dut.get(&format!("{name}_packed_o")));
            assert_eq!(found, packed, "row {number}, {name}");
        }
    }
}

#[test]
fn spm_05_spm_06_spm_18_spm_19_spm_32_spm_34_spm_35_spm_36_spm_37_every_mask_with_stale_units() {
    let mut dut = Dut::new(&NETS, 2);
    let mut rng = dut.rng();
    for mask in 0..=255 {
        for salt in [0, 99] {
            let word = word_with_mask(mask, salt);
            for stale in [0, u64::MAX, rng.random()] {
                drive(&mut dut, word, stale);
                // The units of zero lanes differ, the word does not.
                for (name, network) in ALL {
                    let packed = pack(&word.to_be_bytes(), network);
                    let packed = u64::from_le_bytes(packed.try_into().expect("8 bytes"));
                    dut.check(&format!("{name}_packed_o"), packed).unwrap();
                    let by_position = u64::from(mask.reverse_bits());
                    let lanes = lanes(by_position, 8, network);
                    dut.check(&format!("{name}_lane_o"), lanes).unwrap();
                    dut.check(&format!("{name}_word_o"), positions(word))
                        .unwrap();
                }
                let pop = mask.count_ones() as usize;
                dut.check("pop_o", pop as u64).unwrap();
                let slices = u64::from(pop > THRESHOLDS[0]) | u64::from(pop > THRESHOLDS[1]) << 1;
                dut.check("slice_o", slices).unwrap();
            }
        }
    }
}
