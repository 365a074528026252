  reg cyc, we;
  reg [11:0] adr;
  reg [31:0] dat;
  wire ack;
  wire [31:0] rdata;

  @TOP dut (
    .aclk    (clk),
    .aresetn (rst_n),
    .wb_cyc_i(cyc),
    .wb_stb_i(cyc),
    .wb_we_i (we),
    .wb_sel_i(4'hF),
    .wb_adr_i(adr),
    .wb_dat_i(dat),
    .wb_ack_o(ack),
    .wb_dat_o(rdata),
    .irq_o   (irq)
  );

  task idle;
    cyc = 1'b0;
  endtask

  task access(input [11:0] address, input is_write, input [31:0] word);
    begin
      adr = address;
      we = is_write;
      dat = word;
      cyc = 1'b1;
      while (cyc) begin
        @(posedge clk);
        if (ack) {cyc, found} <= {1'b0, rdata};
        @(negedge clk);
      end
    end
  endtask

  task write_word(input [11:0] address, input [31:0] word);
    access(address, 1'b1, word);
  endtask

  task read_word(input [11:0] address);
    access(address, 1'b0, 32'd0);
  endtask
