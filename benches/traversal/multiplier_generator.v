// Address generator with multipliers: the peer of the traversal unit. For each of M rows it walks a
// nest of N loops and emits
//
//   address = base + sum over the loops of index * stride, modulo 2^W.
//
// The index of a loop counts 0, 1, ... to the bound, inclusive. One set of indices serves all rows.
//
// Bounds, strides and bases are inputs, which must not change while busy_o is high; multiplier_unit
// adds registers for them, as the traversal unit has.
//
// Between two registers lies one selection, one multiplication or one addition: the strides of the
// row are selected, multiplied, then summed in a tree, one level per clock.

`default_nettype none

module multiplier_generator #(
  parameter integer Rows = 1,
  parameter integer Loops = 4,
  parameter integer W = 32  // bits of a bound, a stride and an address
) (
  input wire clk,
  input wire rst_n,

  input wire            [2:0] last_row_i,  // rows 0 to last_row_i run
  input wire [Rows*Loops*W-1:0] bounds_i,  // trips - 1; loop 0 is the innermost
  input wire [Rows*Loops*W-1:0] strides_i,
  input wire       [Rows*W-1:0] bases_i,

  input  wire         start_i,  // ignored while busy
  output wire         valid_o,
  input  wire         ready_i,
  output wire [W-1:0] addr_o,
  output wire   [2:0] row_o,
  output wire         last_o,  // last address of the row
  output wire         end_o,  // last address of all rows
  output wire         busy_o
);

  // Leaves of the sum: the products and the base, filled up to a power of two
  localparam integer Levels = Loops < 2 ? 1 : Loops < 4 ? 2 : Loops < 8 ? 3 : 4;
  localparam integer Leaves = 1 << Levels;
  localparam integer Depth = Levels + 2;
  localparam [Rows-1:0] FirstRow = 1;

  reg busy_q;
  reg running_q;
  reg [2:0] row_q;
  reg [Rows-1:0] active_q;  // The same, one bit per row
  reg [Loops*W-1:0] index_q;
  reg [Loops*W-1:0] factor_q;
  reg [Loops*W-1:0] stride_q;
  reg [W-1:0] base_q;
  reg [Depth-1:0] valid_q;
  reg [Depth-1:0] last_q;
  reg [Depth-1:0] end_q;
  reg [3*Depth-1:0] row_of_q;

  wire move;  // All stages advance
  wire [Loops-1:0] carry;  // All loops inside this one are in their last iteration
  wire [Loops-1:0] last;  // The loop is in its last iteration
  wire done;  // All loops are
  reg [W-1:0] base;
  wire end_of_rows;
  wire [W*Leaves-1:0] leaf;
  wire [W*Leaves-1:W] node;  // Sums; node n adds nodes 2n and 2n + 1, node 1 is the address

  genvar i;
  integer row;

  assign move = !valid_q[Depth-1] | ready_i;
  assign done = &last;
  assign end_of_rows = row_q == last_row_i;

  assign valid_o = valid_q[Depth-1];
  assign addr_o = node[W+:W];
  assign row_o = row_of_q[3*Depth-1-:3];
  assign last_o = last_q[Depth-1];
  assign end_o = end_q[Depth-1];
  assign busy_o = busy_q;

  always @(posedge clk) begin
    if (!rst_n) begin
      busy_q <= 1'b0;
    end else if (!busy_q) begin
      busy_q <= start_i;
    end else if (valid_o & ready_i & end_o) begin
      busy_q <= 1'b0;
    end
  end

  always @(posedge clk) begin
    if (!rst_n) begin
      running_q <= 1'b0;
    end else if (!busy_q) begin
      running_q <= start_i;
    end else if (move & done & end_of_rows) begin
      running_q <= 1'b0;
    end
  end

  always @(posedge clk) begin
    if (!busy_q) begin
      row_q <= 3'd0;
      active_q <= FirstRow;
    end else if (move & done) begin
      row_q <= row_q + 3'd1;
      active_q <= active_q << 1;
    end
  end

  always @* begin
    base = {W{1'b0}};
    for (row = 0; row < Rows; row = row + 1) begin
      if (active_q[row]) base = base | bases_i[W*row+:W];
    end
  end

  generate
    for (i = 0; i < Loops; i = i + 1) begin : gen_loop
      wire [W-1:0] index;
      reg [W-1:0] bound_of_row;
      reg [W-1:0] stride_of_row;
      reg [W-1:0] product_q;
      integer at;

      assign index = index_q[W*i+:W];
      assign last[i] = index == bound_of_row;
      if (i == 0) begin : gen_first
        assign carry[i] = 1'b1;
      end else begin : gen_next
        assign carry[i] = &last[i-1:0];
      end
      assign leaf[W*i+:W] = product_q;

      always @* begin
        bound_of_row = {W{1'b0}};
        stride_of_row = {W{1'b0}};
        for (at = 0; at < Rows; at = at + 1) begin
          if (active_q[at]) begin
            bound_of_row = bound_of_row | bounds_i[W*(Loops*at+i)+:W];
            stride_of_row = stride_of_row | strides_i[W*(Loops*at+i)+:W];
          end
        end
      end

      always @(posedge clk) begin
        if (!busy_q) begin
          index_q[W*i+:W] <= {W{1'b0}};
        end else if (move & carry[i]) begin
          index_q[W*i+:W] <= last[i] ? {W{1'b0}} : index + {{(W - 1) {1'b0}}, 1'b1};
        end
      end

      always @(posedge clk) begin
        if (move) begin
          factor_q[W*i+:W] <= index;
          stride_q[W*i+:W] <= stride_of_row;
          product_q <= factor_q[W*i+:W] * stride_q[W*i+:W];
        end
      end
    end

    for (i = Loops; i < Leaves; i = i + 1) begin : gen_leaf
      if (i == Loops) begin : gen_base
        reg [W-1:0] base_at_sum_q;
        assign leaf[W*i+:W] = base_at_sum_q;

        always @(posedge clk) begin
          if (move) base_at_sum_q <= base_q;
        end
      end else begin : gen_zero
        assign leaf[W*i+:W] = {W{1'b0}};
      end
    end

    for (i = 1; i < Leaves; i = i + 1) begin : gen_node
      reg [W-1:0] sum_q;
      assign node[W*i+:W] = sum_q;

      if (2 * i < Leaves) begin : gen_inner
        always @(posedge clk) begin
          if (move) sum_q <= node[W*2*i+:W] + node[W*(2*i+1)+:W];
        end
      end else begin : gen_outer
        always @(posedge clk) begin
          if (move) sum_q <= leaf[W*(2*i-Leaves)+:W] + leaf[W*(2*i+1-Leaves)+:W];
        end
      end
    end
  endgenerate

  always @(posedge clk) begin
    if (!rst_n) begin
      valid_q <= {Depth{1'b0}};
    end else if (move) begin
      valid_q <= {valid_q[Depth-2:0], running_q};
    end
  end

  always @(posedge clk) begin
    if (move) begin
      base_q <= base;
      row_of_q <= {row_of_q[3*Depth-4:0], row_q};
      last_q <= {last_q[Depth-2:0], done};
      end_q <= {end_q[Depth-2:0], done & end_of_rows};
    end
  end

endmodule

`default_nettype wire
