// The words of a LOAD or STORE on their way into the queues, addresses of BITS bits. The rules are those of docs/image.md, written down once
// more. Assumed of those who give the words: they come in their order, an entry two in a clock, an instruction one, never both. A
// command may be broken off at any word. Whose it is, and whether it is a STORE, stays from its first word on.
module dma_intake (
  input wire clk
);
  localparam A = `BITS, W = A - 2;
  (* anyseq *) reg alive, entry, entry_store, move, move_store;
  (* anyseq *) reg [2:0] place, left;
  (* anyseq *) reg [31:0] low, high, word, region_high;
  (* anyseq *) reg [9:0] index;
  (* anyseq *) reg [15:0] pc;
  (* anyseq *) reg [3:0] others;
  (* anyseq *) reg [127:0] region_low;
  reg begun = 0;
  always @(posedge clk) begun <= 1;
  wire rst_n = begun && alive;

  wire ok, of_program, past;
  wire [7:0] takes;
  wire [8*W-1:0] data;
  dma_dut u_dut (.clk(clk), .rst_n(rst_n), .entry_valid_i(entry), .entry_place_i(place), .entry_low_i(low),
    .entry_high_i(high), .entry_store_i(entry_store), .entry_index_i(index), .move_valid_i(move), .move_left_i(left),
    .move_word_i(word), .move_store_i(move_store), .move_pc_i(pc), .move_enters_i(others[1:0]),
    .move_waits_i(others[3:2]), .region_low_i(region_low), .region_high_i(region_high), .ok_o(ok), .write_takes_o(takes),
    .write_data_o(data), .write_program_o(of_program), .write_past_o(past));

  (* hierconn *) wire [3:0] \u_dut.u_check.space_q ;
  (* hierconn *) wire \u_dut.u_check.fill_q , \u_dut.u_check.bad_q ;
  (* hierconn *) wire [1:0] \u_dut.region_q ;

  // Words that have come of the command under way, and whose it is
  reg [3:0] had = 0;
  reg is_move, is_store;
  reg [15:0] is_origin;
  reg [255:0] was;
  wire store = move ? move_store : entry_store;
  wire [15:0] origin = move ? pc : {6'd0, index};
  wire comes = move || (entry && place < 5);
  wire begins = move ? left == 7 : entry && place == 0;
  integer k;
  // Those of this clock included
  reg [255:0] w;
  reg [7:0] here;
  always @(*) begin
    here = 0;
    for (k = 1; k <= 8; k = k + 1) here[k-1] = move ? left == 8 - k : entry && place == k / 2;
    w = was;
    for (k = 1; k <= 8; k = k + 1) if (here[k-1]) w[32*k-32+:32] = move ? word : k % 2 == 1 ? high : low;
  end
  wire [3:0] has = begins ? 1 : had + here[0] + here[1] + here[2] + here[3] + here[4] + here[5] + here[6] + here[7];
  always @(posedge clk) begin
    had <= rst_n ? has : 0;
    was <= w;
    if (begins) {is_move, is_store, is_origin} <= {move, store, origin};
  end
  always @(*) begin
    assume (!(entry && move));
    assume (!move || left == 7 || (is_move && had == 7 - left));
    assume (!entry || place == 0 || (!is_move && (place < 5 ? had == 2 * place - 1 : had == 8)));
    assume (begins || had == 0 || (is_move && !move) || (store == is_store && origin == is_origin));
  end

  // What the first `count` words of a command may be: those that have not come are 0, in space 1 with a step of 1
  function right(input [255:0] words, input [3:0] count);
    reg [31:0] w1, w2, w3, w4, w5, w6, w7, w8;
    reg [3:0] space;
    reg fill, in_field;
    begin
      {w8, w7, w6, w5, w4, w3, w2, w1} = words & ~({256{1'b1}} << {count, 5'd0});
      if (count < 4 && w1[3:0] == 1) w4 = 32'h10000;
      space = w1[3:0];
      fill = w1[7];
      in_field = w1[6] == 0 && w1[15:10] == 0 && w1[31:24] == 0;
      case (space)
        0: if (w3[15:13] != 0 || w3[31:24] != 0) in_field = 0;
        1: if (w3[15:10] != 0 || w3[31:24] != 0) in_field = 0;
        2: if (w3[15:8] != 0 || w3[31:24] != 0) in_field = 0;
        3: if (w3[31:11] != 0) in_field = 0;
        4: if (w3[31:15] != 0) in_field = 0;
        8, 9: if (w3 != 0) in_field = 0;
        default: in_field = 0;
      endcase
      if (w4[15:13] != 0 || w4[31:29] != 0 || w5[31:29] != 0 || w7[31:29] != 0) in_field = 0;
      right = in_field && w2[2:0] == 0 && w6[2:0] == 0 && w8[2:0] == 0 && (space == 0 || (!fill && w1[23:16] == 0)) &&
        (space == 0 || space == 2 || w1[9:8] == 0) && (space != 1 || (w4[28:16] == 1 && w7[15:0] == 0)) &&
        (space < 8 || (w4[28:16] == 0 && w5[28:16] == 0 && w7[28:16] == 0)) &&
        (!fill || (w1[5:4] == 0 && w1[23:16] == 0 && w2 == 0 && w6 == 0 && w8 == 0));
    end
  endfunction
  wire fits = right(w, has), fitted = right(was, had);
  wire [3:0] space = w[3:0];
  wire whose = begins ? move : is_move;
  // An entry may be asked behind its words, an instruction with its last one
  wire is_asked = has == 8 && whose == move;
  wire [1:0] region = w[5:4];
  wire [39:0] base = {region_high[8*region+:8], region_low[32*region+:32]};
  wire [A:0] address = {1'b0, base[A-1:3], 3'd0} + w[63:32];
  // What a queue keeps of each word
  wire [W-1:0] d1 = data[0+:W], d2 = data[W+:W], d3 = data[2*W+:W], d4 = data[3*W+:W], d5 = data[4*W+:W], d6 = data[5*W+:W],
    d7 = data[6*W+:W], d8 = data[7*W+:W];
  always @(*) begin
    if (begun) begin
      accepts: assert (!is_asked || ok == (fits && !(store && (space != 0 || w[7])) && !(whose && space >= 8)));
      enters: assert (takes == here && (takes == 0 || of_program == whose));
      first: assert (!here[0] || (d1[3:0] == space && d1[7] == w[7] && d1[9:8] == w[9:8] && d1[17:10] == w[23:16]));
      names: assert ((!here[0] || (d1[4] == whose && d1[27:18] == origin[9:0])) && (!here[2] || d3[29:24] == origin[15:10]));
      begins_at: assert (!here[1] || d2 == address[A:3]);
      places: assert (!here[2] || (d3[14:0] == w[78:64] && d3[23:16] == w[87:80]));
      loops: assert ((!here[3] || (d4[12:0] == w[108:96] && d4[28:16] == w[124:112])) &&
        (!here[4] || d5[28:0] == w[156:128]) && (!here[6] || d7[28:0] == w[220:192]));
      pitches: assert ((!here[5] || d6[28:0] == w[191:163]) && (!here[7] || d8[28:0] == w[255:227]));
      is_past: assert (has < 2 || past == (space >= 1 && space <= 3));
      inv_first: assert (had == 0 || { \u_dut.u_check.fill_q , \u_dut.region_q , \u_dut.u_check.space_q } == {was[7], was[5:0]});
      inv_bad: assert (had == 0 || \u_dut.u_check.bad_q != fitted);
      reach_columns: assert (!(is_asked && ok && !whose && space == 1 && w[155:128] != 0));
      reach_fill: assert (!(is_asked && ok && whose && w[7] && w[87:80] == 3));
      reach_store: assert (!(is_asked && ok && store && w[9:8] == 3));
      reach_cluster: assert (!(is_asked && !ok && fits && whose && !store));
      reach_again: assert (!(begins && had == 5 && move != is_move));
      reach_behind: assert (!(is_asked && !entry && fits && !whose));
    end
  end
endmodule
