#!/usr/bin/env python3
"""Writes the tables of docs/synthesis.md: cells and clock of edge and of its modules on an ECP5.

Usage: scripts/synthesis.py [--check | --pnr]
  --check  synthesises, and fails if a count of cells is not the one of the page
  --pnr    also places and routes the modules, three seeds each (an hour); without it their clocks stay
HEDDLE names the heddle binary (default: target/release).
"""

import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/synthesis.md"
EDGE = "configs/edge.json"
MACHINES = [("`edge`, 8x8", [EDGE]), ("`edge`, 8x8, wide LUTs", ["--wide", EDGE])]
MODULES = ["control", "sequencer", "partition", "sliced", "post_lane", "result_column", "pe_array"]
# What they took before, with the same options: LUT4, CCU2C, FF, MHz.
BEFORE = {
    "`edge`, 8x8": "26687 | 3909 | 28021 | 49.9",
    "`edge`, 8x8, wide LUTs": "35385 | 3909 | 28021 | -",
    "control": "4642 | 1420 | 6738 | 50.7",
    "sequencer": "- | - | - | 54.7",
    "partition": "1985 | 62 | 1217 | 59.3",
    "sliced": "594 | 0 | 285 | 63.3",
    "post_lane": "644 | 75 | 912 | 94.4",
    "result_column": "123 | 16 | 97 | 92.1",
    "pe_array": "- | - | - | 83.6",
}


def synth(arguments):
    command = [ROOT / "scripts/synth.sh", "--json", *arguments]
    run = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return json.loads(run.stdout)


def clocks(page):
    """Clocks of the page, by what they are of."""
    rows = re.findall(r"^\| (.*?) \|.*\| ([^|]*) \|$", page, re.MULTILINE)
    return {name.strip("`") if name.strip("`") in MODULES else name: mhz for name, mhz in rows}


def table(page, pnr):
    known = clocks(page)
    rows = []
    for name, arguments in MACHINES + [(module, [EDGE, module]) for module in MODULES]:
        routed = pnr and name in MODULES
        cells = synth([*(["--pnr", "--freq", "130"] if routed else []), *arguments])
        mhz = f"{cells['fmax_mhz']:.1f}" if routed else known.get(name, "-")
        counts = [cells["LUT4"], cells["CCU2C"], cells["lut_equivalents"], cells["TRELLIS_FF"]]
        shown = f"`{name}`" if name in MODULES else name
        rows.append(" | ".join(["", shown, BEFORE[name], *map(str, counts), mhz, ""]).strip())
    head = ["| | LUT4 before | CCU2C | FF | MHz | LUT4 | CCU2C | LUT equivalents | FF | MHz |"]
    return "\n".join([*head, "|---" + "|---:" * 9 + "|", *rows])


def main():
    page = PAGE.read_text()
    begin, rest = page.split("<!-- scripts/synthesis.py writes this table -->\n")
    old, end = rest.split("\n<!-- end -->")
    new = table(page, "--pnr" in sys.argv)
    if "--check" in sys.argv:
        if new != old:
            sys.exit(f"synthesis: docs/synthesis.md has\n{old}\nand synthesis gives\n{new}")
        return
    PAGE.write_text(f"{begin}<!-- scripts/synthesis.py writes this table -->\n{new}\n<!-- end -->{end}")


if __name__ == "__main__":
    main()
