// The memory for proofs: it keeps one word, at an address that never changes. Words at other addresses are any
// value in each read, so that a proof for this one holds for all, whatever the depth.
module heddle_ram_1r1w #(
  parameter integer Width = 8,
  parameter integer Depth = 2,
  parameter integer AddrBits = 1,
  parameter integer Hold = 1,
  parameter Key = "none"
) (
  input  wire                clk,
  input  wire                wen_i,
  input  wire [AddrBits-1:0] waddr_i,
  input  wire [   Width-1:0] wdata_i,
  input  wire                ren_i,
  input  wire [AddrBits-1:0] raddr_i,
  output reg  [   Width-1:0] rdata_o
);
  (* anyconst *) reg [AddrBits-1:0] watched;
  (* anyseq *) reg [Width-1:0] other;
  reg [Width-1:0] word_q;
  // It is read and written in one clock
  wire clash = wen_i && waddr_i == watched && ren_i && raddr_i == watched;
  always @(posedge clk) begin
    if (wen_i && waddr_i == watched) word_q <= wdata_i;
    if (ren_i) rdata_o <= raddr_i == watched && !clash ? word_q : other;
  end
endmodule
