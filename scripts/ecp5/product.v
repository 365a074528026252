// Products and their registers, as they are in heddle_pe and heddle_high_multiply: what scripts/synth.sh --pack looks for.
module heddle_packed_product (
  input  wire        clk,
  input  wire        keep_i,
  input  wire  [8:0] a_i,
  input  wire  [7:0] b_i,
  output wire [16:0] product_o
);
  wire [16:0] product = $signed(a_i) * $signed(b_i);
  reg [16:0] product_q;

  always @(posedge clk) begin
    if (!keep_i) product_q <= 17'd0;
    else product_q <= product;
  end

  assign product_o = product_q;
endmodule

module heddle_packed_hh (
  input  wire        clk,
  input  wire [14:0] a_i,
  input  wire [13:0] b_i,
  output reg  [28:0] product_o
);
  wire [29:0] product = $signed(a_i) * $signed({1'b0, b_i});
  always @(posedge clk) product_o <= product[28:0];
endmodule

module heddle_packed_hl (
  input  wire        clk,
  input  wire [14:0] a_i,
  input  wire [16:0] b_i,
  output reg  [31:0] product_o
);
  wire [32:0] product = $signed(a_i) * $signed({1'b0, b_i});
  always @(posedge clk) product_o <= product[31:0];
endmodule

module heddle_packed_lh (
  input  wire        clk,
  input  wire [16:0] a_i,
  input  wire [13:0] b_i,
  output reg  [30:0] product_o
);
  wire [32:0] product = $signed({1'b0, a_i}) * $signed({1'b0, b_i});
  always @(posedge clk) product_o <= product[30:0];
endmodule

module heddle_packed_ll (
  input  wire        clk,
  input  wire [16:0] a_i,
  input  wire [16:0] b_i,
  output reg  [16:0] product_o
);
  wire [35:0] product = $signed({1'b0, a_i}) * $signed({1'b0, b_i});
  always @(posedge clk) product_o <= product[33:17];
endmodule
