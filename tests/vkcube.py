#!/usr/bin/env python3
"""vkcube, as Debian ships it, in a window: Mesa's driver over a model presents to an X server without a GPU (MESA_VK_WSI_DEBUG=sw), which takes its window
system's copies through the DMA engine. Its last frame must be lavapipe's, but for what Vulkan leaves open.

    vkcube.py [--gpu NAME] RUN_ON TUFF LEAVE FOLDER [RELEASE]      (LEAVE: the library of vkcube_leave.c; RELEASE: a newer one of Mesa, by scripts/judges)"""
import os
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time

import models
import pictures
import pngfile
import tap

SCREEN = (1000, 900)
WINDOW_AT = (100, 100)  # where vkcube puts its window when there is no window manager
FRAMES = 60
PATIENCE_S = 60  # on a loaded machine, too
# Newer releases present from a thread of their own: the program may end before its last frames are shown.
NOT_SHOWN = 3
CASES = [(500, 500, "small images"), (750, 620, "large ones, which a driver may compress")]


class Screen:
    """An X server of our own. Its screen shows what was drawn last, even after the window that drew it has gone: a window behind all others has no
    background, so that nothing paints over what they leave."""

    def __init__(self, folder, options=()):
        self.framebuffer = os.path.join(folder, "Xvfb_screen0")
        reader, writer = os.pipe()
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writer), "-screen", "0", f"{SCREEN[0]}x{SCREEN[1]}x24", "-fbdir", folder, "-ac", "-noreset", "-nolisten", "tcp", *options],
            pass_fds=[writer], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(writer)
        with os.fdopen(reader) as file:
            number = file.readline().strip()  # comes when the server is ready; nothing when it gave up
        if not number:
            raise OSError(f"Xvfb ended with {self.server.wait()}")
        self.name = f":{number}"
        self.connect(number)
        self.cover()

    def receive(self, size):
        data = b""
        while len(data) < size:
            part = self.client.recv(size - len(data))
            if not part:
                raise OSError("the X server closed the connection")
            data += part
        return data

    def connect(self, number):
        """The X11 protocol's connection setup."""
        self.client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.client.connect(f"/tmp/.X11-unix/X{number}")
        self.client.sendall(struct.pack("<BxHHHHxx", ord("l"), 11, 0, 0, 0))
        accepted, length = struct.unpack("<B5xH", self.receive(8))
        setup = self.receive(4 * length)
        if accepted != 1:
            raise OSError("the X server refused the connection")
        self.base, = struct.unpack_from("<I", setup, 4)
        vendor_size, = struct.unpack_from("<H", setup, 16)
        self.root, = struct.unpack_from("<I", setup, 32 + (vendor_size + 3) // 4 * 4 + 8 * setup[21])

    def cover(self):
        """CreateWindow without a background, MapWindow."""
        back_pixmap, override_redirect, copy_from_parent = 1 << 0, 1 << 9, 0
        self.client.sendall(struct.pack("<BBHIIhhHHHHIIII", 1, copy_from_parent, 10, self.base, self.root, 0, 0, *SCREEN, 0, copy_from_parent, copy_from_parent,
                                        back_pixmap | override_redirect, 0, 1) +
                            struct.pack("<BxHI", 8, 2, self.base))
        self.wait_alone()

    def wait_alone(self):
        """Until our window is the only one. The server destroys a client's windows when it has done the last of its requests, which may be some time
        after the client has ended."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            self.client.sendall(struct.pack("<BxHI", 15, 2, self.root))  # QueryTree
            answer = self.receive(32)
            while answer[0] != 1:  # events and errors come between
                answer = self.receive(32)
            self.receive(4 * struct.unpack_from("<I", answer, 4)[0])
            if struct.unpack_from("<H", answer, 16)[0] == 1:
                return
            time.sleep(0.01)
        raise OSError("a window stays")

    def picture(self, width, height):
        """RGB bytes of the place where vkcube's window was, from the server's XWD file."""
        self.wait_alone()
        with open(self.framebuffer, "rb") as file:
            data = file.read()
        header = struct.unpack(">20I", data[:80])
        header_size, line_size, colors = header[0], header[12], header[19]
        rgb = bytearray()
        for y in range(WINDOW_AT[1], WINDOW_AT[1] + height):
            at = header_size + 12 * colors + y * line_size + 4 * WINDOW_AT[0]
            row = data[at:at + 4 * width]
            line = bytearray(3 * width)
            line[0::3], line[1::3], line[2::3] = row[2::4], row[1::4], row[0::4]
            rgb += line
        return bytes(rgb)

    def close(self):
        self.client.close()
        self.server.terminate()
        self.server.wait()


def run(command, screen, leave, *arguments, frames=FRAMES):
    environment = dict(os.environ, DISPLAY=screen.name, MESA_VK_WSI_DEBUG="sw", LD_PRELOAD=leave)
    environment.pop("WAYLAND_DISPLAY", None)
    # By its path: a newer release has a vkcube of its own, which may draw another picture.
    return subprocess.run([sys.executable, *command, shutil.which("vkcube"), "--suppress_popups", "--c", str(frames), *arguments], env=environment,
                          capture_output=True, text=True, timeout=100)


def check(report, screen, run_on, on_model, leave, folder, width, height, what):
    *options, mesa = on_model
    release = mesa.partition("-")[2]
    name = f"vkcube_{width}x{height}" + (f"_{release}" if release else "")
    for driver, options in (("lavapipe", []), (mesa, options)):
        # IMMEDIATE: every frame is shown before the program goes on, so that the last one is known.
        result = run([run_on, *options, driver], screen, leave, "--present_mode", "0", "--width", str(width), "--height", str(height))
        if result.returncode == 77:
            report.skip(f"{name}: the same picture", f"{driver} is not installed")
            return
        if not report.case(f"{name}: {FRAMES} frames on {driver}", result.returncode == 0 and "lost" not in result.stderr, result.stdout + result.stderr):
            return
        pngfile.write(os.path.join(folder, f"{name}_{driver}.png"), width, height, screen.picture(width, height))
    wrong, figures = pictures.compare(folder, name, mesa)
    shown = FRAMES
    while wrong is not None and release and shown > FRAMES - NOT_SHOWN:
        shown -= 1
        run([run_on, "lavapipe"], screen, leave, "--present_mode", "0", "--width", str(width), "--height", str(height), frames=shown)
        pngfile.write(os.path.join(folder, f"{name}_lavapipe.png"), width, height, screen.picture(width, height))
        wrong, figures = pictures.compare(folder, name, mesa)
    report.note(figures)
    report.case(f"{name}: the last frame is the same on {mesa} over the model and on lavapipe ({what})", wrong is None, wrong)
    report.note(f"frame {shown} of {FRAMES}")


def main():
    arguments = sys.argv[1:]
    gpu = models.take_option(arguments)
    run_on, tuff, leave, folder = arguments[:4]
    folder = models.folder(folder, gpu)
    on_model = ["--tuff", tuff, "--gpu", gpu, "-".join([models.family(gpu).VULKAN, *arguments[4:5]])]
    missing = [program for program in ("Xvfb", "vkcube") if not shutil.which(program)]
    if missing:
        print(f"1..0 # SKIP {' and '.join(missing)} not installed")
        return 0
    report = tap.Tap()
    with tempfile.TemporaryDirectory() as framebuffers:
        screen = Screen(framebuffers)
        try:
            begin = time.monotonic()
            result = run([run_on, *on_model], screen, leave)
            report.note(f"{FRAMES} frames in {time.monotonic() - begin:.1f} s, with the start")
            if result.returncode == 77:
                report.skip("vkcube", f"{on_model[-1]} is not installed")
                return report.done()
            report.case(f"vkcube ends by itself after {FRAMES} frames on {on_model[-1]}", result.returncode == 0 and "lost" not in result.stderr,
                        result.stdout + result.stderr)
            for width, height, what in CASES:
                check(report, screen, run_on, on_model, leave, folder, width, height, what)
        finally:
            screen.close()
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
