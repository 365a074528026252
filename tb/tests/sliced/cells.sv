// Memory cells for tests: they count broken rules and show nonsense when they were not read.

package heddle_rules;
  int unsigned meets;  // cycles in which a memory was read and written at one address
  int unsigned moves;  // cycles in which a port of a data slice moved without an access
endpackage

// In place of the memory of the design.
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
    if (wen_i && ren_i && waddr_i == raddr_i) begin
      heddle_rules::meets = heddle_rules::meets + 1;
    end
  end

endmodule

// A memory of a data slice: its ports move only when the slice is accessed.
module heddle_slice_cell #(
  parameter integer Width = 8,
  parameter integer Depth = 2,
  parameter integer AddrBits = 1,
  parameter integer Hold = 1,
  parameter Key = "none"
) (
  input  wire                clk,
  input  wire                read_i,
  input  wire                write_i,
  input  wire                wen_i,
  input  wire [AddrBits-1:0] waddr_i,
  input  wire [   Width-1:0] wdata_i,
  input  wire                ren_i,
  input  wire [AddrBits-1:0] raddr_i,
  output wire [   Width-1:0] rdata_o
);

  reg [AddrBits-1:0] waddr_q;
  reg [Width-1:0] wdata_q;
  reg [AddrBits-1:0] raddr_q;

  always @(posedge clk) begin
    waddr_q <= waddr_i;
    wdata_q <= wdata_i;
    raddr_q <= raddr_i;
    if ((!write_i && (wen_i || waddr_i != waddr_q)) || (!wen_i && wdata_i != wdata_q) ||
        (!read_i && (ren_i || raddr_i != raddr_q))) begin
      heddle_rules::moves = heddle_rules::moves + 1;
    end
  end

  heddle_ram_1r1w #(
    .Width   (Width),
    .Depth   (Depth),
    .AddrBits(AddrBits),
    .Hold    (Hold),
    .Key     (Key)
  ) u_cell (
    .clk    (clk),
    .wen_i  (wen_i),
    .waddr_i(waddr_i),
    .wdata_i(wdata_i),
    .ren_i  (ren_i),
    .raddr_i(raddr_i),
    .rdata_o(rdata_o)
  );

endmodule

// The same with an enable for each lane.
module heddle_slice_lanes #(
  parameter integer Lanes = 1,
  parameter integer Width = 8,
  parameter integer Depth = 2,
  parameter integer AddrBits = 1,
  parameter integer Hold = 1,
  parameter Key = "none"
) (
  input  wire                clk,
  input  wire                read_i,
  input  wire                write_i,
  input  wire [   Lanes-1:0] wen_i,
  input  wire [AddrBits-1:0] waddr_i,
  input  wire [   Width-1:0] wdata_i,
  input  wire                ren_i,
  input  wire [AddrBits-1:0] raddr_i,
  output wire [   Width-1:0] rdata_o
);

  localparam integer LaneBits = Width / Lanes;

  for (genvar k = 0; k < Lanes; k = k + 1) begin : gen_lane
    heddle_slice_cell #(
      .Width   (LaneBits),
      .Depth   (Depth),
      .AddrBits(AddrBits),
      .Hold    (Hold),
      .Key     (Key)
    ) u_cell (
      .clk    (clk),
      .read_i (read_i),
      .write_i(write_i),
      .wen_i  (wen_i[k]),
      .waddr_i(waddr_i),
      .wdata_i(wdata_i[LaneBits*k+:LaneBits]),
      .ren_i  (ren_i),
      .raddr_i(raddr_i),
      .rdata_o(rdata_o[LaneBits*k+:LaneBits])
    );
  end

endmodule
