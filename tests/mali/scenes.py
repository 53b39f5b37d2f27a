#!/usr/bin/env python3
"""The scenes of tests/scenes on PanVK over the model, beside lavapipe's. What the driver is told about images and order, and what the model looks at besides, changes
nothing that is seen: in strict mode, without AFBC, with a wait after every submission and with a tiler heap of one chunk the bytes are the same. And on our own driver, in
strict mode, with coherence checked and with such a heap.

    scenes.py RUN_ON TUFF SCENES FOLDER RELEASE
    scenes.py RUN_ON TUFF SCENES FOLDER tuff"""
import os
import pathlib
import sys

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS), str(TESTS / "vulkan")]
import pictures  # noqa: E402
import run_on  # noqa: E402
import tap  # noqa: E402

GPU = "mali-g610"
FLAGS = {"without AFBC": ("noafbc", "noafbc"), "with a wait after every submission": ("sync", "sync")}


def judge_ours(where):
    report = tap.Tap()
    checked = pictures.Run(*where, "tuff", "tuff_checked", environment={"TUFF_DEBUG": "strict,coherence", "TUFF_HEAP_CHUNKS": "1"})
    pictures.judge_alike(report, where, [(pictures.Run(*where, "tuff", "tuff"), {"in strict mode, with coherence checked and a small heap": checked})])
    return report.done()


def main():
    script, tuff, scenes, folder, release = sys.argv[1:]
    if release == "tuff":
        folder = os.path.join(folder, "scenes-tuff")
        os.makedirs(folder, exist_ok=True)
        return judge_ours((script, tuff, GPU, scenes, folder))
    driver = f"panvk-{release}"
    if not run_on.find_manifest(driver):
        run_on.manifest(driver, tuff)  # skips, and says what brings it
    folder = os.path.join(folder, "scenes-panvk")
    os.makedirs(folder, exist_ok=True)
    report, where = tap.Tap(), (script, tuff, GPU, scenes, folder)
    same = {shows: pictures.Run(*where, driver, f"{driver}_{label}", flags=flags) for shows, (label, flags) in FLAGS.items()}
    same["with a tiler heap that some of them exhaust"] = pictures.Run(*where, driver, f"{driver}_heap", environment={"TUFF_HEAP_CHUNKS": "1"})
    same["in strict mode"] = pictures.Run(*where, driver, f"{driver}_strict", environment={"TUFF_DEBUG": "strict"})
    pictures.judge_alike(report, where, [(pictures.Run(*where, driver, driver), same)])
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
