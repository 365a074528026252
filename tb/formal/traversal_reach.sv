// What the proof can try. Each assertion here is false on purpose: it says that something never
// happens, and the run from reset that breaks it shows that the assumptions of
// traversal_properties.sv leave room for it.

`default_nettype none

module traversal_reach #(
  parameter integer Rows = 2,
  parameter integer Loops = 2,
  parameter integer W = 16,
  parameter integer A = 16,
  parameter integer Double = 0,
  parameter integer Trips = 0,
  parameter integer Cells = Rows * Loops
) (
  input wire clk,
  input wire from_reset,

  input wire       cfg_clear_i,
  input wire       cfg_valid_i,
  input wire [1:0] cfg_sel_i,
  input wire       alone_i,
  input wire       offset_only_i,
  input wire       stop_i,

  input wire             valid_o,
  input wire             taken,
  input wire [      2:0] row_o,
  input wire [      1:0] kind_o,
  input wire [Loops-1:0] final_o,
  input wire             end_o,

  // Of the model
  input wire [ Rows*A-1:0] base,
  input wire               load,
  input wire               pending,
  input wire               pending_bare,
  input wire               running,
  input wire [        2:0] row,
  input wire [   Rows-1:0] use_row_trips,
  input wire [  Cells-1:0] use_set,
  input wire [Cells*W-1:0] use_x,
  input wire [Cells*W-1:0] use_y,
  input wire [Cells*W-1:0] trip,
  input wire [        1:0] joined
);

  reg [3*Loops-1:0] finals_before;  // of the last three addresses taken
  reg ended_before, row_before_known, ended;
  reg [2:0] row_before;
  wire new_row = row_before_known & !ended_before & row_o != row_before;
  always @(posedge clk) begin
    if (taken) begin
      finals_before <= {finals_before, final_o};
      {ended_before, row_before_known, row_before} <= {end_o, 1'b1, row_o};
    end
    // Something was traversed with the registers as they are
    ended <= !cfg_clear_i & !cfg_valid_i & (ended | taken & end_o);
    if (stop_i | !from_reset) {finals_before, row_before_known, ended} <= {{3 * Loops{1'b1}}, 2'd0};
    if (from_reset) begin
      if (valid_o) begin
        reach_tensor: assert (kind_o != 2'd0);
        reach_prologue: assert (kind_o != 2'd1);
        reach_epilogue: assert (kind_o != 2'd2);
        reach_wraps: assert ({finals_before, final_o} != 8'b00_01_10_11);  // of 2 x 2 iterations
        reach_rows: assert (!new_row | row_o == 3'd0);
        reach_rows_down: assert (!new_row | row_o != 3'd0);
        reach_end: assert (!end_o | !row_before_known | ended_before);
        reach_again: assert (!ended | end_o);
        reach_stop: assert (!stop_i | !running);
      end
      reach_offset_only: assert (!load | !offset_only_i | base == 0);
    end
  end
  generate
    if (Trips != 0) begin : gen_trips
      always @(posedge clk) begin
        if (from_reset & running & row == 3'd0 & use_row_trips[0] & use_set[0]) begin
          reach_trips: assert (trip[W-1:0] != 2 | use_y[W-1:0] != 3 | use_x[W-1:0] == 0);
        end
      end
    end
    if (Double != 0) begin : gen_double
      always @(posedge clk) begin
        if (from_reset) begin
          reach_double_joined: assert (!taken | !joined[1]);
          reach_double_filled: assert (!running | !cfg_valid_i | cfg_sel_i != 2'd2);
          reach_double_waits: assert (!pending | !alone_i | running | !valid_o);
          reach_double_offset_only: assert (!pending | !pending_bare | !load | base == 0);
        end
      end
    end
  endgenerate

endmodule

`default_nettype wire
