// Places of a transfer: their addresses on the host port, one after the other. A turn of a loop adds its step to what the loop had before, and the loops in it begin
// there: sums in the place of products. Assumed is what
// `dma_intake` proves of the fields; that they stay until the last place; that a place beyond its memory is not taken, as all stops then.
module dma_places (
  input wire clk
);
  (* anyseq *) reg alive, clear, start, takes;
  (* anyseq *) reg [3:0] space;
  (* anyseq *) reg [1:0] loop;
  (* anyseq *) reg [14:0] first;
  (* anyseq *) reg [7:0] partition;
  (* anyseq *) reg [47:0] count;
  (* anyseq *) reg [38:0] step;
  (* anyseq *) reg [83:0] others;
  reg begun = 0;
  always @(posedge clk) begun <= 1;
  wire rst_n = begun && alive;

  wire valid, beyond, second, last;
  wire [31:0] addr;
  wire next = takes && valid && !beyond;
  dma_dut u_dut (.clk(clk), .rst_n(rst_n), .clear_i(clear), .start_i(start), .transfer_space_i(space),
    .transfer_fill_i(others[0]), .transfer_partitions_i(loop), .transfer_zero_i(others[8:1]), .transfer_place_i(first),
    .transfer_partition_i(partition), .transfer_count_i(count), .transfer_step_i(step), .transfer_pitch_i(others[66:9]),
    .transfer_program_i(others[67]), .transfer_origin_i(others[83:68]), .valid_o(valid), .addr_o(addr),
    .beyond_o(beyond), .second_o(second), .last_o(last), .next_i(next));

  (* hierconn *) wire \u_dut.half_q , \u_dut.u_walker.valid_q ;
  (* hierconn *) wire [47:0] \u_dut.u_walker.left_q ;
  (* hierconn *) wire [74:0] \u_dut.u_walker.begin_q ;
  (* hierconn *) wire [2:0] \u_dut.u_walker.ends_q ;

  // Turns of X, Y and Z with which the address stands or comes next, whether it is the second of its place, and the places with which
  // the turns of X, Y and Z began. All wrap far beyond any memory
  reg works = 0, half, begins = 0, was_next = 0;
  reg [15:0] x, y, z;
  reg [16:0] at_x, at_y, at_z;
  wire [14:0] origin = space == 8 ? 15'd1 : first;
  wire pair = space == 1 || space == 4;
  wire end_x = x == count[15:0], end_y = y == count[31:16], end_z = z == count[47:32];
  wire ends = end_x && end_y && end_z && half == pair;
  // Those behind
  wire goes_on = half == pair;
  wire turn_y = goes_on && end_x, turn_z = turn_y && end_y;
  wire [15:0] next_x = turn_y ? 0 : x + goes_on, next_y = turn_z ? 0 : y + turn_y, next_z = z + turn_z;
  wire [16:0] next_z_at = at_z + step[38:26], next_y_at = at_y + step[25:13], next_x_at = space == 1 ? at_x : at_x + step[12:0];
  wire [16:0] next_at_z = turn_z ? next_z_at : at_z;
  wire [16:0] next_at_y = turn_z ? next_z_at : turn_y ? next_y_at : at_y;
  wire [16:0] next_at_x = turn_z ? next_z_at : turn_y ? next_y_at : goes_on ? next_x_at : at_x;
  reg [3:0] is_space;
  reg [1:0] is_loop;
  reg [22:0] is_first;
  reg [86:0] is_walk;
  reg stood = 0;
  reg [31:0] stood_addr;
  always @(posedge clk) begin
    works <= rst_n && !clear && (start || (works && !(next && ends)));
    begins <= rst_n && !clear && start;
    was_next <= rst_n && !clear && next && !ends;
    if (start) {half, x, y, z, at_x, at_y, at_z} <= {49'd0, {3{2'd0, origin}}};
    else if (next) {half, x, y, z, at_x, at_y, at_z} <= {pair && !half, next_x, next_y, next_z, next_at_x, next_at_y, next_at_z};
    {is_space, is_loop, is_first, is_walk} <= {space, loop, partition, first, count, step};
    stood <= rst_n && !clear && valid && !next;
    stood_addr <= addr;
  end
  always @(*) begin
    assume (!(start && works));
    assume (!works || {is_space, is_loop, is_first, is_walk} == {space, loop, partition, first, count, step});
    assume (space <= 4 || space == 8 || space == 9);
    assume (space == 0 || space == 2 || loop == 0);
    assume (space <= 2 || partition == 0);
    assume (space != 1 || (step[12:0] == 1 && count[47:32] == 0));
    assume (space < 8 || (step == 0 && first == 0));
  end

  // Place and number: of a partition, column or row
  wire [16:0] place = at_x;
  wire [16:0] number = partition + (space == 1 || loop == 1 ? x : loop == 2 ? y : loop == 3 ? z : 16'd0);
  reg lies;
  reg [31:0] is_at;
  always @(*) begin
    case (space)
      0: {lies, is_at} = {place < 512 && number < `ROWS, 3'b110, number[7:0], 2'd0, place[15:0], 3'd0};
      1: {lies, is_at} = {place < 16 && number < 2, 3'b100, number[7:0], 2'd0, place[14:0], half, 3'd0};
      2: {lies, is_at} = {place < 32 && number < `ROWS, 3'b111, number[7:0], 2'd0, place[15:0], 3'd0};
      3: {lies, is_at} = {place < 512, 3'b101, 10'd0, place[15:0], 3'd0};
      4: {lies, is_at} = {place < 512, 3'b010, 10'd0, place[14:0], half, 3'd0};
      8: {lies, is_at} = {`CLUSTER != 0, 32'h60000008};
      default: {lies, is_at} = {`CLUSTER != 0, 32'h60000000};
    endcase
  end

  // Where the walker is: at what comes next
  wire [15:0] w_x = valid ? next_x : x, w_y = valid ? next_y : y, w_z = valid ? next_z : z;
  wire [15:0] w_at_x = valid ? next_at_x : at_x, w_at_y = valid ? next_at_y : at_y, w_at_z = valid ? next_at_z : at_z;
  wire [8:0] n_z = partition + (loop == 3 ? w_z[8:0] : 9'd0), n_y = n_z + (loop == 2 ? w_y[8:0] : 0), n_x = n_y + (space == 1 || loop == 1 ? w_x[8:0] : 0);
  wire walks = \u_dut.u_walker.valid_q ;
  wire known = walks && !(valid && beyond);
  always @(*) begin
    if (begun) begin
      address: assert (!valid || beyond || addr == is_at);
      is_beyond: assert (!valid || beyond == !lies);
      is_last: assert (!valid || (last == ends && second == half));
      is_due: assert (!valid || works);
      holds: assert (!stood || (valid && addr == stood_addr));
      no_gap: assert (!was_next || valid);
      in_time: assert (!begins || !valid);
      inv_works: assert (works == (walks || valid) && (!works || walks == !(valid && ends)) && (!(works && !valid) || begins));
      inv_half: assert (\u_dut.half_q == (walks && valid && pair && !half));
      inv_first: assert (!works || valid || {half, x, y, z, at_x, at_y, at_z} == {49'd0, {3{2'd0, origin}}});
      inv_small: assert (!works || (at_z <= at_y && at_y <= at_x && at_x < 40960 && (pair || !half) &&
        (space < 8 || (at_z == origin && at_x == origin)) && (space != 1 || (at_x == at_y && at_z == first && z == 0))));
      inv_begin: assert (!known || \u_dut.u_walker.begin_q == {n_z, w_at_z, n_y, w_at_y, n_x, w_at_x});
      inv_ends: assert ((!walks || \u_dut.u_walker.ends_q == {w_z == count[47:32], w_y == count[31:16], w_x == count[15:0]}) &&
        (!works || (x <= count[15:0] && y <= count[31:16] && z <= count[47:32])));
      inv_left: assert (!walks || \u_dut.u_walker.left_q == {count[47:32] - w_z, count[31:16] - w_y, count[15:0] - w_x});
      reach_columns: assert (!(valid && last && space == 1 && x == 1 && y == 1 && !beyond));
      reach_wraps: assert (!(valid && space == 0 && z == 1 && y == 1 && x == 1 && loop == 3 && !beyond));
      reach_beyond: assert (!(valid && beyond && z == 1 && place > 8000));
      reach_rows: assert (!(next && last && space == 2 && number == `ROWS - 1));
    end
  end
endmodule
