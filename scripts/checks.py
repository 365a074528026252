#!/usr/bin/env python3
"""Runs checks two at a time and prints what took how long: called by check.sh and test.sh.

Usage: scripts/checks.py edit|test|all
A step begins when the steps that it needs are done. Its output is in target/checks/STEP.log and is
printed if it fails; the first failure ends the run with exit code 1.
"""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[1]
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
LOGS = TARGET / "checks"
# The program that the tests build too: what it generates is the same, and a second build takes minutes.
HEDDLE = str(TARGET / "debug/heddle")
AT_A_TIME = 2
# Clippy runs nothing of what it reads.
CLIPPY = ["cargo", "clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"]
SHELL = ["bash", "-c", "shellcheck scripts/*.sh tb/formal/*.sh driver/*/*.sh driver/c/tests/*.sh .ci/run"]


class Step:
    """A command with the names of the steps that come before it."""

    def __init__(self, name, *command, needs=()):
        self.name, self.command, self.needs = name, [str(word) for word in command], set(needs)
        self.process = None

    def start(self):
        self.began = time.monotonic()
        self.log = LOGS / f"{self.name.replace(' ', '_')}.log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                self.command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True)

    def has_ended(self):
        """Waits for nothing. The processor time is that of all processes below."""
        pid, status, usage = os.wait4(self.process.pid, os.WNOHANG)
        if pid == 0:
            return False
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self.seconds = time.monotonic() - self.began
        self.processor = usage.ru_utime + usage.ru_stime
        return True


def has_toolchain(version):
    """Whether rustup has installed this version of Rust."""
    if not shutil.which("rustup"):
        return False
    listed = subprocess.run(["rustup", "toolchain", "list"], capture_output=True, text=True, check=False)
    return any(line.startswith(f"{version}-") or line.startswith(f"{version}.")
               for line in listed.stdout.splitlines())


def optional_steps():
    """What runs where its tool is installed."""
    msrv = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["rust-version"]
    steps = [
        (has_toolchain(msrv), f"Rust {msrv}",
         Step("msrv", "cargo", f"+{msrv}", "check", "--workspace", "--quiet", "--target-dir",
              TARGET / "msrv", needs=["build"])),
        # Advisories would need the network.
        (shutil.which("cargo-deny"), "cargo-deny",
         Step("deny", "cargo", "deny", "check", "licenses", "bans", "sources", needs=["setup"])),
    ]
    for installed, tool, step in steps:
        if not installed:
            print(f"{step.name}: skipped, {tool} is not installed", flush=True)
    return [step for installed, _, step in steps if installed]


def edit_steps():
    """After every edit: what finds most faults within five minutes."""
    return [
        Step("format", "cargo", "fmt", "--all", "--check"),
        Step("shellcheck", *SHELL),
        Step("traceability", "scripts/traceability.py", "--check"),
        Step("readme", "scripts/readme.py", "--check", needs=["golden tests"]),
        Step("clippy", *CLIPPY),
        Step("unit tests", "cargo", "test", "--workspace", "--lib", "--bins", "--quiet",
             needs=["clippy"]),
        # --workspace: with fewer packages cargo builds the hardware again with other features.
        Step("golden tests", "cargo", "test", "--workspace", "--test", "all", "--quiet", "--",
             "golden::", "cosim::the_machine_agrees_with_the_golden_models", needs=["unit tests"]),
    ]


def every_form(path, with_slow):
    """The argument of a script of proofs for what takes minutes."""
    return ["--all"] if with_slow and path.name == "formal.sh" else []


def test_steps(with_slow):
    """Everything; what is slow only if asked for."""
    skip = [] if with_slow else ["--", "--skip", "_slow"]
    presets = sorted(path.stem for path in (ROOT / "configs").glob("*.json"))
    steps = [
        Step("setup", "scripts/setup.sh"),
        Step("format", "cargo", "fmt", "--all", "--check", needs=["setup"]),
        Step("shellcheck", *SHELL, needs=["setup"]),
        Step("traceability", "scripts/traceability.py", "--check", needs=["setup"]),
        Step("structure", "scripts/structure.py", "--check", needs=["setup"]),
        Step("places of faults", "scripts/mutants.sh", "--places", needs=["setup"]),
        Step("clippy", *CLIPPY, needs=["format"]),
        # Of the whole workspace, as the tests: with fewer packages the hardware would be built again for these.
        Step("program", "cargo", "build", "--workspace", "--bins", "--quiet", needs=["clippy"]),
        Step("build", "cargo", "test", "--workspace", "--quiet", "--no-run", needs=["program"]),
        # One run tells of every test that fails.
        Step("tests", "cargo", "test", "--workspace", "--quiet", "--no-fail-fast", *skip,
             needs=["build"]),
    ]
    # The other core is busy while one crate of tests is built.
    built = ["program"]
    # They have the modules of edge or of edge_dma and tflite, more often: elaborating the 16,384 cells of huge takes Icarus minutes.
    for name in presets:
        no_lint = ["--no-lint"] if name in ("large", "huge", "tflite_axi") and not with_slow else []
        steps.append(Step(f"preset {name}", "scripts/preset.sh", *no_lint, name, needs=built))
    steps += [
        Step("readme", "scripts/readme.py", "--check", needs=built),
        Step("synthesis", "scripts/maps.sh", needs=built),
        *(Step(f"proofs {path.stem}", "env", f"HEDDLE_FAULTS_EVERY={1 if with_slow else 4}", path, *every_form(path, with_slow), needs=built)
          for path in sorted((ROOT / "scripts").glob("formal*.sh"))),
        Step("demo", "scripts/demo.sh", needs=built),
        Step("driver", "env", f"HEDDLE={HEDDLE}", "driver/c/test.sh", needs=built),
        Step("driver in Python", "env", f"HEDDLE={HEDDLE}", "driver/python/test.sh", needs=built),
        *([Step("faults of the driver", "env", f"HEDDLE={HEDDLE}", "driver/c/tests/mutants.sh", needs=built)] if with_slow else []),
        Step("programs", "scripts/same_programs.sh", "--sample", needs=built),
        Step("client", ".venv/bin/python", "scripts/client_networks.py",
             *([] if with_slow else ["--programs", "6", "--operators", "60"]), needs=built),
        Step("peers", "scripts/peer.sh", needs=["setup"]),
        Step("digits in Python", "python3", "models/digits/evaluate.py", "--at-least", "0.95",
             needs=["setup"]),
    ]
    steps += optional_steps()
    if with_slow:
        steps.append(Step("release build", "cargo", "build", "--release", "--quiet", "--package",
                          "heddle-cli", needs=built))
        steps.append(Step("faults traversal", "scripts/formal.sh", "--mutants", needs=built))
        steps.append(Step("synthesis tables", "scripts/synthesis.py", "--check",
                          needs=["release build"]))
        steps.append(Step("demo of registers", "env", f"HEDDLE={HEDDLE}", "scripts/demo_axi.sh", needs=built))
        steps.append(Step("vectors", "scripts/regenerate.sh", needs=["setup"]))
        # What the tests see that always run, in about two hours.
        steps.append(Step("faults", "env", "--unset=HEDDLE_SLOW", "scripts/mutants.sh", "--all",
                          needs=["tests"]))
    return steps


def stop(steps):
    for step in steps:
        os.killpg(step.process.pid, signal.SIGKILL)


def run(steps):
    """The steps that ended, the one that failed or None."""
    waiting, running, ended = list(steps), [], []
    try:
        while waiting or running:
            done = {step.name for step in ended}
            for step in [step for step in waiting if step.needs <= done]:
                if len(running) < AT_A_TIME:
                    waiting.remove(step)
                    running.append(step)
                    step.start()
            time.sleep(0.1)
            for step in [step for step in running if step.has_ended()]:
                running.remove(step)
                ended.append(step)
                verdict = "ok" if step.process.returncode == 0 else "FAILED"
                print(f"{step.name}: {verdict} in {step.seconds:.0f} s", flush=True)
                if step.process.returncode != 0:
                    return ended, step
    finally:
        stop(running)
    return ended, None


def main():
    kinds = {"edit": edit_steps, "test": lambda: test_steps(False), "all": lambda: test_steps(True)}
    if len(sys.argv) != 2 or sys.argv[1] not in kinds:
        sys.exit(f"usage: scripts/checks.py {'|'.join(kinds)}")
    began = time.monotonic()
    LOGS.mkdir(parents=True, exist_ok=True)
    os.environ.update(HEDDLE=HEDDLE, CARGO_TERM_COLOR="never")
    if sys.argv[1] == "all":
        os.environ["HEDDLE_SLOW"] = "1"
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    ended, failed = run(kinds[sys.argv[1]]())
    print("\n| step | seconds | processor seconds |\n|---|---:|---:|")
    for step in ended:
        print(f"| {step.name} | {step.seconds:.0f} | {step.processor:.0f} |")
    print(f"| all | {time.monotonic() - began:.0f} | {sum(s.processor for s in ended):.0f} |")
    if failed:
        print(f"\nchecks: {failed.name} failed: {' '.join(failed.command)}", flush=True)
        sys.stdout.write(failed.log.read_text(errors="replace"))
        sys.exit(1)
    print("\nchecks: all passed")


if __name__ == "__main__":
    main()
