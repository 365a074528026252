#!/usr/bin/env bash
# Proves that the sequencer with an asynchronous or active-high reset does what the one with the usual reset
# does, for all programs and inputs in the 11 clocks after a reset; and that an asynchronous reset needs no
# clock. Then shows that faults are found. Usage: scripts/formal_reset.sh
# HEDDLE names the heddle binary (default: target/release). See docs/formal.md.
set -euo pipefail
# shellcheck source=tb/formal/tools.sh
source "$(dirname "${BASH_SOURCE[0]}")/../tb/formal/tools.sh"
[[ $# -eq 0 ]] || die "usage: scripts/formal_reset.sh"

for reset in sync_low async_low sync_high async_high; do
  jq ".reset = {style: \"${reset%_*}\", level: \"${reset#*_}\"} | .program.words = 64" \
    "$root/configs/tiny.json" >"$scratch/config.json"
  "$heddle" gen -c "$scratch/config.json" --top sequencer -o "$scratch/$reset" >/dev/null
  top="$(jq --raw-output .top "$scratch/$reset/manifest.json")"
  # All get the name and the level of the usual input.
  sed -i -e "s/^module $top (/module sequencer_$reset (/" -e 's/^  input wire rst,/  input wire rst_n,/' \
    "$scratch/$reset/$top.v"
  [[ "$reset" == *_low ]] || sed -i '0,/^);/s//);\n  wire rst = ~rst_n;/' "$scratch/$reset/$top.v"
done

failed=0
later="$(printf -- '-set-at %d in_rst_n 1 ' {2..12})"
# Memory and registers without reset are equal at first, and stay so.
equal="sat -verify -seq 12 -set-init-zero -set-at 1 in_rst_n 0 $later -prove trigger 0 -prove-skip 1 miter"
# Whatever the registers hold: no clock comes in between.
at_once='sat -verify -seq 1 -set rst_n 0 -prove running_o 0'
report() {  # TEXT EXPECTED RESET YOSYS-COMMANDS
  local verdict=held begin="${EPOCHREALTIME/./}"
  yosys -q -p "read_verilog $scratch/sync_low/*.v
    read_verilog -nooverwrite $scratch/$3/*.v; proc; flatten; memory_map; async2sync; dffunmap; $4" >"$scratch/log" 2>&1 || verdict=violated
  [[ "$verdict" == held ]] || grep --quiet 'proof did fail' "$scratch/log" || { cat "$scratch/log" >&2; die "yosys failed"; }
  [[ "$verdict" == "$2" ]] || { failed=1; verdict+=", EXPECTED $2"; }
  printf '%-44s %s in %d ms\n' "$1" "$verdict" $(((${EPOCHREALTIME/./} - begin) / 1000))
}
both() {  # TEXT EXPECTED RESET
  report "$1, after the reset" "$2" "$3" "miter -equiv -flatten sequencer_sync_low sequencer_$3 miter; opt -fast -nodffe -nosdff; $equal"
}
for reset in async_low sync_high async_high; do
  both "$reset" held "$reset"
  [[ "$reset" == sync* ]] || report "$reset, at once" held "$reset" "$at_once sequencer_$reset"
done
report 'sync_high, at once' violated sync_high "$at_once sequencer_sync_high"
sed -i 's/if (rst) begin/if (!rst) begin/' "$scratch"/sync_high/heddle_sequencer*.v
both 'sync_high, a level wrong' violated sync_high
sed -i 's/ or posedge rst)/)/' "$scratch"/async_high/heddle_sequencer*.v
report 'async_high, an edge lost, at once' violated async_high "$at_once sequencer_async_high"
exit "$failed"
