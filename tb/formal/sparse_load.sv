// From slots to entries: the lanes of a slot that are not zero, lane 0 first, ENTRIES of them in a clock, with LANES
// lanes. Slots of any kind come in any clock.
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
  // The first clock of reset, and the two in which the wave may have what was there before
  reg [2:0] passed = 0;
  always @(posedge clk) passed <= {passed[1:0], 1'b1};
  wire started = passed[2];

  wire ready, is_valid, is_first, is_last;
  wire [3:0] count;
  wire [7:0] rows, cols;
  wire [1:0] sets;
  wire [9*E-1:0] values, lists;
  sparse_dut u_dut (.clk(clk), .rst_n(passed[0]), .slot_valid_i(valid), .slot_row_i(row), .slot_col_i(col),
    .slot_list_i(list), .slot_first_i(first), .slot_last_i(last), .slot_set_i(set), .slot_value_i(value),
    .slot_nz_i(nz), .slot_ready_o(ready), .load_valid_o(is_valid), .load_count_o(count), .load_row_o(rows),
    .load_col_o(cols), .load_set_o(sets), .load_first_o(is_first), .load_last_o(is_last),
    .load_value_o(values), .load_list_o(lists));
  (* hierconn *) wire \u_dut.busy_q , \u_dut.first_q , \u_dut.last_q ;
  (* hierconn *) wire [R-1:0] \u_dut.rest_q ;
  (* hierconn *) wire [7:0] \u_dut.row_q , \u_dut.col_q ;
  (* hierconn *) wire [8:0] \u_dut.list_q ;
  (* hierconn *) wire [1:0] \u_dut.set_q ;
  (* hierconn *) wire [9*R-1:0] \u_dut.value_q ;

  // The slot, and which of its entries have not been picked
  reg here = 0, begins, ends;
  reg [R-1:0] left, rest;
  reg [26:0] place;  // row, column, list, set
  reg [9*R-1:0] slot;
  // What is picked in a clock: how many, and their values and lists
  reg [3:0] picked;
  reg [9*E-1:0] pick_value, pick_list;
  integer i, k;
  always @(*) begin
    rest = left;
    picked = 0;
    pick_value = 0;
    pick_list = 0;
    for (i = 0; i < R; i = i + 1) begin
      if (left[i] && picked < E) begin
        for (k = 0; k < E; k = k + 1) begin
          if (picked == k) begin
            pick_value[9*k+:9] = slot[9*i+:9];
            pick_list[9*k+:9] = place[10:2] + i;
          end
        end
        rest[i] = 0;
        picked = picked + 1;
      end
    end
  end
  wire is_through = !here || rest == 0;
  // What stands on the wave two clocks later
  localparam W = 4 + 18 + 3 + 18 * E;
  reg [W-1:0] wave[0:1];
  reg [1:0] seen = 0;
  wire [W-1:0] found = {count, rows, cols, sets, is_first, is_last, values, lists};
  always @(posedge clk) begin
    wave[0] <= {picked, place[26:11], place[1:0], begins, ends && rest == 0, pick_value, pick_list};
    wave[1] <= wave[0];
    seen <= {seen[0], here && (picked != 0 || begins || ends)};
    left <= rest;
    begins <= 0;
    if (is_through) begin
      here <= valid;
      {left, slot, place} <= {nz, value, row, col, list, set};
      {begins, ends} <= {first, last};
    end
    if (!passed[0]) here <= 0;
    if (!passed[0]) seen <= 0;
  end

  // Values and lists count as far as there are entries
  reg is_other;
  always @(*) begin
    is_other = wave[1][W-1:18*E] != found[W-1:18*E];
    for (k = 0; k < E; k = k + 1) begin
      if (k < count && (wave[1][9*(E+k)+:9] != values[9*k+:9] || wave[1][9*k+:9] != lists[9*k+:9])) is_other = 1;
    end
  end
  always @(*) if (started) begin
    takes: assert (ready == is_through);
    entries: assert (is_valid == seen[1] && (!seen[1] || !is_other));
    stays: assert (\u_dut.busy_q == here && (!here || (\u_dut.rest_q == left && \u_dut.value_q == slot &&
      {\u_dut.row_q , \u_dut.col_q , \u_dut.list_q , \u_dut.set_q } == place &&
      \u_dut.first_q == begins && \u_dut.last_q == ends)));
    reach_all: assert (!(here && left == {E{1'b1}} && seen == 2'b11 && is_last == 0 && ends));
    reach_none: assert (!(is_valid && count == 0 && is_last));
  end
endmodule
