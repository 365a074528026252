// Plain memory with a register behind it and no bypass: what block RAM costs at least.
// Two cycles from ren_i to rdata_o. Every request accesses the whole word. The word of a read in the
// cycle of its write is undefined, unlike that of the memories of hdl/src/sliced.

`default_nettype none

module registered #(
  parameter integer Width = 64,
  parameter integer Depth = 1024,
  parameter integer AddrBits = 10
) (
  input  wire                clk,
  input  wire                rst_n,
  input  wire                wen_i,
  input  wire [AddrBits-1:0] waddr_i,
  input  wire [   Width-1:0] wdata_i,
  input  wire                ren_i,
  input  wire [AddrBits-1:0] raddr_i,
  output reg                 rvalid_o,
  output reg  [   Width-1:0] rdata_o
);

  reg [Width-1:0] mem_q[0:Depth-1];
  reg [Width-1:0] stored_q;
  reg             read_q;

  always @(posedge clk) begin
    if (wen_i) mem_q[waddr_i] <= wdata_i;
    if (ren_i) stored_q <= mem_q[raddr_i];
    rdata_o <= stored_q;
    if (!rst_n) begin
      read_q   <= 1'b0;
      rvalid_o <= 1'b0;
    end else begin
      read_q   <= ren_i;
      rvalid_o <= read_q;
    end
  end

endmodule

`default_nettype wire
