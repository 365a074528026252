#!/usr/bin/env python3
"""Writes the tables of docs/synthesis.md: cells and clock of edge and of its modules on an ECP5, their cells on two
other families, and their area as standard cells.

Usage: scripts/synthesis.py [--check | --pnr]
  --check  synthesises, and fails if a count of cells is not the one of the page
  --pnr    also places and routes edge and the modules, three seeds each (an hour and a half); without it their
           clocks stay
HEDDLE names the heddle binary (default: target/release).
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/synthesis.md"
EDGE = "configs/edge.json"
WHOLE = "`edge`, 8x8"
# Machines: options of synth.sh, configuration, what is changed in it.
MACHINES = {
    WHOLE: ([], EDGE, {}),
    "`edge`, 8x8, wide LUTs": (["--wide"], EDGE, {}),
    "`edge`, 8x8, plain memory": ([], EDGE, {"plain": True}),
    "`default`, 16x16": ([], "configs/default.json", {}),
}
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
# Yosys commands of other families, and what is counted: columns with the cells of each.
OTHERS = ["pe_array", "partition", "sliced", "post_lane"]
FAMILIES = {
    "synth_xilinx -flatten -noiopad -noclkbuf": {
        "LUT": r"LUT\d|SRL\w+", "CARRY4": "CARRY4", "FF": r"FD\w+", "DSP48E1": "DSP48E1",
        "RAMB18E1": "RAMB18E1", "RAMB36E1": "RAMB36E1", "RAM32M": "RAM32M"},
    "synth_intel_alm -noiopad -noclkbuf": {
        "ALUT": r"MISTRAL_ALUT\w+", "FF": "MISTRAL_FF", "multipliers": r"MISTRAL_MUL\w+",
        "M10K": "MISTRAL_M10K", "MLAB": "MISTRAL_MLAB"},
}
CELLS = pathlib.Path("/usr/share/qflow/tech/osu035/osu035_stdcells.lib")
# Modules, and columns for each multiplier of post-processing.
AREAS = [("top", 1), ("control", 1), ("partition", 1), ("pe_array", 1), ("post_lane", 1), ("post", 1), ("post", 4)]
NAND2_AREA = 96
# Release 0.1.0, as above.
AREA_BEFORE = {
    "top": "32828992 | 341969",
    "control": "6107064 | 63615",
    "partition": "992100 | 10334",
    "pe_array": "7608964 | 79260",
    "post_lane": "1336696 | 13924",
}


def synth(arguments):
    command = [ROOT / "scripts/synth.sh", "--json", *arguments]
    run = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return json.loads(run.stdout)


def clocks(page):
    """Clocks of the page, by what they are of."""
    rows = re.findall(r"^\| (.*?) \|.*\| ([^|]*) \|$", page, re.MULTILINE)
    return {name.strip("`") if name.strip("`") in MODULES else name: mhz for name, mhz in rows}


def machine(name, options):
    """A whole machine, synthesised."""
    flags, path, slices = MACHINES[name]
    config = json.loads((ROOT / path).read_text())
    config["state_buffer"]["slices"].update(slices)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "machine.json")
        file.write_text(json.dumps(config))
        return synth([*options, *flags, file])


def table(page, pnr):
    known = clocks(page.split("<!-- end -->")[0])
    rows = []
    for name in [*MACHINES, *MODULES]:
        if name in MACHINES:
            cells = machine(name, [])
            routed = machine(name, ["--pnr", "--pack", "--freq", "110"]) if pnr and name == WHOLE else None
        else:
            cells = synth([*(["--pnr", "--freq", "130"] if pnr else []), EDGE, name])
            routed = cells if pnr else None
        mhz = f"{routed['fmax_mhz']:.1f}" if routed else known.get(name, "-")
        counts = [cells["LUT4"], cells["CCU2C"], cells["lut_equivalents"], cells["TRELLIS_FF"]]
        shown = f"`{name}`" if name in MODULES else name
        rows.append(" | ".join(["", shown, BEFORE.get(name, "- | - | - | -"), *map(str, counts), mhz, ""]).strip())
    head = ["| | LUT4 before | CCU2C | FF | MHz | LUT4 | CCU2C | LUT equivalents | FF | MHz |"]
    return "\n".join([*head, "|---" + "|---:" * 9 + "|", *rows])


def yosys(module, commands, columns=1):
    """Cells of a module of edge by their kind, and their area if the commands name a Liberty file."""
    heddle = os.environ.get("HEDDLE", ROOT / "target/release/heddle")
    with tempfile.TemporaryDirectory() as folder:
        def run(*command):
            subprocess.run(command, cwd=folder, check=True, capture_output=True)

        config = json.loads((ROOT / EDGE).read_text())
        config["post"] = {"columns_per_multiplier": columns}
        pathlib.Path(folder, "edge.json").write_text(json.dumps(config))
        run(heddle, "gen", "-c", "edge.json", "--top", module, "-o", "verilog")
        top = json.loads(pathlib.Path(folder, "verilog/manifest.json").read_text())["top"]
        # Apart, so that it can be a black box; an array has none.
        ram = pathlib.Path(folder, "verilog/heddle_ram_1r1w.v")
        ram.touch()
        ram.rename(ram.with_name("ram"))
        run("yosys", "-q", "-p", f"read_verilog verilog/*.v; {commands.format(top=top)}")
        text = pathlib.Path(folder, "stat").read_text()
    cells = {kind: int(count) for kind, count in re.findall(r"^ {5}(\S+) +(\d+)$", text, re.MULTILINE)}
    return cells, re.findall(r"Chip area for .*: ([0-9.]+)", text)


def families():
    """Cells on other families."""
    columns = [column for counted in FAMILIES.values() for column in counted]
    rows = ["| | " + " | ".join(columns) + " |", "|---" + "|---:" * len(columns) + "|"]
    for module in OTHERS:
        row = [f"`{module}`"]
        for command, counted in FAMILIES.items():
            cells, _ = yosys(module, f"read_verilog verilog/ram; {command} -top {{top}}; tee -q -o stat stat")
            kinds = [[n for kind, n in cells.items() if re.fullmatch(cell, kind)] for cell in counted.values()]
            row += [str(sum(counts)) for counts in kinds]
        rows.append("| " + " | ".join(row) + " |")
    return "\n".join(rows)


def areas():
    """Area of standard cells and the same in NAND gates, without the memories."""
    rows = ["| | um2 before | gates before | um2 | gates | FF |", "|---" + "|---:" * 5 + "|"]
    for module, columns in AREAS:
        cells, area = yosys(module, "read_verilog -lib verilog/ram; synth -flatten -top {top}; "
                            f"dfflibmap -liberty {CELLS}; abc -liberty {CELLS}; opt_clean; "
                            f"tee -q -o stat stat -liberty {CELLS}", columns)
        name = f"`{module}`" if columns == 1 else f"`{module}`, a multiplier for {columns} columns"
        shown = [f"{float(area[0]):.0f}", f"{float(area[0]) / NAND2_AREA:.0f}", str(cells["DFFPOSX1"])]
        rows.append(" | ".join([f"| {name}", AREA_BEFORE.get(module, "- | -"), *shown]) + " |")
    return "\n".join(rows)


def replaced(page, mark, new):
    """The page with a new table behind its mark."""
    begin, rest = page.split(f"<!-- scripts/synthesis.py writes {mark} -->\n")
    old, end = rest.split("\n<!-- end -->", 1)
    if "--check" in sys.argv and new != old:
        sys.exit(f"synthesis: docs/synthesis.md has\n{old}\nand synthesis gives\n{new}")
    return f"{begin}<!-- scripts/synthesis.py writes {mark} -->\n{new}\n<!-- end -->{end}"


def main():
    page = PAGE.read_text()
    page = replaced(page, "this table", table(page, "--pnr" in sys.argv))
    page = replaced(page, "other families", families())
    if CELLS.exists():
        page = replaced(page, "standard cells", areas())
    else:
        print(f"synthesis: standard cells skipped, {CELLS} is not there: apt-get install qflow-tech-osu035")
    PAGE.write_text(page)


if __name__ == "__main__":
    main()
