// What scaling must give, in plain arithmetic: rounding_shift alone and the whole of requantise, for any value
// in any clock. MULTIPLIER is a number; SHIFT, if given, is the left shift and the right shift of each sum.
module rounding (
  input wire clk
);
  (* anyseq *) reg [32:0] value;
  (* anyseq *) reg [1:0] coarse;
  (* anyseq *) reg [2:0] fine;
  (* anyseq *) reg twice;
  (* anyconst *) reg signed [8:0] lo, hi;

  wire [7:0] found;
  rounding_dut dut (.clk(clk), .value_i(value), .coarse_i(coarse), .fine_i(fine), .twice_i(twice),
    .lo_i(lo), .hi_i(hi), .byte_o(found));

  // The value has one bit of the fraction.
  reg [2:0] n = 0;
  reg signed [34:0] x;
  reg [1:0] eights;
  reg double;
  reg [7:0] expected[0:2];
  wire [4:0] shift = {eights, fine};
  wire signed [34:0] once = (x + (35'sd1 <<< shift)) >>> shift >>> 1;
  wire signed [34:0] high = (x + 35'sd1) >>> 1;
  wire signed [34:0] half = shift == 0 ? 35'sd0 : 35'sd1 <<< (shift - 1);
  wire signed [34:0] rounded = double ? (high + half - (high < 0 ? 35'sd1 : 35'sd0)) >>> shift : once;
  always @(posedge clk) begin
    if (n != 3'd5) n <= n + 1;
    x <= {{2{value[32]}}, value};
    eights <= coarse;
    double <= twice;
    expected[0] <= rounded < lo ? lo[7:0] : rounded > hi ? hi[7:0] : rounded[7:0];
    expected[1] <= expected[0];
    expected[2] <= expected[1];
  end
  always @(*) assume (lo <= hi);
  // Twice only with a shift, whose lower part comes a clock later.
  always @(*) assume (!double || shift != 0);
  always @(*) rounds: assert (n != 3'd4 || found == expected[2]);
endmodule

module scaling (
  input wire clk
);
  // The left shift of the configuration takes two clocks of them.
  localparam LATENCY = 9;
  (* anyseq *) reg valid;
  (* anyseq *) reg [31:0] acc;
  (* anyseq *) reg [4:0] left, right;
  (* anyconst *) reg single;
  (* anyconst *) reg signed [8:0] lo, hi;
  wire [30:0] multiplier = `MULTIPLIER;

  // A sum is taken in clock 1, or the one before is still there; its scale comes in clock 2.
  reg [3:0] n = 0;
  always @(posedge clk) if (n != 4'd15) n <= n + 1;

  wire [7:0] found;
  scaling_dut dut (.clk(clk), .valid_i(valid), .acc_i(acc), .multiplier_i(multiplier), .left_i(left),
    .right_i(right), .single_i(single), .lo_i(lo), .hi_i(hi), .byte_o(found));

  reg signed [31:0] sum;
  always @(posedge clk) if (valid) sum <= acc;

  wire signed [63:0] wide = {{32{sum[31]}}, sum} <<< left;
  wire signed [31:0] shifted = wide > 64'sh7fffffff ? 32'h7fffffff :
    wide < -64'sh80000000 ? 32'h80000000 : wide[31:0];
  wire signed [63:0] product = shifted * $signed({1'b0, multiplier});

  // Double: the product to the nearest, halves up; then the shift, halves away from zero. Single: at once.
  wire signed [63:0] high = (product + 64'sh40000000) >>> 31;
  wire signed [63:0] half = right == 0 ? 64'sd0 : 64'sd1 <<< (right - 1);
  wire signed [63:0] twice = (high + half - (right != 0 && high < 0 ? 64'sd1 : 64'sd0)) >>> right;
  wire signed [63:0] once = (product + (64'sh40000000 <<< right)) >>> (6'd31 + right);
  wire signed [63:0] rounded = single ? once : twice;

  reg [7:0] expected[0:LATENCY-2];
  integer i;
  always @(posedge clk) begin
    expected[0] <= rounded < lo ? lo[7:0] : rounded > hi ? hi[7:0] : rounded[7:0];
    for (i = 1; i < LATENCY - 1; i = i + 1) expected[i] <= expected[i-1];
  end
  always @(*) begin
    assume (lo <= hi);
    assume (n != 0 || valid);
`ifdef SHIFT
    assume ({left, right} == `SHIFT);
`endif
  end
  always @(*) scales: assert (n != LATENCY + 1 || found == expected[LATENCY-2]);
endmodule
