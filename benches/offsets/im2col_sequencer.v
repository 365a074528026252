// The loops of im2col: for each tile of Rows output pixels one load slot for each row, then all taps
// for each column tile. Slots follow each other without a gap while move_i is high.
//
// Pixels run along the columns of the output first, then its rows, then the images; taps along the
// columns of the filter first, then its rows, then the channels.

`default_nettype none

module im2col_sequencer #(
  parameter integer Rows = 8,
  parameter integer D = 10,  // bits of a size of a plane or filter
  parameter integer Index = 0  // the numbers of pixel and tap are used
) (
  input wire clk,
  input wire rst_n,

  input wire [D-1:0] out_width_last_i,  // all: count - 1
  input wire [D-1:0] out_height_last_i,
  input wire  [15:0] images_last_i,
  input wire [D-1:0] filter_width_last_i,
  input wire [D-1:0] filter_height_last_i,
  input wire  [15:0] channels_last_i,
  input wire  [15:0] tiles_last_i,

  input  wire start_i,
  input  wire move_i,
  output wire idle_o,

  output wire         load_o,  // load slot: a row takes a pixel
  output wire         pixel_valid_o,  // there is one left
  output wire         pixel_x_end_o,
  output wire         pixel_y_end_o,
  output wire [D-1:0] pixel_x_o,
  output wire [D-1:0] pixel_y_o,
  output wire  [15:0] image_o,

  output wire         step_o,  // a tap for all rows
  output wire         tap_u_end_o,
  output wire         tap_v_end_o,
  output wire         tap_end_o,  // last tap of a pass
  output wire         first_o,  // first tap of a pass
  output wire         tile_first_o,  // first tap of a tile of rows
  output wire [D-1:0] tap_u_o,
  output wire [D-1:0] tap_v_o,
  output wire  [15:0] channel_o
);

  localparam integer RowBits = Rows < 2 ? 1 : $clog2(Rows);
  localparam integer RowLast = Rows - 1;

  reg load_q;
  reg step_q;
  reg more_q;
  reg first_q;
  reg tile_first_q;

  wire rows_end;
  wire image_end;
  wire channel_end;
  wire tiles_end;
  wire load;
  wire step;
  wire [RowBits-1:0] unused_row;
  wire [15:0] unused_tile;

  assign idle_o = !load_q & !step_q;
  assign load_o = load_q;
  assign step_o = step_q;
  assign pixel_valid_o = more_q;
  assign first_o = first_q;
  assign tile_first_o = tile_first_q;
  assign tap_end_o = tap_u_end_o & tap_v_end_o & channel_end;
  assign load = load_q & move_i;
  assign step = step_q & move_i;

  im2col_count #(
    .W(RowBits)
  ) u_row (
    .clk    (clk),
    .clear_i(idle_o),
    .step_i (load),
    .last_i (RowLast[RowBits-1:0]),
    .index_o(unused_row),
    .end_o  (rows_end)
  );

  im2col_count #(
    .W    (D),
    .Index(Index)
  ) u_pixel_x (
    .clk    (clk),
    .clear_i(idle_o),
    .step_i (load),
    .last_i (out_width_last_i),
    .index_o(pixel_x_o),
    .end_o  (pixel_x_end_o)
  );

  im2col_count #(
    .W    (D),
    .Index(Index)
  ) u_pixel_y (
    .clk    (clk),
    .clear_i(idle_o),
    .step_i (load & pixel_x_end_o),
    .last_i (out_height_last_i),
    .index_o(pixel_y_o),
    .end_o  (pixel_y_end_o)
  );

  im2col_count #(
    .W    (16),
    .Index(Index)
  ) u_image (
    .clk    (clk),
    .clear_i(idle_o),
    .step_i (load & pixel_x_end_o & pixel_y_end_o),
    .last_i (images_last_i),
    .index_o(image_o),
    .end_o  (image_end)
  );

  im2col_count #(
    .W    (D),
    .Index(Index)
  ) u_tap_u (
    .clk    (clk),
    .clear_i(idle_o),
    .step_i (step),
    .last_i (filter_width_last_i),
    .index_o(tap_u_o),
    .end_o  (tap_u_end_o)
  );

  im2col_count #(
    .W    (D),
    .Index(Index)
  ) u_tap_v (
    .clk    (clk),
    .clear_i(idle_o),
    .step_i (step & tap_u_end_o),
    .last_i (filter_height_last_i),
    .index_o(tap_v_o),
    .end_o  (tap_v_end_o)
  );

  im2col_count #(
    .W    (16),
    .Index(Index)
  ) u_channel (
    .clk    (clk),
    .clear_i(idle_o),
    .step_i (step & tap_u_end_o & tap_v_end_o),
    .last_i (channels_last_i),
    .index_o(channel_o),
    .end_o  (channel_end)
  );

  im2col_count #(
    .W(16)
  ) u_tile (
    .clk    (clk),
    .clear_i(idle_o),
    .step_i (step & tap_end_o),
    .last_i (tiles_last_i),
    .index_o(unused_tile),
    .end_o  (tiles_end)
  );

  always @(posedge clk) begin
    if (!rst_n) begin
      load_q <= 1'b0;
      step_q <= 1'b0;
    end else if (idle_o) begin
      load_q <= start_i;
    end else if (load & rows_end) begin
      load_q <= 1'b0;
      step_q <= 1'b1;
    end else if (step & tap_end_o & tiles_end) begin
      load_q <= more_q;
      step_q <= 1'b0;
    end
  end

  // Pixels are left
  always @(posedge clk) begin
    if (idle_o) more_q <= 1'b1;
    else if (load & pixel_x_end_o & pixel_y_end_o & image_end) more_q <= 1'b0;
  end

  always @(posedge clk) begin
    if (load) begin
      first_q <= 1'b1;
      tile_first_q <= 1'b1;
    end else if (step) begin
      first_q <= tap_end_o;
      tile_first_q <= 1'b0;
    end
  end

endmodule

`default_nettype wire
