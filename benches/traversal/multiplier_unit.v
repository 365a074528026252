// multiplier_generator with registers for its bounds, strides and bases, written one at a time
// through a port like that of the traversal unit.

`default_nettype none

module multiplier_unit #(
  parameter integer Rows = 1,
  parameter integer Loops = 4,
  parameter integer W = 32  // bits of a bound, a stride and an address
) (
  input wire clk,
  input wire rst_n,

  input wire         cfg_valid_i,
  input wire   [1:0] cfg_sel_i,  // 0 bound (trips - 1), 1 stride, 2 base, 3 number of the last row
  input wire   [2:0] cfg_row_i,
  input wire   [2:0] cfg_col_i,  // loop, 0 is the innermost
  input wire [W-1:0] cfg_data_i,

  input  wire         start_i,
  output wire         valid_o,
  input  wire         ready_i,
  output wire [W-1:0] addr_o,
  output wire   [2:0] row_o,
  output wire         last_o,
  output wire         end_o,
  output wire         busy_o
);

  reg [2:0] last_row_q;
  reg [Rows*Loops*W-1:0] bounds_q;
  reg [Rows*Loops*W-1:0] strides_q;
  reg [Rows*W-1:0] bases_q;

  genvar row;
  genvar col;

  multiplier_generator #(
    .Rows (Rows),
    .Loops(Loops),
    .W    (W)
  ) u_generator (
    .clk       (clk),
    .rst_n     (rst_n),
    .last_row_i(last_row_q),
    .bounds_i  (bounds_q),
    .strides_i (strides_q),
    .bases_i   (bases_q),
    .start_i   (start_i),
    .valid_o   (valid_o),
    .ready_i   (ready_i),
    .addr_o    (addr_o),
    .row_o     (row_o),
    .last_o    (last_o),
    .end_o     (end_o),
    .busy_o    (busy_o)
  );

  always @(posedge clk) begin
    if (cfg_valid_i & (cfg_sel_i == 2'd3)) last_row_q <= cfg_data_i[2:0];
  end

  generate
    for (row = 0; row < Rows; row = row + 1) begin : gen_row
      wire write;
      assign write = cfg_valid_i & (cfg_row_i == row);

      always @(posedge clk) begin
        if (write & (cfg_sel_i == 2'd2)) bases_q[W*row+:W] <= cfg_data_i;
      end

      for (col = 0; col < Loops; col = col + 1) begin : gen_col
        always @(posedge clk) begin
          if (write & (cfg_col_i == col)) begin
            if (cfg_sel_i == 2'd0) bounds_q[W*(Loops*row+col)+:W] <= cfg_data_i[W-1:0];
            if (cfg_sel_i == 2'd1) strides_q[W*(Loops*row+col)+:W] <= cfg_data_i[W-1:0];
          end
        end
      end
    end
  endgenerate

endmodule

`default_nettype wire
