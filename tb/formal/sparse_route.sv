// For every permutation there are switches with which a Benes network of PORTS ports carries it out: those of the
// rule below. Words that stay bring it to light; what happens when streams stop and go is proved in sparse_benes.sv.

// The switches of a permutation, column by column. Inputs i and i + N / 2 share a switch, so do outputs, and the two
// of a switch go through different halves. That colours the inputs in rings; the ring with the least input takes
// the first half. Then each half is a network of its own.
module benes_route #(
  parameter integer N = 2,
  parameter integer W = $clog2(N)
) (
  input  wire [      N*W-1:0] to,    // output of each input
  output wire [(2*W-1)*N/2-1:0] cross
);
  localparam H = N / 2;
  genvar i, c;
  generate
    if (N == 2) begin : gen_switch
      assign cross = to[0];
    end else begin : gen_halves
      integer k, step;
      reg [N*W-1:0] from, same, at, least;
      reg [N-1:0] half;
      reg [H-1:0] first, last;
      reg [2*H*(W-1)-1:0] inner;
      integer n;
      function [W-1:0] pick(input [N*W-1:0] list, input [W-1:0] place);
        begin
          pick = 0;
          for (n = 0; n < N; n = n + 1) if (place == n) pick = list[W*n+:W];
        end
      endfunction
      always @(*) begin
        from = 0;
        for (k = 0; k < N; k = k + 1) begin
          for (step = 0; step < N; step = step + 1) if (to[W*k+:W] == step) from[W*step+:W] = k;
        end
        // The input behind k in its ring that takes the same half
        for (k = 0; k < N; k = k + 1) same[W*k+:W] = pick(from, to[W*k+:W] ^ H) ^ H;
        for (k = 0; k < N; k = k + 1) {at[W*k+:W], least[W*k+:W]} = {2{k[W-1:0]}};
        for (step = 1; step < H; step = step + 1) begin
          for (k = 0; k < N; k = k + 1) begin
            at[W*k+:W] = pick(same, at[W*k+:W]);
            if (at[W*k+:W] < least[W*k+:W]) least[W*k+:W] = at[W*k+:W];
          end
        end
        for (k = 0; k < N; k = k + 1) half[k] = least[W*k+:W] > least[W*(k^H)+:W];
        for (k = 0; k < H; k = k + 1) begin
          first[k] = half[k];
          last[k] = half[from[W*k+:W]];
          inner[(W-1)*k+:W-1] = half[k] ? to[W*(k+H)+:W-1] : to[W*k+:W-1];
          inner[(W-1)*(k+H)+:W-1] = half[k] ? to[W*k+:W-1] : to[W*(k+H)+:W-1];
        end
      end
      wire [(2*W-3)*H/2-1:0] low, high;
      benes_route #(.N(H)) u_low (.to(inner[0+:(W-1)*H]), .cross(low));
      benes_route #(.N(H)) u_high (.to(inner[(W-1)*H+:(W-1)*H]), .cross(high));
      assign cross[0+:H] = first;
      for (c = 0; c < 2 * W - 3; c = c + 1) begin : gen_column
        assign cross[H*(c+1)+:H] = {high[H/2*c+:H/2], low[H/2*c+:H/2]};
      end
      assign cross[H*(2*W-2)+:H] = last;
    end
  endgenerate
endmodule

module sparse_route (
  input wire clk
);
  localparam P = `PORTS, S = $clog2(P);
  (* anyconst *) reg [P*S-1:0] to;
  (* anyconst *) reg [S-1:0] port;
  // Each port has words with its number
  reg [36*P-1:0] word;
  wire [(2*S-1)*P/2-1:0] cross;
  benes_route #(.N(P)) u_route (.to(to), .cross(cross));

  // Words stand at the last registers when they have passed all of them
  reg [S:0] passed = 0;
  always @(posedge clk) passed <= {passed[S-1:0], 1'b1};
  wire [P-1:0] is_ready, is_valid;
  wire [36*P-1:0] words;
  wire busy;
  sparse_dut u_dut (.clk(clk), .rst_n(passed[0]), .cross_i(cross), .valid_i({P{1'b1}}), .ready_o(is_ready),
    .word_i(word), .valid_o(is_valid), .ready_i({P{1'b1}}), .word_o(words), .busy_o(busy));

  integer k, j;
  reg is_permutation, is_there;
  reg [S-1:0] to_port;
  always @(*) begin
    is_permutation = 1;
    is_there = 0;
    to_port = 0;
    for (k = 0; k < P; k = k + 1) begin
      for (j = 0; j < k; j = j + 1) if (to[S*k+:S] == to[S*j+:S]) is_permutation = 0;
      word[36*k+:36] = k;
    end
    for (k = 0; k < P; k = k + 1) begin
      if (to[S*port+:S] == k && is_valid[k] && words[36*k+:36] == port) is_there = 1;
    end
  end
  always @(*) if (passed[S]) begin
    if (is_permutation) routes: assert (is_there);
    reach_reversed: assert (!(is_permutation && to[S-1:0] == P - 1 && to[S*(P-1)+:S] == 0));
  end
endmodule
