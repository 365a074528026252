// The sorter of a tile unit: what comes out is what went in, each product as often, and in order. LANES products.
module sparse_sort (
  input wire clk
);
  localparam P = `LANES;
  (* anyseq *) reg [P-1:0] valid;
  (* anyseq *) reg [4*P-1:0] row, col;
  (* anyseq *) reg [18*P-1:0] value;
  (* anyconst *) reg [25:0] product;
  reg started = 0, past = 0;
  always @(posedge clk) {past, started} <= {started, 1'b1};

  wire [P-1:0] is_valid;
  wire [4*P-1:0] rows, cols;
  wire [18*P-1:0] values;
  sparse_dut u_dut (.clk(clk), .rst_n(started), .product_valid_i(valid), .product_row_i(row),
    .product_col_i(col), .product_value_i(value), .product_valid_o(is_valid), .product_row_o(rows),
    .product_col_o(cols), .product_value_o(values));

  // How often the product came, and comes out
  reg [4:0] came, comes, was;
  reg is_sorted;
  integer i;
  always @(*) begin
    came = 0;
    comes = 0;
    is_sorted = 1;
    for (i = 0; i < P; i = i + 1) begin
      if (valid[i] && {row[4*i+:4], col[4*i+:4], value[18*i+:18]} == product) came = came + 1;
      if (is_valid[i] && {rows[4*i+:4], cols[4*i+:4], values[18*i+:18]} == product) comes = comes + 1;
      if (i > 0 && is_valid[i] && (!is_valid[i-1] ||
          {rows[4*(i-1)+:4], cols[4*(i-1)+:4]} > {rows[4*i+:4], cols[4*i+:4]})) is_sorted = 0;
    end
  end
  always @(posedge clk) was <= came;
  always @(*) if (past) begin
    sorted: assert (is_sorted);
    kept: assert (comes == was);
    reach_two: assert (!(was == 2 && is_valid == {P{1'b1}}));
  end
endmodule
