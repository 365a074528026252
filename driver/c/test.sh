#!/usr/bin/env bash
# Conformance list of the C driver with gcc and clang, for 64 and 32 bits, then on the emitted Verilog: 20 digits from one image and a
# file from float32 to float32 through a DMA, and the same file in pieces on smaller machines without and with one.
# Usage: driver/c/test.sh [--list]    --list: the conformance list alone. HEDDLE names a heddle binary that is there already.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

die() { echo "driver: $*" >&2; exit 2; }
[[ $# -eq 0 || "$*" == --list ]] || die "usage: driver/c/test.sh [--list]"
heddle="${HEDDLE:-${CARGO_TARGET_DIR:-target}/debug/heddle}"
command -v "$heddle" >/dev/null || die "$heddle not found: cargo build --package heddle-cli"
for tool in gcc clang verilator; do
  command -v "$tool" >/dev/null || die "$tool not found: run scripts/setup.sh, or install the package $tool"
done
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
echo 'int main(void) { return 0; }' >"$work/main.c"
gcc -m32 -o "$work/main" "$work/main.c" 2>/dev/null ||
  die "gcc -m32 does not link: run scripts/setup.sh, or install the package gcc-multilib"

"$heddle" gen -c configs/edge_axi.json -o "$work/gen" >/dev/null
python3 driver/c/tests/vectors.py >"$work/vectors.txt"
flags=(-std=c99 -Wall -Wextra -Wpedantic -Wconversion -Werror -I "$work/gen")
for compiler in "gcc -O2" "clang -O2" "gcc -m32 -O2" "clang -m32 -O2" "gcc -O1 -fsanitize=address,undefined -fno-sanitize-recover"; do
  read -r -a command <<<"$compiler"
  "${command[@]}" "${flags[@]}" -o "$work/conformance" driver/c/*.c driver/c/tests/*.c
  echo "$compiler: $("$work/conformance" "$work/vectors.txt")"
done

[[ $# -eq 0 ]] || exit 0
net=import/tests/data/float_ends.tflite
# The same over the window port of edge_axi: scripts/demo_axi.sh.
name=edge_dma
own="$work/$name" config="configs/$name.json"
mkdir "$own"
echo "$name, digits: $(driver/c/tests/digits.sh "$(command -v "$heddle")" "$own" "$name")"
"$heddle" compile "$net" -c "$config" --whole --image "$own/ends.hdi" >/dev/null
"$heddle" image info "$own/ends.hdi" --json >"$own/info.json"
python3 driver/c/tests/ends.py inputs 8 8x8x2 "$own/ends.npy" "$own/inputs"
"$heddle" sim -c "$config" -m "$net" --inputs "$own/ends.npy" --outputs "$own/ends.npz" >/dev/null
python3 driver/c/tests/ends.py outputs "$own/info.json" "$own/ends.npz" "$own/outputs"
echo "$name, float32: $("$own/system/system" "$own/ends.hdi" "$own/inputs" "$own/outputs")"
for name in edge_axi edge_dma; do
  own="$work/$name.pieces"
  mkdir "$own"
  found="$(driver/c/tests/pieces.sh "$(command -v "$heddle")" "$own" "$name" 8)"
  driver/c/tests/verilate.sh "$own" "$name"
  echo "$name, $found: $("$own/system/system" "$own/pieces.hdi" "$own/inputs" "$own/outputs")"
done
