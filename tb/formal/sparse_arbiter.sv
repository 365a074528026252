// The arbiter of a tile unit: LANES products in a round, LIMIT of a sum go on, the others wait in a queue.
module sparse_arbiter (
  input wire clk
);
  localparam P = `LANES, Q = P - 1, LIMIT = `LIMIT;
  (* anyseq *) reg later;
  (* anyseq *) reg [P-1:0] valid;
  (* anyseq *) reg [4*P-1:0] row, col;
  (* anyseq *) reg [18*P-1:0] value;
  (* anyconst *) reg [25:0] product;
  reg started = 0, past = 0;
  always @(posedge clk) {past, started} <= {started, started};

  wire [P-1:0] queued, is_valid;
  wire [4*P-1:0] rows, cols;
  wire [18*P-1:0] values;
  wire busy;
  sparse_dut u_dut (.clk(clk), .rst_n(started), .earlier_waits_i(later), .product_valid_i(valid),
    .product_row_i(row), .product_col_i(col), .product_value_i(value), .queued_o(queued),
    .product_valid_o(is_valid), .product_row_o(rows), .product_col_o(cols), .product_value_o(values),
    .busy_o(busy));
endmodule
