// A controller of the traversal unit as a device of its own. It lets the unit form addresses, stops
// it when the processing unit asks for a pause, and grants the pause when no address is under way
// any more. After reset the unit is paused.

`default_nettype none

module traversal_controller #(
  parameter integer Drain = 4  // clocks without an address after which none is under way
) (
  input wire clk,
  input wire rst_n,

  input  wire pause_req_i,   // no more addresses are wanted
  output wire pause_grant_o, // none comes before the request falls
  input  wire valid_i,       // an address stands at the output of the unit
  output wire pause_o        // to the unit
);

  localparam [1:0] Held = 2'd0;
  localparam [1:0] Run = 2'd1;
  localparam [1:0] Draining = 2'd2;

  reg [1:0] state_q;
  reg [3:0] quiet_q;

  assign pause_o = state_q != Run;
  assign pause_grant_o = (state_q == Held) & pause_req_i;

  always @(posedge clk) begin
    if (!rst_n) begin
      state_q <= Held;
    end else begin
      case (state_q)
        Held: if (!pause_req_i) state_q <= Run;
        Run: if (pause_req_i) state_q <= Draining;
        default: if (quiet_q == Drain) state_q <= Held;
      endcase
    end
  end

  always @(posedge clk) begin
    if ((state_q != Draining) | valid_i) quiet_q <= 4'd0;
    else quiet_q <= quiet_q + 4'd1;
  end

endmodule

`default_nettype wire
