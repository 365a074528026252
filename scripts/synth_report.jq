# Counts the cells of Yosys netlists of a design. Arguments: $top, $format (table or json), $gates
# (netlists of generic gates: one or none), $routed (reports of nextpnr, one per seed or none).
def pad($width): . + " " * ($width - length);
def types: .modules[$top].cells | map(.type);
def count($type): map(select(. == $type)) | length;
def hundredths: . * 100 | round / 100;

# The slowest path between registers: its ends, its delay in ns and what of that is routing.
def path:
  [.critical_paths[] | select(.from == .to)][0].path
  | {from: .[0].from.cell, to: .[-1].to.cell, ns: (map(.delay) | add | hundredths),
     routing_ns: (map(select(.type == "routing").delay) | add | hundredths),
     cells: (map(select(.type == "logic")) | length)};

types as $types
| (reduce ("LUT4", "CCU2C") as $type ({}; .[$type] = ($types | count($type)))) as $logic
| {top: $top} + $logic + {lut_equivalents: ($logic.LUT4 + 2 * $logic.CCU2C)}
+ (reduce ("TRELLIS_FF", "MULT18X18D", "DP16KD", "TRELLIS_DPR16X4") as $type
    ({}; .[$type] = ($types | count($type))))
| if $gates == [] then .
  else ($gates[0] | types | map(test("DFF|DLATCH"))) as $is_state
  | . + {gates: ($is_state | count(false)), gate_ffs: ($is_state | count(true))} end
| if $routed == [] then . + {fmax_mhz: null}
  else ($routed | sort_by([.fmax[].achieved] | min) | .[length / 2 | floor]) as $median
  | . + {fmax_mhz: ([$median.fmax[].achieved] | min | . * 10 | round / 10),
         fmax_of_seeds: ($routed | map([.fmax[].achieved] | min | . * 10 | round / 10)),
         critical_path: ($median | path)} end
| if $format == "json" then .
  else to_entries[] | select(.value != null)
  | "\(.key | pad(16))  \(.value | if type == "object" then to_entries | map("\(.key) \(.value)") | join(", ") else . end)"
  end
