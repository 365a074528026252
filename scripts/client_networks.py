#!/usr/bin/env python3
"""Random networks through the written client (docs/client.py): compiled for random machines, run in Icarus Verilog.

Usage: scripts/client_networks.py [--programs N] [--operators N], or --pick. Memories begin as X. Between accesses there are random
gaps in which operands are X; resets come in the middle of loads and runs, with a write that is offered meanwhile. Outputs of all
runs are those of the golden network (heddle sim). Before that heddle_layout.py alone makes every layer of random networks
of all operators. What must have happened is counted, or nothing is proved.
"""

import argparse
import collections
import concurrent.futures
import itertools
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time
import zipfile

import random_networks
from random_layers import AXES, Draw, Network

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "docs"))
# Machine, number and family of a network, options: what --pick has found.
TABLE = ROOT / "scripts/client_networks.txt"
HEDDLE = pathlib.Path(os.environ.get("HEDDLE", ROOT / "target/debug/heddle"))
# Programs that fit so many clocks of the machine and words of the host: Icarus does some thousand of them in a second.
CLOCKS, WORDS = 4000, 4000
WEIGHTS = 20000
MACHINES, PER_MACHINE = 12, 5
# What a program is looked for next, what a machine needs for that, and the family that has it; after so many networks one is taken as it is.
WANTED = ("host", "segments", "order", "pieces", "matrices", "dual", "cluster", "tables", "further input", "keeps", "host")
NEEDS = {"dual": "post", "tables": "post", "cluster": "sparse"}
OWN_FAMILY = {"cluster": random_networks.cluster, "pieces": random_networks.wide, "keeps": random_networks.wide,
              "segments": random_networks.deep, "order": random_networks.depthwise, "matrices": random_networks.matrices}
PATIENCE = 120
# Of all programs of the table.
LEAST = {"host": 30, "further input": 10, "pieces": 2, "segments": 10, "order": 4, "matrices": 20, "dual": 5, "tables": 6,
         "banks": 15, "cluster": 1, "keeps": 12, "reset in a run": 50}


def machine(draw, number):
    """A random machine, small enough to be simulated by an interpreter."""
    rows, cols = draw.among(3, 6), draw.among(3, 6)
    config = json.loads((ROOT / "configs/tiny.json").read_text())
    config["name"] = f"client_{number}"
    config["array"] |= {"rows": rows, "cols": cols}
    config["column_tiles"] = 64
    banks = draw.one_of((2, 3, 4))
    config["state_buffer"] |= {"banks": banks, "words_per_bank": draw.one_of((64, 128, 256)), "row_offsets": 64}
    config["program"]["words"] = 2048
    if number % 3 == 1:
        config["post"] = {"pooling": True, "activations": 4, "left_shift": True, "dual_scale": True}
    if number % 4 == 2:
        config["program"] |= {"memory": "banks", "words": 1024}
        config["state_buffer"]["banks"] = 8
    if number % 6 == 3:
        config["array"] |= {"rows": 4, "cols": 4}
        config["sparse"] = {"engine": True, "units": 3, "channels": 4}
        config["program"]["words"] = 8192
    if number % 6 == 5:
        config["array"] |= {"rows": 4, "cols": 4}
    return config


def run(folder, *line):
    return subprocess.run([HEDDLE, *line], cwd=folder, capture_output=True, text=True, check=False)


def image(draw, network):
    shapes = [network.shapes["input"], *(network.shapes[name] for name in network.further)]
    return [draw.byte() for channels, height, width in shapes for _ in range(channels * height * width)]


def arrays(path, axes, shapes):
    """The arrays of a .npz file, each of one image. Places of the largest have 32 bits there, and 4 bytes in tensors."""
    found = {}
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            data = archive.read(name)
            start = 10 + int.from_bytes(data[8:10], "little")
            assert b"'fortran_order': False" in data[:start], data[:start]
            values, name = [(byte ^ 128) - 128 for byte in data[start:]], name.removesuffix(".npy")
            if b"'<i4'" in data[:start]:
                axis, shape = AXES.index(axes[name]), shapes[name]
                behind = math.prod(shape[axis + 1 :])
                places = itertools.product(range(math.prod(shape[:axis])), range(4), range(behind))
                values = [values[4 * (outer * behind + inner) + byte] for outer, byte, inner in places]
            found[name] = values
    return found


def compiled(folder, network, values, options=()):
    """Whether a network fits the machine of a folder; the program and what is expected lie there then."""
    text = network.file() | {"test": {"images": [values], "labels": []}}
    (folder / "m.json").write_text(json.dumps(text))
    (folder / "zeros.json").write_text(json.dumps(network.zeros()))
    (folder / "p.json").unlink(missing_ok=True)
    done = run(folder, "compile", "m.json", "-c", "c.json", "-o", "p.json", *options)
    if done.returncode not in (0, 2):
        sys.exit(f"client_networks: {network.name} {options}: {done.stderr}")
    return done.returncode == 0


def simulated(folder):
    done = run(folder, *"sim -c c.json -m m.json -p p.json --outputs o.npz --tensors --json".split())
    if done.returncode:
        sys.exit(f"client_networks: heddle sim: {done.stderr}{done.stdout[-400:]}")
    layers = json.loads((folder / "m.json").read_text())["layers"]
    axes = {layer["name"]: layer["axis"] for layer in layers if layer["kind"] == "arg_max"}
    tensors = json.loads((folder / "p.json").read_text())["program"]["tensors"]
    return arrays(folder / "o.npz", axes, {tensor["name"]: tensor["shape"] for tensor in tensors})


def events(program):
    """What a program has of which there must be enough."""
    layers = [program["layers"][r["layers"][0]] for r in program["runs"] if r.get("host")]
    parts = [program, *program.get("segments", [])]
    found = {
        "host": any(layer["inputs"] for layer in layers),
        "further input": any(not layer["inputs"] for layer in layers),
        "pieces": program.get("pieces"),
        "keeps": program.get("keeps"),
        "segments": program.get("segments"),
        "cluster": program.get("cluster"),
        "tables": any(part.get("tables") for part in parts),
        "dual": any(column.get("factors") for part in parts for column in part["columns"]),
        "order": any(tensor.get("order", "plain") != "plain" for tensor in program["tensors"]),
        "matrices": any(tensor.get("matrices") for tensor in program["tensors"]),
        "banks": program["machine"]["program_memory"] == "banks",
    }
    return {name for name, is_there in found.items() if is_there}


def cost(program):
    """Clocks of all runs, words that the host writes and reads."""
    clocks = sum(r["cycles"] for r in program["runs"])
    parts = [program, *program.get("segments", [])]
    words = sum(
        sum(len(piece["bytes"]) // 16 for piece in part["image"])
        + 2 * len(part["columns"]) + len(part["row_offsets"]) + len(part["words"]) // 8
        + 256 * len(part.get("tables", []))
        for part in parts
    )
    words += sum(t["shape"][0] * t["shape"][1] * -(-t["shape"][2] // 8) for t in program["tensors"])
    return clocks, words + len(program.get("cluster", []))


def make_machine(folder, number):
    """The configuration of a random machine and its Verilog."""
    draw = Draw(number)
    while True:
        config = machine(draw, number)
        (folder / "c.json").write_text(json.dumps(config))
        if run(folder, "config", "check", "c.json").returncode == 0:
            break
    assert run(folder, "gen", "-c", "c.json", "-o", "top").returncode == 0
    return config


def random_network(number, attempt, family=None):
    """A network, an image for it and the choices of options of its family."""
    families = random_networks.FAMILIES
    family, _, _, choices = next((row for row in families if row[0] is family), families[attempt % len(families)])
    draw = Draw(10000 * number + attempt)
    network = family(draw, f"{family.__name__}-{number}-{attempt}")
    return network, image(draw, network), choices


def pick(folder, number):
    """Looks for networks that have what is wanted, and fit a machine: a line of the table for each."""
    config = make_machine(folder, number)
    wanted = [event for event in WANTED if NEEDS.get(event, "name") in config]
    attempt, lines = 0, []
    for slot in range(PER_MACHINE):
        event, first = wanted[(number * PER_MACHINE + slot) % len(wanted)], attempt
        while True:
            attempt += 1
            family = OWN_FAMILY.get(event) if attempt < first + PATIENCE else None
            network, values, choices = random_network(number, attempt, family)
            options = random.Random(attempt).choice(choices)
            if sum(len(layer.get("weights", [])) for layer in network.layers) > WEIGHTS:
                continue
            if not compiled(folder, network, values, options.split()):
                continue
            program = json.loads((folder / "p.json").read_text())["program"]
            clocks, words = cost(program)
            if clocks <= CLOCKS and words <= WORDS and (event in events(program) or attempt >= first + PATIENCE):
                break
        lines.append(f"{number} {attempt} {family.__name__ if family else '-'} {options}".strip())
        print(lines[-1], sorted(events(program)), clocks, words, flush=True)
    return lines


def take_programs(folder, lines):
    """Compiles the networks of a machine; a folder for each."""
    taken = []
    make_machine(folder, int(lines[0].split()[0]))
    for line in lines:
        number, attempt, name, *options = line.split()
        network, values, _ = random_network(int(number), int(attempt), getattr(random_networks, name, None))
        if not compiled(folder, network, values, options):
            sys.exit(f"client_networks: {line}: does not fit, run scripts/client_networks.py --pick")
        program = json.loads((folder / "p.json").read_text())["program"]
        own = folder / attempt
        own.mkdir()
        for name in ("p.json", "m.json", "heddle_layout.py"):
            (own / name).write_bytes((folder / name).read_bytes())
        (own / "expected.json").write_text(json.dumps(simulated(folder)))
        (own / "top").symlink_to(folder / "top")
        taken.append((own, line, events(program)))
    return taken


def client(folder):
    """The client of a folder, in a process of its own: memories begin as X."""
    done = subprocess.run(
        [sys.executable, __file__, "--folder", folder], capture_output=True, text=True, check=False
    )
    return done.returncode == 0, done.stdout + done.stderr


class Operators(Network):
    """What random networks do not have yet."""

    def further_layer(self):
        draw, source = self.draw, self.source()
        channels, height, width = shape = self.shapes[source]
        kind = draw.below(7)
        if kind == 6:
            values = {"shape": [channels, 1, 1], "zero_point": self.zero_points[source], "first": draw.chance(50), "values": draw.bytes(channels)}
            return self.push("maximum", shape, [source], constant=values, smaller=draw.chance(50))
        if kind == 5:
            sides = [draw.among(1, 2 * side) for side in shape]
            steps = dict(zip(("channels", "rows", "columns"), (height * width, width, 1)))
            sources = {name: [step * draw.below(side) for _ in range(size)] for (name, step), side, size in zip(steps.items(), shape, sides)}
            return self.push("gather", sides, [source], **sources)
        if kind == 0:
            axes = [axis for axis in AXES if draw.chance(50)] or ["width"]
            sides = [1 if axis in axes else side for axis, side in zip(AXES, shape)]
            return self.push("reduce_max", sides, [source], axes=axes)
        if kind == 1:
            sides = [channels + 1, 2 * height + 1, 3 * width]
            return self.push("pad", sides, [source], start=[draw.below(2), 1, 0], output_shape=sides, stride=[2, 3], **({"value": draw.byte()} if draw.chance(50) else {}))
        if kind == 2:
            axes = [axis for axis in AXES if draw.chance(70)] or ["height"]
            sides = [1 if axis in axes else side for axis, side in zip(AXES, shape)]
            scale = {"multiplier": [draw.multiplier()], "shift": [-4]}
            return self.push("mean", sides, [source], axes=axes, **scale, **self.clamped())
        if kind == 3:
            values = {"shape": [1, height, 1], "zero_point": draw.byte(), "first": draw.chance(50), "values": draw.bytes(height)}
            scale = {"multiplier": [draw.multiplier()], "shift": [-7]}
            return self.push("mul", shape, [source], constant=values, rounding="single", **scale, **self.clamped())
        return self.transpose()


def operators_network(number):
    """Layers of all kinds."""
    draw = Draw(7000 + number)
    network = Operators(draw, f"operators-{number}", (draw.among(1, 4), draw.among(2, 6), draw.among(2, 6)),
                        random_networks.ALL)
    if draw.chance(20):
        network.add_input()
    for _ in range(draw.among(2, 6)):
        options = (network.host_layer, network.plane_layer, network.further_layer, network.product, network.sum)
        draw.one_of(options)()
    if draw.chance(30):
        network.end(draw.among(2, 9))
    if draw.chance(50):
        axis = draw.one_of(AXES)
        sides = [4 if axis == name else side for name, side in zip(AXES, network.shapes[network.last])]
        network.push("arg_max", sides, [network.last], axis=axis)
    return network


def check_operators(count):
    """Every layer of random networks by heddle_layout.py alone, and the places of all elements there and back."""
    kinds, orders = collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        config = json.loads((ROOT / "configs/tflite.json").read_text())
        config["array"] |= {"rows": 8, "cols": 8}
        (folder / "c.json").write_text(json.dumps(config))
        number = 0
        while sum(kinds.values()) == 0 or number < count:
            network = operators_network(number)
            values = image(network.draw, network)
            number += 1
            if not compiled(folder, network, values):
                continue
            expected = simulated(folder)
            sys.path.insert(0, str(folder))
            import heddle_layout

            program = json.loads((folder / "p.json").read_text())["program"]
            host = heddle_layout.Host(json.loads((folder / "m.json").read_text()), program)
            layout, made = heddle_layout.Layout(program), [host.given(values, 0)]
            for index, layer in enumerate(program["layers"]):
                made.append(host.run(index, values, [made[source] for source in layer["inputs"]]))
                tensor = index + 1
                if layer["name"] in expected:
                    kinds[host.layers[index].kind if layer["inputs"] else "input"] += 1
                    assert made[tensor] == expected[layer["name"]], f"{network.name}, {layer['name']}"
            for tensor, values in enumerate(made):
                check_places(layout, tensor, values, orders)
            sys.path.pop(0)
        missing = set(heddle_layout.OPERATORS) - {"float32"} - set(kinds)
        assert not missing, f"no layer of kind {missing}"
    return kinds, orders


def check_places(layout, tensor, values, orders):
    """What is written of a tensor is what is read, wherever it lies."""
    fields = layout.tensors[tensor]
    if not fields["planes"] and not fields.get("matrices"):
        return
    orders["matrices" if fields.get("matrices") else fields.get("order", "plain")] += 1
    written = {(partition, word): data for partition, word, data in layout.words(tensor, values)}
    assert layout.values(tensor, [written[place] for place in layout.places(tensor)]) == values
    _, height, width = fields["shape"]
    last = len(values) - 1
    for place in layout.locations(tensor)[last]:
        assert layout.element(tensor, *place) == (last // (height * width), last // width % height, last % width)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=60, metavar="N")
    parser.add_argument("--operators", type=int, default=150, metavar="N")
    parser.add_argument("--pick", action="store_true", help="look for programs anew and write the table")
    parser.add_argument("--folder", type=pathlib.Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.folder:
        from client import simulate

        sys.exit(0 if simulate(args.folder, "client_tests", args.folder.parent / "build") else "FAILED")
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        root = pathlib.Path(name)
        for number in range(MACHINES):
            (root / str(number)).mkdir()
        if args.pick:
            picked = pool.map(lambda number: pick(root / str(number), number), range(MACHINES))
            TABLE.write_text("".join(f"{line}\n" for lines in picked for line in lines))
            return
        began = time.monotonic()
        kinds, orders = check_operators(args.operators)
        print(f"layers by heddle_layout.py: {dict(sorted(kinds.items()))}, tensors {dict(sorted(orders.items()))}")
        run_all(root, pool, args.programs)
        print(f"{time.monotonic() - began:.0f} s")


def run_all(root, pool, count):
    """Runs programs of the table, as many from each machine."""
    counts, failed, machines = collections.Counter(), [], collections.defaultdict(list)
    for line in TABLE.read_text().splitlines():
        machines[line.split()[0]].append(line)
    each = [lines[: -(-count // MACHINES)] for lines in machines.values()][:count]
    folders = pool.map(lambda lines: take_programs(root / lines[0].split()[0], lines), each)
    # The first of a machine builds it.
    firsts, others = [], []
    for programs in folders:
        firsts.append(programs[0])
        others += programs[1:]
    for programs in (firsts, others):
        for (_, line, found), (passed, text) in zip(programs, pool.map(lambda program: client(program[0]), programs)):
            counts.update(found | {"programs"})
            for what in ("an access", "a run"):
                counts[f"reset in {what}"] += text.count(f"reset in {what}")
            if not passed:
                failed.append(f"{line}:\n{text[-3000:]}")
    print(f"programs by the client: {dict(sorted(counts.items()))}")
    for text in failed:
        print(text)
    if failed:
        sys.exit(f"client_networks: {len(failed)} of {counts['programs']} programs failed")
    if counts["programs"] != count or counts["reset in an access"] != count:
        sys.exit(f"client_networks: expected {count} programs and a reset in each")
    for event, least in LEAST.items():
        if counts["programs"] == MACHINES * PER_MACHINE and counts[event] < least:
            sys.exit(f"client_networks: {event}: {counts[event]}, expected at least {least}")


if __name__ == "__main__":
    main()
