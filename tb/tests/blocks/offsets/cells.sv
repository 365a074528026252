// The memory cell of the tables for tests: it counts the accesses of each table and shows the last
// one. The tables of a side have different numbers of entries, by which they are told apart; the
// entries that a row keeps have one bit more.

package heddle_tables;
  int unsigned base_reads;
  int unsigned base_writes;
  int unsigned base_entry;  // read last
  int unsigned offset_reads;
  int unsigned offset_writes;
  int unsigned offset_entry;  // read last
  int unsigned meets;  // clocks in which a table was read and written at one address
endpackage

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

  reg [Width-1:0] mem_q[0:Depth-1];

  always @(posedge clk) begin
    if (wen_i) mem_q[waddr_i] <= wdata_i;
    if (ren_i) rdata_o <= mem_q[raddr_i];
    else if (Hold == 0) rdata_o <= ~rdata_o;
    if (wen_i && ren_i && waddr_i == raddr_i) heddle_tables::meets = heddle_tables::meets + 1;
    if (Width == ENTRY_BITS && Depth == BASES) begin
      if (wen_i) heddle_tables::base_writes = heddle_tables::base_writes + 1;
      if (ren_i) begin
        heddle_tables::base_reads = heddle_tables::base_reads + 1;
        heddle_tables::base_entry = 32'(raddr_i);
      end
    end
    if (Width == ENTRY_BITS && Depth == OFFSETS) begin
      if (wen_i) heddle_tables::offset_writes = heddle_tables::offset_writes + 1;
      if (ren_i) begin
        heddle_tables::offset_reads = heddle_tables::offset_reads + 1;
        heddle_tables::offset_entry = 32'(raddr_i);
      end
    end
  end

endmodule
