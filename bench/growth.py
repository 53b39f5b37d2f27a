#!/usr/bin/env python3
"""How time and memory grow, of a compilation with its program and of a driver with its objects, beside other drivers.

    growth.py --tuff TUFF [--before OTHER_TUFF] [--sizes 1000,10000,100000] [--limit SECONDS] [--markdown FILE] [KIND]...
    growth.py --tuff TUFF --program BENCH_GROW [--peers radv,lavapipe] ...      the same beside other compilers
    growth.py --tuff TUFF --program BENCH_GROW --objects ...                    objects in place of programs

Kinds of programs: statements, blocks, conditional loads, live values, calls and loops (tests/shaders/grow.py has more). Prints processor seconds and peak megabytes of
`tuff compile --figures` (SPIR-V to machine code), of RADV's pipeline creation on the model (ACO), and of lavapipe's until the first result (it compiles at the first
dispatch), and the exponents that fit them, without what an empty program costs. `--before` measures another build in turn.

Kinds of objects: buffers, allocations, fences, pipelines, sets, images. Prints the seconds to create and to destroy them all, the megabytes that they take, and what of
them is left when they are gone.

Of ours, an exponent above 1.2, or memory that is not returned, ends with code 1. `--markdown` replaces what stands between the marks in that file."""
import argparse
import math
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests" / "shaders"), str(ROOT / "tests" / "vulkan")]
import grow  # noqa: E402
import run_on as drivers  # noqa: E402

KINDS = ("statements", "blocks", "loads", "live", "calls", "loops")
OBJECTS = ("buffers", "allocations", "fences", "pipelines", "sets", "images")
LIMIT = 1.2
LEAST = (0.005, 8)  # seconds and megabytes over those of an empty program: less than this is noise
LEAST_OBJECTS_S = 0.002
RETURNED = (0.1, 4)  # of the memory of objects: at most this part, or so many megabytes, may be left
SHORT = 77           # the device does not offer so many


def run(command, limit):
    """(code, output, complaint, resources)

    The limit is by the clock: under RLIMIT_CPU the kernel's processor clock of a process moves by scheduler ticks. With
    preexec_fn the child is a real fork; a vfork would hand down the peak memory of this process."""
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, preexec_fn=os.setsid)
        late = threading.Event()

        def stop():
            late.set()
            os.killpg(process.pid, signal.SIGKILL)
        timer = threading.Timer(limit, stop)
        timer.start()
        output = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        complaint = errors.read().strip().splitlines()
    ended = f"stopped after {limit} s" if late.is_set() else f"ended with code {process.returncode}"
    return process.returncode, output, f"{ended}{': ' if complaint else ''}{complaint[-1] if complaint else ''}", used


class Compiler:
    """`tuff compile`."""

    def __init__(self, name, tuff):
        self.name, self.tuff = name, tuff
        self.is_judged = name == "now"

    def measure(self, path, limit):
        """((seconds, megabytes) or None, why not)"""
        code, _, complaint, used = run([self.tuff, "compile", "--figures", path], limit)
        return ((used.ru_utime + used.ru_stime, used.ru_maxrss / 1024), "") if code == 0 else (None, complaint)


class Driver:
    """Any Vulkan driver, by bench_grow."""

    def __init__(self, name, tuff, program):
        self.name = name
        self.command = [sys.executable, str(ROOT / "tests" / "vulkan" / "run_on.py"), *(["--tuff", tuff] if drivers.needs_model(name) else []), name, program]
        self.is_judged = name == "tuff"
        # What compiles a module late.
        self.seconds = "use_s" if name.startswith("lavapipe") else "create_s"

    def figures(self, words, limit):
        code, output, complaint, _ = run([*self.command, *words], limit)
        line = [line.split() for line in output.splitlines() if line.startswith("create_s")]
        if code or not line:
            return None, output.strip() if code == SHORT else complaint
        return {name: float(value) for name, value in zip(line[0][::2], line[0][1::2])}, ""

    def measure(self, path, limit):
        figures, complaint = self.figures(["module", path], limit)
        return ((figures[self.seconds], figures["peak_kB"] / 1024), "") if figures else (None, complaint)


def exponent(sizes, values, least):
    """The slope between the smallest size that costs more than `least` and the last one, by logarithms."""
    points = [(size, value) for size, value in zip(sizes, values) if value > least]
    if len(points) < 2:
        return None
    return math.log(points[-1][1] / points[0][1]) / math.log(points[-1][0] / points[0][0])


def text_of_slopes(slopes):
    return ", ".join("–" if slope is None else f"{slope:.2f}" for slope in slopes)


def too_steep(slopes):
    return any(slope is not None and slope > LIMIT for slope in slopes)


class Table:
    def __init__(self, sizes, last):
        self.lines = ["| kind | of | " + " | ".join(f"{size:,}" for size in sizes) + f" | {last} |", "| --- " * (len(sizes) + 3) + "|"]
        print("\n".join(self.lines))

    def row(self, kind, name, cells, width, last, notes):
        cells = cells + ["–"] * (width - len(cells))
        self.lines.append(f"| {kind} | {name} | " + " | ".join(cells) + f" | {last} |")
        print(self.lines[-1], flush=True)
        for note in notes:
            print(f"# {note}", flush=True)

    def write(self, path, name):
        path = pathlib.Path(path)
        marks = (f"<!-- begin {name} -->\n", f"<!-- end {name} -->\n")
        before, rest = path.read_text(encoding="utf-8").split(marks[0])
        path.write_text(before + marks[0] + "\n".join(self.lines) + "\n" + marks[1] + rest.split(marks[1])[1], encoding="utf-8")


def in_turn(sizes, take):
    """What `take` gives for each size, until it gives nothing, and the reason for that."""
    results = []
    for size in sizes:
        result, complaint = take(size)
        if not result:
            return results, [f"{size:,}: {complaint}"]
        results.append(result)
    return results, []


def measure_programs(table, options, sizes, compilers):
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        empty, path = os.path.join(folder, "empty.spv"), os.path.join(folder, "module.spv")
        grow.write("statements", 1, empty)

        def take(compiler, kind, size):
            grow.write(kind, size, path)
            return compiler.measure(path, options.limit)
        for kind in options.kinds or KINDS:
            for compiler in compilers:
                start, complaint = compiler.measure(empty, options.limit)
                if not start:
                    print(f"# {compiler.name}: {complaint}")
                    continue
                results, notes = in_turn(sizes, lambda size: take(compiler, kind, size))
                slopes = [exponent(sizes[:len(results)], [r[i] - start[i] for r in results], LEAST[i]) for i in range(2)]
                table.row(kind, compiler.name, [f"{r[0]:.2f} s, {r[1]:.0f} MB" for r in results], len(sizes), text_of_slopes(slopes), notes)
                failed |= compiler.is_judged and (len(results) < len(sizes) or too_steep(slopes))
    return failed


def measure_objects(table, options, sizes, compilers):
    failed = False
    for kind in options.kinds or OBJECTS:
        for driver in compilers:
            results, notes = in_turn(sizes, lambda size: driver.figures([kind, str(size)], options.limit))
            cells, kept = [], False
            for r in results:
                taken, left = (max(0, (r[name] - r["base_kB"]) / 1024) for name in ("peak_kB", "left_kB"))
                cells.append(f"{r['create_s']:.3f} s, {r['destroy_s']:.3f} s; {taken:.0f} MB, {left:.1f} left")
                kept |= left > max(RETURNED[0] * taken, RETURNED[1])
            slopes = [exponent(sizes[:len(results)], [r[name] for r in results], LEAST_OBJECTS_S) for name in ("create_s", "destroy_s")]
            table.row(kind, driver.name, cells, len(sizes), text_of_slopes(slopes), notes)
            is_short = len(results) < len(sizes) and not any("not offered" in note for note in notes)
            if driver.is_judged and (is_short or kept or too_steep(slopes)):
                print(f"# {kind}: {'not all sizes; ' if is_short else ''}{'memory is kept; ' if kept else ''}exponents {text_of_slopes(slopes)}")
                failed = True
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tuff", required=True)
    parser.add_argument("--before")
    parser.add_argument("--program")
    parser.add_argument("--objects", action="store_true")
    parser.add_argument("--peers", default=f"{drivers.newest('radv')},{drivers.newest('lavapipe')}")
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--limit", type=int, default=120)
    parser.add_argument("--markdown")
    parser.add_argument("kinds", nargs="*", default=[])
    options = parser.parse_args()
    if options.objects and not options.program:
        parser.error("--objects needs --program BENCH_GROW")
    sizes = [int(size) for size in options.sizes.split(",")]
    peers = [Driver(name, options.tuff, options.program) for name in options.peers.split(",") if name] if options.program else []
    if options.objects:
        table = Table(sizes, "exponents of creation, of destruction")
        failed = measure_objects(table, options, sizes, [Driver("tuff", options.tuff, options.program), *peers])
    else:
        ours = ([Compiler("before", options.before)] if options.before else []) + [Compiler("now", options.tuff)]
        table = Table(sizes, "exponents of time, of memory")
        failed = measure_programs(table, options, sizes, [*ours, *peers])
    if options.markdown:
        table.write(options.markdown, "objects" if options.objects else "growth")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
