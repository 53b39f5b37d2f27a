#!/usr/bin/env python3
"""How compile time and memory grow with a program: statements, blocks, conditional loads, live values, calls and loops of 1,000, 10,000 and 100,000.

    growth.py --tuff TUFF [--before OTHER_TUFF] [--sizes 1000,10000,100000] [--limit SECONDS] [--markdown FILE] [KIND]...

Prints processor seconds and peak megabytes of `tuff compile --figures` (SPIR-V to machine code) for each kind and size, and the exponents that fit them, without
what an empty program costs. An exponent above 1.2 ends with code 1. `--before` measures another build in turn.
`--markdown` replaces what stands between the marks in that file."""
import argparse
import math
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "shaders"))
import grow  # noqa: E402

KINDS = ("statements", "blocks", "loads", "live", "calls", "loops")
MARKS = ("<!-- begin growth -->\n", "<!-- end growth -->\n")
LIMIT = 1.2
LEAST = (0.005, 8)  # seconds and megabytes over those of an empty program: less than this is noise


def measure(tuff, path, limit):
    """(seconds, megabytes) of one compilation, or None where it is refused or takes longer than the limit."""
    def restrict():
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    process = subprocess.Popen([tuff, "compile", "--figures", path], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=restrict)
    complaint = process.stderr.read().decode(errors="replace").strip()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        return None, complaint or f"stopped after {limit} s"
    return (used.ru_utime + used.ru_stime, used.ru_maxrss / 1024), ""


def exponent(sizes, values, least):
    """The slope between the smallest size that costs more than `least` and the last one, by logarithms."""
    points = [(size, value) for size, value in zip(sizes, values) if value > least]
    if len(points) < 2:
        return None
    return math.log(points[-1][1] / points[0][1]) / math.log(points[-1][0] / points[0][0])


def text_of(result):
    return f"{result[0]:.2f} s, {result[1]:.0f} MB" if result else "–"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tuff", required=True)
    parser.add_argument("--before")
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--limit", type=int, default=120)
    parser.add_argument("--markdown")
    parser.add_argument("kinds", nargs="*", default=[])
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    builds = ([("before", options.before)] if options.before else []) + [("now", options.tuff)]
    lines = ["| kind | build | " + " | ".join(f"{size:,}" for size in sizes) + " | exponent of time, of memory |", "| --- " * (len(sizes) + 3) + "|"]
    print("\n".join(lines))
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        empty = os.path.join(folder, "empty.spv")
        grow.write("statements", 1, empty)
        for kind in options.kinds or KINDS:
            for name, tuff in builds:
                start = measure(tuff, empty, options.limit)[0]
                results, notes = [], []
                for size in sizes:
                    path = os.path.join(folder, "module.spv")
                    grow.write(kind, size, path)
                    result, complaint = measure(tuff, path, options.limit)
                    results.append(result)
                    if not result:
                        notes.append(f"{size:,}: {complaint}")
                        break
                done = [r for r in results if r]
                slopes = [exponent(sizes[:len(done)], [r[i] - start[i] for r in done], LEAST[i]) for i in range(2)]
                results += [None] * (len(sizes) - len(results))
                shown = ", ".join("–" if slope is None else f"{slope:.2f}" for slope in slopes)
                lines.append(f"| {kind} | {name} | " + " | ".join(text_of(r) for r in results) + f" | {shown} |")
                print(lines[-1], flush=True)
                for note in notes:
                    print(f"# {note}")
                if name == "now":
                    failed |= len(done) < len(sizes) or any(slope is not None and slope > LIMIT for slope in slopes)
    if options.markdown:
        path = pathlib.Path(options.markdown)
        before, rest = path.read_text(encoding="utf-8").split(MARKS[0])
        path.write_text(before + MARKS[0] + "\n".join(lines) + "\n" + MARKS[1] + rest.split(MARKS[1])[1], encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
