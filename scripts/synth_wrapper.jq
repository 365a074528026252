# Prints a module around the design of a Yosys netlist: a shift register feeds its inputs, its
# outputs are registered and shifted out, so that nothing is removed and no pin limits the clock.
# The bits of the register are inverted from place to place: it has no flip-flop that is equal to one of the design,
# of which Yosys would make one, between the ports and where the design needs it.
# Argument: $top.
def width: .value.bits | length;
def connect($vector; $ports):
  reduce $ports[] as $port ({at: 0, lines: []};
    ($port | width) as $width
    | .lines += ["    .\($port.key)(\($vector)[\(.at)+:\($width)])"]
    | .at += $width);

(.modules[$top].ports | to_entries) as $ports
| connect("in_q"; [$ports[] | select(.value.direction == "input" and .key != "clk")]) as $in
| connect("out"; [$ports[] | select(.value.direction == "output")]) as $out
| ([[$ports[] | select(.key == "clk") | "    .clk(clk)"], $in.lines, $out.lines]
    | add | join(",\n")) as $connections
| "module synth_wrapper (input clk, input scan_i, input load_i, output scan_o);
  reg [\($in.at - 1):0] in_q;
  reg [\($out.at - 1):0] out_q;
  reg [\($out.at - 1):0] scan_q;
  wire [\($out.at - 1):0] out;
  assign scan_o = scan_q[\($out.at - 1)];
  always @(posedge clk) begin
    in_q <= ~{in_q, scan_i};
    out_q <= out;
    scan_q <= load_i ? out_q : {scan_q, 1'b0};
  end
  \($top) u_top (
\($connections)
  );
endmodule"
