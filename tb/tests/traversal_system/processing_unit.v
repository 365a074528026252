// A small processing unit: hands the words of its program to the traversal unit, takes addresses,
// and after every burst_i addresses, or when something else comes up, pauses the unit and works for
// work_i clocks. With inside_i it controls the unit itself; otherwise it asks a controller for the
// pause.

`default_nettype none

module processing_unit #(
  parameter integer Drain = 4  // as in traversal_controller
) (
  input wire clk,
  input wire rst_n,

  input wire        program_wen_i,
  input wire  [5:0] program_addr_i,
  input wire [31:0] program_data_i,
  input wire  [5:0] words_i,   // words of the program
  input wire        inside_i,
  input wire  [4:0] burst_i,   // 1 to 31
  input wire  [4:0] work_i,
  input wire        interrupt_i,
  output wire       working_o,

  output wire        instr_valid_o,
  input  wire        instr_ready_i,
  output wire [31:0] instr_data_o,

  input  wire valid_i,  // an address is valid
  input  wire ready_i,  // it is taken in this clock
  output wire pause_o,  // to the unit, with inside_i

  output wire pause_req_o,  // to the controller
  input  wire pause_grant_i
);

  localparam [1:0] Run = 2'd0;
  localparam [1:0] Ask = 2'd1;
  localparam [1:0] Work = 2'd2;

  reg [31:0] program_q[0:63];
  reg [5:0] word_q;
  reg [1:0] state_q;
  reg [4:0] taken_q;
  reg [4:0] worked_q;
  reg [3:0] quiet_q;

  wire loaded;  // All words are taken
  wire last;  // Last address of the burst
  wire granted;

  assign loaded = word_q == words_i;
  assign instr_valid_o = !loaded;
  assign instr_data_o = program_q[word_q];

  assign last = valid_i & ready_i & (taken_q + 5'd1 == burst_i);
  assign granted = inside_i ? quiet_q == Drain : pause_grant_i;
  assign pause_o = inside_i & (!loaded | (state_q != Run));
  assign pause_req_o = !inside_i & (!loaded | (state_q != Run));
  assign working_o = state_q == Work;

  always @(posedge clk) begin
    if (program_wen_i) program_q[program_addr_i] <= program_data_i;
  end

  always @(posedge clk) begin
    if (!rst_n) word_q <= 6'd0;
    else if (instr_valid_o & instr_ready_i) word_q <= word_q + 6'd1;
  end

  always @(posedge clk) begin
    if (!rst_n) begin
      state_q <= Run;
    end else begin
      case (state_q)
        Run: if (last | interrupt_i) state_q <= Ask;
        Ask: if (granted) state_q <= Work;
        default: if (worked_q == work_i) state_q <= Run;
      endcase
    end
  end

  always @(posedge clk) begin
    if (!rst_n | (state_q != Run)) taken_q <= 5'd0;
    else if (valid_i & ready_i) taken_q <= taken_q + 5'd1;
  end

  always @(posedge clk) begin
    if (state_q != Work) worked_q <= 5'd0;
    else worked_q <= worked_q + 5'd1;
  end

  always @(posedge clk) begin
    if ((state_q != Ask) | valid_i) quiet_q <= 4'd0;
    else quiet_q <= quiet_q + 4'd1;
  end

endmodule

`default_nettype wire
