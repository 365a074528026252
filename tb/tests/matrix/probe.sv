// A machine with its inside on ports. MACHINE, ROWS, COLS, BANKS and WORDS are filled in by the test; the
// state buffer has plain memories.

module probed (
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
  // Which word of all partitions `memory_o` shows.
  input  wire [15:0] bank_i,
  input  wire [15:0] word_i,
  output wire [64*ROWS-1:0] memory_o,
  // Instructions started: weight, stream, drain unit. Host accesses to the state buffer.
  output wire [2:0] start_o,
  output wire       buffer_host_o,
  // Issue units of the waves.
  output wire        op_valid_o,
  output wire [15:0] op_addr_o,
  output wire  [7:0] op_tag_o,
  output wire        wt_valid_o,
  output wire [15:0] wt_addr_o,
  // First data bus: weight words into the rows. Second data bus: operands of the rows.
  output wire    [ROWS-1:0] shift_o,
  output wire [64*ROWS-1:0] w_o,
  output wire    [ROWS-1:0] nz_o,
  output wire    [ROWS-1:0] swap_o,
  output wire  [9*ROWS-1:0] x_o,
  // Cells.
  output wire  [8*ROWS*COLS-1:0] active_o,
  output wire  [8*ROWS*COLS-1:0] shadow_o,
  output wire    [ROWS*COLS-1:0] cell_nz_o,
  output wire    [ROWS*COLS-1:0] cell_swap_o,
  output wire  [9*ROWS*COLS-1:0] cell_x_o,
  output wire [17*ROWS*COLS-1:0] product_o,
  output wire       [32*COLS-1:0] psum_o,
  // Column partitions of the results buffer: what is stored and read, and the first rows of bank 0.
  output wire      [COLS-1:0] store_o,
  output wire   [13*COLS-1:0] store_addr_o,
  output wire   [32*COLS-1:0] store_data_o,
  output wire      [COLS-1:0] read_o,
  output wire   [13*COLS-1:0] read_addr_o,
  output wire [32*ROWS*COLS-1:0] results_o,
  // Words from the columns, and as they enter the row partitions.
  output wire    [COLS-1:0] lane_valid_o,
  output wire    [ROWS-1:0] place_valid_o,
  output wire [13*ROWS-1:0] place_word_o
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

  assign start_o = u_machine.u_control.sequencer_start;
  assign buffer_host_o = u_machine.control_buffer_valid;
  assign op_valid_o = u_machine.control_op_valid;
  assign op_addr_o = u_machine.control_op_addr;
  assign op_tag_o = u_machine.control_op_tag;
  assign wt_valid_o = u_machine.control_wt_valid;
  assign wt_addr_o = u_machine.control_wt_addr;
  assign shift_o = u_machine.state_buffer_shift;
  assign w_o = u_machine.state_buffer_w;
  assign nz_o = u_machine.state_buffer_nz;
  assign swap_o = u_machine.state_buffer_swap;
  assign x_o = u_machine.state_buffer_x;
  assign psum_o = u_machine.array_psum_out;
  assign lane_valid_o = u_machine.post_dr_valid;
  assign place_valid_o = u_machine.place_valid_out;
  assign place_word_o = u_machine.place_word_out;

  genvar r, c, b, t;
  generate
    for (r = 0; r < ROWS; r = r + 1) begin : gen_partition
      wire [63:0] word[0:BANKS-1];
      for (b = 0; b < BANKS; b = b + 1) begin : gen_bank
        assign word[b] = u_machine.u_state_buffer.gen_partition[r].u_partition.u_banks.gen_bank[b]
            .u_bank.u_single.u_plain.u_data.u_ram.mem_q[word_i%WORDS];
      end
      assign memory_o[64*r+:64] = word[bank_i%BANKS];
      for (c = 0; c < COLS; c = c + 1) begin : gen_cell
        assign active_o[8*(r*COLS+c)+:8] = u_machine.u_array.gen_row[r].u_row.gen_pe[c].u_pe.active_q;
        assign shadow_o[8*(r*COLS+c)+:8] = u_machine.u_array.gen_row[r].u_row.gen_pe[c].u_pe.shadow_q;
        assign cell_nz_o[r*COLS+c] = u_machine.u_array.gen_row[r].u_row.gen_pe[c].u_pe.nz_i;
        assign cell_swap_o[r*COLS+c] = u_machine.u_array.gen_row[r].u_row.gen_pe[c].u_pe.swap_i;
        assign cell_x_o[9*(r*COLS+c)+:9] = u_machine.u_array.gen_row[r].u_row.gen_pe[c].u_pe.x_i;
        assign product_o[17*(r*COLS+c)+:17] =
            u_machine.u_array.gen_row[r].u_row.gen_pe[c].u_pe.product_q;
      end
    end
    for (c = 0; c < COLS; c = c + 1) begin : gen_column
      assign store_o[c] = u_machine.u_results.gen_column[c].u_column.u_ram.wen_i;
      assign store_addr_o[13*c+:13] = u_machine.u_results.gen_column[c].u_column.u_ram.waddr_i;
      assign store_data_o[32*c+:32] = u_machine.u_results.gen_column[c].u_column.u_ram.wdata_i;
      assign read_o[c] = u_machine.u_results.gen_column[c].u_column.valid_i
          & u_machine.u_results.gen_column[c].u_column.add_i;
      assign read_addr_o[13*c+:13] = u_machine.u_results.gen_column[c].u_column.slot_addr;
      for (t = 0; t < ROWS; t = t + 1) begin : gen_row
        assign results_o[32*(t*COLS+c)+:32] =
            u_machine.u_results.gen_column[c].u_column.u_ram.mem_q[2*t];
      end
    end
  endgenerate

endmodule
