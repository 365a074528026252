#!/usr/bin/env bash
# The C driver on a PicoRV32 beside the emitted Verilog of edge_dma, under Verilator: three digits from one image, from reset to their scores.
# Usage: driver/c/tests/picorv32.sh HEDDLE FOLDER
# The folder gets gen, digits.hdi, firmware.elf, and the bytes of inputs and outputs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."

die() { echo "picorv32: $*" >&2; exit 2; }
[[ $# -eq 2 && -d "$2" ]] || die "usage: driver/c/tests/picorv32.sh HEDDLE FOLDER"
heddle="$1" work="$2" config=configs/edge_dma.json tests=driver/c/tests images=3
riscv=riscv64-unknown-elf
for tool in "$riscv-gcc:gcc-$riscv" verilator:verilator; do
  command -v "${tool%:*}" >/dev/null || die "${tool%:*} not found: run scripts/setup.sh, or install the package ${tool#*:}"
done
echo '#include <string.h>' | "$riscv-gcc" --specs=picolibc.specs -E - >/dev/null 2>&1 ||
  die "picolibc is missing: run scripts/setup.sh, or install the package picolibc-$riscv"
processor="$(echo "${HEDDLE_VENV:-.venv}"/lib/python3*/site-packages/pythondata_cpu_picorv32/verilog/picorv32.v)"
[[ -f "$processor" ]] || die "PicoRV32 not found: run scripts/setup.sh, or install pythondata-cpu-picorv32 into .venv"

"$heddle" gen -c "$config" -o "$work/gen" >/dev/null
"$heddle" compile models/digits.json -c "$config" --whole --image "$work/digits.hdi" >/dev/null
"$heddle" image info "$work/digits.hdi" --json >"$work/info.json"
"$heddle" sim -c "$config" -m models/digits.json --images "$images" --json >"$work/sim.json"
python3 "$tests/digits.py" models/digits.json "$work/sim.json" "$work/inputs" "$work/outputs"
python3 "$tests/ends.py" array "$images" 1x8x8 "$work/inputs.npy" "$work/inputs"
"$heddle" sim -c "$config" --image "$work/digits.hdi" --inputs "$work/inputs.npy" --outputs "$work/outputs.npz" >/dev/null
python3 "$tests/ends.py" outputs "$work/info.json" "$work/outputs.npz" "$work/outputs.image"
cmp "$work/outputs" "$work/outputs.image" || die "heddle sim gives other outputs from the image"

"$riscv-gcc" --specs=picolibc.specs -march=rv32im -mabi=ilp32 -std=c99 -Os -Wall -Wextra -Wpedantic -Werror -ffunction-sections -fdata-sections \
  -nostartfiles -T "$tests/picorv32/soc.ld" -Wl,--gc-sections,--no-warn-rwx-segments -I "$work/gen" -o "$work/firmware.elf" \
  "$tests/picorv32/start.S" "$tests/picorv32/firmware.c" driver/c/*.c
"$riscv-objcopy" -O binary "$work/firmware.elf" "$work/firmware"
verilator --cc --exe --build -j 2 --top-module soc --prefix Soc --Mdir "$work/soc" --timescale 1ns/1ps -y "$work/gen" -f "$work/gen/filelist.f" \
  "$processor" "$tests/picorv32/soc.sv" -o soc "$PWD/$tests/picorv32/soc.cpp" >"$work/verilator.log" 2>&1 ||
  { cat "$work/verilator.log" >&2; exit 1; }
told="$("$work/soc/soc" "$work/firmware" "$work/digits.hdi" "$work/inputs" "$work/outputs")"
echo "$told; $("$riscv-size" "$work/firmware.elf" | awk 'END { print $1 " bytes of code, " $2 + $3 " of data" }')"
