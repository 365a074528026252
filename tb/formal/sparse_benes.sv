// A Benes network of PORTS ports: with any switches the words of a port, any of them, go one after the other to one
// port, which no other reaches. That any port can be reached is proved in sparse_route.sv.

// Which input stands at each port in front of the first column, behind it, ..., behind the last one. The ports of a
// switch are PORTS / 2 apart in the first column, half of that in the next one, down to 1, then up again.
module benes_sources #(
  parameter integer P = 4,
  parameter integer S = $clog2(P),
  parameter integer C = 2 * S - 1
) (
  input  wire [  C*P/2-1:0] cross,
  output wire [(C+1)*P*S-1:0] source
);
  genvar c, k;
  generate
    for (k = 0; k < P; k = k + 1) begin : gen_port
      assign source[S*k+:S] = k;
    end
    for (c = 0; c < C; c = c + 1) begin : gen_column
      localparam D = c < S ? P >> (c + 1) : 2 << (c - S);
      for (k = 0; k < P / 2; k = k + 1) begin : gen_switch
        localparam LOW = P * c + k / D * D + k, HIGH = LOW + D;
        wire [S-1:0] low = source[S*LOW+:S], high = source[S*HIGH+:S];
        assign source[S*(LOW+P)+:S] = cross[P/2*c+k] ? high : low;
        assign source[S*(HIGH+P)+:S] = cross[P/2*c+k] ? low : high;
      end
    end
  endgenerate
endmodule

module sparse_benes (
  input wire clk
);
  localparam P = `PORTS, S = $clog2(P), C = 2 * S - 1, BITS = C * P / 2;
  (* anyconst *) reg [BITS-1:0] cross;
  (* anyconst *) reg [S-1:0] port;
  (* anyseq *) reg [P-1:0] valid, ready;
  (* anyseq *) reg [36*P-1:0] word;
  reg started = 0;
  always @(posedge clk) started <= 1;

  wire [P-1:0] is_ready, is_valid;
  wire [36*P-1:0] words;
  wire busy;
  sparse_dut u_dut (.clk(clk), .rst_n(started), .cross_i(cross), .valid_i(valid), .ready_o(is_ready),
    .word_i(word), .valid_o(is_valid), .ready_i(ready), .word_o(words), .busy_o(busy));
  // Registers of the network, joined by name when it is flattened
  (* hierconn *) wire [P-1:0] \u_dut.u_stage_0.valid_q , \u_dut.u_stage_1.valid_q , \u_dut.u_stage_2.valid_q ;
  (* hierconn *) wire [36*P-1:0] \u_dut.u_stage_0.word_q , \u_dut.u_stage_1.word_q , \u_dut.u_stage_2.word_q ;
  wire [3*P-1:0] stands = {\u_dut.u_stage_2.valid_q , \u_dut.u_stage_1.valid_q , \u_dut.u_stage_0.valid_q };
  wire [108*P-1:0] stored = {\u_dut.u_stage_2.word_q , \u_dut.u_stage_1.word_q , \u_dut.u_stage_0.word_q };

  wire [(C+1)*P*S-1:0] source;
  benes_sources #(.P(P)) u_sources (.cross(cross), .source(source));

  // The words of the port: registers stand behind each second column, and a word moves on if there is room
  reg [S-1:0] full = 0, space;
  reg [36*S-1:0] kept;
  reg leaves, comes, is_other, is_there;
  reg [35:0] comes_word;
  integer s, k;
  always @(*) begin
    leaves = 0;
    comes = 0;
    comes_word = 0;
    for (k = 0; k < P; k = k + 1) begin
      if (source[S*(P*C+k)+:S] == port) leaves = ready[k];
      if (port == k) {comes, comes_word} = {valid[k], word[36*k+:36]};
    end
    space[S-1] = !full[S-1] || leaves;
    for (s = S - 2; s >= 0; s = s - 1) space[s] = !full[s] || space[s+1];
  end
  always @(posedge clk) begin
    if (space[0]) {full[0], kept[35:0]} <= {comes, comes_word};
    for (s = 1; s < S; s = s + 1) begin
      if (space[s]) {full[s], kept[36*s+:36]} <= {full[s-1], kept[36*(s-1)+:36]};
    end
    if (!started) full <= 0;
  end

  // They stand at one port behind each column, and there is what should be
  reg [S-1:0] places;
  always @(*) begin
    is_other = 0;
    for (s = 0; s < S; s = s + 1) begin
      places = 0;
      for (k = 0; k < P; k = k + 1) begin
        if (source[S*(P*(2*s+1)+k)+:S] == port) begin
          places = places + 1'b1;
          if (stands[P*s+k] != full[s] || (full[s] && stored[36*(P*s+k)+:36] != kept[36*s+:36])) is_other = 1;
        end
      end
      if (places != 1) is_other = 1;
    end
    is_there = 0;
    for (k = 0; k < P; k = k + 1) begin
      if (source[S*(P*C+k)+:S] == port && is_valid[k] && words[36*k+:36] == kept[36*(S-1)+:36]) is_there = 1;
    end
  end

  always @(*) begin
    if (started) begin
      passes: assert (!is_other);
      takes: assert (is_ready[port] == space[0] && (full == 0 || busy));
      arrives: assert (is_there == full[S-1]);
      reach_full: assert (!(full == {S{1'b1}} && is_valid == {P{1'b1}} && words[35:0] != words[71:36]));
    end
  end
endmodule
