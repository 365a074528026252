// Properties of the traversal engine. The engine under proof is the module traversal_dut;
// scripts/formal.sh gives that name to an emitted one of 2 rows and one register stage in the sum.
//
// The proof is by induction over the clocks. Assertions whose name begins with inv_ relate the
// registers of the engine to those of the model, and prove each other; all others follow from them.

`default_nettype none

module traversal_properties #(
  parameter integer Rows = 2,
  parameter integer Loops = 2,
  parameter integer W = 16,
  parameter integer A = 16,
  parameter integer Double = 0,
  parameter integer Trips = 0,
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
  input wire        ready_i
);

  wire cfg_ready_o, load_o, able_o, valid_o, last_o, end_o, busy_o;
  wire [A-1:0] addr_o;
  wire [2:0] row_o;
  wire [1:0] kind_o;
  wire [Loops-1:0] final_o;

  traversal_dut u_dut (
    .cfg_attached_i(1'b0),
    .cfg_loop_i    (3'd0),
    .cfg_equal_i   (1'b0),
    .cfg_group_i   (1'b0),
    .endless_o     (),
    .cfg_trips_i   (cfg_trips_i & Trips != 0),
    .*
  );

  // Registers inside the engine, joined by name when it is flattened
  (* hierconn *) wire [W-1:0] \u_dut.initial_q ;
  (* hierconn *) wire [W-1:0] \u_dut.step_q ;
  (* hierconn *) wire [W:0] \u_dut.first_q ;
  (* hierconn *) wire [Rows*A-1:0] \u_dut.base_q ;
  (* hierconn *) wire \u_dut.pending_bare_q ;  // only with two sets
  (* hierconn *) wire [Rows-1:0] \u_dut.trips_q ;  // only with trips
  (* hierconn *) wire [Rows-1:0] \u_dut.u_core.trips_i ;
  (* hierconn *) wire [Rows*A-1:0] \u_dut.u_core.base_i ;
  (* hierconn *) wire [Cells*W-1:0] \u_dut.u_registers.next_initial_o ;
  (* hierconn *) wire [Cells*W-1:0] \u_dut.u_registers.next_step_o ;
  (* hierconn *) wire [Cells*(W+1)-1:0] \u_dut.u_registers.next_distance_o ;
  (* hierconn *) wire [Cells*W-1:0] \u_dut.u_core.initial_i ;
  (* hierconn *) wire [Cells*W-1:0] \u_dut.u_core.step_i ;
  (* hierconn *) wire [Cells*(W+1)-1:0] \u_dut.u_core.distance_i ;
  (* hierconn *) wire [Cells*W-1:0] \u_dut.u_core.row_offset_out ;
  (* hierconn *) wire [Cells/2*(W+1)-1:0] \u_dut.u_core.gen_row[0].u_row.distance_q ;
  (* hierconn *) wire [Cells/2*(W+1)-1:0] \u_dut.u_core.gen_row[1].u_row.distance_q ;
  (* hierconn *) wire [A-1:0] \u_dut.u_core.base_q ;
  (* hierconn *) wire [Loops*W-1:0] \u_dut.u_core.offset_q ;
  (* hierconn *) wire [1:0] \u_dut.u_core.valid_q ;
  (* hierconn *) wire [5:0] \u_dut.u_core.number_q ;
  (* hierconn *) wire [3:0] \u_dut.u_core.kind_q ;
  (* hierconn *) wire [1:0] \u_dut.u_core.last_q ;
  (* hierconn *) wire [1:0] \u_dut.u_core.end_flag_q ;
  (* hierconn *) wire [2*Loops-1:0] \u_dut.u_core.final_flag_q ;
  (* hierconn *) wire [Rows-1:0] \u_dut.u_core.u_order.used_q ;
  (* hierconn *) wire [3*Rows-1:0] \u_dut.u_core.u_order.row_q ;
  (* hierconn *) wire [2*Rows-1:0] \u_dut.u_core.u_order.kind_q ;
  (* hierconn *) wire [Rows-1:0] \u_dut.u_core.u_order.has ;
  (* hierconn *) wire [3*Rows-1:0] \u_dut.u_core.u_order.has_row ;
  (* hierconn *) wire [2*Rows-1:0] \u_dut.u_core.u_order.has_kind ;
  (* hierconn *) wire [Rows-1:0] \u_dut.u_core.u_order.place_q ;
  (* hierconn *) wire [Rows-1:0] \u_dut.u_core.u_order.active_q ;
  (* hierconn *) wire [2:0] \u_dut.u_core.u_order.number_q ;
  (* hierconn *) wire [1:0] \u_dut.u_core.u_order.kind_now_q ;
  (* hierconn *) wire \u_dut.u_core.u_order.running_q ;
  wire [Cells*W-1:0] offset = \u_dut.u_core.row_offset_out ;
  wire [Cells*(W+1)-1:0] distance = {\u_dut.u_core.gen_row[1].u_row.distance_q ,
      \u_dut.u_core.gen_row[0].u_row.distance_q };
  wire [Rows-1:0] active = \u_dut.u_core.u_order.active_q ;
  wire runs = \u_dut.u_core.u_order.running_q ;

  wire [W-1:0] held_v, held_x;
  wire [Cells*W-1:0] v, x, y, use_v, use_x, use_y, z, trip;
  wire [Cells-1:0] set, cell_trips, use_set, use_cell_trips;
  wire [Rows*A-1:0] base, use_base;
  wire [Rows-1:0] row_trips, use_row_trips;
  wire [3:0] count, use_count, place;
  wire [Rows*3-1:0] list, use_list;
  wire [Rows*2-1:0] kinds, use_kinds;
  wire pending, pending_bare, running, step, finish, load;
  wire [2:0] row;
  wire [1:0] valid, last_out, end_out;
  wire [A-1:0] term_base, addr;
  wire [Loops*W-1:0] term_z;
  wire [5:0] rows_out;
  wire [3:0] kinds_out;
  wire [2*Loops-1:0] finals_out;

  traversal_model #(
    .Rows  (Rows),
    .Loops (Loops),
    .W     (W),
    .A     (A),
    .Double(Double)
  ) u_model (
    .cfg_trips_i(cfg_trips_i & Trips != 0),
    .*
  );

  // Distance to the end as the definition has it: its sign, and its low bits
  function [W:0] from_end(input [W:0] sum, input [W-1:0] limit);
    reg [W:0] difference;
    begin
      difference = sum - {1'b0, limit};
      from_end = {sum < {1'b0, limit}, difference[W-1:0]};
    end
  endfunction
  function [W:0] after(input trips, input [W-1:0] done, offset, step_by);
    after = trips ? {1'b0, done} + 1'b1 : {1'b0, offset} + {1'b0, step_by};
  endfunction

  // How the engine is driven
  reg was_reset = 1'b0;
  reg cleared = 1'b0;  // registers were cleared once
  reg [1:0] order = 2'd0;  // 1: an initial value is held, 2: and a step that came after it
  reg agree;  // the end test of each loop is that of its row, if the row is listed
  reg [7:0] listed, use_listed;
  integer k;
  always @(posedge clk) begin
    if (!rst_n) was_reset <= 1'b1;
    if (cfg_clear_i) cleared <= 1'b1;
    if (cfg_valid_i & cfg_sel_i == 2'd0) order <= 2'd1;
    if (cfg_valid_i & cfg_sel_i == 2'd1 & order != 2'd0) order <= 2'd2;
  end
  always @* begin
    listed = 8'd0;
    use_listed = 8'd0;
    for (k = 0; k < Rows; k = k + 1) begin
      if (k < count) listed[list[3*k+:3]] = 1'b1;
      if (k < use_count) use_listed[use_list[3*k+:3]] = 1'b1;
    end
    agree = 1'b1;
    for (k = 0; k < Cells; k = k + 1) begin
      if (listed[k/Loops] & set[k] & cell_trips[k] != row_trips[k/Loops]) agree = 1'b0;
    end
    if ($initstate) assume (!rst_n);
    if (cfg_valid_i) assume (cfg_ready_o & !start_i);
    if (cfg_clear_i) assume (cfg_ready_o & !start_i | stop_i);
    if (cfg_valid_i & cfg_sel_i == 2'd2) assume (order == 2'd2);
    if (start_i) assume (cleared & agree);
  end

  wire taken = valid_o & ready_i;
  reg [2:0] open;  // traversals begun and not ended
  reg flowing;  // no pause since a traversal began
  reg [1:0] joined;  // the next traversal began with the end of this one, stage by stage
  always @(posedge clk) begin
    open <= stop_i | !rst_n ? 3'd0 : open + load_o - (taken & end_o);
    flowing <= (flowing | load_o) & !pause_i & !stop_i & rst_n;
    if (!valid_o | ready_i) joined <= {joined[0], finish & load_o};
  end

  // Registers of engine and model
  always @* begin
    if (order != 2'd0) inv_held_v: assert (\u_dut.initial_q == held_v);
    if (order == 2'd2) begin
      inv_held_x: assert (\u_dut.step_q == held_x);
      inv_first: assert (\u_dut.first_q == {1'b0, held_v} + {1'b0, held_x});
    end
    if (was_reset) begin
      inv_list: assert (count <= Rows & \u_dut.u_core.u_order.used_q == (1 << count) - 1);
      if (pending | running) inv_cleared: assert (cleared);
      if (pending) inv_agree: assert (agree & count != 0);
    end
  end
  wire [Cells-1:0] written, first_distance, in_use, use_distance, counter, waits, end_test, ranged;
  wire [Rows-1:0] place_agrees, use_place_agrees, trips_written, trips_agree;
  genvar i;
  generate
    for (i = 0; i < Cells; i = i + 1) begin : gen_cell
      wire [W-1:0] vi = use_v[W*i+:W];
      wire [W-1:0] xi = use_x[W*i+:W];
      wire [W-1:0] yi = use_y[W*i+:W];
      wire [W-1:0] zi = z[W*i+:W];
      wire [W-1:0] oi = offset[W*i+:W];
      assign written[i] = \u_dut.u_registers.next_initial_o [W*i+:W] == v[W*i+:W] &
          \u_dut.u_registers.next_step_o [W*i+:W] == x[W*i+:W] &
          (set[i] | {v[W*i+:W], x[W*i+:W]} == 0);
      assign first_distance[i] = \u_dut.u_registers.next_distance_o [(W+1)*i+:W+1] == (set[i] ?
          from_end(after(cell_trips[i], 0, v[W*i+:W], x[W*i+:W]), y[W*i+:W]) : 0);
      assign in_use[i] = \u_dut.u_core.initial_i [W*i+:W] == vi &
          \u_dut.u_core.step_i [W*i+:W] == xi & (use_set[i] | {vi, xi} == 0);
      assign use_distance[i] = \u_dut.u_core.distance_i [(W+1)*i+:W+1] ==
          (use_set[i] ? from_end(after(use_cell_trips[i], 0, vi, xi), yi) : 0);
      assign counter[i] = distance[(W+1)*i+:W+1] ==
          (use_set[i] ? from_end(after(use_cell_trips[i], trip[W*i+:W], zi, xi), yi) : 0);
      assign waits[i] = active[i/Loops] | zi == vi & trip[W*i+:W] == 0;
      assign end_test[i] = !use_set[i] | !use_listed[i/Loops] |
          use_cell_trips[i] == use_row_trips[i/Loops];
      assign ranged[i] = !use_set[i] | !use_listed[i/Loops] | use_cell_trips[i] | vi >= yi |
          oi >= vi & oi < yi;
    end
    for (i = 0; i < Rows; i = i + 1) begin : gen_row
      assign place_agrees[i] = i >= count | \u_dut.u_core.u_order.row_q [3*i+:3] == list[3*i+:3] &
          \u_dut.u_core.u_order.kind_q [2*i+:2] == kinds[2*i+:2] & list[3*i+:3] < Rows &
          (i == 0 | list[3*i+:3] != list[2:0]);
      assign trips_written[i] = !listed[i] | row_trips[i] ==
          (Trips != 0 ? \u_dut.trips_q [i] : 1'b0);
      assign use_place_agrees[i] = i >= use_count |
          \u_dut.u_core.u_order.has_row [3*i+:3] == use_list[3*i+:3] &
          \u_dut.u_core.u_order.has_kind [2*i+:2] == use_kinds[2*i+:2] & use_list[3*i+:3] < Rows &
          (i == 0 | use_list[3*i+:3] != use_list[2:0]);
      assign trips_agree[i] = !use_listed[i] |
          \u_dut.u_core.trips_i [i] == use_row_trips[i];
    end
  endgenerate

  always @* begin
    if (cleared) begin
      inv_written: assert (&written & \u_dut.base_q == base);
      inv_first_distance: assert (&first_distance);
    end
    if (was_reset) begin
      inv_listed: assert (&place_agrees & &trips_written);
      inv_pending: assert (Double != 0 ? cfg_ready_o == (rst_n & !pending) &
          (!pending | \u_dut.pending_bare_q == pending_bare) : !pending);
    end
    if (was_reset & running) begin
      inv_in_use: assert (&in_use & &trips_agree &
          \u_dut.u_core.base_i == (Double == 0 & offset_only_i ? 0 : use_base));
      inv_use_distance: assert (&use_distance);
      inv_use_listed: assert (&use_place_agrees);
      inv_offset: assert (offset == z);
      inv_counter: assert (&counter);
      inv_waits: assert (&waits);
      inv_end_test: assert (&end_test);
      in_range: assert (&ranged);
    end
  end

  always @* begin
    if (was_reset) begin
      inv_running: assert (runs == running & valid == \u_dut.u_core.valid_q &
          \u_dut.u_core.u_order.place_q == (running ? 1 << place : 0) &
          active == (running ? 1 << row : 0));
      if (running) begin
        inv_place: assert (place < use_count & use_count <= Rows & \u_dut.u_core.u_order.has ==
            (1 << use_count) - 1);
        inv_row: assert (\u_dut.u_core.u_order.number_q == row &
            \u_dut.u_core.u_order.kind_now_q == use_kinds[2*place+:2]);
      end
      if (valid[0]) begin
        inv_terms: assert ({\u_dut.u_core.base_q , \u_dut.u_core.offset_q } == {term_base, term_z});
        inv_first_stage: assert ({\u_dut.u_core.number_q [2:0], \u_dut.u_core.kind_q [1:0],
            \u_dut.u_core.last_q [0], \u_dut.u_core.end_flag_q [0],
            \u_dut.u_core.final_flag_q [Loops-1:0]} == {rows_out[2:0], kinds_out[1:0],
            last_out[0], end_out[0], finals_out[Loops-1:0]});
      end
      if (valid[1]) begin
        inv_second_stage: assert ({\u_dut.u_core.number_q [5:3], \u_dut.u_core.kind_q [3:2],
            \u_dut.u_core.last_q [1], \u_dut.u_core.end_flag_q [1],
            \u_dut.u_core.final_flag_q [2*Loops-1:Loops]} == {rows_out[5:3], kinds_out[3:2],
            last_out[1], end_out[1], finals_out[2*Loops-1:Loops]});
      end
      inv_open: assert (open == running + (valid[0] & end_out[0]) + (valid[1] & end_out[1]));
      inv_flags: assert ((!valid[0] | last_out[0] == &finals_out[Loops-1:0]) &
          (!valid[1] | last_out[1] == &finals_out[2*Loops-1:Loops]) &
          (~valid | ~end_out | last_out) == 2'b11);
      inv_end_closes: assert (running | (valid[0] ? end_out[0] : valid[1] ? end_out[1] : 1'b1));
      inv_joined: assert ((!valid[0] | !joined[0] | running) &
          (!valid[1] | !joined[1] | valid[0] | running));
      if (flowing) begin
        inv_flows: assert ((!valid[0] | end_out[0] & !joined[0] | running) &
            (!valid[1] | end_out[1] & !joined[1] | valid[0]));
      end

      // What the ports show
      pace: assert ({valid_o, busy_o, load_o} == {valid[1], running | valid != 0 | pending, load});
      cfg_ready: assert (cfg_ready_o == (rst_n & (Double != 0 ? !pending : !busy_o)));
      able: assert (able_o == (running & (!valid_o | ready_i)));
      if (valid_o) begin
        address: assert (addr_o == addr);
        row_and_kind: assert ({row_o, kind_o} == {rows_out[5:3], kinds_out[3:2]});
        finals: assert ({final_o, last_o, end_o} ==
            {finals_out[2*Loops-1:Loops], last_out[1], end_out[1]});
        last_is_all_final: assert (last_o == &final_o);
        end_is_last: assert (last_o | !end_o);
        silent_after_end: assert (open != 0);
      end
    end
  end

  // What changes from one clock to the next
  reg [2:0] known = 3'd0;  // reset was high for so many cycles
  reg [Cells*W-1:0] offset_before;
  reg [Rows-1:0] active_before;
  reg step_before, load_before;
  wire [Rows-1:0] moved;
  generate
    for (i = 0; i < Rows; i = i + 1) begin : gen_moved
      assign moved[i] = offset[Loops*W*i+:Loops*W] != offset_before[Loops*W*i+:Loops*W];
    end
  endgenerate
  always @(posedge clk) begin
    known <= rst_n & was_reset ? {known[1:0], 1'b1} : 3'd0;
    {offset_before, active_before} <= {offset, active};
    // With one set of registers a start that finds no row running reloads the counters, whatever becomes of it.
    {step_before, load_before} <= {able_o & !pause_i, load_o | (Double == 0 & start_i & !running)};
  end
  always @* begin
    if (known[0] & !load_before) begin
      one_row_steps: assert ((moved & ~active_before) == 0 & (step_before | moved == 0) &
          (active_before & (active_before - 1'b1)) == 0);
      if (step_before & \u_dut.u_core.valid_q [0] & \u_dut.u_core.end_flag_q [0]) begin
        end_is_as_load: assert (offset == \u_dut.u_core.initial_i &
            distance == \u_dut.u_core.distance_i );
      end
    end
  end
  always @(posedge clk) begin
    if (known[0] & rst_n) begin
      if ($past(valid_o & !ready_i & !stop_i)) begin
        held: assert (valid_o & $stable({addr_o, row_o, kind_o, final_o, last_o, end_o}));
      end
      if ($past(stop_i)) stops: assert (!busy_o & !valid_o);
      if ($past(start_i & cfg_ready_o & count != 0 & !stop_i)) start_is_heard: assert (busy_o);
      if (busy_o & !$past(busy_o)) begin
        starts: assert ($past(start_i & cfg_ready_o & count != 0 & !stop_i));
      end
      if (!busy_o & $past(busy_o)) ends: assert ($past(stop_i | taken & end_o));
      if ($past(flowing & taken & !end_o & !stop_i)) no_gap: assert (valid_o);
    end
    if (known[1] & rst_n) begin
      if ($past(pause_i & (!valid_o | ready_i), 2) & $past(pause_i & (!valid_o | ready_i))) begin
        pauses: assert (!valid_o);
      end
    end
    if (&known & rst_n) begin
      if ($past(load_o, 3) & $past(able_o & !pause_i & !stop_i, 2) & $past(!stop_i)) begin
        first_address: assert (valid_o);
      end
    end
  end

  generate
    if (Double != 0) begin : gen_double
      always @(posedge clk) begin
        if (known[0] & rst_n & $past(flowing & taken & joined[1] & !stop_i)) begin
          double_no_gap: assert (valid_o);
        end
      end
    end
  endgenerate

  traversal_reach #(
    .Rows  (Rows),
    .Loops (Loops),
    .W     (W),
    .A     (A),
    .Double(Double),
    .Trips (Trips)
  ) u_reach (
    .from_reset(rst_n & was_reset),
    .*
  );

endmodule

`default_nettype wire
