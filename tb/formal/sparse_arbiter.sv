// The arbiter of a tile unit: of the LANES products of a round LIMIT of each sum go on, the others wait in a queue.
module sparse_arbiter (
  input wire clk
);
  localparam P = `LANES, Q = P - 1, LIMIT = `LIMIT;
  (* anyseq *) reg later;
  (* anyseq *) reg [P-1:0] valid;
  (* anyseq *) reg [4*P-1:0] row, col;
  (* anyseq *) reg [18*P-1:0] value;
  (* anyconst *) reg [25:0] product;
  (* anyconst *) reg [7:0] sum;
  reg released = 0, started = 0;
  always @(posedge clk) {started, released} <= {released, 1'b1};

  wire [P-1:0] queued, is_valid;
  wire [4*P-1:0] rows, cols;
  wire [18*P-1:0] values;
  wire busy;
  sparse_dut u_dut (.clk(clk), .rst_n(released), .earlier_waits_i(later), .product_valid_i(valid),
    .product_row_i(row), .product_col_i(col), .product_value_i(value), .queued_o(queued),
    .product_valid_o(is_valid), .product_row_o(rows), .product_col_o(cols), .product_value_o(values),
    .busy_o(busy));
  // The queue, joined by name when it is flattened
  (* hierconn *) wire [Q-1:0] \u_dut.queue_valid_q ;
  (* hierconn *) wire [4*Q-1:0] \u_dut.queue_row_q , \u_dut.queue_col_q ;
  (* hierconn *) wire [18*Q-1:0] \u_dut.queue_value_q ;

  // Products in the order in which they go first: those of the queue, then new ones, lane 0 or the last lane first.
  // Q + i is the one of lane i, 0 to Q - 1 are those of the queue.
  reg [Q+P-1:0] here, waits;
  reg [7:0] of_sum[0:Q+P-1];
  reg [25:0] all[0:Q+P-1];
  reg is_before;
  reg [3:0] before, waiting;
  // What should stand in the queue, and in the lanes, in the next clock
  reg [Q-1:0] next_queue;
  reg [26*Q-1:0] next_queued;
  reg [P-1:0] next_valid;
  reg [26*P-1:0] next_products;
  integer i, j, n;
  always @(*) begin
    for (i = 0; i < Q; i = i + 1) begin
      here[i] = \u_dut.queue_valid_q [i];
      all[i] = {\u_dut.queue_row_q [4*i+:4], \u_dut.queue_col_q [4*i+:4], \u_dut.queue_value_q [18*i+:18]};
      of_sum[i] = all[i][25:18];
    end
    for (i = 0; i < P; i = i + 1) begin
      here[Q+i] = valid[i];
      all[Q+i] = {row[4*i+:4], col[4*i+:4], value[18*i+:18]};
      of_sum[Q+i] = all[Q+i][25:18];
    end
    for (j = 0; j < Q + P; j = j + 1) begin
      before = 0;
      for (i = 0; i < Q + P; i = i + 1) begin
        is_before = i < Q || j < Q ? i < j : later ? i > j : i < j;
        if (is_before && here[i] && of_sum[i] == of_sum[j]) before = before + 1;
      end
      waits[j] = here[j] && before >= LIMIT;
    end
    next_queue = 0;
    next_queued = 0;
    waiting = 0;
    for (j = 0; j < Q + P; j = j + 1) begin
      if (waits[j]) begin
        for (i = 0; i < Q; i = i + 1) if (waiting == i) {next_queue[i], next_queued[26*i+:26]} = {1'b1, all[j]};
        waiting = waiting + 1;
      end
    end
    for (i = 0; i < P; i = i + 1) begin
      next_valid[i] = valid[i] && !waits[Q+i];
      next_products[26*i+:26] = all[Q+i];
      if (i > 0 && here[P-1-i]) begin
        next_valid[i] = !waits[P-1-i];
        next_products[26*i+:26] = all[P-1-i];
      end
    end
  end
  // How often a product stands in the queue and comes in a clock, and how often it goes on and waits in the next one
  reg [4:0] came, stands, goes, was;
  reg is_gap;
  reg [4:0] of_one;
  reg [P-1:0] was_valid;
  reg [Q-1:0] was_queue;
  reg [26*Q-1:0] was_queued;
  reg [26*P-1:0] was_products;
  reg [25:0] out, in_queue;
  reg is_other;
  always @(*) begin
    came = 0;
    stands = 0;
    goes = 0;
    of_one = 0;
    is_gap = 0;
    is_other = is_valid != was_valid || \u_dut.queue_valid_q != was_queue;
    for (i = 0; i < Q; i = i + 1) begin
      if (here[i] && all[i] == product) stands = stands + 1;
      if (i > 0 && here[i] && !here[i-1]) is_gap = 1;
      if (here[i] != queued[P-1-i]) is_gap = 1;
      if (was_queue[i] && all[i] != was_queued[26*i+:26]) is_other = 1;
    end
    if (queued[0]) is_gap = 1;
    for (i = 0; i < P; i = i + 1) begin
      out = {rows[4*i+:4], cols[4*i+:4], values[18*i+:18]};
      if (valid[i] && all[Q+i] == product) came = came + 1;
      if (is_valid[i] && out == product) goes = goes + 1;
      if (is_valid[i] && out[25:18] == sum) of_one = of_one + 1;
      if (was_valid[i] && out != was_products[26*i+:26]) is_other = 1;
    end
  end
  always @(posedge clk) begin
    was <= came + stands;
    was_valid <= next_valid;
    was_queue <= next_queue;
    was_queued <= next_queued;
    was_products <= next_products;
    if (!released) {was, was_valid, was_queue} <= 0;
  end
  // No new product comes to a lane that has one that has waited
  always @(*) assume ((valid & queued) == 0);

  always @(*) if (started) begin
    // As the order above says
    order: assert (!is_other);
    // None is lost or doubled
    kept: assert (goes + stands == was);
    limit: assert (of_one <= LIMIT);
    // Those that wait are in the last lanes, the very last one first
    level: assert (!is_gap && busy == (is_valid != 0 || queued != 0));
    reach_full: assert (!(\u_dut.queue_valid_q == {Q - LIMIT + 1{1'b1}}));
    reach_twice: assert (!(goes == 1 && stands == 1));
  end
endmodule
