//! The agreement harness itself: it accepts equal text and finds every kind of difference.

use super::{Agreement, AgreementError, pins};
use heddle_kernel::prelude::*;
use heddle_tb::Model;
use heddle_tb::verilate::{Options, Sources, build_shared};

/// Sums the elements of each row of a matrix and counts cycles with a negative total.
#[module]
struct RowSums {
    x_i: [[Signal<In, Signed<5>>; 3]; 2],
    sum_o: [Signal<Out, Signed<8>>; 2],
    negative_o: Signal<Out, Bit>,
    count_o: Signal<Out, Bits<40>>,
    count: RegEn<Bits<40>>,
}

#[kernel]
impl RowSums {
    fn update(&mut self) {
        self.count = self.count + 1;
        for i in 0..2 {
            self.sum_o[i] = signed_cast_to::<8, 5>(self.x_i[i][0])
                + signed_cast_to::<8, 5>(self.x_i[i][1])
                + signed_cast_to::<8, 5>(self.x_i[i][2]);
        }
        self.negative_o = self.sum_o[0].get_bit(7) & self.sum_o[1].get_bit(7);
        self.count.en_i = self.negative_o;
        self.count_o = self.count;
    }
}

pins! { RowSums { clock: clk; in: rst_n, x_i; out: sum_o, negative_o, count_o } }

const TEXT: &str = "
module row_sums (
  input  wire        clk,
  input  wire        rst_n,
  input  wire [29:0] x_i,
  output wire [15:0] sum_o,
  output wire        negative_o,
  output reg  [39:0] count_o
);
  function [7:0] extend(input [4:0] x);
    extend = {{3{x[4]}}, x};
  endfunction
  assign sum_o[7:0] = extend(x_i[4:0]) + extend(x_i[9:5]) + extend(x_i[14:10]);
  assign sum_o[15:8] = extend(x_i[19:15]) + extend(x_i[24:20]) + extend(x_i[29:25]);
  assign negative_o = sum_o[7] & sum_o[15];
  always @(posedge clk)
    if (!rst_n) count_o <= 40'd0;
    else if (negative_o) count_o <= count_o + 40'd1;
endmodule
";

fn agreement<'a>(text: &str) -> Agreement<'a, RowSums> {
    let sources = Sources::single("row_sums", text);
    let library = build_shared(&sources, &Options::default()).unwrap();
    Agreement::new(
        "row_sums",
        RowSums::default(),
        Model::load(&library).unwrap(),
    )
}

#[track_caller]
fn fails(replace: &str, with: &str) -> AgreementError {
    assert!(TEXT.contains(replace));
    agreement(&TEXT.replace(replace, with))
        .seed(7)
        .run()
        .unwrap_err()
}

#[test]
fn equal_text_agrees_and_events_are_counted() {
    let report = agreement(TEXT)
        .seed(3)
        .drive(|s| s.set("x_i", 5, 3))
        .event("negative", |s| s.is("negative_o"))
        .event("count moves", |s| {
            s.after("count_o", 0) != s.get("count_o", 0)
        })
        .event("element 5 is driven", |s| s.get("x_i", 5) == 3)
        .run()
        .unwrap();
    assert_eq!(report.cycles, 2000);
    assert_eq!(report.events[2].1, 2000);
    assert!(report.events[0].1 > 100, "{report:?}");
    assert!(report.events[1].1 <= report.events[0].1 + 10, "{report:?}");
}

#[test]
fn combinational_difference_is_found_with_seed_cycle_and_element() {
    let error = fails("extend(x_i[29:25])", "{3'd0, x_i[29:25]}");
    let AgreementError::Mismatch { pin, phase, .. } = &error else {
        panic!("{error}");
    };
    // Cycle 0 of a design with reset is compared behind its first edge only.
    assert_eq!((pin.as_str(), *phase), ("sum_o[1]", "after"));
    let message = error.to_string();
    assert!(message.starts_with("row_sums: seed 7, cycle "), "{message}");
    assert!(message.contains(": sum_o[1] is 0x"), "{message}");
    assert!(message.contains(", verilated has 0x"), "{message}");
    assert!(message.contains("inputs: rst_n 0x"), "{message}");
    assert!(message.contains("x_i[5] 0x"), "{message}");
}

#[test]
fn difference_in_state_is_found_after_the_edge() {
    let error = fails("count_o + 40'd1", "count_o + 40'd2");
    let AgreementError::Mismatch {
        pin,
        phase,
        model,
        circuit,
        ..
    } = error
    else {
        panic!("{error}");
    };
    assert_eq!((pin.as_str(), phase), ("count_o", "after"));
    assert_eq!((circuit, model), (1, 2));
}

#[test]
fn missing_reset_is_found() {
    let error = fails("if (!rst_n) count_o <= 40'd0;\n    else if", "if");
    assert!(matches!(error, AgreementError::Mismatch { .. }), "{error}");
}

#[test]
fn one_seed_gives_one_run() {
    let first = fails("count_o + 40'd1", "count_o + 40'd2");
    assert_eq!(first, fails("count_o + 40'd1", "count_o + 40'd2"));
}

#[test]
fn ports_that_are_not_compared_are_named() {
    let error = fails(
        "  output wire        negative_o,",
        "  output wire        negative_o,\n  output wire        extra_o,",
    );
    assert_eq!(
        error.to_string(),
        "row_sums: pin extra_o is absent in rust-hdl, a 1-bit output in Verilog"
    );
    let error = fails("output reg  [39:0]", "output reg  [38:0]");
    assert_eq!(
        error.to_string(),
        "row_sums: pin count_o is a 40-bit output in rust-hdl, a 39-bit output in Verilog"
    );
}

#[test]
fn event_that_never_happens_fails_the_run() {
    let error = agreement(TEXT)
        .cycles(50)
        .event("negative", |s| s.is("negative_o"))
        .event("impossible", |s| s.get("sum_o", 0) == 0x7f)
        .run()
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "row_sums: seed 1: never in 50 cycles: impossible"
    );
}
