// A loop counter of im2col: last_i + 1 iterations, then it begins again.
//
// It counts down and the end stands in a register, so that nothing is in the way of the clock. With
// Index a second counter has the number of the iteration.

`default_nettype none

module im2col_count #(
  parameter integer W = 10,
  parameter integer Index = 0
) (
  input wire clk,

  input  wire         clear_i,
  input  wire         step_i,
  input  wire [W-1:0] last_i,  // iterations - 1
  output wire [W-1:0] index_o,  // 0 without Index
  output wire         end_o  // this is the last iteration
);

  localparam [W-1:0] One = 1;

  reg [W-1:0] left_q;
  reg end_q;

  assign end_o = end_q;

  always @(posedge clk) begin
    if (clear_i | (step_i & end_q)) begin
      left_q <= last_i;
      end_q <= last_i == {W{1'b0}};
    end else if (step_i) begin
      left_q <= left_q - One;
      end_q <= left_q == One;
    end
  end

  generate
    if (Index != 0) begin : gen_index
      reg [W-1:0] index_q;

      assign index_o = index_q;

      always @(posedge clk) begin
        if (clear_i | (step_i & end_q)) index_q <= {W{1'b0}};
        else if (step_i) index_q <= index_q + One;
      end
    end else begin : gen_none
      assign index_o = {W{1'b0}};
    end
  endgenerate

endmodule

`default_nettype wire
