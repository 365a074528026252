// The map memory of a unit, 2 entries in a clock, sets of MAX: an entry of a set, any number of any set, against what
// was loaded. In which order entries are read is not looked at: any may be, as often as it is named.
module sparse_map (
  input wire clk
);
  localparam MAX = `MAX, A = $clog2(MAX);
  (* anyseq *) reg valid, first, last, mask, read_valid, ready;
  (* anyseq *) reg [3:0] count;
  (* anyseq *) reg [7:0] row, col;
  (* anyseq *) reg [1:0] set, read_set;
  (* anyseq *) reg [17:0] value, list;
  (* anyconst *) reg [8:0] row0, row1, col0, col1;
  // The entry that is followed
  (* anyconst *) reg [1:0] its_set;
  (* anyconst *) reg [A-1:0] its_number;
  reg [2:0] passed = 0;
  always @(posedge clk) passed <= {passed[1:0], 1'b1};
  wire started = passed[2];

  wire full, read_ready, done, is_valid, busy;
  wire [1:0] done_set;
  wire [8:0] values, lists;
  wire [7:0] rows, cols;
  sparse_dut u_dut (.clk(clk), .rst_n(passed[0]), .load_valid_i(valid), .load_count_i(count), .load_row_i(row),
    .load_col_i(col), .load_set_i(set), .load_first_i(first), .load_last_i(last), .load_value_i(value),
    .load_list_i(list), .mask_i(mask), .part_row0_i(row0), .part_row1_i(row1), .part_col0_i(col0),
    .part_col1_i(col1), .full_o(full), .read_valid_i(read_valid), .read_ready_o(read_ready),
    .read_set_i(read_set), .read_done_o(done), .done_set_o(done_set), .valid_o(is_valid), .ready_i(ready),
    .entry_value_o(values), .entry_row_o(rows), .entry_col_o(cols), .list_o(lists), .busy_o(busy));
  (* hierconn *) wire [A-1:0] \u_dut.gen_bank[0].u_bank.watched , \u_dut.gen_bank[1].u_bank.watched ;
  (* hierconn *) wire [35:0] \u_dut.gen_bank[0].u_bank.word_q , \u_dut.gen_bank[1].u_bank.word_q ;
  (* hierconn *) wire \u_dut.gen_bank[0].u_bank.clash , \u_dut.gen_bank[1].u_bank.clash ;
  (* hierconn *) wire [71:0] \u_dut.bank_rdata , \u_dut.kept_word_q ;
  (* hierconn *) wire [29:0] \u_dut.count_q ;
  (* hierconn *) wire [2:0] \u_dut.read_bank_q ;
  (* hierconn *) wire [14:0] \u_dut.order_number ;
  (* hierconn *) wire [1:0] \u_dut.order_set_out ;
  (* hierconn *) wire \u_dut.reads , \u_dut.free , \u_dut.goes , \u_dut.read_q , \u_dut.waits_q , \u_dut.stands_q ;

  wire bank = its_number[0];
  wire [35:0] word = bank ? \u_dut.gen_bank[1].u_bank.word_q : \u_dut.gen_bank[0].u_bank.word_q ;
  wire clash = bank ? \u_dut.gen_bank[1].u_bank.clash : \u_dut.gen_bank[0].u_bank.clash ;
  wire [A-1:0] watched = bank ? \u_dut.gen_bank[1].u_bank.watched : \u_dut.gen_bank[0].u_bank.watched ;
  wire [14:0] size = its_set[0] ? \u_dut.count_q [29:15] : \u_dut.count_q [14:0];

  // What is loaded to the set: counted a clock after it comes, but emptied at once
  wire empties = valid && mask && first && set == its_set;
  reg comes, was_last;
  reg [3:0] how_many;
  reg [71:0] entries;
  reg [A:0] number = 0;  // entries of the set
  reg [35:0] entry;
  reg on_its_way = 0;
  wire [A+1:0] place = its_number - number;
  wire its_turn = comes && its_number >= number && place < how_many;
  always @(posedge clk) begin
    comes <= valid && mask && set == its_set && row >= row0 && row < row1 && col >= col0 && col < col1;
    how_many <= count;
    entries <= {1'b0, col, 1'b0, row, list[17:9], value[17:9], 1'b0, col, 1'b0, row, list[8:0], value[8:0]};
    if (empties) number <= 0;
    else if (comes) number <= number + how_many > MAX ? MAX : number + how_many;
    on_its_way <= its_turn;
    if (its_turn) entry <= place[0] ? entries[71:36] : entries[35:0];
    if (!passed[0]) {number, comes, on_its_way} <= 0;
  end

  // What is read: behind the memory, one that waits, one that stands at the outputs
  wire here = its_number < number && !on_its_way;
  wire named = \u_dut.reads && \u_dut.order_set_out == its_set && \u_dut.order_number == its_number && here;
  reg reads = 0, waits = 0, stands = 0;
  reg [35:0] read_entry, wait_entry, stand_entry;
  reg [1:0] under_way = 0;
  always @(posedge clk) begin
    if (\u_dut.free ) {reads, read_entry} <= {named, entry};
    if (!\u_dut.waits_q ) {waits, wait_entry} <= {reads && \u_dut.read_q , read_entry};
    if (\u_dut.goes ) {stands, stand_entry} <= \u_dut.waits_q ? {waits, wait_entry} : {reads && \u_dut.read_q , read_entry};
    under_way <= under_way + \u_dut.reads - (is_valid && ready);
    if (!passed[0]) {reads, waits, stands, under_way} <= 0;
  end

  always @(*) begin
    assume (its_set < 2 && set < 2 && read_set < 2 && count <= 2);
    assume (watched == {its_set[0], its_number[A-1:1]});
    // A set is not written while it is read
    if (\u_dut.reads && \u_dut.order_set_out == its_set) assume (!comes && !on_its_way);
    if (!started) assume (!valid && !read_valid);
  end
  always @(*) if (started) begin
    counts: assert (size == number && \u_dut.count_q [14:0] <= MAX && \u_dut.count_q [29:15] <= MAX);
    if (here) stored: assert (word == entry);
    if (named) apart: assert (!clash);
    // Nothing is lost or doubled behind the memory
    keeps: assert (under_way == \u_dut.read_q + \u_dut.waits_q + \u_dut.stands_q && is_valid == \u_dut.stands_q );
    follows: assert ((!\u_dut.read_q || !reads || (\u_dut.read_bank_q == bank &&
      (bank ? \u_dut.bank_rdata [71:36] : \u_dut.bank_rdata [35:0]) == read_entry)) &&
      (!\u_dut.waits_q || !waits || \u_dut.kept_word_q [35:0] == wait_entry));
    if (is_valid && stands) begin
      gives: assert ({cols, rows, lists, values} == {stand_entry[34:27], stand_entry[25:18], stand_entry[17:0]});
    end
    reach_read: assert (!(is_valid && stands && \u_dut.waits_q && number > 3));
  end
endmodule
