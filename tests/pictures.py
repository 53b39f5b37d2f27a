#!/usr/bin/env python3
"""Pictures: the same program on our driver and on Mesa's, both over a model, and on lavapipe. Three drivers, two GPUs, one picture, but for what Vulkan leaves
open: rounding of colours, and which of two pixels an edge touches. A difference writes both pictures and a third that shows it, and prints the command that
draws that picture again.

    pictures.py [--gpu NAME] RUN_ON TUFF FOLDER PROGRAM...        programs that write one picture: PROGRAM FILE.png
    pictures.py [--gpu NAME] --scenes SCENES RUN_ON TUFF FOLDER [NAME]...      the scenes of tests/scenes, or some of them
    pictures.py --difference FILE.png A.png B.png                 where two pictures differ, four times as bright"""
import argparse
import collections
import os
import shlex
import subprocess
import sys

import models
import pngfile
import tap

NEAR = 8            # of 255: rounding, filtering and interpolation
EDGES = 0.002       # the share of pixels that may differ by more: edges
BLOCK = 10          # pixels: the means of squares of this size differ by NEAR at most, whatever the edges do
FLAT = 0.5          # the share of pixels of one colour at which a scene shows nothing
SECONDS = 200       # that a program may take


def block_means(width, height, rgb):
    """The sums of the channels of each whole square of BLOCK pixels, divided."""
    means = []
    for top in range(0, height - BLOCK + 1, BLOCK):
        rows = [rgb[y * width * 3:(y + 1) * width * 3] for y in range(top, top + BLOCK)]
        for left in range(0, (width - BLOCK + 1) * 3, BLOCK * 3):
            part = b"".join(row[left:left + BLOCK * 3] for row in rows)
            means += [sum(part[c::3]) / BLOCK ** 2 for c in range(3)]
    return means


def compare(folder, name, driver, share=EDGES, flat=1.0, judge="lavapipe"):
    """(None, figures) when the pictures agree, else (what is wrong, figures); then a picture of the difference is left behind. Where more pixels may differ than edges,
    squares may by twice as much. A picture is wrong, too, where it is blank or where more than `flat` of it has one colour: two drivers may agree in showing
    nothing."""
    model, peer = (os.path.join(folder, f"{name}_{which}.png") for which in (driver, judge))
    squares = NEAR if share <= EDGES else 2 * NEAR
    width, height, ours = pngfile.read(model)
    other = pngfile.read(peer)
    if other[:2] != (width, height):
        return f"{width}x{height} against {other[0]}x{other[1]}", ""
    far = bytes(abs(a - b) for a, b in zip(ours, other[2]))
    pixels = sum(max(rgb) > NEAR for rgb in zip(far[0::3], far[1::3], far[2::3]))
    figures = f"{name} on {driver}, beside {judge}: {pixels} of {width * height} pixels differ by more than {NEAR}, the largest difference is {max(far)}"
    coarse = max(abs(a - b) for a, b in zip(block_means(width, height, ours), block_means(*other)))
    figures += f", that of squares' means {coarse:.1f}"
    common = collections.Counter(zip(ours[0::3], ours[1::3], ours[2::3])).most_common(1)[0][1] / (width * height)
    blank = "the picture is blank; " if len(set(ours)) < 16 else f"{common:.0%} of the picture has one colour; " if common > flat else ""
    if not blank and pixels <= share * width * height and coarse <= squares:
        return None, figures
    shown = os.path.join(folder, f"{name}_{driver}_{judge}_difference.png")
    pngfile.write(shown, width, height, bytes(min(255, d * 4) for d in far))
    return f"{blank}{figures}, {share:.2%} of them may, squares by {squares}; see {model}, {peer}, {shown}", figures


# ---- programs that draw one picture ----

def judge_programs(report, run_on, tuff, gpu, folder, programs):
    on_model = ["--tuff", tuff, "--gpu", gpu]
    drivers = (("lavapipe", []), ("tuff", on_model), (models.family(gpu).VULKAN, on_model))
    for program in programs:
        name = os.path.basename(program)
        missing = {}
        for driver, options in drivers:
            picture = os.path.join(folder, f"{name}_{driver}.png")
            result = subprocess.run([sys.executable, run_on, *options, driver, program, picture], capture_output=True, text=True, timeout=SECONDS)
            if result.returncode == 77:
                missing[driver] = f"{driver} is not installed"
            elif not report.case(f"{name} runs on {driver}", result.returncode == 0, result.stdout + result.stderr):
                missing[driver] = f"it did not run on {driver}"
        for driver, _ in drivers[1:]:
            title = f"{name}: the same picture on {driver} over the model and on lavapipe"
            if "lavapipe" in missing or driver in missing:
                report.skip(title, missing.get("lavapipe") or missing.get(driver))
                continue
            wrong, figures = compare(folder, name, driver)
            report.note(figures)
            report.case(title, wrong is None, wrong)


# ---- scenes ----

class Run:
    """A run of the scenes on one driver. A scene that ends its process has failed; the next process goes on after it."""

    def __init__(self, run_on, tuff, gpu, scenes, folder, driver, label, options=(), environment=None, flags=""):
        self.label, self.folder, self.environment = label, folder, environment or {}
        self.left_out = getattr(models.family(gpu), "SCENES_LEFT_OUT", {}) if driver == "tuff" else None   # with the reason
        self.before = [sys.executable, run_on, *(["--tuff", tuff, "--gpu", gpu, f"--flags={flags}"] if driver != "lavapipe" else []), driver, scenes, *options, "--suffix", label, folder]
        self.outcome = {}       # scene: (word, message)
        self.process = None

    def command(self, name):
        return shlex.join([*(f"{key}={value}" for key, value in self.environment.items()), *self.before, name])

    def start(self, names):
        for name in names:
            path = os.path.join(self.folder, f"{name}_{self.label}.png")
            if os.path.exists(path):
                os.unlink(path)
        self.process = subprocess.Popen([*self.before, *names], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **self.environment})

    def finish(self, names):
        """Wait for what `start` began; true where the driver is installed."""
        while True:
            try:
                out, errors = self.process.communicate(timeout=SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
                out, errors = self.process.communicate()
            if self.process.returncode == 77:
                return False
            for line in out.splitlines():
                name, word, message = (line.split(" ", 2) + ["", ""])[:3]
                if name in names and word in ("ok", "fail", "skip"):
                    self.outcome[name] = word, message
            rest = [name for name in names if name not in self.outcome]
            if not rest:
                return True
            self.outcome[rest[0]] = "fail", f"the process ended with {self.process.returncode}: {errors.strip()[-2000:]}"
            if len(rest) == 1:
                return True
            self.start(rest[1:])


def read_table(scenes):
    """name: (share, what, reason), as the program says."""
    lines = subprocess.run([scenes, "--list"], capture_output=True, text=True, check=True).stdout.splitlines()
    rows = [line.split("\t") for line in lines]
    return {row[0]: (float(row[1]) or EDGES, row[2], row[3]) for row in rows}


def judge_scenes(report, options):
    table = read_table(options.scenes)
    names = options.programs or list(table)
    where = (options.run_on, options.tuff, options.gpu, options.scenes, options.folder)
    mesas = models.family(options.gpu).VULKAN
    peer = Run(*where, "lavapipe", "lavapipe", environment={"GALLIVM_PERF": "nopt"})
    plain, mesa = Run(*where, "tuff", "tuff"), Run(*where, mesas, mesas)
    strict = Run(*where, "tuff", "tuff_strict", ["--validate"], {"TUFF_DEBUG": "strict"})
    missing = set()
    for pair in ((peer, plain), (strict, mesa)):        # two at a time: lavapipe has a thread for each core, the model its own
        for run in pair:
            run.start(names)
        missing |= {run for run in pair if not run.finish(names)}
    for name in names:
        share, what, reason = table[name]
        for run in (peer, plain, strict, mesa):
            judge_scene(report, name, run, peer, missing, share, f"{what}; {share:.2%} of the pixels may differ: {reason}" if reason else what)
        judge_ours_by_mesas(report, name, plain, mesa, missing)
        pictures = [os.path.join(options.folder, f"{name}_{run.label}.png") for run in (plain, strict)]
        if all(os.path.exists(path) for path in pictures):
            same = pngfile.read(pictures[0]) == pngfile.read(pictures[1])
            report.case(f"{name}: drawn twice on tuff, the same bytes", same, f"{pictures[0]} and {pictures[1]} differ\nrepeat: {strict.command(name)}")


def judge_alike(report, where, groups):
    """Scenes on drivers that are not ours. A group is a run, whose pictures are lavapipe's within the limits, and runs by what they show, whose pictures are those of the
    first, byte by byte."""
    folder, table = where[4], read_table(where[3])
    names, missing = list(table), set()
    peer = Run(*where, "lavapipe", "lavapipe", environment={"GALLIVM_PERF": "nopt"})
    for run in (peer, *(run for first, others in groups for run in (first, *others.values()))):
        run.start(names)
        if not run.finish(names):
            missing.add(run)
    for name in names:
        share, what, reason = table[name]
        for first, others in groups:
            judge_scene(report, name, first, peer, missing, share, f"{what}; {reason}" if reason else what)
            for shows, other in others.items():
                if first in missing or other in missing or first.outcome[name][0] != "ok":
                    continue
                paths = [os.path.join(folder, f"{name}_{run.label}.png") for run in (first, other)]
                word, message = other.outcome[name]
                report.case(f"{name} on {first.label}: the same bytes {shows}", word == "ok" and pngfile.read(paths[0]) == pngfile.read(paths[1]),
                            f"{word} {message}: {paths[0]} and {paths[1]}\nrepeat: {other.command(name)}")


def judge_ours_by_mesas(report, name, plain, mesa, missing):
    """Two drivers on one GPU: what Vulkan leaves to the GPU is no excuse. That the GPU is right, lavapipe says."""
    title = f"{name}: the same picture on tuff and on {mesa.label}"
    if mesa in missing or any(run.outcome[name][0] != "ok" for run in (plain, mesa)):
        report.skip(title, "it is not drawn by both")
        return
    wrong, figures = compare(plain.folder, name, plain.label, EDGES, FLAT, mesa.label)
    report.note(figures)
    report.case(title, wrong is None, f"{wrong}\nrepeat: {plain.command(name)}")


def judge_scene(report, name, run, peer, missing, share, what):
    title = f"{name} on {run.label}: {what}"
    if run in missing:
        report.skip(title, "the driver is not installed")
        return
    word, message = run.outcome[name]
    if run.left_out is not None and (word == "skip") != (name in run.left_out):
        # Ours must draw every scene but those that its GPU cannot.
        word, message = "fail", f"skipped: {message}" if word == "skip" else f"{word} {message}: and is listed as left out" if word == "ok" else message
    if word == "skip":
        report.skip(title, run.left_out[name] if run.left_out else message)
        return
    repeat = f"repeat: {run.command(name)}"
    if word != "ok" or run is peer or peer in missing or peer.outcome[name][0] != "ok" or run.label == "tuff_strict":
        report.case(title, word == "ok", f"{message}\n{repeat}")
        return
    wrong, figures = compare(run.folder, name, run.label, share, FLAT)
    report.note(figures)
    report.case(title, wrong is None, f"{wrong}\n{repeat}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenes")
    parser.add_argument("--difference")
    models.add_option(parser)
    parser.add_argument("run_on")
    parser.add_argument("tuff")
    parser.add_argument("folder", nargs="?")
    parser.add_argument("programs", nargs="*")
    options = parser.parse_args()
    if options.difference:
        (width, height, a), (_, _, b) = pngfile.read(options.run_on), pngfile.read(options.tuff)
        pngfile.write(options.difference, width, height, bytes(min(255, abs(x - y) * 4) for x, y in zip(a, b)))
        return 0
    report = tap.Tap()
    options.folder = models.folder(options.folder, options.gpu)
    if options.scenes:
        judge_scenes(report, options)
    else:
        judge_programs(report, options.run_on, options.tuff, options.gpu, options.folder, options.programs)
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
