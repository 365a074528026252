// Repeats what a host did at a machine: PASS if every answer is that of the record and no output is X or Z after the
// reset. MACHINE and COUNT are filled in by the test. Several machines may be simulated as one. Nothing is waited for after a
// start: running_o shows it.
module replay_MACHINE;
  // Write, byte address, data or answer.
  reg [99:0] accesses[0:COUNT-1];
  reg [99:0] access;
  reg clk, rst_n, valid;
  reg waits;
  integer clocks, next, answered, idle;
  wire ready, rvalid, running, done, error;
  wire [63:0] rdata;

  MACHINE u_machine (
    .clk          (clk),
    .rst_n        (rst_n),
    .host_valid_i (valid),
    .host_ready_o (ready),
    .host_write_i (access[96]),
    .host_addr_i  (access[95:64]),
    .host_wdata_i (access[63:0]),
    .host_rvalid_o(rvalid),
    .host_rdata_o (rdata),
    .running_o    (running),
    .done_o       (done),
    .error_o      (error)
  );

  task fail;
    begin
      $display("FAIL: clock %0d, access %0d: %b %h, %b%b%b %b, expected %h", clocks, answered, rvalid, rdata, running, done,
          error, ready, accesses[answered][63:0]);
      $finish;
    end
  endtask

  initial begin
    $readmemh("MACHINE.hex", accesses);
    {clk, rst_n, waits, next, answered, idle} = 0;
    for (clocks = 0; answered < COUNT; clocks = clocks + 1) begin
      rst_n = clocks >= 4;
      // In a clock of four nothing new is offered, and nobody knows what it would be.
      valid = waits || rst_n && next < COUNT && clocks % 4 != 0 && running === 1'b0;
      access = valid ? accesses[next] : 100'bx;
      #1;
      if (rst_n && ^{ready, rvalid, rdata, running, done, error} === 1'bx || idle == 20000) fail;
      while (answered < next && accesses[answered][96]) answered = answered + 1;
      idle = idle + 1;
      if (rvalid === 1'b1) begin
        if (rdata !== accesses[answered][63:0]) fail;
        answered = answered + 1;
        idle = 0;
      end
      waits = valid && !ready;
      if (valid && ready) begin
        next = next + 1;
        idle = 0;
      end
      #1 clk = 1'b1;
      #2 clk = 1'b0;
    end
    $display("PASS");
  end
endmodule
