"""Our compilers beside Mesa's on the corpus of tests/shaders: what is the same for all families. bench/<family>/compiler.py says the rest by a Family.

Ours is a program of bench/compiler.h, or one that does the same; Mesa's driver runs over the shim and gives its code by VK_KHR_pipeline_executable_properties. One estimator, ours, judges
both codes from their instructions alone. Loops are counted once: where one compiler unrolls and the other does not the figures say little, so that the means are also given for shaders
where both have the same number of loops. Where a count may be zero, means are of (ours + 1) / (theirs + 1). Compile time is the thread's processor time from SPIR-V to code, best of the
rounds; Mesa's includes the rest of vkCreateComputePipelines. Only a release build says anything about it.

With --scenes instead of --vulkan and --modules, vertex and fragment shaders are compared: those of the scenes (tests/scenes), whose pipelines both drivers are asked for their code. There
is no time then. --data FILE keeps what was measured, of which docs/generate.py makes the tables (compiler_report.py)."""
import argparse
import math
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests" / "shaders"), str(ROOT / "bench")]
import compiler_report  # noqa: E402
import judge  # noqa: E402

RUN_ON = ROOT / "tests" / "vulkan" / "run_on.py"


class Family:
    """What a family has of its own.

    figures: names of what is compared, in the order of the table; `time` is always the last. never_zero: those of them that are not zero in any code.
    judge: Mesa's driver as run_on.py names it, `gpu` the chip, `environment` what else keeps caches out of its time.
    words(listing): the code of Mesa's listing as our assembler reads it. left_out: shaders that cannot be compared, and why."""

    def __init__(self, figures, never_zero, judge_name, gpu, environment, words, left_out=()):
        self.figures = (*figures, "time")
        self.never_zero = (*never_zero, "time")
        self.judge, self.gpu, self.environment, self.words, self.left_out = judge_name, gpu, environment, words, dict(left_out)


def second_word(line):
    return (line.split() + ["", ""])[1]


def mesa(family, options, shaders, directory, arguments):
    command = [sys.executable, str(RUN_ON), "--tuff", options.tuff, "--gpu", family.gpu, options.judge, options.vulkan, arguments[0]]
    environment = dict(os.environ, MESA_SHADER_CACHE_DISABLE="true", **family.environment)
    lines, killers = judge.run_list(command, shaders, directory, arguments[1:], second_word, environment)
    if lines is None:
        sys.exit(f"{options.judge} is not installed")
    for name, why in killers.items():
        print(f"# {options.judge} failed on {name}: {why[:100]!r}")
    return lines


def figures(options, paths):
    """{path: {figure: value}}"""
    result = {}
    for start in range(0, len(paths), 50):
        ran = subprocess.run([options.ours, "--figures", *map(str, paths[start:start + 50])], capture_output=True, text=True, check=True)
        for line in ran.stderr.splitlines():
            print(f"# {line}")
        for line in ran.stdout.splitlines():
            words = line.split()
            result[words[1]] = {words[i]: int(words[i + 1]) for i in range(2, len(words), 2)}
    return result


def times(family, options, shaders, directory):
    best = {"ours": {}, "mesa": {}}
    for _ in range(2 if options.rounds else 0):
        ours, _ = judge.run_list([options.ours, "--time"], shaders, directory, [str(options.rounds)], second_word)
        theirs = mesa(family, options, shaders, directory, ["--time", "1"])  # a second one in the same process finds the first in its cache
        for key, lines in (("ours", ours), ("mesa", theirs)):
            for line in lines:
                word, name, value = (line.split() + ["", "", ""])[:3]
                if word == "time":
                    best[key][name] = min(best[key].get(name, math.inf), float(value))
    return best


def collect(family, options, shaders, directory):
    """{name: (ours, mesa's)}, each {figure: value}"""
    here = pathlib.Path(directory)
    lines, _ = judge.run_list([options.ours, "--code"], shaders, directory, [directory], second_word)
    for line in lines:
        if line.startswith("failed"):
            print(f"# {line}")
    shaders = [s for s in shaders if (here / (s.name + ".code")).exists()]
    mesa(family, options, shaders, directory, ["--code", directory])
    for shader in shaders:
        listing = here / (shader.name + ".assembly")
        if listing.exists():
            (here / (shader.name + ".mesa")).write_text(family.words(listing.read_text(encoding="utf-8", errors="replace")), encoding="utf-8")
    found = figures(options, [p for p in sorted(here.iterdir()) if p.suffix in (".code", ".mesa")])
    taken = times(family, options, shaders, directory)
    result = {}
    for shader in shaders:
        ours, theirs = found.get(str(here / (shader.name + ".code"))), found.get(str(here / (shader.name + ".mesa")))
        if not ours or not theirs:
            continue
        ours["time"], theirs["time"] = taken["ours"].get(shader.name, math.nan), taken["mesa"].get(shader.name, math.nan)
        result[shader.name] = ours, theirs
    return result


def collect_scenes(family, options, directory):
    """The same of shaders of graphics pipelines: {scene_number_stage: (ours, mesa's)}"""
    here, found = pathlib.Path(directory), {}
    environment = dict(os.environ, MESA_SHADER_CACHE_DISABLE="true", **family.environment)
    for driver in ("tuff", options.judge):
        folder = here / driver
        folder.mkdir()
        command = [sys.executable, str(RUN_ON), "--tuff", options.tuff, "--gpu", family.gpu, driver, options.scenes, "--code", str(folder)]
        subprocess.run(command, stdout=subprocess.DEVNULL, env=environment, check=False)  # of scenes that a driver refuses there is no code
        for listing in sorted(folder.glob("*.assembly")):
            lines = (line.partition(";")[0] for line in listing.read_text(encoding="utf-8", errors="replace").splitlines())
            listing.with_suffix(".lines").write_text(family.words("\n".join(lines)), encoding="utf-8")
        found[driver] = {pathlib.Path(path).stem: values for path, values in figures(options, sorted(folder.glob("*.lines"))).items()}
    return {name: (ours, found[options.judge][name]) for name, ours in found["tuff"].items() if name in found[options.judge]}


def main(family, title):
    parser = argparse.ArgumentParser(description=title.splitlines()[0])
    for name in ("ours", "tuff"):
        parser.add_argument("--" + name, required=True)
    for name in ("vulkan", "modules", "scenes"):
        parser.add_argument("--" + name)
    parser.add_argument("--judge", default=family.judge)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--data", type=pathlib.Path)
    parser.add_argument("--keep", help="a directory for the code of both")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    if not options.scenes and not (options.vulkan and options.modules):
        parser.error("--vulkan and --modules, or --scenes")
    with tempfile.TemporaryDirectory() as temporary:
        directory = options.keep or temporary
        if options.scenes:
            found = collect_scenes(family, options, directory)
        else:
            shaders = [s for s in judge.load(options.modules, options.names) if s.on_rig and s.name not in family.left_out]
            found = collect(family, options, shaders, directory)
    if not found:
        sys.exit("nothing was compared")
    if options.scenes:
        changes = {"scenes": compiler_report.kept_scenes(family.figures, found)}
        shown = {"figures": family.figures, "never_zero": family.never_zero, **changes}
        table = compiler_report.scenes_table(shown)
    else:
        changes = shown = compiler_report.kept_shaders(family.figures, family.never_zero, options.judge, family.gpu, found)
        table = compiler_report.shaders_table(shown)
    print("\n".join(table))
    if options.data:
        compiler_report.write(options.data, changes)
