#!/usr/bin/env python3
"""Runs the scenes of bench_vulkan on several drivers in turn (A B A B ...), so that what disturbs the machine disturbs all of them, and prints each driver's
median rate, its spread, and its ratio to the peer:

    run.py --tuff TUFF [--drivers radv,lavapipe] [--scenes fill,small] [--repeat 5] [--seconds 1] BENCH_VULKAN

radv is Debian's RADV on the modelled gfx1030; the last driver named is the peer that the others are compared with."""
import argparse
import pathlib
import re
import statistics
import subprocess
import sys

RUN_ON = pathlib.Path(__file__).resolve().parent.parent / "tests" / "vulkan" / "run_on.py"
RATE = re.compile(r"^rate (\S+) (\S+) runs (\d+) median_s (\S+) best_s (\S+) device (.*)$", re.M)
SKIPPED = 77


def measure(options, driver, scene):
    """One process on one driver: its median rate, None where the driver is missing."""
    command = [sys.executable, str(RUN_ON)]
    if driver != "lavapipe":
        command += ["--tuff", options.tuff]
    command += [driver, options.program, scene, str(options.seconds)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode == SKIPPED:
        return None
    found = RATE.search(ran.stdout)
    if ran.returncode or not found:
        sys.exit(f"{' '.join(command)}\nended with {ran.returncode}:\n{ran.stdout}{ran.stderr}")
    return float(found.group(1))


def scaled(rate, unit):
    for factor, prefix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if rate >= factor:
            return f"{rate / factor:.3g} {prefix}{unit}"
    return f"{rate:.3g} {unit}"


def run_scene(options, scene, unit):
    rates = {driver: [] for driver in options.drivers}
    for _ in range(options.repeat):
        for driver in options.drivers:
            rate = measure(options, driver, scene)
            if rate is not None:
                rates[driver].append(rate)
    peer = statistics.median(rates[options.drivers[-1]]) if rates[options.drivers[-1]] else None
    for driver, found in rates.items():
        if not found:
            print(f"{scene:12} {driver:10} not installed")
            continue
        median = statistics.median(found)
        spread = (max(found) - min(found)) / median * 100
        ratio = f"{median / peer:.2f} times {options.drivers[-1]}" if peer and driver != options.drivers[-1] else ""
        print(f"{scene:12} {driver:10} {scaled(median, unit):>18}  spread {spread:3.0f}%  {ratio}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--tuff")
    parser.add_argument("--drivers", default="radv,lavapipe", type=lambda text: text.split(","))
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
