// Properties of a sliced memory with any traffic: words, enables and lanes, cycle by cycle.
//
// One address of four, any, is watched. What is read from it is the last word written to it, or zero if
// that has too few non-zero units, whatever the memories held at first and whatever happens at
// other addresses. Sizes and options are macros: scripts/formal_sliced.sh.

module sliced_memory (
  input wire clk,
  input wire wen,
  input wire [1:0] waddr,
  input wire [`UNITS*`BITS-1:0] wdata,
  input wire ren,
  input wire [1:0] raddr
);

  localparam integer Units = `UNITS;
  localparam integer Bits = `UNITS * `BITS;
  localparam integer Slices = `SLICES;
  // 0: mask slice, 1: field, 2: hybrid, 3: plain memory
  localparam integer Kind = `KIND;
  localparam integer First = `LATENCY >= 5 ? 1 : 0;
  localparam integer Behind = `LATENCY <= 2 ? 1 : `LATENCY <= 5 ? 2 : 3;
  localparam integer Turn = `IN_TURN;
  localparam integer Word = `LATENCY + (Turn ? Slices - 1 : 0);
  localparam integer Depth = 16;
  // Four bits for each slice.
  localparam [31:0] Widths = `WIDTHS;
  localparam [31:0] Thresholds = `THRESHOLDS;

  function [Units-1:0] mask_of(input [Bits-1:0] word);
    integer k;
    for (k = 0; k < Units; k = k + 1) mask_of[k] = |word[k*`BITS+:`BITS];
  endfunction

  function integer pop_of(input [Bits-1:0] word);
    integer k;
    begin
      pop_of = 0;
      for (k = 0; k < Units; k = k + 1) pop_of = pop_of + (|word[k*`BITS+:`BITS] ? 1 : 0);
    end
  endfunction

  // Slices that a word needs, with the threshold of its direction.
  function [Slices-1:0] needed(input [Bits-1:0] word, input integer least);
    integer k;
    for (k = 0; k < Slices; k = k + 1) begin
      needed[k] = Kind == 3 || (pop_of(word) > least &&
          (k == 0 || pop_of(word) > {28'd0, Thresholds[4*k+:4]})) || (k == 0 && Kind != 0);
    end
  endfunction

  // Cycles from a request to the access of a slice.
  function integer access(input integer slice);
    access = slice == 0 && (Kind == 1 || Kind == 2) ? First : First + Behind + (Turn ? slice : 0);
  endfunction

  reg started = 1'b0;
  always @(posedge clk) started <= 1'b1;

  wire rvalid;
  wire [Bits-1:0] rdata;
  wire [Units-1:0] rmask;
  wire mask_ren, mask_wen;
  wire [Slices-1:0] slice_ren, slice_wen;
  wire [Units-1:0] lane_wen;
  wire write = started & wen;
  wire read = started & ren;

  sliced_dut dut (
    .clk(clk), .rst_n(started), .wen_i(write), .waddr_i({11'd0, waddr}), .wdata_i(wdata),
    .ren_i(read), .raddr_i({11'd0, raddr}), .rvalid_o(rvalid), .rdata_o(rdata), .rmask_o(rmask), .mask_ren_o(mask_ren),
    .mask_wen_o(mask_wen), .slice_ren_o(slice_ren), .slice_wen_o(slice_wen),
    .lane_wen_o(lane_wen)
  );

  // The watched address.
  (* anyconst *) wire [1:0] at;
  reg [Bits-1:0] word;
  reg written = 1'b0;
  wire hit = write && waddr == at;
  wire [Bits-1:0] stored = Kind != 3 && pop_of(wdata) <= `WRITE_THRESHOLD ? {Bits{1'b0}} : wdata;
  wire [Bits-1:0] now = hit ? stored : word;
  always @(posedge clk) begin
    if (hit) word <= stored;
    if (hit) written <= 1'b1;
  end

  // Requests of the last cycles; index 0 is this cycle.
  reg [Depth-1:1] writes = 0, reads = 0, hits = 0;
  reg [Depth*Slices-1:Slices] write_needs = 0, read_needs = 0;
  reg [Word*Bits-1:0] words;
  wire [Depth-1:0] writes_now = {writes, write};
  wire [Depth-1:0] reads_now = {reads, read};
  wire [Depth-1:0] hits_now = {hits, read && raddr == at && (hit || written)};
  wire [Depth*Slices-1:0] write_needs_now = {write_needs, needed(wdata, `WRITE_THRESHOLD)};
  wire [Depth*Slices-1:0] read_needs_now = {read_needs, needed(now, `READ_THRESHOLD)};
  always @(posedge clk) begin
    writes <= writes_now[Depth-2:0];
    reads <= reads_now[Depth-2:0];
    hits <= hits_now[Depth-2:0];
    write_needs <= write_needs_now[(Depth-1)*Slices-1:0];
    read_needs <= read_needs_now[(Depth-1)*Slices-1:0];
    words <= {words, now};
  end
  wire [Bits-1:0] expected = words[(Word-1)*Bits+:Bits];

  reg [Slices-1:0] write_rule, read_rule;
  reg [Units-1:0] lanes;
  integer k, p, from;
  always @* begin
    from = 0;
    lanes = 0;
    for (k = 0; k < Slices; k = k + 1) begin
      write_rule[k] = slice_wen[k] ==
          (writes_now[access(k)] & write_needs_now[access(k)*Slices+k]);
      // Other addresses may not have been written; then the slices read are not known.
      read_rule[k] = hits_now[access(k)] ? slice_ren[k] == read_needs_now[access(k)*Slices+k] :
          reads_now[access(k)] | !slice_ren[k];
      for (p = 0; p < Units; p = p + 1) begin
        if (p >= from && p < from + {28'd0, Widths[4*k+:4]}) lanes[p] = slice_wen[k];
      end
      from = from + {28'd0, Widths[4*k+:4]};
    end
  end

  always @* begin
    if (started) begin
      valid : assert (rvalid == reads_now[Word]);
      data : assert (!hits_now[Word] || rdata == expected);
      mask : assert (!hits_now[Word] || rmask == mask_of(expected));
      mask_slice : assert (mask_wen == (Kind == 0 && writes_now[First]) &&
          mask_ren == (Kind == 0 && reads_now[First]));
      slices_written : assert (&write_rule);
      slices_read : assert (&read_rule);
      lanes_written : assert (`EXACT ? (lane_wen & ~lanes) == 0 : lane_wen == lanes);
    end
  end

endmodule
