// A PicoRV32 beside a machine with a DMA: the registers of the machine from Registers on, else memory,
// which the test bench keeps for both.
module soc (
    input  wire        aclk,
    input  wire        aresetn,
    // The processor has stopped: an instruction that it does not know, or an address that is not aligned.
    output wire        trap_o,
    // Memory of the processor
    output wire        mem_valid_o,
    input  wire        mem_ready_i,
    output wire [31:0] mem_addr_o,
    output wire [31:0] mem_wdata_o,
    output wire [3:0]  mem_wstrb_o,
    input  wire [31:0] mem_rdata_i,
    // Memory of the DMA
    output wire        m_axi_awid,
    output wire [31:0] m_axi_awaddr,
    output wire [7:0]  m_axi_awlen,
    output wire [2:0]  m_axi_awsize,
    output wire [1:0]  m_axi_awburst,
    output wire        m_axi_awvalid,
    input  wire        m_axi_awready,
    output wire [63:0] m_axi_wdata,
    output wire [7:0]  m_axi_wstrb,
    output wire        m_axi_wlast,
    output wire        m_axi_wvalid,
    input  wire        m_axi_wready,
    input  wire        m_axi_bid,
    input  wire [1:0]  m_axi_bresp,
    input  wire        m_axi_bvalid,
    output wire        m_axi_bready,
    output wire        m_axi_arid,
    output wire [31:0] m_axi_araddr,
    output wire [7:0]  m_axi_arlen,
    output wire [2:0]  m_axi_arsize,
    output wire [1:0]  m_axi_arburst,
    output wire        m_axi_arvalid,
    input  wire        m_axi_arready,
    input  wire        m_axi_rid,
    input  wire [63:0] m_axi_rdata,
    input  wire [1:0]  m_axi_rresp,
    input  wire        m_axi_rlast,
    input  wire        m_axi_rvalid,
    output wire        m_axi_rready
);
  localparam [31:0] Registers = 32'h8000_0000, RegistersEnd = 32'h8000_1000;

  // irq_o is line 3: 0 to 2 are the processor's own.
  wire mem_valid, ready, port_ready, irq_o;
  wire [31:0] port_rdata, port_araddr, port_awaddr;
  wire to_port = mem_addr_o >= Registers && mem_addr_o < RegistersEnd;
  assign mem_valid_o = mem_valid & !to_port;
  assign ready = to_port ? port_ready : mem_ready_i;

  picorv32 #(
      .ENABLE_MUL(1),
      .ENABLE_DIV(1),
      .BARREL_SHIFTER(1),
      .ENABLE_IRQ(1),
      .LATCHED_IRQ(32'h0000_0007),
      .PROGADDR_RESET(32'h0),
      .PROGADDR_IRQ(32'h10)
  ) u_processor (
      .clk(aclk),
      .resetn(aresetn),
      .trap(trap_o),
      .mem_valid(mem_valid),
      .mem_instr(),
      .mem_ready(ready),
      .mem_addr(mem_addr_o),
      .mem_wdata(mem_wdata_o),
      .mem_wstrb(mem_wstrb_o),
      .mem_rdata(to_port ? port_rdata : mem_rdata_i),
      .mem_la_read(),
      .mem_la_write(),
      .mem_la_addr(),
      .mem_la_wdata(),
      .mem_la_wstrb(),
      .pcpi_valid(),
      .pcpi_insn(),
      .pcpi_rs1(),
      .pcpi_rs2(),
      .pcpi_wr(1'b0),
      .pcpi_rd(32'd0),
      .pcpi_wait(1'b0),
      .pcpi_ready(1'b0),
      .irq({28'd0, irq_o, 3'd0}),
      .eoi(),
      .trace_valid(),
      .trace_data()
  );

  wire s_axi_awvalid, s_axi_awready, s_axi_wvalid, s_axi_wready, s_axi_bvalid, s_axi_bready;
  wire s_axi_arvalid, s_axi_arready, s_axi_rvalid, s_axi_rready;
  wire [2:0] s_axi_awprot, s_axi_arprot;
  wire [31:0] s_axi_wdata, s_axi_rdata;
  wire [3:0] s_axi_wstrb;

  picorv32_axi_adapter u_port (
      .clk(aclk),
      .resetn(aresetn),
      .mem_axi_awvalid(s_axi_awvalid),
      .mem_axi_awready(s_axi_awready),
      .mem_axi_awaddr(port_awaddr),
      .mem_axi_awprot(s_axi_awprot),
      .mem_axi_wvalid(s_axi_wvalid),
      .mem_axi_wready(s_axi_wready),
      .mem_axi_wdata(s_axi_wdata),
      .mem_axi_wstrb(s_axi_wstrb),
      .mem_axi_bvalid(s_axi_bvalid),
      .mem_axi_bready(s_axi_bready),
      .mem_axi_arvalid(s_axi_arvalid),
      .mem_axi_arready(s_axi_arready),
      .mem_axi_araddr(port_araddr),
      .mem_axi_arprot(s_axi_arprot),
      .mem_axi_rvalid(s_axi_rvalid),
      .mem_axi_rready(s_axi_rready),
      .mem_axi_rdata(s_axi_rdata),
      .mem_valid(mem_valid & to_port),
      .mem_instr(1'b0),
      .mem_ready(port_ready),
      .mem_addr(mem_addr_o),
      .mem_wdata(mem_wdata_o),
      .mem_wstrb(mem_wstrb_o),
      .mem_rdata(port_rdata)
  );

  heddle_system_edge_dma u_machine (
      .s_axi_awaddr(port_awaddr[11:0]),
      .s_axi_araddr(port_araddr[11:0]),
      .s_axi_bresp(),
      .s_axi_rresp(),
      .m_axi_awlock(),
      .m_axi_awcache(),
      .m_axi_awprot(),
      .m_axi_awqos(),
      .m_axi_arlock(),
      .m_axi_arcache(),
      .m_axi_arprot(),
      .m_axi_arqos(),
      .*
  );
endmodule
