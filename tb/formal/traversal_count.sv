// A traversal of known trip counts emits exactly their products: row 0 has 2 times 3 iterations, row
// 1 has 2 times 2. Written once after reset, it is started again and again; pauses and stalls are
// free.

`default_nettype none

module traversal_count (
  input wire clk,
  input wire rst_n,
  input wire start_i,
  input wire pause_i,
  input wire ready_i
);

  // V, X, Y of each loop, then the base of each row
  reg [3:0] word = 4'd0;
  reg was_reset = 1'b0;
  wire writes = rst_n & was_reset & word < 4'd15;
  reg [1:0] sel;
  reg [2:0] row, col;
  reg [31:0] data;
  always @* begin
    {sel, row, col, data} = {2'd3, 3'd0, 3'd0, 32'd1000};
    case (word)
      4'd1: {sel, row, col, data} = {2'd0, 3'd0, 3'd0, 32'd5};
      4'd2: {sel, row, col, data} = {2'd1, 3'd0, 3'd0, 32'd1};
      4'd3: {sel, row, col, data} = {2'd2, 3'd0, 3'd0, 32'd7};  // 5, 6
      4'd4: {sel, row, col, data} = {2'd0, 3'd0, 3'd1, 32'd0};
      4'd5: {sel, row, col, data} = {2'd1, 3'd0, 3'd1, 32'd4};
      4'd6: {sel, row, col, data} = {2'd2, 3'd0, 3'd1, 32'd9};  // 0, 4, 8
      4'd7: {sel, row, col, data} = {2'd0, 3'd1, 3'd0, 32'd0};
      4'd8: {sel, row, col, data} = {2'd1, 3'd1, 3'd0, 32'd3};
      4'd9: {sel, row, col, data} = {2'd2, 3'd1, 3'd0, 32'd6};  // 0, 3
      4'd10: {sel, row, col, data} = {2'd0, 3'd1, 3'd1, 32'd1};
      4'd11: {sel, row, col, data} = {2'd1, 3'd1, 3'd1, 32'd6};
      4'd12: {sel, row, col, data} = {2'd2, 3'd1, 3'd1, 32'd8};  // 1, 7
      4'd14: {sel, row, col, data} = {2'd3, 3'd1, 3'd0, 32'd0};
      default: ;
    endcase
  end

  wire valid_o, last_o, end_o;
  wire [2:0] row_o;
  traversal_dut u_dut (
    .clk           (clk),
    .rst_n         (rst_n),
    .stop_i        (1'b0),
    .cfg_clear_i   (writes & word == 4'd0),
    .cfg_valid_i   (writes & word != 4'd0),
    .cfg_ready_o   (),
    .cfg_sel_i     (sel),
    .cfg_row_i     (row),
    .cfg_col_i     (col),
    .cfg_data_i    (data),
    .cfg_kind_i    (2'd0),
    .cfg_attached_i(1'b0),
    .cfg_loop_i    (3'd0),
    .cfg_equal_i   (1'b0),
    .cfg_trips_i   (1'b0),
    .cfg_group_i   (1'b0),
    .endless_o     (),
    .alone_i       (1'b0),
    .start_i       (start_i & word == 4'd15),
    .offset_only_i (1'b0),
    .load_o        (),
    .pause_i       (pause_i),
    .able_o        (),
    .valid_o       (valid_o),
    .ready_i       (ready_i),
    .addr_o        (),
    .row_o         (row_o),
    .kind_o        (),
    .final_o       (),
    .last_o        (last_o),
    .end_o         (end_o),
    .busy_o        ()
  );

  reg [3:0] taken = 4'd0;  // addresses of this traversal before the one shown
  always @(posedge clk) begin
    if (!rst_n) was_reset <= 1'b1;
    if (writes) word <= word + 4'd1;
    if (was_reset & valid_o & ready_i) taken <= end_o ? 4'd0 : taken + 4'd1;
  end

  // Reset comes once: the registers keep what was written
  always @* begin
    assume (rst_n == was_reset);
    if (was_reset & valid_o) begin
      count: assert (row_o == (taken >= 4'd6) & last_o == (taken == 4'd5 | taken == 4'd9) &
          end_o == (taken == 4'd9));
    end
  end

endmodule

`default_nettype wire
