//! What enters the multipliers.

use heddle_hdl::sparse::tile::{TilePairs, TilePick};
use heddle_sim::sparse::tile::rounds::{self, TileItem};
use rand::Rng;

use super::random_items;
use crate::rtl::{Checked, Coverage, Dut, emitted, run_seeds};

/// The values of a tile and the weights of a kernel that are not zero, each with each, and nothing else.
fn random_pairs(seed: u64) -> Checked<Coverage> {
    let [mut pick, mut pairs] = [emitted(TilePick::new(6, 3)), emitted(TilePairs::new(6, 9))]
        .map(|sources| Dut::new(&sources, seed));
    let mut rng = pick.rng();
    let mut coverage = Coverage::default();
    pick.set_all("queued_i", [0; 6].into_iter());
    for _ in 0..200 {
        let density = [0.2, 0.5, 1.0][rng.random_range(0..3)];
        let values = random_items(&mut rng, (3, 3), density, 255);
        let weights = random_items(&mut rng, (3, 3), 0.6, 127);
        let limit = rng.random_range(1..4);
        set_items(&mut pairs, "item", &values);
        set_items(&mut pairs, "tap", &weights);
        pick.set("values_i", values.len() as u64);
        pick.set("weights_i", weights.len() as u64);
        pick.set("limit_i", limit as u64);
        pick.set("start_i", true);
        pick.clock();
        pick.set("start_i", false);
        let mut entered = Vec::new();
        while pick.get("busy_o") == 1 {
            let valid: Vec<u64> = (0..6)
                .map(|lane| pick.get_element("valid_o", lane, 6))
                .collect();
            for port in ["value", "weight"] {
                let numbers = (0..6).map(|lane| pick.get_element(&format!("{port}_o"), lane, 6));
                let numbers: Vec<u64> = numbers.collect();
                pairs.set_all(&format!("{port}_i"), numbers.into_iter());
            }
            pairs.set_all("valid_i", valid.iter().copied());
            pairs.settle();
            for lane in (0..6).filter(|lane| valid[*lane] == 1) {
                let number = |port| pick.get_element(port, lane, 6) as usize;
                let (value, weight) = (number("value_o"), number("weight_o"));
                let stays = lane == value;
                coverage.event("a value changes its lane", !stays);
                if limit == 1 && values.len() <= 6 && !stays {
                    return Err(pick.message("a value that fits has left its lane"));
                }
                let product = rounds::product(&values[value], &weights[weight], (3, 3));
                pairs.check_element("product_value_o", lane, 6, product.value as u64)?;
                pairs.check_element("product_row_o", lane, 6, product.place.0 as u64)?;
                pairs.check_element("product_col_o", lane, 6, product.place.1 as u64)?;
                entered.push((weight, value));
            }
            // A lane without a pair multiplies zeros, and is not valid.
            for lane in (0..6).filter(|lane| valid[*lane] == 0) {
                coverage.event("an idle lane", true);
                pairs.check_element("product_valid_o", lane, 6, 0u64)?;
                pairs.check_element("product_value_o", lane, 6, 0u64)?;
            }
            pick.clock();
        }
        let all = (0..weights.len()).flat_map(|w| (0..values.len()).map(move |v| (w, v)));
        if !all.eq(entered.iter().copied()) {
            return Err(pick.message(&format!("{entered:?} enter")));
        }
        coverage.event(
            "zeros are left out",
            values.len() < 9 && !entered.is_empty(),
        );
        coverage.event("nothing enters", entered.is_empty());
    }
    Ok(coverage)
}

fn set_items(dut: &mut Dut, port: &str, items: &[TileItem]) {
    let mut items = items.to_vec();
    items.resize(
        9,
        TileItem {
            value: 77,
            row: 1,
            col: 2,
        },
    );
    dut.set_all(
        &format!("{port}_i"),
        items.iter().map(|item| item.value as u64),
    );
    dut.set_all(
        &format!("{port}_row_i"),
        items.iter().map(|item| item.row as u64),
    );
    dut.set_all(
        &format!("{port}_col_i"),
        items.iter().map(|item| item.col as u64),
    );
    dut.set("kernel_rows_i", 2u64);
    dut.set("kernel_cols_i", 2u64);
}

#[proves("FSA-43", "FSA-46")]
#[test]
fn each_value_meets_each_weight_and_keeps_its_lane_if_it_fits() {
    run_seeds(random_pairs);
}
