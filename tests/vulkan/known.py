#!/usr/bin/env python3
"""Runs a program that prints TAP and holds its failures against a list of known ones, which may only shrink:

    known.py [--mode WORD] [--write] KNOWN COMMAND [ARGUMENT]...

A line of the list is `CASE | why it fails`, or `[WORD] CASE | why` for one that fails in that mode, or on machines of that kind (x86_64, aarch64), alone. A failure that is not listed fails, and so does a listed
case that passes, or that does not exist: the change that mends a case takes it off the list. Patterns given to the program leave
out cases, so only what ran is judged then. --write writes the list anew from this run: reasons of the cases that stay are
kept."""
import argparse
import pathlib
import platform
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from tap import Tap  # noqa: E402

LINE = re.compile(r"^(ok|not ok) \d+ - (.+?)( # SKIP.*)?$")
KNOWN = re.compile(r"^(?:\[(\w+)\] )?(.+?) \| (.+)$")


def read_known(path, mode):
    """Names of the cases that fail in this mode, with the reason; and the lines that say nothing of it."""
    known, others = {}, []
    for line in path.read_text(encoding="utf-8").splitlines():
        found = KNOWN.match(line) if line.strip() and not line.startswith("#") else None
        if found and found.group(1) in (None, mode, platform.machine()):
            known[found.group(2)] = found.group(3)
        if not found or found.group(1) not in (None, mode) or (mode and not found.group(1)):
            others.append(line)
    return known, others


class Outcome:
    def __init__(self):
        self.results = {}  # name: "ok", "skip" or what the program said of the failure
        self.planned = None

    def read(self, stream):
        name = None
        for line in stream:
            found = LINE.match(line)
            if found:
                name = found.group(2)
                self.results[name] = "skip" if found.group(3) else "ok" if found.group(1) == "ok" else ""
            elif line.startswith("1.."):
                self.planned = int(line[3:].split()[0])
            elif name is not None and line.startswith("# ") and self.results[name] not in ("ok", "skip"):
                self.results[name] += line[2:]


def judge(tap, outcome, known, whole):
    for name, result in outcome.results.items():
        if result == "skip":
            tap.skip(name, "not supported")
        elif result == "ok":
            tap.case(name, name not in known, "it passes, and is listed as known to fail: take it off the list")
        elif name in known:
            tap.skip(name, f"known: {known[name]}")
        else:
            tap.case(name, False, result)
    for name in sorted(set(known) - set(outcome.results)) if whole else []:
        tap.case(name, False, "listed as known to fail, and there is no such case")


def write(path, outcome, mode):
    """What fails now. Lines of other modes stay as they are, and what fails in every mode has no word."""
    known, others = read_known(path, mode)
    always = read_known(path, "")[0] if mode else {}  # and what fails on this kind of machine
    failed = sorted(name for name, result in outcome.results.items() if result not in ("ok", "skip") and name not in always)
    prefix = f"[{mode}] " if mode else ""
    text = [f"{prefix}{name} | {known.get(name) or outcome.results[name].splitlines()[0][:160]}" for name in failed]
    path.write_text("\n".join(others + text) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mode", default="")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("known", type=pathlib.Path)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    outcome = Outcome()
    with subprocess.Popen([sys.executable, *options.command], stdout=subprocess.PIPE, text=True, errors="replace") as process:
        outcome.read(process.stdout)
    if process.returncode == 77:
        return Tap().skip_all("the driver is not here")
    if options.write:
        write(options.known, outcome, options.mode)
        print(f"{sum(r == 'ok' for r in outcome.results.values())} pass, {sum(r == 'skip' for r in outcome.results.values())} are not supported, "
              f"{sum(r not in ('ok', 'skip') for r in outcome.results.values())} fail")
        return 0
    tap = Tap()
    # A program that broke off has not said what it did not get to.
    tap.case("the program ran to its end", outcome.planned == len(outcome.results) > 0,
             f"{' '.join(options.command)}\nended with {process.returncode}, {len(outcome.results)} of {outcome.planned} cases")
    program = next((i for i, word in enumerate(options.command) if word.endswith("vulkan_cases")), len(options.command))
    patterns = [word for word in options.command[program + 1:] if not word.startswith("--")]
    judge(tap, outcome, read_known(options.known, options.mode)[0], not patterns)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
