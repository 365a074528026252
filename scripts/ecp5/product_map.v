// The same as one multiplier of Lattice ECP5 that uses its output register, which Yosys does not find by itself.
// Other clocks, enables and resets are not connected: the four multipliers of a block share four of each.
module heddle_packed_product (
  input  wire        clk,
  input  wire        keep_i,
  input  wire  [8:0] a_i,
  input  wire  [7:0] b_i,
  output wire [16:0] product_o
);
  wire [17:0] a = {{9{a_i[8]}}, a_i};
  wire [17:0] b = {{10{b_i[7]}}, b_i};
  wire [17:0] p;

  MULT18X18D #(
    .REG_INPUTA_CLK  ("NONE"),
    .REG_INPUTB_CLK  ("NONE"),
    .REG_INPUTC_CLK  ("NONE"),
    .REG_PIPELINE_CLK("NONE"),
    .REG_OUTPUT_CLK  ("CLK0"),
    .REG_OUTPUT_CE   ("CE0"),
    .REG_OUTPUT_RST  ("RST0"),
    .RESETMODE       ("SYNC"),
    .GSR             ("DISABLED")
  ) u_multiplier (
    .A0(a[0]), .A1(a[1]), .A2(a[2]), .A3(a[3]), .A4(a[4]), .A5(a[5]),
    .A6(a[6]), .A7(a[7]), .A8(a[8]), .A9(a[9]), .A10(a[10]), .A11(a[11]),
    .A12(a[12]), .A13(a[13]), .A14(a[14]), .A15(a[15]), .A16(a[16]), .A17(a[17]),
    .B0(b[0]), .B1(b[1]), .B2(b[2]), .B3(b[3]), .B4(b[4]), .B5(b[5]),
    .B6(b[6]), .B7(b[7]), .B8(b[8]), .B9(b[9]), .B10(b[10]), .B11(b[11]),
    .B12(b[12]), .B13(b[13]), .B14(b[14]), .B15(b[15]), .B16(b[16]), .B17(b[17]),
    .SIGNEDA(1'b1), .SIGNEDB(1'b1), .SOURCEA(1'b0), .SOURCEB(1'b0),
    .CLK0(clk), .CE0(1'b1), .RST0(!keep_i),
    .P0(p[0]), .P1(p[1]), .P2(p[2]), .P3(p[3]), .P4(p[4]), .P5(p[5]),
    .P6(p[6]), .P7(p[7]), .P8(p[8]), .P9(p[9]), .P10(p[10]), .P11(p[11]),
    .P12(p[12]), .P13(p[13]), .P14(p[14]), .P15(p[15]), .P16(p[16]), .P17(p[17])
  );

  assign product_o = p[16:0];
endmodule
