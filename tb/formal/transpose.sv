// One sub-block of ROWS x COLS as weights, an identity matrix streamed past it, the sums drained: PE array,
// results buffer, post lanes and drain of the machine, with the schedule of its issue units. Weights, destination
// address and first partition are free; so is every input in every clock in which it has no meaning.
// STEP is gcd(ROWS, COLS), the distance of two rotations of the drain.
module transpose (
  input wire clk
);
  localparam ROWS = `ROWS, COLS = `COLS, STEP = `STEP;
  localparam FIRST = 6;              // clock of vector 0 at row 0
  localparam TO_RESULTS = ROWS - 1;  // clocks from a vector at row 0 to its slot at column 0
  localparam TO_POST = ROWS + 2;
  localparam END = FIRST + ROWS + TO_POST + COLS + 16;

  (* anyconst *) reg [8*ROWS*COLS-1:0] weights;
  (* anyconst *) reg [15:0] destination;
  (* anyconst *) reg [7:0] rotate;
  (* anyconst *) reg [7:0] tile;
  (* anyconst *) reg single;
  // The element whose arrival is counted: t of partition c
  (* anyconst *) reg [7:0] t;
  (* anyconst *) reg [7:0] c;

  (* anyseq *) reg [9*ROWS-1:0] any_x;
  (* anyseq *) reg [ROWS-1:0] any_shift, any_swap;
  (* anyseq *) reg [64*ROWS-1:0] any_w;
  (* anyseq *) reg any_bank, any_add, any_en, any_write, any_flush;
  (* anyseq *) reg [11:0] any_addr;
  (* anyseq *) reg [15:0] any_dest;
  (* anyseq *) reg [7:0] any_tile, any_skip, any_column;
  (* anyseq *) reg [8:0] any_cols;
  (* anyseq *) reg [63:0] any_data;

  reg [7:0] n = 0;
  always @(posedge clk) if (n < 8'd255) n <= n + 1;

  // Scales: multiplier 2^30, shift 1, which is 1
  wire pw_valid = n >= 1 && n <= COLS;

  // Array: the weights of a row, the swap one clock before its first vector, then the vectors
  wire [9*ROWS-1:0] x;
  wire [ROWS-1:0] nz, swap, shift;
  wire [64*ROWS-1:0] w;
  genvar r, i;
  generate
    for (r = 0; r < ROWS; r = r + 1) begin : g_row
      // Vector t has its 1 at row t
      assign nz[r] = n == FIRST + 2 * r;
      assign x[9*r+:9] = nz[r] ? 9'd1 : any_x[9*r+:9];
      assign swap[r] = n == FIRST - 1 + r || (n == FIRST + ROWS - 1 + r && any_swap[r]);
      // Behind the swap the weights of a next sub-block may come
      assign shift[r] = n == FIRST - 3 || (n >= FIRST + r && any_shift[r]);
      for (i = 0; i < 8; i = i + 1) begin : g_byte
        if (i < COLS) begin : g_weight
          assign w[64*r+8*i+:8] = n == FIRST - 3 ? weights[8*(COLS*r+i)+:8] : any_w[64*r+8*i+:8];
        end else begin : g_none
          assign w[64*r+8*i+:8] = any_w[64*r+8*i+:8];
        end
      end
    end
  endgenerate
  wire [32*COLS-1:0] psum, acc;
  array_dut u_array (.clk(clk), .rst_n(n != 0), .x_i(x), .nz_i(nz), .swap_i(swap), .shift_i(shift),
    .w_i(w), .psum_i({COLS{32'd0}}), .psum_o(psum));

  wire result = n >= FIRST + TO_RESULTS && n < FIRST + TO_RESULTS + ROWS;
  results_dut u_results (.clk(clk), .rst_n(n != 0), .valid_i(result), .bank_i(any_bank), .addr_i(any_addr),
    .add_i(any_add && !result), .sum_en_i(any_en || result), .write_i(any_write), .sum_i(psum),
    .acc_o(acc));

  wire load = n == FIRST - 1 + TO_POST;
  wire byte_valid = n >= FIRST + TO_POST && n < FIRST + TO_POST + ROWS;
  wire [7:0] vector = n - (FIRST + TO_POST);
  wire [COLS-1:0] valid;
  wire [13*COLS-1:0] word;
  wire [64*COLS-1:0] data;
  post_dut u_post (.clk(clk), .rst_n(n != 0), .load_i(load), .tile_i(load ? tile : any_tile),
    .skip_i(load ? 8'd0 : any_skip), .cols_i(load ? COLS : any_cols), .valid_i(byte_valid),
    .dest_i(byte_valid ? destination + vector : any_dest),
    .flush_i(byte_valid ? vector == ROWS - 1 : any_flush), .single_i(single), .lo_i(9'h180),
    .hi_i(9'h07f), .acc_i(acc), .pw_valid_i(pw_valid), .pw_column_i(pw_valid ? n - 1 : any_column),
    .pw_tile_i(pw_valid ? tile : any_tile),
    .pw_data_i(pw_valid ? {any_data[63:38], 6'd1, any_data[31], 31'h40000000} : any_data),
    .dr_valid_o(valid), .dr_word_o(word), .dr_data_o(data));

  wire [ROWS-1:0] lands;
  wire [13*ROWS-1:0] place;
  wire [64*ROWS-1:0] bytes;
  drain_dut u_drain (.clk(clk), .rst_n(n != 0), .rotate_i(rotate), .valid_i(valid), .word_i(word),
    .data_i(data), .valid_o(lands), .word_o(place), .data_o(bytes));

  always @(*) begin
    assume (rotate * STEP < ROWS);
    assume (tile < 2);
    assume (destination <= 65536 - ROWS);
    assume (t < ROWS && c < COLS);
  end

  // Everything that is written: partition p holds column p - base, and there byte a the element a - N.
  // The reset takes the first clock.
  integer p, b, e;
  reg [7:0] column;
  reg [15:0] at;
  reg [8*ROWS-1:0] elements_of;
  reg [7:0] element;
  reg here, is_elsewhere, is_other;
  reg [1:0] count = 0;
  always @(*) begin
    here = 0;
    is_elsewhere = 0;
    is_other = 0;
    for (p = 0; p < ROWS; p = p + 1) begin
      column = p >= rotate * STEP ? p - rotate * STEP : ROWS + p - rotate * STEP;
      for (e = 0; e < ROWS; e = e + 1) elements_of[8*e+:8] = weights >> 8 * (COLS * e + column);
      if (n != 0 && lands[p]) begin
        if (column >= COLS) is_elsewhere = 1;
        for (b = 0; b < 8; b = b + 1) begin
          at = {place[13*p+:13], 3'd0} + b - destination;
          element = 0;
          for (e = 0; e < ROWS; e = e + 1) if (at == e) element = elements_of[8*e+:8];
          if (bytes[64*p+8*b+:8] != element) is_other = 1;
          if (column == c && at == t) here = 1;
        end
      end
    end
  end
  always @(*) begin
    partitions: assert (!is_elsewhere);
    elements: assert (!is_other);
  end
  // Each element lands, once
  always @(posedge clk) if (here && count != 2'd3) count <= count + 1;
  always @(*) if (n == END) arrives: assert (count == 1);
  always @(*) reach_end: assert (n != END);
endmodule
