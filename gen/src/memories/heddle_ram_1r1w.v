// Memory with one write port and one read port on one clock.
//
// Written so that FPGA tools infer block RAM. To use a memory compiler, replace this file by a
// module of the same name, ports and parameters; ram_stub.v is such a module, with one inside for
// each shape. manifest.json lists the instances. Key names the place in the design.
//
// A replacement must behave as follows.
//   Write    at a rising edge of clk with wen_i high, the word at waddr_i becomes wdata_i.
//   Read     at a rising edge of clk with ren_i high, rdata_o becomes the word at raddr_i: one
//            cycle of latency.
//   Hold     with Hold 1, rdata_o keeps its word until the next such edge. With Hold 0 it may be
//            anything behind an edge with ren_i low.
//   Both     the design never reads and writes one word at the same edge.
//   Content  words are unknown until they are written; there is no reset.
//   Range    the design never addresses a word beyond Depth.
//
// Ports
//   clk      clock
//   wen_i    writes wdata_i
//   waddr_i  address to write
//   wdata_i  word to write
//   ren_i    reads a word
//   raddr_i  address to read
//   rdata_o  word of the last read
// Parameters
//   Width     bits of a word
//   Depth     words
//   AddrBits  bits of an address
//   Hold      1 if rdata_o has to keep its word, not used here: it always does
//   Key       name of this instance, not used here

`default_nettype none

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

  // For replacements of this file.
  wire unused_parameters;
  assign unused_parameters = (Hold != 0) | (|Key);

  reg [Width-1:0] mem_q[0:Depth-1];

  // Storage and read port, not reset
  always @(posedge clk) begin
    if (wen_i) mem_q[waddr_i] <= wdata_i;
    if (ren_i) rdata_o <= mem_q[raddr_i];
  end

endmodule

`default_nettype wire
