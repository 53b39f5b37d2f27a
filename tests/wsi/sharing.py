#!/usr/bin/env python3
"""Windows whose server reads the images of a swapchain itself: our driver over the shim, which is to it what a card is, on three servers. A compositor of
our own (server.c) whose every answer is known; Weston and Xwayland as Debian ships them, drawing by Mesa's OpenGL driver over the same model. What such a server shows
must be what was drawn, pixel by pixel, and the log must say that pictures were shared.

    sharing.py [--gpu NAME] RUN_ON TUFF LEAVE FOLDER CLIENT SERVER      (LEAVE: the library of vkcube_leave.c)"""
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

import models
import pngfile
import vkcube
import wsi

LIMIT_S = 120
FRAMES = 10
SHARED = "pictures are shared with the server"
COPIED = "pictures are copied: "
KNOWN_SIZE = (200, 150)
VALIDATED = {"VK_INSTANCE_LAYERS": "VK_LAYER_KHRONOS_validation"}
LINEAR = "0"


def known_picture():
    """What client.c's --show draws."""
    width, height = KNOWN_SIZE
    return [b"".join(bytes((x * 5 & 255, y * 3 & 255, (x ^ y) & 255)) for x in range(width)) for y in range(height)]


def find_known(width, rgb):
    """Whether the known picture is somewhere in another, exactly."""
    rows = known_picture()
    at = rgb.find(rows[0])
    while at >= 0 and at % 3:
        at = rgb.find(rows[0], at + 1)
    return at >= 0 and all(rgb[at + y * width * 3:at + y * width * 3 + len(row)] == row for y, row in enumerate(rows))


# ---- servers ----

class Server:
    """tests/wsi/server.c. What it said and showed is known when it has ended."""

    def __init__(self, command, folder, *options):
        self.folder, self.socket = folder, "server"
        self.path = os.path.join(folder, "server.ppm")
        self.process = subprocess.Popen([*command, "--socket", self.socket, "--picture", self.path, *options], env=os.environ | {"XDG_RUNTIME_DIR": folder},
                                        stdout=subprocess.PIPE, text=True)
        assert self.process.stdout.readline() == "ready\n"

    def environment(self):
        return {"XDG_RUNTIME_DIR": self.folder, "WAYLAND_DISPLAY": self.socket}

    def end(self):
        """What it has said, and the size and the bytes of the last picture."""
        self.process.terminate()
        said = self.process.communicate()[0]
        if not os.path.exists(self.path):
            return said, None
        with open(self.path, "rb") as file:
            size = tuple(map(int, file.readline().split()[1:3]))
            return said, (*size, file.read())


class Weston:
    """Drawn by the processor, or by Mesa's OpenGL driver over the model."""

    def __init__(self, folder, shim=()):
        self.folder, self.socket = folder, "weston"
        options = ["--use-gl", "--debug"] if shim else []   # --debug allows pictures of the screen
        self.log = open(os.path.join(folder, "weston.log"), "w+")
        self.process = subprocess.Popen([*shim, "weston", "--backend=headless-backend.so", f"--socket={self.socket}", "--idle-time=0", "--no-config", *options],
                                        env=os.environ | {"XDG_RUNTIME_DIR": folder}, stdout=self.log, stderr=subprocess.STDOUT)
        if not wait_for(lambda: os.path.exists(os.path.join(folder, self.socket)) or self.process.poll() is not None):
            raise OSError("weston does not begin")

    def environment(self):
        return {"XDG_RUNTIME_DIR": self.folder, "WAYLAND_DISPLAY": self.socket}

    def text(self):
        self.log.seek(0)
        return self.log.read()

    def picture(self):
        """Width, height and bytes of the screen."""
        before = set(os.listdir(self.folder))
        subprocess.run(["weston-screenshooter"], cwd=self.folder, env=os.environ | self.environment(), timeout=LIMIT_S, check=True)
        return pngfile.read(os.path.join(self.folder, *(set(os.listdir(self.folder)) - before)))

    def end(self):
        self.process.terminate()
        self.process.wait()
        self.log.close()


class Xwayland(vkcube.Screen):
    """A window of Weston's with an X server in it, which draws by that, too."""

    def __init__(self, weston, shim):
        reader, writer = os.pipe()
        self.server = subprocess.Popen([*shim, "Xwayland", "-displayfd", str(writer), "-ac", "-noreset"], env=os.environ | weston.environment(), pass_fds=[writer],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(writer)
        with os.fdopen(reader) as file:
            number = file.readline().strip()
        if not number:
            raise OSError(f"Xwayland ended with {self.server.wait()}")
        self.name = f":{number}"
        self.connect(number)

    def picture_of(self, width, height, left, top):
        """RGB bytes of a part of the screen, by GetImage."""
        self.client.sendall(struct.pack("<BBHIhhHHI", 73, 2, 5, self.root, left, top, width, height, 0xffffffff))
        answer = self.receive(32)
        while answer[0] != 1:
            answer = self.receive(32)
        data = self.receive(4 * struct.unpack_from("<I", answer, 4)[0])
        rgb = bytearray(width * height * 3)
        rgb[0::3], rgb[1::3], rgb[2::3] = data[2::4], data[1::4], data[0::4]
        return bytes(rgb)


def wait_for(what, pause_s=0.02):
    end = time.monotonic() + LIMIT_S
    while time.monotonic() < end:
        if what():
            return True
        time.sleep(pause_s)
    return False


# ---- the judge ----

class Judge(wsi.Judge):
    def __init__(self, gpu, run_on, tuff, leave, folder, client, server):
        super().__init__(gpu, run_on, tuff, leave, folder, client)
        self.server = server
        self.family = models.family(gpu)
        self.shim = [tuff, "shim", gpu, "--"]
        driver = subprocess.run([tuff, "run", "--", "sh", "-c", "echo $VK_DRIVER_FILES"], capture_output=True, text=True, check=True).stdout.strip()
        self.card = {"VK_DRIVER_FILES": driver, "VK_ICD_FILENAMES": driver}

    def environment(self, **more):
        """The driver sees the shim's node as a card: no model is asked for."""
        return {k: v for k, v in super().environment().items() if k != "TUFF_GPU"} | self.card | more

    def on_card(self, arguments, **more):
        return subprocess.run([*self.shim, *arguments], env=self.environment(**more), capture_output=True, text=True, timeout=LIMIT_S, stdin=subprocess.DEVNULL)

    def start(self, arguments, **more):
        return subprocess.Popen([*self.shim, *arguments], env=self.environment(**more), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True)

    def shared(self, name, text):
        self.report.case(f"{name}: every swapchain shares its images", SHARED in text and COPIED not in text, text)

    def client_cases(self, name, kind, **more):
        result = self.on_card([self.client, kind], **more)
        self.cases(name, result)
        self.shared(name, result.stderr)
        return result

    def validated(self, name, kind, **more):
        result = self.on_card([self.client, kind], **VALIDATED, **more)
        self.report.case(f"{name}: nothing to say for the validation layers", result.returncode == 0 and "Validation" not in result.stdout + result.stderr,
                         result.stdout + result.stderr)

    def until(self, name, kind, what, change, **more):
        """The client presents; `change` is done meanwhile; what follows are its cases."""
        client = self.start([self.client, kind, f"--until-{what}"], **more)
        first = next((line for line in client.stdout if line.startswith("ok")), "")
        change()
        rest = client.communicate(timeout=LIMIT_S)[0]
        self.cases(name, subprocess.CompletedProcess([], client.returncode, first + rest, ""))

    def shows_known(self, name, kind, look, **more):
        """`look` is true when the server shows the picture whose pixels are known; it may take some time to the screen."""
        client = self.start([self.client, kind, "--show"], **more)
        said = []
        for line in client.stdout:
            said.append(line)
            if line.startswith("ok"):
                break
        good = wait_some(look)
        client.stdin.close()
        said.append(client.stdout.read())
        client.wait(timeout=LIMIT_S)
        self.report.case(f"{name}: the server shows every pixel as it was drawn", good and client.returncode == 0, "".join(said))
        self.shared(f"{name}, a known picture", "".join(said))

    def shows_undrawn(self, name, kind, look, **more):
        """The same with a picture that is not drawn when the server gets it: `look` begins meanwhile, and must not see what was
        there before. Only the fences of the dma-buf make the server's GPU wait."""
        client = self.start([self.client, kind, "--show-undrawn"], **more)
        said = []
        for line in client.stdout:
            said.append(line)
            if line.startswith("ok"):
                break
        begun = time.monotonic()
        good = look()
        took = time.monotonic() - begun
        client.stdin.close()
        said.append(client.stdout.read())
        client.wait(timeout=LIMIT_S)
        self.report.case(f"{name}: what is presented undrawn is not shown before it is drawn", good and client.returncode == 0, f"{took:.1f} s\n" + "".join(said))

    # ---- our own server ----

    def with_server(self, options, what):
        with tempfile.TemporaryDirectory() as folder:
            server = Server([*self.shim, self.server], folder, *options)
            try:
                result = what(server)
            finally:
                said, picture = server.end()
            return result, said, picture

    def judge_server(self):
        for name, options in (("a compositor", []), ("one that holds images long", ["--hold"]), ("one without presentation-time", ["--no-presentation"])):
            _, said, _ = self.with_server(options, lambda server, name=name: self.client_cases(name, "wayland", **server.environment()))
            self.report.case(f"{name}: pictures came by dma-buf alone", re.search(r"shown [1-9]\d* by dmabuf, 0 by shm", said), said)
        self.with_server([], lambda server: self.validated("a compositor", "wayland", **server.environment()))

    def judge_server_that_changes(self):
        self.with_server([], lambda server: self.until("a killed compositor", "wayland", "lost", server.process.kill, **server.environment()))
        self.with_server([], lambda server: self.until("a compositor that changes its device", "wayland", "suboptimal",
                                                       lambda: server.process.send_signal(signal.SIGUSR1), **server.environment()))

    def judge_refusals(self):
        for name, options, reason, more in (
                ("another device", ["--device", "226:129"], "the server draws with another device", {}),
                ("no modifier in common", ["--modifiers", "0x0300000000000001"], "the device and the server have no modifier in common", {}),
                ("a device that is not told", ["--version", "3"], "the server does not tell its device", {}),
                ("an image that is refused", ["--refuse"], "the server has refused an image", {}),
                ("a modifier of ours, of a server that does not tell its device", ["--version", "3", "--modifiers", f"{self.family.TILED_MODIFIER},{LINEAR}"],
                 "the server has refused an image", {}),
                ("TUFF_DEBUG=wsicopy", [], "TUFF_DEBUG asks for it", {"TUFF_DEBUG": "wsicopy"})):
            result, said, _ = self.with_server(options, lambda server, more=more: self.on_card([self.client, "wayland"], **server.environment(), **more))
            self.report.case(f"{name}: pictures are copied", result.returncode == 0 and COPIED + reason in result.stderr and SHARED not in result.stderr and
                             re.search(r"shown 0 by dmabuf, [1-9]\d* by shm", said), said + result.stdout + result.stderr)
        result, said, _ = self.with_server([], lambda server: wsi.Judge.ours(self, [self.client, "wayland"], **server.environment()))
        self.cases("Wayland, a model in the process", result)
        self.report.case("a model in the process copies its pictures", COPIED in result.stderr and " 0 by dmabuf" in said, said + result.stderr)

    def judge_pictures(self):
        def show(server, how):
            client = self.start([self.client, "wayland", how], **server.environment())
            first = next((line for line in client.stdout if line.startswith("ok")), "")
            rest = client.communicate(timeout=LIMIT_S)[0]
            return first + rest
        for how, what in (("--show", "it reads every pixel as it was drawn"), ("--show-undrawn", "it waits until what it was given undrawn is drawn")):
            text, said, picture = self.with_server([], lambda server, how=how: show(server, how))
            self.report.case(f"a compositor: {what}", picture and picture[:2] == KNOWN_SIZE and picture[2] == b"".join(known_picture()), said + text)
        if not shutil.which("vkcube-wayland"):
            self.report.skip("vkcube on a compositor", "vkcube-wayland is not installed")
            return
        png = os.path.join(self.folder, "vkcube_dmabuf.png")
        command = ["vkcube-wayland", *self.vkcube(FRAMES)[1:]]
        result, said, picture = self.with_server([], lambda server: self.on_card(command, **server.environment(), LD_PRELOAD=self.leave, TUFF_PRESENT_PNG=png))
        if not self.finished("vkcube on a compositor", result):
            return
        self.shared("vkcube on a compositor", result.stderr)
        self.report.case("each frame was shown, and what was captured is what the compositor read",
                         f"{FRAMES} frames shown" in result.stderr and picture and picture == pngfile.read(png), said + result.stderr)
        # Its FIFO loses the last picture of a program that ends; a mailbox has it committed at once.
        peer, _, picture = self.with_server([], lambda server: self.lavapipe([*command, "--present_mode", "1"], **server.environment(), LD_PRELOAD=self.leave))
        if peer.returncode == 77 or not picture:
            self.report.skip("vkcube's picture is lavapipe's", "lavapipe is not installed")
            return
        for name in ("vkcube_dmabuf", "vkcube_weston", "vkcube_xwayland"):
            pngfile.write(os.path.join(self.folder, f"{name}_lavapipe.png"), *picture)
        self.same_picture("vkcube_dmabuf", png, "by dma-buf")

    # ---- Weston and Xwayland ----

    def judge_killed_weston(self):
        """wl_shm, the model in the process."""
        if not shutil.which("weston"):
            self.report.skip("a killed Weston", "weston is not installed")
            return
        with tempfile.TemporaryDirectory() as folder:
            weston = Weston(folder)
            client = subprocess.Popen([self.tuff, "run", "--gpu", self.gpu, "--", self.client, "wayland", "--until-lost"],
                                      env=self.environment(**weston.environment()), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            first = next((line for line in client.stdout if line.startswith("ok")), "")
            weston.process.kill()
            rest = client.communicate(timeout=LIMIT_S)[0]
            weston.end()
            self.cases("a killed Weston, pictures copied", subprocess.CompletedProcess([], client.returncode, first + rest, ""))

    def judge_vkcube(self, name, kind, title, command, **more):
        png = os.path.join(self.folder, f"{name}.png")
        result = self.on_card(command, TUFF_PRESENT_PNG=png, **more)
        if self.finished(f"{title}: vkcube", result):
            self.shared(f"{title}, vkcube", result.stderr)
            self.report.case(f"{title}: each frame was shown", f"{FRAMES} frames shown" in result.stderr, result.stderr)
            if os.path.exists(os.path.join(self.folder, f"{name}_lavapipe.png")):
                self.same_picture(name, png, f"on {title}")

    def judge_weston(self):
        missing = [program for program in ("weston", "weston-screenshooter") if not shutil.which(program)]
        if missing:
            self.report.skip(f"Weston by {self.family.GALLIUM}", f"{' and '.join(missing)} not installed")
            return
        with tempfile.TemporaryDirectory() as folder:
            weston = Weston(folder, self.shim)
            if not self.report.case(f"Weston draws by {self.family.GALLIUM} over the model", wait_for(lambda: f"GL renderer: {self.family.GL_RENDERER}" in weston.text() or weston.process.poll() is not None) and
                                    weston.process.poll() is None, weston.text()):
                weston.end()
                return
            try:
                self.judge_on_weston(weston)
            finally:
                weston.end()

    def judge_on_weston(self, weston):
        self.client_cases("Weston", "wayland", **weston.environment())
        self.validated("Weston", "wayland", **weston.environment())

        def on_screen():
            width, _, rgb = weston.picture()
            return find_known(width, rgb)
        self.shows_known("Weston", "wayland", on_screen, **weston.environment())
        self.shows_undrawn("Weston", "wayland", on_screen, **weston.environment())
        if shutil.which("vkcube-wayland"):
            self.judge_vkcube("vkcube_weston", "wayland", "Weston", ["vkcube-wayland", *self.vkcube(FRAMES)[1:]], **weston.environment())
        self.judge_xwayland(weston)
        self.until("a killed Weston", "wayland", "lost", weston.process.kill, **weston.environment())

    def judge_xwayland(self, weston):
        if not shutil.which("Xwayland"):
            self.report.skip(f"Xwayland by {self.family.GALLIUM}", "Xwayland is not installed")
            return
        screen = Xwayland(weston, self.shim)
        try:
            self.client_cases("Xwayland", "xcb", DISPLAY=screen.name)
            self.client_cases("Xwayland, Xlib", "xlib", DISPLAY=screen.name)
            self.validated("Xwayland", "xcb", DISPLAY=screen.name)
            def on_screen():
                return screen.picture_of(*KNOWN_SIZE, 10, 10) == b"".join(known_picture())
            self.shows_known("Xwayland", "xcb", on_screen, DISPLAY=screen.name)
            self.shows_undrawn("Xwayland", "xcb", on_screen, DISPLAY=screen.name)
            self.judge_vkcube("vkcube_xwayland", "xcb", "Xwayland", self.vkcube(FRAMES), DISPLAY=screen.name, LD_PRELOAD=self.leave)
            screen.cover()  # by which the newest window is known
            self.shared("Xwayland, resized", self.judge_resize(screen, "Xwayland", self.shim, 100))
            self.until("a killed Xwayland", "xcb", "lost", screen.server.kill, DISPLAY=screen.name)
        finally:
            screen.client.close()
            screen.server.kill()
            screen.server.wait()


def wait_some(what):
    """For what is costly to look at."""
    return wait_for(what, 0.3)


def main():
    arguments = sys.argv[1:]
    gpu = models.take_option(arguments)
    if len(arguments) < 6:
        print("1..0 # SKIP wayland-server or wayland-protocols not installed")
        return 0
    judge = Judge(gpu, *arguments[:6])
    judge.judge_server()
    judge.judge_server_that_changes()
    judge.judge_refusals()
    judge.judge_pictures()
    judge.judge_killed_weston()
    judge.judge_weston()
    return judge.report.done()


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(main())
