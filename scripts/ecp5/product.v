// A product and its register, as they are in heddle_pe: what scripts/synth.sh --pack looks for.
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
