#!/usr/bin/env python3
"""The status line of scripts/ (scripts/progress.py): on a terminal, without one, and what it says of the time that is left."""
import io
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "scripts"))
from progress import Progress, duration  # noqa: E402
from tap import Tap  # noqa: E402


class Clock:
    """It says what it is set to, and a second more each time where it runs."""

    def __init__(self, step_s=0.0):
        self.now = 1000.0
        self.step_s = step_s

    def __call__(self):
        self.now += self.step_s
        return self.now


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self):
        return True


class AsciiTerminal(Terminal):
    encoding = "ascii"


def without_terminal(tap):
    out, clock = io.StringIO(), Clock()
    with Progress(100, out, clock) as progress:
        for second in range(100):
            clock.now += 2
            progress.advance(1, f"file {second + 1}")
    lines = out.getvalue().splitlines()
    tap.case("a line at each tenth", len(lines) == 10 and lines[0].startswith(" 10%  file 10") and lines[-1] == "100%  file 100", out.getvalue())
    tap.case("the time that is left follows what was measured", lines[4].endswith(", 1:32 min left"), lines[4])
    tap.case("no control characters", "\x1b" not in out.getvalue() and "\r" not in out.getvalue(), repr(out.getvalue()))


def jumps(tap):
    out = io.StringIO()
    with Progress(10, out, Clock(1)) as progress:
        progress.advance(3.5, "three tenths at once")
        progress.expect(100)
        progress.advance(1, "more than was known")
        progress.advance(200, "more than there is")
    lines = out.getvalue().splitlines()
    tap.case("several tenths at once are one line", lines[0].startswith(" 35%  three"), out.getvalue())
    tap.case("per cent neither fall nor pass 100", [line[:4] for line in lines] == [" 35%", "100%"], out.getvalue())


def soon_over(tap):
    out = io.StringIO()
    with Progress(10, out, Clock()) as progress:
        progress.advance(10)
    tap.case("what is over at once prints nothing", out.getvalue() == "", out.getvalue())


def parts(tap):
    out = io.StringIO()
    with Progress(100, out, Clock(1)) as progress:
        first, second = progress.part(20), progress.part(80)
        first.expect(1000)
        first.advance(500, "half of the first")
        first.advance(200)
        first.expect(3)
        first.finish()
        percent_first = progress.percent
        second.expect(0)
        second.advance(1, "of nothing")
        percent_nothing = progress.percent
        second.expect(4)
        for _ in range(4):
            second.advance(1)
        tap.case("a part counts in units of its own", out.getvalue().startswith(" 10%  half of the first"), out.getvalue())
        tap.case("a part that is finished early has its whole share", percent_first == 20, percent_first)
        tap.case("a part without amounts advances nothing", percent_nothing == 20, percent_nothing)
        tap.case("all parts are the whole", progress.percent == 100, progress.percent)


def grown(tap):
    out = io.StringIO()
    with Progress(20, out, Clock(1)) as progress:
        stage = progress.part(15)
        inner = stage.part(5)
        inner.expect(50, 85)
        inner.advance(25)
        tap.case("a part that is more than was thought makes the whole more", (progress.total, progress.done, progress.percent) == (100, 42.5, 42), vars(progress))
        inner.finish()
        stage.advance(10)
        progress.advance(5)
        tap.case("the rest keeps its amounts", progress.percent == 100 and abs(progress.done - 100) < 1e-6, vars(progress))


def on_terminal(tap):
    os.environ.update(TERM="xterm", COLUMNS="80")
    clock = Clock()
    for out, full in ((Terminal(), "━"), (AsciiTerminal(), "#")):
        with Progress(100, out, clock) as progress:
            progress.advance(50, "src/" + "x" * 100 + "/end.c")
            line, narrow = progress.line(80), progress.line(30)
            progress.say("a line that stays")
        tap.case(f"{out.encoding}: a bar, the step's end and the time that is left", line.startswith(" 50% " + full * 10) and "/end.c" in line and line.endswith(" left"), line)
        tap.case(f"{out.encoding}: the line fits the terminal", len(line) < 80 and len(narrow) < 30, f"{line}\n{narrow}")
        tap.case(f"{out.encoding}: what is said stays on a line of its own", "\r\x1b[Ka line that stays\n" in out.getvalue(), repr(out.getvalue()))
        tap.case(f"{out.encoding}: nothing is left of the status line", out.getvalue().endswith("\r\x1b[K"), repr(out.getvalue()))
    os.environ["TERM"] = "dumb"
    out = Terminal()
    with Progress(10, out, Clock(1)) as progress:
        progress.advance(5, "half")
    tap.case("a terminal that cannot go back gets lines", out.getvalue().startswith(" 50%  half"), repr(out.getvalue()))


def durations(tap):
    texts = [duration(seconds) for seconds in (-5, 0.2, 59, 60, 3599, 3600, 7290)]
    tap.case("durations", texts == ["1 s", "1 s", "59 s", "1:00 min", "59:59 min", "1:00 h", "2:01 h"], texts)


def main():
    tap = Tap()
    without_terminal(tap)
    jumps(tap)
    soon_over(tap)
    parts(tap)
    grown(tap)
    on_terminal(tap)
    durations(tap)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
