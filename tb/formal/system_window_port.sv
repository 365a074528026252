// Accesses of the register port to the memories, and starts. The engine takes a request when it likes and answers a
// read when it likes; reset comes in the first clock, and again at any time, as does the reset of the engine.
module system_window_port (
  input wire clk
);
  (* anyseq *) reg alive, clear, start, read, write, running, host_ready, rvalid;
  (* anyseq *) reg [15:0] start_pc;
  (* anyseq *) reg [7:0] host_zero;
  (* anyseq *) reg [63:0] rdata;
  reg begun = 0;
  always @(posedge clk) begun <= 1;
  wire rst_n = begun && alive;

  wire busy, starting, taken, starts, valid, is_write;
  wire [63:0] word;
  wire [15:0] pc;
  wire [7:0] zero;
  system_dut u_dut (.clk(clk), .rst_n(rst_n), .clear_i(clear), .start_i(start), .start_pc_i(start_pc), .read_i(read),
    .write_i(write), .host_zero_i(host_zero), .busy_o(busy), .starting_o(starting), .taken_o(taken), .word_o(word),
    .running_i(running), .start_o(starts), .pc_o(pc), .valid_o(valid), .write_o(is_write), .zero_o(zero),
    .host_ready_i(host_ready), .host_rvalid_i(rvalid), .host_rdata_i(rdata));

  // Registers without an output, joined by name when the design is flattened
  (* hierconn *) wire \u_dut.due_q , \u_dut.waits_q ;

  // An access that the engine has not taken, a read that it has not answered, a start that has not reached it.
  // `first`: the access was asked for before the start. Then what they were asked with.
  reg owed = 0, unanswered = 0, asked = 0, first = 0, was_write = 0;
  reg [7:0] was_zero = 0;
  reg [15:0] was_pc = 0;
  wire comes = read || write;
  wire open = owed || unanswered;
  wire takes = valid && host_ready;
  wire quiet = clear || !rst_n;
  reg was_valid = 0, was_answered = 0, ran = 0;
  reg [63:0] answer;
  reg [1:0] waits = 0;
  always @(posedge clk) begin
    owed <= !quiet && ((owed && !takes) || comes);
    unanswered <= !quiet && ((unanswered && !rvalid) || (takes && !was_write));
    asked <= !quiet && ((asked && !starts) || start);
    first <= !quiet && (start ? open : first) && !rvalid && !(takes && was_write);
    if (comes) {was_write, was_zero} <= {write, host_zero};
    if (start) was_pc <= start_pc;
    was_valid <= !quiet && valid && !host_ready;
    was_answered <= rst_n && (was_answered || rvalid);
    if (rvalid) answer <= rdata;
    ran <= running;
    // Clocks in which a start waits for nothing but itself
    waits <= !quiet && (start || asked) && !starts && host_ready && !(first || (start && open)) ? waits + 1 : 0;
  end

  always @(*) begin
    // The registers ask for one thing at a time: an access when none is under way, a start when none is and no program runs
    assume (!(read && write) && !(comes && (open || busy)));
    assume (!start || !(comes || asked || running));
    // The engine runs from the clock of a start on, and answers reads that it has taken
    assume (starts ? running : ran || !running);
    assume (!rvalid || unanswered);
  end
  always @(*) begin
    if (begun) begin
      stays: assert (!was_valid || valid);
      holds: assert (\u_dut.waits_q == owed && (!open || {is_write, zero} == {was_write, was_zero}));
      is_asked: assert (!valid || owed);
      not_lost: assert (!owed || valid || asked || starts);
      once: assert (busy == open && taken == takes && !(owed && unanswered));
      before: assert ((!starts || (!first && !unanswered)) && (!first || open));
      behind: assert (!(valid && asked) || first);
      next: assert (!\u_dut.due_q || (asked && !starts && !first && !unanswered));
      next_stays: assert (!asked || !open || first || \u_dut.due_q || starts);
      start_once: assert ((!starts || asked) && (!asked || pc == was_pc));
      start_in_time: assert (waits < 3 || starts);
      shows: assert (starting == asked);
      gives: assert (!was_answered || word == answer);
      reach_start_waits: assert (!(asked && first && unanswered));
      reach_access_waits: assert (!(asked && owed && !first));
      reach_cleared: assert (!(clear && asked && owed));
      reach_run: assert (!(running && asked));
    end
  end
endmodule
