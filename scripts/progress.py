"""A status line for work of several steps: per cent, the step, and the time that is left.

On a terminal it is one line that is drawn anew; elsewhere a line is printed at each tenth. Amounts are seconds that the work
is expected to take, so that steps of different kinds add up; how long it really takes corrects the time that is left.

    with Progress(expected_s) as progress:
        progress.advance(3.5, "amd/isa: decode")    # a step is over, or: the next one begins
        progress.say("FAILED amd/isa: decode")      # a line that stays
        part = progress.part(60)                    # a stage that counts in units of its own
        part.expect(1200)
        part.advance(1, "file 1 of 1200")"""
import os
import shutil
import sys
import threading
import time

BAR_COLUMNS = 20
REDRAWN_S = 0.25
SOON_S = 1.0  # what is over by then needs no lines


def duration(seconds):
    seconds = max(int(seconds + 0.5), 1)
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60}:{seconds % 60:02} min"
    return f"{seconds // 3600}:{seconds // 60 % 60:02} h"


class Part:
    """A stage of a whole: it is `share` of the whole's amounts, whatever its own add up to."""

    def __init__(self, whole, share):
        self.whole = whole
        self.share = share
        self.total = share
        self.done = 0.0

    def expect(self, total, share=None):
        """The stage's own amounts add up to this, from here on; where `share` is given, they are this much of the whole."""
        left = self.share * (1 - self.done / self.total) if self.total else self.share
        self.share = left if share is None else share
        self.whole.grow(self.share - left)
        self.total = total
        self.done = 0.0

    def grow(self, amount):
        """So much more is to be done, in the stage's own amounts."""
        scale = self.share / self.total if self.total else 1
        self.total += amount
        self.share += amount * scale
        self.whole.grow(amount * scale)

    def part(self, share):
        """A stage of this stage."""
        return Part(self, share)

    def advance(self, amount=0.0, step=None):
        amount = min(amount, self.total - self.done)
        self.done += amount
        self.whole.advance(amount / self.total * self.share if self.total else 0, step)

    def say(self, text):
        self.whole.say(text)

    def finish(self):
        """All that is left of the stage is over."""
        self.advance(self.total - self.done)


class Progress:
    def __init__(self, total, out=None, clock=time.monotonic):
        self.out = out or sys.stdout
        self.clock = clock
        self.total = total
        self.done = 0.0
        self.step = ""
        self.start = clock()
        self.end = self.start + total  # when it is expected to be over
        self.percent = 0
        self.lock = threading.RLock()
        self.is_terminal = self.out.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self.over = threading.Event()
        self.ticker = None

    def __enter__(self):
        if self.is_terminal:
            self.draw()
            self.ticker = threading.Thread(target=self.tick, daemon=True)
            self.ticker.start()
        return self

    def __exit__(self, *_):
        self.finish()

    def tick(self):
        while not self.over.wait(REDRAWN_S):
            self.draw()

    def expect(self, total):
        """The whole is this much, by better knowledge. The per cent shown never fall."""
        with self.lock:
            self.total = total
            self.estimate()

    def grow(self, amount):
        self.expect(self.total + amount)

    def part(self, share):
        return Part(self, share)

    def advance(self, amount=0.0, step=None):
        with self.lock:
            self.done = min(self.done + amount, self.total)
            if step is not None:
                self.step = step
            self.estimate()
            before = self.percent
            self.percent = max(before, int(100 * self.done / self.total + 1e-6) if self.total else 0)
            if not self.is_terminal and self.percent // 10 > before // 10 and self.clock() - self.start >= SOON_S:
                self.out.write(f"{self.percent:3}%  {self.step}{self.left(', {} left')}\n")
                self.out.flush()

    def estimate(self):
        """What was done so far says how fast the rest will be; at the start the expectation counts like a tenth of the work."""
        now = self.clock()
        believed_s = min(self.total / 10, 10.0)
        speed = (self.done + believed_s) / (now - self.start + believed_s) if self.total else 1
        self.end = now + (self.total - self.done) / speed

    def left(self, form):
        return form.format(duration(self.end - self.clock())) if self.percent < 100 else ""

    def say(self, text):
        with self.lock:
            self.out.write(("\r\x1b[K" if self.is_terminal else "") + text + "\n")
            self.draw()
            self.out.flush()

    def line(self, columns):
        """The status line of a terminal: the step gives way where the columns do not suffice."""
        filled = self.percent * BAR_COLUMNS // 100
        try:
            "━╌".encode(self.out.encoding or "ascii")
            bar = "━" * filled + "╌" * (BAR_COLUMNS - filled)
        except UnicodeEncodeError:
            bar = "#" * filled + "-" * (BAR_COLUMNS - filled)
        head = f"{self.percent:3}% {bar}  " if columns >= 60 else f"{self.percent:3}%  "
        left = self.left("  {} left")
        room = max(columns - 1 - len(head) - len(left), 0)
        step = self.step if len(self.step) <= room else "..." + self.step[len(self.step) - room + 3:] if room > 3 else ""
        return head + step + left

    def draw(self):
        with self.lock:
            if self.is_terminal and not self.over.is_set():
                self.out.write("\r\x1b[K" + self.line(shutil.get_terminal_size().columns))
                self.out.flush()

    def finish(self):
        """The status line is gone; what is printed next begins a line of its own."""
        with self.lock:
            if self.is_terminal and not self.over.is_set():
                self.out.write("\r\x1b[K")
                self.out.flush()
            self.over.set()
        if self.ticker:
            self.ticker.join()
