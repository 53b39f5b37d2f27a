#!/usr/bin/env python3
"""The judge of pictures, judged: what it must refuse, and a run over a program that fails, crashes and skips on demand."""
import os
import sys
import tempfile

import models
import pictures
import pngfile
from tap import Tap

WIDTH, HEIGHT = 80, 60
FAKE = '''#!/usr/bin/env python3
# As `scenes`, without Vulkan: run_on.py's arguments before its own.
import os, sys
sys.path.insert(0, {here!r})
import pngfile
if sys.argv[1:] == ["--list"]:
    for name in ("good", "bad", "dies", "last"):
        print(name + "\\t0\\twhat\\t")
    sys.exit(0)
at = sys.argv.index("--suffix")
suffix, folder, names = sys.argv[at + 1], sys.argv[at + 2], sys.argv[at + 3:]
for name in names:
    if name == "dies" and suffix == "tuff":
        sys.exit(9)
    shade = 40 if name == "bad" and suffix == "tuff" else 0
    rgb = bytes((x * 3 + y + c * 50 + shade) % 251 for y in range({height}) for x in range({width}) for c in range(3))
    pngfile.write(os.path.join(folder, name + "_" + suffix + ".png"), {width}, {height}, rgb)
    print(name, "ok", flush=True)
'''


def gradient(change=lambda x, y, value: value):
    return bytes(max(0, min(255, change(x, y, (x * 3 + y * 2 + c * 30) % 256))) for y in range(HEIGHT) for x in range(WIDTH) for c in range(3))


def compared(folder, ours, peers, **options):
    pngfile.write(os.path.join(folder, "x_tuff.png"), WIDTH, HEIGHT, ours)
    pngfile.write(os.path.join(folder, "x_lavapipe.png"), WIDTH, HEIGHT, peers)
    return pictures.compare(folder, "x", "tuff", **options)[0]


def comparisons(report, folder):
    plain = gradient()
    report.case("a picture is like itself", compared(folder, plain, plain) is None)
    report.case("rounding is allowed", compared(folder, gradient(lambda x, y, v: v + 4), gradient(lambda x, y, v: v)) is None)
    few = gradient(lambda x, y, v: v ^ 0x80 if (x, y) in ((5, 5), (40, 30), (70, 50)) else v)
    report.case("a few pixels on edges are allowed", compared(folder, few, plain) is None)
    many = gradient(lambda x, y, v: v ^ 0x40 if x == 20 else v)
    report.case("a column of wrong pixels is not", compared(folder, many, plain) is not None)
    report.case("it leaves a picture of the difference", os.path.exists(os.path.join(folder, "x_tuff_lavapipe_difference.png")))
    report.case("not even where many may differ, if a square does", compared(folder, gradient(lambda x, y, v: v + 60 if x < 10 and y < 10 else v), plain, share=0.1) is not None)
    report.case("a darker picture is wrong", compared(folder, gradient(lambda x, y, v: v * 15 // 16), plain) is not None)
    report.case("a blank picture is wrong, also beside another", compared(folder, bytes(len(plain)), bytes(len(plain))) is not None)
    flat = gradient(lambda x, y, v: 90 if y < 40 else v)
    report.case("a picture mostly of one colour is wrong", compared(folder, flat, flat, flat=pictures.FLAT) is not None)
    pngfile.write(os.path.join(folder, "x_lavapipe.png"), WIDTH // 2, HEIGHT, plain[:len(plain) // 2])
    report.case("another size is wrong", pictures.compare(folder, "x", "tuff")[0] is not None)


class Quiet(Tap):
    """Keeps what is reported instead of printing it."""

    def __init__(self):
        super().__init__()
        self.results, self.notes = {}, []

    def case(self, name, ok, detail=""):
        self.results[name] = (ok, detail)
        return ok

    def skip(self, name, reason):
        self.results[name] = (None, reason)

    def note(self, text):
        self.notes.append(text)


class Options:
    def __init__(self, fake, folder):
        self.scenes, self.run_on, self.tuff, self.gpu, self.folder, self.programs = fake, fake, "none", models.DEFAULT, folder, []


def runs(report, folder):
    fake = os.path.join(folder, "fake.py")
    with open(fake, "w", encoding="utf-8") as file:
        file.write(FAKE.format(here=os.path.dirname(os.path.abspath(__file__)), width=WIDTH, height=HEIGHT))
    os.chmod(fake, 0o755)
    quiet = Quiet()
    pictures.judge_scenes(quiet, Options(fake, folder))
    report.case("a scene that agrees passes on every driver", all(ok for name, (ok, _) in quiet.results.items() if name.startswith("good")))
    report.case("a scene that differs fails on ours", quiet.results["bad on tuff: what"][0] is False)
    report.case("and says what repeats it", "repeat: " in quiet.results["bad on tuff: what"][1])
    report.case("a process that dies fails its scene", quiet.results["dies on tuff: what"][0] is False)
    report.case("and the scenes behind it are drawn", quiet.results["last on tuff: what"][0] is True)
    report.case("other drivers do not mind", quiet.results[f"dies on {models.family(models.DEFAULT).VULKAN}: what"][0] is True)


def main():
    report = Tap()
    with tempfile.TemporaryDirectory() as folder:
        comparisons(report, folder)
        runs(report, folder)
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
