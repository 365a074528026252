//! The tile unit in other people's tools: all kinds are clean, and forms of the selector are proved equal for all inputs.

use crate::linters;
use crate::linters::printed;
use heddle_arch::Params;
use heddle_arch::params::TileKind;
use heddle_hdl::sparse::tile::TileSelect;

/// A selector as a multiplexer of two comparisons, with `CHOICE` of a lane's product, the sum before it and its own sum.
const FORM: &str = "
module form (
  input wire clk, input wire rst_n,
  input wire [P-1:0] product_valid_i, input wire [4*P-1:0] product_row_i,
  input wire [4*P-1:0] product_col_i, input wire [18*P-1:0] product_value_i,
  input wire [18*P-1:0] sum_i,
  output wire [P-1:0] product_valid_o, output wire [4*P-1:0] product_row_o,
  output wire [4*P-1:0] product_col_o, output wire [18*P-1:0] product_value_o
);
  parameter P = 3;
  reg [P-1:0] product_valid_q; reg [4*P-1:0] product_row_q, product_col_q;
  reg [18*P-1:0] product_value_q;
  assign product_valid_o = product_valid_q; assign product_row_o = product_row_q;
  assign product_col_o = product_col_q; assign product_value_o = product_value_q;
  genvar i;
  generate for (i = 0; i < P; i = i + 1) begin : lane
    localparam A = (i + P - 1) % P, N = (i + 1) % P;
    wire [8:0] index = {product_valid_i[i], product_row_i[4*i+:4], product_col_i[4*i+:4]};
    wire same_a = product_valid_i[A] &&
        index == {1'b1, product_row_i[4*A+:4], product_col_i[4*A+:4]};
    wire same_n = product_valid_i[N] &&
        index == {1'b1, product_row_i[4*N+:4], product_col_i[4*N+:4]};
    wire [17:0] b = product_value_i[18*i+:18];
    wire [17:0] before = sum_i[18*A+:18], own = sum_i[18*i+:18];
    always @(posedge clk) begin
      product_valid_q[i] <= rst_n && product_valid_i[i] && !(i > 0 && same_a);
      product_row_q[4*i+:4] <= product_row_i[4*i+:4];
      product_col_q[4*i+:4] <= product_col_i[4*i+:4];
      product_value_q[18*i+:18] <= CHOICE;
    end
  end endgenerate
endmodule
";

/// Gates, a table of four, and a table that takes the wrong sum.
const GATES: &str = "({18{same_n}} & own) | ({18{same_a && !same_n}} & before) | \
                     ({18{!same_a && !same_n}} & b)";
const TABLE: &str = "{own, own, before, b} >> 18 * {same_n, same_a}";
const WRONG: &str = "{before, before, own, b} >> 18 * {same_n, same_a}";

#[proves("FSA-75")]
#[test]
fn the_selector_may_have_any_form() {
    let Some(yosys) = linters::program("yosys") else {
        return;
    };
    for lanes in [2, 3, 6] {
        for (name, choice, holds) in [
            ("gates", GATES, true),
            ("table", TABLE, true),
            ("wrong", WRONG, false),
        ] {
            let name = format!("select_{name}_{lanes}");
            let design = printed::emitted(&name, &TileSelect::new(lanes));
            let folder = printed::write(&name, &design);
            let form = FORM.replace("CHOICE", choice);
            let form = form.replace("P = 3", &format!("P = {lanes}"));
            std::fs::write(folder.join("form.v"), form).unwrap();
            let top = &design.top;
            let script = format!(
                "read_verilog {} form.v; proc; opt_clean; equiv_make {top} form both; \
                 hierarchy -top both; equiv_simple -undef; equiv_induct; equiv_status -assert",
                printed::files(&design).join(" "),
            );
            let (success, text) = yosys.run(&folder, &["-q", "-p", &script]);
            assert_eq!(success, holds, "{name}:\n{text}");
        }
    }
}

fn params(kind: TileKind, lanes: u32, kernel: u32, weights: u32) -> Params {
    let mut params = printed::tiny();
    let tile = &mut params.sparse.get_or_insert_default().tile;
    (tile.kind, tile.lanes, tile.kernel) = (kind, lanes, kernel);
    tile.weights_per_round = weights;
    (tile.bank_rows, tile.bank_cols) = (3 * kernel, 2 * kernel);
    params
}

#[test]
fn every_kind_is_clean() {
    let kinds = [
        TileKind::Window,
        TileKind::Indexed,
        TileKind::Arbiter,
        TileKind::Select,
    ];
    for kind in kinds {
        for (lanes, kernel, weights) in [(1, 1, 1), (2, 5, 2), (5, 2, 4)] {
            let name = format!("tile_{kind:?}_{lanes}").to_lowercase();
            let params = params(kind, lanes, kernel, weights);
            printed::clean(&name, &printed::of_catalog("sparse_tile", &params));
        }
    }
}
