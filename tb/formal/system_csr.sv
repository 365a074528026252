// The registers of the register port, against the tables of docs/registers.md. Nothing is assumed: accesses, engine
// and window port do what they like. Reset comes in the first clock, and again at any time.
module system_csr (
  input wire clk
);
  (* anyseq *) reg alive, write, whole, read, running, done, error, cluster, port_open, starting, taken;
  (* anyseq *) reg [11:0] write_addr, read_addr;
  (* anyseq *) reg [31:0] data;
  (* anyseq *) reg [7:0] code;
  (* anyseq *) reg [3:0] source;
  (* anyseq *) reg [15:0] pc;
  (* anyseq *) reg [415:0] count;
  (* anyseq *) reg [63:0] port_word;
  reg begun = 0;
  always @(posedge clk) begun <= 1;
  wire rst_n = begun && alive;

  wire irq, engine_rst_n, resetting, start, port_read, port_write;
  wire [31:0] word, port_addr;
  wire [15:0] start_pc;
  wire [7:0] zero;
  wire [63:0] port_data;
  system_dut u_dut (.clk(clk), .rst_n(rst_n), .write_i(write), .write_addr_i(write_addr), .write_data_i(data),
    .write_whole_i(whole), .read_i(read), .read_addr_i(read_addr), .word_o(word), .irq_o(irq), .running_i(running),
    .done_i(done), .error_i(error), .code_i(code), .source_i(source), .pc_i(pc), .cluster_busy_i(cluster),
    .count_i(count), .port_busy_i(port_open), .starting_i(starting), .port_taken_i(taken), .port_word_i(port_word),
    .engine_rst_n_o(engine_rst_n), .resetting_o(resetting), .start_o(start), .start_pc_o(start_pc),
    .host_zero_o(zero), .port_read_o(port_read), .port_write_o(port_write), .port_addr_o(port_addr),
    .port_data_o(port_data));
  // Registers without an output, joined by name when the design is flattened
  (* hierconn *) wire [2:0] \u_dut.happened_q , \u_dut.enabled_q , \u_dut.reset_left_q ;
  wire [2:0] happened = \u_dut.happened_q ;
  wire [2:0] enabled = \u_dut.enabled_q ;

  // What the machine shows of itself
  wire runs = running || starting || start;
  wire busy = port_open || port_read || port_write;
  wire [31:0] status = {21'd0, busy, 3'd0, cluster, resetting, 2'd0, error && !runs, done && !runs, runs};

  // Whether a write is taken: the table of wrong times
  wire at_rest = port_addr[31:30] == 1 || port_addr[31:30] == 2 || port_addr[29];
  wire port_may = !busy && port_addr[31:30] != 0 && !(at_rest && runs);
  reg may;
  always @(*) begin
    case (write_addr)
      12'h014: may = !data[0] || data[1] || !(runs || error);
      12'h034, 12'h038: may = 1;
      12'h03c, 12'h044: may = !busy;
      12'h040: may = data[0] ? port_may : !busy;
      12'h048: may = port_may;
      default: may = 0;
    endcase
    if (resetting) may = 0;
    if (write_addr == 12'h02c || write_addr == 12'h030) may = 1;
  end
  wire does = write && whole && may;
  wire at_irq = does && write_addr == 12'h02c;

  // What a read gives
  reg [31:0] found;
  reg known;
  wire [4:0] number = read_addr[6:2];
  integer i;
  always @(*) begin
    known = 1;
    case (read_addr)
      12'h000: found = 32'h48454402;
      12'h004: found = 32'h00010000;
      12'h014, 12'h040: found = 0;
      12'h018: found = status;
      12'h01c: found = {20'd0, source, code};
      12'h020: found = {16'd0, pc};
      12'h02c: found = {28'd0, happened[2], 1'b0, happened[1:0]};
      12'h030: found = {28'd0, enabled[2], 1'b0, enabled[1:0]};
      12'h034: found = {16'd0, start_pc};
      12'h038: found = {24'd0, zero};
      12'h03c: found = port_addr;
      12'h044: found = port_data[31:0];
      12'h048: found = port_data[63:32];
      12'h04c: found = port_word[31:0];
      12'h050: found = port_word[63:32];
      default: begin
        known = read_addr[11:7] == 2 && number >= 6 && read_addr[1:0] == 0;
        found = 0;
        for (i = 0; i < 13; i = i + 1) if (known && number == 7 + i) found = count[32*i+:32];
      end
    endcase
  end
  wire constant = read_addr == 12'h008 || read_addr == 12'h00c || read_addr == 12'h010;

  // What must be there a clock later. `kept`: without a write
  wire [123:0] state = {start_pc, zero, enabled, 1'b0, port_data, port_addr};
  wire [31:0] next = taken ? port_addr + 8 : port_addr;
  reg was_out = 0, was_does, was_line, was_read, was_constant, was_resetting, was_refused, was_done = 0, was_error = 0;
  reg [2:0] was_acts, was_events, was_kept, left = 0;
  reg [123:0] was_state, expected;
  reg [31:0] was_found;
  always @(posedge clk) begin
    was_out <= rst_n;
    was_does <= does;
    was_acts <= {does && write_addr == 12'h014 && data[1:0] == 1, does && write_addr == 12'h040 && data[0],
      does && write_addr == 12'h048};
    was_state <= {start_pc, zero, enabled, 1'b0, port_data, next};
    expected <= {write_addr == 12'h034 ? data[15:0] : start_pc, write_addr == 12'h038 ? data[7:0] : zero,
      write_addr == 12'h030 ? {data[3], data[1:0]} : enabled, 1'b0, write_addr == 12'h048 ? data : port_data[63:32],
      write_addr == 12'h044 ? data : port_data[31:0], write_addr == 12'h03c ? data : next};
    was_refused <= (write && !does) || (read && !known && !constant);
    was_events <= {(write && !does) || (read && !known && !constant), error && !was_error, done && !was_done};
    was_kept <= happened & ~(at_irq ? {data[3], data[1:0]} : 3'd0);
    was_line <= (happened & enabled) != 0;
    was_read <= read;
    was_constant <= constant;
    was_found <= found;
    was_resetting <= resetting;
    was_done <= rst_n && done;
    was_error <= rst_n && error;
    left <= !rst_n ? 0 : does && write_addr == 12'h014 && data[1] ? 7 : left - (left != 0);
  end

  always @(*) begin
    // Before the first reset the registers may hold anything
    if (begun) begin
      cold: assert (was_out || {state, happened, irq, start, port_read, port_write, resetting, engine_rst_n} == 0);
      unchanged: assert (!was_out || was_does || state == was_state);
      written: assert (!was_out || !was_does || state == expected);
      acts: assert (!was_out || {start, port_read, port_write} == was_acts);
      bad_access: assert (!was_out || !was_refused || happened[2]);
      event_wins: assert (!was_out || (happened & was_events) == was_events);
      keeps: assert (!was_out || happened == (was_kept | was_events));
      line: assert (!was_out || irq == was_line);
      resets: assert (\u_dut.reset_left_q == left && resetting == (left != 0));
      engine_resets: assert (!was_out || engine_rst_n == !was_resetting);
      right: assert (!was_out || !was_read || was_constant || word == was_found);
      reach_event_and_clear: assert (!(at_irq && data[0] && done && !was_done && happened[0]));
      reach_late_start: assert (!(write && whole && write_addr == 12'h014 && data[0] && runs && !resetting));
      reach_refused_port: assert (!(write && whole && write_addr == 12'h048 && runs && !busy && !resetting && !may));
      reach_reset_in_reset: assert (!(write && write_addr == 12'h014 && data[1] && left == 3));
      reach_line: assert (!(irq && happened == 0));
    end
  end
endmodule
