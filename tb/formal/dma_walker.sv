// The walker of bursts. A turn of a loop adds its step to what the loop had before, and the loops in it begin there: sums in the place of
// products. Assumed is that fields stay until the last number, and that a number is taken while it is there.
module dma_walker (
  input wire clk
);
  (* anyseq *) reg alive, clear, start, takes;
  (* anyseq *) reg [29:0] first;
  (* anyseq *) reg [47:0] count;
  (* anyseq *) reg [89:0] step;
  reg begun = 0;
  always @(posedge clk) begun <= 1;
  wire rst_n = begun && alive;

  wire valid, last;
  wire [29:0] place;
  wire next = takes && valid;
  dma_dut u_dut (.clk(clk), .rst_n(rst_n), .clear_i(clear), .start_i(start), .first_i(first), .count_i(count), .step_i(step),
    .valid_o(valid), .last_o(last), .place_o(place), .next_i(next));

  (* hierconn *) wire [47:0] \u_dut.left_q ;
  (* hierconn *) wire [89:0] \u_dut.begin_q ;
  (* hierconn *) wire [2:0] \u_dut.ends_q ;
  reg works = 0;
  reg [15:0] x, y, z;
  reg [29:0] at_x, at_y, at_z;
  wire end_x = x == count[15:0], end_y = y == count[31:16], end_z = z == count[47:32];
  wire turn_y = end_x, turn_z = end_x && end_y;
  wire [29:0] next_x = at_x + step[29:0], next_y = at_y + step[59:30], next_z = at_z + step[89:60];
  reg [137:0] was;
  always @(posedge clk) begin
    works <= rst_n && !clear && (start || (works && !(next && end_x && end_y && end_z)));
    if (start) {x, y, z, at_x, at_y, at_z} <= {48'd0, {3{first}}};
    else if (next) begin
      {x, y, z} <= {turn_y ? 16'd0 : x + 16'd1, turn_z ? 16'd0 : y + {15'd0, turn_y}, z + {15'd0, turn_z}};
      at_x <= turn_z ? next_z : turn_y ? next_y : next_x;
      if (turn_y) at_y <= turn_z ? next_z : next_y;
      if (turn_z) at_z <= next_z;
    end
    was <= {count, step};
  end
  always @(*) assume (!(start && works) && (!works || was == {count, step}));
  always @(*) begin
    if (begun) begin
      number: assert (!valid || place == at_x);
      due: assert (valid == works);
      is_last: assert (!valid || last == (end_x && end_y && end_z));
      inv_begin: assert (!works || \u_dut.begin_q == {at_z, at_y, at_x});
      inv_left: assert (!works || ( \u_dut.ends_q == {end_z, end_y, end_x} && x <= count[15:0] && y <= count[31:16] && z <= count[47:32] &&
        \u_dut.left_q == {count[47:32] - z, count[31:16] - y, count[15:0] - x}));
      reach_last: assert (!(next && last && x == 1 && y == 1 && z == 1));
    end
  end
endmodule
