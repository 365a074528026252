// The counters of the DMA, of which one is watched, any one. Assumed is that reads come in every third clock at most.
module dma_counters (
  input wire clk
);
  (* anyconst *) reg [3:0] mine;
  (* anyseq *) reg alive, clear, asks, picks;
  (* anyseq *) reg [3:0] place;
  (* anyseq *) reg [10:0] events;
  reg begun = 0;
  always @(posedge clk) begun <= 1;
  wire rst_n = begun && alive;

  wire [31:0] count;
  // Clocks since a read, up to 2
  reg [1:0] rest = 0;
  wire read = asks && rest == 2;
  dma_dut u_dut (.clk(clk), .rst_n(rst_n), .clear_i(clear), .event_i(events), .place_i(place), .read_i(read), .count_o(count));

  (* hierconn *) wire [54:0] \u_dut.pending_q ;
  (* hierconn *) wire [10:0] \u_dut.used_q ;
  (* hierconn *) wire [3:0] \u_dut.turn_q , \u_dut.last_q ;
  (* hierconn *) wire [4:0] \u_dut.amount_q ;
  (* hierconn *) wire \u_dut.holds_q , \u_dut.adds_q , \u_dut.writes , \u_dut.own_ren ;
  (* hierconn *) wire [3:0] \u_dut.u_own.watched , \u_dut.u_seen.watched ;
  (* hierconn *) wire [31:0] \u_dut.u_own.word_q , \u_dut.u_seen.word_q , \u_dut.own_rdata ;
  always @(*) assume (mine < 11 && \u_dut.u_own.watched == mine && \u_dut.u_seen.watched == mine);
  wire counts = events[mine];
  wire drops = !rst_n || clear;

  // Events since the last clear. A clock is marked, any one, or the one of the clear: clocks without a read since then, and events
  reg [31:0] all = 0;
  reg [4:0] age = 0;
  reg [5:0] since = 0;
  reg of_clear = 1;
  // The read of the clock before: what it may miss
  reg was_read = 0, was_mine = 0, is_bound = 0;
  reg [31:0] was_all;
  reg [5:0] may_miss;
  always @(posedge clk) begin
    rest <= !rst_n ? 0 : read ? 0 : rest + (rest != 2);
    all <= drops ? 0 : all + counts;
    age <= drops || picks ? 0 : age + (!read && age != 18);
    since <= drops || picks || age == 18 ? 0 : since + counts;
    of_clear <= drops || (of_clear && !picks && age != 18);
    was_read <= !drops && read;
    was_mine <= place == mine;
    {was_all, may_miss} <= {all, since};
    is_bound <= age == 17 || (of_clear && age != 18);
  end

  wire [4:0] pending = \u_dut.pending_q [5*mine+:5];
  wire used = \u_dut.used_q [mine];
  wire on_way = \u_dut.adds_q && \u_dut.last_q == mine;
  wire [4:0] amount = on_way ? \u_dut.amount_q : 0;
  wire [5:0] missing = pending + amount;
  // Clocks without a read since its turn
  wire [3:0] n = \u_dut.turn_q - mine - 4'd1;
  wire [1:0] slack = 2 - rest;
  always @(*) begin
    if (begun) begin
      counts_all: assert (!(was_read && was_mine && is_bound) || was_all - count <= may_miss);
      zero: assert (was_read || count == 0);
      apart: assert (!( \u_dut.writes && \u_dut.own_ren && \u_dut.last_q == \u_dut.turn_q ) && !( \u_dut.writes && read));
      inv_all: assert ((used ? \u_dut.u_seen.word_q : 0) + missing == all && (!used || \u_dut.u_own.word_q == \u_dut.u_seen.word_q ));
      inv_read: assert (!on_way || ( \u_dut.holds_q == used && (!used || \u_dut.own_rdata == \u_dut.u_own.word_q )));
      inv_turn: assert (! \u_dut.adds_q || \u_dut.last_q == \u_dut.turn_q - 4'd1);
      inv_pending: assert ({2'd0, pending, 1'b0} <= 8'd3 * n + 2 + slack && (!on_way || amount <= 25) &&
        age <= 18 && (age == 18 || {2'd0, since, 1'b0} <= 8'd3 * age + 2 + slack));
      inv_young: assert (age == 18 || ((age <= n || pending <= since) && (age <= n + 16 || missing <= since)));
      inv_clear: assert (!of_clear || age == 18 || (all == since && missing <= since));
      reach_missed: assert (!(was_read && was_mine && is_bound && !of_clear && was_all - count == 3));
      reach_counts: assert (!(was_read && was_mine && count == 20));
      reach_cleared: assert (!(clear && on_way && amount != 0 && read && used));
    end
  end
endmodule
