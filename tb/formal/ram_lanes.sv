// The memory for proofs, with lanes: it keeps one word, at an address that never changes. Words at other addresses are any
// value in each read, so that a proof for this one holds for all, whatever the depth.
module heddle_ram_1r1w_lanes #(
  parameter integer Width = 8,
  parameter integer Depth = 2,
  parameter integer AddrBits = 1,
  parameter integer Lanes = 1,
  parameter integer Hold = 1,
  parameter Key = "none"
) (
  input  wire                clk,
  input  wire [   Lanes-1:0] wen_i,
  input  wire [AddrBits-1:0] waddr_i,
  input  wire [   Width-1:0] wdata_i,
  input  wire                ren_i,
  input  wire [AddrBits-1:0] raddr_i,
  output reg  [   Width-1:0] rdata_o
);
  localparam integer LaneBits = Width / Lanes;
  (* anyconst *) reg [AddrBits-1:0] watched;
  (* anyseq *) reg [Width-1:0] other;
  reg [Width-1:0] word_q;
  // It is read and written in one clock
  wire clash = |wen_i && waddr_i == watched && ren_i && raddr_i == watched;
  integer k;
  always @(posedge clk) begin
    for (k = 0; k < Lanes; k = k + 1)
      if (wen_i[k] && waddr_i == watched) word_q[LaneBits*k+:LaneBits] <= wdata_i[LaneBits*k+:LaneBits];
    if (ren_i) rdata_o <= raddr_i == watched && !clash ? word_q : other;
  end
endmodule
