#!/usr/bin/env python3
"""How costs grow, told by instruction counts, which are the same on a loaded machine: valgrind's callgrind counts those of one size and of four times as much.

    counts.py --tuff TUFF [--gpu NAME]... [--program BENCH_GROW] [--kinds KIND,...] [--json FILE]

Costs: compiling modules (tests/shaders/grow.py) for each GPU; decoding a capture with many buffers; with `--program` what bench_grow makes, records, submits, waits for
and destroys, where the driver's model is built for host instructions that valgrind knows. Prints TAP: an exponent above 1.25 fails. `--json` keeps the figures, of which
docs/generate.py makes the table of docs/growth.md."""
import argparse
import json
import math
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "shaders")]
import grow  # noqa: E402
import models  # noqa: E402
import tap  # noqa: E402

STEEPEST = 1.25
TIMES = 4
# Kinds of modules and the smaller of two sizes. A module of size 1 is what all cost at least.
MODULES = {"statements": 500, "blocks": 30, "loads": 50, "live": 200, "calls": 500, "loops": 30, "body": 30, "breaks": 50, "cases": 50, "nesting": 50,
           "nested_loops": 20, "barriers": 100, "returns": 50, "dependent": 200, "constants": 500}
# Kinds of bench_grow; each is made, and destroyed or done.
OBJECTS = {"buffers": 500, "allocations": 100, "fences": 500, "pipelines": 10, "sets": 500, "images": 200, "dispatches": 50, "copies": 50, "barriers": 50,
           "secondaries": 50, "queries": 100, "submissions": 50, "batches": 50, "fenced": 50, "chains": 50, "passing": 10}
BUFFERS = 1000  # of a capture
CAPTURES = "adreno"


def callgrind(folder, *words):
    """The command that counts, and where its files will be."""
    return ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/counts", *words]


def counted(command):
    """Instructions of a whole program; its output where it fails."""
    with tempfile.TemporaryDirectory() as folder:
        ran = subprocess.run([*callgrind(folder), *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    found = re.search(r"Collected : (\d+)", ran.stdout)
    if ran.returncode or not found:
        raise RuntimeError(f"{' '.join(map(str, command))}: code {ran.returncode}: {ran.stdout[-300:]}")
    return int(found.group(1))


def counted_phases(command):
    """{phase: instructions} of bench_grow, which says in its lines what the files are."""
    with tempfile.TemporaryDirectory() as folder:
        marks = ("--zero-before=grow_phase_begins", "--dump-before=grow_phase_ends")
        ran = subprocess.run([*callgrind(folder, *marks), *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        phases = [line for line in ran.stdout.splitlines() if line.endswith((" create", " destroy"))]
        if ran.returncode or not phases:
            raise RuntimeError(f"{' '.join(map(str, command))}: code {ran.returncode}: {ran.stderr[-300:]}")
        return {phase: total_of(pathlib.Path(folder, f"counts.{i + 1}")) for i, phase in enumerate(phases)}


def total_of(path):
    return int(re.search(r"^(?:totals|summary): (\d+)", path.read_text(encoding="utf-8"), re.M).group(1))


def exponent(few, many):
    return math.log(max(many, 1) / max(few, 1)) / math.log(TIMES)


def table(rows):
    """Lines of a table: for each cost the exponent on each GPU."""
    gpus, costs = (list(dict.fromkeys(row[name] for row in rows)) for name in ("gpu", "cost"))
    found = {(row["cost"], row["gpu"]): f"{exponent(row['few'], row['many']):.2f}" for row in rows}
    sizes = {row["cost"]: row["size"] for row in rows}
    lines = ["| cost | sizes | " + " | ".join(gpus) + " |", "| --- " * (len(gpus) + 2) + "|"]
    return lines + [f"| {cost} | {sizes[cost]}, {TIMES * sizes[cost]} | " + " | ".join(found.get((cost, gpu), "–") for gpu in gpus) + " |" for cost in costs]


class Counts:
    """What was counted: a row of GPU, cost, sizes and instructions each, and a case of TAP."""

    def __init__(self):
        self.report, self.rows = tap.Tap(), []

    def add(self, gpu, cost, size, few, many, repeat):
        slope = exponent(few, many)
        self.rows.append({"gpu": gpu, "cost": cost, "size": size, "few": few, "many": many})
        self.report.case(f"{gpu}: {cost}: {size} and {TIMES} times as many grow by an exponent of at most {STEEPEST}", slope <= STEEPEST,
                         f"{few:,} and {many:,} instructions: {slope:.2f}; repeat: {repeat}")
        print(f"# {slope:.2f}", flush=True)


def count_modules(counts, options, folder, gpu):
    def instructions(kind, size):
        path = os.path.join(folder, "module.spv")
        grow.write(kind, size, path)
        return counted([options.tuff, "compile", "--gpu", gpu, "--figures", path])
    least = instructions("statements", 1)
    for kind, size in MODULES.items():
        if options.kinds and kind not in options.kinds:
            continue
        few, many = (instructions(kind, n) - least for n in (size, TIMES * size))
        counts.add(gpu, f"compile {kind.replace('_', ' ')}", size, few, many, f"bench/counts.py --tuff {options.tuff} --gpu {gpu} --kinds {kind}")


def write_capture(path, count):
    """A capture of many buffers, of which a stream's packets point to each: CP_INDIRECT_BUFFER, whose targets are empty streams."""
    def section(kind, data):
        return struct.pack("<II", kind, len(data)) + data

    def address(va, size_B):
        return struct.pack("<III", va & 0xffffffff, size_B, va >> 32)
    buffers = [0x100000000 + i * 0x1000 for i in range(count)]
    stream = b"".join(struct.pack("<IIII", packet7(0x3f, 3), va & 0xffffffff, va >> 32, 2) for va in buffers)
    with open(path, "wb") as out:
        for va in buffers:
            out.write(section(3, address(va, 8)) + section(12, struct.pack("<II", packet7(0x10, 1), 0)))
        out.write(section(3, address(0x200000000, len(stream))) + section(12, stream))
        out.write(section(6, address(0x200000000, len(stream) // 4)))


def packet7(opcode, count):
    """The header of a packet of type 7, with its parities."""
    return 0x70000000 | opcode << 16 | odd(opcode) << 23 | count | odd(count) << 15


def odd(value):
    return 1 - bin(value).count("1") % 2


def count_captures(counts, options, folder):
    gpu = next((name for name in options.gpu or models.DRIVEN if models.find(name).family == CAPTURES), None)
    if not gpu or (options.kinds and "capture" not in options.kinds):
        return
    path, few_and_many = os.path.join(folder, "capture.rd"), []
    write_capture(path, 1)
    least = counted([options.tuff, "decode", "--gpu", gpu, path])
    for size in (BUFFERS, TIMES * BUFFERS):
        write_capture(path, size)
        few_and_many.append(counted([options.tuff, "decode", "--gpu", gpu, path]) - least)
    counts.add(gpu, "decode a capture of buffers", BUFFERS, *few_and_many, f"bench/counts.py --tuff {options.tuff} --gpu {gpu} --kinds capture")


def count_objects(counts, options, gpu):
    kinds = [kind for kind in OBJECTS if not options.kinds or kind in options.kinds]
    words = [f"{kind}:{OBJECTS[kind] * times}" for kind in kinds for times in (1, TIMES)]
    if not words:
        return
    environment = [f"TUFF_GPU={gpu}", f"VK_DRIVER_FILES={pathlib.Path(options.tuff).resolve().parent.parent / 'icd' / 'tuff_icd.json'}"]
    found = counted_phases(["env", *environment, options.program, "count", *words])
    for kind in kinds:
        for phase in ("create", "destroy"):
            few, many = (found[f"{kind}:{OBJECTS[kind] * times} {phase}"] for times in (1, TIMES))
            counts.add(gpu, f"{phase} {kind}", OBJECTS[kind], few, many, f"bench/counts.py --tuff {options.tuff} --program {options.program} --gpu {gpu} --kinds {kind}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tuff", required=True)
    parser.add_argument("--gpu", action="append")
    parser.add_argument("--program")
    parser.add_argument("--kinds", type=lambda text: text.split(","))
    parser.add_argument("--json")
    options = parser.parse_args()
    if not shutil.which("valgrind"):
        print("1..0 # SKIP valgrind is not installed")
        return 0
    counts = Counts()
    with tempfile.TemporaryDirectory() as folder:
        for gpu in options.gpu or models.DRIVEN:
            count_modules(counts, options, folder, gpu)
            if options.program:
                count_objects(counts, options, gpu)
        count_captures(counts, options, folder)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(counts.rows, indent=0) + "\n", encoding="utf-8")
    return counts.report.done()


if __name__ == "__main__":
    sys.exit(main())
