// Requests on the way of the host, beside what the engine does in a state buffer of two partitions. Nothing is assumed of requests.
// Waves are those of docs/dma.md: each is at partition 1 a clock behind partition 0.
module dma_head (
  input wire clk
);
  (* anyseq *) reg alive, leaves, copying, copies, weight, ready, op_valid, op_table, window_valid, window_write;
  (* anyseq *) reg [1:0] valid;
  (* anyseq *) reg [63:0] addr;
  (* anyseq *) reg [127:0] wdata;
  (* anyseq *) reg [15:0] zero;
  (* anyseq *) reg [31:0] window_addr;
  (* anyseq *) reg [63:0] window_wdata;
  (* anyseq *) reg [7:0] window_zero;
  (* anyseq *) reg [15:0] op_addr;
  (* anyseq *) reg [4:0] bank_0, bank_1;
  (* anyseq *) reg [40:0] others;
  reg begun = 0;
  always @(posedge clk) begun <= 1;
  wire rst_n = begun && alive;

  wire [1:0] taken;
  wire window_taken, goes, write, is_store;
  wire [31:0] to;
  wire [63:0] data;
  wire [7:0] write_zero, read_zero;
  dma_dut u_dut (.clk(clk), .rst_n(rst_n), .dma_valid_i(valid), .dma_addr_i(addr), .dma_wdata_i(wdata),
    .dma_zero_i(zero), .dma_ready_o(taken), .window_valid_i(window_valid), .window_write_i(window_write),
    .window_addr_i(window_addr), .window_wdata_i(window_wdata), .window_zero_i(window_zero),
    .window_ready_o(window_taken), .host_valid_o(goes), .host_write_o(write), .host_addr_o(to), .host_wdata_o(data),
    .zero_o(write_zero), .read_zero_o(read_zero), .host_ready_i(ready), .is_store_o(is_store), .op_valid_i(op_valid),
    .op_addr_i(op_addr), .op_rows_i(others[8:0]), .op_thr_i(others[16:9]), .op_fresh_i(others[17]),
    .op_swap_i(others[18]), .op_tag_i(others[26:19]), .op_table_i(op_table), .op_entry_i(others[34:27]),
    .leaves_i(leaves), .copying_i(copying), .weight_i(weight), .running_i(others[35]),
    .takes_command_i(others[36]), .takes_weights_i(others[37]));

  // What is at each partition: requests of the state buffer, drain words, copies, words of weights, operands
  reg [1:0] writes = 0, reads = 0, drains = 0, copied = 0, weights = 0, operands = 0;
  reg [4:0] bank, bank_then, own, own_then;
  reg slot = 0, table_then = 0, tabled = 0;
  reg [4:0] slot_bank;
  wire is_buffer = goes && ready && to[31:29] == 3'b110;
  // Reads of STORE that are not answered: where they are, and their zero points
  reg [9:0] away = 0;
  reg [7:0] away_zero[0:8];
  // Clocks for which a request has stood although nothing is in its way
  reg [1:0] load_waits = 0, window_waits = 0;
  reg [3:0] store_waits = 0;
  wire quiet = rst_n && ready && !leaves && !copying && !weight && !slot && !op_valid;
  integer i;
  always @(posedge clk) begin
    writes <= rst_n ? {writes[0], is_buffer && write} : 0;
    reads <= rst_n ? {reads[0], is_buffer && !write} : 0;
    bank <= to[15:11];
    bank_then <= bank;
    drains <= {drains[0], leaves};
    // A copy writes only behind a clock in which one is under way
    copied <= {copied[0], copying && copies};
    weights <= {weights[0], weight};
    slot <= rst_n && op_valid;
    tabled <= op_table;
    slot_bank <= op_addr[15:11];
    operands <= rst_n ? {operands[0], slot} : 0;
    // With row tables each row has a bank of its own
    own <= tabled ? bank_0 : slot_bank;
    own_then <= table_then ? bank_1 : own;
    table_then <= tabled;
    away <= rst_n ? {away[8:0], taken[1]} : 0;
    away_zero[0] <= zero[15:8];
    for (i = 1; i < 9; i = i + 1) away_zero[i] <= away_zero[i-1];
    load_waits <= quiet && valid[0] && !taken[0] ? load_waits + 1 : 0;
    store_waits <= quiet && valid[1] && !taken[1] ? store_waits + 1 : 0;
    window_waits <= quiet && window_valid && !window_taken ? window_waits + 1 : 0;
  end
  // Registers of the reads that are on their way, joined by name
  (* hierconn *) wire [9:0] \u_dut.away_q ;
  (* hierconn *) wire [9:0] \u_dut.away_left_q ;
  (* hierconn *) wire [7:0] \u_dut.store_zero_q ;
  (* hierconn *) wire [1:0] \u_dut.last_q ;
  (* hierconn *) wire \u_dut.op_before_q ;
  (* hierconn *) wire \u_dut.op_table_q ;
  (* hierconn *) wire [12:0] \u_dut.op_word_q ;
  reg [3:0] newest;
  reg one_zero;
  always @(*) begin
    newest = 10;
    one_zero = 1;
    for (i = 9; i >= 0; i = i - 1) if (away[i]) newest = i;
    for (i = 0; i < 9; i = i + 1) if (away[i] && away_zero[i] != \u_dut.store_zero_q ) one_zero = 0;
  end

  wire [2:0] gone = {window_taken, taken};
  always @(*) begin
    if (begun) begin
      write_meets_nothing: assert (!writes[0] || !(drains[0] || copied[0]));
      write_meets_nothing_behind: assert (!writes[1] || !(drains[1] || copied[1]));
      read_meets_nothing: assert (!reads[0] || !(weights[0] || (operands[0] && own == bank)));
      read_meets_nothing_behind: assert (!reads[1] || !(weights[1] || (operands[1] && own_then == bank_then)));
      one: assert (goes && ready ? gone == 1 || gone == 2 || gone == 4 : gone == 0);
      asked: assert ((gone & ~{window_valid, valid}) == 0);
      load_right: assert (!taken[0] || (write && to == addr[31:0] && data == wdata[63:0] && write_zero == zero[7:0]));
      store_right: assert (!taken[1] || (!write && to == addr[63:32]));
      window_right: assert (!window_taken || (write == window_write && to == window_addr &&
        (!write || (data == window_wdata && write_zero == window_zero))));
      answered: assert (is_store == away[9]);
      answer_zero: assert (read_zero == (away[8] ? away_zero[8] : window_zero));
      load_goes: assert (load_waits < 3);
      window_goes: assert (window_waits < 3);
      // Reads of one command and of the next have zero points of their own
      store_goes: assert (store_waits < 14);
      inv_away: assert (\u_dut.away_q == away);
      inv_zero: assert (one_zero);
      inv_last: assert (\u_dut.last_q < 3);
      inv_left: assert (away ? \u_dut.away_left_q == 10'h20a - newest : \u_dut.away_left_q <= 10'h200);
      inv_slot: assert (\u_dut.op_before_q == slot && (!slot || (\u_dut.op_word_q [12:8] == slot_bank && \u_dut.op_table_q == tabled)));
      inv_wait: assert (!\u_dut.away_left_q [9] || store_waits <= 10'h20a - \u_dut.away_left_q );
      reach_all: assert (!(&valid && window_valid && taken[1]));
      reach_held: assert (!(valid[0] && !taken[0] && leaves && ready));
      reach_zero: assert (!(valid[1] && store_waits == 9));
      reach_answer: assert (!(is_store && window_taken));
    end
  end
endmodule
