#!/usr/bin/env bash
# Proves properties of the DMA for emitted Verilog (tb/formal/dma_*.sv), for all inputs and all times, and then that the
# faults of tb/formal/dma_mutants.txt violate them: 2 x 2, for places 3 x 2, bursts of at most 8 beats, 2 open each way;
# queues of 3 commands in 4 places, and of 8 in 16.
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
# queue FOLDER DEPTH: queues of this many commands
queue() {
  jq ".system.dma.queue = $2" "$scratch/small.json" >"$scratch/$1.json"
  "$heddle" gen -c "$scratch/$1.json" -o "$scratch/$1_all" >/dev/null
  mkdir "$scratch/$1"
  cp "$(file_of "$scratch/$1_all" transfer_queue)" "$scratch/$1"
  cp "$root/tb/formal/ram_lanes.sv" "$scratch/$1/heddle_ram_1r1w_lanes.v"
}
parts head dma_head
parts bursts bursts walker_n30
parts windows windows
parts read dma_read open_bursts
parts write dma_write open_bursts
parts timeout time_out
parts counters dma_counters
parts registers dma_registers dma_counters
# Here they give any count behind a read of one, else 0
counters="$(file_of "$scratch/registers" dma_counters)"
sed -i '/^module/,/^);/!d' "$counters"
cat >>"$counters" <<'END'
  (* anyseq *) wire [31:0] any;
  reg known = 0;
  always @(posedge clk) known <= rst_n && read_i && !clear_i;
  assign count_o = known ? any : 0;
endmodule
END
# places FOLDER ROWS CLUSTER: of a machine with all memories
places() {
  jq ".array.rows = $2 | .post.activations = 2 | .sparse.engine = $3" "$scratch/small.json" >"$scratch/$1.json"
  "$heddle" gen -c "$scratch/$1.json" -o "$scratch/$1_all" >/dev/null
  mkdir "$scratch/$1"
  for module in places walker_n25; do cp "$(file_of "$scratch/$1_all" "$module")" "$scratch/$1"; done
}
places places 3 false
places places_cluster 2 true
# engine FOLDER: one of loads or of stores, with all that is in it
engine() {
  parts "$1" "$1_engine" transfer_queue bursts walker_n30 places walker_n25
  cp "$root/tb/formal/ram_lanes.sv" "$scratch/$1/heddle_ram_1r1w_lanes.v"
}
engine load
engine store
parts walker walker_n30
parts intake transfer_intake transfer_check
jq '.system.dma.address_bits = 40' "$scratch/small.json" >"$scratch/wide.json"
"$heddle" gen -c "$scratch/wide.json" -o "$scratch/wide_all" >/dev/null
mkdir "$scratch/intake_wide"
cp "$(file_of "$scratch/wide_all" transfer_intake)" "$(file_of "$scratch/all" transfer_check)" "$scratch/intake_wide"
block head head dma_head head 20 4 ''
block bursts bursts bursts bursts 16 4 ''
block windows windows windows windows 12 8 ''
block read read dma_read read 12 4 ''
block write write dma_write write 14 4 ''
queue queue 3
queue queue_8 8
block queue queue transfer_queue queue 5 4 '-D DEPTH=3 -D SLOTS=4 -D BITS=3' 12
block queue_8 queue_8 transfer_queue queue 5 4 '-D DEPTH=8 -D SLOTS=16 -D BITS=5' 24
block timeout timeout time_out timeout 5 4 '-D LOG=4' 48
block intake intake transfer_intake intake 3 2 '-D BITS=32' 10
block intake_wide intake_wide transfer_intake intake 3 2 '-D BITS=40' 10
block counters counters dma_counters counters 4 3 '' 48
block registers registers dma_registers registers 4 3 '' 14
block places places places places 3 2 '-D ROWS=3 -D CLUSTER=0' 12
block places_cluster places_cluster places places 3 2 '-D ROWS=2 -D CLUSTER=1' 12
block load load load_engine load 4 3 '' 12
block store store store_engine store 4 3 '' 14
block walker walker walker_n30 walker 3 2 '' 12
exit "$failed"
