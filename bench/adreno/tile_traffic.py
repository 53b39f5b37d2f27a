#!/usr/bin/env python3
"""Bytes that go from memory into GMEM and back in the scenes of tests/scenes, on our driver and on Turnip, both made to draw in tiles:

    tile_traffic.py [--gpu NAME] [--driver turnip-26.1] TUFF SCENES [SCENE]...

The model counts them (docs/stat.md). A line for each scene, the sum at the end; ends with 1 where ours is more than LIMIT times the other's."""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
RUN_ON = ROOT / "tests/vulkan/run_on.py"
LIMIT = 1.05  # of the other driver's bytes, in sum
TILES = re.compile(r"^tiles: (\d+) bytes loaded, (\d+) bytes stored$", re.MULTILINE)


def traffic(words, driver, scene):
    """Bytes loaded and stored by a scene; None where it does not run."""
    with tempfile.TemporaryDirectory() as folder:
        stat = os.path.join(folder, "stat.txt")
        flags = ["--flags", "gmem"] if driver != "tuff" else []
        command = [sys.executable, str(RUN_ON), "--tuff", words.tuff, "--gpu", words.gpu, *flags, driver, words.scenes, folder, scene]
        environment = {**os.environ, "TUFF_STAT": stat, "TUFF_DEBUG": "gmem" if driver == "tuff" else ""}
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        if f"{scene} skip" in done.stdout:
            return None
        if f"{scene} ok" not in done.stdout:
            sys.exit(f"{scene} on {driver}: {done.stdout.strip()} {done.stderr.strip()[-500:]}")
        found = TILES.findall(pathlib.Path(stat).read_text(encoding="utf-8"))
    return sum(int(loaded) for loaded, _ in found), sum(int(stored) for _, stored in found)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpu", default="adreno-635")
    parser.add_argument("--driver", default="turnip-26.1")
    parser.add_argument("tuff")
    parser.add_argument("scenes")
    parser.add_argument("names", nargs="*")
    words = parser.parse_args()
    listed = subprocess.run([words.scenes, "--list"], capture_output=True, text=True, check=True).stdout
    names = words.names or [line.split("\t")[0] for line in listed.splitlines()]
    sums = [0, 0]
    print(f"| scene | loaded, ours | {words.driver} | stored, ours | {words.driver} | ratio |\n| --- | --- | --- | --- | --- | --- |")
    for name in names:
        ours, theirs = traffic(words, "tuff", name), traffic(words, words.driver, name)
        if ours is None or theirs is None:
            print(f"| {name} | skipped by {words.driver if ours else 'ours'} | | | | |")
            continue
        sums = [sums[0] + sum(ours), sums[1] + sum(theirs)]
        ratio = f"{sum(ours) / sum(theirs):.3f}" if sum(theirs) else "-"
        print(f"| {name} | {ours[0]:,} | {theirs[0]:,} | {ours[1]:,} | {theirs[1]:,} | {ratio} |", flush=True)
    ratio = sums[0] / sums[1] if sums[1] else 0
    print(f"| all | | | {sums[0]:,} | {sums[1]:,} | {ratio:.3f} |")
    return ratio > LIMIT


if __name__ == "__main__":
    sys.exit(main())
