// The engine of stores, with its queue and places: each place is read once, in their order. Assumed is what stands around it: there is room
// for a word until one is read; a command enters where there is room; its last burst is announced when all its words are here.
module dma_store (
  input wire clk
);
  (* anyseq *) reg alive, halt, is_program, past, take, idle, fits, ready;
  (* anyseq *) reg [1:0] enters;
  (* anyseq *) reg [7:0] words;
  (* anyseq *) reg [239:0] data;
  reg begun = 0;
  always @(posedge clk) begun <= 1;
  wire rst_n = begun && alive;

  wire busy, of_program, beyond, burst, same, valid;
  wire [1:0] room;
  wire [7:0] open, len, zero;
  wire [15:0] origin;
  wire [29:0] burst_addr;
  wire [31:0] addr;
  dma_dut u_dut (.clk(clk), .rst_n(rst_n), .halt_i(halt), .write_takes_i(words), .write_data_i(data), .write_program_i(is_program),
    .write_past_i(past), .enters_i(enters), .ready_o(room), .busy_o(busy), .open_o(open), .program_o(of_program),
    .origin_o(origin), .beyond_o(beyond), .burst_valid_o(burst), .burst_addr_o(burst_addr), .burst_len_o(len),
    .burst_same_o(same), .burst_take_i(take && burst), .idle_i(idle), .room_i(fits), .head_valid_o(valid),
    .head_addr_o(addr), .head_zero_o(zero), .head_ready_i(ready));

  (* hierconn *) wire \u_dut.begins_q , \u_dut.announced_q , \u_dut.bursts_last , \u_dut.places_valid , \u_dut.places_beyond , \u_dut.places_next ,
    \u_dut.u_places.walker_valid , \u_dut.u_places.last_q , \u_dut.u_places.half_q , \u_dut.u_bursts.walker_valid ,
    \u_dut.u_bursts.has_word_q , \u_dut.u_bursts.grows_q , \u_dut.u_bursts.is_last_q , \u_dut.u_bursts.grown_last_q ;
  (* hierconn *) wire [7:0] \u_dut.queue_transfer_zero ;
  (* hierconn *) wire [239:0] \u_dut.u_queue.u_ram.rdata_o ;
  wire walks = \u_dut.u_places.walker_valid , stands = \u_dut.places_valid , begins = \u_dut.begins_q ;
  wire sent = \u_dut.announced_q ;
  wire announces = take && burst && \u_dut.bursts_last ;
  wire read = valid && ready;
  wire ends = sent && idle;
  // Where bursts are: words to come, one, one that grows
  wire b_walks = \u_dut.u_bursts.walker_valid , b_word = \u_dut.u_bursts.has_word_q , b_grows = \u_dut.u_bursts.grows_q ;

  reg stood = 0, fitted = 0, was_busy = 0, was_sent = 0;
  reg [39:0] what;
  reg [239:0] command;
  always @(posedge clk) begin
    stood <= rst_n && !halt && valid && !ready;
    fitted <= rst_n && !halt && fits && !read;
    what <= {addr, zero};
    was_busy <= rst_n && !halt && busy && !ends;
    was_sent <= rst_n && !halt && (announces || (was_sent && !ends));
    command <= \u_dut.u_queue.u_ram.rdata_o ;
  end
  always @(*) begin
    assume (!fitted || fits);
    assume ((enters & ~room) == 0);
    assume (!announces || !(begins || walks || stands));
  end
  always @(*) begin
    if (begun) begin
      read_stands: assert (!stood || halt || (valid && {addr, zero} == what));
      in_order: assert (\u_dut.places_next == read);
      has_room: assert (beyond == (stands && \u_dut.places_beyond && !halt) && (!valid || (stands && fits && !beyond && !halt &&
        zero == \u_dut.queue_transfer_zero )));
      stays: assert (!was_busy || (busy && command == \u_dut.u_queue.u_ram.rdata_o ));
      done: assert (busy ? was_busy || begins : !(walks || stands || burst));
      waits: assert (sent == was_sent);
      starts: assert (!begins || !(walks || stands || b_walks || b_word || b_grows || burst));
      inv_busy: assert (busy == (begins || b_walks || b_word || b_grows || burst || sent) && (busy || !(walks || stands)));
      inv_last: assert (!stands || walks != \u_dut.u_places.last_q );
      inv_half: assert (! \u_dut.u_places.half_q && (!sent || !(walks || stands)));
      inv_bursts: assert ((!sent || !(begins || b_walks || b_word || b_grows || burst)) &&
        (!(burst && \u_dut.bursts_last ) || !(b_walks || b_word || b_grows)) && (!begins || !sent) &&
        (!(b_grows && \u_dut.u_bursts.grown_last_q ) || !(b_walks || b_word)) && (!(b_word && \u_dut.u_bursts.is_last_q ) || !b_walks) &&
        (!b_word || b_walks || \u_dut.u_bursts.is_last_q ) && (!b_grows || b_walks || b_word || \u_dut.u_bursts.grown_last_q ) &&
        (!burst || b_walks || b_word || b_grows || \u_dut.bursts_last ));
      reach_store: assert (!(ends && open[3:0] == 2));
      reach_room: assert (!(stands && !fits && burst));
      reach_beyond: assert (!(beyond && origin == 5));
      reach_next: assert (!(begins && of_program && open[3:0] == 1));
    end
  end
endmodule
