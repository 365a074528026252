// A Benes network of PORTS ports: with any switches the words of a port, any of them, go one after the other to the
// port that the switches name; and for every permutation there are switches that name it.

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
      reg [W-1:0] x;
      always @(*) begin
        from = 0;
        for (k = 0; k < N; k = k + 1) from[W*to[W*k+:W]+:W] = k;
        // The input behind k in its ring that takes the same half
        for (k = 0; k < N; k = k + 1) same[W*k+:W] = from[W*(to[W*k+:W]^H)+:W] ^ H;
        for (k = 0; k < N; k = k + 1) {at[W*k+:W], least[W*k+:W]} = {2{k[W-1:0]}};
        for (step = 1; step < H; step = step + 1) begin
          for (k = 0; k < N; k = k + 1) begin
            at[W*k+:W] = same[W*at[W*k+:W]+:W];
            if (at[W*k+:W] < least[W*k+:W]) least[W*k+:W] = at[W*k+:W];
          end
        end
        for (k = 0; k < N; k = k + 1) half[k] = least[W*k+:W] > least[W*(k^H)+:W];
        for (k = 0; k < H; k = k + 1) begin
          first[k] = half[k];
          last[k] = half[from[W*k+:W]];
          x = half[k] ? k + H : k;
          inner[(W-1)*k+:W-1] = to[W*x+:W-1];
          x = x ^ H;
          inner[(W-1)*(k+H)+:W-1] = to[W*x+:W-1];
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

module sparse_benes (
  input wire clk
);
  localparam P = `PORTS, S = $clog2(P), COLUMNS = 2 * S - 1, BITS = COLUMNS * P / 2;
  (* anyconst *) reg [BITS-1:0] cross;
  (* anyconst *) reg [S-1:0] port;
  (* anyconst *) reg [P*S-1:0] to;
  (* anyseq *) reg [P-1:0] valid, ready;
  (* anyseq *) reg [36*P-1:0] word;
  reg started = 0;
  always @(posedge clk) started <= 1;

  wire [P-1:0] is_ready, is_valid;
  wire [36*P-1:0] words;
  wire busy;
  sparse_dut u_dut (.clk(clk), .rst_n(started), .cross_i(cross), .valid_i(valid), .ready_o(is_ready),
    .word_i(word), .valid_o(is_valid), .ready_i(ready), .word_o(words), .busy_o(busy));

  // From a port through a column
  function [S-1:0] through(input [S-1:0] at, input integer column, input [BITS-1:0] switches);
    integer distance;
    begin
      distance = column < S ? P >> (column + 1) : 1 << (column - S + 1);
      through = switches[P/2*column+at/(2*distance)*distance+at%distance] ? at ^ distance : at;
    end
  endfunction

  // Where the words of the port stand behind each register, and which of them stand there
  reg [S-1:0] place[0:S-1], other[0:S-1], routed;
  reg [S-1:0] full = 0, space;
  reg [36*S-1:0] kept;
  wire [BITS-1:0] solved;
  benes_route #(.N(P)) u_route (.to(to), .cross(solved));
  (* anyconst *) reg [S-1:0] second;
  integer c, s, k, j;
  reg is_permutation, is_routed;
  always @(*) begin
    place[0] = through(port, 0, cross);
    other[0] = through(second, 0, cross);
    for (s = 1; s < S; s = s + 1) begin
      place[s] = through(through(place[s-1], 2 * s - 1, cross), 2 * s, cross);
      other[s] = through(through(other[s-1], 2 * s - 1, cross), 2 * s, cross);
    end
    space[S-1] = !full[S-1] || ready[place[S-1]];
    for (s = S - 2; s >= 0; s = s - 1) space[s] = !full[s] || space[s+1];
    is_permutation = 1;
    is_routed = 1;
    for (k = 0; k < P; k = k + 1) begin
      for (j = 0; j < k; j = j + 1) if (to[S*k+:S] == to[S*j+:S]) is_permutation = 0;
      routed = k;
      for (c = 0; c < COLUMNS; c = c + 1) routed = through(routed, c, solved);
      if (routed != to[S*k+:S]) is_routed = 0;
    end
  end
  always @(posedge clk) begin
    if (space[0]) {full[0], kept[35:0]} <= {started && valid[port], word[36*port+:36]};
    for (s = 1; s < S; s = s + 1) begin
      if (space[s]) {full[s], kept[36*s+:36]} <= {full[s-1], kept[36*(s-1)+:36]};
    end
  end
  always @(*) if (!started) assume (valid == 0);

  // Registers of the network, joined by name when it is flattened
  wire [P*S-1:0] here;
  wire [36*P*S-1:0] stand;
  genvar g;
  generate
    for (g = 0; g < S; g = g + 1) begin : gen_stage
      (* hierconn *) wire [P-1:0] \u_dut.gen_stage[g].u_stage.valid_q ;
      (* hierconn *) wire [36*P-1:0] \u_dut.gen_stage[g].u_stage.word_q ;
    end
  endgenerate

  always @(*) begin
    if (started) arrives: assert (is_valid[place[S-1]] == full[S-1] &&
      (!full[S-1] || words[36*place[S-1]+:36] == kept[36*(S-1)+:36]));
    if (started) takes: assert (is_ready[port] == space[0]);
    if (started && full != 0) is_busy: assert (busy);
    // No port is named twice
    if (port != second) apart: assert (place[S-1] != other[S-1]);
    if (is_permutation) routes: assert (is_routed);
    reach_last: assert (!(started && full == {S{1'b1}} && is_valid == {P{1'b1}}));
    reach_reversed: assert (!(is_permutation && to[S-1:0] == P - 1 && to[S*(P-1)+:S] == 0));
  end
endmodule
