// Repeats what a host did at a machine: PASS if every answer is that of the record and no output is X or Z after the
// reset. MACHINE, COUNT and CTRL are filled in by the test. Several machines may be simulated as one.
module replay_MACHINE;
  // Write, byte address, data or answer.
  reg [99:0] accesses[0:COUNT-1];
  reg [99:0] access;
  reg clk, rst_n, valid;
  integer clocks, next, answered, pause, idle;
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
    {clk, rst_n, next, answered, pause, idle} = 0;
    for (clocks = 0; answered < COUNT; clocks = clocks + 1) begin
      rst_n = clocks >= 4;
      access = next < COUNT ? accesses[next] : 100'd0;
      // A run shows a few clocks after its start.
      valid = rst_n && next < COUNT && pause == 0 && running === 1'b0;
      #1;
      if (rst_n && ^{ready, rvalid, rdata, running, done, error} === 1'bx || idle == 20000) fail;
      while (answered < next && accesses[answered][96]) answered = answered + 1;
      idle = idle + 1;
      if (rvalid === 1'b1) begin
        if (rdata !== accesses[answered][63:0]) fail;
        answered = answered + 1;
        idle = 0;
      end
      if (pause > 0) pause = pause - 1;
      if (valid && ready) begin
        if (access[96] && access[95:64] == CTRL) pause = 4;
        next = next + 1;
        idle = 0;
      end
      #1 clk = 1'b1;
      #2 clk = 1'b0;
    end
    $display("PASS");
  end
endmodule
