#!/usr/bin/env python3
"""Subpasses that hand over nothing but pixels are one rendering on GPUs that draw in tiles: what is between the first and the last never leaves the
tile. The model counts the bytes that go into the memory of tiles and out of it (docs/stat.md), so that a driver which draws the right picture by way of
memory is found out.

    tiles.py --gpu NAME RUN_ON TUFF VULKAN_CASES SCENES FOLDER"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(TESTS), str(TESTS / "vulkan")]
import models  # noqa: E402
import tap  # noqa: E402

TILES = re.compile(r"^tiles: (\d+) bytes loaded, (\d+) bytes stored$", re.MULTILINE)
CHAIN = 300, 420  # the last attachment of tests/vulkan/cases/pass/subpass_cases.c, 4 bytes a pixel
SCENE = 400, 300  # the picture of a scene
BLOCK = 16        # pixels: tiles may be stored in whole blocks
# What is run, and the size of the one attachment that is stored.
JOINED = (("subpass.the second of two reads what the first drew", CHAIN), ("subpass.five in a row", CHAIN), ("subpass.depth of the first is read", CHAIN),
          ("deferred", SCENE))
# Each subpass is a rendering of its own here: the count must tell.
APART = "subpass.dependencies on the whole picture", CHAIN


def stored_once(width, height):
    """The least and the most bytes that one attachment is."""
    return width * height * 4, -(-width // BLOCK) * -(-height // BLOCK) * BLOCK * BLOCK * 4


def count(words, name):
    """Bytes loaded and stored, and what to print where they are wrong. None: it did not run."""
    stat = pathlib.Path(words.folder) / f"tiles-{words.gpu}.txt"
    stat.unlink(missing_ok=True)
    program = [words.cases, "--here", name] if "." in name else [words.scenes, words.folder, name]
    command = [sys.executable, words.run_on, "--tuff", words.tuff, "--gpu", words.gpu, "tuff", *program]
    # Families that could draw in memory instead are asked for tiles.
    environment = {**os.environ, "TUFF_STAT": str(stat), "TUFF_DEBUG": "gmem"}
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace", timeout=300, check=False)
    text = stat.read_text(encoding="utf-8") if stat.is_file() else ""
    found = TILES.findall(text)
    shown = f"{ran.stdout[-1500:]}{ran.stderr[-1500:]}{text}\nagain: TUFF_STAT=- TUFF_DEBUG=gmem {' '.join(command)}"
    if ran.returncode or not found:
        return None, None, shown
    return sum(int(loaded) for loaded, _ in found), sum(int(stored) for _, stored in found), shown


def main():
    parser = argparse.ArgumentParser()
    models.add_option(parser)
    for name in ("run_on", "tuff", "cases", "scenes", "folder"):
        parser.add_argument(name)
    words = parser.parse_args()
    report = tap.Tap()
    for name, size in JOINED:
        least, most = stored_once(*size)
        loaded, stored, shown = count(words, name)
        report.case(f"{name}: nothing but the last attachment goes to memory", loaded == 0 and least <= stored <= most, f"{loaded} loaded, {stored} stored, {least} wanted\n{shown}")
    name, size = APART
    loaded, stored, shown = count(words, name)
    report.case(f"{name}: what is between them is counted", stored is not None and stored > 2 * stored_once(*size)[1], f"{loaded} loaded, {stored} stored\n{shown}")
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
