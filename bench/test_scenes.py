#!/usr/bin/env python3
"""Every scene of bench_vulkan once on our own driver, and one of each group on the peers: the result must be right, and a spoilt one must be found, or a figure would mean
nothing.

    test_scenes.py [--gpu NAME] RUN_ON TUFF BENCH_VULKAN"""
import os
import subprocess
import sys

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "tests")
sys.path[:0] = [TESTS, os.path.join(TESTS, "vulkan")]
import models  # noqa: E402
import run_on as drivers  # noqa: E402
from tap import Tap  # noqa: E402

SKIPPED = 77
ON_PEERS = ("start_work", "first_use_comp", "record_second", "copy_image", "reduce", "msaa", "squares", "half")


def verify(tap, command, scene):
    ran = subprocess.run([*command, "--verify", scene], capture_output=True, text=True, check=False, timeout=100)
    name = f"{scene} on {command[-2]}"
    if ran.returncode == SKIPPED:
        tap.skip(name, (ran.stdout.strip().splitlines() or ["skipped"])[-1].removeprefix("1..0 # SKIP "))
    else:
        tap.case(name, ran.returncode == 0, f"{ran.stdout}{ran.stderr}ended with {ran.returncode}\nagain: {' '.join(command)} --verify {scene}")


def main():
    arguments = sys.argv[1:]
    gpu = models.take_option(arguments)
    run_on, tuff, program = arguments
    tap = Tap()
    listed = subprocess.run([program, "--list"], capture_output=True, text=True, check=True).stdout
    groups = {}
    for line in listed.splitlines():
        group, scene = line.split("\t")[:2]
        groups.setdefault(group, []).append(scene)
    tap.case("a scene of every group is tried on the peers", len(ON_PEERS) == len(groups) and all(set(ON_PEERS) & set(scenes) for scenes in groups.values()), groups)
    for driver in dict.fromkeys(("tuff", "lavapipe", drivers.newest("lavapipe"), "swiftshader", models.family(gpu).VULKAN)):
        command = [sys.executable, run_on, "--tuff", tuff, "--gpu", gpu, driver, program]
        for scene in sum(groups.values(), []) if driver == "tuff" else ON_PEERS:
            verify(tap, command, scene)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
