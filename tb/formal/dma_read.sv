// The read channels: what is announced was let through by the windows, stands until it is taken, and nothing follows an error.
// Nothing is assumed of the bus, nor of the windows but that they answer who asks. As in the DMA the first error halts all, and so does a stop.
module dma_read (
  input wire clk
);
  (* anyseq *) reg alive, stops, job, burst, same, answers, open, ar_ready, r_valid, r_last, beat_ready;
  (* anyseq *) reg [31:0] job_addr;
  (* anyseq *) reg [29:0] burst_addr;
  (* anyseq *) reg [7:0] burst_len;
  (* anyseq *) reg [63:0] r_data;
  (* anyseq *) reg [1:0] r_resp, expired;
  reg begun = 0;
  always @(posedge clk) begun <= 1;
  wire rst_n = begun && alive;

  wire job_taken, job_word, burst_taken, ask, ar_valid, r_ready, beat_valid, bus, window, late, of_job, gap, announces, idle;
  wire [29:0] ask_addr, error_addr;
  wire [31:0] ar_addr;
  wire [7:0] ar_len;
  wire [63:0] beat;
  wire [1:0] resp, waits;
  reg failed = 0;
  wire halt = failed || stops;
  wire done = answers && ask;
  dma_dut u_dut (.clk(clk), .rst_n(rst_n), .halt_i(halt), .job_valid_i(job), .job_addr_i(job_addr),
    .job_ready_o(job_taken), .job_word_o(job_word), .burst_valid_i(burst), .burst_addr_i(burst_addr),
    .burst_len_i(burst_len), .burst_same_i(same), .burst_take_o(burst_taken), .ask_o(ask), .ask_addr_o(ask_addr),
    .done_i(done), .open_i(open), .ar_valid_o(ar_valid), .ar_ready_i(ar_ready), .ar_addr_o(ar_addr), .ar_len_o(ar_len),
    .r_valid_i(r_valid), .r_ready_o(r_ready), .r_data_i(r_data), .r_resp_i(r_resp), .r_last_i(r_last),
    .beat_valid_o(beat_valid), .beat_o(beat), .beat_ready_i(beat_ready), .expired_i(expired), .error_bus_o(bus),
    .error_window_o(window), .error_timeout_o(late), .error_of_job_o(of_job), .error_resp_o(resp),
    .error_addr_o(error_addr), .waits_o(waits), .gap_o(gap), .announces_o(announces), .idle_o(idle));

  // What stands on the bus; what was announced and has not ended; beats that are kept
  reg stands = 0, let = 0, let_job, ar_rises = 0;
  reg [31:0] stood_addr;
  reg [29:0] let_addr, said_addr;
  reg [7:0] stood_len, said_len;
  reg [2:0] open_bursts = 0;
  reg [1:0] kept = 0;
  // A burst stands until it is announced
  reg burst_stood = 0, job_stood = 0, same_stood;
  reg [29:0] burst_was;
  reg [31:0] job_was;
  reg [7:0] len_was;
  wire beat_in = r_valid && r_ready;
  (* hierconn *) wire \u_dut.moves ;
  (* hierconn *) wire \u_dut.open_leaves ;
  (* hierconn *) wire \u_dut.granted_q ;
  (* hierconn *) wire \u_dut.asks_q ;
  (* hierconn *) wire \u_dut.is_job_q ;
  (* hierconn *) wire \u_dut.has_beat_q ;
  (* hierconn *) wire \u_dut.has_more_q ;
  (* hierconn *) wire [3:0] \u_dut.open_count ;
  (* hierconn *) wire \u_dut.u_open.valid_q ;
  (* hierconn *) wire [2:0] \u_dut.u_open.tail_q ;
  (* hierconn *) wire [2:0] \u_dut.u_open.head_q ;
  wire [2:0] queued = \u_dut.u_open.tail_q - \u_dut.u_open.head_q ;
  reg was_reset = 1;
  always @(posedge clk) begin
    was_reset <= !rst_n;
    failed <= rst_n && (failed || bus || window || late);
    stands <= rst_n && ar_valid && !ar_ready;
    stood_addr <= ar_addr;
    stood_len <= ar_len;
    ar_rises <= rst_n && announces;
    said_addr <= job_taken ? {1'b0, job_addr[31:3]} : burst_addr;
    said_len <= job_taken ? 7 : burst_len;
    // The page was asked for and is open
    let <= rst_n && !halt && ((done && open) || (let && !announces));
    if (done) let_addr <= ask_addr;
    if (done) let_job <= \u_dut.is_job_q ;
    open_bursts <= !rst_n ? 0 : open_bursts + announces - \u_dut.open_leaves ;
    kept <= !rst_n ? 0 : kept + beat_in - \u_dut.moves ;
    burst_stood <= rst_n && burst && !burst_taken && !halt;
    same_stood <= same;
    burst_was <= burst_addr;
    len_was <= burst_len;
    job_stood <= rst_n && job && !job_taken && !halt;
    job_was <= job_addr;
  end
  always @(*) begin
    assume (!burst_stood || (burst && same == same_stood && burst_addr == burst_was && burst_len == len_was));
    assume (!job_stood || (job && job_addr == job_was));
  end

  always @(*) begin
    if (begun) begin
      stable: assert (!stands || (ar_valid && ar_addr == stood_addr && ar_len == stood_len));
      silent: assert (!(halt && announces) && (!ar_valid || stands || ar_rises));
      let_through: assert (!announces || (let && let_job == job_taken &&
        let_addr == (job_taken ? job_addr[31:3] : burst_addr)) || (burst_taken && same));
      said: assert (!ar_rises || (ar_valid && ar_addr == {said_addr[28:0], 3'd0} && ar_len == said_len));
      one: assert (!(job_taken && burst_taken) && announces == (job_taken || burst_taken) &&
        (!job_taken || job) && (!burst_taken || burst));
      outstanding: assert (open_bursts <= 2 && (open_bursts != 2 || !announces));
      keeps: assert (kept <= 2 && (was_reset || r_ready == (kept < 2)));
      takes_all: assert (!halt || kept == 0 || \u_dut.moves );
      closed: assert (!(ask && done && !open && !halt) || window);
      inv_kept: assert (kept == \u_dut.has_beat_q + \u_dut.has_more_q && ( \u_dut.has_beat_q || ! \u_dut.has_more_q ));
      inv_count: assert (open_bursts == \u_dut.open_count );
      inv_open: assert (open_bursts == {2'd0, queued} + \u_dut.u_open.valid_q );
      inv_asks: assert (halt || !( \u_dut.asks_q || \u_dut.granted_q ) || ( \u_dut.is_job_q ? job : burst));
      inv_let: assert (halt || !let || ( \u_dut.granted_q && let_addr == ( \u_dut.is_job_q ? job_addr[31:3] : burst_addr)));
      inv_granted: assert (!( \u_dut.granted_q && \u_dut.asks_q ));
      inv_job: assert (! \u_dut.granted_q || (let && let_job == \u_dut.is_job_q ) || (! \u_dut.is_job_q && burst && same) || halt);
      reach_job: assert (!(job_taken && burst));
      reach_same: assert (!(burst_taken && same && !let));
      reach_stand: assert (!(stands && halt && open_bursts == 2));
      reach_full: assert (!(kept == 2 && !halt && beat_valid));
    end
  end
endmodule
