#!/usr/bin/env python3
"""Writes the tables of benches/networks.md: cycles of networks of known families on tflite.json, and whether their bytes
are those of the reference kernels.

Usage: scripts/networks.py [--check]
  --check  makes the tables, and fails if a figure other than a time is not the one of the page
HEDDLE names the heddle binary (default: target/release). Networks and a venv with the packages of
models/import/requirements.txt (150 MB, made once) lie in build/networks.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "benches/networks.md"
HEDDLE = os.environ.get("HEDDLE", str(ROOT / "target/release/heddle"))
WORK = ROOT / "build/networks"
PRESET = ROOT / "configs/tflite.json"
NAMES = {"resnet8": "ResNet-8", "dscnn": "DS-CNN", "autoencoder": "AutoEncoder", "mobilenet": "MobileNetV1 0.25"}
# Those whose layers are listed.
LISTED = ("resnet8",)
# Further seeds of ResNet-8, and the cycles that it should not exceed.
SEEDS, AIM = [f"resnet8-{seed}" for seed in range(20)], 54500
# Larger ones, by the side of their input: 1000 classes.
LARGE = {"mobilenetv1": "MobileNetV1 0.25", "mobilenetv2": "MobileNetV2 0.35", "resnet18": "ResNet-18"}
SIDES = [f"mobilenetv1_{side}" for side in (128, 160, 192, 224)]
SIDES += [f"{family}_{side}" for family in ("mobilenetv2", "resnet18") for side in (96, 224)]
# Array and depth of the results buffer; everything else is as in the preset.
MACHINES = {"tflite": (16, 256), "tflite, results of 1024": (16, 1024), "tflite, 8 x 8": (8, 256)}

# What `heddle fit` chooses.
MEMORIES = ("state_buffer.words_per_bank", "state_buffer.row_offsets", "column_tiles", "program.words")


def run(*command):
    return subprocess.run([*map(str, command)], capture_output=True, text=True, cwd=ROOT, check=False)


def heddle(*arguments):
    done = run(HEDDLE, *arguments, "--json")
    if done.returncode:
        sys.exit(f"networks: heddle {' '.join(map(str, arguments))}: {done.stderr}")
    return json.loads(done.stdout)


def timed(*arguments):
    """Whether it works, else why not, and seconds of the best of three runs."""
    times = []
    for _ in range(3):
        begin = time.perf_counter()
        done = run(HEDDLE, *arguments)
        times.append(time.perf_counter() - begin)
    return done, f"{min(times):.2f} s"


def make_networks():
    python = WORK / "venv/bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", WORK / "venv"], check=True)
        packages = ["--requirement", ROOT / "models/import/requirements.txt"]
        subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
    done = run(python, ROOT / "models/import/families.py", WORK, *NAMES, *SEEDS, *SIDES)
    assert done.returncode == 0, done.stderr


def configuration(name):
    side, depth = MACHINES[name]
    config = json.loads(PRESET.read_text())
    config["array"] = {"rows": side, "cols": side}
    config["results_buffer"]["depth"] = depth
    path = WORK / f"{re.sub('[^a-z0-9]+', '_', name)}.json"
    path.write_text(json.dumps(config))
    return path


def imported(name):
    """Operators and what the reference kernels say: a row of the first table."""
    file = WORK / f"{name}.tflite"
    operators = heddle("import", file)["operators"]
    layers = [operator for operator in operators if operator["layer"]]
    exact = sum(operator["exact"] is True for operator in layers)
    hosts = sum("host" in operator["runs_as"] for operator in operators)
    _, seconds = timed("import", file)
    reference = run(
        *"cargo run --quiet --release --package heddle-import --example reference --".split(),
        file,
        WORK / f"{name}.npz",
    )
    equal = reference.stdout.strip().splitlines()[-1] if reference.stdout else reference.stderr
    weights = re.search(r"(\d+) weights", run(HEDDLE, "import", file).stdout)[1]
    return f"| {NAMES[name]} | {weights} | {len(operators)} | {len(layers)} | {exact} | {hosts} | {equal} | {seconds} |"


def inputs(name):
    return ["-m", WORK / f"{name}.tflite", "--inputs", WORK / f"{name}.npy"]


def compiled(machine, name):
    """A row of the second table."""
    config, program = configuration(machine), WORK / "program.json"
    file = WORK / f"{name}.tflite"
    options = ["compile", file, "-c", config, "--whole", "-o", program]
    done, seconds = timed(*options)
    if done.returncode:
        reason = done.stderr.strip().split(": ", 1)[-1].split(" (set by")[0]
        return f"| {NAMES[name]} | {reason} | | | | | | | | |"
    report = heddle("sim", "-c", config, *inputs(name), "--whole")
    assert report["exact"], f"{name} on {machine}"
    total = report["report"]["total"]
    clocks = report["clocks"]
    hosts = sum(run["host"] for run in report["report"]["layers"])
    assert clocks["machine"] == total["cycles"]
    rtl = "-"
    if machine == "tflite":
        found = heddle("cosim", "-c", config, *inputs(name), "--whole")
        assert found["exact"], f"{name} on RTL"
        rtl = found["report"]["total"]["cycles"]
    side = MACHINES[machine][0]
    macs, cycles = total["macs"] - total["host_macs"], total["cycles"]
    ideal, share = -(-macs // side**2), f"{100 * macs / side**2 / cycles:.1f} %"
    cells = [NAMES[name], total["macs"], ideal, cycles, share, rtl, clocks["host"], clocks["all"], hosts, seconds]
    return f"| {' | '.join(map(str, cells))} |"


def runs(name, *options):
    program = ["-o", WORK / "program.json"]
    return heddle("compile", WORK / f"{name}.tflite", "-c", PRESET, *program, *options)["runs"]


def of_seeds():
    """What becomes of the sums of ResNet-8 under other scales: a row for each number of terms."""
    found = {}
    for name in SEEDS:
        whole = sum(run["cycles"] for run in runs(name, "--whole"))
        for run in runs(name):
            if "add" in run["name"]:
                stage = found.setdefault(run["name"].split("/")[0], {})
                stage.setdefault(run["cycles"], []).append(whole)
    rows = []
    for stage, cycles in found.items():
        for count, wholes in sorted(cycles.items()):
            aimed = sum(whole <= AIM for whole in wholes)
            rows.append(f"| {stage} | {count or 'host'} | {len(wholes)} | {min(wholes)} to {max(wholes)} | {aimed} |")
    return rows


def layers(name):
    found = runs(name)
    total = sum(run["cycles"] for run in found)
    rows = [f"| {run['name']} | {run['cycles']} | {100 * run['cycles'] / total:.1f} % |" for run in found]
    return [*rows, f"| all, one by one | {total} | 100.0 % |"]


def changed(config, memory, size):
    """A configuration with another size of one memory."""
    *groups, field = memory.split(".")
    holder = config
    for group in groups:
        holder = holder[group]
    holder[field] = size
    path = WORK / "changed.json"
    path.write_text(json.dumps(config))
    return path


def at_once(network, config):
    """Cycles of a network; None if it does not fit, or only in segments."""
    done = run(HEDDLE, "compile", network, "-c", config, "-o", WORK / "program.json", "--json")
    made = json.loads(done.stdout) if done.returncode == 0 else {"segments": True}
    return None if made.get("segments") else sum(planned["cycles"] for planned in made["runs"])


def memories(name):
    """Two rows, for the configurations that `heddle fit` finds: each runs, with half of any memory it does not, or is slower."""
    network, config = WORK / f"{name}.tflite", WORK / "fitted.json"
    found, rows = heddle("fit", "-m", network), []
    for kind in ("smallest", "fastest"):
        sizes, whole = found[kind]["sizes"], json.dumps(found[kind]["configuration"])
        config.write_text(whole)
        report = heddle("sim", "-c", config, *inputs(name))
        assert report["exact"] and report["report"]["total"]["cycles"] == sizes["cycles"], f"{name}, {kind}"
        for memory in MEMORIES:
            half = changed(json.loads(whole), memory, sizes[memory] // 2)
            cycles = at_once(network, half)
            assert cycles is None or kind == "fastest", f"{name} fits half of {memory}"
            assert cycles is None or cycles > sizes["cycles"], f"{name} is as fast with half of {memory}"
        clocks = found[kind]["clocks"]
        values = [sizes["state_buffer.banks"], sizes["bytes of a partition"], *(sizes[memory] for memory in MEMORIES)]
        values += [clocks["machine"], clocks["host"], clocks["all"]]
        rows.append(f"| {NAMES[name]} | {kind} | {' | '.join(map(str, values))} |")
    return rows


def in_segments(name):
    """A row of the table of large networks: on the preset, in one run or in segments."""
    family, side = name.split("_")
    shown = f"| {LARGE[family]} | {side} x {side} |"
    options = [WORK / f"{name}.tflite", "-c", PRESET, "--whole"]
    done = run(HEDDLE, "compile", *options, "-o", WORK / "program.json", "--json")
    if done.returncode:
        return f"{shown} {done.stderr.strip().split(' tflite, ')[-1].split(' (')[0]} | | | | | | | |"
    made = json.loads(done.stdout)
    segments = made.get("segments", [])
    report = heddle("sim", "-c", PRESET, *inputs(name), "--whole")
    assert report["exact"], name
    cycles, words = report["report"]["total"]["cycles"], sum(segment["host_words"] for segment in segments)
    found = heddle("cosim", "-c", PRESET, *inputs(name), "--whole")
    assert found["exact"], f"{name} on RTL"
    rtl = found["report"]["total"]["cycles"]
    tensors, clocks = sum(made["tensor_words"].values()), made["clocks"]
    assert clocks["all"] == cycles + words + tensors
    hosts = sum(planned["host"] for planned in made["runs"])
    pieces = [f"{'x'.join(str(part[k]) for k in ('groups_of_channels', 'bands_of_rows'))} {part['layer'].split('/')[0]}" for part in made.get("pieces", [])]
    return f"{shown} {', '.join(pieces) or '-'} | {cycles} | {rtl} | {len(segments) or 1} | {words} | {tensors} | {clocks['all']} | {hosts} |"


def table(heads, rows):
    return "\n".join([f"| {' | '.join(heads)} |", "|" + "---|" * len(heads), *rows])


def tables():
    """Text of each table by its marker."""
    heads = ["network", "weights", "operators", "layers", "exact", "of the host", "golden network and reference", "import"]
    found = {"import": table(heads, [imported(name) for name in NAMES])}
    heads = ["network", "MACs", "ideal", "cycles", "utilisation", "on RTL", "words", "clocks", "runs of the host", "compile"]
    for machine in MACHINES:
        found[machine] = table(heads, [compiled(machine, name) for name in NAMES])
    heads = ["network", "", "state_buffer.banks", "bytes of a partition", *MEMORIES, "cycles", "words", "clocks"]
    found["memories"] = table(heads, [row for name in NAMES for row in memories(name)])
    heads = ["network", "input", "pieces", "cycles", "on RTL", "segments", "words of loads", "words of tensors", "clocks", "runs of the host"]
    found["segments"] = table(heads, [in_segments(name) for name in SIDES])
    for name in LISTED:
        found[f"layers of {name}"] = table(["layer", "cycles", "share"], layers(name))
    heads = ["sum", "cycles", "networks", "cycles of the network", f"of them at most {AIM}"]
    found["sums"] = table(heads, of_seeds())
    return found


def filled(text, found):
    """The page with these tables between their markers."""
    for marker, content in found.items():
        begin, end = f"<!-- {marker} -->", f"<!-- end of {marker} -->"
        head, _, rest = text.partition(begin)
        _, separator, rest = rest.partition(end)
        assert separator, f"{PAGE} has no markers {begin} and {end}"
        text = f"{head}{begin}\n{content}\n{end}{rest}"
    return text


def without_times(text):
    return re.sub(r"\| \d+\.\d\d s \|", "| s |", text)


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit("usage: scripts/networks.py [--check]")
    WORK.mkdir(parents=True, exist_ok=True)
    make_networks()
    found = tables()
    print("\n\n".join(found.values()))
    before = PAGE.read_text(encoding="utf-8")
    after = filled(before, found)
    if not sys.argv[1:]:
        PAGE.write_text(after, encoding="utf-8")
    elif without_times(before) != without_times(after):
        sys.exit(f"networks: {PAGE.relative_to(ROOT)} has other figures; scripts/networks.py writes them anew")


if __name__ == "__main__":
    main()
