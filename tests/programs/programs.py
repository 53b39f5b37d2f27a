#!/usr/bin/env python3
"""Other people's programs and layers, as Debian ships them, on our driver over the model (docs/programs.md describes more, which
are too large for a test).

    programs.py [--gpu NAME] RUN_ON TUFF LEAVE FOLDER      (LEAVE: the library of vkcube_leave.c)

gfxreconstruct: what vkcube said to our driver is played on ours and on lavapipe, and the other way round; the pictures must agree.
MangoHud and vkBasalt: layers that draw into the program's own pictures, as they do on lavapipe.
ffmpeg: its Vulkan filters beside lavapipe's frames.
--as-gpu: a program that takes no CPU (libplacebo, in mpv) shows a film as ffmpeg decodes it."""
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import models
import pictures
import pngfile
import tap
import vkcube

ARGUMENTS = sys.argv[1:]
GPU = models.take_option(ARGUMENTS)
RUN_ON, TUFF, LEAVE, FOLDER = *ARGUMENTS[:3], models.folder(ARGUMENTS[3], GPU)
HOME = tempfile.TemporaryDirectory(prefix="nobody's home ")  # whose settings are not ours
FRAMES, SHOWN = 12, 10
SIZE = (500, 500)
LIMIT_S = 120


def environment(**more):
    dropped = ("DISPLAY", "WAYLAND_DISPLAY", "MANGOHUD", "ENABLE_VKBASALT", "VK_INSTANCE_LAYERS")
    kept = {k: v for k, v in os.environ.items() if k not in dropped and not k.startswith(("TUFF_", "XDG_"))}
    return kept | {"HOME": HOME.name} | more


def run(command, **more):
    try:
        return subprocess.run(command, env=environment(**more), stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=LIMIT_S)
    except subprocess.TimeoutExpired as late:
        return subprocess.CompletedProcess(command, 124, "", f"no end after {late.timeout} s")


def on(driver, *command, options=()):
    return [TUFF, "run", "--gpu", GPU, *options, "--", *command] if driver == "tuff" else [sys.executable, RUN_ON, "lavapipe", *command]


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
    """gfxreconstruct writes its pictures as BMP, 32 bits per pixel, with rows from below or from above."""
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
    pngfile.write(png, width, abs(height), bytes(rgb))


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
        # Of lavapipe's recording, in which every frame has the same image, gfxreconstruct records a copy anew while it is pending (VUID-vkResetCommandBuffer-commandBuffer-00045).
        # Some GPUs survive that, the others wait after each submission.
        waits = {"TUFF_DEBUG": "sync"} if captured == "lavapipe" and getattr(models.family(GPU), "REPLAY_WAITS", False) else {}
        for played in ("tuff", "lavapipe"):
            with tempfile.TemporaryDirectory() as folder:
                result = run(on(played, "gfxrecon-replay", "-m", "rebind", "--screenshots", str(SHOWN), "--screenshot-dir", folder, place(f"vkcube_{captured}.gfxr")), DISPLAY=display, **waits)
                found = [os.path.join(folder, name) for name in os.listdir(folder)]
                if not report.case(f"what {captured} was told plays on {played}", result.returncode == 0 and len(found) == 1, shown(result)):
                    return
                bmp_to_png(found[0], place(f"gfxrecon_{captured}_{played}.png"))
        wrong, figures = pictures.compare(FOLDER, f"gfxrecon_{captured}", "tuff")
        report.note(figures)
        report.case(f"frame {SHOWN} of {captured}'s recording is the same on both", wrong is None, wrong)


def far_pixels(one, other, box=None):
    """How many pixels of a box differ, and of how many."""
    width, height, a = pngfile.read(one)
    b = pngfile.read(other)[2]
    left, top, right, bottom = box or (0, 0, width, height)
    far = 0
    for y in range(top, bottom):
        start, end = 3 * (y * width + left), 3 * (y * width + right)
        far += sum(max(abs(a[i + c] - b[i + c]) for c in range(3)) > pictures.NEAR for i in range(start, end, 3))
    return far, (right - left) * (bottom - top)


def layered(report, name, screen, driver, **more):
    """vkcube with a layer: the last frame as the driver's own picture, or as what the X server shows."""
    png = place(f"{name}_{driver}.png")
    command = ["vkcube", "--suppress_popups", "--c", str(FRAMES), "--present_mode", "0"]
    result = run(on(driver, *command, options=("--png", png)), DISPLAY=screen.name, LD_PRELOAD=LEAVE, **more)
    if not report.case(f"{name}: vkcube shows {FRAMES} frames on {driver}", result.returncode == 0 and "lost" not in result.stderr, shown(result)):
        return None
    if driver == "lavapipe":
        pngfile.write(png, *SIZE, screen.picture(*SIZE))
    return png


def judge_layer(report, name, screen, plain, changed, **more):
    """What the layer draws over our picture is what it draws over lavapipe's, and it draws something: `changed` says how many pixels, of a box, must and may change."""
    pair = [layered(report, name, screen, driver, **more) for driver in ("tuff", "lavapipe")]
    if None in pair:
        return
    wrong, figures = pictures.compare(FOLDER, name, "tuff")
    report.note(figures)
    report.case(f"{name} draws what it draws on lavapipe", wrong is None, wrong)
    for box, least, most in changed:
        far, _ = far_pixels(pair[0], plain, box)
        report.case(f"{name} changes {least} to {most} pixels of {box or 'all'}", least <= far <= most, f"it changes {far}")


def judge_layers(report, screen, folder):
    layers = "/usr/share/vulkan/implicit_layer.d"
    if not installed(report, "layers", "lavapipe"):
        return
    plain = layered(report, "no layer", screen, "tuff")
    if not plain:
        return
    if installed(report, "MangoHud", f"{layers}/MangoHud.json"):
        # Words instead of figures, which would be others each time.
        still = "fps=0,frametime=0,frame_timing=0,cpu_stats=0,gpu_stats=0,custom_text=Over the cube,custom_text=0123456789,position=top-left"
        judge_layer(report, "MangoHud", screen, plain, [((0, 0, 200, 60), 3000, 12000), ((0, 300, *SIZE), 0, 0)], MANGOHUD="1", MANGOHUD_CONFIG=still)
    if installed(report, "vkBasalt", f"{layers}/vkBasalt.json"):
        for effect in ("cas", "fxaa", "smaa"):
            config = os.path.join(folder, f"{effect}.conf")
            with open(config, "w", encoding="utf-8") as file:
                file.write(f"effects = {effect}\ncasSharpness = 1.0\n")
            judge_layer(report, f"vkBasalt {effect}", screen, plain, [(None, 50, SIZE[0] * SIZE[1] // 10)], ENABLE_VKBASALT="1", VKBASALT_CONFIG_FILE=config)


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


# Films of one picture, so that any frame is the one to show: how its pixels are stored, and how far from ffmpeg's a colour may be. Colours of the third kind go
# through a matrix, whose sums two programs round.
FILMS = {"film of RGB": ("format=bgr0", 0), "film of Y'CbCr": ("scale=out_color_matrix=bt709:out_range=tv,format=yuv444p", 2)}


def make_film(path, pixels):
    source = ["-f", "lavfi", "-i", "testsrc=size=320x240:rate=25:duration=0.04", "-vf", f"loop=loop=24:size=1,{pixels}"]
    tags = ["-colorspace", "bt709", "-color_range", "tv", "-color_primaries", "bt709", "-color_trc", "bt709"] if "yuv" in pixels else []
    return run(["ffmpeg", "-v", "error", *source, *tags, "-c:v", "ffv1", path])


def decode_film(path):
    """The RGB bytes of its first picture, by ffmpeg's own arithmetic."""
    with tempfile.NamedTemporaryFile(suffix=".rgb") as file:
        run(["ffmpeg", "-v", "error", "-y", "-i", path, "-frames:v", "1", "-sws_flags", "accurate_rnd+full_chroma_int+bitexact", "-f", "rawvideo", "-pix_fmt", "rgb24", file.name])
        return file.read()


def judge_as_gpu(report, display):
    if not installed(report, "mpv takes the model for a GPU", "mpv", "ffmpeg"):
        return
    with tempfile.TemporaryDirectory(prefix="a film ") as folder:
        for name, (pixels, near) in FILMS.items():
            film, png = os.path.join(folder, f"{name}.mkv"), place(f"mpv {name}.png")
            made = make_film(film, pixels)
            peer = decode_film(film)
            if not report.case(f"ffmpeg makes a {name}", made.returncode == 0 and len(peer) == 320 * 240 * 3, shown(made)):
                return
            command = ["mpv", "--no-config", "--vo=gpu-next", "--gpu-api=vulkan", "--gpu-context=x11vk", "--no-audio", "--osc=no", "--osd-level=0", "--loop=inf", film]
            result = run(on("tuff", *command, options=("--as-gpu", "--png", png, "--frames", "5")), DISPLAY=display)
            if not report.case(f"mpv shows a {name} on the model with --as-gpu", result.returncode == 0, shown(result)):
                return
            width, height, ours = pngfile.read(png)
            most = max(abs(a - b) for a, b in zip(ours, peer))
            report.case(f"the {name} has ffmpeg's colours, but for {near} of 255", (width, height) == (320, 240) and most <= near,
                        f"{width}x{height}, the largest difference is {most}; see {png}")


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
            judge_layers(report, screen, folder)
            judge_ffmpeg(report)
            judge_as_gpu(report, screen.name)
        finally:
            screen.close()
    HOME.cleanup()
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
