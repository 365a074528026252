#!/usr/bin/env bash
# Proves properties of the blocks of the sparse cluster for emitted Verilog (tb/formal/sparse_*.sv), for all inputs
# and all times, and then that the faults of tb/formal/sparse_mutants.txt violate them.
# Usage: scripts/formal_sparse.sh [BLOCK...]
# HEDDLE names the heddle binary (default: target/release). See docs/formal.md.
set -euo pipefail
# shellcheck source=tb/formal/tools.sh
source "$(dirname "${BASH_SOURCE[0]}")/../tb/formal/tools.sh"
area=sparse asked=("$@") failed=0
# shellcheck source=tb/formal/blocks.sh
source "$root/tb/formal/blocks.sh"

emit() {  # FOLDER TOP SPARSE: Verilog of a module of the catalog with these options of the cluster
  jq ".sparse = $3" "$root/configs/tiny.json" >"$scratch/config.json"
  "$heddle" gen -c "$scratch/config.json" --top "$2" -o "$scratch/$1" >/dev/null
  # A memory of one word at any address, any value elsewhere
  cp "$root/tb/formal/ram.sv" "$scratch/$1/heddle_ram_1r1w.v"
}

emit unit sparse_unit '{units: 1, channels: 2, sums: 64}'
block sums unit unit_sums sums 10 7 '-DLANES=2 -DADDRESS=6'
for ports in 4 8; do
  emit "memories_$ports" sparse_memories "{units: $ports, memories: $ports, memory_network: \"benes\", unit_network: \"switch\"}"
done
for ports in 4 8; do
  block "benes_$ports" "memories_$ports" "sparse_benes_n$ports" benes 6 2 "-DPORTS=$ports"
done
# Bounded to the clock in which the words have passed all registers
block route_4 memories_4 sparse_benes_n4 route 4 0 -DPORTS=4
block route_8 memories_8 sparse_benes_n8 route 5 0 -DPORTS=8
emit select_4 sparse_tile '{tile: {kind: "select", lanes: 4, weights_per_round: 4}}'
block sort select_4 tile_sort_p4 sort 3 3 -DLANES=4
emit arbiter_3 sparse_tile '{tile: {kind: "arbiter", lanes: 3, weights_per_round: 3}}'
block arbiter_1 arbiter_3 tile_arbiter_p3_l1 arbiter 6 3 '-DLANES=3 -DLIMIT=1'
block arbiter_2 select_4 tile_arbiter_p4_l2 arbiter 6 3 '-DLANES=4 -DLIMIT=2'
emit load sparse_load '{load_lanes: 8, load_entries: 2}'
block load load sparse_load load 8 5 '-DLANES=8 -DENTRIES=2'
emit map sparse_unit '{units: 1, load_lanes: 8, load_entries: 2, map_entries: 64}'
block map map map_memory map 12 6 -DMAX=64
exit "$failed"
