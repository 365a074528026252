// What the stand-alone traversal unit owes to any words whatever, seen at its ports: an address only
// behind a whole instruction and inside its window, none after a wrong word, an error that stays.
// The next instruction is sent when all addresses of the one before are taken.

`default_nettype none

module traversal_unit #(
  parameter integer A = 16
) (
  input wire        clk,
  input wire        rst_n,
  input wire        clear_i,
  input wire        pause_i,
  input wire        demand_i,
  input wire        instr_valid_i,
  input wire [31:0] instr_data_i,
  input wire        ready_i
);

  wire demand_ready_o, instr_ready_o, valid_o, final_o, last_o, end_o, busy_o, error_o;
  wire [A-1:0] addr_o;
  wire [2:0] row_o;
  wire [1:0] kind_o;
  wire [7:0] error_code_o, error_word_o;
  traversal_dut u_dut (.*);

  // The instruction read last
  reg was_reset = 1'b0;
  reg [7:0] left = 8'd0;  // words to come
  reg [7:0] place = 8'd0;  // of the word to come, up to 3
  reg any = 1'b0;  // an instruction that starts a traversal was read
  reg ended = 1'b0;  // and all its addresses were taken
  reg windowed = 1'b0;
  reg [31:0] from;
  reg [31:0] to;
  reg before = 1'b0;  // a traversal ended since the last clear
  wire word = was_reset & instr_valid_i & instr_ready_o;
  always @(posedge clk) begin
    if (!rst_n) was_reset <= 1'b1;
    if (word & left == 8'd0) begin
      {left, place} <= {instr_data_i[15:8] - 8'd1, 8'd1};
      windowed <= instr_data_i[26];
      any <= instr_data_i[7:0] == 8'h08 | instr_data_i[7:0] == 8'h0c;
    end else if (word) begin
      {left, place} <= {left - 8'd1, place == 8'd3 ? 8'd3 : place + 8'd1};
      if (place == 8'd1) from <= instr_data_i;
      if (place == 8'd2) to <= instr_data_i;
    end
    if (clear_i) {left, any} <= 9'd0;
    ended <= !word & !clear_i & was_reset & (ended | valid_o & ready_i & end_o);
    before <= !clear_i & was_reset & (before | ended);
  end

  wire [31:0] address = {{32 - A{1'b0}}, addr_o};
  always @* begin
    assume (rst_n == was_reset);
    if (word & left == 8'd0) assume (!any | ended | error_o);
    if (was_reset) begin
      if (valid_o) begin
        unit_whole: assert (any & left == 8'd0);
        unit_shown: assert (!error_o | error_code_o == 8'd4);
      end
      if (valid_o & windowed) unit_window: assert (address >= from & address < to);
      if (error_o) begin
        unit_refuses: assert (!instr_ready_o);
        unit_code: assert (error_code_o >= 8'd1 & error_code_o <= 8'd4 |
            error_code_o >= 8'd8 & error_code_o <= 8'd10);
      end
    end
  end
  always @(posedge clk) begin
    if (was_reset) begin
      if ($past(was_reset & error_o & !clear_i)) begin
        unit_sticky: assert (error_o & $stable({error_code_o, error_word_o}));
      end
      if ($past(was_reset & clear_i)) unit_clear: assert (!error_o & !valid_o & !busy_o);
      if (valid_o & windowed) reach_window: assert (addr_o != from | to != from + 32'd2);
      if (valid_o) reach_second: assert (!before | end_o | !windowed);
      if (error_o) begin
        reach_opcode: assert (error_code_o != 8'd1);
        reach_length: assert (error_code_o != 8'd2);
        reach_field: assert (error_code_o != 8'd3);
        reach_address: assert (error_code_o != 8'd4);
        reach_empty: assert (error_code_o != 8'd8);
        reach_endless: assert (error_code_o != 8'd9);
      end
    end
  end
endmodule

`default_nettype wire
