"""One deqp-vk process at a time on a list of cases: what the driver needs around it, its output through a terminal (it flushes nothing into a
pipe), the time limit of a case, and the way on after a case that took the process down."""
import collections
import os
import pty
import select
import signal
import subprocess
import sys
import tempfile
import termios
import time

import log
import sample

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [TESTS, os.path.join(TESTS, "vulkan")]
import run_on  # noqa: E402

DRIVERS = (*run_on.names(), "none")  # none: whatever this machine's Vulkan is

OPTIONS = ["--deqp-log-images=disable", "--deqp-log-shader-sources=disable", "--deqp-log-decompiled-spirv=disable", "--deqp-log-flush=disable",
           "--deqp-shadercache=disable"]

Setup = collections.namedtuple("Setup", "deqp wrapper case_limit start_limit")


def wrapper(driver, tuff, gpu, flags=""):
    """What stands before deqp-vk's own command line. `tuff` is the command under test, `gpu` the model."""
    return [sys.executable, run_on.__file__, "--tuff", tuff, "--gpu", gpu, "--flags", flags, driver] if driver != "none" else []


def needs_tuff(driver):
    """Whether the driver is ours, or stands on our model."""
    return driver != "none" and run_on.needs_model(driver)


def options(deqp):
    """deqp-vk finds its data beside itself."""
    return [*OPTIONS, f"--deqp-archive-dir={os.path.dirname(os.path.abspath(deqp))}"]


class Terminal:
    """A process whose output, errors included, comes through a terminal of its own, line by line and in the order written."""
    def __init__(self, command, directory):
        self.fd, there = pty.openpty()
        attributes = termios.tcgetattr(there)
        attributes[1] &= ~termios.OPOST
        termios.tcsetattr(there, termios.TCSANOW, attributes)
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=there, stderr=there, cwd=directory, start_new_session=True)
        os.close(there)
        self.rest = b""

    def lines(self, wait_s):
        """What came within the time; None at the end of the output."""
        if not select.select([self.fd], [], [], wait_s)[0]:
            return []
        try:
            data = os.read(self.fd, 65536)
        except OSError:  # the other side is closed
            data = b""
        if not data:
            return None
        *whole, self.rest = (self.rest + data).split(b"\n")
        return [line.decode(errors="replace").rstrip("\r") for line in whole]

    def kill(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def close(self):
        """The exit code. A process whose terminal is gone has ended, or will not do so by itself."""
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.kill()
        code = self.process.wait()
        os.close(self.fd)
        return code


def run_once(setup, cases, directory, report, stop=lambda: False):
    """One process on `cases`. Calls report(result, seconds) as cases end; returns (cases still to run, lines that belong to no case).
    A case that ends the process, or outlasts its limit, has ended with that; what the process did not get to is left for the next."""
    case_list = os.path.join(directory, "cases.txt")
    with open(case_list, "w", encoding="utf-8") as file:
        file.write("\n".join(cases) + "\n")
    terminal = Terminal([*setup.wrapper, setup.deqp, f"--deqp-caselist-file={case_list}", "--deqp-log-filename=/dev/null",
                         *options(setup.deqp)], directory)
    reader, left, first = log.Reader(), dict.fromkeys(cases), True
    begun = time.monotonic()
    ending = None  # why the process was ended by us

    def ended(result):
        left.pop(result.name, None)
        report(result, time.monotonic() - begun)

    while ending is None:
        lines = terminal.lines(1.0)
        if lines is None:
            break
        for line in lines:
            was = reader.running
            result = reader.line(line)
            if result is None:
                if reader.running != was:
                    begun = time.monotonic()
                continue
            if log.is_victim(result) and not first:
                ending = "victim"  # it stays in `left`: once more, on a device of its own
                break
            first = False
            ended(result)
            begun = time.monotonic()
            if result.status in ("lost", "putoff"):
                ending = "lost"  # the device is of no more use
                break
        limit = setup.case_limit if reader.running else setup.start_limit
        if ending is None and time.monotonic() - begun > limit:
            ending = "timeout"
        if stop():
            ending = "stop"
    if ending:
        terminal.kill()
    code = terminal.close()
    if ending == "timeout" and reader.running:
        ended(reader.end("timeout", f"no end after {setup.case_limit:.0f} s"))
    elif ending == "timeout":
        ended(log.Result(next(iter(left)), "timeout", f"not begun after {setup.start_limit:.0f} s", reader.stray))
    elif ending is None and reader.running:
        ended(reader.end("crash", f"the process ended with {code}"))
    elif ending is None and reader.done and len(left) == len(cases):
        # None of these is known. After some, the rest is for the next process: deqp-vk stops at a case that ran out of memory, and says that it is done.
        for name in list(left):
            ended(log.Result(name, "missing", "deqp-vk does not know it", []))
    elif ending is None and left and len(left) == len(cases):
        # Nothing at all was run: the next attempt would not do better. Its first case pays, so that this ends.
        ended(log.Result(next(iter(left)), "crash", f"the process ended with {code} before any case", reader.stray))
    return list(left)


def run_all(setup, cases, directory, report, stop=lambda: False):
    """Until every case has a result."""
    while cases and not stop():
        cases = run_once(setup, cases, directory, report, stop)


def list_cases(setup, path):
    """Asks deqp-vk for all its names, into the file `path`. It writes one file per package, and has one more, of experiments."""
    with tempfile.TemporaryDirectory(dir=os.path.dirname(path)) as directory:
        command = [*setup.wrapper, setup.deqp, "--deqp-runmode=txt-caselist", f"--deqp-caselist-export-file={directory}/${{packageName}}.txt",
                   "--deqp-log-filename=/dev/null", *options(setup.deqp)]
        done = subprocess.run(command, cwd=directory, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
        names = os.path.join(directory, f"{sample.PACKAGE}.txt")
        if done.returncode != 0 or not os.path.exists(names):
            raise RuntimeError(f"{setup.deqp} does not list its cases (exit code {done.returncode}):\n{done.stdout}{done.stderr}")
        os.replace(names, path)
