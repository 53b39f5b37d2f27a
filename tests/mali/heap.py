#!/usr/bin/env python3
"""Tiler heaps that grow and run out, under Mesa's drivers and ours: a frame that needs more chunks than there are is rendered in parts, by the driver's own exception handler, and is
the same picture. What the model logs says that it was so.

    heap.py TUFF RUN_ON VULKAN_CASES FOLDER [GL_SCENES]"""
import os
import pathlib
import re
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS), str(TESTS / "vulkan")]
import judges  # noqa: E402
import models  # noqa: E402
import run_on  # noqa: E402
import tap  # noqa: E402

TUFF, RUN_ON, VULKAN_CASES, FOLDER, *GL_SCENES = sys.argv[1:]
GPU = "mali-g610"
FAMILY = models.family(GPU)
MILLION = "raster.a million triangles"
HANDLED = re.compile(r"is exhausted: its handler runs")
GROWN = re.compile(r"grows to (\d+) chunks")
LAYERS, CONTEXT_LAYERS, LAYER_CASES = "blit_layers", 8, 3
LAYER_PASSES = (5 + 4) * 256 + 10 * 128  # of all its cases
PANVK_FIRST, PANVK_MOST = 5, 64  # chunks of its heap


def run(command, **variables):
    environment = {**os.environ, "TUFF_LOG": "debug", **variables}
    result = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=300, check=False, env=environment)
    return result, len(HANDLED.findall(result.stderr)), [int(count) for count in GROWN.findall(result.stderr)]


def shown(result):
    return f"{' '.join(map(str, result.args))}\nexit code {result.returncode}\n{result.stdout[-1500:]}\n{result.stderr[-3000:]}"


def judge_million(report, release):
    driver = f"{FAMILY.VULKAN}-{release}"
    if not run_on.find_manifest(driver):
        report.skip(f"{driver}: {MILLION}", f"`{judges.COMMAND} {release}` brings it")
        return
    command = [sys.executable, RUN_ON, "--tuff", TUFF, "--gpu", GPU, driver, VULKAN_CASES, MILLION]
    result, handled, grown = run(command)
    report.case(f"{driver}: the heap grows, one chunk at a time, to its limit", result.returncode == 0 and grown == list(range(PANVK_FIRST + 1, PANVK_MOST + 1)),
                f"{grown}\n{shown(result)}")
    report.case(f"{driver}: then its handler renders a million triangles in parts", "ok 1 - " in result.stdout and handled > 0, f"{handled}\n{shown(result)}")
    result, more, grown = run(command, TUFF_HEAP_CHUNKS="1")
    report.case(f"{driver}: with one chunk the parts are more", "ok 1 - " in result.stdout and result.returncode == 0 and more > 8 * handled and not grown,
                f"{more} after {handled}, {grown}\n{shown(result)}")


def judge_layers(report):
    """A pass of many layers has a tiler context for each eight: with one chunk each exhausts the heap once, and its own layers alone are rendered then."""
    command = [sys.executable, RUN_ON, "--tuff", TUFF, "--gpu", GPU, "tuff", VULKAN_CASES, LAYERS]
    result, handled, _ = run(command, TUFF_HEAP_CHUNKS="1")
    report.case("tuff: with one chunk, blits of many layers", result.returncode == 0 and result.stdout.count("\nok") + result.stdout.startswith("ok") == LAYER_CASES, shown(result))
    report.case("tuff: each tiler context exhausts the heap once at most", 0 < handled <= LAYER_PASSES // CONTEXT_LAYERS, f"{handled} times")


def judge_crowd(report, release):
    judge, driver = judges.Judge(release), f"{FAMILY.GALLIUM} {release}"
    if not GL_SCENES or not judge.opengl(FAMILY.GALLIUM):
        report.skip(f"{driver}: crowd", f"no EGL to build with, or `{judges.COMMAND} {release}` brings it")
        return
    pictures = []
    for chunks in ("4", "64"):
        folder = os.path.join(FOLDER, f"heap-{release}-{chunks}")
        os.makedirs(folder, exist_ok=True)
        variables = {**FAMILY.GALLIUM_ENVIRONMENT, **judge.opengl(FAMILY.GALLIUM), "pan_csf_max_chunks": chunks, "MESA_SHADER_CACHE_DISABLE": "true"}
        result, handled, grown = run([TUFF, "shim", GPU, "--", *judge.command([GL_SCENES[0], folder, "crowd"])], **variables)
        small = chunks == "4"
        report.case(f"{driver}: crowd {'exhausts' if small else 'fits into'} a heap of {chunks} chunks",
                    result.returncode == 0 and (handled > 0) == small and max(grown) <= int(chunks), f"{handled}, {grown}\n{shown(result)}")
        pictures.append(pathlib.Path(folder, "crowd.ppm").read_bytes())
    report.case(f"{driver}: both pictures are the same", pictures[0] == pictures[1], f"{FOLDER}/heap-{release}-*/crowd.ppm")


def main():
    report = tap.Tap()
    judge_layers(report)
    for row in judges.table():
        judge_million(report, row.name)
        judge_crowd(report, row.name)
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
