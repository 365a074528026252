// Traversal unit whose addresses go to one of three sinks: a processing unit, the read port of a
// memory, a bus with another master. traversal_unit stands for the emitted module.

`default_nettype none

module traversal_sinks (
  input wire clk,
  input wire rst_n,

  input  wire        instr_valid_i,
  output wire        instr_ready_o,
  input  wire [31:0] instr_data_i,
  output wire        busy_o,
  output wire        error_o,

  input  wire  [1:0] sink_i,  // 0 processing unit, 1 memory, 2 bus

  // Processing unit
  output wire        valid_o,
  input  wire        ready_i,
  output wire [11:0] addr_o,
  output wire  [2:0] row_o,
  output wire        last_o,
  output wire        end_o,

  // Memory: contents, whether the read port is free, words read
  input  wire        write_i,
  input  wire [11:0] write_addr_i,
  input  wire [15:0] write_data_i,
  input  wire        free_i,
  output reg         data_valid_o,
  output wire [15:0] data_o,

  // Bus: who may use it in this clock (0 the unit, 1 the other), what was on it in the last one
  input  wire  [1:0] grant_i,
  input  wire        other_valid_i,
  output wire        other_ready_o,
  input  wire [11:0] other_addr_i,
  output reg         bus_valid_o,
  output reg         bus_owner_o,
  output reg  [11:0] bus_addr_o
);

  wire valid;
  wire ready;
  wire read;
  wire on_bus;

  assign valid_o = valid & (sink_i == 2'd0);
  assign read = valid & (sink_i == 2'd1) & free_i;
  assign on_bus = valid & (sink_i == 2'd2) & grant_i[0];
  assign other_ready_o = grant_i[1];
  assign ready = (sink_i == 2'd0) & ready_i | (sink_i == 2'd1) & free_i
               | (sink_i == 2'd2) & grant_i[0];

  always @(posedge clk) begin
    if (!rst_n) begin
      data_valid_o <= 1'b0;
      bus_valid_o <= 1'b0;
    end else begin
      data_valid_o <= read;
      bus_valid_o <= on_bus | (other_valid_i & grant_i[1]);
    end
  end

  always @(posedge clk) begin
    bus_owner_o <= grant_i[1];
    bus_addr_o <= grant_i[1] ? other_addr_i : addr_o;
  end

  heddle_ram_1r1w #(
    .Width   (16),
    .Depth   (4096),
    .AddrBits(12),
    .Key     ("sink")
  ) u_memory (
    .clk    (clk),
    .wen_i  (write_i),
    .waddr_i(write_addr_i),
    .wdata_i(write_data_i),
    .ren_i  (read),
    .raddr_i(addr_o),
    .rdata_o(data_o)
  );

  traversal_unit u_unit (
    .clk           (clk),
    .rst_n         (rst_n),
    .clear_i       (1'b0),
    .pause_i       (1'b0),
    .demand_i      (1'b1),
    .demand_ready_o(),
    .instr_valid_i (instr_valid_i),
    .instr_ready_o (instr_ready_o),
    .instr_data_i  (instr_data_i),
    .valid_o       (valid),
    .ready_i       (ready),
    .addr_o        (addr_o),
    .row_o         (row_o),
    .kind_o        (),
    .final_o       (),
    .last_o        (last_o),
    .end_o         (end_o),
    .busy_o        (busy_o),
    .error_o       (error_o),
    .error_code_o  (),
    .error_word_o  ()
  );

endmodule

`default_nettype wire
