// The engine of loads, with its queue and places: each beat is written once where its place is. Assumed is what stands around it: a beat
// stays until it is taken, and a command enters where there is room.
module dma_load (
  input wire clk
);
  (* anyseq *) reg alive, halt, is_program, past, take, comes, ready;
  (* anyseq *) reg [1:0] enters;
  (* anyseq *) reg [7:0] words;
  (* anyseq *) reg [239:0] data;
  (* anyseq *) reg [63:0] beat;
  reg begun = 0;
  always @(posedge clk) begun <= 1;
  wire rst_n = begun && alive;

  wire busy, of_program, beyond, burst, same, beat_ready, valid;
  wire [1:0] room;
  wire [7:0] open, len, zero;
  wire [15:0] origin;
  wire [29:0] burst_addr;
  wire [31:0] addr;
  wire [63:0] bytes;
  dma_dut u_dut (.clk(clk), .rst_n(rst_n), .halt_i(halt), .write_takes_i(words), .write_data_i(data), .write_program_i(is_program),
    .write_past_i(past), .enters_i(enters), .ready_o(room), .busy_o(busy), .open_o(open), .program_o(of_program),
    .origin_o(origin), .beyond_o(beyond), .burst_valid_o(burst), .burst_addr_o(burst_addr), .burst_len_o(len),
    .burst_same_o(same), .burst_take_i(take && burst), .beat_valid_i(comes), .beat_i(beat), .beat_ready_o(beat_ready),
    .head_valid_o(valid), .head_addr_o(addr), .head_data_o(bytes), .head_zero_o(zero), .head_ready_i(ready));

  (* hierconn *) wire \u_dut.begins_q , \u_dut.places_valid , \u_dut.places_beyond , \u_dut.places_last , \u_dut.places_second ,
    \u_dut.places_next , \u_dut.u_places.walker_valid , \u_dut.u_places.half_q , \u_dut.queue_transfer_fill ;
  (* hierconn *) wire [3:0] \u_dut.queue_transfer_space ;
  (* hierconn *) wire [7:0] \u_dut.queue_transfer_zero ;
  (* hierconn *) wire [239:0] \u_dut.u_queue.u_ram.rdata_o ;
  wire walks = \u_dut.u_places.walker_valid , stands = \u_dut.places_valid , begins = \u_dut.begins_q ;
  wire fill = \u_dut.queue_transfer_fill ;
  wire [3:0] space = \u_dut.queue_transfer_space ;
  wire pair = space == 1 || space == 4;
  wire written = valid && ready;
  // The first half of a pair of instruction words needs the beat once more
  wire keeps = space == 4 && ! \u_dut.places_second ;

  reg stood = 0, came = 0, was_busy = 0;
  reg [103:0] what;
  reg [63:0] beat_was;
  reg [239:0] command;
  always @(posedge clk) begin
    stood <= rst_n && !halt && valid && !ready;
    what <= {addr, bytes, zero};
    came <= rst_n && !halt && comes && !beat_ready;
    beat_was <= beat;
    was_busy <= rst_n && !halt && busy && !(written && \u_dut.places_last );
    command <= \u_dut.u_queue.u_ram.rdata_o ;
  end
  always @(*) begin
    assume (!came || (comes && beat == beat_was));
    assume ((enters & ~room) == 0);
  end
  always @(*) begin
    if (begun) begin
      one_beat: assert (halt || fill || (comes && beat_ready) == (written && !keeps));
      is_right: assert (beyond == (stands && \u_dut.places_beyond && !halt) && (!valid || (stands && !beyond && !halt &&
        (fill || comes) && zero == \u_dut.queue_transfer_zero &&
        (fill ? bytes == 0 : keeps || space != 4 ? bytes == beat : bytes[31:0] == beat[63:32]))));
      head_stands: assert (!stood || halt || (valid && {addr, bytes, zero} == what));
      in_order: assert (\u_dut.places_next == written);
      stays: assert (!was_busy || (busy && command == \u_dut.u_queue.u_ram.rdata_o ));
      done: assert (!busy || was_busy || begins);
      starts: assert (!begins || !(walks || stands));
      inv_busy: assert (busy == (begins || walks || stands));
      inv_last: assert (!stands || walks != \u_dut.places_last );
      inv_half: assert (\u_dut.u_places.half_q == (walks && stands && pair && ! \u_dut.places_second ));
      inv_second: assert (!stands || pair || ! \u_dut.places_second );
      reach_pair: assert (!(written && space == 4 && ! keeps && of_program));
      reach_fill: assert (!(written && fill && busy && \u_dut.places_last && space == 0));
      reach_next: assert (!(begins && stood == 0 && origin == 7 && open[7:4] == 2));
      reach_beyond: assert (!(beyond && comes));
    end
  end
endmodule
