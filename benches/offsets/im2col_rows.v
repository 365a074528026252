// Rows of im2col. A row holds the position of its output pixel's first tap, adds the distance of the
// tap to it, and reads if the position lies in the image.
//   Multiply 0  it holds the address of that first tap too, and adds the distance of the tap
//   Multiply 1  it holds the address of the image, and forms image + plane + y * width + x
//
// Load slots shift the pixels down the rows: the first of Rows slots ends in row 0. A step leaves
// two clocks later, with Multiply three, with one addition or multiplication between two registers.

`default_nettype none

module im2col_rows #(
  parameter integer Rows = 8,
  parameter integer A = 16,
  parameter integer D = 10,
  parameter integer Multiply = 0
) (
  input wire clk,

  input wire move_i,
  input wire load_i,

  input wire         pixel_valid_i,
  input wire [A-1:0] pixel_address_i,  // Multiply: of the image
  input wire   [D:0] pixel_x_i,  // signed: the padding lies at negative positions
  input wire   [D:0] pixel_y_i,

  input wire         step_i,
  input wire [A-1:0] tap_address_i,  // Multiply: of the channel's plane
  input wire   [D:0] tap_x_i,
  input wire   [D:0] tap_y_i,

  input wire [D-1:0] width_i,
  input wire [D-1:0] height_i,

  output wire [Rows-1:0] row_ren_o,
  output wire [Rows*A-1:0] row_addr_o
);

  reg [Rows-1:0] valid_q;
  reg [A*Rows-1:0] address_q;
  reg [(D+1)*Rows-1:0] x_q;
  reg [(D+1)*Rows-1:0] y_q;

  wire [A-1:0] tap_address;

  genvar row;

  always @(posedge clk) begin
    if (move_i & load_i) begin
      valid_q <= {pixel_valid_i, valid_q[Rows-1:1]};
      address_q <= {pixel_address_i, address_q[A*Rows-1:A]};
      x_q <= {pixel_x_i, x_q[(D+1)*Rows-1:D+1]};
      y_q <= {pixel_y_i, y_q[(D+1)*Rows-1:D+1]};
    end
  end

  generate
    if (Multiply != 0) begin : gen_plane
      assign tap_address = tap_address_i;
    end else begin : gen_distance
      // The addresses are added a clock after the positions; a row shifts a clock later still.
      reg [A-1:0] tap_address_q;

      assign tap_address = tap_address_q;
      always @(posedge clk) begin
        if (move_i) tap_address_q <= tap_address_i;
      end
    end

    for (row = 0; row < Rows; row = row + 1) begin : gen_row
      reg step_q;
      reg [D:0] tap_x_q;
      reg [D:0] tap_y_q;
      reg ren_q;
      reg [A-1:0] addr_q;

      wire [D+1:0] beyond_x;  // negative inside: the distance from the first place outside
      wire [D+1:0] beyond_y;
      wire in_image;

      assign beyond_x = {1'b0, tap_x_q} - {2'b00, width_i};
      assign beyond_y = {1'b0, tap_y_q} - {2'b00, height_i};
      assign in_image = step_q & beyond_x[D+1] & beyond_y[D+1];
      assign row_ren_o[row] = ren_q;
      assign row_addr_o[A*row+:A] = addr_q;

      // A negative position is a large one without its sign.
      always @(posedge clk) begin
        if (move_i) begin
          step_q <= step_i & valid_q[row];
          tap_x_q <= x_q[(D+1)*row+:D+1] + tap_x_i;
          tap_y_q <= y_q[(D+1)*row+:D+1] + tap_y_i;
        end
      end

      if (Multiply != 0) begin : gen_multiply
        reg [A-1:0] plane_q;
        reg inside_q;
        reg [A-1:0] column_q;
        reg [A-1:0] line_q;

        // Only reads have an address.
        always @(posedge clk) begin
          if (move_i) begin
            plane_q <= address_q[A*row+:A] + tap_address;
            inside_q <= in_image;
            column_q <= plane_q + {{(A - D) {1'b0}}, tap_x_q[D-1:0]};
            line_q <= {{(A - D) {1'b0}}, tap_y_q[D-1:0]} * {{(A - D) {1'b0}}, width_i};
            ren_q <= inside_q;
            addr_q <= column_q + line_q;
          end
        end
      end else begin : gen_add
        always @(posedge clk) begin
          if (move_i) begin
            ren_q <= in_image;
            addr_q <= address_q[A*row+:A] + tap_address;
          end
        end
      end
    end
  endgenerate

endmodule

`default_nettype wire
