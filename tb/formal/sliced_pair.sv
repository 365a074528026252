// Packing and unpacking without registers: every word returns, whatever stands in the lanes to
// which no unit was moved and in the slices that are not accessed. Macros: see sliced_memory.sv.

module sliced_pair (
  input wire [`UNITS*`BITS-1:0] word,
  input wire [`UNITS*`BITS-1:0] stale
);

  localparam integer Units = `UNITS;
  localparam [31:0] Widths = `WIDTHS;
  localparam [31:0] Thresholds = `THRESHOLDS;

  wire [Units-1:0] mask, lane;
  wire [`MOVES-1:0] move;
  wire [`SLICES-1:0] slice;
  wire [6:0] pop;
  wire [Units*`BITS-1:0] packed_word, back;
  reg [Units*`BITS-1:0] stored;

  genvar g;
  generate
    for (g = 0; g < Units; g = g + 1) begin : gen_mask
      assign mask[g] = |word[g*`BITS+:`BITS];
    end
  endgenerate

  route_dut route (.mask_i(mask), .move_o(move));
  pack_dut pack (.word_i(word), .mask_i(mask), .move_i(move), .packed_o(packed_word), .lane_o(lane));
  unpack_dut unpack (.packed_i(stored), .mask_i(mask), .move_i(move), .word_o(back));
  select_dut select (.mask_i(mask), .slice_o(slice), .pop_o(pop));

  integer count, arrived, k, p, from;
  reg [`SLICES-1:0] rule;
  always @* begin
    count = 0;
    arrived = 0;
    for (k = 0; k < Units; k = k + 1) begin
      count = count + (mask[k] ? 1 : 0);
      arrived = arrived + (lane[k] ? 1 : 0);
    end
    from = 0;
    stored = stale;
    for (k = 0; k < `SLICES; k = k + 1) begin
      rule[k] = slice[k] == (count > {28'd0, Thresholds[4*k+:4]});
      for (p = 0; p < Units; p = p + 1) begin
        if (p >= from && p < from + {28'd0, Widths[4*k+:4]} && slice[k] && lane[p] &&
            (`KIND != 2 || p < `FIRST_UNITS)) begin
          stored[p*`BITS+:`BITS] = packed_word[p*`BITS+:`BITS];
        end
      end
      from = from + {28'd0, Widths[4*k+:4]};
    end
  end

  always @* begin
    selects : assert (&rule && pop == count);
    // Words below the threshold are not kept, raw words of a hybrid memory are not packed.
    if (count > {28'd0, Thresholds[3:0]} && (`KIND != 2 || count <= `FIRST_UNITS)) begin
      returns : assert (back == word);
    end
    arrive : assert (arrived == count);
  end

endmodule
