// Pixels and taps of im2col with multipliers: from the numbers of pixel, image, tap and channel
// their positions and addresses, two clocks later. The sizes of a plane and of an image are
// multiplied here, when the registers have been written.

`default_nettype none

module im2col_multiply_head #(
  parameter integer A = 16,
  parameter integer D = 10
) (
  input wire clk,
  input wire rst_n,

  input wire [A-1:0] first_address_i,  // of the tensor
  input wire   [D:0] first_x_i,  // - padding on the left
  input wire   [D:0] first_y_i,
  input wire [D-1:0] stride_x_i,
  input wire [D-1:0] stride_y_i,
  input wire [D-1:0] dilation_x_i,
  input wire [D-1:0] dilation_y_i,
  input wire [D-1:0] width_i,
  input wire [D-1:0] height_i,
  input wire  [15:0] channels_last_i,

  input wire         move_i,
  input wire         load_i,
  input wire         pixel_valid_i,
  input wire [D-1:0] pixel_x_i,
  input wire [D-1:0] pixel_y_i,
  input wire  [15:0] image_i,
  input wire         step_i,
  input wire [D-1:0] tap_u_i,
  input wire [D-1:0] tap_v_i,
  input wire  [15:0] channel_i,

  output wire         load_o,
  output wire         pixel_valid_o,
  output wire [A-1:0] pixel_address_o,
  output wire   [D:0] pixel_x_o,
  output wire   [D:0] pixel_y_o,
  output wire         step_o,
  output wire [A-1:0] tap_address_o,
  output wire   [D:0] tap_x_o,
  output wire   [D:0] tap_y_o
);

  reg [A-1:0] plane_q;  // Elements of a plane
  reg [A-1:0] planes_q;  // Of all planes but one
  reg [A-1:0] volume_q;  // Of an image

  reg [1:0] load_q;
  reg [1:0] step_q;
  reg [1:0] valid_q;
  reg [D:0] strided_x_q;
  reg [D:0] strided_y_q;
  reg [A-1:0] image_q;
  reg [D:0] dilated_x_q;
  reg [D:0] dilated_y_q;
  reg [A-1:0] channel_q;
  reg [D:0] pixel_x_q;
  reg [D:0] pixel_y_q;
  reg [A-1:0] pixel_address_q;
  reg [D:0] tap_x_q;
  reg [D:0] tap_y_q;
  reg [A-1:0] tap_address_q;

  wire [A-1:0] image;
  wire [A-1:0] channel;
  wire [A-1:0] channels_last;

  generate
    if (A > 16) begin : gen_wide
      assign image = {{(A - 16) {1'b0}}, image_i};
      assign channel = {{(A - 16) {1'b0}}, channel_i};
      assign channels_last = {{(A - 16) {1'b0}}, channels_last_i};
    end else begin : gen_narrow
      assign image = image_i;
      assign channel = channel_i;
      assign channels_last = channels_last_i;
    end
  endgenerate

  assign load_o = load_q[1];
  assign pixel_valid_o = valid_q[1];
  assign pixel_address_o = pixel_address_q;
  assign pixel_x_o = pixel_x_q;
  assign pixel_y_o = pixel_y_q;
  assign step_o = step_q[1];
  assign tap_address_o = tap_address_q;
  assign tap_x_o = tap_x_q;
  assign tap_y_o = tap_y_q;

  always @(posedge clk) begin
    plane_q <= {{(A - D) {1'b0}}, width_i} * {{(A - D) {1'b0}}, height_i};
    planes_q <= plane_q * channels_last;
    volume_q <= planes_q + plane_q;
  end

  always @(posedge clk) begin
    if (!rst_n) begin
      load_q <= 2'd0;
      step_q <= 2'd0;
    end else if (move_i) begin
      load_q <= {load_q[0], load_i};
      step_q <= {step_q[0], step_i};
    end
  end

  always @(posedge clk) begin
    if (move_i) begin
      valid_q <= {valid_q[0], pixel_valid_i};
      strided_x_q <= {1'b0, pixel_x_i} * {1'b0, stride_x_i};
      strided_y_q <= {1'b0, pixel_y_i} * {1'b0, stride_y_i};
      image_q <= image * volume_q;
      dilated_x_q <= {1'b0, tap_u_i} * {1'b0, dilation_x_i};
      dilated_y_q <= {1'b0, tap_v_i} * {1'b0, dilation_y_i};
      channel_q <= channel * plane_q;
      pixel_x_q <= strided_x_q + first_x_i;
      pixel_y_q <= strided_y_q + first_y_i;
      pixel_address_q <= image_q + first_address_i;
      tap_x_q <= dilated_x_q;
      tap_y_q <= dilated_y_q;
      tap_address_q <= channel_q;
    end
  end

endmodule

`default_nettype wire
