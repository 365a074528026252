#!/usr/bin/env python3
"""Compiles many networks and compares the programs with those of benches/programs.csv: scripts/same_programs.sh runs it.

A line of the table is a network on a configuration with options: the hash of the program file (without its format, its
checksum and reasons in words) or of the refusal, the hash of all that is said in words, cycles, segments, layers in pieces.
"""

import argparse
import collections
import concurrent.futures
import csv
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import random_networks

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "benches/programs.csv"
PAGE = ROOT / "benches/compile.md"
HEDDLE = pathlib.Path(os.environ.get("HEDDLE", ROOT / "target/release/heddle"))
FIELDS = ("network", "configuration", "program", "messages", "cycles", "segments", "pieces")
BEGIN, END = "<!-- changed -->", "<!-- end of changed -->"
# Seconds: limits of a program and of one that takes minutes, and from where on it is named.
LIMIT, LONG_LIMIT, SLOW = 60, 1200, 0.5
MOST_SHOWN = 20
UNKNOWN = {"program": "unknown"}

# Presets, and what is different: words of a bank, units of a sparse cluster.
CONFIGURATIONS = {
    **{name: (name, None, None) for name in ("tiny", "edge", "tflite", "mobile")},
    "edge_64": ("edge", 64, None),
    "edge_128": ("edge", 128, None),
    "tflite_64": ("tflite", 64, None),
    "tiny_sparse": ("tiny", None, 4),
    "edge_sparse": ("edge", None, 8),
    "tflite_sparse": ("tflite", None, 8),
}
IMPORTED = ["tflite", "tflite --whole", "edge --whole", "tiny"]
MODELS = IMPORTED + ["mobile --whole", "edge_64 --whole --double-buffer", "edge_128", "tiny --mapping flattened --whole",
                     "edge --fold --identity built", "edge_sparse --engine sparse --whole", "tiny_sparse --engine sparse"]
# Those of benches/networks.md, which scripts/networks.py makes, and what takes minutes.
FAMILIES = ["resnet8", "dscnn", "autoencoder", "mobilenet"]
LARGE = ["tflite", "tflite --whole", "edge", "tiny"]
LONG = {"autoencoder": ["tiny"], "mobilenet": ["tiny"]}
# What must have happened, or the comparison proves nothing: with one configuration, and with all.
LEAST = {
    "tiny": {"compiled": 200, "segments": 100, "pieces": 50},
    "edge": {"compiled": 200, "segments": 50, "pieces": 10},
    "edge_64": {"compiled": 30, "segments": 10, "pieces": 5},
    "edge_128": {"compiled": 150, "segments": 80, "pieces": 40},
    "tflite": {"compiled": 400},
    "tflite_64": {"compiled": 200, "segments": 15, "pieces": 5},
    "tiny_sparse": {"compiled": 50, "cluster": 40, "segments": 20},
    "edge_sparse": {"compiled": 40, "cluster": 30},
    "tflite_sparse": {"compiled": 40, "cluster": 30},
    "all": {"refused": 200, "host": 400, "matrices": 100, "flattened": 500, "toeplitz": 100, "blocks": 40,
            "double buffer": 50},
}
SAMPLE_LEAST = {"all": {"compiled": 50, "refused": 5, "segments": 10, "pieces": 6, "cluster": 4, "host": 15, "matrices": 5,
                        "flattened": 25, "toeplitz": 3, "blocks": 3, "double buffer": 1}}
# Numbers of the random networks of the sample.
SAMPLE = range(110, 165)
COUNTED = ["compiled", "refused", "segments", "pieces", "cluster", "host", "matrices", "channel", "flattened", "toeplitz",
           "blocks", "double buffer", "panics", "unknown"]


def fail(message):
    sys.exit(f"same_programs: {message}")


class Subject:
    """A network of a file, with the pairs of configuration and options that it is compiled with."""

    def __init__(self, path, pairs, limit=LIMIT):
        self.name, self.path, self.pairs, self.limit = path.name, path, pairs, limit

    def write(self, folder):
        """The name of its file in a folder with all files that it needs, and the pairs."""
        for path in [self.path, *self.path.parent.glob("*.bin")]:
            (folder / path.name).write_bytes(path.read_bytes())
        return self.path.name, self.pairs


class RandomSubject:
    """A random network; of a sample one pair alone."""

    def __init__(self, number, is_sample):
        self.name, self.number, self.is_sample = random_networks.name_of(number), number, is_sample
        self.limit = LIMIT

    def write(self, folder):
        network, pairs = random_networks.drawn(self.number)
        (folder / "network.json").write_text(json.dumps(network.file()))
        (folder / "zeros.json").write_text(json.dumps(network.zeros()))
        at = self.number // len(random_networks.FAMILIES) % len(pairs)
        return "network.json", pairs[at : at + 1] if self.is_sample else pairs


def subjects(is_sample, with_long):
    models, data = sorted(ROOT.glob("models/*.json")), ROOT / "import/tests/data"
    if is_sample:
        files = [data / name for name in ("residual.tflite", "transformer.tflite", "onnx/keyword.onnx", "onnx/old.onnx")]
        return [Subject(path, pairs[:1]) for path, pairs in [*((path, MODELS) for path in models),
                                                             *((path, IMPORTED) for path in files)]] + [
            RandomSubject(number, True) for number in SAMPLE]
    found = [Subject(path, MODELS) for path in models]
    for pattern in ("*.tflite", "onnx/*.onnx"):
        found += [Subject(path, IMPORTED) for path in sorted(data.glob(pattern))]
    for name in FAMILIES:
        path, long = ROOT / f"build/networks/{name}.tflite", LONG.get(name, [])
        if not path.exists():
            print(f"not compiled: {name}, scripts/networks.py makes {path.relative_to(ROOT)}")
            continue
        found.append(Subject(path, [pair for pair in LARGE if pair not in long]))
        if with_long and long:
            found.insert(0, Subject(path, long, LONG_LIMIT))
    return found + [RandomSubject(number, False) for number in range(random_networks.COUNT)]


def write_configurations(folder):
    for name, (preset, words, units) in CONFIGURATIONS.items():
        config = json.loads((ROOT / f"configs/{preset}.json").read_text())
        config["name"] = name
        if words:
            config["state_buffer"]["words_per_bank"] = words
        if units:
            config["program"]["words"] = 16384
            config["column_tiles"] = min(256, config["column_tiles"])
            tiles = max(64, config["column_tiles"])
            config["sparse"] = {"engine": True, "units": units, "channels": config["array"]["cols"], "tiles": tiles}
        (folder / f"{name}.json").write_text(json.dumps(config))


def digest(*texts):
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def without_reasons(value, reasons):
    """The value without what it says in words, which goes to `reasons`."""
    if isinstance(value, list):
        return [without_reasons(item, reasons) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {}
    for key in sorted(value):
        if key == "reason":
            reasons.append(value[key])
        elif key == "engine" and isinstance(value[key], list):
            kept[key], reason = value[key]
            reasons.append(reason)
        else:
            kept[key] = without_reasons(value[key], reasons)
    return kept


def events(program):
    """What a program has of which a table needs enough."""
    layers = program["layers"]
    found = {"compiled", *(layer["mapping"] for layer in layers if not layer.get("host"))}
    for event, is_there in {
        "segments": program.get("segments"),
        "pieces": program.get("pieces"),
        "double buffer": program.get("double_buffered"),
        "host": any(layer.get("host") for layer in layers),
        "cluster": any(layer.get("engine", [""])[0] == "sparse" for layer in layers),
        "matrices": any(tensor.get("matrices") for tensor in program["tensors"]),
    }.items():
        found |= {event} if is_there else set()
    return found


def compiled(folder, model, pair, limit):
    """The line of a pair, and its events."""
    config, *options = pair.split()
    target = folder / "program.json"
    target.unlink(missing_ok=True)
    command = [HEDDLE, "compile", model, "-c", f"{config}.json", "-o", target.name, "--json", *options]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return {"program": "unknown", "messages": f"over {limit} s"}, {"unknown"}
    if done.returncode:
        refusal = {"program": f"exit {done.returncode} {digest(done.stderr)}"}
        return refusal, {"refused"} if done.returncode == 2 else {"refused", "panics"}
    program, reasons = json.loads(target.read_text())["program"], []
    return {
        "program": digest(json.dumps(without_reasons(program, reasons), sort_keys=True, separators=(",", ":"))),
        "messages": digest(done.stdout, done.stderr, *reasons),
        "cycles": str(sum(run["cycles"] for run in program["runs"])),
        "segments": str(len(program.get("segments", []))),
        "pieces": str(len(program.get("pieces", []))),
    }, events(program)


class Run:
    """All lines of some subjects, what happened in them, and what took long."""

    def __init__(self, chosen, jobs):
        self.lines, self.slow = {}, []
        self.counts = collections.defaultdict(collections.Counter)
        began = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for lines in pool.map(self.compile, chosen):
                self.lines |= lines
        self.seconds = time.monotonic() - began

    def compile(self, subject):
        """The lines of all pairs of a subject."""
        lines = {}
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            write_configurations(folder)
            model, pairs = subject.write(folder)
            for pair in pairs:
                began = time.monotonic()
                line, found = compiled(folder, model, pair, subject.limit)
                seconds = time.monotonic() - began
                if seconds > SLOW:
                    self.slow.append((seconds, f"{subject.name} on {pair}"))
                lines[subject.name, pair] = dict.fromkeys(FIELDS, "") | line | {
                    "network": subject.name, "configuration": pair}
                for configuration in (pair.split()[0], "all"):
                    self.counts[configuration].update(found)
                if "panics" in found:
                    print(f"panics: {subject.name} on {pair}", flush=True)
        return lines

    def report(self, least):
        print(f"| configuration | {' | '.join(COUNTED)} |\n|---|{'---:|' * len(COUNTED)}")
        for configuration in sorted(self.counts, key=lambda name: (name == "all", name)):
            counts = self.counts[configuration]
            print(f"| {configuration} | {' | '.join(str(counts[name]) for name in COUNTED)} |")
        for seconds, name in sorted(self.slow, reverse=True)[:MOST_SHOWN]:
            print(f"slow: {name}, {seconds:.1f} s")
        print(f"{len(self.lines)} programs in {self.seconds:.0f} s")
        for configuration, events in least.items():
            for name, count in events.items():
                found = self.counts[configuration][name]
                if found < count:
                    fail(f"{configuration}: {found} {name}, expected at least {count}")


def write_table(path, lines):
    with path.open("w", newline="") as file:
        table = csv.DictWriter(file, FIELDS, lineterminator="\n")
        table.writeheader()
        table.writerows(lines[key] for key in sorted(lines))


def read_table(path):
    with path.open(newline="") as file:
        return {(line["network"], line["configuration"]): line for line in csv.DictReader(file)}


def shown(line):
    """What became of a pair: cycles, or the exit code."""
    return f"{int(line['cycles']):,} cycles" if line["cycles"] else line["program"].rsplit(" ", 1)[0]


def is_slower(before, after):
    """By more than 1 %, or no longer compiled."""
    if not before["cycles"] or not after["cycles"]:
        return bool(before["cycles"])
    return 100 * int(after["cycles"]) > 101 * int(before["cycles"])


class Comparison:
    """Pairs that are not as the table says."""

    def __init__(self, table, lines):
        self.table, self.lines = table, lines
        self.added = [key for key in sorted(lines) if table.get(key, UNKNOWN)["program"] == "unknown" != lines[key]["program"]]
        both = [key for key in sorted(lines) if key in table and key not in self.added]
        words = {"messages"}
        self.changed = [key for key in both if any(table[key][name] != lines[key][name] for name in set(FIELDS) - words)]
        self.said = [key for key in both if key not in self.changed and table[key] != lines[key]]

    def report(self):
        for key in self.changed:
            before, after = self.table[key], self.lines[key]
            print(f"changed: {' on '.join(key)}: {shown(before)} -> {shown(after)}")
        for what, keys in (("other messages", self.said), ("not in the table", self.added)):
            for key in keys[:MOST_SHOWN]:
                print(f"{what}: {' on '.join(key)}")
        print(f"{len(self.changed)} programs changed, {len(self.said)} others say something else, {len(self.added)} are not in the table")
        return bool(self.changed or self.said or self.added)

    def accept(self, named):
        """Rewrites the table, and adds to the list of changed programs."""
        slower = [key for key in self.changed if is_slower(self.table[key], self.lines[key])]
        slower = [key for key in slower if not {key[0], " on ".join(key)} & set(named)]
        if slower:
            fail("slower by more than 1 %, --accept takes the names of those that may be: "
                 + ", ".join(" on ".join(key) for key in slower))
        if self.changed:
            self.write_page()
        write_table(TABLE, self.table | self.lines)

    def write_page(self):
        """What a program was before all changes stays in the list."""
        page = PAGE.read_text()
        begin, end = page.index(BEGIN) + len(BEGIN), page.index(END)
        rows = [line.strip("| ").split(" | ") for line in page[begin:end].splitlines() if line.startswith("| ")]
        rows = {(row[0], row[1]): row for row in rows[1:]}
        for key in self.changed:
            before = rows[key][2] if key in rows else shown(self.table[key])
            rows[key] = [*key, before, shown(self.lines[key])]
        lines = ["| network | configuration | before | after |", "|---|---|---:|---:|"]
        lines += [f"| {' | '.join(rows[key])} |" for key in sorted(rows)]
        PAGE.write_text(page[:begin] + "\n" + "\n".join(lines) + "\n" + page[end:])


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--record", type=pathlib.Path, metavar="FILE", help="write a table, compare nothing")
    parser.add_argument("--accept", nargs="*", metavar="NAME",
                        help=f"rewrite the table, and list the changed programs in {PAGE.name}; NAMEs may be slower")
    parser.add_argument("--sample", action="store_true", help="a few quick ones of all kinds")
    parser.add_argument("--only", default="", metavar="TEXT", help="networks with TEXT in their names")
    parser.add_argument("--slow", action="store_true", help="also those that take minutes")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="programs at a time (default: 2)")
    return parser.parse_args()


def main():
    args = arguments()
    chosen = [subject for subject in subjects(args.sample, args.slow) if args.only in subject.name]
    run = Run(chosen, args.jobs)
    run.report({} if args.only else SAMPLE_LEAST if args.sample else LEAST)
    if args.record:
        write_table(args.record, run.lines)
        return
    comparison = Comparison(read_table(TABLE), run.lines)
    is_different = comparison.report()
    if args.accept is not None:
        comparison.accept(args.accept)
    elif is_different:
        fail("the programs are not those of the table; scripts/same_programs.sh --accept takes them")


if __name__ == "__main__":
    main()
