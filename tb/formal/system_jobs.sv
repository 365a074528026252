// The job list. Entries of any words come as late as they like. The queue goes off and on, RESET comes, regions, base and size are written at any time
// that the registers allow. Assumed of the DMA: eight words for each fetch that it announces, none in RESET. Of the host: the doorbell
// lies in the ring and does not go back while the queue is on; the ring is made smaller only if both its indices are in it.
module system_jobs (
  input wire clk
);
  (* anyseq *) reg alive, clear, enable, announced, comes, ok, moving, loads, stores, running;
  (* anyseq *) reg [31:0] base, region;
  (* anyseq *) reg [3:0] size;
  (* anyseq *) reg [9:0] tail;
  (* anyseq *) reg [63:0] data;
  (* anyseq *) reg [7:0] region_wen;
  (* anyseq *) reg [1:0] ready;
  reg begun = 0;
  always @(posedge clk) begun <= 1;
  wire rst_n = begun && alive;
  wire drops = !rst_n || clear || !enable;

  wire fetch, gives, of_store, reading, start, keep, late, fence, interrupt, takes, empty, error;
  wire [9:0] head, fetch_index, entry_index, run_index, error_index;
  wire [31:0] fetch_addr, low, high, region_high;
  wire [127:0] region_low;
  wire [2:0] place;
  wire [1:0] enters, stall;
  wire [15:0] pc;
  system_dut u_dut (.clk(clk), .rst_n(rst_n), .clear_i(clear), .enable_i(enable), .base_i(base), .size_i(size), .tail_i(tail),
    .head_o(head), .fetch_valid_o(fetch), .fetch_addr_o(fetch_addr), .fetch_index_o(fetch_index),
    .fetch_ready_i(announced), .word_valid_i(comes), .word_i(data), .region_wen_i(region_wen), .region_data_i(region),
    .region_low_o(region_low), .region_high_o(region_high), .entry_valid_o(gives), .entry_place_o(place),
    .entry_low_o(low), .entry_high_o(high), .entry_store_o(of_store), .entry_index_o(entry_index), .ok_i(ok),
    .enters_o(enters), .ready_i(ready), .moving_i(moving), .reading_o(reading), .loads_i(loads), .stores_i(stores),
    .running_i(running), .start_o(start), .start_pc_o(pc), .keep_o(keep), .run_index_o(run_index), .late_o(late),
    .fence_o(fence), .interrupt_o(interrupt), .stall_o(stall), .takes_o(takes), .empty_o(empty), .error_o(error),
    .error_index_o(error_index));

  (* hierconn *) wire \u_dut.coming_q , \u_dut.stale_q , \u_dut.reading_q , \u_dut.gives_q , \u_dut.there_q , \u_dut.checked_q ,
    \u_dut.bad_q , \u_dut.ragged_q , \u_dut.cluster_q , \u_dut.limited_q ;
  (* hierconn *) wire [9:0] \u_dut.upcoming_q ;
  (* hierconn *) wire [1:0] \u_dut.reserved_q , \u_dut.filled_q ;
  (* hierconn *) wire [3:0] \u_dut.write_place_q , \u_dut.read_place_q ;
  (* hierconn *) wire [2:0] \u_dut.given_q ;
  (* hierconn *) wire [287:0] \u_dut.words_q ;
  (* hierconn *) wire [31:0] \u_dut.left_q ;
  (* hierconn *) wire [3:0] \u_dut.u_buffer.watched ;
  (* hierconn *) wire [63:0] \u_dut.u_buffer.word_q ;

  // The ring, and what of it is offered
  wire [9:0] mask = (11'd1 << size) - 11'd1;
  wire [9:0] offered = (tail - head) & mask;
  reg was_on = 0;
  reg [3:0] size_was;
  reg [9:0] tail_was, head_was;
  // The next fetch; one that stands; words that are due, and that nobody wants any more
  reg stood = 0, unwanted = 0, was_moving = 0, was_reading = 0;
  reg [9:0] next = 0, stood_index;
  reg [31:0] stood_addr, base_was;
  reg [3:0] due = 0;
  wire [2:0] number = -due[2:0];
  wire under_way = fetch || due != 0;
  wire wanted = comes && !unwanted && enable;
  // The watched word of the buffer: it waits, or is given now
  wire [3:0] watched = \u_dut.u_buffer.watched ;
  wire [3:0] write_place = \u_dut.write_place_q ;
  wire [3:0] read_place = \u_dut.read_place_q ;
  wire reads = \u_dut.reading_q ;
  reg has = 0, out = 0;
  reg [63:0] word;
  reg [9:0] index;
  reg [3:0] read_at;
  always @(posedge clk) begin
    was_on <= rst_n && enable;
    {size_was, tail_was, head_was, base_was} <= {size, tail, head, base};
    next <= !rst_n || clear ? 0 : !enable ? head : fetch && !stood ? (fetch_index + 1) & mask : next;
    stood <= rst_n && !clear && fetch && !announced;
    {stood_index, stood_addr} <= {fetch_index, fetch_addr};
    due <= !rst_n || clear ? 0 : announced ? 8 : due - comes;
    unwanted <= rst_n && !clear && under_way && (unwanted || !enable);
    was_moving <= moving;
    was_reading <= reading;
    has <= !drops && ((has && !(reads && read_place == watched)) || (wanted && write_place == watched));
    if (wanted && write_place == watched) {word, index} <= {data, fetch_index};
    out <= !drops && has && reads && read_place == watched;
    read_at <= read_place;
  end
  always @(*) begin
    assume (size >= 1 && size <= 10 && tail <= mask);
    assume (!begun || size == size_was || (!was_on && !enable && head <= mask));
    assume (!(clear && (enable || announced || comes)));
    assume ((!announced || fetch) && (!comes || due != 0));
    assume (!(was_on && enable) || ((tail - head_was) & mask) >= ((tail_was - head_was) & mask));
    assume (!moving || (rst_n && (was_moving || !was_reading)));
    assume (!enable || region_wen == 0);
  end

  // The entry that is taken next, its words as they are given, and whether it has a fault
  reg [287:0] w;
  reg rest = 0, there = 0, judged = 0, good = 0;
  reg [3:0] given = 0;
  wire [31:0] first = w[31:0];
  wire [7:0] kind = first[7:0];
  wire run = kind == 1, load = kind == 2, store = kind == 3, sets = kind == 4, is_fence = kind == 5;
  wire of_cluster = load && w[35:32] >= 8;
  wire has_rest = place > 4 ? {high, low} != 0 : place == 4 && high != 0;
  reg fits, cluster = 0;
  integer i;
  always @(*) begin
    fits = 0;
    if (kind == 0 || is_fence) fits = w[287:32] == 0;
    if (run) fits = (w[63:32] == 0 || w[63:32] == `CONFIG) && w[95:80] == 0 && w[287:128] == 0;
    if (load || store) fits = ok;
    if (sets) begin
      fits = first[16] || !(first[20] || first[23]);
      for (i = 0; i < 4; i = i + 1)
        if (w[64*i+32+:3] != 0 || w[64*i+64+:32] != 0 || (w[64*i+32+:32] != 0 && !first[20+i])) fits = 0;
    end
    if (rest || (first & ~(32'h000700ff | (is_fence << 8) | (run << 9) | (sets ? 32'h00f00000 : 0))) != 0) fits = 0;
  end
  wire waits = ((first[16] || run || is_fence || of_cluster) && running) ||
    ((first[17] || is_fence || (run && cluster)) && loads) || ((first[18] || is_fence) && stores) ||
    (load && !ready[0]) || (store && !ready[1]);
  reg is_bad = 0;
  wire reached = there && judged && enable && !is_bad;
  wire taken = reached && good && !waits;
  // What was taken in the clock before, and what stays of it
  reg was_run = 0, was_fence = 0, was_interrupt = 0, has_run = 0, limited = 0, is_late = 0;
  reg [9:0] bad_index, is_head = 0, is_run_index;
  reg [16:0] is_run;
  reg [32:0] since;
  reg [31:0] limit;
  reg [127:0] lows = 0;
  reg [31:0] highs = 0;
  always @(posedge clk) begin
    for (i = 0; i < 5; i = i + 1) if (gives && place == i) w[64*i+:32] <= low;
    for (i = 0; i < 4; i = i + 1) if (gives && place == i) w[64*i+32+:32] <= high;
    if (gives) rest <= (rest && place != 0) || has_rest;
    given <= drops || taken ? 0 : given + gives;
    there <= !drops && ((there && !taken) || (gives && place == 7));
    judged <= !drops && there && !taken;
    if (there && !judged) good <= fits;
    cluster <= rst_n && ((cluster && loads) || (taken && of_cluster));
    is_bad <= rst_n && !clear && (is_bad || (reached && !good));
    if (reached && !good) bad_index <= head;
    is_head <= !rst_n || clear ? 0 : taken ? (head + 1) & mask : head;
    {was_run, was_fence, was_interrupt} <= {3{rst_n && taken}} & {run, is_fence, is_fence && first[8]};
    has_run <= rst_n && (has_run || (taken && run));
    if (taken && run) {is_run, is_run_index, limit} <= {w[79:64], first[9], head, w[127:96]};
    since <= taken && run ? 0 : since + (since <= limit);
    limited <= rst_n && (taken && run ? w[127:96] != 0 : limited && (running || was_run));
    is_late <= rst_n && !clear && limited && running && since >= limit;
    for (i = 0; i < 4; i = i + 1) begin
      if (!rst_n) {lows[32*i+:32], highs[8*i+:8]} <= 0;
      else if (taken && sets && first[20+i]) {highs[8*i+:8], lows[32*i+:32]} <= w[64*i+32+:40];
      else begin
        if (region_wen[2*i]) lows[32*i+:32] <= region;
        if (region_wen[2*i+1]) highs[8*i+:8] <= region[7:0];
      end
    end
  end

  // Entries from `head` on: one that leaves the buffer or has left it, those that are in it whole, a fetch
  wire [1:0] filled = \u_dut.filled_q ;
  wire left = \u_dut.gives_q || \u_dut.there_q ;
  wire fetches = under_way && !unwanted;
  wire [2:0] behind = (left || reads) + filled + fetches;
  wire [2:0] in_buffer = reads + filled;
  // The watched word is one of the entry behind that which is read, or would be
  wire second = watched[3] != read_place[3];
  reg same;
  always @(*) begin
    same = 1;
    for (i = 0; i < 5; i = i + 1) if (given > i && \u_dut.words_q [64*i+:32] != w[64*i+:32]) same = 0;
    for (i = 0; i < 4; i = i + 1) if (given > i && \u_dut.words_q [64*i+32+:32] != w[64*i+32+:32]) same = 0;
  end
  always @(*) begin
    if (begun) begin
      // Fetches: of entries that are offered, one after the other
      fetch_in_order: assert (!fetch || stood || (fetch_index == next && next != tail_was && fetch_addr == base_was + {fetch_index, 6'd0}));
      fetch_stands: assert (!stood || (fetch && fetch_index == stood_index && fetch_addr == stood_addr));
      // Words: each is given as it came, of the entry at head
      given_right: assert (!out || (gives && {high, low} == word && index == head && place == watched[2:0]));
      none_lost: assert (!gives || read_at != watched || out);
      none_doubled: assert (!(wanted && write_place == watched && has));
      one_by_one: assert (!gives || (place == given && !there));
      apart: assert (!(wanted && reads && write_place == read_place));
      beside: assert (!moving || !(reads || gives || (there && !judged)));
      names: assert (given == 0 || (of_store == store && entry_index == head));
      // What an entry does
      takes_right: assert (takes == taken && enters == {taken && store, taken && load});
      moves: assert (head == is_head && (!takes || head != tail) && empty == (head == tail));
      starts: assert (start == was_run && (!has_run || {pc, keep, run_index} == {is_run, is_run_index}));
      fences: assert (fence == was_fence && interrupt == was_interrupt);
      regions: assert (region_low == lows && region_high == highs);
      fails: assert (error == is_bad && (!error || error_index == bad_index));
      ends: assert (late == is_late);
      inv_fetch: assert (\u_dut.coming_q == (due != 0) && \u_dut.stale_q == unwanted && due <= 8 && !(fetch && due != 0));
      inv_next: assert (\u_dut.upcoming_q == (fetch && !stood ? (fetch_index + 10'd1) & mask : next));
      inv_behind: assert (\u_dut.upcoming_q == ((head + behind) & mask) && (!fetches || (fetch_index <= mask && \u_dut.upcoming_q == ((fetch_index + 10'd1) & mask))));
      inv_offered: assert (head <= mask && (!enable || behind <= offered));
      inv_room: assert (in_buffer + fetches == \u_dut.reserved_q && \u_dut.reserved_q <= 2);
      inv_write: assert (write_place[2:0] == number && (unwanted ? read_place == 0 && behind == 0 : write_place[3] == read_place[3] ^ in_buffer[0]));
      inv_has: assert (has == (in_buffer > second ? !reads || second || read_place[2:0] <= watched[2:0] :
        due != 0 && !unwanted && write_place[3] == watched[3] && number > watched[2:0]));
      inv_word: assert (!has || ( \u_dut.u_buffer.word_q == word && index == ((head + (!reads && left) + second) & mask)));
      inv_given: assert (there ? given == 8 && !reads && !gives && read_place[2:0] == 0 : reads ? given + gives == read_place[2:0] :
        read_place[2:0] == 0 && given == (gives ? 7 : 0));
      inv_there: assert (there == \u_dut.there_q && (!there || ( \u_dut.checked_q == judged && (!judged || \u_dut.bad_q != good))));
      inv_words: assert (same && (given == 0 ? !reads || ! \u_dut.ragged_q : \u_dut.ragged_q == rest));
      inv_cluster: assert (\u_dut.cluster_q == cluster);
      inv_left: assert (\u_dut.limited_q == limited && (has_run ? \u_dut.left_q == (since >= limit ? 0 : limit - since) : !limited && \u_dut.left_q == 0));
      reach_taken: assert (!(takes && first[18:16] == 7 && run));
      reach_bad: assert (!(error && filled == 2));
      reach_again: assert (!(fetch && unwanted && enable));
      reach_held: assert (!(moving && reading));
      reach_second: assert (!(takes && head == 1));
      reach_late: assert (!(late && limit == 2));
    end
  end
endmodule
