#!/usr/bin/env python3
"""The corpus: every shader compiles, and leaves in memory what another implementation leaves there. A family may have more to say
of its code: it is disassembled cleanly by an independent program, and runs on the shader core without a driver
(tests/<family>/shaders/code.py and its RUN_MODEL).

    judge.py [--gpu NAME] [--model RUN_MODEL] [--no-driver] --vulkan RUN_VULKAN --tuff TUFF --modules DIRECTORY [NAME]...

A comment says how a shader runs (world.h and corpus_*.c say what it finds):

    // run X Y Z [OPTION]...        compute with buffers, X by Y by Z groups: on the shader core alone and by our driver
    // images X Y Z [OPTION]...     compute with images: by our driver
    // draw V I S [OPTION]...       a vertex or fragment shader: V vertices as triangles, I instances, S samples: by our driver
    // points V I S, views V I S    the same with points, and with each layer a view

    tolerance T [double]    words must be equal; with a tolerance, those that are floats (doubles) may differ by T times the larger of them and 1
    judge mesa              where the result depends on the size of a subgroup, or where lavapipe cannot run it
    judge lavapipe-26.1     where Debian's own lavapipe and the GPU's driver are not exact
    twin NAME               no other implementation can run it: the judge runs that shader, which says the same in other words
    rig                     not by our driver, which does not offer what it needs
    invalid                 no valid module has what it tries: spirv-val is not asked

The judge is lavapipe; or Mesa's driver for the GPU on the model, with the same size of subgroup. We run in strict mode: with each size, with the optimiser and without. Then opcodes.py looks what
of the front end had no case. known.txt of the family names what is known to fail, and why: such a case counts as expected to fail, and passing is then a failure."""
import argparse
import math
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import models  # noqa: E402
import opcodes  # noqa: E402
from tap import Tap  # noqa: E402

LAVAPIPES = ("lavapipe", "lavapipe-26.1")
RUN_ON = HERE.parent / "vulkan" / "run_on.py"
DIRECTIVE = re.compile(r"^(?://|;) (run|images|draw|points|views) (\d+) (\d+) (\d+)(.*)$", re.M)
STAGES = (".comp", ".comp10", ".vert", ".frag", ".spvasm")
SKIPPED = 77
SMALL = 2.0**-126


class Shapes:
    """How a family's shaders run: sizes of subgroups, with the optimiser and without ("w64", "w32-plain"); alone and by the driver."""

    def __init__(self, facts, has_rig, has_driver):
        self.sizes = [str(size) for size in facts.SUBGROUP_SIZES]
        self.all = [f"w{size}{tail}" for tail in ("", "-plain") for size in self.sizes]
        self.on_rig = self.all if has_rig else []
        self.by_driver = {f"driver-{shape}": (shape.removesuffix("-plain")[1:], shape.endswith("-plain")) for shape in self.all if has_driver}

    def size_of(self, shape):
        return shape.removeprefix("driver-").removesuffix("-plain")[1:]

    def of(self, shader):
        """How a shader runs. A size can be asked of compute shaders only; what runs without the driver in all ways needs its plain code there only."""
        is_compute = shader.kind in ("buffers", "images")
        driven = [name for name, (size, plain) in self.by_driver.items()
                  if shader.on_driver and (is_compute or size == self.sizes[0]) and not (plain and shader.on_rig and self.on_rig)]
        return (self.on_rig if shader.on_rig else []) + driven


class Shader:
    def __init__(self, path, modules, rig_draws=False):
        self.source = path
        self.name = path.name.replace(".", "_")
        self.module = pathlib.Path(modules) / (self.name + ".spv")
        text = path.read_text(encoding="utf-8")
        found = DIRECTIVE.search(text)
        self.runs = found is not None
        self.kind = "buffers" if not found or found.group(1) == "run" else found.group(1)
        self.groups = found.groups()[1:4] if found else ("1", "1", "1")
        options = found.group(5).split() if found else []
        self.tolerance = float(options[options.index("tolerance") + 1]) if "tolerance" in options else 0.0
        self.double = "double" in options
        self.judge = options[options.index("judge") + 1] if "judge" in options else "lavapipe"
        self.twin = options[options.index("twin") + 1] if "twin" in options else self.name
        self.valid = "invalid" not in options
        is_simple_draw = self.kind not in ("buffers", "images") and "images.glsl" not in text
        self.on_rig = self.runs and (self.kind == "buffers" or (rig_draws and is_simple_draw))
        self.on_driver = self.runs and "rig" not in options

    def line(self):
        return f"{self.name} {self.kind} {' '.join(self.groups)} {self.module}\n"


def load(modules, names=(), rig_draws=False):
    paths = sorted(p for p in HERE.iterdir() if p.suffix in STAGES)
    return [s for s in (Shader(p, modules, rig_draws) for p in paths) if not names or s.name in names or s.source.stem in names]


def run_list(command, shaders, directory, tail, done, environment=None):
    """Runs `command LIST tail...` until every shader was tried: where it dies, the shader that it was at has failed and the next run goes on after it.
    `done(line)` says whose last line it is. All lines, and the names that killed it."""
    lines, killers, rest = [], {}, list(shaders)
    while rest:
        with tempfile.NamedTemporaryFile("w", suffix=".list", dir=directory) as file:
            file.writelines(s.line() for s in rest)
            file.flush()
            ran = subprocess.run([*command, file.name, *tail], capture_output=True, text=True, errors="replace", check=False, env=environment)
        if ran.returncode == SKIPPED:
            return None, {}
        new = ran.stdout.splitlines()
        lines += new
        finished = {done(line) for line in new}
        rest = [s for s in rest if s.name not in finished]
        if ran.returncode == 0:
            break
        if rest:
            killers[rest[0].name] = f"ended with {ran.returncode}: {ran.stderr.strip()[-400:]}"
            rest = rest[1:]
    return lines, killers


def last_word(line, marker):
    words = line.split()
    return words[1] if len(words) > 2 and words[2] == marker else None


def run_model(options, shapes, shaders, directory):
    """{(name, shape): error or None}"""
    result = {}
    if not options.model:
        return result
    for mode in ([],) if options.no_driver else ([], ["--compile"]):
        wanted = [s for s in shaders if s.on_rig or mode]
        lines, killers = run_list([options.model, *mode], wanted, directory, [directory], lambda line: last_word(line, shapes.all[-1]))
        for line in lines:
            word, name, shape, *rest = line.split(" ", 3)
            error = (rest[0] if rest else "failed") if word == "failed" else None
            result[name, shape] = result.get((name, shape)) or error
        for name, why in killers.items():
            for shape in shapes.all:
                result[name, shape] = result.get((name, shape)) or why
    return result


def run_driver(options, shaders, directory, driver, suffix, subgroup="", plain=False, strict=False):
    command = [sys.executable, str(RUN_ON), driver]
    environment = dict(os.environ, GALLIVM_PERF="nopt")
    if driver != "lavapipe":
        command[2:] = ["--tuff", options.tuff, "--gpu", options.gpu, driver]
    if driver == "tuff" or strict:
        environment["TUFF_DEBUG"] = "strict"
    if subgroup:
        environment["CORPUS_SUBGROUP_SIZE"] = subgroup
    if plain:
        environment["CORPUS_PLAIN"] = "1"
    return run_list([*command, options.vulkan], shaders, directory, [directory, suffix], lambda line: (line.split() + ["", ""])[1], environment)


def close(a, b, tolerance):
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    if a == b or math.isinf(a) or math.isinf(b):
        return a == b
    if max(abs(a), abs(b)) < SMALL:  # as floats, small integers are next to nothing
        return False
    return abs(a - b) <= tolerance * max(1.0, abs(a), abs(b))


def compare(shader, got, expected):
    """None, or where they differ."""
    if got == expected:
        return None
    if len(got) != len(expected):
        return f"{len(got)} bytes instead of {len(expected)}"
    size, code, number = (8, "<Q", "<d") if shader.double else (4, "<I", "<f")
    for i in range(0, len(got), size):
        mine, theirs = got[i:i + size], expected[i:i + size]
        if mine == theirs:
            continue
        a, b = struct.unpack(number, mine)[0], struct.unpack(number, theirs)[0]
        if shader.tolerance and close(a, b, shader.tolerance):
            continue
        return f"word {i // size} is {struct.unpack(code, mine)[0]:#x} ({a:g}), the judge says {struct.unpack(code, theirs)[0]:#x} ({b:g})"
    return None


def check_valid(tap, shaders, report):
    for shader in shaders:
        if not shader.valid:
            continue
        told = subprocess.run(["spirv-val", "--target-env", "vulkan1.3", "--scalar-block-layout", "--workgroup-scalar-block-layout", shader.module], capture_output=True, text=True, check=False)
        report(tap, shader, f"{shader.name} is valid", told.stdout + told.stderr if told.returncode else None)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", help="the family's runner without a driver")
    parser.add_argument("--no-driver", action="store_true", help="there is none yet: only what runs on the shader core alone")
    models.add_option(parser)
    parser.add_argument("--vulkan", required=True)
    parser.add_argument("--tuff", required=True)
    parser.add_argument("--modules", required=True)
    parser.add_argument("--keep", help="a directory for the dumps")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    facts = models.family(options.gpu)
    shaders = load(options.modules, options.names, getattr(facts, "CORPUS_RIG_DRAWS", False))
    mesa = getattr(facts, "CORPUS_JUDGE", facts.VULKAN)
    shapes = Shapes(facts, options.model, not options.no_driver)
    if options.no_driver:
        shaders = [s for s in shaders if s.on_rig]
    known = dict(line.split(maxsplit=1) for line in (models.ROOT / "tests" / models.find(options.gpu).family / "shaders" / "known.txt").read_text(encoding="utf-8").splitlines() if line and line[0] != "#")
    tap = Tap()
    seen = opcodes.Seen()

    def report(tap, shader, name, error):
        """A known failure fails as TODO; where nothing fails any more, the list is out of date."""
        if shader.name in known and error:
            tap.count += 1
            print(f"not ok {tap.count} - {name} # TODO {known[shader.name].strip()}: {error}")
            met.add(shader.name)
        else:
            tap.case(name, not error, f"{error}\nreproduce: judge.py with the arguments of this test and {shader.name}")

    def verdict(shader, shape, errors, answers):
        """None, why it failed, or False where its judge is missing."""
        judge = shader.judge if shader.judge in LAVAPIPES else "mesa" + shapes.size_of(shape)
        if shape in shapes.by_driver:
            lines, killers = answers[shape]
            error = killers.get(shader.name)
        else:
            error = errors.get((shader.name, shape), "was not reached")
        lines, killers = answers[judge]
        if error or lines is None:
            return error or False
        dump, mine = pathlib.Path(directory) / f"{shader.twin}.{judge}", pathlib.Path(directory) / f"{shader.name}.{shape}"
        if shader.twin in killers or not dump.exists():
            return f"{judge} did not run it: {killers.get(shader.twin, '')}"
        if not mine.exists():
            return "did not run"
        got, expected = mine.read_bytes(), dump.read_bytes()
        if shape in shapes.on_rig and shader.kind != "buffers":  # without the storage images, which these do not touch
            expected = expected[:len(got)]
        return compare(shader, got, expected)

    met, unjudged = set(), set()
    with tempfile.TemporaryDirectory() as temporary, ThreadPoolExecutor(4) as threads:
        directory = options.keep or temporary
        twins = {s.twin for s in shaders}
        judged = [s for s in load(options.modules) if s.name in twins and s.runs and s.twin == s.name]
        model = threads.submit(run_model, options, shapes, shaders, directory)
        wide = [s for s in judged if s.judge == "mesa" and s.name not in getattr(facts, "CORPUS_JUDGE_HANGS", ())]
        jobs = {name: threads.submit(run_driver, options, [s for s in judged if s.judge == name], directory, name, name) for name in LAVAPIPES}
        for size in shapes.sizes:
            jobs[f"mesa{size}"] = threads.submit(run_driver, options, wide, directory, mesa, f"mesa{size}", size)
        for shape, (size, plain) in shapes.by_driver.items():
            mine = [s for s in shaders if shape in shapes.of(s)]
            jobs[shape] = threads.submit(run_driver, options, mine, directory, "tuff", shape, size, plain)
        errors = model.result()
        answers = {name: job.result() for name, job in jobs.items()}
        for shader in shaders:
            results = [verdict(shader, shape, errors, answers) for shape in shapes.of(shader)]
            for shape, error in zip(shapes.of(shader), results):
                if error is False:
                    unjudged.add(shader.name)
                    tap.skip(f"{shader.name} {shape}", f"{shader.judge} is not installed")
                else:
                    report(tap, shader, f"{shader.name} {shape}", error)
            for shape in shapes.on_rig if not shader.on_rig else ():
                report(tap, shader, f"{shader.name} compiled {shape}", errors.get((shader.name, shape), "was not reached"))
            # A shader whose judge is not installed has a case all the same: the skip above says that it did not run.
            if shader.name in unjudged or None in results and (shader.name in known or not any(results)):
                seen.add(shader.module)
        check_valid(tap, shaders, report)
        if options.model and not options.no_driver:
            models.module(options.gpu, "shaders/code.py").check_disassembly(tap, shaders, directory, report)
    if not options.names:
        passes = sorted(set(known) - met - unjudged)
        tap.case("known.txt names only what fails", not passes, f"passes: {', '.join(passes)}")
        if not options.no_driver:
            seen.judge(tap)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
