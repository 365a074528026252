// Commands that wait for an engine, those of jobs and those of the program: DEPTH of each, in SLOTS places. One command is watched, any one
// of either source. Assumed is what the two sides do: the words of a command are there before it enters, it enters if there is room, the
// engine takes one when it is at rest. The first error, a stop and RESET clear all, at any time.
module dma_queue (
  input wire clk
);
  localparam D = `DEPTH, S = `SLOTS;
  (* anyconst *) reg source;
  (* anyseq *) reg alive, clear, wants, ends, picks, is_program, past;
  (* anyseq *) reg [1:0] enters;
  (* anyseq *) reg [7:0] comes;
  (* anyseq *) reg [239:0] data;
  reg begun = 0;
  always @(posedge clk) begun <= 1;
  wire rst_n = begun && alive;
  wire drops = clear || !rst_n;

  // The engine: a command is under way, and whose it is
  reg busy = 0, under = 0;
  wire waits, fill, of_program;
  wire [1:0] ready, loop;
  wire [7:0] open, zero, partition;
  wire [3:0] space;
  wire [14:0] place;
  wire [47:0] count;
  wire [38:0] step;
  wire [57:0] pitch;
  wire [15:0] origin;
  wire [29:0] address;
  wire take = wants && waits && !busy && !drops;
  wire done = ends && busy;
  dma_dut u_dut (.clk(clk), .rst_n(rst_n), .clear_i(clear), .write_takes_i(comes), .write_data_i(data),
    .write_program_i(is_program), .write_past_i(past), .enters_i(enters), .ready_o(ready), .open_o(open), .busy_i(busy),
    .waits_o(waits), .take_i(take), .done_i(done), .transfer_space_o(space), .transfer_fill_o(fill),
    .transfer_partitions_o(loop), .transfer_zero_o(zero), .transfer_place_o(place), .transfer_partition_o(partition),
    .transfer_count_o(count), .transfer_step_o(step), .transfer_pitch_o(pitch), .transfer_program_o(of_program),
    .transfer_origin_o(origin), .address_o(address));

  (* hierconn *) wire [7:0] \u_dut.head_q , \u_dut.tail_q ;
  (* hierconn *) wire [1:0] \u_dut.mine_q ;
  (* hierconn *) wire [4:0] \u_dut.ram_waddr , \u_dut.ram_raddr ;
  (* hierconn *) wire [`BITS-1:0] \u_dut.u_ram.watched ;
  (* hierconn *) wire [239:0] \u_dut.u_ram.word_q ;

  // Commands that wait, of jobs and of the program, which goes first; words that came since one entered
  reg [4:0] wait_0 = 0, wait_1 = 0;
  reg [7:0] came_0 = 0, came_1 = 0;
  wire turn = wait_1 != 0;
  wire [4:0] waiting = source ? wait_1 : wait_0;
  // The watched command: it waits behind others of its source, or is the one that was taken last
  reg stands = 0, taken = 0;
  reg [4:0] ahead = 0;
  reg [239:0] command, words;
  wire [3:0] head = source ? \u_dut.head_q [7:4] : \u_dut.head_q [3:0];
  wire [3:0] tail = source ? \u_dut.tail_q [7:4] : \u_dut.tail_q [3:0];
  wire [4:0] free = (tail & (S - 1)) + (source ? S : 0);
  wire [4:0] at = ((head + ahead) & (S - 1)) + (source ? S : 0);
  wire mine = take && turn == source;
  wire watches = picks && !stands && enters[source] && free == \u_dut.u_ram.watched ;
  integer k;
  always @(posedge clk) begin
    busy <= !drops && (take || (busy && !done));
    if (take) under <= turn;
    wait_0 <= drops ? 0 : wait_0 + enters[0] - (take && !turn);
    wait_1 <= drops ? 0 : wait_1 + enters[1] - (take && turn);
    came_0 <= drops || enters[0] ? 0 : came_0 | (is_program ? 0 : comes);
    came_1 <= drops || enters[1] ? 0 : came_1 | (is_program ? comes : 0);
    for (k = 0; k < 8; k = k + 1) if (comes[k] && is_program == source) words[30*k+:30] <= data[30*k+:30];
    stands <= !drops && (watches || (stands && !(mine && ahead == 0)));
    if (watches) {ahead, command} <= {waiting - mine, words};
    else if (mine && ahead != 0) ahead <= ahead - 1;
    if (take) taken <= stands && mine && ahead == 0;
    else if (watches) taken <= 0;
  end
  always @(*) begin
    assume ((enters & ~ready) == 0);
    assume (!enters[0] || (&came_0 && (comes == 0 || is_program)));
    assume (!enters[1] || (&came_1 && (comes == 0 || !is_program)));
  end

  reg [7:0] differs;
  always @(*) for (k = 0; k < 8; k = k + 1) differs[k] = \u_dut.u_ram.word_q [30*k+:30] != words[30*k+:30];
  always @(*) begin
    if (begun) begin
      gives: assert (!taken || ({loop, fill, of_program, space} == {command[9:7], command[4:0]} && zero == command[17:10] &&
        address == command[59:30] && {partition, place} == {command[83:76], command[74:60]} &&
        origin == {command[89:84], command[27:18]} && count == {command[195:180], command[135:120], 3'd0, command[102:90]} &&
        step == {command[208:196], command[148:136], command[118:106]} && pitch == {command[238:210], command[178:150]}));
      is_open: assert (open == {wait_1[3:0] + (busy && under), wait_0[3:0] + (busy && !under)});
      room: assert (ready == {rst_n && wait_1 < D, rst_n && wait_0 < D});
      tells: assert (busy || waits == (wait_0 != 0 || wait_1 != 0));
      apart: assert (!take || comes == 0 || \u_dut.ram_waddr != \u_dut.ram_raddr );
      inv_count: assert (wait_0 <= D && wait_1 <= D && \u_dut.tail_q == {\u_dut.head_q [7:4] + wait_1[3:0], \u_dut.head_q [3:0] + wait_0[3:0]});
      inv_whose: assert (!busy || \u_dut.mine_q == {under, !under});
      inv_place: assert (!stands || (ahead < waiting && at == \u_dut.u_ram.watched ));
      inv_word: assert (!stands || \u_dut.u_ram.word_q == command);
      inv_free: assert (free != \u_dut.u_ram.watched || (differs & (source ? came_1 : came_0)) == 0);
      reach_passed: assert (!(stands && !source && ahead == 1 && take && turn));
      reach_full: assert (!(wait_0 == D && wait_1 == D && busy && taken));
      reach_beside: assert (!(take && comes != 0 && enters != 0));
      reach_cleared: assert (!(clear && stands && busy && enters == 3));
    end
  end
endmodule
