// An open machine with the words that reach its partitions on ports, and registers as a host port has them. MACHINE, PROBED, ROWS, COLS
// and the counters are filled in by the test.

module PROBED (
  input  wire        clk,
  input  wire        rst_n,
  input  wire        host_valid_i,
  output wire        host_ready_o,
  input  wire        host_write_i,
  input  wire [31:0] host_addr_i,
  input  wire [63:0] host_wdata_i,
  output wire        host_rvalid_o,
  output wire [63:0] host_rdata_o,
  // Loads and stores, beside the host.
  input  wire   [1:0] dma_valid_i,
  input  wire  [63:0] dma_addr_i,
  input  wire  [63:0] load_wdata_i,
  input  wire  [15:0] dma_zero_i,
  output wire   [1:0] dma_ready_o,
  output wire         dma_rvalid_o,
  output wire  [63:0] dma_rdata_o,
  output wire        running_o,
  output wire        done_o,
  output wire        error_o,
  // Words from the drains, as they enter the partitions.
  output wire    [ROWS-1:0] place_valid_o,
  output wire [13*ROWS-1:0] place_word_o,
  output wire [64*ROWS-1:0] place_data_o,
  // Words that partitions copy, as they are written.
  output wire    [ROWS-1:0] copy_valid_o,
  output wire [13*ROWS-1:0] copy_word_o,
  output wire [64*ROWS-1:0] copy_data_o,
  // Partitions that read an operand, those that read or write for loads, stores and the host.
  output wire    [ROWS-1:0] op_read_o,
  output wire [13*ROWS-1:0] op_word_o,
  output wire    [ROWS-1:0] outside_o
);

  // A start reaches the engine a clock after its write, a register answers a clock after its read.
  wire is_register = host_addr_i[31:30] == 2'd0;
  wire take = host_valid_i & is_register & rst_n & !start_q;
  reg start_q, rvalid_q;
  reg [15:0] start_pc_q;
  reg [7:0] zero_q;
  reg [31:0] rdata_q;
  wire engine_ready, engine_rvalid;
  wire [63:0] engine_rdata;
  wire [31:0] status;
  wire [31:0] stall_sums;
  wire [32*COUNTS-1:0] count;
  assign host_ready_o = is_register ? rst_n & !start_q : engine_ready;
  assign host_rvalid_o = engine_rvalid | rvalid_q;
  assign host_rdata_o = rvalid_q ? {32'd0, rdata_q} : engine_rdata;
  reg [31:0] word;
  always @* begin
    word = 32'd0;
    case (host_addr_i[7:3])
READS      default: ;
    endcase
  end
  always @(posedge clk) begin
    start_q <= rst_n & take & host_write_i & (host_addr_i[7:3] == 5'dCTRL) & host_wdata_i[0] & !running_o;
    rvalid_q <= rst_n & take & !host_write_i;
    rdata_q <= word;
    if (take & host_write_i & (host_addr_i[7:3] == 5'dSTART_PC)) start_pc_q <= host_wdata_i[15:0];
    if (take & host_write_i & (host_addr_i[7:3] == 5'dHOST_ZERO)) zero_q <= host_wdata_i[7:0];
  end

  MACHINE u_machine (
    .clk          (clk),
    .rst_n        (rst_n),
    .host_valid_i (host_valid_i & !is_register),
    .host_ready_o (engine_ready),
    .host_write_i (host_write_i),
    .host_addr_i  (host_addr_i),
    .host_wdata_i (host_wdata_i),
    .host_rvalid_o(engine_rvalid),
    .host_rdata_o (engine_rdata),
    .start_i      (start_q),
    .start_pc_i   (start_pc_q),
    .zero_i       (zero_q),
    .stop_i       (1'b0),
    .keep_i       (1'b0),
    .dma_valid_i  (dma_valid_i),
    .dma_addr_i   (dma_addr_i),
    .dma_wdata_i  ({64'd0, load_wdata_i}),
    .dma_zero_i   (dma_zero_i),
    .dma_ready_o  (dma_ready_o),
    .dma_rvalid_o (dma_rvalid_o),
    .dma_rdata_o  (dma_rdata_o),
MOVES
    .status_o     (status),
    .source_o     (),
SUMS    .count_o      (count),
    .running_o    (running_o),
    .done_o       (done_o),
    .error_o      (error_o)
  );

  assign place_valid_o = u_machine.u_state_buffer.dr_valid_i;
  assign place_word_o = u_machine.u_state_buffer.dr_word_i;
  assign place_data_o = u_machine.u_state_buffer.dr_data_i;
COPIES

endmodule
