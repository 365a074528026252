// Properties of the traversal unit, in terms of its ports. The unit under proof is the module
// traversal_dut; scripts/formal.sh gives that name to an emitted one.

`default_nettype none

module traversal_properties #(
  parameter integer Rows = 2,
  parameter integer Loops = 2,
  parameter integer W = 16,
  parameter integer A = 16
) (
  input wire        clk,
  input wire        rst_n,
  input wire        cfg_clear_i,
  input wire        cfg_valid_i,
  input wire [ 1:0] cfg_sel_i,
  input wire [ 2:0] cfg_row_i,
  input wire [ 2:0] cfg_col_i,
  input wire [31:0] cfg_data_i,
  input wire        start_i,
  input wire        pause_i,
  input wire        ready_i
);

  wire valid_o;
  wire [A-1:0] addr_o;
  wire [2:0] row_o;
  wire [Loops-1:0] final_o;
  wire last_o;
  wire end_o;
  wire busy_o;

  traversal_dut u_dut (
    .clk        (clk),
    .rst_n      (rst_n),
    .cfg_clear_i(cfg_clear_i),
    .cfg_valid_i(cfg_valid_i),
    .cfg_sel_i  (cfg_sel_i),
    .cfg_row_i  (cfg_row_i),
    .cfg_col_i  (cfg_col_i),
    .cfg_data_i (cfg_data_i),
    .start_i    (start_i),
    .pause_i    (pause_i),
    .valid_o    (valid_o),
    .ready_i    (ready_i),
    .addr_o     (addr_o),
    .row_o      (row_o),
    .final_o    (final_o),
    .last_o     (last_o),
    .end_o      (end_o),
    .busy_o     (busy_o)
  );

  // What the ports showed one cycle before; not looked at in the first cycle and under reset.
  reg known = 1'b0;
  always @(posedge clk) known <= rst_n;

  always @* begin
    if ($initstate) assume (!rst_n);
    assume (!((busy_o | start_i) & cfg_valid_i));  // a write then changes the running traversal
  end

  wire taken = valid_o & ready_i;

  // A model of no more than the rows that take part, and of the row that was taken last
  reg [7:0] rows_q;  // rows with a base
  reg taken_q;  // an address of this traversal was taken
  reg [2:0] row_q;  // row of the last address taken
  reg last_q;

  always @(posedge clk) begin
    if (!rst_n | cfg_clear_i) rows_q <= 8'd0;
    else if (cfg_valid_i & cfg_sel_i == 2'd3 & cfg_row_i < Rows) rows_q[cfg_row_i] <= 1'b1;

    if (!rst_n | cfg_clear_i | !busy_o) taken_q <= 1'b0;
    else if (taken) taken_q <= 1'b1;
    if (taken) begin
      row_q <= row_o;
      last_q <= last_o;
    end
  end

  wire model_valid;
  wire [A-1:0] model_addr;
  wire [2:0] model_row;
  wire [Loops-1:0] model_final;
  wire model_last;
  wire model_end;
  wire model_busy;

  traversal_model #(
    .Rows (Rows),
    .Loops(Loops),
    .W    (W),
    .A    (A)
  ) u_model (
    .clk        (clk),
    .rst_n      (rst_n),
    .cfg_clear_i(cfg_clear_i),
    .cfg_valid_i(cfg_valid_i),
    .cfg_sel_i  (cfg_sel_i),
    .cfg_row_i  (cfg_row_i),
    .cfg_col_i  (cfg_col_i),
    .cfg_data_i (cfg_data_i),
    .start_i    (start_i),
    .pause_i    (pause_i),
    .ready_i    (ready_i),
    .valid_o    (model_valid),
    .addr_o     (model_addr),
    .row_o      (model_row),
    .final_o    (model_final),
    .last_o     (model_last),
    .end_o      (model_end),
    .busy_o     (model_busy)
  );

  wire [7:0] later = rows_q & (8'hfe << row_o);
  wire [7:0] skipped = rows_q & ~(8'hff << row_o) & ~(taken_q ? 8'hff >> (3'd7 - row_q) : 8'h00);

  always @(posedge clk) begin
    if (known & rst_n) begin
      if ($past(valid_o & !ready_i & !cfg_clear_i)) begin
        held: assert (valid_o & $stable({addr_o, row_o, final_o, last_o, end_o}));
      end
      if (valid_o) valid_is_busy: assert (busy_o);
      if (busy_o & !$past(busy_o)) starts: assert ($past(start_i & !cfg_clear_i & rows_q != 8'd0));
      if (!busy_o & $past(busy_o)) ends: assert ($past(cfg_clear_i | taken & end_o));
      if ($past(cfg_clear_i)) clears: assert (!busy_o & !valid_o);
      if ($past(start_i & !busy_o & !cfg_clear_i & rows_q != 8'd0)) begin
        start_is_heard: assert (busy_o & !valid_o);
      end
      if ($past(pause_i & !(valid_o & !ready_i))) pauses: assert (!valid_o);
      if ($past(busy_o & !pause_i & !cfg_clear_i & !(taken & end_o))) no_gap: assert (valid_o);
      if (valid_o) begin
        last_is_all_final: assert (last_o == &final_o);
        row_takes_part: assert (rows_q[row_o]);
        end_is_last_row: assert (end_o == (last_o & later == 8'd0));
        no_row_skipped: assert (taken_q & !last_q ? row_o == row_q : skipped == 8'd0);
        if (taken_q & last_q) rows_ascend: assert (row_o > row_q);
        model_agrees: assert ({addr_o, row_o, final_o, last_o, end_o} ==
            {model_addr, model_row, model_final, model_last, model_end});
      end
      model_keeps_pace: assert ({valid_o, busy_o} == {model_valid, model_busy});
    end
  end

endmodule

`default_nettype wire
