#!/usr/bin/env python3
"""Runs the tests one after another and prints the longest as a table.

Usage: scripts/slowest.py [--count N] [--package FOLDER]... [-- ARGUMENT_OF_THE_TESTS...]
The seconds are processor time, with the compilers that a test starts, so that another load of the
machine does not matter. `-- --skip _slow` leaves out what scripts/test.sh leaves out.
"""

import argparse
import json
import os
import subprocess
import sys

TICKS = os.sysconf("SC_CLK_TCK")


def programs(packages):
    """(package, test program) of each test target, built if need be."""
    command = ["cargo", "test", "--workspace", "--no-run", "--quiet", "--message-format", "json"]
    built = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if built.returncode != 0:
        sys.exit("slowest: the tests do not build")
    for line in built.stdout.splitlines():
        message = json.loads(line)
        if message.get("profile", {}).get("test") and message.get("executable"):
            folder = os.path.dirname(message["manifest_path"])
            if not packages or os.path.basename(folder) in packages:
                yield folder, message["executable"]


def processor_seconds(pid):
    """Of a process and of the children that it has waited for."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / TICKS


def run(folder, program, arguments):
    """(seconds, package, test) of each test of a program."""
    command = [program, "--test-threads", "1", *arguments]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    package, text, before = os.path.basename(folder), b"", 0.0
    # A test's name comes with a space behind it and no end of line before the test begins.
    while byte := process.stdout.read(1):
        text += byte
        if byte != b"\n":
            continue
        words = text.decode(errors="replace").split()
        if words[:1] == ["test"] and words[-1] in ("ok", "FAILED"):
            now = processor_seconds(process.pid)
            print(f"{now - before:7.2f} s {package} {words[1]}", file=sys.stderr, flush=True)
            yield now - before, package, words[1]
            before = now
        text = b""
    if process.wait() != 0:
        print(f"slowest: a test of {program} fails", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--package", action="append", default=[])
    parser.add_argument("arguments", nargs="*")
    options = parser.parse_args()
    tests = []
    for folder, program in programs(options.package):
        tests += run(folder, program, options.arguments)
    tests.sort(reverse=True)
    print("| seconds | package | test |\n|---:|---|---|")
    for seconds, package, name in tests[: options.count]:
        print(f"| {seconds:.1f} | {package} | `{name}` |")
    print(f"\n{len(tests)} tests, {sum(row[0] for row in tests):.0f} s")


if __name__ == "__main__":
    main()
