// From slots to entries: the lanes of a slot that are not zero, lane 0 first, ENTRIES of them in a clock. LANES lanes.
module sparse_load (
  input wire clk
);
  localparam R = `LANES, E = `ENTRIES;
  (* anyseq *) reg valid, first, last;
  (* anyseq *) reg [7:0] row, col;
  (* anyseq *) reg [8:0] list;
  (* anyseq *) reg [1:0] set;
  (* anyseq *) reg [9*R-1:0] value;
  (* anyseq *) reg [R-1:0] nz;
  reg started = 0;
  always @(posedge clk) started <= 1;

  wire ready, is_valid, is_first, is_last;
  wire [3:0] count;
  wire [7:0] rows, cols;
  wire [1:0] sets;
  wire [9*E-1:0] values, lists;
  sparse_dut u_dut (.clk(clk), .rst_n(started), .slot_valid_i(valid), .slot_row_i(row), .slot_col_i(col),
    .slot_list_i(list), .slot_first_i(first), .slot_last_i(last), .slot_set_i(set), .slot_value_i(value),
    .slot_nz_i(nz), .slot_ready_o(ready), .load_valid_o(is_valid), .load_count_o(count), .load_row_o(rows),
    .load_col_o(cols), .load_set_o(sets), .load_first_o(is_first), .load_last_o(is_last),
    .load_value_o(values), .load_list_o(lists));
endmodule
