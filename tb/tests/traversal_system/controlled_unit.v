// Traversal unit, processing unit and controller. traversal_unit stands for the emitted module.

`default_nettype none

module controlled_unit (
  input wire clk,
  input wire rst_n,

  input wire        program_wen_i,
  input wire  [5:0] program_addr_i,
  input wire [31:0] program_data_i,
  input wire  [5:0] words_i,
  input wire        inside_i,
  input wire  [4:0] burst_i,
  input wire  [4:0] work_i,
  input wire        interrupt_i,

  input  wire        ready_i,
  output wire        valid_o,
  output wire [11:0] addr_o,
  output wire  [2:0] row_o,
  output wire  [1:0] kind_o,
  output wire  [2:0] final_o,
  output wire        last_o,
  output wire        end_o,
  output wire        busy_o,
  output wire        error_o,
  output wire        pause_o,
  output wire        pause_req_o,
  output wire        pause_grant_o,
  output wire        working_o
);

  wire instr_valid;
  wire instr_ready;
  wire [31:0] instr_data;
  wire pause_inside;
  wire pause_outside;

  assign pause_o = inside_i ? pause_inside : pause_outside;

  processing_unit u_processing_unit (
    .clk           (clk),
    .rst_n         (rst_n),
    .program_wen_i (program_wen_i),
    .program_addr_i(program_addr_i),
    .program_data_i(program_data_i),
    .words_i       (words_i),
    .inside_i      (inside_i),
    .burst_i       (burst_i),
    .work_i        (work_i),
    .interrupt_i   (interrupt_i),
    .working_o     (working_o),
    .instr_valid_o (instr_valid),
    .instr_ready_i (instr_ready),
    .instr_data_o  (instr_data),
    .valid_i       (valid_o),
    .ready_i       (ready_i),
    .pause_o       (pause_inside),
    .pause_req_o   (pause_req_o),
    .pause_grant_i (pause_grant_o)
  );

  traversal_controller u_controller (
    .clk          (clk),
    .rst_n        (rst_n),
    .pause_req_i  (pause_req_o),
    .pause_grant_o(pause_grant_o),
    .valid_i      (valid_o),
    .pause_o      (pause_outside)
  );

  traversal_unit u_unit (
    .clk           (clk),
    .rst_n         (rst_n),
    .clear_i       (1'b0),
    .pause_i       (pause_o),
    .demand_i      (1'b0),
    .demand_ready_o(),
    .instr_valid_i (instr_valid),
    .instr_ready_o (instr_ready),
    .instr_data_i  (instr_data),
    .valid_o       (valid_o),
    .ready_i       (ready_i),
    .addr_o        (addr_o),
    .row_o         (row_o),
    .kind_o        (kind_o),
    .final_o       (final_o),
    .last_o        (last_o),
    .end_o         (end_o),
    .busy_o        (busy_o),
    .error_o       (error_o),
    .error_code_o  (),
    .error_word_o  ()
  );

endmodule

`default_nettype wire
