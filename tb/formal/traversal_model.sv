// What the traversal unit must emit, written as the definition of it: for each row and loop the
// registers V, X, Y and Z, one step per address. The proof shows that unit and model never differ, if
// all registers of both are 0 at first. Both do the same from states that cannot be reached, too:
// the proof rests on what follows from one clock to the next.

`default_nettype none

module traversal_model #(
  parameter integer Rows = 2,
  parameter integer Loops = 2,
  parameter integer W = 16,
  parameter integer A = 16
) (
  input wire        clk,
  input wire        rst_n,
  input wire        cfg_clear_i,
  input wire        cfg_valid_i,
  input wire [ 1:0] cfg_sel_i,
  input wire [ 2:0] cfg_row_i,
  input wire [ 2:0] cfg_col_i,
  input wire [31:0] cfg_data_i,
  input wire        start_i,
  input wire        pause_i,
  input wire        ready_i,

  output reg             valid_o,
  output reg [    A-1:0] addr_o,
  output reg [      2:0] row_o,
  output reg [Loops-1:0] final_o,
  output reg             last_o,
  output reg             end_o,
  output reg             busy_o
);

  reg [Rows*Loops*W-1:0] initial_q;
  reg [Rows*Loops*W-1:0] step_q;
  reg [Rows*Loops*W-1:0] limit_q;
  reg [Rows*Loops*W-1:0] offset_q;
  reg [Rows*A-1:0] base_q;
  reg [Rows-1:0] rows_q;  // rows that take part
  localparam integer RowBits = Rows > 4 ? 3 : Rows > 2 ? 2 : 1;

  reg running_q;
  reg [RowBits-1:0] row_q;  // the row that runs

  wire advance = running_q & !pause_i & (!valid_o | ready_i);
  wire start = start_i & !busy_o;

  // The address, and what the step does to the offsets
  reg [A-1:0] addr;
  reg [Rows*Loops*W-1:0] offset;
  reg [Loops-1:0] finals;
  reg carry;
  reg [W:0] candidate;
  reg [RowBits-1:0] next;  // the row after this one
  reg found;  // there is one
  integer r;
  integer c;

  always @* begin
    addr = 0;
    offset = offset_q;
    finals = 0;
    carry = 1'b0;
    candidate = 0;
    next = 0;
    found = 1'b0;
    for (r = Rows - 1; r >= 0; r = r - 1) begin
      if (rows_q[r] & (!running_q | r > row_q)) begin
        next = r;
        found = 1'b1;
      end
    end
    for (r = 0; r < Rows; r = r + 1) begin
      if (running_q & row_q == r) begin
        addr = base_q[A*r+:A];
        carry = 1'b1;
        for (c = 0; c < Loops; c = c + 1) begin
          addr = addr + offset_q[W*(Loops*r+c)+:W];
          candidate = {1'b0, offset_q[W*(Loops*r+c)+:W]} + {1'b0, step_q[W*(Loops*r+c)+:W]};
          finals[c] = candidate >= {1'b0, limit_q[W*(Loops*r+c)+:W]};
          if (carry) begin
            offset[W*(Loops*r+c)+:W] =
                finals[c] ? initial_q[W*(Loops*r+c)+:W] : candidate[W-1:0];
          end
          carry = carry & finals[c];
        end
      end
    end
  end

  always @(posedge clk) begin
    if (cfg_valid_i) begin
      for (r = 0; r < Rows; r = r + 1) begin
        if (cfg_row_i == r & cfg_sel_i == 2'd3) begin
          base_q[A*r+:A] <= cfg_data_i[A-1:0];
          rows_q[r] <= 1'b1;
        end
        for (c = 0; c < Loops; c = c + 1) begin
          if (cfg_row_i == r & cfg_col_i == c) begin
            if (cfg_sel_i == 2'd0) initial_q[W*(Loops*r+c)+:W] <= cfg_data_i[W-1:0];
            if (cfg_sel_i == 2'd1) step_q[W*(Loops*r+c)+:W] <= cfg_data_i[W-1:0];
            if (cfg_sel_i == 2'd2) limit_q[W*(Loops*r+c)+:W] <= cfg_data_i[W-1:0];
          end
        end
      end
    end

    if (ready_i) valid_o <= 1'b0;
    if (valid_o & ready_i & end_o) busy_o <= 1'b0;
    if (advance) begin
      valid_o <= 1'b1;
      addr_o <= addr;
      row_o <= row_q;
      final_o <= finals;
      last_o <= carry;
      end_o <= carry & !found;
      offset_q <= offset;
      if (carry) begin
        running_q <= found;
        row_q <= next;
      end
    end
    if (start) begin
      running_q <= found;
      row_q <= next;
      if (found) begin
        busy_o <= 1'b1;
        offset_q <= initial_q;
      end
    end

    if (!rst_n | cfg_clear_i) begin
      initial_q <= 0;
      step_q <= 0;
      limit_q <= 0;
      offset_q <= 0;
      base_q <= 0;
      rows_q <= 0;
      running_q <= 1'b0;
      row_q <= 0;
      valid_o <= 1'b0;
      busy_o <= 1'b0;
    end
  end

endmodule

`default_nettype wire
