# Places the multipliers of a machine on an LFE5U-85F: those of a column of the array and of its post lane in blocks one
# above the other, as the sums flow. Left to nextpnr, multipliers of a lane lie half a device apart, and the clock is a
# third lower. A machine with more than 8 rows or 13 columns is left as it is.

# Blocks of four multipliers: their columns, their rows, and the multipliers of one.
def columns: [4, 13, 22, 31, 40, 49, 58, 69, 78, 87, 96, 105, 114];
def rows: [10, 34, 58];
def places: [[0, "0"], [1, "1"], [4, "4"], [5, "5"]];

def bel($column; $row; $place):
  "X\(columns[$column] + places[$place][0])/Y\(rows[$row])/MULT18_\(places[$place][1])";

# Multipliers by name: of the array [row, column], of post lanes [column, name].
[.modules.synth_wrapper.cells | to_entries[] | select(.value.type == "MULT18X18D") | .key] as $names
| [$names[] | capture("(?<name>.*gen_row\\[(?<row>\\d+)\\].*gen_pe\\[(?<column>\\d+)\\].*)")
    | {name, row: (.row | tonumber), column: (.column | tonumber)}] as $array
| [$names[] | capture("(?<name>.*gen_lane\\[(?<column>\\d+)\\].*)") | {name, column: (.column | tonumber)}] as $lanes
| ([$array[].row] | max // 99) as $last_row
| ([$array[].column] | max // 99) as $last_column
| if $last_row > 7 or $last_column > 12 then . else
    # In the middle of the device.
    ((12 - $last_column) / 2 | floor) as $first
    | reduce (($array[] | {name, bel: bel(.column + $first; .row / 4 | floor; .row % 4)}),
        ($lanes | group_by(.column)[] | to_entries[]
          | {name: .value.name, bel: bel(.value.column + $first; 2; .key)})) as $cell
        (.; .modules.synth_wrapper.cells[$cell.name].attributes.BEL = $cell.bel)
  end
