#!/usr/bin/env python3
"""Runs the scenes of bench_vulkan on several drivers in turn (A B A B ...), so that what disturbs the machine disturbs all of them, and prints each driver's
median rate, its spread, the processor time that a run took, and the ratios to the peer:

    run.py --tuff TUFF [--drivers tuff,radv,lavapipe] [--scenes fill,small] [--repeat 5] [--seconds 1] BENCH_VULKAN

tuff is our own driver and radv Debian's RADV, both on the modelled gfx1030; the last driver named is the peer that the others are compared with. `radv@1` is the same on one core, so that
`--drivers radv,radv@1` says what the second core brings."""
import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys

RUN_ON = pathlib.Path(__file__).resolve().parent.parent / "tests" / "vulkan" / "run_on.py"
RATE = re.compile(r"^rate (\S+) (\S+) runs (\d+) median_s (\S+) best_s (\S+) cpu_s (\S+) device (.*)$", re.M)
SKIPPED = 77


def measure(options, driver, scene):
    """One process on one driver: its median rate and the CPU seconds of a run, None where the driver is missing."""
    command = [sys.executable, str(RUN_ON)]
    driver, _, cores = driver.partition("@")
    usable = sorted(os.sched_getaffinity(0))[:int(cores)] if cores else os.sched_getaffinity(0)
    if driver != "lavapipe":
        command += ["--tuff", options.tuff]
    command += [driver, options.program, scene, str(options.seconds)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False,
                         preexec_fn=lambda: os.sched_setaffinity(0, usable))
    if ran.returncode == SKIPPED:
        return None
    found = RATE.search(ran.stdout)
    if ran.returncode or not found:
        sys.exit(f"{' '.join(command)}\nended with {ran.returncode}:\n{ran.stdout}{ran.stderr}")
    return float(found.group(1)), float(found.group(6))


def scaled(rate, unit):
    for factor, prefix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if rate >= factor:
            return f"{rate / factor:.3g} {prefix}{unit}"
    return f"{rate:.3g} {unit}"


def one_takes(rate, unit):
    """The time of one draw, pipeline or start: what a driver costs is known by that, not by a rate."""
    if unit not in ("draw/s", "pipeline/s", "start/s"):
        return ""
    seconds = 1 / rate
    for factor, name in ((1e9, "ns"), (1e6, "us"), (1e3, "ms")):
        if seconds * factor < 1000 or name == "ms":
            return f"{seconds * factor:.3g} {name} each  "
    return ""


def run_scene(options, scene, unit):
    peer = options.drivers[-1]
    rates = {driver: [] for driver in options.drivers}
    times = {driver: [] for driver in options.drivers}
    for _ in range(options.repeat):
        for driver in options.drivers:
            found = measure(options, driver, scene)
            if found:
                rates[driver].append(found[0])
                times[driver].append(found[1])
    for driver, found in rates.items():
        if not found:
            print(f"{scene:11} {driver:10} not installed")
            continue
        median, cpu_s = statistics.median(found), statistics.median(times[driver])
        spread = (max(found) - min(found)) / median * 100
        ratio = ""
        if rates[peer] and driver != peer:
            ratio = f"{median / statistics.median(rates[peer]):.2f} times {peer}; by CPU time {statistics.median(times[peer]) / cpu_s:.2f}"
        print(f"{scene:11} {driver:10} {scaled(median, unit):>18}  {one_takes(median, unit)}spread {spread:3.0f}%  CPU {cpu_s * 1e3:8.3f} ms  {ratio}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--tuff")
    parser.add_argument("--drivers", default="tuff,radv,lavapipe", type=lambda text: text.split(","))
    parser.add_argument("--scenes", default="", type=lambda text: [name for name in text.split(",") if name])
    parser.add_argument("--repeat", default=3, type=int)
    parser.add_argument("--seconds", default=1.0, type=float)
    options = parser.parse_args()
    listed = subprocess.run([options.program, "--list"], capture_output=True, text=True, check=True).stdout
    scenes = [line.split("\t") for line in listed.splitlines()]
    unknown = set(options.scenes) - {name for name, _, _ in scenes}
    if unknown:
        sys.exit(f"no scene {', '.join(sorted(unknown))}")
    for name, unit, what in scenes:
        if not options.scenes or name in options.scenes:
            print(f"# {name}: {what}")
            run_scene(options, name, unit)


if __name__ == "__main__":
    main()
