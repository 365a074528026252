// The AXI4-Lite side of the register port. Nothing is assumed of the master: it may take a request back, or answer
// whenever it likes. Reset comes in the first clock, and again at any time.
module system_axil (
  input wire clk
);
  (* anyseq *) reg alive, aw_valid, w_valid, b_ready, ar_valid, r_ready;
  (* anyseq *) reg [11:0] aw_addr, ar_addr;
  (* anyseq *) reg [31:0] w_data, word;
  (* anyseq *) reg [3:0] w_strb;
  reg begun = 0;
  always @(posedge clk) begun <= 1;
  wire rst_n = begun && alive;

  wire aw_ready, w_ready, b_valid, ar_ready, r_valid, write, whole, read;
  wire [11:0] write_addr, read_addr;
  wire [31:0] r_data, write_data;
  system_dut u_dut (.clk(clk), .rst_n(rst_n), .aw_valid_i(aw_valid), .aw_ready_o(aw_ready), .aw_addr_i(aw_addr),
    .w_valid_i(w_valid), .w_ready_o(w_ready), .w_data_i(w_data), .w_strb_i(w_strb), .b_valid_o(b_valid),
    .b_ready_i(b_ready), .ar_valid_i(ar_valid), .ar_ready_o(ar_ready), .ar_addr_i(ar_addr), .r_valid_o(r_valid),
    .r_ready_i(r_ready), .r_data_o(r_data), .write_o(write), .write_addr_o(write_addr), .write_data_o(write_data),
    .write_whole_o(whole), .read_o(read), .read_addr_o(read_addr), .word_i(word));

  // What was taken and is not answered, what it said, and whether the registers have been asked
  reg has_aw = 0, has_w = 0, has_ar = 0, has_written = 0, has_read = 0;
  reg [11:0] aw, ar;
  reg [32:0] w;
  reg asked = 0;
  reg [31:0] found;
  // Clocks since then without an answer
  reg [2:0] write_waits = 0, read_waits = 0;
  reg b_stands = 0, r_stands = 0;
  reg [31:0] r_stood;
  wire is_write = has_aw && has_w;
  wire b_ends = b_valid && b_ready;
  wire r_ends = r_valid && r_ready;
  always @(posedge clk) begin
    has_aw <= rst_n && (has_aw || (aw_valid && aw_ready)) && !b_ends;
    has_w <= rst_n && (has_w || (w_valid && w_ready)) && !b_ends;
    has_ar <= rst_n && (has_ar || (ar_valid && ar_ready)) && !r_ends;
    has_written <= rst_n && (has_written || write) && !b_ends;
    has_read <= rst_n && (has_read || read) && !r_ends;
    if (aw_valid && aw_ready) aw <= aw_addr;
    if (w_valid && w_ready) w <= {w_strb == 4'hf, w_data};
    if (ar_valid && ar_ready) ar <= ar_addr;
    asked <= rst_n && read;
    if (asked) found <= word;
    write_waits <= rst_n && is_write && !b_valid ? write_waits + 1 : 0;
    read_waits <= rst_n && has_ar && !r_valid ? read_waits + 1 : 0;
    b_stands <= rst_n && b_valid && !b_ready;
    r_stands <= rst_n && r_valid && !r_ready;
    r_stood <= r_data;
  end

  always @(*) begin
    low: assert (rst_n || !(aw_ready || w_ready || ar_ready));
    // Before the first reset the registers may hold anything
    if (begun) begin
      one: assert (!rst_n || {aw_ready, w_ready, ar_ready} == ~{has_aw, has_w, has_ar});
      b_holds: assert (!b_stands || b_valid);
      r_holds: assert (!r_stands || (r_valid && r_data == r_stood));
      // With `one`: an answer ends its request, so each has exactly one
      b_answers: assert (b_valid == has_written && (!b_valid || is_write));
      r_answers: assert ((!r_valid || has_read) && (!has_read || has_ar));
      // What is whole in cycle t waits in t + 1 for the first time and is answered in t + 4 at the latest
      b_in_time: assert (!is_write || b_valid || write_waits < 3);
      r_in_time: assert (!has_ar || r_valid || read_waits < 3);
      write_once: assert (!write || (is_write && !has_written));
      read_once: assert (!read || (has_ar && !has_read));
      write_right: assert ((!has_aw || write_addr == aw) && (!has_w || {whole, write_data} == w));
      read_right: assert (!read || read_addr == ar);
      r_word: assert (!r_valid || r_data == found);
      reach_both: assert (!(write && read));
      reach_stands: assert (!(b_stands && r_stands));
      reach_word_first: assert (!(has_w && aw_valid && aw_ready));
      reach_address_first: assert (!(has_aw && w_valid && w_ready));
      reach_reset: assert (!(b_stands && r_stands && !alive));
    end
  end
endmodule
