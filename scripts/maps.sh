#!/usr/bin/env bash
# The memories of the edge machine become block RAM (synth.sh refuses flip-flops), its products DSP.
# Usage: scripts/maps.sh    HEDDLE names the heddle binary (default: target/release).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

[[ $# -eq 0 ]] || { echo "maps: usage: scripts/maps.sh" >&2; exit 2; }
counts="$(scripts/synth.sh --blocks --json configs/edge.json)"
echo "$counts"
# All steps, with a small module.
scripts/synth.sh --json configs/tiny.json post >/dev/null
jq --exit-status '.DP16KD > 0 and .MULT18X18D > 0' <<<"$counts" >/dev/null
