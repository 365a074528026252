// Address generator of an implicit im2col: the peer of the offset unit. For a convolution in the
// layout NCHW, one byte an element, it gives in each clock the addresses of one filter tap for Rows
// output pixels, and keeps taps in the padding from being read. Shape, strides, dilations and
// padding are registers.
//
//   Multiply 1  the address is computed for each tap: image + channel * height * width +
//               y * width + x
//   Multiply 0  pixels and taps walk by additions, each row adds the two; the steps of the walk
//               have been multiplied by whoever writes the registers
//
// Order of the work, load slots and passes are those of an output stationary run of the offset
// unit: for each tile of Rows pixels Rows load slots, then all taps for each column tile. Slots
// follow each other without a gap while ready_i is high; outputs hold while it is low.
//
// A padded plane is smaller than 2^D in both directions. A is at least 16 and more than D, Rows at
// least 2.

`default_nettype none

module im2col #(
  parameter integer Rows = 8,
  parameter integer A = 16,  // bits of an address
  parameter integer D = 10,  // bits of a size of a plane or filter
  parameter integer Multiply = 0
) (
  input wire clk,
  input wire rst_n,

  input wire         cfg_valid_i,  // writes a register, while not busy
  input wire   [4:0] cfg_index_i,
  input wire [A-1:0] cfg_data_i,

  input  wire              start_i,  // not heard while busy
  output wire              busy_o,
  input  wire              ready_i,
  output wire              row_valid_o,
  output wire   [Rows-1:0] row_ren_o,
  output wire [Rows*A-1:0] row_addr_o,
  output wire              row_first_o,  // first tap of a pass
  output wire              row_last_o,
  output wire       [15:0] b_addr_o
);

  // Registers; those with a count hold it less 1
  localparam [4:0] FirstAddress = 5'd0;
  localparam [4:0] FirstX = 5'd1;
  localparam [4:0] FirstY = 5'd2;
  localparam [4:0] Width = 5'd3;
  localparam [4:0] Height = 5'd4;
  localparam [4:0] ChannelsLast = 5'd5;
  localparam [4:0] FilterWidthLast = 5'd6;
  localparam [4:0] FilterHeightLast = 5'd7;
  localparam [4:0] StrideX = 5'd8;
  localparam [4:0] StrideY = 5'd9;
  localparam [4:0] DilationX = 5'd10;
  localparam [4:0] DilationY = 5'd11;
  localparam [4:0] OutWidthLast = 5'd12;
  localparam [4:0] OutHeightLast = 5'd13;
  localparam [4:0] ImagesLast = 5'd14;
  localparam [4:0] TilesLast = 5'd15;
  localparam [4:0] WeightOrigin = 5'd16;
  // Multiply 0 only
  localparam [4:0] LineStep = 5'd17;
  localparam [4:0] ImageStep = 5'd18;
  localparam [4:0] TapLineStep = 5'd19;
  localparam [4:0] ChannelStep = 5'd20;

  localparam integer Depth = Multiply != 0 ? 5 : 2;  // Clocks from the sequencer to the outputs

  reg [A-1:0] first_address_q;
  reg [D:0] first_x_q;
  reg [D:0] first_y_q;
  reg [D-1:0] width_q;
  reg [D-1:0] height_q;
  reg [15:0] channels_last_q;
  reg [D-1:0] filter_width_last_q;
  reg [D-1:0] filter_height_last_q;
  reg [D-1:0] stride_x_q;
  reg [D-1:0] stride_y_q;
  reg [D-1:0] dilation_x_q;
  reg [D-1:0] dilation_y_q;
  reg [D-1:0] out_width_last_q;
  reg [D-1:0] out_height_last_q;
  reg [15:0] images_last_q;
  reg [15:0] tiles_last_q;
  reg [15:0] weight_origin_q;

  reg [Depth-1:0] valid_q;
  reg [Depth-1:0] first_q;
  reg [Depth-1:0] last_q;
  reg [Depth-2:0] tile_first_q;
  reg [15:0] weight_q;

  wire move;
  wire idle;
  wire load;
  wire pixel_valid;
  wire pixel_x_end;
  wire pixel_y_end;
  wire [D-1:0] pixel_x;
  wire [D-1:0] pixel_y;
  wire [15:0] image;
  wire step;
  wire tap_u_end;
  wire tap_v_end;
  wire tap_end;
  wire first;
  wire tile_first;
  wire [D-1:0] tap_u;
  wire [D-1:0] tap_v;
  wire [15:0] channel;

  assign move = !row_valid_o | ready_i;
  assign busy_o = !idle | (|valid_q);
  assign row_valid_o = valid_q[Depth-1];
  assign row_first_o = first_q[Depth-1];
  assign row_last_o = last_q[Depth-1];
  assign b_addr_o = weight_q;

  im2col_sequencer #(
    .Rows (Rows),
    .D    (D),
    .Index(Multiply)
  ) u_sequencer (
    .clk                 (clk),
    .rst_n               (rst_n),
    .out_width_last_i    (out_width_last_q),
    .out_height_last_i   (out_height_last_q),
    .images_last_i       (images_last_q),
    .filter_width_last_i (filter_width_last_q),
    .filter_height_last_i(filter_height_last_q),
    .channels_last_i     (channels_last_q),
    .tiles_last_i        (tiles_last_q),
    .start_i             (start_i & !busy_o),
    .move_i              (move),
    .idle_o              (idle),
    .load_o              (load),
    .pixel_valid_o       (pixel_valid),
    .pixel_x_end_o       (pixel_x_end),
    .pixel_y_end_o       (pixel_y_end),
    .pixel_x_o           (pixel_x),
    .pixel_y_o           (pixel_y),
    .image_o             (image),
    .step_o              (step),
    .tap_u_end_o         (tap_u_end),
    .tap_v_end_o         (tap_v_end),
    .tap_end_o           (tap_end),
    .first_o             (first),
    .tile_first_o        (tile_first),
    .tap_u_o             (tap_u),
    .tap_v_o             (tap_v),
    .channel_o           (channel)
  );

  generate
    if (Multiply != 0) begin : gen_multiply
      wire load_late;
      wire pixel_valid_late;
      wire [A-1:0] pixel_address;
      wire [D:0] first_x;
      wire [D:0] first_y;
      wire step_late;
      wire [A-1:0] tap_address;
      wire [D:0] tap_x;
      wire [D:0] tap_y;
      wire unused_ends;

      assign unused_ends = pixel_x_end ^ pixel_y_end ^ tap_u_end ^ tap_v_end;

      im2col_multiply_head #(
        .A(A),
        .D(D)
      ) u_head (
        .clk            (clk),
        .rst_n          (rst_n),
        .first_address_i(first_address_q),
        .first_x_i      (first_x_q),
        .first_y_i      (first_y_q),
        .stride_x_i     (stride_x_q),
        .stride_y_i     (stride_y_q),
        .dilation_x_i   (dilation_x_q),
        .dilation_y_i   (dilation_y_q),
        .width_i        (width_q),
        .height_i       (height_q),
        .channels_last_i(channels_last_q),
        .move_i         (move),
        .load_i         (load),
        .pixel_valid_i  (pixel_valid),
        .pixel_x_i      (pixel_x),
        .pixel_y_i      (pixel_y),
        .image_i        (image),
        .step_i         (step),
        .tap_u_i        (tap_u),
        .tap_v_i        (tap_v),
        .channel_i      (channel),
        .load_o         (load_late),
        .pixel_valid_o  (pixel_valid_late),
        .pixel_address_o(pixel_address),
        .pixel_x_o      (first_x),
        .pixel_y_o      (first_y),
        .step_o         (step_late),
        .tap_address_o  (tap_address),
        .tap_x_o        (tap_x),
        .tap_y_o        (tap_y)
      );

      im2col_rows #(
        .Rows    (Rows),
        .A       (A),
        .D       (D),
        .Multiply(1)
      ) u_rows (
        .clk            (clk),
        .move_i         (move),
        .load_i         (load_late),
        .pixel_valid_i  (pixel_valid_late),
        .pixel_address_i(pixel_address),
        .pixel_x_i      (first_x),
        .pixel_y_i      (first_y),
        .step_i         (step_late),
        .tap_address_i  (tap_address),
        .tap_x_i        (tap_x),
        .tap_y_i        (tap_y),
        .width_i        (width_q),
        .height_i       (height_q),
        .row_ren_o      (row_ren_o),
        .row_addr_o     (row_addr_o)
      );
    end else begin : gen_add
      reg [A-1:0] line_step_q;
      reg [A-1:0] image_step_q;
      reg [A-1:0] tap_line_step_q;
      reg [A-1:0] channel_step_q;

      wire [A-1:0] pixel_address;
      wire [D:0] first_x;
      wire [D:0] first_y;
      wire [A-1:0] tap_address;
      wire [D:0] tap_x;
      wire [D:0] tap_y;
      wire unused_numbers;

      assign unused_numbers = ^{pixel_x, pixel_y, image, tap_u, tap_v, channel};

      always @(posedge clk) begin
        if (cfg_valid_i & (cfg_index_i == LineStep)) line_step_q <= cfg_data_i;
        if (cfg_valid_i & (cfg_index_i == ImageStep)) image_step_q <= cfg_data_i;
        if (cfg_valid_i & (cfg_index_i == TapLineStep)) tap_line_step_q <= cfg_data_i;
        if (cfg_valid_i & (cfg_index_i == ChannelStep)) channel_step_q <= cfg_data_i;
      end

      im2col_add_head #(
        .A(A),
        .D(D)
      ) u_head (
        .clk            (clk),
        .first_address_i(first_address_q),
        .first_x_i      (first_x_q),
        .first_y_i      (first_y_q),
        .stride_x_i     (stride_x_q),
        .stride_y_i     (stride_y_q),
        .dilation_x_i   (dilation_x_q),
        .dilation_y_i   (dilation_y_q),
        .line_step_i    (line_step_q),
        .image_step_i   (image_step_q),
        .tap_line_step_i(tap_line_step_q),
        .channel_step_i (channel_step_q),
        .idle_i         (idle),
        .move_i         (move),
        .load_i         (load),
        .pixel_x_end_i  (pixel_x_end),
        .pixel_y_end_i  (pixel_y_end),
        .step_i         (step),
        .tap_u_end_i    (tap_u_end),
        .tap_v_end_i    (tap_v_end),
        .tap_end_i      (tap_end),
        .pixel_address_o(pixel_address),
        .pixel_x_o      (first_x),
        .pixel_y_o      (first_y),
        .tap_address_o  (tap_address),
        .tap_x_o        (tap_x),
        .tap_y_o        (tap_y)
      );

      im2col_rows #(
        .Rows    (Rows),
        .A       (A),
        .D       (D),
        .Multiply(0)
      ) u_rows (
        .clk            (clk),
        .move_i         (move),
        .load_i         (load),
        .pixel_valid_i  (pixel_valid),
        .pixel_address_i(pixel_address),
        .pixel_x_i      (first_x),
        .pixel_y_i      (first_y),
        .step_i         (step),
        .tap_address_i  (tap_address),
        .tap_x_i        (tap_x),
        .tap_y_i        (tap_y),
        .width_i        (width_q),
        .height_i       (height_q),
        .row_ren_o      (row_ren_o),
        .row_addr_o     (row_addr_o)
      );
    end
  endgenerate

  always @(posedge clk) begin
    if (!rst_n) valid_q <= {Depth{1'b0}};
    else if (move) valid_q <= {valid_q[Depth-2:0], step};
  end

  always @(posedge clk) begin
    if (move) begin
      first_q <= {first_q[Depth-2:0], first};
      last_q <= {last_q[Depth-2:0], tap_end};
    end
  end

  // The weight pointer goes back for each tile of rows.
  always @(posedge clk) begin
    if (move & valid_q[Depth-2]) begin
      weight_q <= tile_first_q[Depth-2] ? weight_origin_q : weight_q + 16'd1;
    end
  end

  generate
    if (Depth > 2) begin : gen_deep
      always @(posedge clk) begin
        if (move) tile_first_q <= {tile_first_q[Depth-3:0], tile_first};
      end
    end else begin : gen_flat
      always @(posedge clk) begin
        if (move) tile_first_q <= tile_first;
      end
    end
  endgenerate

  always @(posedge clk) begin
    if (cfg_valid_i) begin
      case (cfg_index_i)
        FirstAddress: first_address_q <= cfg_data_i;
        FirstX: first_x_q <= cfg_data_i[D:0];
        FirstY: first_y_q <= cfg_data_i[D:0];
        Width: width_q <= cfg_data_i[D-1:0];
        Height: height_q <= cfg_data_i[D-1:0];
        ChannelsLast: channels_last_q <= cfg_data_i[15:0];
        FilterWidthLast: filter_width_last_q <= cfg_data_i[D-1:0];
        FilterHeightLast: filter_height_last_q <= cfg_data_i[D-1:0];
        StrideX: stride_x_q <= cfg_data_i[D-1:0];
        StrideY: stride_y_q <= cfg_data_i[D-1:0];
        DilationX: dilation_x_q <= cfg_data_i[D-1:0];
        DilationY: dilation_y_q <= cfg_data_i[D-1:0];
        OutWidthLast: out_width_last_q <= cfg_data_i[D-1:0];
        OutHeightLast: out_height_last_q <= cfg_data_i[D-1:0];
        ImagesLast: images_last_q <= cfg_data_i[15:0];
        TilesLast: tiles_last_q <= cfg_data_i[15:0];
        WeightOrigin: weight_origin_q <= cfg_data_i[15:0];
        default: ;
      endcase
    end
  end

endmodule

`default_nettype wire
