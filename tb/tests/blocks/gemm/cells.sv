// The memory cell for tests: it counts the accesses of the operand and weight memories and of the
// tables. Bytes are operands or weights, wider words are table entries or sums, or belong to a queue
// of the core that nobody counts; the sizes of a side tell them apart.

package heddle_memories;
  int unsigned operand_reads;
  int unsigned operand_writes;
  int unsigned weight_reads;
  int unsigned weight_writes;
  int unsigned table_reads;
  int unsigned table_writes;
  int unsigned sum_writes;
  int unsigned meets;  // clocks in which a memory was read and written at one address
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

  localparam bit Weight = Width == 8 && Depth == WEIGHT_WORDS;
  localparam bit Operand = Width == 8 && !Weight;
  localparam bit Sum = Width != 8 && Depth == SUMS;
  localparam bit Table = Width != 8 && Depth == ENTRIES;

  reg [Width-1:0] mem_q[0:Depth-1];

  always @(posedge clk) begin
    if (wen_i) mem_q[waddr_i] <= wdata_i;
    if (ren_i) rdata_o <= mem_q[raddr_i];
    else if (Hold == 0) rdata_o <= ~rdata_o;
    if (wen_i && ren_i && waddr_i == raddr_i) heddle_memories::meets = heddle_memories::meets + 1;
    if (Operand) begin
      if (wen_i) heddle_memories::operand_writes = heddle_memories::operand_writes + 1;
      if (ren_i) heddle_memories::operand_reads = heddle_memories::operand_reads + 1;
    end else if (Weight) begin
      if (wen_i) heddle_memories::weight_writes = heddle_memories::weight_writes + 1;
      if (ren_i) heddle_memories::weight_reads = heddle_memories::weight_reads + 1;
    end else if (Sum) begin
      if (wen_i) heddle_memories::sum_writes = heddle_memories::sum_writes + 1;
    end else if (Table) begin
      if (wen_i) heddle_memories::table_writes = heddle_memories::table_writes + 1;
      if (ren_i) heddle_memories::table_reads = heddle_memories::table_reads + 1;
    end
  end

endmodule
