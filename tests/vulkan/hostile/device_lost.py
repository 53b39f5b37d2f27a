#!/usr/bin/env python3
"""A shader that never ends and one that reads an unmapped address, on Mesa's driver or on ours over a model: device_lost.c says what the program sees, this what stands
in the model's report.

    device_lost.py [--gpu NAME] DRIVER RUN_ON TUFF DEVICE_LOST"""
import pathlib
import re
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
import models  # noqa: E402
from tap import Tap  # noqa: E402

WORDS_B = 4096  # that the invocations read, at most
SECONDS = 60  # a hang, even on a loaded machine
ARGUMENTS = sys.argv[1:]
GPU = models.take_option(ARGUMENTS)
FAMILY = models.family(GPU)
CULPRIT = re.compile(rf"^\s*->\s+[+-][0-9a-f]+\s+({FAMILY.INSTRUCTION})", re.M)


def run(tap, words, kind):
    driver, run_on, tuff, program = words
    # RADV 22.3.6 learns of a loss at its next submission only.
    command = [sys.executable, run_on, "--tuff", tuff, "--gpu", GPU, driver, program, kind, *(["everywhere"] if driver == "tuff" else [])]
    start = time.monotonic()
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        tap.case(f"{kind}: the process ends by itself", False, " ".join(command))
        return None
    if ran.returncode == 77:
        tap.skip(kind, f"{driver} is not installed")
        return None
    detail = f"{' '.join(command)}\nended with {ran.returncode} after {time.monotonic() - start:.1f} s\n{ran.stdout}{ran.stderr}"
    tap.case(f"{kind}: the device is lost, the others compute, the process ends with 0", ran.returncode == 0, detail)
    tap.note(f"{kind}: {' '.join(ran.stdout.split())}")
    found = CULPRIT.search(ran.stderr)
    tap.case(f"{kind}: the report points at an instruction", found is not None, detail)
    tap.case(f"{kind}: there is one report", ran.stderr.count("  code:") == 1, detail)
    if driver == "tuff":
        tap.case(f"{kind}: the driver tells of the loss once", ran.stderr.count("device lost:") == 1, detail)
    return ran, found.group(1) if found else "", detail


def main():
    tap = Tap()
    result = run(tap, ARGUMENTS, "endless")
    if result:
        ran, culprit, detail = result
        tap.case("endless: it is one of the loop's", FAMILY.LOOP.match(culprit) is not None, detail)
    result = run(tap, ARGUMENTS, "unmapped")
    if result:
        ran, culprit, detail = result
        tap.case("unmapped: it is a load", FAMILY.LOAD.match(culprit) is not None, detail)
        address = re.search(r"^address 0x([0-9a-f]+)", ran.stdout, re.M)
        named = re.search(r"a read of 0x([0-9a-f]+)", ran.stderr)
        # Of any invocation: which workgroup comes first is left open.
        tap.case("unmapped: the report names the address", address is not None and named is not None and
                 0 <= int(named.group(1), 16) - int(address.group(1), 16) < WORDS_B, detail)
    sys.exit(tap.done())


if __name__ == "__main__":
    main()
