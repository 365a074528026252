// Bursts of a transfer: each stays in its page. Nothing is assumed of the transfer; a burst is taken while it stands.
module dma_bursts (
  input wire clk
);
  (* anyseq *) reg alive, clear, start, take;
  (* anyseq *) reg [15:0] words;
  (* anyseq *) reg [29:0] address;
  (* anyseq *) reg [47:0] count;
  (* anyseq *) reg [57:0] pitch;
  (* anyseq *) reg [80:0] others;
  reg begun = 0;
  always @(posedge clk) begun <= 1;
  wire rst_n = begun && alive;

  wire valid, same, last;
  wire [29:0] addr;
  wire [7:0] len;
  dma_dut u_dut (.clk(clk), .rst_n(rst_n), .clear_i(clear), .start_i(start), .transfer_space_i(others[3:0]),
    .transfer_fill_i(others[4]), .transfer_partitions_i(others[6:5]), .transfer_zero_i(others[14:7]),
    .transfer_place_i(others[29:15]), .transfer_partition_i(others[37:30]), .transfer_count_i(count),
    .transfer_step_i(others[76:38]), .transfer_pitch_i(pitch), .transfer_program_i(others[77]),
    .transfer_origin_i({13'd0, others[80:78]}), .words_i(words), .address_i(address), .valid_o(valid), .addr_o(addr),
    .len_o(len), .same_o(same), .last_o(last), .take_i(take && valid));

  // The burst before: none behind a start, as `same` speaks of one transfer
  reg taken = 0, stood = 0;
  reg [29:0] before, before_end, stood_addr;
  reg [7:0] stood_len;
  always @(posedge clk) begin
    taken <= rst_n && !start && !clear && (taken || (valid && take));
    if (valid && take) before <= addr;
    if (valid && take) before_end <= addr + len;
    stood <= rst_n && !clear && valid && !take;
    stood_addr <= addr;
    stood_len <= len;
  end
  // A transfer begins when the one before has ended
  reg works = 0;
  always @(posedge clk) works <= rst_n && !clear && (start || (works && !(valid && take && last)));
  always @(*) assume (!(start && works));

  // The burst that grows, and the word behind it
  (* hierconn *) wire \u_dut.grows_q ;
  (* hierconn *) wire [29:0] \u_dut.grown_addr_q ;
  (* hierconn *) wire [7:0] \u_dut.grown_len_q ;
  (* hierconn *) wire \u_dut.grown_same_q ;
  (* hierconn *) wire \u_dut.grown_last_q ;
  (* hierconn *) wire \u_dut.has_word_q ;
  (* hierconn *) wire [29:0] \u_dut.word_q ;
  (* hierconn *) wire \u_dut.follows_q ;
  (* hierconn *) wire \u_dut.is_first_q ;
  (* hierconn *) wire \u_dut.is_last_q ;
  (* hierconn *) wire \u_dut.u_walker.valid_q ;
  wire grows = \u_dut.grows_q ;
  wire has_word = \u_dut.has_word_q ;
  wire walks = \u_dut.u_walker.valid_q ;
  wire [29:0] grown = \u_dut.grown_addr_q ;
  wire [29:0] next = \u_dut.word_q ;
  wire [29:0] end_of_grown = grown + \u_dut.grown_len_q ;
  // The last word of the burst in front of that which grows
  wire has_end = valid || taken;
  wire [29:0] end_before = valid ? addr + len : before_end;
  always @(*) begin
    if (begun) begin
      page: assert (!valid || {1'b0, addr[8:0]} + len < 512);
      beats: assert (!valid || len < 8);
      same_page: assert (!(valid && same) || !taken || addr[29:9] == before[29:9]);
      holds: assert (!stood || (valid && addr == stood_addr && len == stood_len));
      inv_page: assert (!grows || ({1'b0, grown[8:0]} + \u_dut.grown_len_q < 512 && \u_dut.grown_len_q < 8));
      inv_next: assert (!(grows && has_word && \u_dut.follows_q ) || (next == end_of_grown + 1 && next[8:0] != 0));
      inv_word: assert (!(grows && !has_word) || next == end_of_grown);
      inv_same: assert (!(valid && same) || (taken && addr == before_end + 1 && addr[8:0] != 0));
      inv_grown_same: assert (!(grows && \u_dut.grown_same_q ) || (has_end && grown == end_before + 1 && grown[8:0] != 0));
      inv_first: assert (!(has_word && !grows && \u_dut.follows_q ));
      inv_gone: assert (!(works && !grows && !has_word && !\u_dut.is_first_q ) || (has_end && next == end_before));
      inv_last: assert (!(valid && last) || !(grows || has_word || walks));
      inv_grown_last: assert (!(grows && \u_dut.grown_last_q ) || !(has_word || walks));
      inv_word_last: assert (!(has_word && \u_dut.is_last_q ) || !walks);
      inv_works: assert (works || !(valid || grows || has_word || walks));
      inv_start: assert (!(works && \u_dut.is_first_q ) || !(valid || grows || has_word || taken));
      inv_before: assert (!taken || before[29:9] == before_end[29:9]);
      reach_same: assert (!(valid && same));
      reach_page: assert (!(valid && !last && addr[8:0] == 9'h1fe && len == 1));
      reach_long: assert (!(valid && len == 7));
      reach_joined: assert (!(valid && len == 1 && count[31:16] != 0 && words == 0));
    end
  end
endmodule
