#!/usr/bin/env bash
# Synthesises a folder that heddle gen has written and leaves in OUT what simulates its netlist: netlist.v, the models
# of its cells in cells.v, and the memory, which stays as it is. Usage: scripts/netlist.sh FOLDER ecp5|osu035 OUT
# See docs/synthesis.md.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"

die() { echo "netlist: $*" >&2; exit 2; }
[[ $# -eq 3 && "$2" =~ ^(ecp5|osu035)$ ]] || die "usage: scripts/netlist.sh FOLDER ecp5|osu035 OUT"
[[ -f "$1/filelist.f" ]] || die "$1/filelist.f not found: FOLDER is what heddle gen -o FOLDER writes"
yosys="$(command -v yosys)" || die "yosys not found: run scripts/setup.sh"
mkdir -p "$3"
out="$(cd "$3" && pwd)"
cd "$1"
mapfile -t files < <(grep --invert-match --line-regexp heddle_ram_1r1w.v filelist.f)
top="$(basename "${files[-1]}" .v)"
if [[ "$2" == ecp5 ]]; then
  synth="synth_ecp5 -no-rw-check -nowidelut -top $top"
  # Without the vendor's own names of the cells, which are included.
  grep --invert-match '^`include' "$(dirname "$yosys")/../share/yosys/ecp5/cells_sim.v" |
    cat - "$root/scripts/ecp5/mult18x18d.v" >"$out/cells.v"
else
  cells=/usr/share/qflow/tech/osu035/osu035_stdcells
  [[ -f "$cells.lib" ]] || die "$cells.lib not found: apt-get install qflow-tech-osu035"
  synth="synth -flatten -top $top; dfflibmap -liberty $cells.lib; abc -liberty $cells.lib; opt_clean"
  cp "$cells.v" "$out/cells.v"
fi
cp heddle_ram_1r1w.v "$out"
yosys -q -p "read_verilog -lib heddle_ram_1r1w.v; read_verilog ${files[*]}; $synth
  write_verilog -noattr -noexpr $out/netlist.v" >&2
