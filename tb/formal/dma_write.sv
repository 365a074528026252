// The write channels: a burst is announced when the windows let it through and all its words are here, beats follow it in full, and nothing
// is announced behind an error. Nothing is assumed of the bus. Words come that were asked for while there was room, unless they are lost
// in a stop; as in the DMA the first error halts all.
module dma_write (
  input wire clk
);
  (* anyseq *) reg alive, stops, loses, burst, same, answers, open, asks_word, comes, aw_ready, w_ready, b_valid;
  (* anyseq *) reg [29:0] burst_addr;
  (* anyseq *) reg [7:0] burst_len;
  (* anyseq *) reg [63:0] word;
  (* anyseq *) reg [1:0] b_resp;
  (* anyseq *) reg [2:0] expired;
  reg begun = 0;
  always @(posedge clk) begun <= 1;
  wire rst_n = begun && alive;

  wire burst_taken, ask, room, aw_valid, w_valid, w_whole, w_last, bus, window, late, of_job, announces, idle;
  wire [29:0] ask_addr, error_addr;
  wire [31:0] aw_addr;
  wire [7:0] aw_len;
  wire [63:0] w_data;
  wire [1:0] resp;
  wire [2:0] waits;
  reg failed = 0;
  // Words that were asked for and have not come, and those that have come and not left the memory
  reg [6:0] due = 0, there = 0;
  wire halt = failed || stops;
  wire done = answers && ask;
  wire asked = asks_word && room && !halt;
  wire word_valid = comes && due != 0;
  wire lost = loses && stops;
  dma_dut u_dut (.clk(clk), .rst_n(rst_n), .halt_i(halt), .lost_i(lost), .burst_valid_i(burst), .burst_addr_i(burst_addr),
    .burst_len_i(burst_len), .burst_same_i(same), .burst_take_o(burst_taken), .ask_o(ask), .ask_addr_o(ask_addr),
    .done_i(done), .open_i(open), .room_o(room), .asked_i(asked), .word_valid_i(word_valid), .word_i(word),
    .aw_valid_o(aw_valid), .aw_ready_i(aw_ready), .aw_addr_o(aw_addr), .aw_len_o(aw_len), .w_valid_o(w_valid),
    .w_ready_i(w_ready), .w_data_o(w_data), .w_whole_o(w_whole), .w_last_o(w_last), .b_valid_i(b_valid),
    .b_resp_i(b_resp), .expired_i(expired), .error_bus_o(bus), .error_window_o(window), .error_timeout_o(late),
    .error_of_job_o(of_job), .error_resp_o(resp), .error_addr_o(error_addr), .waits_o(waits), .announces_o(announces),
    .idle_o(idle));

  (* hierconn *) wire \u_dut.reads ;
  (* hierconn *) wire \u_dut.moves ;
  (* hierconn *) wire \u_dut.granted_q ;
  (* hierconn *) wire \u_dut.asks_q ;
  (* hierconn *) wire \u_dut.enough_q ;
  (* hierconn *) wire \u_dut.has_word_q ;
  (* hierconn *) wire \u_dut.is_last_q ;
  (* hierconn *) wire \u_dut.open_leaves ;
  (* hierconn *) wire [3:0] \u_dut.open_count ;
  (* hierconn *) wire [3:0] \u_dut.sent_q ;
  (* hierconn *) wire [8:0] \u_dut.left_q ;
  (* hierconn *) wire [10:0] \u_dut.asked_q ;
  (* hierconn *) wire [10:0] \u_dut.reserved_q ;
  (* hierconn *) wire [10:0] \u_dut.spare_q ;
  (* hierconn *) wire \u_dut.u_open.valid_q ;
  (* hierconn *) wire [2:0] \u_dut.u_open.tail_q ;
  (* hierconn *) wire [2:0] \u_dut.u_open.head_q ;
  wire [2:0] queued = \u_dut.u_open.tail_q - \u_dut.u_open.head_q ;
  wire [8:0] left = \u_dut.left_q ;
  wire has_word = \u_dut.has_word_q ;

  // What stands; what the windows have let through; what was announced
  reg stands = 0, w_stands = 0, let = 0, rises = 0, w_rises = 0, halted = 0, more = 0;
  reg [31:0] stood_addr;
  reg [7:0] stood_len, said_len;
  reg [29:0] let_addr, said_addr;
  reg [65:0] w_stood;
  reg burst_stood = 0, same_stood;
  reg [29:0] burst_was;
  reg [7:0] len_was;
  reg [2:0] open_bursts = 0;
  // Lengths of the bursts whose last beat has not been taken, the first one low, and beats of the first one that were
  reg [2:0] unsent = 0;
  reg [23:0] lengths;
  reg [7:0] beat = 0;
  wire beat_goes = w_valid && w_ready;
  wire burst_goes = beat_goes && w_last;
  wire [2:0] behind = unsent - burst_goes;
  always @(posedge clk) begin
    failed <= rst_n && (failed || bus || window || late);
    due <= !rst_n || lost ? 0 : due + asked - word_valid;
    there <= !rst_n || (halt && idle) ? 0 : there + word_valid - \u_dut.reads ;
    stands <= rst_n && aw_valid && !aw_ready;
    stood_addr <= aw_addr;
    stood_len <= aw_len;
    w_stands <= rst_n && w_valid && !w_ready;
    w_stood <= {w_whole, w_last, w_data};
    rises <= rst_n && announces;
    said_addr <= burst_addr;
    said_len <= burst_len;
    halted <= rst_n && halt;
    w_rises <= rst_n && \u_dut.moves ;
    let <= rst_n && !halt && ((done && open) || (let && !announces));
    if (done) let_addr <= ask_addr;
    open_bursts <= !rst_n ? 0 : open_bursts + announces - \u_dut.open_leaves ;
    unsent <= !rst_n ? 0 : behind + announces;
    if (burst_goes) lengths <= lengths >> 8;
    if (announces) lengths[8*behind +: 8] <= burst_len;
    beat <= !rst_n || burst_goes ? 0 : beat + beat_goes;
    // Behind a beat that is not the last one there is the next one
    more <= rst_n && beat_goes && !w_last;
    burst_stood <= rst_n && burst && !burst_taken && !halt;
    same_stood <= same;
    burst_was <= burst_addr;
    len_was <= burst_len;
  end
  always @(*) begin
    assume (!burst_stood || (burst && same == same_stood && burst_addr == burst_was && burst_len == len_was));
    assume (burst_len < 8);
    // What has come and what comes belongs to one stop
    assume (!lost || !asked);
  end

  // The last beat of a burst is in its register, or in front of it; the beats of the burst whose words leave the memory
  wire in_register = w_valid && w_last;
  wire in_front = has_word && \u_dut.is_last_q ;
  wire [7:0] length = unsent == 2 ? lengths[15:8] : lengths[7:0];
  wire [8:0] first = beat + w_valid;
  reg [8:0] gone;
  always @(*) begin
    gone = first + has_word;
    if (in_register) gone = has_word;
    if (in_front) gone = 0;
  end
  always @(*) begin
    if (begun) begin
      stable: assert (!stands || (aw_valid && aw_addr == stood_addr && aw_len == stood_len));
      w_stable: assert (!w_stands || (w_valid && {w_whole, w_last, w_data} == w_stood));
      silent: assert (!(halt && announces) && (!aw_valid || stands || rises));
      let_through: assert (!announces || (let && let_addr == burst_addr) || same);
      said: assert (!rises || (aw_valid && aw_addr == {said_addr[28:0], 3'd0} && aw_len == said_len));
      announced: assert ((!announces || burst) && announces == burst_taken && (!w_valid || unsent != 0));
      in_full: assert (!w_valid || w_last == (beat == lengths[7:0]));
      no_gap: assert (!more || w_valid);
      no_strobes: assert (!(w_rises && halted && w_valid && !w_stands) || !w_whole);
      outstanding: assert (open_bursts <= 2);
      has_words: assert (! \u_dut.reads || there != 0);
      inv_count: assert (open_bursts == \u_dut.open_count && open_bursts == {2'd0, queued} + \u_dut.u_open.valid_q );
      inv_open: assert (open_bursts == \u_dut.sent_q + unsent && \u_dut.sent_q <= 2);
      inv_due: assert (due == \u_dut.asked_q );
      // So a word that comes has room
      inv_reserved: assert (due + there <= \u_dut.reserved_q && \u_dut.reserved_q <= 64);
      inv_there: assert (there == {1'b0, \u_dut.spare_q } + left && \u_dut.spare_q <= 64 && left <= 8);
      inv_let: assert (halt || !let || ( \u_dut.granted_q && let_addr == burst_addr));
      inv_asks: assert (halt || !( \u_dut.asks_q || \u_dut.granted_q ) || burst);
      inv_granted: assert (!( \u_dut.granted_q && \u_dut.asks_q ) && (! \u_dut.granted_q || let || same || halt));
      inv_enough: assert (halt || !( \u_dut.enough_q && \u_dut.granted_q ) || \u_dut.spare_q > burst_len);
      // The bursts that are not sent: the one whose words leave the memory is the last one
      inv_unsent: assert (unsent == (left != 0) + in_front + in_register && (unsent != 0 || beat == 0));
      inv_left: assert (left == 0 || left + gone == length + 1);
      inv_front: assert (!in_front || (in_register ? lengths[15:8] == 0 : first == lengths[7:0]));
      inv_more: assert ((!has_word || in_front || left != 0) && (!w_valid || in_register || has_word || left != 0));
      reach_two: assert (!(open_bursts == 2 && unsent == 2 && w_valid));
      reach_empty: assert (!(halt && w_valid && !w_whole));
      reach_same: assert (!(announces && same && !let));
      reach_lost: assert (!(lost && due != 0));
    end
  end
endmodule
