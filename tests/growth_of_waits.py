#!/usr/bin/env python3
"""Waits cost what their number is, not its square: instructions by callgrind, which are the same on every machine.

    growth_of_waits.py GROW_WAITS"""
import math
import re
import shutil
import subprocess
import sys

import tap

KINDS = {"signals": "a wait for many objects, signaled one by one", "points": "fences for many points of a timeline", "uses": "pending submissions that use a buffer"}
SIZES = (400, 1600)
LIMIT = 1.25


def instructions(program, kind, size):
    """What a run takes, or None and what it printed."""
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, kind, str(size)], capture_output=True, text=True, timeout=600, check=False)
    found = re.search(r"Collected : (\d+)", done.stderr)
    return (int(found[1]) if found and done.returncode == 0 else None), done.stderr


def main():
    report = tap.Tap()
    if not shutil.which("valgrind"):
        return report.skip_all("valgrind is not installed")
    program = sys.argv[1]
    for kind, what in KINDS.items():
        empty, _ = instructions(program, kind, 1)
        results = [instructions(program, kind, size) for size in SIZES]
        counts = [count - empty if count and empty else None for count, _ in results]
        exponent = math.log(counts[1] / counts[0]) / math.log(SIZES[1] / SIZES[0]) if all(counts) else None
        text = "it does not run" if exponent is None else f"exponent {exponent:.2f}"
        report.case(f"{what}: {text}", exponent is not None and exponent <= LIMIT, f"{counts}\n{results[1][1][-500:]}\nrepeat: {sys.argv[0]} {program}")
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
