//! Program files for machines whose stored sums enter the array at the top.

use crate::support::compile;
use crate::support::{model, preset};
use heddle_arch::params::PartialSums;
use heddle_compiler::Program;

#[proves("PET-57")]
#[test]
fn a_program_is_for_a_machine_that_adds_sums_in_the_same_place() {
    let network = model("tiny");
    let foot = preset("tiny");
    let mut top = foot.clone();
    top.array.partial_sums = PartialSums::Top;
    let of_foot = compile(&network, &foot).unwrap().to_json(&foot);
    let of_top = compile(&network, &top).unwrap().to_json(&top);
    assert!(!of_foot.contains("sum_distance"));
    assert!(of_top.contains("\"sum_distance\": 7"));
    for (text, own, other) in [(&of_foot, &foot, &top), (&of_top, &top, &foot)] {
        Program::from_json(text, own).unwrap();
        let message = Program::from_json(text, other).unwrap_err().to_string();
        assert!(message.contains("array.partial_sums"), "{message}");
    }
}
