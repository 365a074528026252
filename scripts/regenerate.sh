#!/usr/bin/env bash
# Makes models and recorded vectors anew with the packages they were made with, and demands the bytes that are committed.
# Not those of trained networks: what a training finds depends on the processor. Installs 310 MB of Python packages into
# a folder that it removes again.
# Usage: scripts/regenerate.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

die() { echo "regenerate: $*" >&2; exit 2; }
[[ $# -eq 0 ]] || die "usage: scripts/regenerate.sh"
command -v python3 >/dev/null || die "python3 not found: run scripts/setup.sh"

tree="$(mktemp --directory)"
trap 'rm --recursive --force "$tree"' EXIT
made=(
  models/{tiny,attention}.json
  arch/tests/data/{requantise,litert}.json
  import/tests/data
)
git ls-files -z models | xargs --null cp --parents --target-directory "$tree"
for path in "${made[@]}"; do
  rm --recursive --force "${tree:?}/$path"
  mkdir --parents "$tree/$(dirname "$path")"
done

python3 -m venv "$tree/venv" || die "python3 has no venv: run scripts/setup.sh"
"$tree/venv/bin/pip" install --quiet --disable-pip-version-check \
  --requirement models/import/requirements.txt ||
  die "the packages of models/import/requirements.txt cannot be had: is there a network?"
for script in make_tiny make_attention requant_vectors litert_vectors import/tflite_models import/onnx_models; do
  "$tree/venv/bin/python" "$tree/models/$script.py"
done

differ=0
for path in "${made[@]}"; do
  diff --recursive --brief "$path" "$tree/$path" || differ=1
done
echo "regenerate: $((SECONDS / 60)) min $((SECONDS % 60)) s"
[[ "$differ" == 0 ]] || { echo "regenerate: files differ from those committed" >&2; exit 1; }
echo "regenerate: all files are those committed"
