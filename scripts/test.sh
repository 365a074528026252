#!/usr/bin/env bash
# Runs every check of the repository, in the order of their cost. Usage: scripts/test.sh
# The first failure ends the run. HEDDLE_SLOW=1 adds the slow tests.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

[[ $# -eq 0 ]] || { echo "test: usage: scripts/test.sh" >&2; exit 2; }
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
heddle="${CARGO_TARGET_DIR:-target}/release/heddle"
presets=(tiny edge default large huge)

step() {
  echo "== $* (at $SECONDS s)"
  "$@"
}

# Generates a preset twice: equal input gives equal bytes.
reproducible() {
  "$heddle" gen -c "configs/$1.json" -o "$scratch/$1" >/dev/null
  "$heddle" gen -c "configs/$1.json" -o "$scratch/again" >/dev/null
  diff --recursive "$scratch/$1" "$scratch/again"
  rm -rf "$scratch/again"
}

# The memories of the edge machine become block RAM (synth.sh refuses flip-flops), its products DSP.
maps_to_blocks() {
  scripts/synth.sh --json configs/edge.json >"$scratch/synth.json"
  cat "$scratch/synth.json"
  jq --exit-status '.DP16KD > 0 and .MULT18X18D > 0' "$scratch/synth.json" >/dev/null
}

step scripts/setup.sh
export CARGO_NET_OFFLINE=true
step shellcheck scripts/*.sh tb/formal/*.sh .ci/run
step scripts/traceability.py --check
step python3 models/digits/evaluate.py --at-least 0.95
step scripts/peer.sh
step cargo fmt --all --check
# The build script of tb links the hardware's description. Clippy runs nothing of it: not optimised.
step cargo clippy --config 'profile.dev.package.heddle-hdl.opt-level=0' \
  --config 'profile.dev.package.heddle-gen.opt-level=0' \
  --workspace --all-targets --quiet -- -D warnings
# One run tells of every test that fails.
step cargo test --workspace --quiet --no-fail-fast
step cargo build --release --quiet --package heddle-cli
for preset in "${presets[@]}"; do
  step reproducible "$preset"
done
for preset in "${presets[@]}"; do
  # huge has the modules of large, more often: elaborating its 16,384 cells takes Icarus minutes.
  [[ "$preset" != huge || -n "${HEDDLE_SLOW:-}" ]] || continue
  # On the build server every linter must run.
  step "$heddle" lint ${CI:+--all} "$scratch/$preset"
done
step env HEDDLE="$heddle" scripts/formal.sh
[[ -z "${HEDDLE_SLOW:-}" ]] || step env HEDDLE="$heddle" scripts/formal.sh --mutants
step env HEDDLE="$heddle" scripts/formal_sliced.sh
step env HEDDLE="$heddle" scripts/formal_array.sh
step scripts/demo.sh
step maps_to_blocks
echo "test: all checks passed in $SECONDS s"
