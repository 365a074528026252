# Counts the cells of a Yosys ECP5 netlist. Arguments: $top, $format (table or json), $fmax.
def pad($width): . + " " * ($width - length);

[.modules[$top].cells[].type] as $types
| (reduce ("LUT4", "CCU2C", "TRELLIS_FF", "MULT18X18D", "DP16KD", "TRELLIS_DPR16X4") as $type
    ({}; .[$type] = ([$types[] | select(. == $type)] | length))) as $cells
| {top: $top} + $cells + {fmax_mhz: ($fmax | if . then . * 10 | round / 10 else null end)}
| if $format == "json" then .
  else to_entries[] | select(.value != null) | "\(.key | pad(16))  \(.value)"
  end
