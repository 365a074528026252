// A loop counter of im2col: counts 0, 1, .. last_i and begins again.
//
// With Index the number of the iteration is an output and the end is found by comparison. Without
// it the counter counts down and the end stands in a register: nothing is in the way of the clock.

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

  reg [W-1:0] count_q;

  generate
    if (Index != 0) begin : gen_up
      assign index_o = count_q;
      assign end_o = count_q == last_i;

      always @(posedge clk) begin
        if (clear_i | (step_i & end_o)) count_q <= {W{1'b0}};
        else if (step_i) count_q <= count_q + One;
      end
    end else begin : gen_down
      reg end_q;

      assign index_o = {W{1'b0}};
      assign end_o = end_q;

      always @(posedge clk) begin
        if (clear_i | (step_i & end_q)) begin
          count_q <= last_i;
          end_q <= last_i == {W{1'b0}};
        end else if (step_i) begin
          count_q <= count_q - One;
          end_q <= count_q == One;
        end
      end
    end
  endgenerate

endmodule

`default_nettype wire
