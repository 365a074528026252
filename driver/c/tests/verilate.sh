#!/usr/bin/env bash
# Builds FOLDER/system/system: the C driver, and the Verilog of FOLDER/gen under Verilator (system.cpp). With a DMA also page.o, the program of docs/system.md.
# Usage: driver/c/tests/verilate.sh FOLDER NAME    NAME: that of the configuration
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."

[[ $# -eq 2 && -d "$1/gen" ]] || { echo "verilate: usage: driver/c/tests/verilate.sh FOLDER NAME" >&2; exit 2; }
work="$1" name="$2"
for file in driver/c/*.c; do
  gcc -std=c99 -I "$work/gen" -O2 -c -o "$work/$(basename "$file" .c).o" "$file"
done
flags="-I$work/gen"
if grep -q m_axi_awvalid "$work/gen/heddle_system_$name.v"; then
  flags+=" -DSYSTEM_DMA"
  # The program of docs/system.md, as it stands there.
  fence=$'\x60\x60\x60'
  sed -n "/^${fence}c\$/,/^${fence}\$/p" docs/system.md | sed '1d;$d' >"$work/page.c"
  gcc -std=c99 -Wall -Wextra -Wpedantic -Werror -Dmain=page_main -I driver/c -I driver/c/tests -O2 -c -o "$work/page.o" "$work/page.c"
fi
verilator --cc --exe --build -j 2 --top-module "heddle_system_$name" --prefix System --Mdir "$work/system" \
  -y "$work/gen" -f "$work/gen/filelist.f" -CFLAGS "$flags" -o system \
  "$PWD/driver/c/tests/system.cpp" "$PWD/driver/c/tests/board.cpp" "$work"/*.o >"$work/verilator.log" 2>&1 || { cat "$work/verilator.log" >&2; exit 1; }
