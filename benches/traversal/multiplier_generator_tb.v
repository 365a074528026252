// Checks multiplier_unit, and with it multiplier_generator, against nested loops: random trips,
// strides and bases, every address with its row and its flags, under random ready_i.

`timescale 1ns / 1ns
`default_nettype none

module multiplier_generator_tb;
  parameter integer Rows = 3;
  parameter integer Loops = 4;
  parameter integer W = 24;
  parameter integer Runs = 40;

  reg clk = 1'b0;
  reg rst_n = 1'b0;
  reg cfg_valid_i = 1'b0;
  reg [1:0] cfg_sel_i = 2'd0;
  reg [2:0] cfg_row_i = 3'd0;
  reg [2:0] cfg_col_i = 3'd0;
  reg [W-1:0] cfg_data_i = {W{1'b0}};
  reg start_i = 1'b0;
  reg ready_i = 1'b0;
  wire valid_o;
  wire [W-1:0] addr_o;
  wire [2:0] row_o;
  wire last_o;
  wire end_o;
  wire busy_o;

  reg [W-1:0] base[0:Rows-1];
  reg [W-1:0] stride[0:Rows*Loops-1];
  reg [W-1:0] index[0:Loops-1];
  integer trips[0:Rows*Loops-1];
  integer rows, row, col, run, left, waited, stalls, addresses, errors;
  integer seed = 1;
  reg always_ready;
  reg [W-1:0] expected;

  multiplier_unit #(
    .Rows (Rows),
    .Loops(Loops),
    .W    (W)
  ) dut (
    .clk        (clk),
    .rst_n      (rst_n),
    .cfg_valid_i(cfg_valid_i),
    .cfg_sel_i  (cfg_sel_i),
    .cfg_row_i  (cfg_row_i),
    .cfg_col_i  (cfg_col_i),
    .cfg_data_i (cfg_data_i),
    .start_i    (start_i),
    .valid_o    (valid_o),
    .ready_i    (ready_i),
    .addr_o     (addr_o),
    .row_o      (row_o),
    .last_o     (last_o),
    .end_o      (end_o),
    .busy_o     (busy_o)
  );

  always #5 clk = !clk;

  task write(input [1:0] sel, input integer at_row, input integer at_col, input [W-1:0] value);
    begin
      cfg_valid_i = 1'b1;
      cfg_sel_i = sel;
      cfg_row_i = at_row;
      cfg_col_i = at_col;
      cfg_data_i = value;
      @(negedge clk) cfg_valid_i = 1'b0;
    end
  endtask

  task check(input ok);
    begin
      if (!ok) begin
        errors = errors + 1;
        $display("run %0d, row %0d, %0d left: address %h, expected %h; row_o %0d, last_o %b, end_o %b",
          run, row, left, addr_o, expected, row_o, last_o, end_o);
      end
    end
  endtask

  // Takes one address; with always_ready only the first of a run may need to be waited for.
  task take;
    begin
      waited = 0;
      ready_i = always_ready | ($random(seed) & 1);
      while (!(valid_o & ready_i) && waited < 100) begin
        waited = waited + 1;
        if (valid_o) stalls = stalls + 1;
        @(negedge clk) ready_i = always_ready | ($random(seed) & 1);
      end
      check(valid_o & busy_o & addr_o == expected & row_o == row);
      check(last_o == (left == 1) & end_o == (left == 1 && row == rows - 1));
      check(!always_ready || waited == 0 || addresses == 0);
      addresses = addresses + 1;
      @(negedge clk) ready_i = 1'b0;
    end
  endtask

  initial begin
    errors = 0;
    stalls = 0;
    repeat (2) @(negedge clk);
    rst_n = 1'b1;
    for (run = 0; run < Runs && errors == 0; run = run + 1) begin
      rows = 1 + $unsigned($random(seed)) % Rows;
      always_ready = $random(seed);
      addresses = 0;
      for (row = 0; row < rows; row = row + 1) begin
        base[row] = $random(seed);
        write(2'd2, row, 0, base[row]);
        for (col = 0; col < Loops; col = col + 1) begin
          trips[Loops*row+col] = 1 + $unsigned($random(seed)) % (col < 4 ? 4 : 2);
          stride[Loops*row+col] = $random(seed);
          write(2'd0, row, col, trips[Loops*row+col] - 1);
          write(2'd1, row, col, stride[Loops*row+col]);
        end
      end
      write(2'd3, 0, 0, rows - 1);
      start_i = 1'b1;
      @(negedge clk) start_i = 1'b0;
      for (row = 0; row < rows && errors == 0; row = row + 1) begin
        left = 1;
        for (col = 0; col < Loops; col = col + 1) begin
          left = left * trips[Loops*row+col];
          index[col] = 0;
        end
        while (left > 0 && errors == 0) begin
          expected = base[row];
          for (col = 0; col < Loops; col = col + 1)
            expected = expected + index[col] * stride[Loops*row+col];
          take;
          left = left - 1;
          col = 0;
          while (col < Loops && index[col] == trips[Loops*row+col] - 1) begin
            index[col] = 0;
            col = col + 1;
          end
          if (col < Loops) index[col] = index[col] + 1;
        end
      end
      repeat (8) @(negedge clk) check(errors != 0 || !(valid_o | busy_o));
    end
    if (errors == 0 && stalls > 0) $display("PASS");
    else $display("FAIL: %0d errors, %0d stalls", errors, stalls);
    $finish;
  end
endmodule

`default_nettype wire
