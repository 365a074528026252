#!/usr/bin/env bash
# Proves properties of the DMA for emitted Verilog (tb/formal/dma_*.sv), for all inputs and all times, and then that the
# faults of tb/formal/dma_mutants.txt violate them: 2 x 2, bursts of at most 8 beats, 2 open each way.
# Usage: scripts/formal_dma.sh [BLOCK...]
# HEDDLE names the heddle binary (default: target/release). See docs/formal.md.
set -euo pipefail
# shellcheck source=tb/formal/tools.sh
source "$(dirname "${BASH_SOURCE[0]}")/../tb/formal/tools.sh"
# shellcheck disable=SC2034
area=dma asked=("$@") failed=0
# shellcheck source=tb/formal/blocks.sh
source "$root/tb/formal/blocks.sh"

jq '.array = {rows: 2, cols: 2} | .reset = {level: "low"} |
  .system = {registers: "axil", dma: {max_burst: 8, outstanding: 2}}' "$root/configs/tiny.json" >"$scratch/small.json"
"$heddle" gen -c "$scratch/small.json" -o "$scratch/all" >/dev/null

# parts FOLDER MODULE...: their files, with the memory for proofs
parts() {
  mkdir "$scratch/$1"
  for module in "${@:2}"; do cp "$(file_of "$scratch/all" "$module")" "$scratch/$1"; done
  cp "$root/tb/formal/ram.sv" "$scratch/$1/heddle_ram_1r1w.v"
}
parts head dma_head
parts bursts bursts walker_n30
parts windows windows
parts read dma_read open_bursts
parts write dma_write open_bursts
block head head dma_head head 20 4 ''
block bursts bursts bursts bursts 16 4 ''
block windows windows windows windows 12 8 ''
block read read dma_read read 12 4 ''
block write write dma_write write 14 4 ''
exit "$failed"
