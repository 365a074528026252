// Pixels and taps of im2col without multipliers: every address and position is the one before plus
// a step, or begins again. The steps of the addresses behind a row, an image, a filter row and a
// channel come from registers; whoever writes them has multiplied.

`default_nettype none

module im2col_add_head #(
  parameter integer A = 16,
  parameter integer D = 10
) (
  input wire clk,

  input wire [A-1:0] first_address_i,  // of pixel 0 at tap 0
  input wire   [D:0] first_x_i,  // - padding on the left
  input wire   [D:0] first_y_i,
  input wire [D-1:0] stride_x_i,
  input wire [D-1:0] stride_y_i,
  input wire [D-1:0] dilation_x_i,
  input wire [D-1:0] dilation_y_i,
  input wire [A-1:0] line_step_i,  // from the last pixel of a line to the first of the next one
  input wire [A-1:0] image_step_i,
  input wire [A-1:0] tap_line_step_i,
  input wire [A-1:0] channel_step_i,

  input wire idle_i,
  input wire move_i,
  input wire load_i,
  input wire pixel_x_end_i,
  input wire pixel_y_end_i,
  input wire step_i,
  input wire tap_u_end_i,
  input wire tap_v_end_i,
  input wire tap_end_i,

  output wire [A-1:0] pixel_address_o,
  output wire   [D:0] pixel_x_o,
  output wire   [D:0] pixel_y_o,
  output wire [A-1:0] tap_address_o,
  output wire   [D:0] tap_x_o,
  output wire   [D:0] tap_y_o
);

  reg [A-1:0] pixel_address_q;
  reg [D:0] pixel_x_q;
  reg [D:0] pixel_y_q;
  reg [A-1:0] tap_address_q;
  reg [D:0] tap_x_q;
  reg [D:0] tap_y_q;

  reg [A-1:0] pixel_step;
  reg [A-1:0] tap_step;

  assign pixel_address_o = pixel_address_q;
  assign pixel_x_o = pixel_x_q;
  assign pixel_y_o = pixel_y_q;
  assign tap_address_o = tap_address_q;
  assign tap_x_o = tap_x_q;
  assign tap_y_o = tap_y_q;

  always @* begin
    pixel_step = {{(A - D) {1'b0}}, stride_x_i};
    if (pixel_x_end_i) pixel_step = pixel_y_end_i ? image_step_i : line_step_i;
    tap_step = {{(A - D) {1'b0}}, dilation_x_i};
    if (tap_u_end_i) tap_step = tap_v_end_i ? channel_step_i : tap_line_step_i;
  end

  always @(posedge clk) begin
    if (idle_i) begin
      pixel_address_q <= first_address_i;
      pixel_x_q <= first_x_i;
      pixel_y_q <= first_y_i;
    end else if (load_i & move_i) begin
      pixel_address_q <= pixel_address_q + pixel_step;
      pixel_x_q <= pixel_x_end_i ? first_x_i : pixel_x_q + {1'b0, stride_x_i};
      if (pixel_x_end_i) begin
        pixel_y_q <= pixel_y_end_i ? first_y_i : pixel_y_q + {1'b0, stride_y_i};
      end
    end
  end

  always @(posedge clk) begin
    if (idle_i) begin
      tap_address_q <= {A{1'b0}};
      tap_x_q <= {(D + 1) {1'b0}};
      tap_y_q <= {(D + 1) {1'b0}};
    end else if (step_i & move_i) begin
      tap_address_q <= tap_end_i ? {A{1'b0}} : tap_address_q + tap_step;
      tap_x_q <= tap_u_end_i ? {(D + 1) {1'b0}} : tap_x_q + {1'b0, dilation_x_i};
      if (tap_u_end_i) begin
        tap_y_q <= tap_v_end_i ? {(D + 1) {1'b0}} : tap_y_q + {1'b0, dilation_y_i};
      end
    end
  end

endmodule

`default_nettype wire
