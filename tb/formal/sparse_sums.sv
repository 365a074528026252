// The sums of a unit of the sparse cluster: one word of them, at any address, against what products and drains
// have made of it. LANES sums in a word, ADDRESS bits of an address.
module sparse_sums (
  input wire clk
);
  localparam LANES = `LANES, ADDRESS = `ADDRESS;
  (* anyseq *) reg valid, drain, keep;
  (* anyseq *) reg [15:0] addr, next_addr, drain_addr;
  (* anyseq *) reg [17*LANES-1:0] value;
  // A clock of reset, and one in which nothing comes: what the registers held before may be written in the first
  reg released = 0, started = 0;
  always @(posedge clk) {started, released} <= {released, 1'b1};

  wire hold;
  wire [32*LANES-1:0] stored;
  sparse_dut u_dut (.clk(clk), .rst_n(released), .valid_i(valid), .addr_i(addr), .next_addr_i(next_addr),
    .value_i(value), .hold_o(hold), .drain_valid_i(drain), .drain_addr_i(drain_addr), .drain_keep_i(keep),
    .stored_o(stored));
  (* hierconn *) wire [ADDRESS-1:0] \u_dut.u_ram.watched ;
  (* hierconn *) wire [32*LANES-1:0] \u_dut.u_ram.word_q ;
  (* hierconn *) wire \u_dut.u_ram.clash ;

  // The word that is watched: what it should be, and whether it was named 1, 2 or 3 clocks ago
  wire [ADDRESS-1:0] word = \u_dut.u_ram.watched ;
  wire product_here = valid && addr[ADDRESS-1:0] == word;
  wire drain_here = drain && drain_addr[ADDRESS-1:0] == word;
  reg [32*LANES-1:0] sum, given[0:1];
  reg [2:0] way = 0;
  reg [1:0] drained = 0;
  reg was_held = 0, was_valid = 0;
  reg [15:0] was_addr, was_next;
  wire busy = |way;
  integer i;
  always @(posedge clk) begin
    way <= started ? {way[1:0], drain_here || (product_here && !hold)} : 3'd0;
    drained <= started ? {drained[0], drain_here} : 2'd0;
    given[0] <= sum;
    given[1] <= given[0];
    if (!started) sum <= \u_dut.u_ram.word_q ;
    else if (drain_here && !keep) sum <= 0;
    else if (product_here && !hold) begin
      for (i = 0; i < LANES; i = i + 1) begin
        sum[32*i+:32] <= sum[32*i+:32] + {{15{value[17*i+16]}}, value[17*i+:17]};
      end
    end
    was_held <= started && hold;
    was_valid <= started && valid;
    was_addr <= addr;
    was_next <= next_addr;
  end

  always @(*) begin
    // Products that are held stay, and others were named a clock before
    if (was_held) assume (valid && addr == was_addr);
    else if (valid) assume (addr[ADDRESS-1:0] == was_next[ADDRESS-1:0]);
    // A drain names no word of products that are here or come in the next clock, nor one on its way
    if (drain_here) assume (!product_here && !busy);
    if (drained[0]) assume (!product_here);
        if (!started) assume (!valid && !drain);
  end

  always @(*) if (started) begin
    // The interlock: held exactly while the word is on its way, or behind a drain
    if (product_here) holds: assert (hold == (busy || drain));
    // What is not on its way is in the memory
    if (!busy) sums: assert (\u_dut.u_ram.word_q == sum);
    // It is never read and written in one clock
    apart: assert (!\u_dut.u_ram.clash );
    // A drain gives it
    if (drained[1]) drains: assert (stored == given[1]);
  end
  // Each distance, a drain behind a product and a product behind a drain come true
  reg added = 0, cleared = 0;
  always @(posedge clk) begin
    if (product_here && !hold && way == 3'b000 && sum != 0) added <= 1;
    if (drain_here && !keep && added) cleared <= 1;
  end
  always @(*) if (started) begin
    reach_distance_1: assert (!(product_here && way[0] && !was_held));
    reach_distance_2: assert (!(product_here && way[1] && !was_held));
    reach_distance_3: assert (!(product_here && way[2] && !was_held));
    reach_drain: assert (!(drained[1] && cleared && stored != 0));
    reach_behind_drain: assert (!(cleared && product_here && way[1]));
  end
endmodule
