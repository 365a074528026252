
  task expect_word(input [11:0] address, input [31:0] word);
    begin
      read_word(address);
      if (found !== word) begin
        $display("register %h is %h, expected %h", address, found, word);
        failed = 1'b1;
      end
    end
  endtask

  initial begin
    {clk, rst_n, failed} = 3'd0;
    idle;
    repeat (4) @(negedge clk);
    rst_n = 1'b1;
    @(negedge clk);
    @READS
    write_word(12'@START_PC, 32'h0000A5C3);
    expect_word(12'@START_PC, 32'h0000A5C3);
    // A write to a register that is read only
    write_word(12'@IRQ_ENABLE, 32'@BAD_ACCESS);
    if (irq !== 1'b0) failed = 1'b1;
    write_word(12'@ID, 32'd0);
    repeat (2) @(negedge clk);
    if (irq !== 1'b1) failed = 1'b1;
    expect_word(12'@IRQ_STATUS, 32'@BAD_ACCESS);
    $display("%0s", failed ? "FAIL" : "PASS");
    if (failed) $stop;
    $finish;
  end

  initial begin
    #100000;
    $display("FAIL: no answer");
    $stop;
  end

endmodule

`default_nettype wire
