#!/usr/bin/env python3
"""The scenes of tests/scenes on Turnip over the model, beside lavapipe's: by default, where its autotuner takes system memory for most passes, and in bins.
Low-resolution depth only leaves out what is not seen: without it both have the same bytes. And on our own driver: wherever it draws, the bytes are the same but for averages.

    scenes.py RUN_ON TUFF SCENES FOLDER RELEASE
    scenes.py RUN_ON TUFF SCENES FOLDER tuff WORDS...       WORDS: of TUFF_DEBUG, each a run beside the plain one"""
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


def judge_ours(where, modes):
    def run(mode):
        return pictures.Run(*where, "tuff", f"tuff_{mode}", environment={"TUFF_DEBUG": mode})
    others = {f"with TUFF_DEBUG={mode}": run(mode) for mode in modes if mode != "sysmem"}
    groups = [(pictures.Run(*where, "tuff", "tuff"), others)]
    if "sysmem" in modes:
        groups.append((run("sysmem"), {}))  # samples of sRGB are averaged by another engine there
    report = tap.Tap()
    pictures.judge_alike(report, where, groups)
    return report.done()


def main():
    script, tuff, scenes, folder, release, *modes = sys.argv[1:]
    if release == "tuff":
        folder = os.path.join(folder, "scenes-tuff")
        os.makedirs(folder, exist_ok=True)
        return judge_ours((script, tuff, GPU, scenes, folder), modes)
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
