#!/usr/bin/env python3
"""Other people's programs and layers, as Debian ships them, on our driver over the model (docs/programs.md tells of more, which are too large for a test).

    programs.py RUN_ON TUFF FOLDER

gfxreconstruct: what vkcube said to our driver is played on ours and on lavapipe, and the other way round; the pictures must agree.
MangoHud and vkBasalt: layers that draw into the program's own pictures.
ffmpeg: its Vulkan filters beside lavapipe's frames.
--as-gpu: a program that takes no CPU (libplacebo, in mpv)."""
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import pictures
import tap
import vkcube

RUN_ON, TUFF, FOLDER = sys.argv[1:4]
FRAMES, SHOWN = 12, 10
SIZE = (500, 500)
LIMIT_S = 120


def environment(**more):
    dropped = ("DISPLAY", "WAYLAND_DISPLAY", "MANGOHUD", "ENABLE_VKBASALT", "VK_INSTANCE_LAYERS")
    return {k: v for k, v in os.environ.items() if k not in dropped and not k.startswith("TUFF_")} | more


def run(command, **more):
    try:
        return subprocess.run(command, env=environment(**more), stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=LIMIT_S)
    except subprocess.TimeoutExpired as late:
        return subprocess.CompletedProcess(command, 124, "", f"no end after {late.timeout} s")


def on(driver, *command, options=()):
    return [TUFF, "run", "--gpu", "gfx1030", *options, "--", *command] if driver == "tuff" else [sys.executable, RUN_ON, "lavapipe", *command]


def shown(result):
    return f"exit {result.returncode}\n{result.stdout[-1500:]}\n{result.stderr[-1500:]}"


def place(name):
    return os.path.join(FOLDER, name)


def installed(report, name, *needed):
    if "lavapipe" in needed and run(on("lavapipe", "true")).returncode == 77:
        report.skip(name, "lavapipe is not installed")
        return False
    missing = [what for what in needed if what != "lavapipe" and not (os.path.exists(what) if what.startswith("/") else shutil.which(what))]
    if missing:
        report.skip(name, f"{' and '.join(missing)} not installed")
    return not missing


def bmp_to_png(bmp, png):
    """gfxreconstruct writes its pictures as BMP, 32 bits a pixel, with rows from below or from above."""
    with open(bmp, "rb") as file:
        data = file.read()
    start, = struct.unpack_from("<I", data, 10)
    width, height, _, bits = struct.unpack_from("<iiHH", data, 18)
    if bits != 32:
        raise ValueError(f"{bmp} has {bits} bits a pixel")
    rows = [data[start + 4 * width * y:start + 4 * width * (y + 1)] for y in range(abs(height))]
    rgb = bytearray()
    for row in rows if height < 0 else reversed(rows):
        line = bytearray(3 * width)
        line[0::3], line[1::3], line[2::3] = row[2::4], row[1::4], row[0::4]
        rgb += line
    pictures.write_png(png, width, abs(height), bytes(rgb))


def judge_gfxreconstruct(report, display):
    if not installed(report, "gfxreconstruct", "lavapipe", "gfxrecon-replay", "/usr/share/vulkan/explicit_layer.d/VkLayer_gfxreconstruct.json"):
        return
    for captured in ("tuff", "lavapipe"):
        trace = place(f"vkcube_{captured}.gfxr")
        result = run(on(captured, "vkcube", "--suppress_popups", "--c", str(FRAMES), "--present_mode", "0"), DISPLAY=display, GFXRECON_CAPTURE_FILE=trace,
                     GFXRECON_CAPTURE_FILE_TIMESTAMP="false", VK_INSTANCE_LAYERS="VK_LAYER_LUNARG_gfxreconstruct")
        if not report.case(f"gfxreconstruct records vkcube on {captured}", result.returncode == 0 and os.path.exists(trace), shown(result)):
            return
    for captured in ("tuff", "lavapipe"):
        for played in ("tuff", "lavapipe"):
            with tempfile.TemporaryDirectory() as folder:
                result = run(on(played, "gfxrecon-replay", "-m", "rebind", "--screenshots", str(SHOWN), "--screenshot-dir", folder, place(f"vkcube_{captured}.gfxr")), DISPLAY=display)
                found = [os.path.join(folder, name) for name in os.listdir(folder)]
                if not report.case(f"what {captured} was told plays on {played}", result.returncode == 0 and len(found) == 1, shown(result)):
                    return
                bmp_to_png(found[0], place(f"gfxrecon_{captured}_{played}.png"))
        wrong, figures = pictures.compare(FOLDER, f"gfxrecon_{captured}", "tuff")
        report.note(figures)
        report.case(f"frame {SHOWN} of {captured}'s recording is the same on both", wrong is None, wrong)


def far_pixels(one, other, box=None):
    """How many pixels of a box differ, and of how many."""
    width, height, a = pictures.read_png(one)
    b = pictures.read_png(other)[2]
    left, top, right, bottom = box or (0, 0, width, height)
    far = 0
    for y in range(top, bottom):
        start, end = 3 * (y * width + left), 3 * (y * width + right)
        far += sum(max(abs(a[i + c] - b[i + c]) for c in range(3)) > pictures.NEAR for i in range(start, end, 3))
    return far, (right - left) * (bottom - top)


def layered(report, name, display, **more):
    png = place(f"{name}.png")
    result = run(on("tuff", "vkcube", "--suppress_popups", "--c", str(FRAMES), options=("--png", png)), DISPLAY=display, **more)
    return png if report.case(f"{name}: vkcube shows {FRAMES} frames", result.returncode == 0 and "lost" not in result.stderr, shown(result)) else None


def judge_layers(report, display, folder):
    layers = "/usr/share/vulkan/implicit_layer.d"
    plain = layered(report, "no layer", display)
    if not plain:
        return
    if installed(report, "MangoHud", f"{layers}/MangoHud.json"):
        png = layered(report, "MangoHud", display, MANGOHUD="1", MANGOHUD_CONFIG="fps,frametime,position=top-left")
        if png:
            drawn, of = far_pixels(png, plain, (0, 0, 200, 60))
            rest, _ = far_pixels(png, plain, (0, 300, *SIZE))
            report.note(f"MangoHud: {drawn} of {of} pixels of its corner and {rest} below differ")
            report.case("MangoHud draws its figures over the cube, and nothing elsewhere", drawn > of / 4 and rest == 0)
    if installed(report, "vkBasalt", f"{layers}/vkBasalt.json"):
        for effect in ("cas", "fxaa", "smaa"):
            config = os.path.join(folder, f"{effect}.conf")
            with open(config, "w", encoding="utf-8") as file:
                file.write(f"effects = {effect}\ncasSharpness = 1.0\n")
            png = layered(report, f"vkBasalt {effect}", display, ENABLE_VKBASALT="1", VKBASALT_CONFIG_FILE=config)
            if png:
                far, of = far_pixels(png, plain)
                report.note(f"vkBasalt {effect}: {far} of {of} pixels differ")
                report.case(f"vkBasalt's {effect} changes edges, and edges alone", 50 < far < of / 10)


FILTERS = ("scale_vulkan=w=160:h=90", "gblur_vulkan=sigma=3", "vflip_vulkan", "transpose_vulkan", "libplacebo=w=320:h=180")
FILTERED_NEAR = 2  # of 255: lavapipe filters with fewer bits, and libplacebo dithers


def frames_of(report, name, command, size_min):
    with tempfile.NamedTemporaryFile(suffix=".yuv") as file:
        result = run([*command, "-f", "rawvideo", file.name])
        data = file.read()
        good = report.case(f"{name} gives frames", result.returncode == 0 and len(data) >= size_min, shown(result))
    return data if good else None


def judge_ffmpeg(report):
    if not installed(report, "ffmpeg", "lavapipe", "ffmpeg"):
        return
    listed = run(["ffmpeg", "-hide_banner", "-filters"]).stdout
    source = ["-f", "lavfi", "-i", "testsrc2=size=320x180:rate=25:duration=0.12"]
    for text in FILTERS:
        name = text.split("=")[0]
        if not re.search(rf"\s{name}\s", listed):
            report.skip(f"ffmpeg {name}", "this ffmpeg has no such filter")
            continue
        vulkan = ["ffmpeg", "-hide_banner", "-y", "-v", "error", "-init_hw_device", "vulkan=v:0", "-filter_hw_device", "v", *source, "-vf",
                  f"format=yuv420p,hwupload,{text},hwdownload,format=yuv420p"]
        ours = frames_of(report, f"ffmpeg {name} on tuff", on("tuff", *vulkan), 160 * 90 * 3 * 3 // 2)
        peer = frames_of(report, f"ffmpeg {name} on lavapipe", on("lavapipe", *vulkan), 160 * 90 * 3 * 3 // 2)
        if not ours or not peer:
            continue
        most = max(abs(a - b) for a, b in zip(ours, peer)) if len(ours) == len(peer) else None
        report.case(f"ffmpeg {name}: lavapipe's frames, but for {FILTERED_NEAR} of 255", most is not None and most <= FILTERED_NEAR and len(set(ours)) > 16,
                    f"the largest difference is {most}")


def judge_as_gpu(report, display):
    if not installed(report, "mpv takes the model for a GPU", "mpv", "ffmpeg"):
        return
    with tempfile.TemporaryDirectory(prefix="a film ") as folder:
        film, png = os.path.join(folder, "film.mkv"), place("mpv.png")
        made = run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=320x240:rate=25:duration=1", "-c:v", "ffv1", film])
        if not report.case("ffmpeg makes a film", made.returncode == 0, shown(made)):
            return
        command = ["mpv", "--no-config", "--vo=gpu-next", "--gpu-api=vulkan", "--gpu-context=x11vk", "--no-audio", "--osc=no", "--osd-level=0", film]
        refused = run(on("tuff", *command, options=("--png", png, "--frames", "5")), DISPLAY=display)
        report.note(f"mpv without --as-gpu: exit {refused.returncode}")
        result = run(on("tuff", *command, options=("--as-gpu", "--png", png, "--frames", "5")), DISPLAY=display)
        if report.case("mpv shows a film on the model with --as-gpu", result.returncode == 0, shown(result)):
            colours = len(set(zip(*(pictures.read_png(png)[2][c::3] for c in range(3)))))
            report.case("with the colours of the test picture", colours > 30, f"{colours} colours")


def main():
    missing = [program for program in ("Xvfb", "vkcube") if not shutil.which(program)]
    if missing:
        print(f"1..0 # SKIP {' and '.join(missing)} not installed")
        return 0
    report = tap.Tap()
    with tempfile.TemporaryDirectory() as folder:
        screen = vkcube.Screen(folder)
        try:
            judge_gfxreconstruct(report, screen.name)
            judge_layers(report, screen.name, folder)
            judge_ffmpeg(report)
            judge_as_gpu(report, screen.name)
        finally:
            screen.close()
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
