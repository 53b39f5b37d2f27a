#!/usr/bin/env python3
"""Captures of real A6xx chips, with what another decoder says of them: `captures.py TUFF [FOLDER]`.

FOLDER (or TUFF_CAPTURES) has `traces/NAME.rd.gz` and `reference/NAME.log`, as the sources of Mesa do in src/freedreno/.gitlab-ci or
src/freedreno/tests. Nothing of them is ours; without a folder the judge is skipped. Every register that the other decoder names must have the same
number and, but for the spelling of arrays, the same name here, and nothing may be unknown."""
import gzip
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import tap  # noqa: E402

OURS = re.compile(r"\s+([0-9a-f]{5}) (\S+)\s+(?:\(\w+\) )?= 0x")
THEIRS = re.compile(r"\s+write (\S+) \(([0-9a-f]+)\)")


def plain(name):
    """RB_MRT[0x1].BASE → RB_MRT1_BASE; the only member of an array has no name of its own here."""
    name = re.sub(r"\[(?:0x)?([0-9a-f]+)\]\.?", lambda match: f"{int(match[1], 16)}_", name).rstrip("_")
    return re.sub(r"(\d)_(REG|INSTR)$", r"\1", name)


def is_a6xx(reference):
    found = re.search(r"^(?:gpu_id|chip_id): (\w+)", reference, re.MULTILINE)
    return bool(found) and re.fullmatch(r"6\d\d|0x0*6\w+", found[1]) is not None


def judge(report, tuff, trace, reference):
    run = subprocess.run([tuff, "decode", "--gpu", "adreno-635", "-"], input=gzip.decompress(trace.read_bytes()), capture_output=True, timeout=60)
    unknown = [line for line in run.stderr.decode().splitlines() if "not in the tables" in line or "not the header" in line]
    report.case(f"{trace.name}: every register and packet is known", not unknown, "\n".join(unknown[:20]))
    names = {int(m[1], 16): m[2] for m in map(OURS.match, run.stdout.decode().splitlines()) if m}
    wrong, looked_at = [], 0
    for theirs, number in {(m[1], int(m[2], 16)) for m in map(THEIRS.match, reference.splitlines()) if m}:
        if theirs.startswith("0x"):
            continue  # it has no name there
        looked_at += 1
        if names.get(number) != plain(theirs):
            wrong.append(f"0x{number:04x}: {names.get(number)}, there {theirs}")
    report.case(f"{trace.name}: {looked_at} registers have the other decoder's names", not wrong and looked_at > 0, "\n".join(sorted(wrong)[:20]))


def main():
    report = tap.Tap()
    folder = sys.argv[2] if len(sys.argv) > 2 else os.environ.get("TUFF_CAPTURES")
    if not folder:
        report.skip("captures of A6xx chips", "TUFF_CAPTURES names no folder with traces and reference, as Mesa's sources have one")
        return report.done()
    count = 0
    for trace in sorted((pathlib.Path(folder) / "traces").glob("*.rd.gz")):
        log = pathlib.Path(folder) / "reference" / (trace.name.removesuffix(".rd.gz") + ".log")
        reference = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
        if is_a6xx(reference):
            count += 1
            judge(report, sys.argv[1], trace, reference)
    report.case("there were captures of A6xx chips", count > 0)
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
