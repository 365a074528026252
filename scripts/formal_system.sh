#!/usr/bin/env bash
# Proves properties of what stands around the engine for emitted Verilog (tb/formal/system_*.sv), for all inputs and all
# times, and then that the faults of tb/formal/system_mutants.txt violate them.
# Usage: scripts/formal_system.sh [BLOCK...]
# HEDDLE names the heddle binary (default: target/release). See docs/formal.md.
set -euo pipefail
# shellcheck source=tb/formal/tools.sh
source "$(dirname "${BASH_SOURCE[0]}")/../tb/formal/tools.sh"
# shellcheck disable=SC2034
area=system asked=("$@") failed=0
# shellcheck source=tb/formal/blocks.sh
source "$root/tb/formal/blocks.sh"

for module in axil csr window_port; do
  "$heddle" gen -c "$root/configs/edge_axi.json" --top "$module" -o "$scratch/$module" >/dev/null
done
block axil axil axil axil 8 5 ''
block csr csr csr csr 8 3 ''
block window_port window_port window_port window_port 12 5 ''
# What a machine with a DMA has besides
jq '.array = {rows: 2, cols: 2} | .reset = {level: "low"} | .system = {registers: "axil", dma: {}}' "$root/configs/tiny.json" >"$scratch/small.json"
"$heddle" gen -c "$scratch/small.json" -o "$scratch/all" >/dev/null
mkdir "$scratch/supervisor"
cp "$(file_of "$scratch/all" supervisor)" "$scratch/supervisor"
csr="$(file_of "$scratch/all" csr)"
sed 's/^module heddle_csr_[a-z0-9_]*/module system_csr/' "$csr" >"$scratch/supervisor/${csr##*/}"
mkdir "$scratch/jobs"
cp "$(file_of "$scratch/all" jobs)" "$scratch/jobs"
cp "$root/tb/formal/ram.sv" "$scratch/jobs/heddle_ram_1r1w.v"
config="$("$heddle" config hash -c "$scratch/small.json")"
block supervisor supervisor supervisor supervisor 16 4 ''
block jobs jobs jobs jobs 3 2 "-D CONFIG=32'h${config#0x}" 36
exit "$failed"
