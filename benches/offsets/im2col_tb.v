// Checks im2col against nested loops: random shapes, strides, dilations, padding, channels, images
// and column tiles; every tap of every row, its flags and its weight pointer, under random ready_i.
// Runs without stalls must take the promised clocks.

`timescale 1ns / 1ns
`default_nettype none

module im2col_tb;
  parameter integer Rows = 8;
  parameter integer A = 16;
  parameter integer D = 10;
  parameter integer Multiply = 0;
  parameter integer Runs = 60;

  localparam integer Latency = Multiply != 0 ? 6 : 3;  // from start to the first slot on a row

  reg clk = 1'b0;
  reg rst_n = 1'b0;
  reg cfg_valid_i = 1'b0;
  reg [4:0] cfg_index_i = 5'd0;
  reg [A-1:0] cfg_data_i = {A{1'b0}};
  reg start_i = 1'b0;
  reg ready_i = 1'b0;
  wire busy_o;
  wire row_valid_o;
  wire [Rows-1:0] row_ren_o;
  wire [Rows*A-1:0] row_addr_o;
  wire row_first_o;
  wire row_last_o;
  wire [15:0] b_addr_o;

  integer seed = 1;
  integer width, height, channels, filter_width, filter_height, out_width, out_height, images;
  integer stride_x, stride_y, dilation_x, dilation_y, left, right, top, bottom, tiles;
  integer origin, weight_origin, pixels, taps;
  integer run, first, tile, tap, row, pixel, image, x, y, c, u, v;
  integer errors, stalls, padded, idle_rows, clocks, waited, steps;
  reg always_ready;
  reg inside;
  reg [A-1:0] expected;

  im2col #(
    .Rows    (Rows),
    .A       (A),
    .D       (D),
    .Multiply(Multiply)
  ) dut (
    .clk        (clk),
    .rst_n      (rst_n),
    .cfg_valid_i(cfg_valid_i),
    .cfg_index_i(cfg_index_i),
    .cfg_data_i (cfg_data_i),
    .start_i    (start_i),
    .busy_o     (busy_o),
    .ready_i    (ready_i),
    .row_valid_o(row_valid_o),
    .row_ren_o  (row_ren_o),
    .row_addr_o (row_addr_o),
    .row_first_o(row_first_o),
    .row_last_o (row_last_o),
    .b_addr_o   (b_addr_o)
  );

  always #5 clk = !clk;
  always @(posedge clk) clocks = clocks + 1;

  function integer pick(input integer low, input integer high);
    pick = low + $unsigned($random(seed)) % (high - low + 1);
  endfunction

  task write(input [4:0] index, input integer value);
    begin
      cfg_valid_i = 1'b1;
      cfg_index_i = index;
      cfg_data_i = value;
      @(negedge clk) cfg_valid_i = 1'b0;
    end
  endtask

  task check(input ok);
    begin
      if (ok !== 1'b1) begin
        errors = errors + 1;
        $display("run %0d, pixel %0d, tile %0d, tap %0d, row %0d: ren %b, addr %h, expected %b, %h",
          run, first + row, tile, tap, row, row_ren_o[row], row_addr_o[A*row+:A], inside, expected);
        $display("  first %b, last %b, weight %0d, valid %b, busy %b, %0d clocks", row_first_o,
          row_last_o, b_addr_o, row_valid_o, busy_o, clocks);
      end
    end
  endtask

  task choose;
    begin
      width = pick(1, 9);
      height = pick(1, 9);
      filter_width = pick(1, 3);
      filter_height = pick(1, 4);
      dilation_x = pick(1, 2);
      dilation_y = pick(1, 3);
      stride_x = pick(1, 3);
      stride_y = pick(1, 2);
      left = pick(0, 2);
      right = pick(0, 2);
      top = pick(0, 2);
      bottom = pick(0, 1);
      // A plane that the filter fits in
      while (width + left + right < dilation_x * (filter_width - 1) + 1) width = width + 1;
      while (height + top + bottom < dilation_y * (filter_height - 1) + 1) height = height + 1;
      channels = pick(1, 4);
      images = pick(1, 3);
      tiles = pick(1, 3);
      origin = pick(0, 65535);
      weight_origin = pick(0, 65535);
      out_width = (width + left + right - dilation_x * (filter_width - 1) - 1) / stride_x + 1;
      out_height = (height + top + bottom - dilation_y * (filter_height - 1) - 1) / stride_y + 1;
      pixels = images * out_width * out_height;
      taps = channels * filter_width * filter_height;
    end
  endtask

  task write_all;
    begin
      write(5'd0, Multiply != 0 ? origin : origin - top * width - left);
      write(5'd1, -left);
      write(5'd2, -top);
      write(5'd3, width);
      write(5'd4, height);
      write(5'd5, channels - 1);
      write(5'd6, filter_width - 1);
      write(5'd7, filter_height - 1);
      write(5'd8, stride_x);
      write(5'd9, stride_y);
      write(5'd10, dilation_x);
      write(5'd11, dilation_y);
      write(5'd12, out_width - 1);
      write(5'd13, out_height - 1);
      write(5'd14, images - 1);
      write(5'd15, tiles - 1);
      write(5'd16, weight_origin);
      write(5'd17, stride_y * width - (out_width - 1) * stride_x);
      write(5'd18, channels * height * width - (out_height - 1) * stride_y * width
        - (out_width - 1) * stride_x);
      write(5'd19, dilation_y * width - (filter_width - 1) * dilation_x);
      write(5'd20, height * width - (filter_height - 1) * dilation_y * width
        - (filter_width - 1) * dilation_x);
    end
  endtask

  // Waits for the next slot and checks all rows of it.
  task take;
    begin
      waited = 0;
      ready_i = always_ready | ($random(seed) & 1);
      while (!(row_valid_o & ready_i) && waited < 200) begin
        waited = waited + 1;
        if (row_valid_o) stalls = stalls + 1;
        @(negedge clk) ready_i = always_ready | ($random(seed) & 1);
      end
      row = 0;
      inside = 1'b0;
      expected = 0;
      check(row_valid_o & busy_o);
      check(row_first_o == (tap == 0) & row_last_o == (tap == taps - 1));
      check(b_addr_o == ((weight_origin + tile * taps + tap) & 16'hffff));
      c = tap / (filter_width * filter_height);
      v = tap / filter_width % filter_height;
      u = tap % filter_width;
      for (row = 0; row < Rows; row = row + 1) begin
        pixel = first + row;
        image = pixel / (out_width * out_height);
        y = pixel / out_width % out_height * stride_y + v * dilation_y - top;
        x = pixel % out_width * stride_x + u * dilation_x - left;
        inside = pixel < pixels && x >= 0 && x < width && y >= 0 && y < height;
        expected = origin + ((image * channels + c) * height + y) * width + x;
        if (pixel >= pixels) idle_rows = idle_rows + 1;
        else if (!inside) padded = padded + 1;
        check(row_ren_o[row] === inside);
        check(!inside || row_addr_o[A*row+:A] === expected);
      end
      row = 0;
      steps = steps + 1;
      @(negedge clk) ready_i = 1'b0;
    end
  endtask

  initial begin
    errors = 0;
    stalls = 0;
    padded = 0;
    idle_rows = 0;
    steps = 0;
    repeat (2) @(negedge clk);
    rst_n = 1'b1;
    for (run = 0; run < Runs && errors == 0; run = run + 1) begin
      choose;
      write_all;
      always_ready = $random(seed);
      start_i = 1'b1;
      clocks = 0;
      ready_i = always_ready;
      @(negedge clk) start_i = 1'b0;
      for (first = 0; first < pixels && errors == 0; first = first + Rows) begin
        for (tile = 0; tile < tiles && errors == 0; tile = tile + 1) begin
          for (tap = 0; tap < taps && errors == 0; tap = tap + 1) take;
        end
      end
      check(!always_ready || errors != 0
        || clocks == (pixels + Rows - 1) / Rows * (Rows + tiles * taps) + Latency);
      repeat (8) @(negedge clk) check(errors != 0 || !(row_valid_o | busy_o));
    end
    if (errors == 0 && stalls > 0 && padded > 0 && idle_rows > 0) $display("PASS");
    else $display("FAIL: %0d errors, %0d stalls, %0d padded, %0d idle, %0d steps", errors, stalls,
      padded, idle_rows, steps);
    $finish;
  end
endmodule

`default_nettype wire
