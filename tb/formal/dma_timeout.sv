// The time-out with a limit of 2^LOG clocks, one channel watched, any one. Any channel may wait at any time; the limit stays, as TIMEOUT does.
module dma_timeout (
  input wire clk
);
  localparam N = 1 << `LOG, K = `LOG - 3, E = 1 << K;
  (* anyconst *) reg [2:0] channel;
  (* anyseq *) reg alive;
  (* anyseq *) reg [4:0] waits;
  reg begun = 0;
  always @(posedge clk) begun <= 1;
  wire rst_n = begun && alive;
  wire [4:0] expired;
  dma_dut u_dut (.clk(clk), .rst_n(rst_n), .limit_i(5'd`LOG), .waits_i(waits), .expired_o(expired));
  (* hierconn *) wire [28:0] \u_dut.clocks_q ;
  (* hierconn *) wire \u_dut.turned_q , \u_dut.ticks_q ;
  (* hierconn *) wire [19:0] \u_dut.age_q ;
  (* hierconn *) wire [4:0] \u_dut.waits_q ;
  wire [3:0] age = \u_dut.age_q >> 4 * channel;
  wire waited = \u_dut.waits_q >> channel;
  wire late = expired >> channel;

  // Clocks for which the channel has waited, since the last time-out or before it
  reg [`LOG+1:0] clocks = 0;
  reg [`LOG+1:0] before_now = 0;
  reg was_late = 0;
  always @(posedge clk) begin
    before_now <= rst_n ? clocks : 0;
    was_late <= rst_n && waits[channel] && (was_late || late);
    clocks <= !rst_n || !waits[channel] ? 0 : late && clocks != 0 ? 3 : clocks == 2 * N ? clocks : clocks + 1;
  end
  always @(*) assume (channel < 5);
  // Clocks since the last eighth began
  wire [28:0] phase = ( \u_dut.clocks_q - 29'd2) & (E - 1);
  wire [28:0] before = ( \u_dut.clocks_q - 29'd1) >> K;
  // Age and phase say how long it has waited, but for an eighth
  wire [6:0] most = (age << K) + phase[5:0] + 2;
  always @(*) begin
    if (begun) begin
      early: assert (!late || clocks >= N + 3 || (clocks == 0 && before_now >= N + 2));
      in_time: assert (clocks <= N + E + 3 && (late || clocks <= N + E + 2));
      inv_waits: assert (waited == (clocks != 0) && age <= 9 && (age == 0 || waited || before_now != 0) && !(late && age != 0));
      inv_age: assert (late || !waited || (clocks <= most && (age == 0 || clocks + E >= most)));
      inv_late: assert (!late || (phase[4:0] == (E > 1)));
      inv_tick: assert (( \u_dut.turned_q == before[0] || ( \u_dut.clocks_q == 0 && age == 0)) &&
        ( \u_dut.ticks_q == (phase == E - 1) || ( \u_dut.clocks_q == 1 && ! \u_dut.ticks_q && age == 0)));
      reach_late: assert (!late);
      reach_again: assert (!(late && was_late));
    end
  end
endmodule
