#!/usr/bin/env python3
"""Layouts of images beside Turnip's, 2,000 of them: the bytes that its host image copies write, and the numbers that it prints.

    layouts.py TUFF RUN_ON LAYOUTS RELEASE"""
import pathlib
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TESTS), str(TESTS / "vulkan")]
import models  # noqa: E402
import run_on  # noqa: E402
import tap  # noqa: E402

TUFF, RUN_ON, LAYOUTS, RELEASE = sys.argv[1:]
DRIVER = f"turnip-{RELEASE}"
COUNT = 500  # of each kind, on each chip
KINDS = {"copies": ("noubwc", "byte by byte"), "numbers": ("layout", "offsets, pitches and sizes")}


def main():
    report = tap.Tap()
    if not run_on.find_manifest(DRIVER):
        run_on.manifest(DRIVER, TUFF)  # skips, and says what brings it
    for seed, gpu in enumerate(model.name for model in models.MODELS if model.family == "adreno"):
        for kind, (flags, what) in KINDS.items():
            command = [sys.executable, RUN_ON, "--tuff", TUFF, "--gpu", gpu, "--flags=" + flags, DRIVER, LAYOUTS, gpu, kind, str(seed + 1), str(COUNT)]
            result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
            summary = result.stdout.strip().split("\n")[-1]
            report.case(f"{gpu}: {COUNT} images as {DRIVER} has them, {what} ({summary})", result.returncode == 0 and summary.endswith(" 0 differ"),
                        f"{' '.join(command)}\n{result.stdout[:3000]}\n{result.stderr[-2000:]}")
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
