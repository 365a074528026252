  reg [11:0] awaddr, araddr;
  reg [31:0] wdata;
  reg awvalid, wvalid, bready, arvalid, rready;
  wire awready, wready, bvalid, arready, rvalid;
  wire [1:0] bresp, rresp;
  wire [31:0] rdata;

  @TOP dut (
    .aclk         (clk),
    .aresetn      (rst_n),
    .s_axi_awaddr (awaddr),
    .s_axi_awprot (3'd0),
    .s_axi_awvalid(awvalid),
    .s_axi_awready(awready),
    .s_axi_wdata  (wdata),
    .s_axi_wstrb  (4'hF),
    .s_axi_wvalid (wvalid),
    .s_axi_wready (wready),
    .s_axi_bresp  (bresp),
    .s_axi_bvalid (bvalid),
    .s_axi_bready (bready),
    .s_axi_araddr (araddr),
    .s_axi_arprot (3'd0),
    .s_axi_arvalid(arvalid),
    .s_axi_arready(arready),
    .s_axi_rdata  (rdata),
    .s_axi_rresp  (rresp),
    .s_axi_rvalid (rvalid),
    .s_axi_rready (rready),
    .irq_o        (irq)
  );

  task idle;
    {awvalid, wvalid, bready, arvalid, rready} = 5'd0;
  endtask

  task write_word(input [11:0] address, input [31:0] word);
    begin
      awaddr = address;
      wdata = word;
      {awvalid, wvalid, bready} = 3'b111;
      while (awvalid | wvalid | bready) begin
        @(posedge clk);
        if (awready) awvalid <= 1'b0;
        if (wready) wvalid <= 1'b0;
        if (bvalid & (bresp == 2'd0)) bready <= 1'b0;
        @(negedge clk);
      end
    end
  endtask

  task read_word(input [11:0] address);
    begin
      araddr = address;
      {arvalid, rready} = 2'b11;
      while (arvalid | rready) begin
        @(posedge clk);
        if (arready) arvalid <= 1'b0;
        if (rvalid & (rresp == 2'd0)) {rready, found} <= {1'b0, rdata};
        @(negedge clk);
      end
    end
  endtask
