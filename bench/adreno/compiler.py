#!/usr/bin/env python3
"""Our compiler for A6xx beside Mesa's (ir3, in Turnip over the shim) on the corpus of tests/shaders, for the same chip:

    compiler.py --ours BENCH_ADRENO_COMPILER --vulkan RUN_VULKAN --tuff TUFF --modules DIRECTORY [--judge turnip-26.1] [--rounds 5] [--markdown FILE] [NAME]...

One estimator, ours (src/adreno/compiler/statistics.c), judges both codes from their instructions alone; Mesa's comes as the assembly that VK_KHR_pipeline_executable_properties
gives. slots: instructions with their repeats and nops, as they are issued; nops of them; ss, sy: instructions that wait; stall: slots that they may wait for; registers: vec4 that
the code names. Loops are counted once: where one compiler unrolls and the other does not the figures say little, so that the means are also given for shaders where both have the
same number of loops. Counts may be zero: means are of (ours + 1) / (theirs + 1) there. Compile time is the thread's processor time from SPIR-V to code, best of the rounds; Mesa's
includes the rest of vkCreateComputePipelines. Only a release build says anything about it."""
import argparse
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "shaders"))
import judge  # noqa: E402

RUN_ON = ROOT / "tests" / "vulkan" / "run_on.py"
FIGURES = ("slots", "nops", "ss", "sy", "ss_stall", "sy_stall", "cycles", "registers", "time")
SATURATED = re.compile(r"((?:\([^)]*\))*[a-z][\w.]* )\(sat\)(.*)$")  # Mesa writes it after the name
MARKS = ("<!-- begin figures -->\n", "<!-- end figures -->\n")


def second_word(line):
    return (line.split() + ["", ""])[1]


def mesa(options, shaders, directory, arguments):
    command = [sys.executable, str(RUN_ON), "--tuff", options.tuff, "--gpu", "adreno-635", options.judge, options.vulkan, arguments[0]]
    environment = dict(os.environ, IR3_SHADER_DEBUG="nocache", MESA_SHADER_CACHE_DISABLE="true")
    lines, killers = judge.run_list(command, shaders, directory, arguments[1:], second_word, environment)
    if lines is None:
        sys.exit(f"{options.judge} is not installed")
    for name, why in killers.items():
        print(f"# {options.judge} failed on {name}: {why[:100]!r}")
    return lines


def reorder(found):
    marks, name = re.match(r"((?:\([^)]*\))*\s*)(.*)", found.group(1)).groups()
    return f"{marks}(sat){name.strip()} {found.group(2)}"


def instructions(assembly):
    """The lines of a listing that are instructions and labels, of the program itself: what stands between shps and shpe is the preamble's."""
    lines = [line.strip() for line in assembly.splitlines()]
    code, is_preamble = [], False
    for line in lines:
        name = line.split(")")[-1].strip()
        is_preamble |= name.startswith("shps")
        if line and line[0] not in ";@:" and not line.startswith("Native code") and not (is_preamble and not line.endswith(":")):
            code.append(SATURATED.sub(reorder, line))
        if name == "shpe":
            is_preamble = False
        if name == "end":
            break
    return code


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


def times(options, shaders, directory):
    best = {"ours": {}, "mesa": {}}
    for _ in range(2 if options.rounds else 0):
        ours, _ = judge.run_list([options.ours, "--time"], shaders, directory, [str(options.rounds)], second_word)
        theirs = mesa(options, shaders, directory, ["--time", "1"])  # a second one in the same process finds the first in its cache
        for key, lines in (("ours", ours), ("mesa", theirs)):
            for line in lines:
                word, name, value = (line.split() + ["", "", ""])[:3]
                if word == "time":
                    best[key][name] = min(best[key].get(name, math.inf), float(value))
    return best


def collect(options, shaders, directory):
    """{name: (ours, mesa's)}, each {figure: value}"""
    here = pathlib.Path(directory)
    lines, _ = judge.run_list([options.ours, "--code"], shaders, directory, [directory], second_word)
    for line in lines:
        if line.startswith("failed"):
            print(f"# {line}")
    mesa(options, shaders, directory, ["--code", directory])
    for shader in shaders:
        listing = here / (shader.name + ".assembly")
        if listing.exists():
            (here / (shader.name + ".mesa")).write_text("\n".join(instructions(listing.read_text(encoding="utf-8", errors="replace"))) + "\n", encoding="utf-8")
    found = figures(options, [p for p in sorted(here.iterdir()) if p.suffix in (".code", ".mesa")])
    taken = times(options, shaders, directory)
    result = {}
    for shader in shaders:
        ours, theirs = found.get(str(here / (shader.name + ".code"))), found.get(str(here / (shader.name + ".mesa")))
        if not ours or not theirs:
            continue
        ours["time"], theirs["time"] = taken["ours"].get(shader.name, math.nan), taken["mesa"].get(shader.name, math.nan)
        result[shader.name] = ours, theirs
    return result


def ratio(pair, figure):
    more = 0 if figure in ("slots", "cycles", "registers", "time") else 1
    return (pair[0][figure] + more) / max(pair[1][figure] + more, 1)


def geometric_mean(values):
    good = [v for v in values if v > 0 and not math.isnan(v)]
    return math.exp(sum(map(math.log, good)) / len(good)) if good else math.nan


def means(pairs):
    return ", ".join(f"{f} {geometric_mean([ratio(pair, f) for pair in pairs]):.3f}" for f in FIGURES) + "."


def report(options, found):
    lines = ["| shader | " + " | ".join(FIGURES) + " |", "| --- |" + " --- |" * len(FIGURES)]
    for name, pair in sorted(found.items()):
        lines.append(f"| {name.removesuffix('_comp')} | " + " | ".join(f"{pair[0][f]:.0f} / {pair[1][f]:.0f}" for f in FIGURES) + " |")
    same = [pair for pair in found.values() if pair[0]["loops"] == pair[1]["loops"]]
    summary = [f"{len(found)} shaders, ours / {options.judge}'s, geometric means: " + means(found.values()), "",
               f"The {len(same)} of them where both have the same number of loops: " + means(same), ""]
    for f in FIGURES:
        worst = sorted(found, key=lambda name: -ratio(found[name], f) if not math.isnan(ratio(found[name], f)) else 0)[:6]
        summary.append(f"- {f}: worst " + ", ".join(f"{name.removesuffix('_comp')} {ratio(found[name], f):.2f}" for name in worst) + ".")
    return summary, lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("ours", "vulkan", "tuff", "modules"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--judge", default="turnip-26.1")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--markdown", type=pathlib.Path)
    parser.add_argument("--keep", help="a directory for the code of both")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    shaders = [s for s in judge.load(options.modules, options.names) if s.on_rig]
    with tempfile.TemporaryDirectory() as temporary:
        found = collect(options, shaders, options.keep or temporary)
    if not found:
        sys.exit("nothing was compared")
    summary, table = report(options, found)
    print("\n".join(table + [""] + summary))
    if options.markdown:
        text = options.markdown.read_text(encoding="utf-8")
        before, _, rest = text.partition(MARKS[0])
        _, _, after = rest.partition(MARKS[1])
        options.markdown.write_text(before + MARKS[0] + "\n".join(summary + [""] + table) + "\n" + MARKS[1] + after, encoding="utf-8")


if __name__ == "__main__":
    main()
