#!/usr/bin/env python3
"""Windows: swapchains from the application's side (client.c) and vkcube, on our own driver over the model, on X servers and a Wayland compositor that this
test starts. vkcube's picture must be lavapipe's, but for what Vulkan leaves open; and what the X server shows must be what `tuff run --png` saved.

    wsi.py [--gpu NAME] RUN_ON TUFF LEAVE FOLDER CLIENT      (LEAVE: the library of vkcube_leave.c)"""
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time

import models
import pictures
import pngfile
import tap
import vkcube

FRAMES = 10
SIZE = (500, 500)
LIMIT_S = 120
# lavapipe returns VK_NOT_READY at once, whatever time-out it is given.
LAVAPIPE_WRONG = {"with one: VK_TIMEOUT, and not earlier"}


class Judge:
    def __init__(self, gpu, run_on, tuff, leave, folder, client):
        self.gpu, self.run_on, self.tuff, self.leave, self.folder, self.client = gpu, run_on, tuff, leave, models.folder(folder, gpu), client
        self.report = tap.Tap()

    def environment(self, **more):
        env = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY") and not k.startswith("TUFF_PRESENT")}
        return env | {"TUFF_LOG": "info", "MESA_SHADER_CACHE_DISABLE": "true"} | more

    def ours(self, arguments, options=(), **more):
        return subprocess.run([self.tuff, "run", "--gpu", self.gpu, *options, "--", *arguments], env=self.environment(**more), capture_output=True,
                              text=True, timeout=LIMIT_S)

    def lavapipe(self, arguments, **more):
        return subprocess.run([sys.executable, self.run_on, "lavapipe", *arguments], env=self.environment(**more), capture_output=True, text=True,
                              timeout=LIMIT_S)

    def finished(self, name, result):
        """The program came to its own end, with nothing to complain of."""
        wrong = result.returncode != 0 or "lost" in result.stderr or "rror" in result.stderr
        return self.report.case(name, not wrong, f"exit {result.returncode}\n{result.stdout}{result.stderr}")

    def cases(self, where, result, known=()):
        """The client's cases as our own."""
        found = re.findall(r"^(not )?ok \d+ - (.*?)(?: # SKIP (.*))?$", result.stdout, re.M)
        for wrong, name, skipped in found:
            if skipped or name in known:
                self.report.skip(f"{where}: {name}", skipped or "known")
            else:
                self.report.case(f"{where}: {name}", not wrong)
        failed = any(wrong and name not in known for wrong, name, _ in found)
        ended = f"1..{len(found)}\n" in result.stdout and result.returncode in ((0, 1) if known else (1,) if failed else (0,))
        self.report.case(f"{where}: the client ends as it should", ended, f"exit {result.returncode}\n{result.stdout}{result.stderr}")

    def judge_command(self):
        def run(*arguments):
            return subprocess.run([self.tuff, *arguments], env=self.environment(), capture_output=True, text=True, timeout=LIMIT_S)
        result = run("info")
        self.report.case("tuff info names both models and their queues", result.returncode == 0 and
                         all(f"{name}: " in result.stdout for name in models.NAMES) and "graphics and compute" in result.stdout,
                         result.stdout + result.stderr)
        result = run("info", "--extensions")
        self.report.case("tuff info --extensions names them", "VK_KHR_swapchain" in result.stdout, result.stdout + result.stderr)
        self.report.case("tuff run: the exit code is the program's", run("run", "--", "sh", "-c", "exit 7").returncode == 7)
        self.report.case("tuff run: a program that is not there", run("run", "--", "/nonexistent/program").returncode == 127)
        seen = run("run", "--gpu", models.NAMES[-1], "--frames", "3", "--", "sh", "-c", "echo $TUFF_GPU $TUFF_PRESENT_FRAMES $VK_DRIVER_FILES").stdout
        self.report.case("tuff run: what the program finds in its environment", seen.startswith(f"{models.NAMES[-1]} 3 /") and seen.endswith("tuff_icd.json\n"), seen)
        for wrong in (["--gpu", "nothing"], ["--frames", "0"], ["--frames", "x"], ["--png", "/nonexistent/x.png"]):
            self.report.case(f"tuff run {' '.join(wrong)} is refused", run("run", *wrong, "--", "true").returncode != 0)

    # ---- the client ----

    def judge_client(self, screen):
        self.cases("X11", self.ours([self.client, "xcb"], DISPLAY=screen.name))
        self.cases("Xlib", self.ours([self.client, "xlib"], DISPLAY=screen.name))
        self.cases("headless", self.ours([self.client, "headless"]))
        self.cases("X11 on lavapipe", self.lavapipe([self.client, "xcb"], DISPLAY=screen.name), LAVAPIPE_WRONG)
        checked = self.ours([self.client, "xcb"], DISPLAY=screen.name, VK_INSTANCE_LAYERS="VK_LAYER_KHRONOS_validation")
        text = checked.stdout + checked.stderr
        self.report.case("X11: nothing to say for the validation layers", checked.returncode == 0 and "Validation" not in text, text)

    def judge_lost_server(self):
        with tempfile.TemporaryDirectory() as folder:
            screen = vkcube.Screen(folder)
            client = subprocess.Popen([self.tuff, "run", "--gpu", self.gpu, "--", self.client, "xcb", "--until-lost"],
                                      env=self.environment(DISPLAY=screen.name), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            first = next((line for line in client.stdout if line.startswith("ok")), "")
            screen.server.kill()
            rest = client.communicate(timeout=LIMIT_S)[0]
            self.cases("killed X server", subprocess.CompletedProcess([], client.returncode, first + rest, ""))
            screen.server.wait()
            screen.client.close()

    # ---- vkcube ----

    def vkcube(self, frames, mode=None):
        return ["vkcube", "--suppress_popups", "--c", str(frames), *(["--present_mode", mode] if mode else [])]

    def same_picture(self, name, ours, what):
        shutil.copyfile(ours, os.path.join(self.folder, f"{name}_tuff.png"))
        wrong, figures = pictures.compare(self.folder, name, "tuff")
        self.report.note(f"{name}: {figures}")
        self.report.case(f"frame {FRAMES} of vkcube {what} is lavapipe's", wrong is None, wrong)

    def judge_picture(self, screen):
        peer = self.lavapipe(self.vkcube(FRAMES, "0"), DISPLAY=screen.name, LD_PRELOAD=self.leave)
        if peer.returncode == 77:
            self.report.skip("vkcube's picture is lavapipe's", "lavapipe is not installed")
            return
        self.report.case("vkcube runs on lavapipe", peer.returncode == 0, peer.stdout + peer.stderr)
        for name in ("vkcube_x11", "vkcube_wayland"):
            pngfile.write(os.path.join(self.folder, f"{name}_lavapipe.png"), *SIZE, screen.picture(*SIZE))
        png = os.path.join(self.folder, "vkcube_x11.png")
        result = self.ours(self.vkcube(FRAMES), ["--png", png], DISPLAY=screen.name, LD_PRELOAD=self.leave)
        if self.finished(f"vkcube shows {FRAMES} frames on X11", result):
            self.report.case("each frame was shown", f"{FRAMES} frames shown" in result.stderr, result.stderr)
            self.same_picture("vkcube_x11", png, "on X11")
            self.report.case("the X server shows what was saved", screen.picture(*SIZE) == pngfile.read(png)[2])
        self.judge_wayland()

    def judge_without_shm(self):
        """A server that shares no memory gets pictures in requests."""
        with tempfile.TemporaryDirectory() as folder:
            screen = vkcube.Screen(folder, ["-extension", "MIT-SHM"])
            try:
                png = os.path.join(self.folder, "vkcube_putimage.png")
                result = self.ours(self.vkcube(FRAMES), ["--png", png], DISPLAY=screen.name, LD_PRELOAD=self.leave)
                if self.finished(f"vkcube shows {FRAMES} frames without MIT-SHM", result):
                    self.report.case("by requests", "pictures are sent" in result.stderr, result.stderr)
                    self.report.case("the X server shows what was saved, without MIT-SHM", screen.picture(*SIZE) == pngfile.read(png)[2])
            finally:
                screen.close()

    def judge_wayland(self):
        if not shutil.which("weston") or not shutil.which("vkcube-wayland"):
            self.report.skip("vkcube on Wayland", "weston or vkcube-wayland is not installed")
            return
        with tempfile.TemporaryDirectory() as runtime:
            os.chmod(runtime, 0o700)
            env = self.environment(XDG_RUNTIME_DIR=runtime)
            weston = subprocess.Popen(["weston", "--backend=headless-backend.so", "--socket=tuff", "--idle-time=0", "--no-config"], env=env,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                wait_for(lambda: os.path.exists(os.path.join(runtime, "tuff")) or weston.poll() is not None)
                png = os.path.join(self.folder, "vkcube_wayland.png")
                command = ["vkcube-wayland", *self.vkcube(FRAMES)[1:]]
                result = self.ours(command, ["--png", png], XDG_RUNTIME_DIR=runtime, WAYLAND_DISPLAY="tuff")
                if self.finished(f"vkcube shows {FRAMES} frames on Wayland", result):
                    self.same_picture("vkcube_wayland", png, "on Wayland")
            finally:
                weston.terminate()
                weston.wait()

    def judge_long(self, screen):
        begin = time.monotonic()
        result = self.ours(self.vkcube(300), DISPLAY=screen.name)
        self.finished("vkcube --c 300 ends by itself", result)
        self.report.note(f"300 frames in {time.monotonic() - begin:.1f} s; {result.stderr.strip()}")
        result = self.ours(["vkcube", "--suppress_popups"], ["--frames", "5"], DISPLAY=screen.name)
        self.finished("tuff run --frames ends a program that would not", result)

    def judge_resize(self, screen, where="X11", before=None, frames=150):
        vkcube_run = subprocess.Popen([*(before or [self.tuff, "run", "--gpu", self.gpu, "--"]), *self.vkcube(frames)], env=self.environment(DISPLAY=screen.name),
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        lines, seen = [], {}
        reader = threading.Thread(target=lambda: lines.extend(iter(vkcube_run.stdout.readline, "")))
        reader.start()

        def swapchains():  # each says at its beginning how its pictures get to the server
            return len(re.findall("pictures are (?:shared|copied)", "".join(lines)))

        def has_window():
            seen["window"] = newest_window(screen)
            return seen["window"] or vkcube_run.poll() is not None

        wait_for(has_window)
        for width, height in [(300, 200), (640, 480), (123, 457), (700, 700), (1, 1), (400, 300)]:
            if not seen["window"] or vkcube_run.poll() is not None:
                break
            before = swapchains()
            screen.client.sendall(struct.pack("<BxHIHxxII", 12, 5, seen["window"], 4 | 8, width, height))  # ConfigureWindow
            wait_for(lambda made=before: swapchains() > made or vkcube_run.poll() is not None)
        vkcube_run.wait(timeout=LIMIT_S)
        reader.join()
        text = "".join(lines)
        self.report.case(f"{where}: vkcube goes on while its window is resized", vkcube_run.returncode == 0 and "lost" not in text, text)
        self.report.case(f"{where}: and makes new swapchains", swapchains() >= 6, text)
        return text

    # ---- other people's programs ----

    def judge_program(self, name, command, frames, **more):
        """The same program on both drivers: as many red, green and blue pixels, within an eighth. Wheels turn with the time: no picture is another's."""
        if not shutil.which(command[0]):
            self.report.skip(f"{name} shows lavapipe's picture", f"{command[0]} is not installed")
            return
        left_out = getattr(models.family(self.gpu), "WINDOWS_LEFT_OUT", {})
        if command[0] in left_out:
            self.report.skip(f"{name} shows lavapipe's picture", left_out[command[0]])
            return
        counts = []
        for driver in ("tuff", "lavapipe"):
            with tempfile.TemporaryDirectory() as folder:
                screen = vkcube.Screen(folder)
                try:
                    if driver == "tuff":
                        png = os.path.join(self.folder, f"{command[0]}.png")
                        result = self.ours(command, ["--png", png, "--frames", str(frames)], DISPLAY=screen.name, XDG_RUNTIME_DIR=folder, **more)
                        if not self.report.case(f"{name} presents {frames} frames", result.returncode == 0 and os.path.exists(png),
                                                f"exit {result.returncode}\n{result.stdout}{result.stderr}"):
                            return
                        counts.append(count_colours(pngfile.read(png)[2]))
                    else:
                        counts.append(self.on_screen(screen, command, XDG_RUNTIME_DIR=folder, **more))
                finally:
                    screen.close()
        good = all(b > 0 and abs(a - b) <= b / 8 for a, b in zip(*counts))
        self.report.note(f"{name}: red, green and blue pixels: {counts[0]} here, {counts[1]} there")
        self.report.case(f"{name} shows lavapipe's picture", good)

    def on_screen(self, screen, command, **more):
        """The colours that a program on lavapipe shows when it has shown something, whether or not it ever ends."""
        run = subprocess.Popen([sys.executable, self.run_on, "lavapipe", *command], env=self.environment(DISPLAY=screen.name, **more),
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        counts, end = [0, 0, 0], time.monotonic() + LIMIT_S
        while time.monotonic() < end:
            time.sleep(0.5)
            before, counts = counts, count_colours(framebuffer(screen))
            # Twice nearly the same: not a picture that is being copied.
            if all(counts) and all(abs(a - b) <= b / 16 for a, b in zip(before, counts)):
                break
        os.killpg(run.pid, signal.SIGTERM)
        run.wait()
        return counts

    def judge_programs(self):
        self.judge_program("vkd3d-triangle (Direct3D 12)", ["vkd3d-triangle"], 1)
        self.judge_program("vkd3d-gears (Direct3D 12)", ["vkd3d-gears"], 20)
        # A model is a CPU to Zink, which takes one only on request.
        self.judge_program("glxgears (OpenGL by Zink)", ["glxgears"], 20, MESA_LOADER_DRIVER_OVERRIDE="zink", LIBGL_ALWAYS_SOFTWARE="true")
        self.judge_program("es2tri (OpenGL ES 3 by Zink)", ["es2tri"], 1, MESA_LOADER_DRIVER_OVERRIDE="zink", LIBGL_ALWAYS_SOFTWARE="true")

    def judge_ten(self, screen):
        runs = [subprocess.Popen([self.tuff, "run", "--gpu", self.gpu, "--", *self.vkcube(FRAMES)], env=self.environment(DISPLAY=screen.name),
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for _ in range(10)]
        texts = [run.communicate(timeout=LIMIT_S)[0] for run in runs]
        good = all(run.returncode == 0 for run in runs) and all(f"{FRAMES} frames shown" in text for text in texts)
        self.report.case("ten vkcubes at once", good, "\n".join(texts))


def wait_for(what):
    end = time.monotonic() + LIMIT_S
    while time.monotonic() < end and not what():
        time.sleep(0.02)


def newest_window(screen):
    """The one that vkcube has opened, or None: the cover is the lowest of the root's children."""
    screen.client.sendall(struct.pack("<BxHI", 15, 2, screen.root))  # QueryTree
    answer = screen.receive(32)
    while answer[0] != 1:
        answer = screen.receive(32)
    children = struct.unpack(f"<{struct.unpack_from('<H', answer, 16)[0]}I", screen.receive(4 * struct.unpack_from("<I", answer, 4)[0]))
    return children[-1] if len(children) > 1 else None


def framebuffer(screen):
    """RGB bytes of the whole screen, from the server's XWD file."""
    with open(screen.framebuffer, "rb") as file:
        data = file.read()
    header = struct.unpack(">20I", data[:80])
    pixels = data[header[0] + 12 * header[19]:]
    rgb = bytearray(len(pixels) // 4 * 3)
    rgb[0::3], rgb[1::3], rgb[2::3] = pixels[2::4], pixels[1::4], pixels[0::4]
    return bytes(rgb)


def count_colours(rgb):
    """How many pixels are mostly red, green and blue."""
    counts = [0, 0, 0]
    for pixel in zip(rgb[0::3], rgb[1::3], rgb[2::3]):
        most = max(pixel)
        if most > 150 and sum(pixel) < 1.5 * most:
            counts[pixel.index(most)] += 1
    return counts


def main():
    arguments = sys.argv[1:]
    gpu = models.take_option(arguments)
    missing = [program for program in ("Xvfb", "vkcube") if not shutil.which(program)]
    if missing:
        print(f"1..0 # SKIP {' and '.join(missing)} not installed")
        return 0
    judge = Judge(gpu, *arguments[:5])
    with tempfile.TemporaryDirectory() as framebuffers:
        screen = vkcube.Screen(framebuffers)
        try:
            judge.judge_command()
            judge.judge_client(screen)
            judge.judge_lost_server()
            judge.judge_picture(screen)
            judge.judge_without_shm()
            judge.judge_long(screen)
            judge.judge_resize(screen)
            judge.judge_ten(screen)
            judge.judge_programs()
        finally:
            screen.close()
    return judge.report.done()


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(main())
