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
    report, table, where = tap.Tap(), pictures.read_table(scenes), (script, tuff, GPU, scenes, folder)
    names = list(table)
    peer = pictures.Run(*where, "lavapipe", "lavapipe", environment={"GALLIVM_PERF": "nopt"})
    runs = [pictures.Run(*where, driver, f"{driver}_{mode}{more}", flags=flags + more.replace("_", ","))
            for mode, flags in MODES.items() for more in ("", "_nolrz")]
    missing = set()
    for run in (peer, *runs):
        run.start(names)
        if not run.finish(names):
            missing.add(run)
    for name in names:
        share, what, reason = table[name]
        for run, without in zip(runs[::2], runs[1::2]):
            pictures.judge_scene(report, name, run, peer, missing, share, f"{what}; {reason}" if reason else what)
            paths = [os.path.join(folder, f"{name}_{one.label}.png") for one in (run, without)]
            if all(os.path.exists(path) for path in paths):
                report.case(f"{name} on {run.label}: the same bytes without low-resolution depth", pictures.read_png(paths[0]) == pictures.read_png(paths[1]),
                            f"{paths[0]} and {paths[1]} differ\nrepeat: {run.command(name)}")
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
