#!/usr/bin/env python3
"""Compiles many networks and compares the programs with benches/programs.csv: scripts/same_programs.sh runs it.

A line of the table is a network on a configuration with options: the hash of the program file (without its format, its
checksum and reasons in words) or of the refusal, the hash of all that is said in words, cycles of an image, segments,
and layers in pieces.
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

CLUSTER = {"program.words": 16384, "sparse.engine": True, "sparse.units": 8}
# Presets, and what is different.
CONFIGURATIONS = {
    **{name: (name, {}) for name in ("tiny", "edge", "tflite", "mobile")},
    "edge_64": ("edge", {"state_buffer.words_per_bank": 64}),
    "edge_128": ("edge", {"state_buffer.words_per_bank": 128}),
    "tflite_32": ("tflite", {"state_buffer.banks": 8, "state_buffer.words_per_bank": 32}),
    "tiny_sparse": ("tiny", CLUSTER | {"sparse.units": 4, "sparse.channels": 4}),
    "edge_sparse": ("edge", CLUSTER),
    "tflite_sparse": ("tflite", CLUSTER | {"sparse.channels": 16, "column_tiles": 256, "sparse.tiles": 256}),
    "banks": ("tflite", {"array.rows": 8, "array.cols": 8, "array.partial_sums": "top", "program.memory": "banks",
                         "program.words": 2048, "state_buffer.banks": 8, "state_buffer.words_per_bank": 128,
                         "state_buffer.input_banks": 1}),
    "oblong": ("tflite", {"array.rows": 12, "array.cols": 6, "state_buffer.banks": 4, "column_tiles": 64,
                          "state_buffer.words_per_bank": 256, "post.columns_per_multiplier": 2}),
    "shallow": ("tiny", {"array.rows": 3, "array.cols": 5, "traversal.rows": 2, "traversal.loops": 3,
                         "results_buffer.depth": 16, "column_tiles": 64}),
}
IMPORTED = ["tflite", "tflite --whole", "edge --whole", "tiny"]
MODELS = [*IMPORTED, "mobile --whole", "edge_64 --double-buffer --whole", "edge_128", "tiny --mapping flattened --whole",
          "edge --fold --identity built", "edge_sparse --engine sparse --whole", "tiny_sparse --engine sparse"]
# Those of benches/networks.md, which scripts/networks.py makes, and what takes minutes.
FAMILIES = ["resnet8", "dscnn", "autoencoder", "mobilenet"]
LARGE = ["tflite", "tflite --whole", "edge", "tiny"]
LONG = {"autoencoder": ["tiny"], "mobilenet": ["tiny"]}
# What must have happened, or the comparison proves nothing: with one configuration, and with all.
LEAST = {
    "tiny": {"compiled": 200, "segments": 100, "pieces": 50},
    "edge": {"compiled": 200, "segments": 40, "pieces": 5},
    "edge_64": {"compiled": 40, "segments": 25, "pieces": 10},
    "edge_128": {"compiled": 150, "segments": 70, "pieces": 40},
    "tflite": {"compiled": 500, "blocks": 20, "toeplitz": 30},
    "tflite_32": {"compiled": 200, "segments": 50, "pieces": 15},
    "tiny_sparse": {"compiled": 50, "cluster": 40, "segments": 15},
    "edge_sparse": {"compiled": 40, "cluster": 30},
    "tflite_sparse": {"compiled": 30, "cluster": 20},
    "banks": {"compiled": 100, "segments": 5},
    "oblong": {"compiled": 200, "segments": 10},
    "shallow": {"compiled": 50, "segments": 40, "pieces": 30},
    "all": {"refused": 400, "host": 600, "matrices": 150, "flattened": 1000, "toeplitz": 150, "blocks": 50,
            "double buffer": 60},
}
SAMPLE_LEAST = {"all": {"compiled": 50, "refused": 5, "segments": 10, "pieces": 6, "cluster": 4, "host": 15,
                        "matrices": 5, "flattened": 25, "toeplitz": 3, "blocks": 2, "double buffer": 1}}
# Numbers of the random networks of the sample.
SAMPLE = range(264, 330)
SAMPLE_FILES = ["residual.tflite", "transformer.tflite", "onnx/keyword.onnx", "onnx/old.onnx"]
COUNTED = ["compiled", "refused", "segments", "pieces", "cluster", "host", "matrices", "channel", "flattened",
           "toeplitz", "blocks", "double buffer", "panics", "unknown"]


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

    limit = LIMIT

    def __init__(self, number, is_sample):
        self.name, self.number, self.is_sample = random_networks.name_of(number), number, is_sample

    def write(self, folder):
        network, pairs = random_networks.drawn(self.number)
        (folder / "network.json").write_text(json.dumps(network.file()))
        (folder / "zeros.json").write_text(json.dumps(network.zeros()))
        at = self.number // len(random_networks.FAMILIES) % len(pairs)
        return "network.json", pairs[at : at + 1] if self.is_sample else pairs


def subjects(is_sample, with_long):
    models, data = sorted(ROOT.glob("models/*.json")), ROOT / "import/tests/data"
    if is_sample:
        found = [Subject(path, MODELS[:1]) for path in models]
        found += [Subject(data / name, IMPORTED[:1]) for name in SAMPLE_FILES]
        return found + [RandomSubject(number, True) for number in SAMPLE]
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
    for name, (preset, changes) in CONFIGURATIONS.items():
        config = json.loads((ROOT / f"configs/{preset}.json").read_text())
        for path, value in changes.items():
            *groups, field = path.split(".")
            place = config
            for group in groups:
                place = place.setdefault(group, {})
            place[field] = value
        (folder / f"{name}.json").write_text(json.dumps(config | {"name": name}))


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
        return UNKNOWN | {"messages": f"over {limit} s"}, {"unknown"}
    if done.returncode:
        refusal = {"program": f"exit {done.returncode} {digest(done.stderr)}"}
        return refusal, {"refused"} if done.returncode == 2 else {"refused", "panics"}
    program, reasons = json.loads(target.read_text())["program"], []
    # A matter of the configuration, as the format is one of the file.
    del program["machine"]["program_memory"]
    return {
        "program": digest(json.dumps(without_reasons(program, reasons), sort_keys=True, separators=(",", ":"))),
        "messages": digest(done.stdout, done.stderr, *reasons),
        "cycles": str(sum(run["cycles"] for run in program["runs"])),
        "segments": str(len(program.get("segments", []))),
        "pieces": str(len(program.get("pieces", []))),
    }, events(program)


def compile_all(subject):
    """For each pair of a subject its line, events and seconds."""
    done = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_configurations(folder)
        model, pairs = subject.write(folder)
        for pair in pairs:
            began = time.monotonic()
            line, found = compiled(folder, model, pair, subject.limit)
            line = dict.fromkeys(FIELDS, "") | line | {"network": subject.name, "configuration": pair}
            done.append((line, found, time.monotonic() - began))
    return done


class Run:
    """All lines of some subjects, what happened in them, and what took long."""

    def __init__(self, chosen, jobs):
        self.lines, self.slow, self.counts = {}, [], collections.defaultdict(collections.Counter)
        began = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for done in pool.map(compile_all, chosen):
                for line, found, seconds in done:
                    self.take(line, found, seconds)
        self.seconds = time.monotonic() - began

    def take(self, line, found, seconds):
        network, pair = line["network"], line["configuration"]
        self.lines[network, pair] = line
        self.slow += [(seconds, f"{network} on {pair}")] if seconds > SLOW else []
        for configuration in (pair.split()[0], "all"):
            self.counts[configuration].update(found)
        if "panics" in found:
            print(f"panics: {network} on {pair}", flush=True)

    def report(self):
        print(f"| configuration | {' | '.join(COUNTED)} |\n|---|{'---:|' * len(COUNTED)}")
        for configuration in sorted(self.counts, key=lambda name: (name == "all", name)):
            counts = self.counts[configuration]
            print(f"| {configuration} | {' | '.join(str(counts[name]) for name in COUNTED)} |")
        for seconds, name in sorted(self.slow, reverse=True)[:MOST_SHOWN]:
            print(f"slow: {name}, {seconds:.1f} s")
        print(f"{len(self.lines)} programs in {self.seconds:.0f} s")

    def check_events(self, least):
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
        self.changed, self.said, self.added = [], [], []
        for key, line in sorted(lines.items()):
            before = table.get(key, UNKNOWN)
            if before["program"] == "unknown":
                self.added += [key] if before["program"] != line["program"] else []
            elif before | {"messages": ""} != line | {"messages": ""}:
                self.changed.append(key)
            elif before != line:
                self.said.append(key)

    def report(self):
        """Whether all pairs are as the table says."""
        for key in self.changed:
            print(f"changed: {' on '.join(key)}: {shown(self.table[key])} -> {shown(self.lines[key])}")
        for what, keys in (("other messages", self.said), ("not in the table", self.added)):
            for key in keys[:MOST_SHOWN]:
                print(f"{what}: {' on '.join(key)}")
        changed, said, added = map(len, (self.changed, self.said, self.added))
        print(f"{changed} programs changed, {said} others say something else, {added} are not in the table, "
              f"{len(set(self.table) - set(self.lines))} of the table were not compiled")
        return changed + said + added == 0

    def accept(self, named):
        """Rewrites the table, and adds to the list of changed programs."""
        slower = [key for key in self.changed if is_slower(self.table[key], self.lines[key])]
        slower = [key for key in slower if not {key[0], " on ".join(key)} & set(named)]
        if slower:
            fail("slower by more than 1 %, --accept takes the names of those that may be: "
                 + ", ".join(" on ".join(key) for key in slower))
        programs = [key for key in self.changed if self.table[key]["cycles"] or self.lines[key]["cycles"]]
        if programs:
            self.write_page(programs)
        write_table(TABLE, self.table | self.lines)

    def write_page(self, programs):
        """What a program was before all changes stays in the list. Refusals are none."""
        page = PAGE.read_text()
        begin, end = page.index(BEGIN) + len(BEGIN), page.index(END)
        rows = [line.strip("| ").split(" | ") for line in page[begin:end].splitlines() if line.startswith("| ")]
        rows = {(row[0], row[1]): row for row in rows[1:]}
        for key in programs:
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
    least = {} if args.only else SAMPLE_LEAST if args.sample else LEAST
    chosen = [subject for subject in subjects(args.sample, args.slow) if args.only in subject.name]
    run = Run(chosen, args.jobs)
    run.report()
    if args.record:
        write_table(args.record, run.lines)
        run.check_events(least)
        return
    comparison = Comparison(read_table(TABLE), run.lines)
    is_same = comparison.report()
    if args.accept is not None:
        comparison.accept(args.accept)
    elif not is_same:
        fail("the programs are not those of the table; scripts/same_programs.sh --accept takes them")
    run.check_events(least)


if __name__ == "__main__":
    main()
