// What the traversal engine must emit, written as the definition of it: every loop has an initial
// offset V, a step X, an end Y and an offset Z, counts one step per address, and wraps when
// Z + X >= Y (or, in a row of trips, after Y iterations). Nothing here is kept as a distance.
// The rows follow each other in the order in which their bases were written. An address travels
// through two stages: its terms, then their sum.

`default_nettype none

module traversal_model #(
  parameter integer Rows = 2,
  parameter integer Loops = 2,
  parameter integer W = 16,
  parameter integer A = 16,
  parameter integer Double = 0,
  parameter integer Cells = Rows * Loops
) (
  input wire        clk,
  input wire        rst_n,
  input wire        stop_i,
  input wire        cfg_clear_i,
  input wire        cfg_valid_i,
  input wire [ 1:0] cfg_sel_i,
  input wire [ 2:0] cfg_row_i,
  input wire [ 2:0] cfg_col_i,
  input wire [31:0] cfg_data_i,
  input wire [ 1:0] cfg_kind_i,
  input wire        cfg_trips_i,
  input wire        alone_i,
  input wire        start_i,
  input wire        offset_only_i,
  input wire        pause_i,
  input wire        ready_i,

  // As written: V, X and Y of each loop, whether it was written and counts trips
  output reg [    W-1:0] held_v,
  output reg [    W-1:0] held_x,
  output reg [Cells*W-1:0] v,
  output reg [Cells*W-1:0] x,
  output reg [Cells*W-1:0] y,
  output reg [  Cells-1:0] set,
  output reg [  Cells-1:0] cell_trips,
  output reg [ Rows*A-1:0] base,
  output reg [   Rows-1:0] row_trips,
  output reg [        3:0] count,  // rows listed
  output reg [ Rows*3-1:0] list,
  output reg [ Rows*2-1:0] kinds,

  // In use
  output wire [Cells*W-1:0] use_v,
  output wire [Cells*W-1:0] use_x,
  output wire [Cells*W-1:0] use_y,
  output wire [  Cells-1:0] use_set,
  output wire [  Cells-1:0] use_cell_trips,
  output wire [ Rows*A-1:0] use_base,
  output wire [   Rows-1:0] use_row_trips,
  output wire [        3:0] use_count,
  output wire [ Rows*3-1:0] use_list,
  output wire [ Rows*2-1:0] use_kinds,

  output reg               pending,
  output reg               pending_bare,
  output reg               running,
  output reg [        3:0] place,  // of the list
  output wire [       2:0] row,
  output reg [Cells*W-1:0] z,
  output reg [Cells*W-1:0] trip,  // iterations done
  output wire              step,
  output wire              finish,
  output wire              load,

  // Stages of an address
  output reg [        1:0] valid,
  output reg [      A-1:0] term_base,
  output reg [Loops*W-1:0] term_z,
  output reg [      A-1:0] addr,
  output reg [        5:0] rows_out,
  output reg [        3:0] kinds_out,
  output reg [2*Loops-1:0] finals_out,
  output reg [        1:0] last_out,
  output reg [        1:0] end_out
);

  wire room = !valid[1] | ready_i;
  wire heard = start_i & count != 0;
  wire write_end = cfg_valid_i & cfg_sel_i == 2'd2;
  wire write_base = cfg_valid_i & cfg_sel_i == 2'd3 & cfg_row_i < Rows;
  wire bare = pending ? pending_bare : offset_only_i;
  assign row = use_list[3*place+:3];
  assign step = running & room & !pause_i;

  reg [Loops-1:0] finals;
  reg [Loops-1:0] carry;  // the loop takes a step
  reg wraps;  // all loops wrap
  reg known;  // the row is listed
  reg [W:0] next;
  reg [A-1:0] sum;
  integer k;
  integer c;

  always @* begin
    wraps = 1'b1;
    finals = 0;
    carry = 0;
    next = 0;
    for (c = 0; c < Loops; c = c + 1) begin
      carry[c] = wraps;
      next = use_row_trips[row[0]] ? {1'b0, trip[W*(Loops*row[0]+c)+:W]} + 1'b1 :
          {1'b0, z[W*(Loops*row[0]+c)+:W]} + {1'b0, use_x[W*(Loops*row[0]+c)+:W]};
      finals[c] = !use_set[Loops*row[0]+c] | next >= {1'b0, use_y[W*(Loops*row[0]+c)+:W]};
      wraps = wraps & finals[c];
    end
    known = 1'b0;
    for (k = 0; k < Rows; k = k + 1) known = known | k < count & list[3*k+:3] == cfg_row_i;
    sum = term_base;
    for (c = 0; c < Loops; c = c + 1) sum = sum + term_z[W*c+:W];
  end

  wire more = place + 4'd1 < use_count;
  assign finish = step & wraps & !more;

  always @(posedge clk) begin
    // Registers
    if (cfg_valid_i & cfg_sel_i == 2'd0) held_v <= cfg_data_i[W-1:0];
    if (cfg_valid_i & cfg_sel_i == 2'd1) held_x <= cfg_data_i[W-1:0];
    for (k = 0; k < Cells; k = k + 1) begin
      if (write_end & cfg_row_i == k / Loops & cfg_col_i == k % Loops) begin
        v[W*k+:W] <= held_v;
        x[W*k+:W] <= held_x;
        y[W*k+:W] <= cfg_data_i[W-1:0];
        set[k] <= 1'b1;
        cell_trips[k] <= cfg_trips_i;
      end
    end
    for (k = 0; k < Rows; k = k + 1) begin
      if (write_base & cfg_row_i == k) begin
        base[A*k+:A] <= cfg_data_i[A-1:0];
        row_trips[k] <= cfg_trips_i;
      end
      if (write_base & !known & count == k) begin
        list[3*k+:3] <= cfg_row_i;
        kinds[2*k+:2] <= cfg_kind_i;
        count <= k + 1;
      end
    end
    if (cfg_clear_i) {v, x, y, set, base, count} <= 0;
    if (!rst_n) count <= 0;

    // Offsets
    if (step) begin
      for (c = 0; c < Loops; c = c + 1) begin
        for (k = 0; k < Rows; k = k + 1) begin
          if (row == k & carry[c]) begin
            z[W*(Loops*k+c)+:W] <= finals[c] ? use_v[W*(Loops*k+c)+:W] :
                z[W*(Loops*k+c)+:W] + use_x[W*(Loops*k+c)+:W];
            trip[W*(Loops*k+c)+:W] <= finals[c] ? 0 : trip[W*(Loops*k+c)+:W] + 1'b1;
          end
        end
      end
      if (wraps) {running, place} <= {more, place + 4'd1};
    end
    if (load) {running, place, z, trip} <= {1'b1, 4'd0, v, {Cells * W{1'b0}}};
    if (stop_i | !rst_n) running <= 1'b0;

    // Stages
    if (room) begin
      term_base <= Double == 0 & offset_only_i ? 0 : use_base[A*row[0]+:A];
      term_z <= z[W*Loops*row[0]+:W*Loops];
      addr <= sum;
      valid <= {valid[0], step};
      rows_out <= {rows_out[2:0], row};
      kinds_out <= {kinds_out[1:0], use_kinds[2*place+:2]};
      finals_out <= {finals_out[Loops-1:0], finals};
      last_out <= {last_out[0], wraps};
      end_out <= {end_out[0], wraps & !more};
    end
    if (stop_i | !rst_n) valid <= 2'd0;
    pending <= Double != 0 & (pending | heard) & !load & !stop_i & rst_n;
    if (heard & !pending) pending_bare <= offset_only_i;
  end

  generate
    if (Double != 0) begin : gen_double
      assign load = (pending | heard) & (!running | finish) &
          !(alone_i & (running | valid != 0)) & !stop_i;
      reg [Cells*(3*W+2)+Rows*(A+6)+3:0] use_q;
      assign {use_v, use_x, use_y, use_set, use_cell_trips, use_base, use_row_trips, use_count,
          use_list, use_kinds} = use_q;
      always @(posedge clk) begin
        if (load) begin
          use_q <= {v, x, y, set, cell_trips, bare ? {Rows * A{1'b0}} : base, row_trips, count,
              list, kinds};
        end
      end
    end else begin : gen_single
      assign load = heard & !running & valid == 0 & !stop_i;
      assign {use_v, use_x, use_y, use_set, use_cell_trips, use_base, use_row_trips, use_count,
          use_list, use_kinds} = {v, x, y, set, cell_trips, base, row_trips, count, list, kinds};
    end
  endgenerate

endmodule

`default_nettype wire
