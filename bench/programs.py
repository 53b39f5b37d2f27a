"""Rows of programs that are not ours: vkmark's scenes, without a window, and vkcube in a window of an X server that shows nothing. vkmark comes with a judge (scripts/judges), vkcube and Xvfb
from this machine. run.py --programs adds them."""
import os
import re
import resource
import shutil
import signal
import time

import judges
import run_on

GROUP = "programs"
SIZE = "800x600"
MARKS = {"vertex": "a mesh of a horse, no light", "texture:anisotropy=0": "a textured cube, trilinear", "texture:anisotropy=16": "the same, 16 anisotropic samples", "shading:shading=gouraud": "a cat, lit by vertex",
         "shading:shading=phong": "a cat, lit by pixel", "shading:shading=cel": "a cat, lit in steps", "effect2d:kernel=edge": "nine samples of a pixel", "desktop": "blended windows", "cube": "a small cube",
         "clear": "nothing but the clear"}
CUBE, CUBE_FRAMES = "vkcube", (100, 2100)  # of two runs: their difference has no start in it, and is seconds, for starts differ by a tenth of one
IN_A_WINDOW = ("xvfb-run", "-a", "-s", "-screen 0 640x640x24")
FPS = re.compile(r"^\[\w+\] .*: FPS: (\d+) ", re.M)
FOLDERS = re.compile(r"(?<!\S)/(?:[^\s/]+/)+(?=[^\s/])")


class Missing(Exception):
    """Why there is no figure."""


def scenes():
    rows = [{"group": GROUP, "name": "vkmark_" + mark.replace(":", "_").replace("=", "_"), "unit": "frame/s", "what": f"vkmark, {what}", "mark": mark} for mark, what in MARKS.items()]
    return [*rows, {"group": GROUP, "name": CUBE, "unit": "frame/s", "what": "vkcube in a window, as many frames as there can be"}]


def judge_with(program):
    found = [judge for judge in (judges.Judge(row.name) for row in judges.table()) if judge.is_here() and (judge.root / "usr/bin" / program).is_file()]
    if not found:
        raise Missing(f"no judge has {program}; `{judges.COMMAND}` brings it")
    return found[-1]


def vkmark(driver, mark, seconds):
    """The command for run_on.py: drivers of a judge bring their own C library, for others that of vkmark's judge does."""
    judge = judge_with("vkmark")
    own = judge.root / "usr"
    plugins = next(path for path in (f"{folder}/vkmark" for folder in judge.libraries()) if os.path.isdir(path))
    words = [str(own / "bin/vkmark"), "--winsys-dir", plugins, "--data-dir", str(own / "share/vkmark"), "--winsys", "headless", "--size", SIZE, "-b", f"{mark}:duration={seconds:g}"]
    return words if run_on.judge_of(driver)[1] else judge.command(words)


def why_failed(ran):
    """The last words of a process that failed, in one line without this machine's folders; a crash has none."""
    code = ran.returncode if ran.returncode < 0 else 128 - ran.returncode
    if code < 0 and -code in set(signal.Signals):
        return f"failed: {signal.Signals(-code).name}"
    words = FOLDERS.sub("", (ran.stderr.strip().splitlines() or ["no reason given"])[-1])
    return "failed: " + words.removeprefix("bench_vulkan: ").removeprefix("bench: ")


def cpu_s():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure_vkmark(start, driver, scene, seconds):
    """FPS are whole numbers: a scene runs for two seconds at least."""
    seconds, before_s = max(2.0, seconds), cpu_s()
    ran = start(driver, vkmark(driver, scene["mark"], seconds))
    found = FPS.search(ran.stdout)
    if ran.returncode or not found or not int(found.group(1)):
        raise Missing(why_failed(ran))
    frames = int(found.group(1)) * seconds
    return {"work": 1.0, "clock_s": seconds / frames, "cpu_s": (cpu_s() - before_s) / frames}


def measure_vkcube(start, driver):
    if not shutil.which("xvfb-run") or not shutil.which("vkcube"):
        raise Missing("vkcube or xvfb-run is not installed")
    took = []
    for frames in CUBE_FRAMES:
        began_s, before_s = time.monotonic(), cpu_s()
        ran = start(driver, [shutil.which("vkcube"), "--c", str(frames), "--present_mode", "0"], IN_A_WINDOW)
        if ran.returncode:
            raise Missing(why_failed(ran))
        took.append((time.monotonic() - began_s, cpu_s() - before_s))
    frames = CUBE_FRAMES[1] - CUBE_FRAMES[0]
    return {"work": 1.0, "clock_s": (took[1][0] - took[0][0]) / frames, "cpu_s": (took[1][1] - took[0][1]) / frames}


def measure(start, driver, scene, seconds):
    """As run.measure: what a frame takes, or a note. start(driver, command, prefix) runs a command on a driver; the prefix is what starts all of it."""
    try:
        return measure_vkmark(start, driver, scene, seconds) if "mark" in scene else measure_vkcube(start, driver)
    except Missing as why:
        return {"note": str(why)}
