// The windows, of which one is watched: what it lets through lies in it. Assumed is what stands around it: BASE and LIMIT are
// written before a permission and while nobody asks; who asks waits for the answer.
module dma_windows (
  input wire clk
);
  (* anyseq *) reg alive, clear, write_base, write_limit, write_ctrl;
  (* anyseq *) reg [1:0] window, ask;
  (* anyseq *) reg [27:0] data;
  (* anyseq *) reg [59:0] addr;
  reg begun = 0;
  always @(posedge clk) begun <= 1;
  wire rst_n = begun && alive;

  wire [7:0] permits;
  wire [1:0] done;
  wire open;
  dma_dut u_dut (.clk(clk), .rst_n(rst_n), .clear_i(clear), .write_base_i(write_base), .write_limit_i(write_limit),
    .write_ctrl_i(write_ctrl), .write_window_i(window), .write_data_i(data), .permits_o(permits), .ask_i(ask),
    .addr_i(addr), .done_o(done), .open_o(open));

  (* hierconn *) wire [1:0] \u_dut.u_bases.watched ;
  (* hierconn *) wire [1:0] \u_dut.u_limits.watched ;
  (* hierconn *) wire [27:0] \u_dut.u_bases.word_q ;
  (* hierconn *) wire [27:0] \u_dut.u_limits.word_q ;
  (* hierconn *) wire [1:0] \u_dut.compared_q ;
  (* hierconn *) wire \u_dut.works_q ;
  (* hierconn *) wire \u_dut.who_q ;
  (* hierconn *) wire \u_dut.hits ;
  (* hierconn *) wire \u_dut.hit_q ;
  (* hierconn *) wire \u_dut.compares_q ;
  (* hierconn *) wire [2:0] \u_dut.at_q ;
  (* hierconn *) wire [27:0] \u_dut.bases_rdata ;
  (* hierconn *) wire [27:0] \u_dut.limits_rdata ;
  (* hierconn *) wire [29:0] \u_dut.word_q ;
  wire [1:0] watched = \u_dut.u_bases.watched ;
  wire works = \u_dut.works_q ;
  wire [29:0] word = \u_dut.word_q ;
  always @(*) assume (\u_dut.u_limits.watched == watched);

  // Registers of the watched window as they were written
  reg [27:0] base, limit;
  reg has_base = 0, has_limit = 0;
  reg [1:0] permit = 0;
  // Who asks, and for what: it stays until the answer
  reg [1:0] asked = 0;
  reg [59:0] asked_addr;
  reg hit = 0;
  always @(posedge clk) begin
    if (write_base && window == watched) base <= data;
    if (write_limit && window == watched) limit <= data;
    if (write_base && window == watched) has_base <= 1;
    if (write_limit && window == watched) has_limit <= 1;
    permit <= !rst_n ? 0 : write_ctrl && window == watched ? data[1:0] : permit;
    asked <= rst_n && !clear ? ask & ~done : 0;
    asked_addr <= addr;
    // A window has let the page through that is looked for
    hit <= rst_n && works && (\u_dut.hits || hit);
  end
  wire free = !ask && !works;
  always @(*) begin
    assume (free || !(write_base || write_limit || write_ctrl));
    assume (!permit || (has_base && has_limit));
    assume (clear || (asked & ~ask) == 0);
    assume (!asked[0] || addr[29:0] == asked_addr[29:0]);
    assume (!asked[1] || addr[59:30] == asked_addr[59:30]);
    // The DMA forgets its questions when all is stopped
    assume (!clear || !ask);
  end

  wire [2:0] at = \u_dut.at_q ;
  wire [29:0] question = \u_dut.who_q ? addr[59:30] : addr[29:0];
  wire compares = \u_dut.compares_q && \u_dut.compared_q == watched;
  wire match = permit[\u_dut.who_q ] && base <= page && page <= limit && !word[29];
  wire [27:0] page = {7'd0, word[29:9]};
  always @(*) begin
    if (begun) begin
      inside: assert (!(works && \u_dut.hits && \u_dut.compared_q == watched) ||
        (permit[\u_dut.who_q ] && base <= page && page <= limit && !word[29]));
      asked_for: assert (!(|done && open) || (done == 1 ? word == addr[29:0] : done == 2 && word == addr[59:30]));
      by_a_hit: assert (!(|done && open) || hit);
      none_missed: assert (!(|done && !open) || !match);
      permits_right: assert (permits[2*watched +: 2] == permit);
      inv_word: assert (!has_base || \u_dut.u_bases.word_q == base);
      inv_limit: assert (!has_limit || \u_dut.u_limits.word_q == limit);
      inv_read: assert (!(works && compares) || !permit || ( \u_dut.bases_rdata == base && \u_dut.limits_rdata == limit));
      inv_asks: assert (clear || !works || (ask[\u_dut.who_q ] && word == question && !(|done)));
      inv_done: assert (clear || !(|done) || (done == (2'd1 << \u_dut.who_q ) && ask[\u_dut.who_q ] && word == question));
      inv_at: assert ((!works || at <= 4) && (!works || \u_dut.compares_q == (at != 0)) && (!works || at == 0 || \u_dut.compared_q == at - 1));
      inv_passed: assert (!(works && at > watched + 1) || !match);
      inv_hit: assert (hit == \u_dut.hit_q || !(|done));
      reach_open: assert (!(done[1] && open && hit));
      reach_closed: assert (!(done[0] && !open && permit == 3));
    end
  end
endmodule
