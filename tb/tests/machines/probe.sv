// A machine with the words that reach its partitions on ports. MACHINE, PROBED and ROWS are filled in by the test.

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
  output wire [64*ROWS-1:0] copy_data_o
);

  MACHINE u_machine (
    .clk          (clk),
    .rst_n        (rst_n),
    .host_valid_i (host_valid_i),
    .host_ready_o (host_ready_o),
    .host_write_i (host_write_i),
    .host_addr_i  (host_addr_i),
    .host_wdata_i (host_wdata_i),
    .host_rvalid_o(host_rvalid_o),
    .host_rdata_o (host_rdata_o),
    .running_o    (running_o),
    .done_o       (done_o),
    .error_o      (error_o)
  );

  assign place_valid_o = u_machine.u_state_buffer.dr_valid_i;
  assign place_word_o = u_machine.u_state_buffer.dr_word_i;
  assign place_data_o = u_machine.u_state_buffer.dr_data_i;
COPIES

endmodule
