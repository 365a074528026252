//! The Wishbone slave against its golden model: random cycles with pauses, some broken off.

use heddle_hdl::system::Wishbone;
use heddle_sim::system::{WishboneInputs, WishboneModel};
use heddle_tb::verilate::Sources;
use rand::Rng;

use crate::rtl::{Checked, Coverage, Dut, check_mutants, emitted, run_seeds};

fn random_cycles(sources: &Sources, seed: u64) -> Checked<Coverage> {
    let mut dut = Dut::new(sources, seed);
    let mut rng = dut.rng();
    let mut model = WishboneModel::default();
    let mut coverage = Coverage::default();
    let mut inputs = WishboneInputs::default();
    let (mut done, mut waits, mut pause) = (0, 0, 0);
    while done < 20_000 {
        let mut one_in = |n: u32| rng.random_range(0..n) == 0;
        inputs.alive = !one_in(500);
        let breaks = inputs.asks && one_in(60);
        if !inputs.asks && pause == 0 {
            inputs.asks = true;
            inputs.write = one_in(2);
            inputs.data.1 = if one_in(4) {
                rng.random_range(0..16)
            } else {
                15
            };
            inputs.addr = rng.random_range(0..1 << 12);
            inputs.data.0 = rng.random();
        }
        inputs.asks &= !breaks && inputs.alive;
        pause -= u32::from(pause > 0);
        inputs.word = rng.random();
        let (cyc, stb) = match inputs.asks {
            true => (true, true),
            false => [(true, false), (false, true), (false, false)][rng.random_range(0..3)],
        };
        dut.set("rst_n", inputs.alive);
        dut.set("cyc_i", cyc);
        dut.set("stb_i", stb);
        dut.set("we_i", inputs.write);
        dut.set("adr_i", inputs.addr);
        dut.set("dat_i", inputs.data.0);
        dut.set("sel_i", inputs.data.1);
        dut.set("word_i", inputs.word);
        dut.settle();
        let outputs = model.step(&inputs);
        dut.check("ack_o", outputs.ack.is_some())?;
        dut.check("write_o", outputs.write.is_some())?;
        dut.check("read_o", outputs.read.is_some())?;
        if let Some((addr, data, whole)) = outputs.write {
            dut.check("write_addr_o", addr)?;
            dut.check("write_data_o", data)?;
            dut.check("write_whole_o", whole)?;
        }
        if let Some(addr) = outputs.read {
            dut.check("read_addr_o", addr)?;
        }
        if let Some(word) = outputs.ack.filter(|_| !inputs.write) {
            dut.check("dat_o", word)?;
        }
        waits = if inputs.asks && outputs.ack.is_none() {
            waits + 1
        } else {
            0
        };
        // Behind a cycle that was broken off the next one may wait for its end.
        if waits > 6 {
            return Err(dut.message("no acknowledge"));
        }
        coverage.event("write", outputs.write.is_some());
        coverage.event("read", outputs.read.is_some());
        coverage.event("some bytes", outputs.write.is_some_and(|write| !write.2));
        coverage.event("broken off", breaks);
        coverage.event(
            "acknowledge behind the last request",
            outputs.ack.is_some() && !inputs.asks,
        );
        coverage.event("reset", !inputs.alive);
        if outputs.ack.is_some() {
            done += 1;
            inputs.asks = false;
            pause = rng.random_range(0..3) * u32::from(rng.random_range(0..3) == 0);
        }
        dut.clock();
    }
    Ok(coverage)
}

#[proves("PET-65")]
#[test]
fn the_wishbone_slave_follows_its_model() {
    let sources = emitted(Wishbone::default());
    run_seeds(|seed| random_cycles(&sources, seed));
}

#[test]
fn faults_of_the_wishbone_slave_are_noticed() {
    let sources = emitted(Wishbone::default());
    let faults = [
        (
            "heddle_wishbone",
            "ack_q <= answers_q & asks",
            "ack_q <= answers_q",
        ),
        ("heddle_wishbone", "&sel_i", "|sel_i"),
        ("heddle_wishbone", " & !ack_q", ""),
        (
            "heddle_wishbone",
            "if (answers_q) dat_q",
            "if (read_q) dat_q",
        ),
        (
            "heddle_wishbone",
            "read_q <= begins & !we_i",
            "read_q <= begins",
        ),
    ];
    check_mutants(&sources, &faults, random_cycles);
}
