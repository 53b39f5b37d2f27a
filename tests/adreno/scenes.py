#!/usr/bin/env python3
"""The scenes of tests/scenes on Turnip over the model, beside lavapipe's: by default, where its autotuner takes system memory for most passes, and in bins.
Low-resolution depth only leaves out what is not seen: without it both have the same bytes.

    scenes.py RUN_ON TUFF SCENES FOLDER RELEASE"""
import os
import pathlib
import sys

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS), str(TESTS / "vulkan")]
import pictures  # noqa: E402
import run_on  # noqa: E402
import tap  # noqa: E402

GPU = "adreno-635"
MODES = {"sysmem": "sysmem", "bins": "gmem,forcebin"}


def main():
    script, tuff, scenes, folder, release = sys.argv[1:]
    driver = f"turnip-{release}"
    if not run_on.find_manifest(driver):
        run_on.manifest(driver, tuff)  # skips, and says what brings it
    folder = os.path.join(folder, "scenes-turnip")
    os.makedirs(folder, exist_ok=True)
    report, where = tap.Tap(), (script, tuff, GPU, scenes, folder)

    def run(mode, more=""):
        return pictures.Run(*where, driver, f"{driver}_{mode}{more}", flags=MODES[mode] + more.replace("_", ","))
    pictures.judge_alike(report, where, [(run(mode), {"without low-resolution depth": run(mode, "_nolrz")}) for mode in MODES])
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
