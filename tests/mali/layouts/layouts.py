#!/usr/bin/env python3
"""Layouts of images beside PanVK's, byte by byte: what its host image copies write.

    layouts.py TUFF RUN_ON LAYOUTS RELEASE"""
import pathlib
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TESTS), str(TESTS / "vulkan")]
import run_on  # noqa: E402
import tap  # noqa: E402

TUFF, RUN_ON, LAYOUTS, RELEASE = sys.argv[1:]
DRIVER, GPU = f"panvk-{RELEASE}", "mali-g610"
COUNT = 500


def main():
    report = tap.Tap()
    if not run_on.find_manifest(DRIVER):
        run_on.manifest(DRIVER, TUFF)  # skips, and says what brings it
    for seed in (1, 2):
        command = [sys.executable, RUN_ON, "--tuff", TUFF, "--gpu", GPU, DRIVER, LAYOUTS, str(seed), str(COUNT)]
        result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        summary = result.stdout.strip().split("\n")[-1]
        report.case(f"{COUNT} images as {DRIVER} has them, byte by byte ({summary})", result.returncode == 0 and summary.endswith(" 0 differ"),
                    f"{' '.join(command)}\n{result.stdout[:3000]}\n{result.stderr[-2000:]}")
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
