#!/usr/bin/env python3
"""Mesa's OpenGL driver for a family, as Debian ships it, on a model, or Zink, which makes Vulkan of OpenGL, on our driver: the pictures of gl_scenes beside llvmpipe's,
by OpenGL and, in strict mode, by OpenGL ES. They are equal but for what OpenGL leaves open: rounding, and pixels that an edge touches.

    gl.py [--gpu NAME] [--zink] [--release NAME] TUFF FOLDER [GL_SCENES]      RELEASE: a newer one of Mesa, which scripts/judges brings"""
import glob
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "vulkan")]
import judges  # noqa: E402
import models  # noqa: E402
import pictures  # noqa: E402
import pngfile  # noqa: E402
import run_on  # noqa: E402
import tap  # noqa: E402

ARGUMENTS = sys.argv[1:]
GPU = models.take_option(ARGUMENTS)
BY_ZINK = ARGUMENTS[:1] == ["--zink"]
if BY_ZINK:
    del ARGUMENTS[0]
JUDGE = None
if ARGUMENTS[:1] == ["--release"]:
    JUDGE = judges.Judge(ARGUMENTS[1])
    del ARGUMENTS[:2]
FAMILY = models.family(GPU)
DRIVER = "zink" if BY_ZINK else FAMILY.GALLIUM
SIZE = 256
# Wide lines: how colours run across them is each driver's own.
SHARES = {"lines": 0.015}
# What Zink draws wrongly on lavapipe, too.
ZINK_KNOWN = {"edge_flags": "Zink does not hide edges", "stipples": "Zink draws polygons without stipples"}
# Zink takes a model, which is a CPU, only on request.
ZINK_ENVIRONMENT = {"MESA_LOADER_DRIVER_OVERRIDE": "zink", "LIBGL_ALWAYS_SOFTWARE": "true"}
MODES = {"OpenGL": ([], {}), "OpenGL ES, strictly": (["--es"], {"TUFF_DEBUG": "strict"})}


def environment(more):
    kept = {name: value for name, value in os.environ.items()
            if name not in ("DISPLAY", "WAYLAND_DISPLAY", "GALLIUM_DRIVER", "LIBGL_ALWAYS_SOFTWARE", "MESA_LOADER_DRIVER_OVERRIDE")}
    return dict(kept, MESA_SHADER_CACHE_DISABLE="true", **more)


def run(command, more):
    try:
        return subprocess.run(command, env=environment(more), capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired as late:
        return subprocess.CompletedProcess(command, 1, (late.stdout or b"").decode(), "it did not end")


def on_llvmpipe(command):
    """A child of its own, because what LLVM may see of the processor is changed for it."""
    return run([sys.executable, os.path.abspath(__file__), "--llvmpipe", *command], {})


def read_ppm(path):
    with open(path, "rb") as file:
        head, data = file.read().split(b"\n255\n", 1)
    if head != b"P6\n%d %d" % (SIZE, SIZE) or len(data) != SIZE * SIZE * 3:
        raise ValueError(f"{path} is not a picture of {SIZE} by {SIZE}")
    return data


def colors(rgb):
    return len(set(zip(rgb[0::3], rgb[1::3], rgb[2::3])))


def compare(folder, name):
    """None, or what is wrong; then PNG files show it."""
    ours, peers = (read_ppm(os.path.join(folder, driver, name + ".ppm")) for driver in (DRIVER, "llvmpipe"))
    far = bytes(abs(a - b) for a, b in zip(ours, peers))
    differ = sum(max(rgb) > pictures.NEAR for rgb in zip(far[0::3], far[1::3], far[2::3]))
    share = SHARES.get(name.removesuffix("_es"), pictures.EDGES)
    if differ <= share * SIZE * SIZE and colors(peers) > 2:
        return None
    for suffix, rgb in ((DRIVER, ours), ("llvmpipe", peers), ("difference", bytes(min(255, 4 * d) for d in far))):
        pngfile.write(os.path.join(folder, f"{name}_{suffix}.png"), SIZE, SIZE, rgb)
    return f"{differ} pixels differ by more than {pictures.NEAR}, {colors(peers)} colours; see {folder}/{name}_*.png"


def judge(report, mode, tuff, folder, program):
    options, more = MODES[mode]
    known = ZINK_KNOWN if BY_ZINK else FAMILY.GL_KNOWN
    results = {}
    on_model = [tuff, *(("run", "--gpu") if BY_ZINK else ("shim",)), GPU, "--", *(JUDGE.command([program]) if JUDGE else [program])]
    more = {**more, **(ZINK_ENVIRONMENT if BY_ZINK else FAMILY.GALLIUM_ENVIRONMENT), **(JUDGE.opengl(DRIVER) if JUDGE else {})}
    for driver, command in (("llvmpipe", [program]), (DRIVER, on_model)):
        os.makedirs(os.path.join(folder, driver), exist_ok=True)
        # Mesa's driver may end the program at a scene, so the known ones are left out by name.
        wanted = [name.removesuffix("_es") for name in results.get("llvmpipe", []) if name.removesuffix("_es") not in known]
        command = command + options + [os.path.join(folder, driver)] + (wanted if known and driver == DRIVER else [])
        result = on_llvmpipe(command) if driver == "llvmpipe" else run(command, more)
        if result.returncode == 77:
            report.skip(f"{mode} on {driver}", result.stdout.strip())
            return
        lines = result.stdout.splitlines()
        name = FAMILY.GALLIUM_NAMES[GPU] if driver == FAMILY.GALLIUM else driver
        report.case(f"{mode}: {driver} runs to its end", result.returncode == 0 and lines and name in lines[0] and "lost" not in result.stderr,
                    f"{' '.join(command)}\nexit code {result.returncode}\n{result.stdout[-500:]}\n{result.stderr[-3000:]}")
        results[driver] = [line for line in lines if not line.startswith("driver:")]
    for name in results["llvmpipe"]:
        if name.removesuffix("_es") in known:
            report.skip(f"{mode}: {name}", known[name.removesuffix("_es")])
            continue
        wrong = compare(folder, name) if name in results[DRIVER] else f"{DRIVER} did not draw it"
        report.case(f"{mode}: {name}", wrong is None, wrong)


def main():
    if ARGUMENTS[:1] == ["--llvmpipe"]:
        return run_on.on_llvm(ARGUMENTS[1:], environment({"GALLIUM_DRIVER": "llvmpipe", "LIBGL_ALWAYS_SOFTWARE": "true", "GALLIVM_PERF": "nopt"}))
    report = tap.Tap()
    if len(ARGUMENTS) < 3:
        report.skip(f"{DRIVER} on the model", "no EGL and OpenGL to build with (packages libegl-dev, libgl-dev)")
    elif JUDGE and not JUDGE.opengl(DRIVER):
        report.skip(f"{DRIVER} on the model", f"no OpenGL of {JUDGE.name}; `{judges.COMMAND} {JUDGE.name}` brings it")
    elif not JUDGE and not glob.glob(f"/usr/lib/*/dri/{DRIVER}_dri.so") + glob.glob(f"/usr/lib/dri/{DRIVER}_dri.so"):
        report.skip(f"{DRIVER} on the model", f"no {DRIVER} (package libgl1-mesa-dri)")
    elif BY_ZINK and FAMILY.ZINK_LACKS:
        report.skip(f"{DRIVER} on the model", FAMILY.ZINK_LACKS)
    else:
        for mode in MODES if not (BY_ZINK and JUDGE) else ("OpenGL",):  # for ES 3.2 the newer Zink needs reads of the frame buffer
            judge(report, mode, ARGUMENTS[0], models.folder(ARGUMENTS[1], GPU), ARGUMENTS[2])
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
