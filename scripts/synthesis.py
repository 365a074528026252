#!/usr/bin/env python3
"""Writes the tables of docs/synthesis.md: cells, clock and cycles of machines and modules on an ECP5, the devices that
they fit, their cells on two other families, and their area as standard cells.

Usage: scripts/synthesis.py [--check] [--large] [--pnr]
  --check  fails if a figure is not the one of the page
  --large  also the machines of 16 x 16 (an hour); without it their rows stay
  --pnr    also places and routes edge (five seeds) and the modules (three seeds): three hours; without it clocks stay
HEDDLE names the heddle binary (default: target/release). Cycles are of the networks in build/networks
(scripts/networks.py); without them they stay.
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
HEDDLE = os.environ.get("HEDDLE", ROOT / "target/release/heddle")
EDGE = "configs/edge.json"
# Presets, and of some the LUT equivalents and the clock that they should keep.
PRESETS = {"tiny": None, "edge": (19200, 100), "mobile": None, "default": None, "tflite": (45800, "-")}
LARGE = {"default", "tflite"}
NETWORKS = {"ResNet-8": "resnet8", "DS-CNN": "dscnn", "AutoEncoder": "autoencoder", "MobileNetV1 0.25": "mobilenet"}
# `edge` with other options: options of synth.sh, and fields by their path.
VARIANTS = {
    "`edge`, wide LUTs": (["--wide"], {}),
    "`edge`, basic counters": ([], {"counters": "basic"}),
    "`edge`, no counters": ([], {"counters": "none"}),
    "`edge`, plain memory": ([], {"state_buffer.slices.plain": True}),
    "`edge`, bypass in the banks": ([], {"state_buffer.bypass": True}),
    "`edge`, 4 banks of 256 words": ([], {"state_buffer.banks": 4, "state_buffer.words_per_bank": 256}),
}
MODULES = ["control", "sequencer", "partition", "sliced", "post_lane", "result_column", "pe_array"]
KINDS = {"LUT4": "LUT4", "CCU2C": "CCU2C", "LUT equivalents": "lut_equivalents", "FF": "TRELLIS_FF",
         "MULT18X18D": "MULT18X18D", "DP16KD": "DP16KD", "DPR16X4": "TRELLIS_DPR16X4"}
# What devices have, the smallest first: LUTs, multipliers, block RAMs.
ECP5 = {"LFE5U-25F": (24288, 28, 56), "LFE5U-45F": (43848, 72, 108), "LFE5U-85F": (83640, 156, 208)}
XC7 = {"XC7A35T": (20800, 90, 50), "XC7A100T": (63400, 240, 135), "XC7A200T": (134600, 740, 365),
       "XC7K325T": (203800, 840, 445), "XC7K410T": (254200, 1540, 795)}
CYCLONE = {"5CEA2": (18860, 50, 176), "5CEA5": (58160, 300, 446), "5CEA7": (112960, 312, 686),
           "5CEA9": (227120, 684, 1220)}
# Yosys commands of other families, what is counted (columns with the cells of each), and the use of a device.
OTHERS = ["pe_array", "partition", "sliced", "post_lane"]
FAMILIES = {
    "synth_xilinx -family xc7 -flatten -noiopad -noclkbuf": ({
        "LUT": r"LUT\d|SRL\w+", "CARRY4": "CARRY4", "FF": r"FD\w+", "DSP48E1": "DSP48E1",
        "RAMB18E1": "RAMB18E1", "RAMB36E1": "RAMB36E1", "RAM32M": "RAM32M"},
        XC7, lambda n: (n["LUT"] + 4 * n["RAM32M"], n["DSP48E1"], n["RAMB36E1"] + -(-n["RAMB18E1"] // 2))),
    "synth_intel_alm -family cyclonev -noiopad -noclkbuf": ({
        "ALUT": r"MISTRAL_ALUT\w+", "FF": "MISTRAL_FF", "multipliers": r"MISTRAL_MUL\w+",
        "M10K": "MISTRAL_M10K", "MLAB": "MISTRAL_MLAB"},
        CYCLONE, lambda n: (n["ALUT"], n["multipliers"], n["M10K"])),
}
CELLS = pathlib.Path("/usr/share/qflow/tech/osu035/osu035_stdcells.lib")
# Modules, and columns for each multiplier of post-processing.
AREAS = [("top", 1), ("control", 1), ("partition", 1), ("pe_array", 1), ("post_lane", 1), ("post", 1), ("post", 4)]
NAND2_AREA = 96


def synth(arguments):
    command = [ROOT / "scripts/synth.sh", "--json", *arguments]
    run = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return json.loads(run.stdout)


def known(page, mark):
    """Rows of the page, by what they are of."""
    text = page.partition(f"<!-- scripts/synthesis.py writes {mark} -->\n")[2].partition("\n<!-- end -->")[0]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in text.splitlines()[2:]]
    return {row[0]: row[1:] for row in cells}


def smallest(devices, used):
    """The first device that has what is used, or what the largest one lacks."""
    for device, has in devices.items():
        if all(need <= there for need, there in zip(used, has)):
            return device
    device, has = list(devices.items())[-1]
    lacks = zip(("LUTs", "multipliers", "block RAMs"), used, has)
    return f"none: {device} has " + " and ".join(f"{there} of {need} {what}" for what, need, there in lacks if need > there)


def lines(heads, rows):
    marks = "|---" + "|---:" * (len(heads) - 1) + "|"
    head, *others = ["|" + "|".join(f" {cell} " if cell else " " for cell in row) + "|" for row in [heads, *rows]]
    return "\n".join([head, marks, *others])


def cycles(preset, network):
    """Cycles of a network in all its segments; None if nobody has made the network, - if it does not run."""
    file = ROOT / f"build/networks/{network}.tflite"
    if not file.exists():
        return None
    with tempfile.TemporaryDirectory() as folder:
        command = [HEDDLE, "compile", file, "-c", f"configs/{preset}.json", "--whole", "-o", f"{folder}/p.json", "--json"]
        done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    return str(sum(run["cycles"] for run in json.loads(done.stdout)["runs"])) if done.returncode == 0 else "-"


def machines(page):
    """Area, clock and cycles of a preset in one row."""
    heads = ["", *KINDS, "aim", "MHz", "aim of MHz", "ECP5", *(f"cycles, {name}" for name in NETWORKS)]
    was, rows = known(page, "machines"), []
    for preset, aims in PRESETS.items():
        name, path = f"`{preset}`", f"configs/{preset}.json"
        row = dict(zip(heads[1:], was.get(name, ["-"] * len(heads))))
        if preset not in LARGE or "--large" in sys.argv:
            found = synth([path])
            row.update({head: str(found[kind]) for head, kind in KINDS.items()})
            row["ECP5"] = smallest(ECP5, [found[kind] for kind in ("lut_equivalents", "MULT18X18D", "DP16KD")])
        row["aim"], row["aim of MHz"] = map(str, aims or ("-", "-"))
        if "--pnr" in sys.argv and path == EDGE:
            row["MHz"] = str(synth(["--pnr", "--pack", "--freq", "110", "--seeds", "5", path])["fmax_mhz"])
        for title, network in NETWORKS.items():
            row[f"cycles, {title}"] = cycles(preset, network) or row[f"cycles, {title}"]
        rows.append([name, *row.values()])
    return lines(heads, rows)


def changed(changes):
    """The preset `edge` with other values of some fields, as a file of a folder that lives as long as it is used."""
    folder = tempfile.TemporaryDirectory()
    config = json.loads((ROOT / EDGE).read_text())
    for path, value in changes.items():
        *above, field = path.split(".")
        place = config
        for name in above:
            place = place.setdefault(name, {})
        place[field] = value
    pathlib.Path(folder.name, "machine.json").write_text(json.dumps(config))
    return folder


def parts(page):
    """Variants of `edge`, and its modules alone."""
    was, rows = known(page, "parts"), []
    for name, (options, changes) in VARIANTS.items():
        with changed(changes) as folder:
            found = synth([*options, f"{folder}/machine.json"])
        rows.append([name, *(str(found[kind]) for kind in KINDS.values()), "-"])
    for module in MODULES:
        name = f"`{module}`"
        found = synth([*(["--pnr", "--freq", "130"] if "--pnr" in sys.argv else []), EDGE, module])
        clock = f"{found['fmax_mhz']:.1f}" if found["fmax_mhz"] else was.get(name, ["-"])[-1]
        rows.append([name, *(str(found[kind]) for kind in KINDS.values()), clock])
    return lines(["", *KINDS, "MHz"], rows)


def yosys(module, commands, columns=1, path=EDGE):
    """Cells of a module of a machine by their kind, and their area if the commands name a Liberty file."""
    with tempfile.TemporaryDirectory() as folder:
        def run(*command):
            subprocess.run(command, cwd=folder, check=True, capture_output=True)

        config = json.loads((ROOT / path).read_text())
        config.setdefault("post", {})["columns_per_multiplier"] = columns
        pathlib.Path(folder, "machine.json").write_text(json.dumps(config))
        run(HEDDLE, "gen", "-c", "machine.json", "--top", module, "-o", "verilog")
        top = json.loads(pathlib.Path(folder, "verilog/manifest.json").read_text())["top"]
        # Apart, so that it can be a black box; an array has none.
        ram = pathlib.Path(folder, "verilog/heddle_ram_1r1w.v")
        ram.touch()
        ram.rename(ram.with_name("ram"))
        run("yosys", "-q", "-p", f"read_verilog verilog/*.v; {commands.format(top=top)}")
        text = pathlib.Path(folder, "stat").read_text()
    cells = {kind: int(count) for kind, count in re.findall(r"^ {5}(\S+) +(\d+)$", text, re.MULTILINE)}
    return cells, re.findall(r"Chip area for .*: ([0-9.]+)", text)


def families(page):
    """Cells on other families, and the device that a machine fits."""
    heads = [head for counted, _, _ in FAMILIES.values() for head in [*counted, "device"]]
    was, rows = known(page, "other families"), []
    for name, path in [*((module, EDGE) for module in OTHERS), *((preset, f"configs/{preset}.json") for preset in PRESETS)]:
        row = [f"`{name}`"]
        if name in LARGE and "--large" not in sys.argv:
            rows.append([*row, *was.get(row[0], ["-"] * len(heads))])
            continue
        for command, (counted, devices, use) in FAMILIES.items():
            module = "top" if name in PRESETS else name
            cells, _ = yosys(module, f"read_verilog verilog/ram; {command} -top {{top}}; tee -q -o stat stat", path=path)
            found = {column: sum(n for kind, n in cells.items() if re.fullmatch(cell, kind)) for column, cell in counted.items()}
            row += [*map(str, found.values()), smallest(devices, use(found)) if module == "top" else "-"]
        rows.append(row)
    return lines(["", *heads], rows)


def areas():
    """Area of standard cells and the same in NAND gates, without the memories."""
    rows = ["| | um2 | gates | FF |", "|---" + "|---:" * 3 + "|"]
    for module, columns in AREAS:
        cells, area = yosys(module, "read_verilog -lib verilog/ram; synth -flatten -top {top}; "
                            f"dfflibmap -liberty {CELLS}; abc -liberty {CELLS}; opt_clean; "
                            f"tee -q -o stat stat -liberty {CELLS}", columns)
        name = f"`{module}`" if columns == 1 else f"`{module}`, a multiplier for {columns} columns"
        shown = [f"{float(area[0]):.0f}", f"{float(area[0]) / NAND2_AREA:.0f}", str(cells["DFFPOSX1"])]
        rows.append(" | ".join([f"| {name}", *shown]) + " |")
    return "\n".join(rows)


def replaced(page, mark, new):
    """The page with a new table behind its mark."""
    begin, rest = page.split(f"<!-- scripts/synthesis.py writes {mark} -->\n")
    old, end = rest.split("\n<!-- end -->", 1)
    if "--check" in sys.argv and new != old:
        sys.exit(f"synthesis: docs/synthesis.md has\n{old}\nand synthesis gives\n{new}")
    return f"{begin}<!-- scripts/synthesis.py writes {mark} -->\n{new}\n<!-- end -->{end}"


def main():
    unknown = set(sys.argv[1:]) - {"--check", "--large", "--pnr"}
    if unknown:
        sys.exit(f"synthesis: unknown {' '.join(sorted(unknown))}: the head of this script lists the options")
    page = PAGE.read_text()
    page = replaced(page, "machines", machines(page))
    page = replaced(page, "parts", parts(page))
    page = replaced(page, "other families", families(page))
    if CELLS.exists():
        page = replaced(page, "standard cells", areas())
    else:
        print(f"synthesis: standard cells skipped, {CELLS} is not there: apt-get install qflow-tech-osu035")
    PAGE.write_text(page)


if __name__ == "__main__":
    main()
