#!/usr/bin/env python3
"""A shader that never ends and one that reads an unmapped address, on RADV or on our driver over the model: device_lost.c says what the program sees, this what stands
in the model's report.

    device_lost.py DRIVER RUN_ON TUFF DEVICE_LOST"""
import pathlib
import re
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from tap import Tap  # noqa: E402

SECONDS = 60  # a hang, even on a loaded machine
CULPRIT = re.compile(r"^\s*->\s+[+-][0-9a-f]+\s+([sv]_\w+|global_\w+|flat_\w+|buffer_\w+)", re.M)


def run(tap, words, kind):
    driver, run_on, tuff, program = words
    # RADV 22.3.6 learns of a loss at its next submission only.
    command = [sys.executable, run_on, "--tuff", tuff, driver, program, kind, *(["everywhere"] if driver == "tuff" else [])]
    start = time.monotonic()
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        tap.case(f"{kind}: the process ends by itself", False, " ".join(command))
        return None
    if ran.returncode == 77:
        tap.skip(kind, "RADV is not installed")
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
    result = run(tap, sys.argv[1:], "endless")
    if result:
        ran, culprit, detail = result
        tap.case("endless: it is one of the loop's", re.match(r"s_(c?branch|waitcnt|and|or|xor|mov)|global_atomic|v_cmp|buffer_", culprit) is not None, detail)
    result = run(tap, sys.argv[1:], "unmapped")
    if result:
        ran, culprit, detail = result
        tap.case("unmapped: it is a load", culprit.startswith(("global_load", "flat_load")), detail)
        address = re.search(r"^address 0x([0-9a-f]+)", ran.stdout, re.M)
        tap.case("unmapped: the report names the address", address is not None and f"a read of 0x{address.group(1)}" in ran.stderr, detail)
    sys.exit(tap.done())


if __name__ == "__main__":
    main()
